package record

import (
	"cmp"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/policy"
	"github.com/closeout-gate/closeout/verify/proof"
)

// Plan is what a recorder runs for contracts.
type Plan struct {
	Setup   []string // prepares the others; nil when there is none
	Streams []Stream // in this order
	Timeout time.Duration
}

// Stream is a log of its own.
type Stream struct {
	Name  string // of its digest
	Log   string // absolute
	Steps []Step
}

// Step is a command of a stream.
type Step struct {
	Name      string // for people
	Command   Command
	Criterion *contract.Criterion // nil for the command that writes the rule report, whose result the gate judges
}

// StepSetup is the name of the step that prepares the others.
const StepSetup = "setup"

// Stream names.
const (
	streamRules    = "rules"
	streamCriteria = "criteria"
	streamTask     = "task" // a directory of streams
)

// TaskContract is a contract of a task, which the change may have added.
type TaskContract struct {
	Name     string // of its stream
	Contract *contract.Contract
}

// AddRules starts a plan with the command that writes the rule report: that of the contract, else the script, "" for none. It
// reports whether there is a script that the contract makes superfluous.
func (p *Plan) AddRules(c *contract.Contract, script, log string) (unused bool) {
	rules := policy.RuleCommand{Run: c.Rules.Run, Report: c.Rules.Report, NotRequired: c.Rules.NotRequired}
	return p.addRules(rules, policy.EvidenceDirOf(c), script, log)
}

func (p *Plan) addRules(rules policy.RuleCommand, evidence, script, log string) (unused bool) {
	run, report := rules.Run, cmp.Or(rules.Report, path.Join(evidence, policy.DefaultRules))
	switch {
	case run != nil, rules.NotRequired:
		unused = script != ""
	case script != "":
		run = []string{"bash", "-c", script}
	}
	if run == nil {
		return unused
	}
	p.Streams = append(p.Streams, Stream{streamRules, nextTo(log, streamRules), []Step{{
		Name: streamRules, Command: Command{Argv: run, Cwd: ".", Produces: []string{report}},
	}}})
	return unused
}

// AddPolicy plans what the gate will ask for: the command that writes the rule report, every criterion of the contracts that
// the change did not write, and, in a log for each, the criteria that only a task contract of the change contains. Policies
// differ only in their tasks. script is that of [Plan.AddRules].
func (p *Plan) AddPolicy(policies []*policy.Policy, script, log string) (unused bool) {
	first := policies[0]
	unused = p.addRules(first.Rules, first.EvidenceDir, script, log)
	own := Stream{Name: streamCriteria, Log: log}
	for n, joined := range policies {
		for i := range joined.Criteria {
			c := &joined.Criteria[i]
			known := n > 0 && slices.ContainsFunc(own.Steps, func(s Step) bool { return s.Command.runs(c) })
			if !joined.IsHead(c.ID) && !known {
				own.Steps = append(own.Steps, StepOf(c, joined.Coverage, ""))
			}
		}
	}
	p.add(own)
	for _, joined := range policies {
		for _, s := range joined.Sources {
			if s.HeadOnly() {
				p.addHead(joined, s, log)
			}
		}
	}
	return unused
}

// addHead adds a stream with the criteria that only a task contract of the change contains.
func (p *Plan) addHead(joined *policy.Policy, s policy.Source, log string) {
	head := Stream{Name: path.Base(s.Path), Log: nextTo(log, streamTask, path.Base(s.Path))}
	for i := range joined.Criteria {
		if c := &joined.Criteria[i]; joined.IsHead(c.ID) && joined.Origin(c.ID).Path == s.Path {
			head.Steps = append(head.Steps, StepOf(c, nil, s.Contract.TaskID.Value))
		}
	}
	p.add(head)
}

// runs reports whether the command is that of a criterion.
func (c *Command) runs(criterion *contract.Criterion) bool {
	return c.Cwd == criterion.Cwd && slices.Equal(c.Argv, criterion.Run)
}

// add adds a stream unless it is empty.
func (p *Plan) add(s Stream) {
	if len(s.Steps) > 0 {
		p.Streams = append(p.Streams, s)
	}
}

// Only removes the steps with other names; rules is the name of the command that writes the rule report.
func (p *Plan) Only(names []string) {
	var kept []Stream
	for _, s := range p.Streams {
		s.Steps = slices.DeleteFunc(s.Steps, func(step Step) bool { return !slices.Contains(names, step.Name) })
		if len(s.Steps) > 0 {
			kept = append(kept, s)
		}
	}
	p.Streams = kept
}

// Names are the names of all commands.
func (p *Plan) Names() (list []string) {
	for _, s := range p.Streams {
		for _, step := range s.Steps {
			list = append(list, step.Name)
		}
	}
	return list
}

// AddCriteria adds the criteria of a contract. Their records belong to the task, "" for none.
func (p *Plan) AddCriteria(c *contract.Contract, task, log string) {
	s := Stream{Name: streamCriteria, Log: log}
	for i := range c.Criteria {
		s.Steps = append(s.Steps, StepOf(&c.Criteria[i], c.Coverage, task))
	}
	p.Streams = append(p.Streams, s)
}

// AddTask adds to the last stream the criteria that only the task contract requires. Only their records belong to the task: a
// record of a task that only the change contains proves no criterion of the first contract.
func (p *Plan) AddTask(first, task *contract.Contract) {
	s := &p.Streams[len(p.Streams)-1]
	for i := range task.Criteria {
		if c := &task.Criteria[i]; !requires(first, c) {
			s.Steps = append(s.Steps, StepOf(c, task.Coverage, task.TaskID.Value))
		} else if step := p.step(c); step != nil {
			step.Command.test(c)
		}
	}
}

// step finds the step that runs the command of a criterion.
func (p *Plan) step(c *contract.Criterion) *Step {
	for _, s := range p.Streams {
		for i := range s.Steps {
			if step := &s.Steps[i]; step.Command.runs(c) {
				return step
			}
		}
	}
	return nil
}

// AddTaskStream is AddTask with a separate log.
func (p *Plan) AddTaskStream(first *contract.Contract, task TaskContract, log string) {
	p.Streams = append(p.Streams, Stream{Name: task.Name, Log: nextTo(log, streamTask, task.Name)})
	p.AddTask(first, task.Contract)
	if last := len(p.Streams) - 1; len(p.Streams[last].Steps) == 0 {
		p.Streams = p.Streams[:last]
	}
}

// nextTo is a log in a directory next to another log.
func nextTo(log string, dirs ...string) string {
	return filepath.Join(filepath.Dir(log), filepath.Join(dirs...), FileName)
}

// requires reports whether a contract requires the command of a criterion.
func requires(c *contract.Contract, criterion *contract.Criterion) bool {
	command := Command{Argv: criterion.Run, Cwd: criterion.Cwd}
	return c != nil && slices.ContainsFunc(c.Criteria, func(o contract.Criterion) bool { return command.runs(&o) })
}

// ForgetTask removes the task from the records of criteria that the standing contract requires.
func (p *Plan) ForgetTask(standing *contract.Contract) {
	for _, s := range p.Streams {
		for i := range s.Steps {
			if step := &s.Steps[i]; step.Criterion != nil && requires(standing, step.Criterion) {
				step.Command.Task = ""
			}
		}
	}
}

// test adds the test report of a criterion to what its command writes.
func (c *Command) test(criterion *contract.Criterion) {
	if criterion.TestReport != "" && !slices.Contains(c.Produces, criterion.TestReport) {
		c.Produces = append(c.Produces, criterion.TestReport)
	}
	if criterion.ReportFrom == contract.FromStdout {
		c.Stdout = criterion.TestReport
	}
}

// StepOf is the command of a criterion. It produces the reports that the contract names for it.
func StepOf(criterion *contract.Criterion, coverage *contract.CoverageRule, task string) Step {
	command := Command{Argv: criterion.Run, Cwd: criterion.Cwd, Task: task, Criterion: criterion.ID}
	command.test(criterion)
	if coverage != nil && coverage.Criterion.Value == criterion.ID && !slices.Contains(command.Produces, coverage.Report) {
		command.Coverage = coverage.Report
		command.Produces = append(command.Produces, coverage.Report)
	}
	return Step{criterion.ID, command, criterion}
}

// Logs are the logs of all streams.
func (p *Plan) Logs() (logs []string) {
	for _, s := range p.Streams {
		logs = append(logs, s.Log)
	}
	return logs
}

// HandOver is what a workflow supplies to the gate: the digest of the only stream, or a line "stream=digest" for each.
func (p *Plan) HandOver(w *Watch) string {
	if len(p.Streams) == 1 {
		return w.Digest(p.Streams[0].Log)
	}
	return p.Digests(w, "")
}

// Digests are lines "stream=digest", with a prefix for the names: the same stream of several jobs needs a name for each.
func (p *Plan) Digests(w *Watch, prefix string) string {
	var lines []string
	for _, s := range p.Streams {
		lines = append(lines, prefix+s.Name+"="+w.Digest(s.Log))
	}
	return strings.Join(lines, "\n")
}

// Progress is told about each command of a plan.
type Progress interface {
	Start(Step)
	End(step Step, result *Result, met bool)
}

// FromPlan runs and records the commands of a plan in order. The plan continues after a command that did not end as expected,
// but not after a signal.
//
// It returns StatusFailed when a record is incomplete or after tampering, the status of a signal, 1 when a criterion did not
// end as expected, else 0. An error means that a command has no record.
func (r *Recorder) FromPlan(p *Plan, progress Progress) (status int, err error) {
	if err := r.makeDir(path.Join(r.Evidence, FileName)); err != nil {
		return StatusFailed, err
	}
	if p.Setup != nil {
		r.Log = p.Streams[0].Log
		step := Step{Name: StepSetup, Command: Command{Argv: p.Setup, Cwd: ".", Timeout: p.Timeout}}
		progress.Start(step)
		result, err := r.Setup(step.Command)
		if result != nil {
			progress.End(step, result, err == nil)
		}
		if err != nil {
			return StatusFailed, err
		}
	}
	for _, s := range p.Streams {
		r.Log = s.Log
		for _, step := range s.Steps {
			step.Command.Timeout = p.Timeout
			progress.Start(step)
			result, err := r.Run(step.Command)
			if err != nil {
				name := step.Name
				if step.Criterion != nil {
					name = "criterion " + name
				}
				return StatusFailed, fmt.Errorf("%s: %w", name, err)
			}
			met := step.met(result.Exit)
			progress.End(step, result, met)
			switch {
			case result.Problem != nil:
				status = StatusFailed
			case !met && status == 0:
				status = 1
			}
			if result.Signal != 0 {
				return max(status, StatusSignal+int(result.Signal)), nil
			}
		}
	}
	return status, nil
}

// met reports whether a command ended as expected. One that writes the rule report may fail, but must end by itself.
func (s *Step) met(exit *int) bool {
	if exit == nil {
		return false
	}
	code := int64(*exit)
	return s.Criterion == nil || proof.Met(s.Criterion, &code)
}

package record

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/ledger"
)

// RulesFile is the name of the rule report in the evidence folder, where a contract names no other.
const RulesFile = "rule_report.json"

// Plan is what a recorder runs for contracts.
type Plan struct {
	Setup   []string // prepares the others; nil when there is none
	Streams []Stream // in this order
	Timeout time.Duration
}

// Stream is a log of its own.
type Stream struct {
	Name  string // under which its digest is handed over
	Log   string // absolute
	Steps []Step
}

// Step is a command of a stream.
type Step struct {
	Name      string // for people
	Command   Command
	Criterion *contract.Criterion // nil for the command that writes the rule report: how that ends is for the gate to judge
}

// Stream names.
const (
	streamRules    = "rules"
	streamCriteria = "criteria"
)

// TaskContract is a contract beside the first one: of a task, and perhaps one that the change itself brought.
type TaskContract struct {
	Name     string // of its stream
	Contract *contract.Contract
}

// AddRules begins a plan with the command that writes the rule report: the contract's own, else the script, "" for none.
// It reports whether there is a script that the contract leaves no room for.
func (p *Plan) AddRules(c *contract.Contract, script, log string) (unused bool) {
	run := c.Rules.Run
	switch {
	case run != nil, c.Rules.NotRequired:
		unused = script != ""
	case script != "":
		run = []string{"bash", "-c", script}
	}
	if run == nil {
		return unused
	}
	report := c.Rules.Report
	if report == "" {
		report = path.Join(EvidenceDir(c), RulesFile)
	}
	p.Streams = append(p.Streams, Stream{streamRules, beside(log, streamRules), []Step{{
		Name: streamRules, Command: Command{Argv: run, Cwd: ".", Produces: []string{report}},
	}}})
	return unused
}

// AddCriteria adds the criteria of a contract, whose records belong to the task, "" for none.
func (p *Plan) AddCriteria(c *contract.Contract, task, log string) {
	s := Stream{Name: streamCriteria, Log: log}
	for i := range c.Criteria {
		s.Steps = append(s.Steps, stepOf(&c.Criteria[i], c, task))
	}
	p.Streams = append(p.Streams, s)
}

// AddTask adds to the last stream what a task contract demands beside the first one. Only these records belong to the task:
// a record of a task that only the change knows proves nothing of what the first contract demands.
func (p *Plan) AddTask(first, task *contract.Contract) {
	s := &p.Streams[len(p.Streams)-1]
	for i := range task.Criteria {
		if c := &task.Criteria[i]; !demands(first, c) {
			s.Steps = append(s.Steps, stepOf(c, task, task.TaskID.Value))
		} else if step := p.step(c); step != nil && c.TestReport != "" && !slices.Contains(step.Command.Produces, c.TestReport) {
			step.Command.Produces = append(step.Command.Produces, c.TestReport)
		}
	}
}

// step finds the step that runs a criterion's command.
func (p *Plan) step(c *contract.Criterion) *Step {
	for _, s := range p.Streams {
		for i := range s.Steps {
			if step := &s.Steps[i]; step.Command.Cwd == c.Cwd && slices.Equal(step.Command.Argv, c.Run) {
				return step
			}
		}
	}
	return nil
}

// AddTaskStream does the same with a log of the task's own.
func (p *Plan) AddTaskStream(first *contract.Contract, task TaskContract, log string) {
	p.Streams = append(p.Streams, Stream{Name: task.Name, Log: beside(log, "task", task.Name)})
	p.AddTask(first, task.Contract)
	if last := len(p.Streams) - 1; len(p.Streams[last].Steps) == 0 {
		p.Streams = p.Streams[:last]
	}
}

// beside is a log in a folder beside another one.
func beside(log string, folders ...string) string {
	return filepath.Join(filepath.Dir(log), filepath.Join(folders...), FileName)
}

// demands reports whether a contract demands a criterion's command.
func demands(c *contract.Contract, criterion *contract.Criterion) bool {
	return c != nil && slices.ContainsFunc(c.Criteria, func(o contract.Criterion) bool {
		return o.Cwd == criterion.Cwd && slices.Equal(o.Run, criterion.Run)
	})
}

// ForgetTask takes the task from the records of what a contract demands itself.
func (p *Plan) ForgetTask(standing *contract.Contract) {
	for _, s := range p.Streams {
		for i := range s.Steps {
			if step := &s.Steps[i]; step.Criterion != nil && demands(standing, step.Criterion) {
				step.Command.Task = ""
			}
		}
	}
}

// stepOf is the command that a criterion asks for. Reports that the contract names are something that it produces.
func stepOf(criterion *contract.Criterion, c *contract.Contract, task string) Step {
	command := Command{Argv: criterion.Run, Cwd: criterion.Cwd, Task: task, Criterion: criterion.ID}
	if criterion.TestReport != "" {
		command.Produces = append(command.Produces, criterion.TestReport)
	}
	if c.Coverage != nil && c.Coverage.Criterion.Value == criterion.ID && !slices.Contains(command.Produces, c.Coverage.Report) {
		command.Coverage = c.Coverage.Report
		command.Produces = append(command.Produces, c.Coverage.Report)
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

// HandOver is what a workflow hands over of a plan: the digest of the only stream, or a line for each, "stream=digest".
func (p *Plan) HandOver(w *Watch) string {
	if len(p.Streams) == 1 {
		return w.Digest(p.Streams[0].Log)
	}
	var lines []string
	for _, s := range p.Streams {
		lines = append(lines, s.Name+"="+w.Digest(s.Log))
	}
	return strings.Join(lines, "\n")
}

// FromPlan runs the commands of a plan one after the other, each its own record, and tells after each how it ended. One
// that did not end as expected does not keep the next ones from running; a signal does.
//
// It returns StatusFailed when a record is not whole or something was tampered with, the status of a signal, 1 when some
// criterion did not end as expected, else 0. An error means that a command has no record.
func (r *Recorder) FromPlan(p *Plan, told func(Step, *Result, bool)) (status int, err error) {
	if err := r.makeFolder(path.Join(r.Evidence, FileName)); err != nil {
		return StatusFailed, err
	}
	if p.Setup != nil {
		r.Log = p.Streams[0].Log
		if err := r.Setup(Command{Argv: p.Setup, Cwd: ".", Timeout: p.Timeout}); err != nil {
			return StatusFailed, err
		}
	}
	for _, s := range p.Streams {
		r.Log = s.Log
		for _, step := range s.Steps {
			step.Command.Timeout = p.Timeout
			result, err := r.Run(step.Command)
			if err != nil {
				return StatusFailed, fmt.Errorf("%s: %w", step.describe(), err)
			}
			met := step.met(result.Exit)
			told(step, result, met)
			switch {
			case result.Problem != nil:
				status = StatusFailed
			case !met && status == 0:
				status = 1
			}
			if result.Signal != 0 {
				return max(status, statusSignal+int(result.Signal)), nil
			}
		}
	}
	return status, nil
}

func (s *Step) describe() string {
	if s.Criterion == nil {
		return s.Name
	}
	return "criterion " + s.Name
}

// met reports whether a command ended as it should. One that writes the rule report may fail, but must end by itself.
func (s *Step) met(exit *int) bool {
	if exit == nil {
		return false
	}
	code := int64(*exit)
	return s.Criterion == nil || ledger.Met(s.Criterion, &code)
}

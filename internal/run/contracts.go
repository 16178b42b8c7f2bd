package run

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/internal/present"
	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/internal/record"
	"github.com/closeout-gate/closeout/verify/contract"
)

// contracts are those whose criteria are to be run.
type contracts struct {
	first *contract.Contract
	task  string                // the task that records of the first one belong to, "" for none
	own   *contract.Contract    // the task's contract, whose criteria go into the first one's log; nil when there is none
	tasks []record.TaskContract // each with a log of its own
}

// readContracts reads the contracts whose criteria are to be run; nil when a command was given.
func (f *RecordCall) readContracts(root string, std console.Streams) (list *contracts, err error) {
	if f.FromContract == nil {
		return nil, nil
	}
	list = &contracts{task: f.Command.Task}
	if first := f.FromContract[0]; first != OwnContracts {
		list.first, err = record.ReadContract(first, std.Err)
		if err == nil && list.task == "" && stem(first) == list.first.TaskID.Value {
			list.task = stem(first) // a task's contract has the name of its task_id; records of the standing one count for any task
		}
	} else if list.first, list.own, err = record.ReadContracts(root, f.Command.Task, std.Err); list.own != nil {
		list.task = "" // only what the task's contract alone requires belongs to it
	}
	if err != nil {
		return nil, err
	}
	if len(list.first.Criteria) == 0 && (list.own == nil || len(list.own.Criteria) == 0) {
		return nil, errors.New("the contract has no acceptance criteria to run")
	}
	for _, path := range f.FromContract[1:] {
		if err := list.add(path, std); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// add reads a task contract beside the first contract.
func (c *contracts) add(path string, std console.Streams) error {
	if path == OwnContracts {
		return errors.New("--from-contract without a file must come first, and once")
	}
	task, err := record.ReadContract(path, std.Err)
	if err != nil {
		return err
	}
	name := filepath.Base(path)
	if !contract.ValidTaskID(name) {
		return fmt.Errorf("the name of the contract %q cannot be that of a log: expected a file name of at most 64 letters, digits, dots, underscores and hyphens", path)
	}
	for _, other := range c.tasks {
		if strings.EqualFold(other.Name, name) {
			return fmt.Errorf("two contracts have the name %q: each requires a log of its own", name)
		}
	}
	c.tasks = append(c.tasks, record.TaskContract{Name: name, Contract: task})
	return nil
}

// stem is the name of a file without its extension.
func stem(path string) string {
	name := filepath.Base(path)
	return strings.TrimSuffix(name, filepath.Ext(name))
}

// plan says what is run, and into which logs.
func (f *RecordCall) plan(root, log string, list *contracts, std console.Streams) *record.Plan {
	p := &record.Plan{Timeout: f.Command.Timeout, Setup: setupCommand(f.Setup)}
	if p.AddRules(list.first, f.Rules, log) {
		std.Tell("record", "the contract names the command for rules, so the script of --rules is not run")
	}
	p.AddCriteria(list.first, list.task, log)
	if list.own != nil {
		p.AddTask(list.first, list.own)
	}
	if f.FromContract[0] != OwnContracts && (f.Command.Task == "" || record.HasTask(root, f.Command.Task)) && list.task != "" {
		p.ForgetTask(record.Standing(root))
	}
	for _, task := range list.tasks {
		p.AddTaskStream(list.first, task, log)
	}
	return p
}

// runContracts records all criteria and outputs the digests of the logs.
func (f *RecordCall) runContracts(r *record.Recorder, list *contracts, std console.Streams) (err error) {
	p := f.plan(r.Root, r.Log, list, std)
	if err := r.MoveAside(p.Reports(r.Evidence)); err != nil {
		return err
	}
	defer func() { err = Finish(err, r.PutBack) }()
	if r.Watch, err = record.NewWatch(r.Root, p.Logs(), r.Env); err != nil {
		return err
	}
	status, err := r.FromPlan(p, stepMessages{std})
	if err = errors.Join(err, r.PutBack()); err != nil {
		return err
	}
	if err := handOver(r.Watch, p.Logs(), p.HandOver(r.Watch), std); err != nil {
		return err
	}
	return EndWith(status)
}

// handOver prints the digest of each log, and sets the step output.
func handOver(w *record.Watch, logs []string, value string, std console.Streams) error {
	if err := w.SetOutput("feedback_sha256", value); err != nil {
		return fmt.Errorf("the step output cannot be set: %w", err)
	}
	for _, log := range logs {
		fmt.Fprintf(std.Out, "%s  %s\n", w.Digest(log), log)
	}
	return nil
}

// stepMessages says how each command ended.
type stepMessages struct{ std console.Streams }

// Start says nothing: the command's output is passed on.
func (stepMessages) Start(record.Step) {}

func (t stepMessages) End(s record.Step, result *record.Result, met bool) {
	if s.Name == record.StepSetup && s.Criterion == nil {
		return // an error says what went wrong
	}
	t.std.Tell("record", "%s: %s (%s)", s.Name, howEnded(s, result, met), present.Neutral(strings.Join(s.Command.Argv, " ")))
	if (result.Exit == nil || result.Problem != nil) && result.Why != "" {
		t.std.Tell("record", "%s: %s", s.Name, result.Why)
	}
}

// howEnded compares how a command ended with what was expected.
func howEnded(s record.Step, result *record.Result, met bool) string {
	how := fmt.Sprintf("status %d", result.Status)
	if result.Exit != nil {
		how = fmt.Sprintf("exit code %d", *result.Exit)
	}
	switch {
	case s.Criterion == nil && result.Exit != nil:
		return how
	case s.Criterion != nil && result.Exit != nil && slices.Contains(s.Criterion.UnknownExit, int64(*result.Exit)):
		return how + ": the command cannot know"
	case !met:
		return how + ", not as expected"
	}
	return how + ", as expected"
}

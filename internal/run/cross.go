package run

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/internal/record"
	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/policy"
)

// CrossTrees names the trees that can be composed, in the order in which they are recorded.
var CrossTrees = check.CrossTrees

// noCross is the value of --cross that leaves out all trees.
const noCross = "none"

// crossTrees are the composed trees that are to be recorded, if the contract and the change ask for them.
func (f *Call) crossTrees() []string {
	switch {
	case slices.Equal(f.Cross, []string{noCross}), len(f.Cross) == 0 && f.RecordOnly:
		return nil
	case len(f.Cross) == 0:
		return CrossTrees
	}
	return f.Cross
}

// crossOnly reports whether the call records composed trees alone: a job of a workflow has one tree.
func (f *Call) crossOnly() bool { return f.RecordOnly && len(f.crossTrees()) > 0 }

// recordCross records what the tests of the base say about the code of the head. What cannot be recorded is for the gate to name.
// The logs are those of earlier calls.
func (f *Call) recordCross(s *Work, policies []*policy.Policy, logs map[string][]byte, std console.Streams) (status int, err error) {
	trees := f.crossTrees()
	if len(policies) == 0 {
		return 0, nil
	}
	for _, name := range CrossTrees {
		if f.RecordOnly || slices.Contains(trees, name) {
			continue // of another job, or cleaned below
		}
		if err := (&record.Cross{Name: name, Keep: s.Root}).Clean(policies[0].EvidenceDir); err != nil {
			return 0, err
		}
	}
	x := &Cross{
		Work: s, Policy: policies[0], setup: setupCommand(f.Setup), timeout: f.Timeout, only: f.Only, logs: logs, Keep: s.Root,
		Log: func(c *record.Cross) string { return c.Log(policies[0].EvidenceDir) },
	}
	if err := x.Prepare(); err != nil {
		return 0, err
	}
	if len(x.steps) == 0 && f.crossOnly() {
		s.Show.Say("the change edits no test path, so there is nothing to run on another tree")
	}
	for _, name := range trees {
		done, err := x.Record(name, std)
		switch {
		case err != nil && f.RecordOnly:
			return record.StatusFailed, err
		case err != nil:
			s.Show.Say("nothing was recorded on the tree " + name + ": " + err.Error())
		case done == nil:
		case done.Status > record.StatusSignal:
			return done.Status, nil
		case f.RecordOnly && done.Status > 1:
			s.Show.Say("nothing is supplied to the gate, because a record is incomplete or a command tampered with it")
			return done.Status, nil
		case f.RecordOnly:
			if err := f.supply("feedback_sha256_"+name, done.Plan, done.Watch, std); err != nil {
				return record.StatusFailed, err
			}
		}
	}
	return 0, nil
}

// crossLogs reads what earlier calls recorded on composed trees, before a command of this one can write there.
func (f *Call) crossLogs(s *Work, policies []*policy.Policy) map[string][]byte {
	logs := map[string][]byte{}
	if f.RecordOnly || len(policies) == 0 {
		return logs
	}
	for _, name := range CrossTrees {
		logs[name] = (&record.Cross{Name: name, Keep: s.Root}).Read(policies[0].EvidenceDir)
	}
	return logs
}

// Cross records the commands that run the tests of the base on composed trees.
type Cross struct {
	Work    *Work
	Policy  *policy.Policy
	setup   []string // nil for none
	timeout time.Duration
	only    []string // ids of criteria; none for all
	Keep    string   // the root of the work tree where reports go
	Log     func(*record.Cross) string
	logs    map[string][]byte // of earlier calls, whose records count, by the name of the tree

	steps    []record.Step     // none where nothing is to be run
	newSteps []record.Step     // those on the code of the base with the tests of the head
	git      *record.Git       // of the work tree of the change
	trees    *facts.CrossTrees // nil before one is asked for
}

// Recorded is what was recorded on a tree.
type Recorded struct {
	Plan   *record.Plan
	Watch  *record.Watch
	Status int // as [record.Recorder.FromPlan] gives it
}

// Prepare finds the commands that run the tests which the change touches, in the order of the contract.
func (x *Cross) Prepare() (err error) {
	compared := x.Work.Compared
	if len(compared.MergeBases) != 1 {
		return nil // the gate says that nothing can be compared
	}
	var touched []string
	for _, c := range compared.Changes {
		touched = append(touched, c.Path)
	}
	asked, askedNew := x.Policy.AskedTests(touched), x.Policy.AskedNewTests(touched)
	for _, rule := range x.Policy.Tests() {
		unknown := compared.Changes == nil // such changes may touch any
		if rule.Always || unknown {
			asked = append(asked, rule)
		}
		if rule.NewTests != "" && unknown {
			askedNew = append(askedNew, rule)
		}
	}
	if x.steps, x.newSteps = x.stepsOf(asked), x.stepsOf(askedNew); len(x.steps) == 0 {
		return nil
	}
	x.git, err = record.OpenGit(x.Work.Root, withPath(x.Work.Path, x.Work.Root))
	return err
}

// stepsOf are the commands of the criteria that entries of tests name.
func (x *Cross) stepsOf(asked []contract.TestRule) []record.Step {
	var steps []record.Step
	for i := range x.Policy.Criteria {
		c := &x.Policy.Criteria[i]
		runs := slices.ContainsFunc(asked, func(rule contract.TestRule) bool { return rule.Names(c.ID) })
		if runs && (len(x.only) == 0 || slices.Contains(x.only, c.ID)) {
			steps = append(steps, record.StepOf(c, nil, ""))
		}
	}
	return steps
}

// newTestsTimeout ends a command on old code with new tests, which may wait for what the change adds.
const newTestsTimeout = 20 * time.Minute

// Record records the commands on one composed tree, in a work tree that is removed at the end. It returns nil where the tree
// cannot be composed, or is one that has a record.
func (x *Cross) Record(name string, std console.Streams) (done *Recorded, err error) {
	into, evidence := &record.Cross{Name: name, Keep: x.Keep}, x.Policy.EvidenceDir
	steps, timeout := x.steps, x.timeout
	if name == check.NewTestsTree {
		steps, timeout = x.newSteps, cmp.Or(timeout, newTestsTimeout)
	}
	if len(steps) == 0 {
		return nil, into.Clean(evidence)
	}
	head, base := x.Work.Compared.Head, x.Work.Compared.MergeBases[0]
	if x.trees == nil {
		trees, err := x.Work.Git.Compose(head, base, evidence, x.Policy.TestPath)
		if err != nil {
			return nil, err
		}
		x.trees = &trees
	}
	known := []string{x.trees.Head}
	switch name {
	case check.BaseTree:
		into.Tree, head = x.trees.Base, base
	case check.OldTestsTree:
		into.Tree, known = x.trees.OldTests, append(known, x.trees.Base)
	default:
		head, base = base, head
		trees, err := x.Work.Git.Compose(head, base, evidence, x.Policy.TestPath)
		if err != nil || trees.Incomparable != "" {
			return nil, errors.Join(err, into.Clean(evidence))
		}
		into.Tree = trees.OldTests
	}
	switch {
	case name == check.OldTestsTree && x.trees.Incomparable != "":
		x.Work.Show.Say("the tests of the base cannot be run on the new code: " + x.trees.Incomparable)
		return nil, into.Clean(evidence)
	case slices.Contains(known, into.Tree): // it is recorded under that name
		return nil, into.Clean(evidence)
	case into.Has(evidence, steps, x.logs[name]):
		x.Work.Show.Say("the tree " + name + " has a record, so nothing is run on it")
		return nil, nil
	}
	composed, err := x.git.Compose(head, base, evidence, x.Policy.TestPath)
	if err != nil {
		return nil, err
	}
	defer func() { err = Finish(err, composed.Close) }()
	before := x.Work.Recorder
	defer func() { x.Work.Recorder = before }() // what it moved aside is put back at the end
	r, err := x.Work.NewRecorder(composed.Dir, evidence, std)
	if err != nil {
		return nil, err
	}
	r.Cross, r.Log = into, x.Log(into)
	p := &record.Plan{Timeout: timeout, Setup: x.setup, Streams: []record.Stream{{Name: name, Log: r.Log}}}
	for _, step := range steps {
		step.Name += " on " + name
		p.Streams[0].Steps = append(p.Streams[0].Steps, step)
	}
	if err := into.Clean(evidence); err != nil {
		return nil, err
	}
	if err := r.MoveAside(p.Reports(evidence)); err != nil {
		return nil, err
	}
	defer func() { err = Finish(err, r.PutBack) }()
	if r.Watch, err = record.NewWatch(x.Keep, p.Logs(), r.Env); err != nil {
		return nil, err
	}
	show := x.Work.Show
	show.Count, show.number = len(p.Names()), 0
	if p.Setup != nil {
		show.Count++
	}
	failed := show.failed // of the head: what fails here is in the report
	status, err := x.Work.Follow(r, p)
	if err == nil {
		show.failed = failed
	}
	return &Recorded{p, r.Watch, status}, err
}

package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/internal/record"
	"github.com/closeout-gate/closeout/verify/checks"
	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/policy"
)

// noCross is the value of --cross that leaves out all trees.
const noCross = "none"

// checkCross refuses values of --cross that name no tree.
func (f *runFlags) checkCross() error {
	for _, name := range f.cross {
		switch {
		case name == noCross && len(f.cross) > 1:
			return fmt.Errorf("--cross %s leaves out both trees: name no other one beside it", noCross)
		case name != noCross && !slices.Contains(checks.CrossTrees, name):
			return fmt.Errorf("--cross %q is no tree: expected %s or %s", name, strings.Join(checks.CrossTrees, ", "), noCross)
		}
	}
	return nil
}

// crossTrees are the composed trees that are to be recorded, if the contract and the change ask for them.
func (f *runFlags) crossTrees() []string {
	switch {
	case slices.Equal(f.cross, []string{noCross}), len(f.cross) == 0 && f.recordOnly:
		return nil
	case len(f.cross) == 0:
		return checks.CrossTrees
	}
	return f.cross
}

// crossOnly reports whether the call records composed trees alone: a job of a workflow has one tree.
func (f *runFlags) crossOnly() bool { return f.recordOnly && len(f.crossTrees()) > 0 }

// recordCross records what the tests of the base say about the code of the head. What cannot be recorded is for the gate to name.
// The logs are those of earlier calls.
func (f *runFlags) recordCross(s *subject, logs map[string][]byte, std console.Streams) (status int, err error) {
	trees, policies := f.crossTrees(), s.policies(false, std)
	if len(policies) == 0 {
		return 0, nil
	}
	for _, name := range checks.CrossTrees {
		if f.recordOnly || slices.Contains(trees, name) {
			continue // of another job, or cleaned below
		}
		if err := (&record.Cross{Name: name, Keep: s.root}).Clean(policies[0].EvidenceDir); err != nil {
			return 0, err
		}
	}
	x := &crossRun{
		s: s, policy: policies[0], setup: f.setupCommand(), timeout: f.timeout, only: f.only, logs: logs, keep: s.root,
		log: func(c *record.Cross) string { return c.Log(policies[0].EvidenceDir) },
	}
	if err := x.prepare(); err != nil {
		return 0, err
	}
	if len(x.steps) == 0 && f.crossOnly() {
		s.show.say("the change edits no test path, so there is nothing to run on another tree")
	}
	for _, name := range trees {
		done, err := x.record(name, std)
		switch {
		case err != nil && f.recordOnly:
			return record.StatusFailed, err
		case err != nil:
			s.show.say("nothing was recorded on the tree " + name + ": " + err.Error())
		case done == nil:
		case done.status > record.StatusSignal:
			return done.status, nil
		case f.recordOnly && done.status > 1:
			s.show.say("nothing is supplied to the gate, because a record is incomplete or a command tampered with it")
			return done.status, nil
		case f.recordOnly:
			if err := f.supply("feedback_sha256_"+name, done.plan, done.watch, std); err != nil {
				return record.StatusFailed, err
			}
		}
	}
	return 0, nil
}

// crossLogs reads what earlier calls recorded on composed trees, before a command of this one can write there.
func (f *runFlags) crossLogs(s *subject, std console.Streams) map[string][]byte {
	logs, policies := map[string][]byte{}, s.policies(false, std)
	if f.recordOnly || len(policies) == 0 {
		return logs
	}
	for _, name := range checks.CrossTrees {
		logs[name] = (&record.Cross{Name: name, Keep: s.root}).Read(policies[0].EvidenceDir)
	}
	return logs
}

// crossRun records the commands that run the tests of the base on composed trees.
type crossRun struct {
	s       *subject
	policy  *policy.Policy
	setup   []string // nil for none
	timeout time.Duration
	only    []string // ids of criteria; none for all
	keep    string   // the root of the work tree where reports go
	log     func(*record.Cross) string
	logs    map[string][]byte // of earlier calls, whose records count, by the name of the tree

	steps []record.Step     // none where nothing is to be run
	git   *record.Git       // of the work tree of the change
	trees *facts.CrossTrees // nil before one is asked for
}

// crossDone is what was recorded on a tree.
type crossDone struct {
	plan   *record.Plan
	watch  *record.Watch
	status int // as [record.Recorder.FromPlan] gives it
}

// prepare finds the commands that run the tests which the change touches, in the order of the contract.
func (x *crossRun) prepare() (err error) {
	compared := x.s.compared
	if len(compared.MergeBases) != 1 {
		return nil // the gate says that nothing can be compared
	}
	var touched []string
	for _, c := range compared.Changes {
		touched = append(touched, c.Path)
	}
	asked := x.policy.AskedTests(touched)
	for _, rule := range x.policy.Tests() {
		if rule.Always || compared.Changes == nil { // unknown changes may touch any
			asked = append(asked, rule)
		}
	}
	for i := range x.policy.Criteria {
		c := &x.policy.Criteria[i]
		runs := slices.ContainsFunc(asked, func(rule contract.TestRule) bool {
			return slices.ContainsFunc(rule.Criteria, func(id input.Text) bool { return id.Value == c.ID })
		})
		if runs && (len(x.only) == 0 || slices.Contains(x.only, c.ID)) {
			x.steps = append(x.steps, record.StepOf(c, nil, ""))
		}
	}
	if len(x.steps) == 0 {
		return nil
	}
	x.git, err = record.OpenGit(x.s.root, withPath(x.s.path, x.s.root))
	return err
}

// record records the commands on one composed tree, in a work tree that is removed at the end. It returns nil where the tree
// cannot be composed, or is one that has a record.
func (x *crossRun) record(name string, std console.Streams) (done *crossDone, err error) {
	into, evidence := &record.Cross{Name: name, Keep: x.keep}, x.policy.EvidenceDir
	if len(x.steps) == 0 {
		return nil, into.Clean(evidence)
	}
	head, base := x.s.compared.Head, x.s.compared.MergeBases[0]
	if x.trees == nil {
		trees, err := x.s.git.Compose(head, base, evidence, x.policy.TestPath)
		if err != nil {
			return nil, err
		}
		x.trees = &trees
	}
	known := []string{x.trees.Head}
	if into.Tree = x.trees.OldTests; name == checks.BaseTree {
		into.Tree, head = x.trees.Base, base
	} else {
		known = append(known, x.trees.Base)
	}
	switch {
	case name == checks.OldTestsTree && x.trees.Incomparable != "":
		x.s.show.say("the tests of the base cannot be run on the new code: " + x.trees.Incomparable)
		return nil, into.Clean(evidence)
	case slices.Contains(known, into.Tree): // it is recorded under that name
		return nil, into.Clean(evidence)
	case into.Has(evidence, x.steps, x.logs[name]):
		x.s.show.say("the tree " + name + " has a record, so nothing is run on it")
		return nil, nil
	}
	composed, err := x.git.Compose(head, base, evidence, x.policy.TestPath)
	if err != nil {
		return nil, err
	}
	defer func() { err = finish(err, composed.Close) }()
	before := x.s.r
	defer func() { x.s.r = before }() // what it moved aside is put back at the end
	r, err := x.s.recorder(composed.Dir, evidence, std)
	if err != nil {
		return nil, err
	}
	r.Cross, r.Log = into, x.log(into)
	p := &record.Plan{Timeout: x.timeout, Setup: x.setup, Streams: []record.Stream{{Name: name, Log: r.Log}}}
	for _, step := range x.steps {
		step.Name += " on " + name
		p.Streams[0].Steps = append(p.Streams[0].Steps, step)
	}
	if err := into.Clean(evidence); err != nil {
		return nil, err
	}
	if err := r.MoveAside(p.Reports(evidence)); err != nil {
		return nil, err
	}
	defer func() { err = finish(err, r.PutBack) }()
	if r.Watch, err = record.NewWatch(x.keep, p.Logs(), r.Env); err != nil {
		return nil, err
	}
	show := x.s.show
	show.count, show.number = len(p.Names()), 0
	if p.Setup != nil {
		show.count++
	}
	failed := show.failed // of the head: what fails here is in the report
	status, err := x.s.follow(r, p)
	if err == nil {
		show.failed = failed
	}
	return &crossDone{p, r.Watch, status}, err
}

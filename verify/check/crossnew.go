package check

import (
	"slices"

	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/proof"
	"github.com/closeout-gate/closeout/verify/report"
	"github.com/closeout-gate/closeout/verify/reports"
)

// newTests judges whether what came with the change fails without it: the tests of the head on the code of the base. A case that
// passes at the head must fail there by its name. What does not load, or does not end, shows nothing.
func (in *Inputs) newTests(run CrossRun, i int, e *facts.CrossTrees, trust []proof.Trust) CrossRun {
	head := in.Tests[run.Criterion.TestReport]
	switch {
	case e.NewTests == "":
		run.Outcome, run.Why = report.CrossIncomparable, "the tests of the head cannot be composed with the code of the base"
		return run
	case head == nil || head.Report == nil:
		run.Outcome, run.Why = report.CrossMissing, NoHeadReport
		return run
	}
	old := in.treeRun(i, e, e.NewTests, trust)
	run.Level = old.level
	switch {
	case old.cut:
		run.Outcome, run.Why = report.CrossIncomparable, old.why
		return run
	case old.outcome != "":
		run.Outcome, run.Why = old.outcome, NewTestsTree+": "+old.why
		if old.outcome == report.CrossMissing {
			run.Trees = []string{NewTestsTree}
		}
		return run
	}
	names := head.Report.Names
	names.TrimRoot(in.RootOf(head))
	k := comparison{run: &run, in: in}
	without := reports.Follow(names, old.TestNames)
	for _, t := range names.PassedCases() {
		run.Base++
		switch state, _ := without.StateOf(t); state {
		case reports.CaseFailed:
			run.Failed++
		case reports.CasePassed:
			run.Passed++
		default:
			run.NotRun++
		}
	}
	isFile := func(t reports.TestName) bool { return t.Failing && k.fileOf(t.Name) != "" }
	switch {
	case run.Failed > 0:
		run.Outcome = report.OutcomePassed
	case run.NotRun > 0 && (old.unloaded || len(old.Broken) > 0 || slices.ContainsFunc(old.Names, isFile)):
		run.Outcome, run.Why = report.CrossIncomparable, "tests of the head do not load on the code of the base"
	default:
		run.Outcome = report.OutcomeFailed
	}
	return run
}

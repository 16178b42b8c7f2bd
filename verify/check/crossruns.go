package check

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/proof"
	"github.com/closeout-gate/closeout/verify/report"
	"github.com/closeout-gate/closeout/verify/reports"
)

// The trees that are composed from merge base and head: all of the base, its tests with the code of the head, and its code with the
// tests of the head.
const (
	BaseTree     = "base"
	OldTestsTree = "old_tests"
	NewTestsTree = "new_tests"
)

// CrossTrees are their names.
var CrossTrees = []string{BaseTree, OldTestsTree, NewTestsTree}

// idsOf are the ids of [CrossTrees], "" for none.
func idsOf(e *facts.CrossTrees) []string { return []string{e.Base, e.OldTests, e.NewTests} }

// CrossDir is the directory in the evidence directory, and in a bundle, that has one for each of these trees.
const CrossDir = "cross"

// The codes of findings about cases.
const (
	CodeNotRun       = "cross.not_run"
	CodeDropped      = "cross.dropped"
	CodeChanged      = "cross.changed"
	CodeIncomparable = "cross.incomparable"
	CodeGone         = "cross.gone"
	CodeNewTests     = "cross.new_tests"

	// Unloaded is incomparable too, and no fault of the new code.
	Unloaded = "does not load on the base"
	// UnloadedBefore is Unloaded of tests that the change leaves as they were: nothing is hidden.
	UnloadedBefore = "does not load on the base, and is as it was"
)

// CrossRun is what the tests of the base show about the code of the head, or the other way round: one criterion of an entry of tests.
type CrossRun struct {
	Rule      contract.TestRule
	Tree      string // old_tests or new_tests
	Criterion *contract.Criterion
	Outcome   string
	Level     input.Level
	Why       string   // why the runs are missing, or cannot be compared at all
	Trees     []string // of which a run is missing
	Elsewhere string   // the tests of the base failed in another leg of a matrix too, and nothing says which

	Base, Passed, Failed, NotRun int64                  // of the cases that passed on the base, for new_tests at the head
	Unloaded                     []string               // what does not load on old_tests, each with the line of its error
	Apart                        int64                  // of those that did not run: what contains them does not load
	Ended                        int64                  // and those of a package that a panic ended
	Cases                        map[string][]CrossCase // by the code of the finding
	Older                        []string               // what fails at the head, and failed at the base too
}

// CrossCase is a case that passed on the base.
type CrossCase struct {
	Name    string            // with its group
	Place   *facts.CrossPlace // where its function stands in the base; nil when it is in no test path
	Short   string            // its own name
	Failure string            // the first line of it, on the new code
	Note    string
}

// Composed lists the trees of which records are not evidence of the head.
func (in *Inputs) Composed() []string {
	var list []string
	if in.Facts == nil {
		return nil
	}
	for e := range in.Facts.Cross {
		for _, tree := range idsOf(&in.Facts.Cross[e]) {
			if tree != "" && !in.accepts(tree) && !slices.Contains(list, tree) {
				list = append(list, tree)
			}
		}
	}
	return list
}

func (in *Inputs) accepts(tree string) bool {
	return slices.Contains(in.Facts.Subject.AcceptedTrees, tree)
}

// CrossPath is where the recorder puts a report that was written on a composed tree.
func CrossPath(evidenceDir, tree, testReport string) string {
	return path.Join(evidenceDir, CrossDir, tree, testReport)
}

// CrossPath is [CrossPath] for the evidence directory of the policy.
func (in *Inputs) CrossPath(tree, testReport string) string {
	return CrossPath(in.Policy.EvidenceDir, tree, testReport)
}

// CrossCriteria are the places of the criteria of all entries of tests.
func (in *Inputs) CrossCriteria() []int {
	var list []int
	if in.Policy == nil {
		return nil
	}
	for _, rule := range in.Policy.Tests() {
		list = append(list, in.criteriaOf(&rule)...)
	}
	return list
}

// criteriaOf are the places of the criteria of an entry of tests.
func (in *Inputs) criteriaOf(rule *contract.TestRule) []int {
	var list []int
	for i := range in.Policy.Criteria {
		if rule.Names(in.Policy.Criteria[i].ID) {
			list = append(list, i)
		}
	}
	return list
}

// CrossVouchers are the reports of composed trees that records may vouch for.
func (in *Inputs) CrossVouchers() []proof.Companion {
	var list []proof.Companion
	for _, i := range in.CrossCriteria() {
		for _, tree := range CrossTrees {
			list = append(list, in.crossVoucher(i, tree))
		}
	}
	return list
}

func (in *Inputs) crossVoucher(i int, tree string) proof.Companion {
	c := proof.Companion{Path: in.CrossPath(tree, in.Policy.Criteria[i].TestReport), Exact: true, Only: []int{i}}
	if file := in.CrossTests[c.Path]; file != nil {
		c.SHA256 = file.SHA256
	}
	return c
}

// crossRuns judges each criterion of each entry of tests. A change whose tests are those of the base needs no run.
func (in *Inputs) crossRuns(trust []proof.Trust) []CrossRun {
	var list []CrossRun
	var touched []string
	for i := range in.Changes {
		touched = append(touched, in.Changes[i].Path)
	}
	edited, proven := in.Policy.AskedTests(touched), in.Policy.AskedNewTests(touched)
	for _, rule := range in.Policy.Tests() {
		same := func(e contract.TestRule) bool { return e.Files[0].Text == rule.Files[0].Text }
		asked := rule.Always || slices.ContainsFunc(edited, same)
		for _, i := range in.criteriaOf(&rule) {
			c := &in.Policy.Criteria[i]
			plain := CrossRun{Rule: rule, Tree: OldTestsTree, Criterion: c, Outcome: report.CrossNotNeeded, Level: input.Absent}
			best := plain
			switch {
			case in.Group != nil:
				best.Why = "each pull request of the merge group had its own run"
			case asked && (in.Facts == nil || len(in.Facts.Cross) == 0):
				best.Outcome, best.Why = report.CrossMissing, "nothing names the trees to run them on"
			case asked:
				best = in.bestOf(func(e *facts.CrossTrees) CrossRun { return in.crossRun(plain, i, e, trust) })
			}
			list = append(list, best)
			if known := in.Facts != nil && len(in.Facts.Cross) > 0; known && in.Group == nil && slices.ContainsFunc(proven, same) {
				plain.Tree = NewTestsTree
				list = append(list, in.bestOf(func(e *facts.CrossTrees) CrossRun { return in.newTests(plain, i, e, trust) }))
			}
		}
	}
	return list
}

// bestOf judges each tree of the head, and returns the run that decides.
func (in *Inputs) bestOf(judge func(e *facts.CrossTrees) CrossRun) (best CrossRun) {
	for e := range in.Facts.Cross {
		run := judge(&in.Facts.Cross[e])
		if e == 0 || slices.Index(crossOrder, run.Outcome) < slices.Index(crossOrder, best.Outcome) {
			best = run
		}
	}
	return best
}

// crossOrder has the outcomes in the order in which one of several trees of the head decides.
var crossOrder = []string{
	report.OutcomeFailed, report.OutcomePassed, report.CrossIncomparable, report.CrossMissing, report.CrossNotNeeded,
}

// NoHeadReport is why a run on the head cannot be compared: another check reports it.
const NoHeadReport = "the head has no test report"

// crossRun judges a criterion, for one tree of the head.
func (in *Inputs) crossRun(run CrossRun, i int, e *facts.CrossTrees, trust []proof.Trust) CrossRun {
	head := in.Tests[run.Criterion.TestReport]
	switch {
	case e.Incomparable != "":
		run.Outcome, run.Why = report.CrossIncomparable, e.Incomparable
		return run
	case in.accepts(e.Base), in.accepts(e.OldTests) && !run.Rule.Always:
		return run
	case head == nil || head.Report == nil:
		run.Outcome, run.Why = report.CrossMissing, NoHeadReport
		return run
	}
	k := comparison{run: &run, in: in, entry: e, head: head.Report.Names, red: head.Report.Failures() > 0}
	k.head.TrimRoot(in.RootOf(head))
	k.base = in.treeRun(i, e, e.Base, trust)
	k.old = treeRun{TestNames: k.head, level: in.Decisions[i].Level}
	if !in.accepts(e.OldTests) {
		k.old = in.treeRun(i, e, e.OldTests, trust)
	}
	run.Level = weaker(k.base.level, k.old.level)
	var whys []string
	for t, tree := range []*treeRun{&k.base, &k.old} {
		if tree.why != "" {
			whys = append(whys, CrossTrees[t]+": "+tree.why)
		}
		if tree.line != "" {
			run.Unloaded = append(run.Unloaded, CrossTrees[t]+": "+tree.line)
		}
		if tree.outcome == report.CrossMissing {
			run.Trees = append(run.Trees, CrossTrees[t])
		}
	}
	switch {
	case len(run.Trees) > 0:
		run.Outcome, run.Why = report.CrossMissing, strings.Join(whys, "; ")
	case len(whys) > 0:
		run.Outcome, run.Why = report.CrossIncomparable, strings.Join(whys, "; ")
	case k.base.More || k.old.More || k.head.More:
		run.Outcome = report.CrossIncomparable
		run.Why = fmt.Sprintf("a report has more than %d names", reports.MaxTestNames)
	default:
		k.judge()
		if run.Elsewhere = k.old.elsewhere; run.Elsewhere != "" && run.Outcome != report.OutcomeFailed {
			run.Outcome = report.CrossIncomparable
		}
	}
	return run
}

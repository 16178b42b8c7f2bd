package check

import (
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/report"
	"github.com/closeout-gate/closeout/verify/reports"
)

// comparison compares the runs on the three trees.
type comparison struct {
	run       *CrossRun
	in        *Inputs
	entry     *facts.CrossTrees
	base, old treeRun
	head      *reports.TestNames
	red       bool // the head has failures that count: one that a later run of its name made good does not

	passed []*reports.TestName // on the base
	inOld  *reports.Follower
	inHead *reports.Follower
	places map[[2]string]*facts.CrossPlace
	broken map[string]string // what does not load on old_tests: package, class, module or file, and its name in the report
	suites map[string]bool   // what the report of the base calls its groups, and the parts of dotted names; nil before one asks
	stuck  bool              // one of them contains no case that is known, or the runner stopped at it
}

// followed is what became of a case that passed on the base.
type followed struct {
	old, head  reports.CaseState
	failure    string
	code, note string
}

func (k *comparison) judge() {
	k.passed = k.base.PassedCases()
	k.inOld, k.inHead = reports.Follow(k.base.TestNames, k.old.TestNames), reports.Follow(k.base.TestNames, k.head)
	k.run.Cases, k.broken, k.places = map[string][]CrossCase{}, map[string]string{}, map[[2]string]*facts.CrossPlace{}
	for i := range k.entry.Places {
		p := &k.entry.Places[i] // the collector reads names as the report has them
		k.places[[2]string{reports.WithoutRoot(p.Suite, k.base.root), reports.WithoutRoot(p.Name, k.base.root)}] = p
	}
	k.findBroken()
	if k.run.Base = int64(len(k.passed)); k.run.Base == 0 {
		k.findOlder()
		isOld := func(c JudgedPath) bool { return c.Status != change.Added && k.in.Policy.TestPath(c.Path) }
		if slices.ContainsFunc(k.in.Changes, isOld) { // else the change may bring the first tests
			k.run.Outcome = report.CrossIncomparable
			k.run.Why = "no test passed on the base, which has some of the test paths"
		}
		return
	}
	// A test with subtests fails with them, and says nothing beside those. What fails in it without them is its own.
	type frame struct {
		group, name string
		old         reports.CaseState
	}
	list, frames := make([]followed, len(k.passed)), map[frame]bool{}
	for i, t := range k.passed {
		f := &list[i]
		f.old, f.failure = k.inOld.StateOf(t)
		if f.head, _ = k.inHead.StateOf(t); f.head == reports.CaseFailed && !k.red {
			f.head = reports.CasePassed
		}
		f.code, f.note = k.code(t, f)
		for at, c := range t.Name {
			if c == '/' && f.code != "" {
				frames[frame{t.Group, t.Name[:at], f.old}] = true
			}
		}
	}
	counts := map[reports.CaseState]*int64{
		reports.CasePassed: &k.run.Passed, reports.CaseFailed: &k.run.Failed, reports.CaseAbsent: &k.run.NotRun,
	}
	for i, t := range k.passed {
		f := &list[i]
		*counts[f.old]++
		switch {
		case f.note == endedByPanic:
			k.run.Ended++
		case f.code == CodeIncomparable:
			k.run.Apart++
		}
		if f.code == "" || frames[frame{t.Group, t.Name, f.old}] {
			continue
		}
		k.run.Cases[f.code] = append(k.run.Cases[f.code], CrossCase{
			Name: strings.TrimSpace(t.Group + " " + t.Name), Short: t.Name, Place: k.place(t), Failure: f.failure, Note: f.note,
		})
	}
	switch {
	case k.run.Failed > 0 || k.run.NotRun > k.run.Apart+k.run.Ended:
		k.run.Outcome = report.OutcomeFailed
	case len(k.run.Cases[CodeIncomparable])+len(k.run.Cases[Unloaded]) > 0:
		k.run.Outcome = report.CrossIncomparable
	default:
		k.run.Outcome = report.OutcomePassed
	}
	k.findOlder()
}

// findOlder finds what failed before the change. What does not load on the base has findings of its own.
func (k *comparison) findOlder() {
	for i := range k.base.Names {
		switch t := &k.base.Names[i]; {
		case !t.Failing:
		case k.inHead.Failing(t):
			k.run.Older = append(k.run.Older, t.Name)
		case k.inOld.Failing(t) && !(slices.Contains(k.base.Broken, t.Name) && k.fileOf(t.Name) != ""):
			k.addRed(t)
		}
	}
}

// addRed names a test that fails on the base and on the new code, until the change edits it. It shows nothing, and is
// no case that passed: the base may have run with the code of the head, as where a package is installed from the work
// tree of the head.
func (k *comparison) addRed(t *reports.TestName) {
	k.run.Cases[CodeIncomparable] = append(k.run.Cases[CodeIncomparable], CrossCase{
		Name: strings.TrimSpace(t.Group + " " + t.Name), Short: t.Name, Place: k.place(t), Failure: t.Error, Note: "it fails on the base too",
	})
	if k.run.Outcome == report.OutcomePassed || k.run.Outcome == report.CrossNotNeeded {
		k.run.Outcome = report.CrossIncomparable
	}
}

const endedByPanic = "a panic ended its package"

// code is that of the finding about a case, "" for none. A case that fails at the head too is a failure of the head.
func (k *comparison) code(t *reports.TestName, f *followed) (code, note string) {
	switch {
	case f.old == reports.CaseFailed && f.head == reports.CasePassed:
		return CodeChanged, ""
	case f.old == reports.CaseFailed && f.head == reports.CaseAbsent && k.functionRan(k.inHead, t):
		return CodeDropped, "a row of its table is gone, the function is there"
	case f.old == reports.CaseFailed && f.head == reports.CaseAbsent:
		return CodeDropped, "the function is gone"
	case f.old == reports.CasePassed && f.head == reports.CaseAbsent:
		return CodeGone, ""
	case f.old != reports.CaseAbsent:
		return "", ""
	case k.stuck || k.unloadedPartOf(t) != "":
		return CodeIncomparable, "what contains it does not load"
	case k.old.Ended[t.Group] != "" && !k.inOld.Skipped(t):
		return CodeIncomparable, endedByPanic
	case k.functionRan(k.inOld, t):
		return CodeChanged, "it did not run, and its function did"
	case k.entry.Places != nil && k.place(t) == nil:
		return CodeChanged, "it did not run, and its function is in no test path of the base"
	}
	return CodeNotRun, ""
}

// functionRan reports whether another case of the same function ran. A name that is a path of tests is not a row of a
// function.
func (k *comparison) functionRan(in *reports.Follower, t *reports.TestName) bool {
	return in.Ran(t) && k.fileOf(t.Name) == ""
}

// place is where the function of a case stands in the base; nil when it is in no test path.
func (k *comparison) place(t *reports.TestName) *facts.CrossPlace {
	return k.places[[2]string{t.Group, t.Name}]
}

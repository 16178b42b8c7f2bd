package check

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/change"
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

// Composed lists the trees of which records are no evidence of the head.
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
		switch fate, _ := without.Fate(t); fate {
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

func weaker(a, b input.Level) input.Level {
	if a.Rank() < b.Rank() {
		return a
	}
	return b
}

// RootOf is the root of the work tree in which a test report of the head was written, "" when it is unknown.
func (in *Inputs) RootOf(file *TestFile) string {
	i := slices.IndexFunc(in.Companions, func(c Companion) bool { return c.Kind == Tests && c.Path == file.Path })
	if i < 0 {
		return ""
	}
	return in.Companions[i].Root
}

// treeRun is the run of a criterion on one tree.
type treeRun struct {
	*reports.TestNames
	level        input.Level
	unloaded     bool   // the runner failed without a case
	root         string // of the work tree, "" when it is unknown
	outcome, why string // missing or incomparable, where there is no report
	line         string // of the output, which says why there is no report
	cut          bool   // it did not end by itself, as far as is known
	elsewhere    string // it failed in another leg as well, of which the test report is not there
}

// treeRun finds the run of a criterion on a composed tree. Its records are bound to that tree, whatever the minimum.
func (in *Inputs) treeRun(i int, e *facts.CrossTrees, tree string, trust []proof.Trust) treeRun {
	none := func(why string) treeRun { return treeRun{level: input.Absent, outcome: report.CrossMissing, why: why} }
	apart := func(why string) treeRun {
		return treeRun{level: input.Absent, outcome: report.CrossIncomparable, why: why}
	}
	cut := func(why string) treeRun {
		run := none(why)
		run.cut = true
		return run
	}
	ledger, c := in.CrossLedgers[tree], &in.Policy.Criteria[i]
	if ledger == nil {
		return none("no record of it")
	}
	minimum := input.Stronger(in.Policy.Minimum(c, in.Minimum), input.Bound)
	d := ledger.Decide(i, minimum, trust)
	var red []string // logs in which it failed
	for _, x := range d.Deciding {
		switch exit := x.Last.Exit; {
		case exit == nil && x.Last.Dirty:
			return apart("the work tree was not this tree after its setup" + ChangedPaths(": ", &x) + x.Last.OtherBytes)
		case exit == nil:
			return cut("its record has no exit code")
		case proof.Cut(*exit):
			return cut("it did not end by itself: " + ExitWords(*exit, c.Run[0]))
		case *exit != 0:
			red = append(red, x.Stream)
		}
	}
	switch {
	case len(d.Deciding) == 0:
		return none("no record of it")
	case d.Level.Rank() < minimum.Rank():
		why := KeptFrom(d.Level, &d.Deciding[0])
		return none(fmt.Sprintf("its evidence is %s, and it must be %s: %s", d.Level, minimum, why))
	}
	named := false                // by a record, and not unreadable
	for t, id := range idsOf(e) { // a change that edits only tests has one tree under both names
		if id != tree {
			continue
		}
		voucher := in.crossVoucher(i, CrossTrees[t])
		file, v := in.CrossTests[voucher.Path], ledger.Vouch(&voucher, trust)
		vouched := file != nil && v.Level.Rank() >= minimum.Rank()
		if !vouched || file.Report == nil {
			named = named || (!vouched && ledger.Writes(voucher.Path))
			continue
		}
		elsewhere := ""
		unseen := func(stream string) bool { return !slices.Contains(v.Streams, stream) }
		if at := slices.IndexFunc(red, unseen); at >= 0 && tree != e.Base {
			elsewhere = "it failed in the log " + red[at] + " too, and the test report of that run is not there"
			if !slices.ContainsFunc(v.Streams, func(stream string) bool { return slices.Contains(red, stream) }) {
				return none(elsewhere) // the report that is there is of a run that passed
			}
		}
		names := file.Report.Names
		names.TrimRoot(v.Root)
		unloaded := len(red) > 0 && len(names.Names) == 0 && file.Report.Broken == 0
		return treeRun{TestNames: names, level: weaker(d.Level, v.Level), unloaded: unloaded, root: v.Root, elsewhere: elsewhere}
	}
	if len(red) > 0 && !named {
		run := apart("the command failed and left no test report that can be read")
		for i := range d.Deciding {
			said := &d.Deciding[i].Last.Said
			run.line = cmp.Or(run.line, CutText(errorLine(said.Stderr()+"\n"+said.Stdout())))
		}
		return run
	}
	return none("its test report is not there, or no record names it as " + in.CrossPath("…", c.TestReport))
}

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
	old, head  reports.Fate
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
		isOld := func(c Change) bool { return c.Status != change.Added && k.in.Policy.TestPath(c.Path) }
		if slices.ContainsFunc(k.in.Changes, isOld) { // else the change may bring the first tests
			k.run.Outcome = report.CrossIncomparable
			k.run.Why = "no test passed on the base, which has some of the test paths"
		}
		return
	}
	// A test with subtests fails with them, and says nothing beside those. What fails in it without them is its own.
	type frame struct {
		group, name string
		old         reports.Fate
	}
	list, frames := make([]followed, len(k.passed)), map[frame]bool{}
	for i, t := range k.passed {
		f := &list[i]
		f.old, f.failure = k.inOld.Fate(t)
		if f.head, _ = k.inHead.Fate(t); f.head == reports.CaseFailed && !k.red {
			f.head = reports.CasePassed
		}
		f.code, f.note = k.code(t, f)
		for at, c := range t.Name {
			if c == '/' && f.code != "" {
				frames[frame{t.Group, t.Name[:at], f.old}] = true
			}
		}
	}
	counts := map[reports.Fate]*int64{
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

// addRed names a test that fails on the base and on the new code, until the change edits it. It shows nothing, and is no case that
// passed: the base may have run with the code of the head, as where a package is installed from the work tree of the head.
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
	case k.stuck || k.home(t) != "":
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

// functionRan reports whether another case of the same function ran. A name that is a path of tests is no row of a function.
func (k *comparison) functionRan(in *reports.Follower, t *reports.TestName) bool {
	return in.Ran(t) && k.fileOf(t.Name) == ""
}

// place is where the function of a case stands in the base; nil when it is in no test path.
func (k *comparison) place(t *reports.TestName) *facts.CrossPlace {
	return k.places[[2]string{t.Group, t.Name}]
}

// findBroken finds what does not load: what the reports say, and failures that are called like a file of tests. A runner
// that stops at the first of them, or does not say of which file it is, leaves open what the others would have shown.
func (k *comparison) findBroken() {
	passed, listed := map[string]bool{}, map[string]bool{}
	for _, t := range k.base.Names {
		passed[t.Name], listed[t.Name] = passed[t.Name] || t.Passed > 0, true
	}
	for _, name := range k.base.Broken {
		switch {
		case listed[name] && k.fileOf(name) == "":
		case k.edited(name):
			k.run.Cases[Unloaded] = append(k.run.Cases[Unloaded], CrossCase{Name: name})
		default:
			k.run.Cases[UnloadedBefore] = append(k.run.Cases[UnloadedBefore], CrossCase{Name: name})
		}
	}
	ran, homeless := false, map[string]bool{}
	for _, name := range k.old.Broken {
		homeless[name] = true
	}
	for _, t := range k.old.Names {
		ran = ran || t.Passed > 0
		if t.Failing && !passed[t.Name] && k.fileOf(t.Name) != "" {
			homeless[t.Name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(homeless)) {
		if passed[name] {
			delete(homeless, name) // a case that fails, of a runner that names no class
			continue
		}
		if !slices.Contains(k.base.Broken, name) {
			k.run.Unloaded = append(k.run.Unloaded, unloadedLine(cmp.Or(k.fileOf(name), name), k.whyOf(name)))
		}
		k.broken[name], k.broken[cmp.Or(k.fileOf(name), name)] = name, name
	}
	for _, name := range slices.Sorted(maps.Keys(k.old.Ended)) {
		k.run.Unloaded = append(k.run.Unloaded, name+" ended before all of its tests ran: "+k.old.Ended[name])
	}
	for _, t := range k.passed {
		delete(homeless, k.home(t))
	}
	for _, name := range k.base.Broken {
		delete(homeless, name) // the others passed beside it
	}
	k.stuck = k.old.unloaded || len(homeless) > 0 || (len(k.broken) > 0 && !ran && !k.old.GoesOn)
}

// edited reports whether the change may edit how the tests run of what a report names: its file, or a test path that is no suite of
// its own, which may be a fixture or configure it. What a report names otherwise may be in any file that is of no other group.
func (k *comparison) edited(name string) bool {
	file := k.fileOf(name)
	return slices.ContainsFunc(k.in.Changes, func(c Change) bool {
		switch {
		case !k.in.Policy.TestPath(c.Path):
			return false
		case file == "" && k.base.GoesOn && strings.HasSuffix(c.Path, "_test.go"):
			return !k.isOfOther(name, path.Dir(c.Path))
		case file == "": // a class, of which the file is not known
			return true
		}
		return c.Path == file || !k.isSuite(c.Path)
	})
}

// isOfOther reports whether a directory is that of another package of Go than the one of a name. The name of a package ends with the
// directory in its module; where modules are in the repository is not known.
func (k *comparison) isOfOther(name, dir string) bool {
	is := func(pkg string) bool { return pkg == dir || strings.HasSuffix(pkg, "/"+dir) }
	isOther := func(t reports.TestName) bool { return t.Group != name && is(t.Group) }
	return !is(name) && (slices.ContainsFunc(k.base.Names, isOther) || slices.ContainsFunc(k.base.Broken, is))
}

// isSuite reports whether the report of the base calls a group of cases by a file of tests, as a path or as a module of Python.
func (k *comparison) isSuite(file string) bool {
	if k.suites == nil {
		k.suites = map[string]bool{}
		for i := range k.base.Names {
			t := &k.base.Names[i]
			k.suites[t.Name] = true
			for at, c := range t.Group + "." {
				if c == '.' {
					k.suites[t.Group[:at]] = true
				}
			}
		}
	}
	own := strings.TrimPrefix(file, k.run.Criterion.Cwd+"/")
	return k.suites[file] || k.suites[own] || k.suites[strings.ReplaceAll(strings.TrimSuffix(own, ".py"), "/", ".")]
}

// whyOf is the line of the error for which something does not load on old_tests; "" when the report does not give it.
func (k *comparison) whyOf(name string) string {
	i := slices.IndexFunc(k.old.Names, func(t reports.TestName) bool { return t.Failing && t.Name == name })
	if i < 0 {
		return k.old.Why[name]
	}
	return cmp.Or(k.old.Why[name], k.old.Names[i].Error)
}

func unloadedLine(name, why string) string {
	if why == "" {
		return name + " does not load"
	}
	return name + " does not load: " + why
}

// errorLine is the first line of an output that names a place or an error, else the last one; "" for none.
func errorLine(output string) (last string) {
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		if errorPattern.MatchString(line) {
			return line
		}
		last = cmp.Or(line, last)
	}
	return last
}

// errorPattern matches what compilers and interpreters write: a place, or the name of an error.
var errorPattern = regexp.MustCompile(`\.\w+:\d+|\.\w+\(\d+,\d+\)|(?i)\berror\b|Error:|Exception:`)

// fileOf is the path of tests that a name in a report stands for, as a path or as a module of Python; "" for none.
func (k *comparison) fileOf(name string) string {
	cwd := k.run.Criterion.Cwd
	module := strings.ReplaceAll(name, ".", "/") + ".py"
	for _, file := range []string{name, path.Join(cwd, name), path.Join(cwd, module)} {
		if k.in.Policy.TestPath(file) {
			return file
		}
	}
	return ""
}

// home is what does not load and contains a case: its package, class, module or file; "" for none.
func (k *comparison) home(t *reports.TestName) string {
	if p := k.place(t); p != nil && k.broken[p.File] != "" {
		return k.broken[p.File]
	}
	for name, more := t.Group, true; more; {
		if k.broken[name] != "" {
			return k.broken[name]
		}
		at := strings.LastIndexByte(name, '.')
		if more = at > 0; more {
			name = name[:at]
		}
	}
	return ""
}

// Title is where a case stood, and its name.
func (c *CrossCase) Title() string {
	if c.Place == nil {
		return c.Name
	}
	return fmt.Sprintf("%s:%d %s", c.Place.File, c.Place.Line, c.Short)
}

func (c *CrossCase) String() string {
	text := c.Title()
	if c.Note != "" {
		text += " (" + c.Note + ")"
	}
	if c.Failure != "" {
		text += ": " + c.Failure
	}
	return text
}

// Shown is what the run shows, for people.
func (r *CrossRun) Shown() string {
	switch {
	case r.Outcome == report.CrossNotNeeded:
		return cmp.Or(r.Why, "no test was edited")
	case r.Outcome == report.CrossMissing:
		return "not recorded: " + r.Why
	case r.Why != "":
		return "cannot be compared: " + r.Why
	case r.Tree == NewTestsTree && r.Failed == 0:
		return fmt.Sprintf("none of %d fails, so none needs the change", r.Base)
	case r.Tree == NewTestsTree:
		return fmt.Sprintf("%d of %d fail without the change, as they should", r.Failed, r.Base)
	case r.Failed+r.NotRun == 0:
		return fmt.Sprintf("%d of %d passed", r.Passed, r.Base)
	}
	var parts []string
	if r.Failed > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d fail", r.Failed, r.Base))
	}
	if r.Apart > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d do not load", r.Apart, r.Base))
	}
	if r.Ended > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d did not run after a panic", r.Ended, r.Base))
	}
	if hidden := r.NotRun - r.Apart - r.Ended; hidden > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d did not run", hidden, r.Base))
	}
	if gone := r.Cases[CodeDropped]; len(gone) > 0 {
		are := "are"
		if len(gone) == 1 {
			are = "is"
		}
		parts = append(parts, fmt.Sprintf("%d of them %s gone now: %s", len(gone), are, gone[0].Title()))
	}
	return strings.Join(parts, ", ")
}

package verify

import (
	"cmp"
	"errors"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/policy"
	"github.com/closeout-gate/closeout/verify/report"
	"github.com/closeout-gate/closeout/verify/reports"
)

// load reads a bundle. The first candidate is the whole: a change by itself, or a merge group; the pull requests of the group
// follow. It reports what is wrong with an input as a problem of the candidate.
func load(b *Bundle) []*candidate {
	l := newLoader(b, check.ScopeChange)
	l.boundInputs()
	go func() {
		defer func() { recover() }() // the next call panics again, where a report can still be written
		policy.Prepare()
	}()
	l.readFacts()
	l.settle()
	if l.Facts != nil && l.Facts.Event.Name == "merge_group" {
		return l.loadGroup()
	}
	l.readStanding()
	l.readTasks()
	l.readRules()
	l.readDiffRules()
	l.readCoverage()
	l.Tests = l.testsOf(l.Policy, map[string]*check.TestFile{})
	l.readCross()
	l.readStreams()
	l.compareSources()
	l.classify()
	l.authorise()
	l.Decide()
	return []*candidate{l.candidate}
}

// loader fills in one candidate. Nothing else writes to a candidate.
type loader struct {
	*candidate
	bundle    *Bundle
	group     Bundle // of the merge group that the pull request is in; empty otherwise
	directory string // of the bundle in which the inputs are; "" is the bundle itself
	spent     *spending
	paths     map[string]string // of inputs, by their names in the bundle, where the facts say them
	contracts []policy.Source   // those that could be read, the standing one first
	diff      []change.Change   // of pr.diff, when changes.json is there too
}

// newLoader returns a loader for a bundle.
func newLoader(b *Bundle, scope check.Scope) *loader {
	s := &candidate{scope: scope, settings: b.Settings}
	s.State, s.given = map[check.Kind]check.State{}, map[check.Kind]int{}
	for _, in := range b.Inputs {
		s.given[in.Kind]++
	}
	return &loader{candidate: s, bundle: b, spent: &spending{}}
}

// inputsOf lists the inputs of a kind, by name.
func (l *loader) inputsOf(kind check.Kind) []Input {
	var list []Input
	for _, in := range l.bundle.Inputs {
		if in.Kind == kind {
			list = append(list, in)
		}
	}
	input.SortStable(list, func(a, b Input) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// display is what the report calls an input: the path that the facts map its name to, else its name.
func (l *loader) display(name string) string {
	if path, mapped := l.paths[name]; mapped {
		return path
	}
	return l.directory + name
}

// problem adds an error that no parser of one input can find.
func (l *loader) problem(kind check.Kind, path string, e input.Error) {
	l.Problems = append(l.Problems, check.Problem{Kind: kind, Path: path, Error: e})
}

// problems adds the errors of an input, and says whether it can be used.
func (l *loader) problems(kind check.Kind, path string, errs *input.Errors) check.State {
	for _, e := range errs.All() {
		l.problem(kind, path, e)
	}
	if errs.Any() {
		return check.Malformed
	}
	return check.Usable
}

// join joins the state of one more input of a kind: one malformed input makes all of them malformed.
func (l *loader) join(kind check.Kind, s check.State) {
	if l.State[kind] != check.Malformed {
		l.State[kind] = s
	}
}

// list adds an input to the report.
func (l *loader) list(kind check.Kind, path string, s seen, trust string) *report.Input {
	l.inputs = append(l.inputs, report.Input{Kind: string(kind), Path: path, SHA256: s.sha256, Bytes: s.bytes, Trust: trust})
	return &l.inputs[len(l.inputs)-1]
}

// readSmall reads one input that fits into memory; nil when something is wrong with it, which is a problem of the candidate.
// path is what the report calls the input.
func readSmall[T any](
	l *loader, in Input, path, what, trust string, parse func([]byte, input.Limits) (*T, *input.Errors),
) (*T, *report.Input) {
	limits := l.settings.Limits
	limit, flag := limits.RulesBytes, input.FlagRulesBytes
	if in.Kind == check.Contract || in.Kind == check.TaskContract {
		limit, flag = limits.ContractBytes, input.FlagContractBytes
	}
	var value *T
	errs := &input.Errors{}
	data, s := readAll(in, what, limit, flag, errs)
	if !errs.Any() && l.affords(s.bytes, errs) {
		value, errs = parse(data, limits)
	}
	listed := l.list(in.Kind, path, s, trust)
	if l.problems(in.Kind, path, errs) != check.Usable {
		return nil, listed
	}
	return value, listed
}

// stateOf is the state of an input that was parsed to value.
func stateOf[T any](value *T) check.State {
	if value == nil {
		return check.Malformed
	}
	return check.Usable
}

func (l *loader) readFacts() {
	for i, in := range l.inputsOf(check.Facts) {
		read, _ := readSmall(l, in, l.directory+in.Name, "the facts file", trustCollected, facts.Parse)
		l.join(check.Facts, stateOf(read))
		l.Facts = read
		if i > 0 {
			l.secondFile(in, l.directory+in.Name)
			l.Facts = nil
		}
	}
	if l.Facts == nil {
		return
	}
	l.paths = map[string]string{} // made here: logs and changes are read side by side, and both ask for it
	for _, f := range slices.Backward(l.Facts.Files) {
		l.paths[f.File] = f.Path // the first of a name counts
	}
	l.checkListed()
}

// secondFile reports a second file of a kind that may have one: which of two counts must not depend on their order.
func (l *loader) secondFile(in Input, path string) {
	l.State[in.Kind] = check.Malformed
	l.problem(in.Kind, path, input.Error{
		Message: "there is more than one file of this kind", Found: path, Expected: "one file", Fix: "supply the one that applies",
	})
}

const testsDirectory = TestsDir + "/"

// CrossDirectory is where a bundle keeps the test reports of a composed tree.
func CrossDirectory(tree string) string { return check.CrossDir + "/" + tree + "/" + testsDirectory }

// checkListed reports each file that the facts list and that is not there: its content might block. Facts about a pull
// request of a merge group may also list files of the group.
func (l *loader) checkListed() {
	there := map[string]check.Kind{}
	for _, in := range append(slices.Clip(l.group.Inputs), l.bundle.Inputs...) {
		there[in.Name] = in.Kind
	}
	for _, in := range l.bundle.Inputs { // a pull request can list its own file of a name that the group has too
		there[l.directory+in.Name] = in.Kind
	}
	for _, o := range l.Facts.Contracts {
		if kind := there[o.File]; kind != check.Contract && kind != check.TaskContract {
			l.notThere("contracts", o.File)
		}
	}
	for _, f := range l.Facts.Files {
		if there[f.File] == "" && !l.hasTestReport(f.File) {
			l.notThere("files", f.File)
		}
	}
}

// hasTestReport reports whether a listed name names a test report that can be read: a directory is none.
func (l *loader) hasTestReport(file string) bool {
	find := l.bundle.TestReport
	for _, tree := range check.CrossTrees {
		if rest, of := strings.CutPrefix(file, CrossDirectory(tree)); of && l.bundle.CrossReport != nil {
			file, find = testsDirectory+rest, func(path string) Opener { return l.bundle.CrossReport(tree, path) }
		}
	}
	name, ok := strings.CutPrefix(file, testsDirectory)
	if find == nil {
		find = l.group.TestReport
	}
	if !ok || find == nil || name == "" || path.Clean("/"+name) != "/"+name {
		return false
	}
	open := find(name)
	if open == nil {
		return false
	}
	r, err := open()
	if err != nil {
		return false
	}
	_, err = r.Read(make([]byte, 1))
	return errors.Join(err, r.Close()) == nil || err == io.EOF
}

func (l *loader) notThere(list, file string) {
	l.problem(check.Facts, l.directory+"facts.json", input.Error{
		Where: "/" + list, Message: "the facts list a file that is not among the inputs", Found: "no input " + input.QuotePath(file),
		Expected: "an input " + input.QuotePath(file), Fix: "copy the whole bundle, or collect it again; correct the entry if the facts are written by hand",
	})
}

// settle fills in what the facts say and the settings leave open.
func (l *loader) settle() {
	s := &l.settings
	if f := l.Facts; f != nil {
		s.Strict = s.Strict || f.Settings.Strict
		s.Mode = cmp.Or(s.Mode, f.Settings.Mode)
		if s.Tasks == nil {
			s.Tasks = f.Settings.Named()
		}
		s.Today = cmp.Or(f.Settings.Today, s.Today) // the day on which the facts were collected
		if s.Digests == nil {
			s.Digests = f.Digests
		}
		s.Notes = slices.Clip(s.Notes)
		for _, u := range f.Unmatched {
			s.Notes = append(s.Notes, check.Unmatched(check.Kind(u.Kind), u.Pattern))
		}
	}
	s.Mode = cmp.Or(s.Mode, Enforce)
	l.Named, l.Today, l.Digests, l.Event = s.Tasks, s.Today, s.Digests, s.Event
	l.Strict, l.MaxFindings = s.Strict, s.Limits.Findings
	for _, note := range s.Notes {
		l.Problems = append(l.Problems, note)
		l.State[note.Kind] = check.Malformed
	}
}

func (l *loader) readRules() {
	for _, in := range l.inputsOf(check.Rules) {
		r, listed := readSmall(l, in, l.display(in.Name), "the rule report", trustClaimed, l.parseRules)
		l.join(check.Rules, stateOf(r))
		if r != nil {
			l.Rules = append(l.Rules, check.RuleFile{Path: listed.Path, SHA256: listed.SHA256, Report: r})
		}
	}
}

func (l *loader) readDiffRules() {
	for i, in := range l.inputsOf(check.DiffRules) {
		if i > 0 {
			l.secondFile(in, l.display(in.Name))
		}
		d, listed := readSmall(l, in, l.display(in.Name), "the rows of the diff rules", trustCollected, reports.ParseDiff)
		l.join(check.DiffRules, stateOf(d))
		if d != nil {
			l.DiffRules = &check.DiffRuleFile{Path: listed.Path, Diff: d}
		}
	}
}

func (l *loader) readCoverage() {
	for i, in := range l.inputsOf(check.Coverage) {
		if i > 0 {
			l.secondFile(in, l.display(in.Name))
		}
		c, listed := readSmall(l, in, l.display(in.Name), "the coverage report", trustClaimed, reports.ParseCoverage)
		l.join(check.Coverage, stateOf(c))
		if c != nil {
			l.Coverage = &check.CoverageFile{Path: listed.Path, SHA256: listed.SHA256, Report: c}
		}
	}
}

// testsOf returns the test reports that the criteria of a policy name, by their paths in the repository. The ones in known
// are not read again, and others are added to it.
func (l *loader) testsOf(p *policy.Policy, known map[string]*check.TestFile) map[string]*check.TestFile {
	named := map[string]*check.TestFile{}
	if p == nil {
		return named
	}
	for _, c := range p.Criteria {
		if known[c.TestReport] == nil {
			known[c.TestReport] = l.readTest(c.TestReport)
		}
		if file := known[c.TestReport]; file != nil {
			named[c.TestReport] = file
		}
	}
	return named
}

// readTest reads a test report; nil when there is none.
func (l *loader) readTest(path string) *check.TestFile {
	if path == "" || l.bundle.TestReport == nil {
		return nil
	}
	open := l.bundle.TestReport(path)
	if open == nil {
		return nil
	}
	return l.testFile(path, open)
}

// testFile reads a test report; with the names of the cases where those of two runs are compared.
func (l *loader) testFile(path string, open Opener) *check.TestFile {
	limits := l.settings.Limits
	named := l.Policy != nil && len(l.Policy.Tests()) > 0
	errs, budget := &input.Errors{}, &input.Errors{}
	var tests *reports.TestReport
	s := stream(Input{Kind: check.Tests, Name: path, Open: open}, func(r io.Reader) {
		tests, errs = reports.ReadTests(r, limits, named)
	})
	const timeShare = 4 // of a stream little is kept, and reading it takes time
	if !l.affords(max(min(s.bytes, limits.RulesBytes), s.bytes/timeShare), budget) {
		errs = budget
	}
	listed := l.list(check.Tests, path, s, trustClaimed)
	if l.problems(check.Tests, path, errs) != check.Usable {
		tests = nil
	}
	return &check.TestFile{Path: listed.Path, SHA256: listed.SHA256, Report: tests}
}

// readCross reads the test reports of the composed trees.
func (l *loader) readCross() {
	l.CrossTests = map[string]*check.TestFile{}
	if l.Policy == nil || l.bundle.CrossReport == nil {
		return
	}
	for _, i := range l.CrossCriteria() {
		report := l.Policy.Criteria[i].TestReport
		for _, tree := range check.CrossTrees {
			path := l.CrossPath(tree, report)
			if open := l.bundle.CrossReport(tree, report); open != nil && l.CrossTests[path] == nil {
				l.CrossTests[path] = l.testFile(path, open)
			}
		}
	}
}

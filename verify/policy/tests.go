package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/glob"
	"github.com/closeout-gate/closeout/verify/input"
)

// testSet is an entry of tests with its patterns compiled.
type testSet struct {
	rule  contract.TestRule
	files *glob.Set
}

// addTests adds the entries of tests. Each entry of each contract stays; of two with the same files the criteria of both count, and
// the stricter values.
func (p *Policy) addTests(c *contract.Contract, first bool) []input.Error {
	var problems []input.Error
	if first && c.MayChange != nil {
		problems = append(problems, input.Error{
			Pos: c.Keys["may_change"], Where: "/may_change", Message: "the standing contract cannot let tests change: every change would have a right to it",
			Found: `"may_change"`, Expected: `"may_change" in a task contract of the base branch`, Fix: "remove it, or move it to the contract of the task",
		})
	}
	if !first {
		p.mayChange = append(p.mayChange, glob.Compile(denying(c.MayChange)))
	}
	for _, rule := range c.Tests {
		problems = append(problems, p.checkTestFiles(rule.Files)...)
		rule.Criteria = slices.Clone(rule.Criteria)
		for i := range rule.Criteria {
			if e := p.testCriterion(&rule.Criteria[i]); e != nil {
				problems = append(problems, *e)
			}
		}
		p.addTestRule(rule)
	}
	return problems
}

func (p *Policy) addTestRule(rule contract.TestRule) {
	named := func(r *contract.TestRule) []string {
		var list []string
		for _, f := range r.Files {
			list = append(list, f.Value)
		}
		slices.Sort(list)
		return slices.Compact(list)
	}
	for i := range p.tests {
		old := &p.tests[i].rule
		if !slices.Equal(named(old), named(&rule)) {
			continue
		}
		for _, id := range rule.Criteria {
			if !slices.ContainsFunc(old.Criteria, func(o input.Text) bool { return o.Value == id.Value }) {
				old.Criteria = append(old.Criteria, id)
			}
		}
		old.NotRun, old.Dropped = stricterTest(old.NotRun, rule.NotRun), stricterTest(old.Dropped, rule.Dropped)
		old.Changed, old.Incomparable = stricterTest(old.Changed, rule.Changed), stricterTest(old.Incomparable, rule.Incomparable)
		old.NewTests, old.Always = stricterTest(old.NewTests, rule.NewTests), old.Always || rule.Always
		return
	}
	p.tests = append(p.tests, testSet{rule, glob.Compile(denying(rule.Files))})
}

// stricterTest returns the stricter of two severities of an entry of tests, of which "" asks for nothing.
func stricterTest(a, b input.Severity) input.Severity {
	if a == "" || b == "" {
		return a + b
	}
	rank := func(s input.Severity) int { return slices.Index(contract.TestSeverities, s) }
	if rank(b) < rank(a) {
		return b
	}
	return a
}

// testCriterion translates the criterion of an entry to that of the join. It must be a standing one, so that it runs for each
// change, and have a test report: an exit code names no test.
func (p *Policy) testCriterion(id *input.Text) *input.Error {
	own := id.Value
	id.Value = p.idOf(own)
	e := &input.Error{
		Pos: id.Pos, Where: "/tests", Found: own, Expected: `the id of a criterion of the standing contract with a "test_report" that must pass`,
		Fix: "name another criterion, or add the criterion to the standing contract",
	}
	i := slices.IndexFunc(p.Criteria, func(c contract.Criterion) bool { return c.ID == id.Value })
	switch {
	case i < 0:
		e.Message = "tests names a criterion that does not exist"
	case p.origin[id.Value] > 0:
		e.Message = "tests names a criterion that the standing contract does not have"
	case p.Criteria[i].ExpectFail:
		e.Message = "tests names a negative control, which must fail"
	case p.Criteria[i].TestReport == "":
		e.Message = "tests names a criterion without a test report, and an exit code names no test"
		e.Fix = `add "test_report" to the criterion, or name another one`
	default:
		return nil
	}
	return e
}

// improbable are paths of several depths that no convention for the names of tests matches.
var improbable = []string{
	"zqxjvkwy", "zqxjvkwy.zqxj", "zqxjvkwy/wyqzjvkx", "zqxjvkwy/wyqzjvkx.zqxj", "zqxjvkwy/wyqzjvkx/xkvwqyjz", "zqxjvkwy/wyqzjvkx/xkvwqyjz.zqxj",
	"zqxjvkwy/wyqzjvkx/xkvwqyjz/jzqwxykv", "zqxjvkwy/wyqzjvkx/xkvwqyjz/jzqwxykv.zqxj",
}

// checkTestFiles refuses patterns that would take code, contracts, workflows or evidence for tests: the code that is judged would be
// that of the base.
func (p *Policy) checkTestFiles(files []contract.Pattern) []input.Error {
	var problems []input.Error
	for _, f := range files {
		e := input.Error{
			Pos: f.Pos, Where: "/tests", Found: input.Quote(f.Value), Expected: "patterns that match tests and nothing else",
			Fix: "name the tests, such as tests/** or **/*_test.go",
		}
		set := glob.Compile([]glob.Pattern{f.Glob.AndBelow()})
		for _, dir := range p.neverTests() {
			if e.Message == "" && f.Glob.Names(dir) {
				e.Message = fmt.Sprintf("tests names files of %s, which are never tests", dir)
			}
		}
		if slices.ContainsFunc(improbable, set.Match) {
			e.Message = "tests names every file, and then none would be code"
		}
		if e.Message != "" {
			problems = append(problems, e)
		}
	}
	return problems
}

// neverTests are the directories whose files no pattern makes tests: an older contract or workflow must not judge.
func (p *Policy) neverTests() []string { return []string{".closeout", ".github", p.EvidenceDir} }

// Tests are the entries of tests of all contracts. Each has its own criteria and values.
func (p *Policy) Tests() []contract.TestRule {
	list := make([]contract.TestRule, len(p.tests))
	for i, t := range p.tests {
		list[i] = t.rule
	}
	return list
}

// TestPath reports whether a path is a test by any entry: the cross runs take it from the base.
func (p *Policy) TestPath(path string) bool {
	return slices.ContainsFunc(p.tests, func(t testSet) bool { return p.isTest(t, path) })
}

// AskedTests are the entries that ask for a run of the tests of the base on the code of the head: one of their own paths is
// among those that the change touches. One that is always asked for, and is not among these, asks for a run on the base alone.
func (p *Policy) AskedTests(touched []string) []contract.TestRule {
	var asked []contract.TestRule
	for _, t := range p.tests {
		if slices.ContainsFunc(touched, func(path string) bool { return p.isTest(t, path) }) {
			asked = append(asked, t.rule)
		}
	}
	return asked
}

// AskedNewTests are those of [Policy.AskedTests] that ask for a run of the tests of the head on the code of the base: the change
// touches more than tests.
func (p *Policy) AskedNewTests(touched []string) []contract.TestRule {
	isProduct := func(path string) bool {
		return !p.TestPath(path) && !inside(glob.Fold(path), glob.Fold(p.EvidenceDir))
	}
	if !slices.ContainsFunc(touched, isProduct) {
		return nil
	}
	return slices.DeleteFunc(p.AskedTests(touched), func(rule contract.TestRule) bool { return rule.NewTests == "" })
}

func (p *Policy) isTest(t testSet, path string) bool {
	path = strings.ToValidUTF8(path, "\ufffd") // no pattern matches other bytes, and a runner may collect such a file
	if len(path) > MaxPath || !t.files.Match(path) {
		return false
	}
	folded := glob.Fold(path)
	return !slices.ContainsFunc(p.neverTests(), func(dir string) bool { return inside(folded, glob.Fold(dir)) })
}

// MayChange reports whether the task is to change what a test path expects.
func (p *Policy) MayChange(path string) bool {
	return p.TestPath(path) && slices.ContainsFunc(p.mayChange, func(s *glob.Set) bool { return s.Match(path) })
}

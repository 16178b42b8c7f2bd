package rules

import (
	"fmt"

	"github.com/closeout-gate/closeout/internal/source"
	"github.com/closeout-gate/closeout/verify/input"
)

// FewerAssertions finds tests that check less often than before.
var FewerAssertions = &Rule{
	ID: "closeout/fewer-assertions", Title: "A test has fewer assertions than before", Severity: input.Info, Topic: "test",
	Languages: programLanguages,
	Find: func(c *Change, report func(Hit)) {
		if c.assertionsLost() <= 0 {
			return
		}
		for _, f := range c.Files {
			if f.Base == nil || !f.hasTests() || !f.removesAssertion() {
				continue
			}
			f.fewer(report)
		}
	},
}

// assertionsLost is how many assertions fewer there are after the change, in all files.
func (c *Change) assertionsLost() int {
	lost := 0
	for _, f := range c.Files {
		if f.Lang() == source.None {
			continue
		}
		for _, l := range f.Removed() {
			if isAssertion(f.Lang(), f.Base.CodeLine(l.Number)) {
				lost++
			}
		}
		for _, l := range f.Added() {
			if isAssertion(f.Lang(), f.Head.CodeLine(l.Number)) {
				lost--
			}
		}
	}
	return lost
}

func (f *File) removesAssertion() bool {
	for _, l := range f.Removed() {
		if assertionOf(f.Lang(), f.Base.CodeLine(l.Number)) == sureAssertion {
			return true
		}
	}
	return false
}

// fewer reports the tests of a file that lost assertions, as one hit.
func (f *File) fewer(report func(Hit)) {
	base, head := assertionSums(f.Base), assertionSums(f.Head)
	after := map[string]source.Test{}
	for _, t := range f.Head.Tests() {
		after[t.Name] = t
	}
	var h Hit
	tests := 0
	for _, t := range f.Base.Tests() {
		now, found := after[t.Name]
		if t.Group || !found {
			continue
		}
		was, is := base.between(t), head.between(now)
		if was <= is {
			continue
		}
		if tests++; tests > 1 {
			h.Others = append(h.Others, t.Name)
			continue
		}
		h = Hit{
			File: f.Path, Line: now.Line, Subject: t.Name, Detail: fmt.Sprintf("the test %s had %s, and has %d", t.Name, input.Plural(int64(was), "assertion"), is),
			Fix: "restore the assertions, or say in the change what checks the same",
		}
	}
	if tests > 1 {
		h.Detail += fmt.Sprintf("; %d more tests of this file have fewer", tests-1)
	}
	if tests > 0 {
		report(h)
	}
}

// sums are how many assertions there are up to each line.
type sums []int32

func assertionSums(v *source.File) sums {
	s := make(sums, v.Lines()+1)
	for n := 1; n <= v.Lines(); n++ {
		s[n] = s[n-1]
		if isAssertion(v.Lang, v.CodeLine(n)) {
			s[n]++
		}
	}
	return s
}

// between is how many assertions a test has.
func (s sums) between(t source.Test) int32 {
	first, last := min(max(t.Line-1, 0), len(s)-1), min(max(t.End, 0), len(s)-1)
	return s[last] - s[first]
}

package rules

import (
	"github.com/closeout-gate/closeout/internal/source"
	"github.com/closeout-gate/closeout/verify/input"
)

// NoTestChanged states that a change touches code, and no test.
var NoTestChanged = &Rule{
	ID: "closeout/no-test-changed", Title: "Code changed, and no test did", Severity: input.Info, Languages: []string{"any"},
	Find: func(c *Change, report func(Hit)) {
		var first *File
		files := int64(0)
		for _, f := range c.Files {
			switch {
			case f.Lang() == source.None:
			case source.IsTest(f.Path), f.touchesTests():
				return
			case f.Head != nil && len(f.Added()) > 0:
				if files++; first == nil {
					first = f
				}
			}
		}
		if first != nil {
			report(Hit{
				File: first.Path, Line: first.Added()[0].Number, Detail: input.Plural(files, "source file") + " changed, and no test did",
				Fix: "add a test that fails without the change",
			})
		}
	},
}

// touchesTests reports whether one of the tests beside the code of a file changed.
func (f *File) touchesTests() bool {
	if f.Head == nil || !f.mayTest() {
		return false
	}
	added := f.Added()
	for _, t := range f.Head.Tests() {
		for len(added) > 0 && added[0].Number < t.Line {
			added = added[1:]
		}
		if len(added) > 0 && added[0].Number <= t.End {
			return true
		}
	}
	return false
}

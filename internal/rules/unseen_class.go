package rules

import (
	"bytes"
	"slices"
	"sync"

	"github.com/closeout-gate/closeout/internal/source"
	"github.com/closeout-gate/closeout/verify/input"
)

// classDeclared matches the declaration of a class: its groups are its modifiers, its name, and its bases.
var classDeclared = input.Lazily(`^([\w\s]*)\bclass\s+(\w+)(.*)$`)

// findUnseenClass finds classes of tests that are declared in another way, so that no runner makes objects of them.
func findUnseenClass(c *Change, report func(Hit)) {
	asked := 0
	for _, f := range c.Files {
		if f.Base == nil || f.Head == nil || !f.hadTests() || foreign(f.Path) {
			continue
		}
		around := sync.OnceValue(func() map[int]bool { // the blocks with tests
			lines := map[int]bool{}
			for _, t := range f.Base.Tests() {
				for _, n := range f.Base.Enclosing(t.Line) {
					lines[n] = lines[n] || (!t.Group && n < t.Line)
				}
			}
			return lines
		})
		before, why, lostMarks, lost := map[string][][]byte{}, "", 0, 0
		for _, l := range f.Removed() {
			code := f.Base.CodeLine(l.Number)
			if m := classDeclared().FindSubmatch(code); m != nil && around()[l.Number] {
				before[string(m[2])] = m
			}
			if has(code, "[TestClass]") {
				lostMarks, lost = lostMarks+1, l.Number
			}
		}
		for _, l := range f.Added() {
			code := f.Head.CodeLine(l.Number)
			if has(code, "[TestClass]", "[STATestClass]") {
				lostMarks--
			}
			if m := classDeclared().FindSubmatch(code); m != nil && before[string(m[2])] != nil && asked < maxAsked {
				asked++
				why = c.unseenBy(f, before[string(m[2])], m)
			} else if begins(bytes.TrimSpace(code), "def __init__(self") && f.inCollectedClass(l.Number) {
				why = "has a constructor, so that pytest leaves it out"
			}
			if why != "" {
				report(f.hit(0, l.Number, "class", "the class of tests "+why, "let the runner see the tests again, and fix what they find"))
				break
			}
		}
		if why == "" && lostMarks > 0 && has(f.Head.Code, "[TestMethod]") {
			report(f.hit(lost, 0, "class", "a class of tests has no [TestClass] any more", "restore the attribute, and fix what the tests find"))
		}
	}
}

// unseenBy says why no runner makes objects of a class that another declaration made one of tests; "" where one may.
func (c *Change) unseenBy(f *File, was, now [][]byte) string {
	switch lang := plainLang(f.Lang()); {
	case has(now[1], "abstract ") && !has(was[1], "abstract ") && !c.extends(string(now[2])):
		return "is abstract, and nothing of the change extends it"
	case lang == source.CSharp && has(was[1], "public ") && !has(now[1], "public ") && has(f.Head.Text, "using Xunit", "UnitTesting"):
		return "is not public any more"
	case lang == source.Ruby && has(was[3], "Test") && !has(now[3], "<"):
		return "has no base any more"
	}
	return ""
}

// extends reports whether a touched file has a class with a base of a name.
func (c *Change) extends(name string) bool {
	for _, f := range c.Files {
		if f.Head != nil && has(f.Head.Code, "extends "+name, ": "+name, "< "+name, "("+name+")") {
			return true
		}
	}
	return false
}

// inCollectedClass reports whether the innermost class around a line is one that pytest reads by its name.
func (f *File) inCollectedClass(n int) bool {
	for _, at := range slices.Backward(f.Head.Enclosing(n)) {
		if line := codeOn(f.Head, at); begins(line, "class ") {
			return begins(line, "class Test") && !has(line, "(") && source.IsTest(f.Path)
		}
	}
	return false
}

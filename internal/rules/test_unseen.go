package rules

import (
	"bytes"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/closeout-gate/closeout/internal/source"
	"github.com/closeout-gate/closeout/verify/input"
)

var (
	rubyShared   = input.Lazily(`^\s*(?:module\s+|(?:RSpec\.)?shared_(?:examples|examples_for|context)[\s(]+["':])([^"',]*\w)`)
	rubyIncludes = input.Lazily(`(?:^|[{;]|\bdo\b)\s*(?:\w+\.)?(?:include(?:_examples|_context)?|prepend|extend|it_(?:should_)?behaves?_like)\b`)
)

// maxImported is how many classes, functions and macros are looked for.
const maxImported = 200

// imports reports whether a file of tests imports the one of a place, and names the function or class around it. In
// Ruby what loads a file may be anywhere, and a module or shared examples are included.
func (t *testTable) imports(at place) bool {
	name, isRuby := "", at.file.Lang() == source.Ruby
	if blocks := at.file.Head.Enclosing(at.line); len(blocks) > 0 {
		line := at.file.Head.Line(blocks[0])
		if m := rubyShared().FindSubmatch(line[:min(len(line), maxNear)]); isRuby && m != nil {
			name = string(m[1])
		} else if names := definedOn(at.file.Head.CodeLine(blocks[0])); len(names) > 0 && !isRuby {
			name = names[0]
		}
	}
	key := [2]string{at.file.Path, name}
	known, found := t.imported[key]
	if found || len(t.imported) >= maxImported {
		return known
	}
	stem := strings.TrimSuffix(path.Base(at.file.Path), path.Ext(at.file.Path))
	t.imported[key] = slices.ContainsFunc(t.files, func(f *File) bool {
		if f.Head == nil || !runnerFinds(f.Path) || (isRuby && !has(f.Head.Text, name)) {
			return false
		}
		imported, named := isRuby, name == "" && !isRuby
		for n := 1; n <= f.Head.Lines(); n++ {
			switch line := f.Head.CodeLine(n); {
			case isRuby:
				named = named || (name != "" && has(f.Head.Line(n), name) && rubyIncludes().Match(line) && hasWord(appendLive(nil, f.Head, n), name) &&
					!slices.ContainsFunc(f.Head.Enclosing(n), func(b int) bool { return blockTruth(f.Head, b, nil) == notEver }))
			case isImport(line), has(line, "require("):
				imported = imported || has(f.Head.Line(n), stem)
			default:
				named = named || hasWord(line, name)
			}
		}
		return imported && named
	})
	return t.imported[key]
}

// offTags are build constraints that are never set.
var offTags = sync.OnceValue(func() truths {
	tags := truths{}
	for tag := range strings.FieldsSeq("ignore never none disabled disable skip off todo broken false exclude nobuild donotbuild nacl hurd") {
		tags[tag] = notEver
	}
	return tags
})

// rareBuild matches the name of a file of tests that is built on systems or processors only on which hardly a project
// tests.
var rareBuild = input.Lazily(`_(?:plan9|aix|illumos|solaris|dragonfly|mips\w*|ppc64|riscv64|loong64|s390x)_test\.go$`)

// offByName is the line that takes a whole file out of all builds: 1 where its name does.
func offByName(v *source.File) int {
	if v.Lang != source.Go {
		return 0
	}
	for _, part := range strings.Split(v.Path, "/") {
		if part == "testdata" || begins(part, "_", ".") {
			return 1
		}
	}
	if rareBuild().MatchString(v.Path) {
		return 1
	}
	if n, expr := buildConstraint(v); foldCondition(expr, offTags()) == notEver {
		return n
	}
	return 0
}

// buildConstraint is the line that tells when a file of Go is built, and what it demands; 0 where there is none.
func buildConstraint(v *source.File) (line int, expr string) {
	for n := 1; n <= min(v.Lines(), 200) && v.Lang == source.Go && !begins(v.Line(n), "package "); n++ {
		if expr, found := strings.CutPrefix(string(v.Line(n)), "//go:build "); found {
			return n, expr
		}
	}
	return 0, ""
}

// runnerFinds reports whether a test runner looks for tests in a file, as far as its name says.
func runnerFinds(name string) bool {
	base := path.Base(name)
	stem, ext, _ := strings.Cut(base, ".")
	if isForeign(name) {
		return false
	}
	switch source.LangOf(name) {
	case source.Go:
		return ends(base, "_test.go") && !begins(base, "_", ".")
	case source.Python:
		return begins(base, "test") || ends(base, "_test.py", "tests.py")
	case source.JavaScript, source.TypeScript:
		return has(ext, "test.", "spec.") || has(name, "__tests__/") || has(ext, "e2e") ||
			ends(stem, "test", "spec") || begins(stem, "test") ||
			(ends(ext, "js") && path.Base(path.Dir(name)) == "test") // mocha and node --test
	case source.Ruby:
		return ends(base, "_spec.rb", "_test.rb") || begins(base, "test_")
	case source.None:
		return false
	}
	return true
}

// markShadowed marks the tests that a later function, class or value with the same name replaces.
func markShadowed(f *File) {
	if (f.Lang() != source.Python && f.Lang() != source.Ruby) || f.Base == nil || f.Head == nil {
		return
	}
	last := map[string]*Test{}
	for i := len(f.head) - 1; i >= 0; i-- {
		one := f.head[i]
		if isRuby := one.of.Lang == source.Ruby; isRuby &&
			(one.Group || !begins(bytes.TrimLeft(one.of.CodeLine(one.Line), " "), "def ")) {
			continue
		}
		later := last[one.Name]
		switch {
		case later == nil:
			last[one.Name] = one
		case one.twin != nil && (later.twin == nil || later.moved) && one.mark == 0 && sameBlock(one, later):
			markRange(f.head, Mark{line: later.Line, disabled: true}, one.Line, one.End)
		}
	}
	named := map[string][]*Test{}
	for _, one := range f.head {
		own := ownName(one.Name)
		if one.twin != nil && len(named[own]) < maxSearched {
			named[own] = append(named[own], one)
		}
	}
	for _, l := range f.Added() {
		line := f.Head.CodeLine(l.Number)
		name, value, _ := bytes.Cut(line[:min(len(line), maxNear)], []byte("="))
		if m := undefines().FindSubmatch(line[:min(len(line), maxNear)]); m != nil {
			name = m[1]
		} else if f.Lang() == source.Ruby || len(value) == 0 || value[0] == '=' {
			continue // a variable
		}
		for _, one := range named[string(bytes.TrimSpace(name))] {
			if one.End < l.Number && one.mark == 0 && indentOf(one.of.CodeLine(one.Line)) == indentOf(line) {
				markRange(f.head, Mark{line: l.Number, disabled: true}, one.Line, one.End)
			}
		}
	}
}

// undefines matches what takes the name of a function away; its group is the name.
var undefines = input.Lazily(`^\s*(?:del|undef|undef_method|remove_method)[ (:]+(\w+)\)?\s*$`)

// sameBlock reports whether two tests of a file stand in the same class, under the same conditions.
func sameBlock(a, b *Test) bool {
	outer := func(t *Test) (line int) {
		for _, line = range slices.Backward(append([]int{0}, t.of.Enclosing(t.Line)...)) {
			if line < t.Line { // in Ruby the block of the test itself is around its line
				break
			}
		}
		return line
	}
	return outer(a) == outer(b)
}

// findDisabledTest finds tests whose code is still there, but that no runner sees any more.
func findDisabledTest(c *Change, report func(Hit)) {
	marked(c, report, "out of every run now", "let the test run again, and fix what it finds", func(head *Test) bool {
		return head.ranBefore() && head.disabled
	})
	reportGone(c, report, leftUnseen, "still there, but no test runner sees it",
		"give the test back its name and place, and fix what it finds")
}

// findUnseenClass finds classes of tests that are declared in another way, so that no runner makes objects of them.
func findUnseenClass(c *Change, report func(Hit)) {
	c.tests()
	asked := 0
	for _, f := range c.Files {
		if f.Base == nil || f.Head == nil || foreign(f.Path) {
			continue
		}
		for _, class := range f.head {
			if !class.Group || class.twin == nil || class.twin.in != f || asked == maxAsked {
				continue
			}
			asked++
			line, why := c.unseenBy(class)
			if _, before := c.unseenBy(class.twin); why == "" || before != "" {
				continue
			}
			was := 0
			if begins(why, "has no [", "has no @") {
				was, line = class.twin.Line, 0
			}
			report(f.hit(was, line, "class", "the class of tests "+why, "let the runner see the tests again, and fix what they find"))
			break
		}
		if n := c.lostModule(f); n > 0 {
			report(f.hit(n, 0, "class", "a file of tests is no part of the program any more", "restore the line, and fix what the tests find"))
		}
	}
}

// unseenBy says why no runner makes objects of a class, and where; "" where one may.
func (c *Change) unseenBy(class *Test) (line int, why string) {
	v := class.of
	for line = class.Line; line < class.Body && !hasWord(v.CodeLine(line), "class"); line++ {
	}
	own := codeOn(v, line)
	head := v.Code[offsetOf(v, class.Line) : offsetOf(v, line)+len(v.CodeLine(line))]
	switch lang := plainLang(v.Lang); {
	case !hasWord(own, "class"):
	case has(head, "abstract ") && !c.extends(ownName(class.Name)):
		why = "is abstract, and nothing of the change extends it"
	case lang == source.CSharp && !has(head, "public ") && has(v.Text, "using Xunit", "UnitTesting"):
		why = "is not public any more"
	case lang == source.CSharp && !has(head, "TestClass]") && has(v.Code, "[TestMethod]"):
		why = "has no [TestClass] any more"
	case lang == source.Java && len(v.Enclosing(class.Line)) > 0 && !has(head, "@Nested") && has(v.Text, "junit.jupiter"):
		why = "has no @Nested any more"
	case lang == source.Ruby && !has(own, "<"):
		why = "has no base any more"
	case lang == source.Python && begins(class.Name, "Test") && !has(own, "("):
		for n := class.Body; n <= class.End; n++ {
			if around := v.Enclosing(n); begins(codeOn(v, n), "def __init__(self") && len(around) > 0 && around[len(around)-1] == line {
				return n, "has a constructor, so that pytest leaves it out"
			}
		}
	}
	return line, why
}

// extends reports whether a touched file has a class with a base of a name.
func (c *Change) extends(name string) bool {
	if c.bases != nil {
		return c.bases[name]
	}
	c.bases = map[string]bool{}
	for _, f := range c.Files {
		if f.Head == nil {
			continue
		}
		for _, n := range linesWith(f.Head, f.Head.Code, "class ", "extends ", ": ") {
			line := codeOn(f.Head, n)
			_, bases, isClass := bytes.Cut(line, []byte("class "))
			if isClass {
				for base := range wordsIn(bases[source.WordEnd(bases):]) {
					c.bases[string(base)] = true
				}
				continue
			}
			for _, mark := range []string{"extends ", ": "} {
				for _, rest := range bytes.Split(line, []byte(mark))[1:] {
					c.bases[string(rest[:source.WordEnd(rest)])] = true
				}
			}
		}
	}
	return c.bases[name]
}

var fileModule = input.Lazily(`^\s*(?:pub(?:\([^)]*\))? )?mod (\w+);`)

// lostModule is the line of the base that made a file of tests in Rust a part of the program, where the file is still
// there, and nothing of the change does.
func (c *Change) lostModule(f *File) int {
	for _, l := range f.Removed() {
		m := fileModule().FindSubmatch(l.Text)
		if f.Lang() != source.Rust || m == nil || !f.Base.InTest(l.Number) {
			continue
		}
		stem := strings.TrimSuffix(f.Path, path.Ext(f.Path))
		if oneOf(path.Base(stem), "lib", "main", "mod") {
			stem = path.Dir(stem)
		}
		isThere := c.HeadHas != nil && (c.HeadHas(path.Join(stem, string(m[1])+".rs")) || c.HeadHas(path.Join(stem, string(m[1]), "mod.rs")))
		if isThere && !slices.ContainsFunc(c.Files, func(f *File) bool {
			return f.Head != nil && has(f.Head.Code, "mod "+string(m[1])+";")
		}) {
			return l.Number
		}
	}
	return 0
}

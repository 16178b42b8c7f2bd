package rules

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/internal/source"
)

// markAll tells of each test what keeps it from running, whatever the machine.
func (t *testTable) markAll() {
	for _, f := range t.files {
		markTests(f.Head, f.head)
		for _, one := range f.head {
			if one.moved && one.twin.in != one.in && runnerFinds(one.twin.in.Path) && !runnerFinds(one.in.Path) &&
				!t.renames(one.in) && !t.imports(place{one.in, one.Line}) {
				one.mark, one.disabled = one.Line, true
			}
		}
		markClass(f)
		markShadowed(f)
		if slices.ContainsFunc(f.head, func(one *testCase) bool { return one.mark > 0 }) ||
			slices.ContainsFunc(f.base, func(one *testCase) bool { return one.moved || one.twin == nil }) {
			markTests(f.Base, f.base)
		}
	}
}

// imports reports whether a file of tests imports the one of a place, and names the function or class around it.
func (t *testTable) imports(at place) bool {
	const most = 200 // classes and functions that are looked for in all tests
	name := ""
	if blocks := at.file.Head.Enclosing(at.line); len(blocks) > 0 {
		head := at.file.Head.CodeLine(blocks[0])
		class, isClass := bytes.CutPrefix(head, []byte("class "))
		if name = methodOn(head); isClass && at.file.Lang() == source.Python {
			name = firstWord(class)
		}
	}
	key := [2]string{at.file.Path, name}
	known, found := t.imported[key]
	if found || len(t.imported) >= most {
		return known
	}
	stem := strings.TrimSuffix(path.Base(at.file.Path), path.Ext(at.file.Path))
	t.imported[key] = slices.ContainsFunc(t.files, func(f *testFile) bool {
		if f.Head == nil || !runnerFinds(f.Path) {
			return false
		}
		imported, named := false, name == ""
		for n := 1; n <= f.Head.Lines(); n++ {
			if line := f.Head.CodeLine(n); isImport(line) || has(line, "require(") {
				imported = imported || has(f.Head.Line(n), stem)
			} else {
				named = named || wordAt(line, []byte(name)) >= 0
			}
		}
		return imported && named
	})
	return t.imported[key]
}

func markTests(v *source.File, tests []*testCase) {
	if v == nil || len(tests) == 0 {
		return
	}
	if n := offByName(v); n > 0 {
		coverRange(tests, skipMark{line: n, disabled: true}, 0, v.Lines())
	}
	var names truths
	indirect := 0
	for _, m := range marksOf(v) {
		if names == nil {
			names = constants(v)
		}
		if m.holds == unknown {
			continue
		}
		if from, to, covered := skippedLines(v, tests, m, names); covered {
			coverRange(tests, m, from, to)
		} else if indirect < maxIndirect && markIndirect(v, tests, m, names) {
			indirect++
		}
	}
}

func coverRange(tests []*testCase, m skipMark, from, to int) {
	for _, one := range tests[after(tests, from-1):] {
		if one.Line > to {
			break
		}
		if one.End <= to && one.mark == 0 {
			one.mark, one.disabled = m.line, m.disabled
		}
	}
}

// skippedLines tells which lines a mark keeps from running.
func skippedLines(v *source.File, tests []*testCase, m skipMark, names truths) (from, to int, covered bool) {
	if m.header {
		if t := declaredAt(tests, m.line); t != nil {
			return t.Line, t.End, true
		}
		return 0, 0, false
	}
	t := aroundLine(tests, m.line, func(*testCase) bool { return true })
	switch {
	case t == nil:
		return 0, v.Lines(), len(v.Enclosing(m.line)) == 0 && !conditionBefore(v.CodeLine(m.line), names)
	case t.Group:
		return t.Line, t.End, skipsGroup(t, m.line, names)
	}
	return t.Line, t.End, isUnconditional(t, m.line, names)
}

// declaredAt is the test whose annotations and declaration contain a line.
func declaredAt(tests []*testCase, line int) *testCase {
	var best *testCase
	for i := after(tests, line) - 1; i >= 0 && i >= after(tests, line)-1000; i-- {
		t := tests[i]
		if line <= max(t.Line, t.Body) && t.End >= line && (best == nil || (t.Line == best.Line && t.End >= best.End)) {
			best = t
		}
	}
	return best
}

// after is the index of the first test that begins behind a line.
func after(tests []*testCase, line int) int {
	i, _ := slices.BinarySearchFunc(tests, line, func(t *testCase, line int) int {
		if t.Line <= line {
			return -1
		}
		return 1
	})
	return i
}

// skipsGroup reports whether a statement in a group, but in none of its tests, is for all of them: it stands in the
// group itself or in what runs before each test.
func skipsGroup(t *testCase, line int, names truths) bool {
	for _, b := range t.of.Enclosing(line) {
		if b < t.Body || b >= line {
			continue
		}
		head := bytes.ToLower(blockHead(t.of, b, t.Body))
		switch {
		case has(head, "setup", "before", "set_up"):
		case blockTruth(t.of, b, t.Body, names) != always:
			return false
		}
	}
	return true
}

// isUnconditional reports whether a test that runs always comes to a line.
func isUnconditional(t *testCase, line int, names truths) bool {
	if conditionBefore(t.of.CodeLine(line), names) {
		return false
	}
	for _, b := range t.of.Enclosing(line) {
		if b >= t.Body && b < line && blockTruth(t.of, b, t.Body, names) != always {
			return false
		}
	}
	return !returnsBefore(t, line, names)
}

// returnsBefore reports whether a condition can end a test before a line.
func returnsBefore(t *testCase, line int, names truths) bool {
	for n := max(t.Body, line-200); n < line; n++ {
		inClosure := func(b int) bool { return b >= t.Body && isClosure(t.of.CodeLine(b)) }
		if wordAt(t.of.CodeLine(n), []byte("return")) >= 0 && !slices.ContainsFunc(t.of.Enclosing(n), inClosure) {
			return true
		}
	}
	return false
}

// conditionBefore reports whether a line itself has a condition that is not always true: if x { t.Skip() }.
func conditionBefore(line []byte, names truths) bool {
	trimmed := bytes.TrimLeft(line, " \t}")
	return begins(trimmed, "if ", "if(", "unless ", "elif ", "elsif ", "else", "case ", "when ", "catch", "except", "rescue",
		"while ") && headTruth(trimmed, names) != always
}

// blockHead is what opens a block: its line, or the one before where the bracket has a line for itself. It is empty for
// the body of the test itself.
func blockHead(v *source.File, b, body int) []byte {
	line := bytes.TrimSpace(v.CodeLine(b))
	if len(line) == 1 && line[0] == '{' {
		for b--; b > 0 && len(bytes.TrimSpace(v.CodeLine(b))) == 0; b-- {
		}
		if b < body {
			return nil
		}
		line = bytes.TrimSpace(v.CodeLine(b))
	}
	return line
}

// blockTruth tells whether what opens a block lets everything in.
func blockTruth(v *source.File, b, body int, names truths) certainty {
	head := blockHead(v, b, body)
	if len(head) == 0 {
		return always
	}
	if trimmed := bytes.TrimLeft(head, "} \t"); begins(trimmed, "else") && !begins(trimmed, "else if") {
		return elseTruth(v, b, names)
	}
	return headTruth(head, names)
}

// elseTruth looks for the condition of an else: a line above it with the same indent.
func elseTruth(v *source.File, b int, names truths) certainty {
	indent := indentOf(v.CodeLine(b))
	for n := b - 1; n > 0 && n > b-100; n-- {
		line := v.CodeLine(n)
		trimmed := bytes.TrimSpace(line)
		if indentOf(line) == indent && (begins(trimmed, "if ", "if(")) {
			return headTruth(trimmed, names).not()
		}
	}
	return unknown
}

// headTruth tells whether the line that opens a block lets everything in.
func headTruth(head []byte, names truths) certainty {
	if len(head) > 1000 {
		return unknown
	}
	s := strings.TrimPrefix(strings.TrimLeft(string(head), "} \t"), "else ")
	word := s[:wordEnd([]byte(s))]
	switch condition := condition(s[len(word):]); {
	case isIn(word, " if elif elsif while "):
		return foldCondition(condition, names)
	case word == "unless":
		return foldCondition(condition, names).not()
	case isIn(word, " try begin with using for foreach loop do unsafe finally ensure lock async "), begins(s, "{"),
		has(s, ".Run(", ".each", ".forEach", "subTest("):
		return always
	}
	return unknown
}

// condition is what stands between the word and the bracket or colon that opens the block.
func condition(rest string) string {
	rest = strings.TrimSpace(rest)
	if begins(rest, "(") {
		if end := closing(rest, 0); end > 0 {
			if !begins(strings.TrimSpace(rest[end+1:]), "&&", "||") {
				return rest[:end+1]
			}
		}
	}
	for _, end := range []string{" {", "{", ":", " then"} {
		if before, _, found := strings.Cut(rest, end); found {
			rest = before
		}
	}
	return rest
}

func isClosure(line []byte) bool {
	return has(line, "func(", "=>", "function", "lambda", "->", "do |", " def ", "fn ")
}

// offTags are build constraints that are never set.
var offTags = truths{
	"ignore": notEver, "never": notEver, "none": notEver, "disabled": notEver, "disable": notEver, "skip": notEver,
	"off": notEver, "todo": notEver, "broken": notEver, "false": notEver,
	"exclude": notEver, "nobuild": notEver, "donotbuild": notEver, "nacl": notEver, "hurd": notEver,
}

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
	if !has(v.Text, "build") {
		return 0
	}
	for n := 1; n <= min(v.Lines(), 200); n++ {
		line := v.Line(n)
		if begins(line, "package ") {
			break
		}
		if expr, found := bytes.CutPrefix(line, []byte("//go:build ")); found &&
			foldCondition(string(expr), offTags) == notEver {
			return n
		}
	}
	return 0
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

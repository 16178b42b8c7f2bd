package rules

import (
	"bytes"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/internal/source"
	"github.com/closeout-gate/closeout/verify/input"
)

// maxIndirect is for how many functions, or names, a file is searched.
const maxIndirect = 20

// markIndirect marks the tests that a function of their file skips: one that they call, or one that runs before them.
// at is the mark in that function, which skips always. It reports whether the file was searched for calls.
func markIndirect(v *source.File, tests []*testCase, at skipMark, names truths) bool {
	blocks := v.Enclosing(at.line)
	if at.header || len(blocks) == 0 || (v.Lang != source.Go && v.Lang != source.Python) {
		return false
	}
	head := v.CodeLine(blocks[0])
	name := methodOn(bytes.TrimPrefix(head, []byte("func (")))
	if i := bytes.IndexByte(head, ')'); begins(head, "func (") {
		name = methodOn(head[i:])
	}
	body := &testCase{Test: source.Test{Line: blocks[0], Body: blocks[0] + 1, End: v.Lines()}, of: v}
	if first := firstWord(head); name == "" || !oneOf(first, "func", "def") || !isUnconditional(body, at.line, names) {
		return false
	}
	if prefix, all := runsBefore(v, blocks[0], name); all {
		for _, one := range tests {
			if one.mark == 0 && begins(one.Name, prefix) {
				one.mark = at.line
			}
		}
		return true
	}
	for _, n := range linesWith(v.Code, v, []string{name + "("}) {
		t := innermost(tests, n)
		if t == nil || n < t.Body || wordBeforeCall(v.CodeLine(n), name) != "" || !isUnconditional(t, n, names) ||
			inClosure(t, n) {
			continue
		}
		t.mark = n
	}
	return true
}

// wordBeforeCall is what stands directly before the name of a call.
func wordBeforeCall(line []byte, name string) string {
	i := bytes.Index(line, []byte(name+"("))
	if c := at(line, i-1); source.IsWord(c) || c == '.' {
		return string(c)
	}
	return ""
}

// runsBefore tells whether a function runs before tests: those whose names begin with a text.
func runsBefore(v *source.File, line int, name string) (prefix string, all bool) {
	switch {
	case v.Lang == source.Go && oneOf(name, "SetupTest", "SetupSuite"):
		head := v.CodeLine(line)
		receiver := bytes.Fields(bytes.Trim(head[:max(bytes.IndexByte(head, ')'), 0)], "func ("))
		if len(receiver) == 0 {
			return "", false
		}
		return strings.TrimLeft(string(receiver[len(receiver)-1]), "*") + " > ", true
	case v.Lang == source.Python && oneOf(name, "setup_module", "setUpModule", "setup_function"):
		return "", true
	case v.Lang == source.Python:
		for n := line - 1; n > 0 && n > line-4; n-- {
			if has(squeeze(nil, v.CodeLine(n)), "autouse=True") {
				return "", true
			}
		}
	}
	return "", false
}

var pythonAlias = input.Lazily(`^(\w+)\s*=\s*(?:pytest\.mark|mark|unittest)\.(skip|xfail|skipif|skipIf|skipUnless|expectedFailure)\b`)

// aliasMarks are the decorators that a file gives other names.
func aliasMarks(f *source.File, lines []int) []skipMark {
	var marks []skipMark
	searched := 0
	for _, n := range lines {
		line := f.CodeLine(n)
		if at(line, 0) == ' ' || bytes.IndexByte(line, '=') < 0 || len(line) > 1000 {
			continue
		}
		m := pythonAlias().FindSubmatchIndex(line)
		if m == nil {
			continue
		}
		if holds := pythonMark(string(line[m[4]:m[5]]), argumentsAt(f, n, m[5])); holds == always && searched < maxIndirect {
			searched++
			name := "@" + string(line[m[2]:m[3]])
			for _, use := range linesWith(f.Code, f, []string{name}) {
				if text := bytes.TrimSpace(f.CodeLine(use)); string(text) == name || begins(text, name+"(") {
					marks = append(marks, skipMark{line: use, header: true, holds: always})
				}
			}
		}
	}
	return marks
}

// markClass marks the tests of a class of Python that no runner reads any more: its name or its base class said that it
// is one.
func markClass(f *testFile) {
	if f.Lang() != source.Python || f.Base == nil || f.Head == nil {
		return
	}
	var before, now map[string]bool
	for _, one := range f.head {
		if one.twin == nil || one.Group || one.mark > 0 || one.twin.in != one.in || !has(one.Name, " > ") {
			continue
		}
		if now == nil {
			before, now = idleClasses(f.base), idleClasses(f.head)
		}
		if class, _, _ := strings.Cut(one.Name, " > "); now[class] && !isBaseClass(f.Head, class) {
			if old, _, inClass := strings.Cut(one.twin.Name, " > "); inClass && !before[old] {
				one.mark, one.disabled = one.Line, true
			}
		}
	}
}

// isBaseClass reports whether a class of the file gets the tests of another one.
func isBaseClass(v *source.File, class string) bool {
	return slices.ContainsFunc(linesWith(v.Code, v, []string{class}), func(n int) bool {
		line := bytes.TrimSpace(v.CodeLine(n))
		bases := bytes.IndexByte(line, '(')
		return begins(line, "class ") && bases > 0 && wordAt(line[bases:], []byte(class)) >= 0
	})
}

var idleClass = input.Lazily(`^class\s+\w+\s*(?:\(\s*(?:object)?\s*\))?\s*:`)

// idleClasses are the classes that are not called Test and have no base.
func idleClasses(tests []*testCase) map[string]bool {
	idle := map[string]bool{}
	for _, one := range tests {
		if !one.Group || begins(one.Name, "Test") || has(one.Name, " > ") {
			continue
		}
		for n := one.Line; n <= one.Body; n++ {
			if idleClass().Match(one.of.CodeLine(n)) {
				idle[one.Name] = true
			}
		}
	}
	return idle
}

var unset = input.Lazily(`^\s*(?:del\s+(\w+)\s*$|(\w+)\s*=[^=]|(?:undef|(?:undef|remove)_method)[ (:]+(\w+))`)

// markShadowed marks the tests that a later function, class or value with the same name replaces.
func markShadowed(f *testFile) {
	if (f.Lang() != source.Python && f.Lang() != source.Ruby) || f.Base == nil || f.Head == nil {
		return
	}
	last := map[string]*testCase{}
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
			coverRange(f.head, skipMark{line: later.Line, disabled: true}, one.Line, one.End)
		}
	}
	named := map[string][]*testCase{}
	for _, one := range f.head {
		own := strings.TrimSpace(one.Name[strings.LastIndex(one.Name, "> ")+1:])
		if one.twin != nil && len(named[own]) < maxIndirect {
			named[own] = append(named[own], one)
		}
	}
	for _, l := range f.Added() {
		m := unset().FindSubmatch(l.Text[:min(len(l.Text), maxNear)])
		if m == nil || isBlank(f.Head.CodeLine(l.Number)) {
			continue
		}
		name := bytes.Join(m[1:], nil)
		if f.Lang() == source.Ruby && len(m[3]) == 0 {
			continue // a variable
		}
		for _, one := range named[string(name)] {
			if one.End < l.Number && one.mark == 0 && indentOf(one.of.CodeLine(one.Line)) == indentOf(f.Head.CodeLine(l.Number)) {
				coverRange(f.head, skipMark{line: l.Number, disabled: true}, one.Line, one.End)
			}
		}
	}
}

// sameBlock reports whether two tests of a file stand in the same class, under the same conditions.
func sameBlock(a, b *testCase) bool {
	outer := func(t *testCase) (line int) {
		for _, line = range slices.Backward(append([]int{0}, t.of.Enclosing(t.Line)...)) {
			if line < t.Line { // in Ruby the block of the test itself is around its line
				break
			}
		}
		return line
	}
	return outer(a) == outer(b)
}

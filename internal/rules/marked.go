package rules

import (
	"bytes"
	"slices"

	"github.com/closeout-gate/closeout/internal/source"
	"github.com/closeout-gate/closeout/verify/input"
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
		if slices.ContainsFunc(f.head, func(one *Test) bool { return one.mark > 0 }) ||
			slices.ContainsFunc(f.base, func(one *Test) bool { return one.moved || one.twin == nil }) {
			markTests(f.Base, f.base)
		}
	}
}

func markTests(v *source.File, tests []*Test) {
	if v == nil || len(tests) == 0 {
		return
	}
	if n := offByName(v); n > 0 {
		markRange(tests, Mark{line: n, disabled: true}, 0, v.Lines())
	}
	var names truths
	searched := 0
	for _, m := range marksOf(v) {
		if names == nil {
			names = constants(v)
		}
		if m.holds == unknown {
			continue
		}
		if from, to, covered := skippedLines(v, tests, m, names); covered {
			markRange(tests, m, from, to)
		} else if searched < maxSearched && markCallers(v, tests, m, names) {
			searched++
		}
	}
}

func markRange(tests []*Test, m Mark, from, to int) {
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
func skippedLines(v *source.File, tests []*Test, m Mark, names truths) (from, to int, covered bool) {
	if m.header {
		if t := declaredAt(tests, m.line); t != nil {
			return t.Line, t.End, true
		}
		return 0, 0, false
	}
	t := aroundLine(tests, m.line, func(*Test) bool { return true })
	switch {
	case t == nil:
		return 0, v.Lines(), len(v.Enclosing(m.line)) == 0 && !conditionBefore(v.CodeLine(m.line), names)
	case t.Group:
		return t.Line, t.End, skipsGroup(t, m.line, names)
	}
	return t.Line, t.End, isUnconditional(t, m.line, names)
}

// declaredAt is the test whose annotations and declaration contain a line.
func declaredAt(tests []*Test, line int) *Test {
	var best *Test
	for i := after(tests, line) - 1; i >= 0 && i >= after(tests, line)-1000; i-- {
		t := tests[i]
		if line <= max(t.Line, t.Body) && t.End >= line && (best == nil || (t.Line == best.Line && t.End >= best.End)) {
			best = t
		}
	}
	return best
}

// after is the index of the first test that begins behind a line.
func after(tests []*Test, line int) int {
	i, _ := slices.BinarySearchFunc(tests, line, func(t *Test, line int) int {
		if t.Line <= line {
			return -1
		}
		return 1
	})
	return i
}

// skipsGroup reports whether a statement in a group, but in none of its tests, is for all of them: it stands in the
// group itself or in what runs before each test.
func skipsGroup(t *Test, line int, names truths) bool {
	return all(t.blocksAround(line), func(b int) bool {
		return has(bytes.ToLower(t.of.CodeLine(b)), "setup", "before", "set_up") || blockTruth(t.of, b, names) == always
	})
}

// maxSearched is for how many functions, or names, a file is searched.
const maxSearched = 20

// markCallers marks the tests that a function of their file skips: one that they call, or one that runs before them.
// at is the mark in that function, which skips always. It reports whether the file was searched for calls.
func markCallers(v *source.File, tests []*Test, at Mark, names truths) bool {
	blocks := v.Enclosing(at.line)
	if at.header || len(blocks) == 0 || (v.Lang != source.Go && v.Lang != source.Python) {
		return false
	}
	m := helperHead().FindSubmatch(v.CodeLine(blocks[0]))
	body := &Test{Test: source.Test{Line: blocks[0], Body: blocks[0] + 1, End: v.Lines()}, of: v}
	if m == nil || !isUnconditional(body, at.line, names) {
		return false
	}
	name := string(m[2])
	if prefix, all := runsBefore(v, blocks[0], string(m[1]), name); all {
		for _, one := range tests {
			if one.mark == 0 && begins(one.Name, prefix) {
				one.mark = at.line
			}
		}
		return true
	}
	for _, n := range callsTo(v, name) {
		if t := innermost(tests, n); t != nil && n >= t.Body && isUnconditional(t, n, names) && !inClosure(t, n) {
			t.mark = n
		}
	}
	return true
}

// helperHead matches the head of a function; its groups are the type of its receiver and its name.
var helperHead = input.Lazily(`^\s*(?:func(?: \((?:\w+ )?\*?(\w*)[^)]*\))?|def) (\w{3,})\(`)

// callsTo are the lines that call a function by its bare name.
func callsTo(v *source.File, name string) []int {
	return slices.DeleteFunc(linesWith(v, v.Code, name+"("), func(n int) bool {
		line := v.CodeLine(n)
		before := at(line, bytes.Index(line, []byte(name+"("))-1)
		return source.IsWord(before) || before == '.'
	})
}

// runsBefore tells whether a function on a line runs before tests: those whose names begin with a text.
func runsBefore(v *source.File, line int, receiver, name string) (prefix string, all bool) {
	if v.Lang == source.Go {
		return receiver + " > ", receiver != "" && oneOf(name, "SetupTest", "SetupSuite")
	}
	for n := line - 1; n > 0 && n > line-4; n-- {
		all = all || has(squeeze(nil, v.CodeLine(n)), "autouse=True")
	}
	return "", all || oneOf(name, "setup_module", "setUpModule", "setup_function")
}

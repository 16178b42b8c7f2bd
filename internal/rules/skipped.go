package rules

import (
	"regexp"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/internal/source"
	"github.com/closeout-gate/closeout/verify/input"
)

// findSkippedTest finds tests that ran at the merge base and are skipped at the head, whatever the machine.
func findSkippedTest(c *Change, report func(Hit)) {
	marked(c, report, "skipped now", "remove the skip, and fix what the test finds", func(head *testCase) bool {
		return head.ranBefore() && !head.disabled
	})
}

var markedRow = input.Lazily(`^\s*(?:pytest\.)?param\((.+),\s*marks=\[?(?:pytest\.)?mark\.(?:skip|xfail)\b(?:\((?:reason=)?["'][^()]*\)|\(\))?\]?(?:,\s*id=.*)?\),?$`)

// findSkippedRow finds rows of a table of pytest that ran at the merge base and are skipped at the head.
func findSkippedRow(c *Change, report func(Hit)) {
	for _, f := range c.tests().files {
		if f.Lang() != source.Python || f.Base == nil || f.Head == nil {
			continue
		}
		before := map[string]bool{}
		for _, l := range f.Removed() {
			before[rowKey(l.Text)] = true
		}
		var found firstHit
		for _, l := range f.Added() {
			m := markedRow().FindSubmatch(l.Text[:min(len(l.Text), maxNear)])
			if m == nil || !before[rowKey(m[1])] {
				continue
			}
			found.add(Hit{File: f.Path, Line: l.Number, Now: string(l.Text), Detail: "a row of a table of tests is skipped now",
				Fix: "remove the skip, and fix what the test finds"})
		}
		found.report(report)
	}
}

// rowKey is what a row says, with or without the brackets or the call around it.
func rowKey(text []byte) string {
	key := strings.TrimSuffix(lineKey(text), ",")
	key = strings.TrimPrefix(strings.TrimPrefix(key, "pytest."), "param")
	return strings.TrimRight(strings.Trim(key, "()"), ",")
}

// findSkippedNewTest finds new tests that never run.
func findSkippedNewTest(c *Change, report func(Hit)) {
	marked(c, report, "new, and skipped", "let the test run, or leave it out until it can", func(head *testCase) bool {
		return head.twin == nil && !head.disabled && !isForeign(head.in.Path)
	})
}

// ranBefore reports whether a test of the head ran at the base.
func (t *testCase) ranBefore() bool { return t.twin != nil && t.twin.mark == 0 }

// marked reports the tests of the head that a mark keeps from running, a hit for each file.
func marked(c *Change, report func(Hit), what, fix string, wanted func(head *testCase) bool) {
	for _, f := range c.tests().files {
		var found []*testCase
		for _, one := range f.head {
			if one.mark > 0 && !one.Group && wanted(one) {
				found = append(found, one)
			}
		}
		if len(found) == 0 {
			continue
		}
		h := hitOn(found, what)
		h.Line, h.Now, h.Fix = found[0].mark, string(f.Head.Line(found[0].mark)), fix
		report(h)
	}
}

// hitOn makes a hit on some tests of a file; its place is that of the first.
func hitOn(tests []*testCase, what string) Hit {
	h := Hit{File: tests[0].in.Path, Line: tests[0].Line, Subject: tests[0].Name}
	for _, one := range tests[1:] {
		h.Others = append(h.Others, one.Name)
	}
	verb := " is "
	if len(tests) > 1 {
		verb = " are "
	}
	h.Detail = listNames(tests) + verb + what
	return h
}

// listNames names a few tests, and counts the others.
func listNames(tests []*testCase) string {
	const most, longest = 3, 80
	var names []string
	for _, one := range tests[:min(len(tests), most)] {
		name := clip(one.Name, longest)
		if has(name, " ") {
			name = input.Quote(name) // a sentence in a sentence
		}
		names = append(names, name)
	}
	list := strings.Join(names, ", ")
	if more := int64(len(tests) - most); more > 0 {
		list += " and " + input.Plural(more, "more test")
	}
	return list
}

// findDisabledTest finds tests whose code is still there, but that no runner sees any more.
func findDisabledTest(c *Change, report func(Hit)) {
	marked(c, report, "out of every run now", "let the test run again, and fix what it finds", func(head *testCase) bool {
		return head.ranBefore() && head.disabled
	})
	reportGone(c, report, outcomeDisabled, "still there, but no test runner sees it",
		"give the test back its name and place, and fix what it finds")
}

// findRemovedTest finds tests that are gone.
func findRemovedTest(c *Change, report func(Hit)) {
	reportGone(c, report, outcomeRemoved, "deleted", "restore the test, or say in the description why it is not needed")
}

// reportGone reports tests that are gone, a hit for each file.
func reportGone(c *Change, report func(Hit), wanted outcome, what, fix string) {
	byFile := map[*File][]*testCase{}
	search := c.search()
	for _, one := range c.tests().gone {
		if search.outcomeOf(one) == wanted && (one.mark == 0 || wanted != outcomeRemoved) { // one that was skipped checked nothing
			byFile[one.in] = append(byFile[one.in], one)
		}
	}
	for _, f := range c.Files {
		gone := byFile[f]
		if len(gone) == 0 {
			continue
		}
		h := hitOn(gone, what)
		if f.isDeleted() {
			h.Detail += "; the whole file is deleted"
		}
		h.Base, h.Was, h.Fix = true, string(gone[0].of.Line(gone[0].Line)), fix
		report(h)
	}
}

// findFocusedTest finds tests that keep all others from running.
func findFocusedTest(c *Change, report func(Hit)) {
	for _, f := range c.Files {
		if !f.mayTest() || f.Head == nil {
			continue
		}
		shape, words := focusOf(f.Lang())
		if shape == nil {
			continue
		}
		if h, found := f.newFocus(shape(), words); found {
			report(h)
		}
	}
}

// newFocus finds lines that focus, of which the base has fewer.
func (f *File) newFocus(shape *regexp.Regexp, words []string) (h Hit, found bool) {
	count := func(v *source.File) (lines []int) {
		if v == nil {
			return nil
		}
		for _, n := range linesWith(v.Text, v, words) {
			if isFocus(v, n, shape) && !inOwnFocus(v, n, shape) {
				lines = append(lines, n)
			}
		}
		return lines
	}
	lines := count(f.Head)
	more := len(lines) - len(count(f.Base))
	if more <= 0 {
		return h, false
	}
	line := lines[0]
	for _, added := range f.Added() {
		if slices.Contains(lines, added.Number) {
			line = added.Number
			break
		}
	}
	return Hit{
		File: f.Path, Line: line, Now: string(f.Head.Line(line)), Detail: "only " +
			input.Plural(int64(len(lines)), "focused test") + " of the file would run",
		Fix: "remove the focus",
	}, true
}

// ownFocus is a function that a file defines to focus: test.only = (name, run) => {.
var ownFocus = input.Lazily(`^\s*[\w.]+\.only\s*=\s*(?:async\b\s*)?(?:function\b|\w+\s*=>|\([^()]*(?:\([^()]*\)[^()]*)*\)\s*(?::[^=]*)?=>)`)

// inOwnFocus reports whether a line belongs to such a function, and focuses nothing by itself.
func inOwnFocus(v *source.File, n int, shape *regexp.Regexp) bool {
	defines := func(line []byte) bool {
		at := ownFocus().FindIndex(line)
		return at != nil && !shape.Match(line[at[1]:])
	}
	if defines(v.CodeLine(n)) {
		return true
	}
	return slices.ContainsFunc(v.Enclosing(n), func(around int) bool { return defines(v.CodeLine(around)) })
}

var focusInBrackets = input.Lazily(`(?:^|[^\w.$])(?:describe|it|test|suite|context|specify)(?:\.\w+)*\[["'` + "`" +
	`]only["'` + "`" + `]\]`)

// isFocus reports whether a line focuses. In it["only"] the word is in a string.
func isFocus(v *source.File, n int, shape *regexp.Regexp) bool {
	if shape.Match(v.CodeLine(n)) {
		return true
	}
	line := v.Line(n)
	if len(line) > 1000 || !has(line, "only") || !isScript(v.Lang) {
		return false
	}
	m := focusInBrackets().FindIndex(line)
	return m != nil && v.CodeLine(n)[m[1]-1] == ']'
}

var focusShapes = map[source.Lang]func() *regexp.Regexp{
	source.JavaScript: input.Lazily(`(?:^|[^\w.$])(?:describe|it|test|suite|context|specify|bench|Deno\.test)(?:\.\w+)*\.only\b|(?:^|[^\w.$])f(?:it|describe|context)(?:\.each\s*[(` + "`" + `]|\s*` + "`" + `|\s*\(\s*(?:$|["'` + "`" + `]|\w+\s*,\s*(?:async\b\s*)?(?:function|\()))|[{,]\s*only:\s*true\b`),
	source.Go:         input.Lazily(`(?:^|[^\w.])F(?:It|Describe|DescribeTable|Context|Specify|When|Entry)\(|\b(?:It|Describe|DescribeTable|Context|Specify|When)\([^{]*,\s*Focus\s*,`),
	source.Ruby:       input.Lazily(`^\s*(?:RSpec\.)?f(?:it|describe|context|specify|example|feature|scenario)\b[\s(]|^\s*(?:RSpec\.)?(?:it|describe|context|specify|example|feature|scenario)\b.*(?:\bfocus:\s*true|[,\s]:focus\b)`),
}

func focusOf(lang source.Lang) (shape func() *regexp.Regexp, words []string) {
	switch lang {
	case source.JavaScript, source.TypeScript:
		return focusShapes[source.JavaScript], []string{"only", "fit", "fdescribe", "fcontext"}
	case source.Go:
		return focusShapes[source.Go], []string{"FIt(", "FDescribe", "FContext(", "FSpecify(", "FWhen(", "FEntry(", "Focus"}
	case source.Ruby:
		return focusShapes[source.Ruby], []string{"fit", "fdescribe", "fcontext", "fspecify", "fexample", "ffeature", "fscenario", "focus"}
	}
	return nil, nil
}

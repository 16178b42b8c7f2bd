package rules

import (
	"regexp"
	"slices"

	"github.com/closeout-gate/closeout/internal/source"
	"github.com/closeout-gate/closeout/verify/input"
)

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

package rules

import (
	"regexp"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/internal/source"
	"github.com/closeout-gate/closeout/verify/input"
)

// findFocusedTest finds tests that keep all others from running.
func findFocusedTest(c *Change, report func(Hit)) {
	for _, f := range c.Files {
		if !f.mayTest() || f.Head == nil {
			continue
		}
		lang := plainLang(f.Lang())
		if shape, known := focusShapes[lang]; known {
			if h, found := f.newFocus(shape(), strings.Fields(focusWords[lang])); found {
				report(h)
			}
		}
	}
}

// newFocus finds lines that focus, of which the base has fewer.
func (f *File) newFocus(shape *regexp.Regexp, words []string) (h Hit, found bool) {
	count := func(v *source.File) (lines []int) {
		if v == nil {
			return nil
		}
		for _, n := range linesWith(v.Code, v, words) {
			if shape.Match(v.CodeLine(n)) && !inOwnFocus(v, n, shape) {
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
	return f.hit(0, line, "", "only "+input.Plural(int64(len(lines)), "focused test")+" of the file would run", "remove the focus"), true
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

var focusShapes = map[source.Lang]func() *regexp.Regexp{
	source.JavaScript: input.Lazily(`(?:^|[^\w.$])(?:describe|it|test|suite|context|specify|bench|Deno\.test)(?:\.\w+)*\.only\b|(?:^|[^\w.$])f(?:it|describe|context)(?:\.each\s*[(` + "`" + `]|\s*` + "`" + `|\s*\(\s*(?:$|["'` + "`" + `]|\w+\s*,\s*(?:async\b\s*)?(?:function|\()))|[{,]\s*only:\s*true\b`),
	source.Go:         input.Lazily(`(?:^|[^\w.])F(?:It|Describe|DescribeTable|Context|Specify|When|Entry)\(|\b(?:It|Describe|DescribeTable|Context|Specify|When)\([^{]*,\s*Focus\s*,`),
	source.Ruby:       input.Lazily(`^\s*(?:RSpec\.)?f(?:it|describe|context|specify|example|feature|scenario)\b[\s(]|^\s*(?:RSpec\.)?(?:it|describe|context|specify|example|feature|scenario)\b.*(?:\bfocus:\s*true|[,\s]:focus\b)`),
}

// focusWords are in every line that focuses.
var focusWords = map[source.Lang]string{
	source.JavaScript: "only fit fdescribe fcontext",
	source.Go:         "FIt( FDescribe FContext( FSpecify( FWhen( FEntry( Focus",
	source.Ruby:       "fit fdescribe fcontext fspecify fexample ffeature fscenario focus",
}

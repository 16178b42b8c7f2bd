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
	for _, list := range c.newFindings(false, scanFocus) {
		what := "only " + input.Plural(int64(len(list)), "focused test") + " of the file would run"
		report(list[0].file.hit(0, list[0].line, "", what, "remove the focus"))
	}
}

func scanFocus(f *File, v *source.File, found func(int, string)) {
	if shape := focusShapes(v.Lang); shape != nil && f.mayTest() {
		for _, n := range linesWith(v, v.Code, strings.Fields(focusWords[plainLang(v.Lang)])...) {
			if shape.Match(v.CodeLine(n)) && !inOwnFocus(v, n, shape) {
				found(n, "focus")
			}
		}
	}
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

var focusShapes = byLanguage(map[source.Lang]string{
	source.JavaScript: `(?:^|[^\w.$])(?:describe|it|test|suite|context|specify|bench|Deno\.test)(?:\.\w+)*\.only\b|(?:^|[^\w.$])f(?:it|describe|context)(?:\.each\s*[(` + "`" + `]|\s*` + "`" + `|\s*\(\s*(?:$|["'` + "`" + `]|\w+\s*,\s*(?:async\b\s*)?(?:function|\()))|[{,]\s*only:\s*true\b`,
	source.Go:         `(?:^|[^\w.])F(?:It|Describe|DescribeTable|Context|Specify|When|Entry)\(|\b(?:It|Describe|DescribeTable|Context|Specify|When)\([^{]*,\s*Focus\s*,`,
	source.Ruby:       `^\s*(?:RSpec\.)?f(?:it|describe|context|specify|example|feature|scenario)\b[\s(]|^\s*(?:RSpec\.)?(?:it|describe|context|specify|example|feature|scenario)\b.*(?:\bfocus:\s*true|[,\s]:focus\b)`,
})

// focusWords are in every line that focuses.
var focusWords = map[source.Lang]string{
	source.JavaScript: "only fit fdescribe fcontext",
	source.Go:         "FIt( FDescribe FContext( FSpecify( FWhen( FEntry( Focus",
	source.Ruby:       "fit fdescribe fcontext fspecify fexample ffeature fscenario focus",
}

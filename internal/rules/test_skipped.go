package rules

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/internal/source"
	"github.com/closeout-gate/closeout/verify/input"
)

// findSkippedTest finds tests that ran at the merge base and are skipped at the head, whatever the machine.
func findSkippedTest(c *Change, report func(Hit)) {
	marked(c, report, "skipped now", "remove the skip, and fix what the test finds", func(head *Test) bool {
		return head.ranBefore() && !head.disabled
	})
}

// markedRow matches a row of pytest, and the head of a test of Kotest, with what skips it; its groups are the rest.
var markedRow = byLanguage(map[source.Lang]string{
	source.Python: `^\s*(?:pytest\.)?param\((.+),\s*marks=\[?(?:pytest\.)?mark\.(?:skip|xfail)\b(?:\((?:reason=)?["'][^()]*\)|\(\))?\]?(?:,\s*id=.*)?\),?$`,
	source.Java:   `^\s*x(` + kotest + `".*)|^(\s*(?:` + kotest + `)?")(?:!|f:)(.*\{\s*)$|^(\s*` + kotest + `"[^"]*"\))\.config\(enabled = false\)(.*)`,
})

const kotest = `(?:test|should|describe|context|it|given|then|feature|scenario|expect)\(`

// findSkippedRow finds rows of a table of pytest, and tests of Kotest, that ran at the merge base and are skipped at
// the head.
func findSkippedRow(c *Change, report func(Hit)) {
	for _, f := range c.tests().files {
		if f.Base == nil || f.Head == nil {
			continue
		}
		before := map[string]bool{}
		for _, l := range f.Removed() {
			before[rowKey(l.Text)] = true
		}
		var found firstHit
		for _, l := range f.Added() {
			row := strings.Join(groups(markedRow(f.Lang()), l.Text[:min(len(l.Text), maxNear)]), "")
			if row == "" || !before[rowKey([]byte(row))] {
				continue
			}
			found.add(f.hit(0, l.Number, "", "a row of a table of tests, or a test, is skipped now", "remove the skip, and fix what the test finds"))
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
	marked(c, report, "new, and skipped", "let the test run, or leave it out until it can", func(head *Test) bool {
		return head.twin == nil && !head.disabled && !isForeign(head.in.Path)
	})
}

// marked reports the tests of the head that a mark keeps from running, a hit for each file.
func marked(c *Change, report func(Hit), what, fix string, wanted func(head *Test) bool) {
	for _, f := range c.tests().files {
		var found []*Test
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
		if has(h.Now, "InlineData(", "TestCase(", "DataRow(") {
			h.Detail += ", for a row of its table"
		} else if has(h.Now, "xfail", "xpected", ".fail") {
			h.Detail = strings.Replace(h.Detail, "skipped", "expected to fail", 1)
		}
		report(h)
	}
}

// findFocusedTest finds tests that keep all others from running.
func findFocusedTest(c *Change, report func(Hit)) {
	for _, list := range c.newFindings(false, scanFocus) {
		what := "only " + input.Plural(int64(len(list)), "focused test") + " of the file would run"
		report(list[0].file.hit(0, list[0].line, "", what, "remove the focus"))
	}
}

func scanFocus(f *File, v *source.File, found func(int, string)) {
	if shape := focusShapes(v.Lang); f.mayTest() {
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
		if len(line) > maxStatementBytes {
			return false
		}
		at := ownFocus().FindIndex(line)
		return at != nil && !shape.Match(line[at[1]:])
	}
	if defines(v.CodeLine(n)) {
		return true
	}
	return slices.ContainsFunc(v.Enclosing(n), func(around int) bool { return defines(v.CodeLine(around)) })
}

var focusShapes = byLanguage(map[source.Lang]string{
	source.JavaScript: `(?:^|[^\w.$])(?:` + jsTests + `|Deno\.test)(?:\.\w+)*\.only\b|(?:^|[^\w.$])f(?:it|describe|context)(?:\.each\s*[(` + "`" + `]|\s*` + "`" + `|\s*\(\s*(?:$|(?:["'` + "`" + `][^,]*|\w+\s*),\s*(?:$|\{|\w+\s*=>|(?:async\b\s*)?(?:function|\()|async\s+\w)))|[{,]\s*only:\s*true\b`,
	source.Go:         `(?:^|[^\w.])F` + ginkgoTests + `\(|\b` + ginkgoTests + `\([^{]*,\s*Focus\s*,`,
	source.Ruby:       `^\s*(?:RSpec\.)?f` + rubyTests + `\b[\s(]|^\s*(?:RSpec\.)?` + rubyTests + `\b.*(?:\bfocus:\s*true|[,\s]:focus\b)`,
})

// focusWords are in every line that focuses.
var focusWords = map[source.Lang]string{
	source.JavaScript: "only fit fdescribe fcontext",
	source.Go:         "FIt( FDescribe FContext( FSpecify( FWhen( FEntry( Focus",
	source.Ruby:       "fit fdescribe fcontext fspecify fexample ffeature fscenario focus",
}

// The kinds of conditions under which a run that asks for nothing leaves a test out.
const (
	notOnCI  = "a test does not run on CI any more"
	onDemand = "a test runs only where something asks for it: "
)

// findSkippedByDefault finds skips that hold where CI runs the tests, which is where evidence comes from, or wherever
// nobody sets a variable or a build tag.
func findSkippedByDefault(c *Change, report func(Hit)) {
	c.tests()
	for _, list := range c.newFindings(false, scanConditions) {
		i := slices.IndexFunc(list, func(m finding) bool { return m.file.Base != nil && (m.kind == notOnCI || m.file.ranAround(m.line)) })
		if i >= 0 {
			report(list[i].file.hit(0, list[i].line, "CI", list[i].kind, "let the test run on CI, and fix what it finds"))
		}
	}
}

// ranAround reports whether a line of the head is about a test that ran at the merge base: it is in one, in a group or
// a file with one.
func (f *File) ranAround(line int) bool {
	around := cmp.Or(declaredAt(f.head, line), aroundLine(f.head, line, func(*Test) bool { return true }))
	known, asked := f.ran[around]
	if !asked {
		tests := f.head
		if around != nil {
			tests = tests[after(tests, around.Line-1):after(tests, around.End)]
		}
		known = slices.ContainsFunc(tests, func(t *Test) bool {
			return !t.Group && t.ranBefore() && (around == nil || t.End <= around.End)
		})
		if f.ran == nil {
			f.ran = map[*Test]bool{}
		}
		f.ran[around] = known
	}
	return known
}

// isInTest reports whether a line of a version is in a test, and not in a helper.
func (f *File) isInTest(v *source.File, line int) bool {
	tests := f.base
	if v == f.Head {
		tests = f.head
	}
	return innermost(tests, line) != nil
}

// testOn is the last line of the test or the group that begins on a line of a version; 0 for none.
func testOn(v *source.File, line int) (end int) {
	if i, found := slices.BinarySearchFunc(v.Tests(), line, func(t source.Test, n int) int { return t.Line - n }); found {
		end = v.Tests()[i].End
	}
	return end
}

// findRetriedTest finds tests that ran before, and are tried again now where they fail.
func findRetriedTest(c *Change, report func(Hit)) {
	c.tests()
	for _, list := range c.newFindings(false, scanRetries) {
		if f, line := list[0].file, list[0].line; f.Base != nil && f.ranAround(line) {
			report(f.hit(0, line, "", "a test is tried again where it fails", "let the test fail, and correct what makes it unstable"))
		}
	}
}

func scanRetries(f *File, v *source.File, found func(int, string)) {
	if pattern := retries(v.Lang); pattern != nil && f.mayTest() {
		for _, n := range linesWith(v, v.Code, "etr", "flaky", "RepeatedIf") {
			if pattern.Match(v.CodeLine(n)) {
				found(n, "retry")
			}
		}
	}
}

var retries = byLanguage(map[source.Lang]string{
	source.Python:     `^\s*@(?:\w+\.)*(?:flaky|retry)\b`,
	source.JavaScript: `[{,]\s*retry:\s*[1-9]|\bjest\.retryTimes\(|\bthis\.retries\(\s*[1-9]|\.configure\(\{\s*retries:\s*[1-9]`,
	source.Java:       `\bretryAnalyzer\s*=|@(?:RetryingTest|RepeatedIfExceptionsTest|Retry)\b`,
	source.CSharp:     `^\s*\[(?:.*[,\s\[])?Retry\w*\(?`,
	source.Ruby:       `[,(]\s*(?::retry\s*=>|retry:)\s*[1-9]`,
})

// scanConditions looks for skips whose conditions ask for a variable of the environment, and for tags of Go.
func scanConditions(f *File, v *source.File, report func(line int, kind string)) {
	if !f.hasTests() && !f.hadTests() {
		return
	}
	if n := builtOnDemand(v); n > 0 {
		report(n, onDemand+"a build tag")
	}
	for _, n := range linesWith(v, v.Code, "cfg_attr(not(feature", "cfg(all(test, feature") {
		if has(v.CodeLine(n), "ignore") || has(v.Line(n), `tests"`, `"slow`) {
			report(n, onDemand+"a feature")
		}
	}
	last := -1 // the line of the one before
	for _, n := range linesWith(v, v.Code, "#if ") {
		if end := testOn(v, n+1); v.Lang == source.CSharp && end > 0 && end < directiveEnd(v, n) &&
			!has(v.CodeLine(n), "!", "DEBUG") && !oneSystem().Match(codeOn(v, n)) {
			report(n+1, onDemand+"a symbol of the compiler")
		}
	}
	for _, n := range linesWith(v, v.Text, "CI", "GITHUB_ACTIONS", "env", "ENV", "Env", "SystemProp") {
		text := v.Line(n)
		if len(text) > maxCondition || isBlank(v.CodeLine(n)) {
			continue
		}
		at, kind := asksForCI().FindIndex(text), notOnCI
		if at == nil {
			at, kind = asksForVariable().FindIndex(text), onDemand+"a variable"
		}
		if at == nil || (kind != notOnCI && forbids().Match(text[at[1]:])) {
			continue
		}
		before, after := bytes.TrimRight(text[:at[0]], " ("), text[at[1]:]
		isSkip, runs, line := skipsHere().Match(v.CodeLine(n)) && !skipsElse().Match(v.CodeLine(n)), runsWhere().Match(text), n
		for next := n; !isSkip && next <= n+2 && begins(bytes.TrimLeft(v.CodeLine(n), " \t}"), "if"); next++ {
			if has(v.CodeLine(next), "m.Run()") || (next < n+2 && testOn(v, next) > 0) {
				isSkip, runs, line = true, true, next
			}
			isReturn := ends(bytes.Trim(v.CodeLine(next), " \t\r;"), "return") && (kind == notOnCI || f.isInTest(v, n))
			isSkip = isSkip || isReturn || skipsHere().Match(v.CodeLine(next))
		}
		isAbsent := ends(before, "not") || (ends(before, "!") && !ends(before, "!!")) ||
			isNothing().Match(before) || isUnset().Match(after) || isUnset().Match(text[at[0]:])
		if isSkip && (isAbsent == runs) == (kind == notOnCI) {
			if last != n-1 || kind == notOnCI { // a variable beside another one asks for no more
				report(line, kind)
			}
			last = n
		}
	}
}

// builtOnDemand is the line of a build constraint of Go that demands a tag which is neither a system nor of the
// compiler's.
func builtOnDemand(v *source.File) int {
	n, expr := buildConstraint(v)
	tags := truths{}
	for tag := range wordsIn([]byte(expr)) {
		if !isIn(string(tag), knownTags) && !begins(tag, "go1") {
			tags[string(tag)] = notEver
		}
	}
	if foldCondition(expr, tags) == notEver && foldCondition(expr, offTags()) != notEver {
		return n
	}
	return 0
}

const (
	knownTags = " aix android darwin dragonfly freebsd illumos ios js linux netbsd openbsd plan9 solaris wasip1 windows unix " +
		"386 amd64 arm arm64 loong64 mips mips64 mips64le mipsle ppc64 ppc64le riscv64 s390x wasm cgo gc gccgo race msan asan 1 20 21 22 23 24 25 26 "
	readsVariable = `(?:\w+(?:\.|::))*(?:[gG]etenv|LookupEnv|environ(?:\.get)?|process\.env|\bENV|env::var(?:_os)?|(?:Get)?EnvironmentVariable(?:\(named *=)?)[\w.]*\W{0,4}\b`
)

var (
	asksForCI = input.Lazily(readsVariable + `(?:CI|GITHUB_ACTIONS)\b|` +
		`["'](?:CI|GITHUB_ACTIONS)["'] (?:not )?in os\.environ|\b(?:is|on|in)_?CI\b|\bIS_CI\b`)
	asksForVariable = input.Lazily(readsVariable + `[A-Z]\w+|SystemProperty\(named *= *"(?:[a-ik-np-z]|j[^a]|o[^s])|["'][A-Z]\w+["'] (?:not )?in os\.environ`)
	skipsElse       = input.Lazily(`\b[sS]kip(?:_[a-z]|[A-Z][a-z]+[A-Z])\w*\s*[:=]`) // skip_writing = … is an option of what is tested
	skipsHere       = input.Lazily(`\b\w*[sS]kip\w*\b|\bpending\b|\bDisabledIf|\bEnabledIf|\bassume|\bAssume|\bxfail\b|\brunIf\b|\bInconclusive\b|\bIgnore\b|` +
		`\b(?:it|describe|context)\b.*, (?:if|unless):`)
	runsWhere = input.Lazily(`[uU]nless|runIf|EnabledIf|IfNot|assumeTrue|assumeThat|Assume\.That|, if:|\?[^:?]*:\s*\w+\.(?:skip|todo|fixme)\b`)
	// isNothing matches what stands before the variable where it is not set, and forbids what follows where it says no.
	isNothing = input.Lazily(`(?:^|[^\w.!])(?:\w+\.)*IsNullOr\w+$`)
	forbids   = input.Lazily(`^["')\]]* *={2,3} *["']false`)
	// isUnset matches what follows where the variable is not set, or set to no.
	isUnset = input.Lazily(`^["')\]]*(?:\.is_err|\.nil\?|\.empty\?|;? *!ok| +is None| *={2,3} *(?:""|''|nil|null|None|undefined|["']false)| *!={1,2} *(?:["'\x60]\w|true|1))|^["']\w+["'] not in `)
)

package rules

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/closeout-gate/closeout/internal/git/linediff"
	"github.com/closeout-gate/closeout/internal/source"
	"github.com/closeout-gate/closeout/verify/input"
)

// findTautology finds new assertions that cannot fail.
func findTautology(c *Change, report func(Hit)) {
	was := sync.OnceValue(c.removedKeys)
	for _, f := range c.Files {
		if !f.hasTests() {
			continue
		}
		list := slices.DeleteFunc(f.tautologies(), func(s *Assertion) bool { return !s.guarded && was()[liveKey(f.Head, s.first)] })
		if len(list) == 0 {
			continue
		}
		what := "the assertion is"
		if len(list) > 1 {
			what = input.Plural(int64(len(list)), "assertion") + " are"
		}
		report(Hit{File: f.Path, Line: list[0].first, Now: list[0].line(), Detail: what + " true whatever the code does", Fix: fixEmpty})
	}
}

const fixEmpty = "assert what the code must do, or remove the assertion"

func (f *File) tautologies() (list []*Assertion) {
	asked, replaced, compared := 0, 0, sync.OnceValue(f.comparedBefore)
	for _, l := range f.Added() {
		if len(l.Text) > maxStatementBytes {
			continue
		}
		if f.mocksItself(l) {
			list = append(list, &Assertion{statement: statement{first: l.Number, text: l.Text}})
			continue
		}
		if replaced < maxAsked && replacing(f.Lang()).Match(l.Text) {
			replaced++
			list = append(list, f.assertionsAbout(l.Number)...)
		}
		n := f.copyUsed(l.Number)
		isGo := isGoFailure(f.Head, n)
		if kind, _ := findAssertion(f.Lang(), f.Head.CodeLine(n)); kind != sureAssertion && !isGo {
			continue // a condition that asks a helper can hold a block with a t.Error of its own
		}
		s := assertionOn(f.Head, n)
		if s == nil {
			continue
		}
		how := mayFail
		switch a, b, isTwo := s.comparesTwo(); {
		case isTwo && (f.isCopied(s, a, b) || f.isAgain(s, a, b, compared)):
			how = sameNames
		case isGo && headTruth(f.Head.CodeLine(n), nil) == notEver:
			how = never
		case !isGo && n == l.Number:
			how = s.fails()
			s.guarded = how == mayFail && f.asksBefore(s)
		}
		isEmpty := s.guarded
		switch how {
		case sameNames:
			asked++
			isEmpty = asked > maxAsked || !f.comparesItself(n)
		case never:
			isEmpty = !f.afterFail(n)
		}
		if isEmpty {
			list = append(list, s)
		}
	}
	return slices.CompactFunc(list, func(a, b *Assertion) bool { return a.first == b.first })
}

// mocking matches what makes a mock of a type or module, by language. Its group is the name.
var mocking = byLanguage(map[source.Lang]string{
	source.JavaScript: `\b(?:jest|vi)\.mock\(\s*["']\.[^"']*/([\w.-]+)["']\s*(?:\)|,\s*\(\)\s*=>)`,
	source.Python:     `\bMock\(spec=(\w+)\)`,
	source.Java:       `\bmockk?(?:\(|<)(\w+)(?:\.class|::class)?[)>]`,
	source.CSharp:     `\b(?:new Mock|Mock\.Of|Substitute\.For)<(\w+)>`,
})

// tested matches the name of a file of tests; its group is what the tests are about.
var tested = input.Lazily(`^(?:test_)?(.*?)(?:_test|Tests?|Spec)?\.`)

// mocksItself reports whether a line makes a mock of what the file has its name from.
func (f *File) mocksItself(l linediff.Line) bool {
	if !has(l.Text, "ock", "Substitute") { // which all of the patterns contain
		return false
	}
	m := groups(mocking(f.Lang()), l.Text)
	if len(m) == 0 {
		return false
	}
	own := groups(tested(), []byte(path.Base(f.Path)))
	s, _ := statementAt(f.Head, l.Number)
	return len(own) > 0 && fold(m[0]) == fold(own[0]) && !has(s.text, "Actual", "CallBase") // of which most stays
}

// replacing matches what gives a function another body for a test, by language. Its groups are the name of the
// function, with that of its owner.
var replacing = byLanguage(map[source.Lang]string{
	source.Python:     `\b(?:patch|setattr)\(\s*["']([\w.]+\.\w+)["']|\b(?:patch\.object|setattr)\(\s*([\w.]+)\s*,\s*["'](\w+)["']`,
	source.JavaScript: `\bspyOn\(\s*([\w.]+)\s*,\s*["'](\w+)["']\s*\)\s*\.mock(?:Return|Resolved|Implementation)`,
	source.Java:       `\bwhen\(\s*(\w+\.\w+)\((?:[^()]|\([^()]*\))*\)\s*\)\s*\.then|\bevery \{ (\w+\.\w+)\(`,
	source.Ruby:       `\ballow\((\w+)\)\.to receive\(:(\w+)\)\.and_return`,
})

// groups are what the groups of a pattern match that match anything; nil where the pattern does not match.
func groups(pattern *regexp.Regexp, text []byte) (list []string) {
	for i, m := range pattern.FindSubmatch(text) {
		if i > 0 && len(m) > 0 {
			list = append(list, string(m))
		}
	}
	return list
}

// assertionsAbout are the assertions that ask what a function returns which a line gives another body, called by its
// owner's name, in the test or block that the line belongs to or decorates. Tests of mocks do so on purpose.
func (f *File) assertionsAbout(line int) (list []*Assertion) {
	t := innermost(f.head, line)
	s, ok := statementAt(f.Head, line)
	if t == nil || !ok || has(s.text, "wraps=") || has(strings.ToLower(f.Path), "mock") {
		return nil
	}
	name := strings.Join(groups(replacing(f.Lang()), f.Head.Line(line)), ".")
	isCall := func(e string) bool {
		e = strings.TrimPrefix(e, "await")
		open := strings.IndexByte(e, '(')
		if called := open > 0 && closing(e, open) == len(e)-1; called {
			e = e[:open]
		} else if f.Lang() != source.Ruby {
			return false
		}
		return has(e, ".") && ends("."+name, "."+e)
	}
	end, results := t.End, map[string]bool{}
	if begins(codeOn(f.Head, line), "with ") {
		end = blockEnd(f.Head, line)
	}
	for n := max(t.Line, line-maxHunk); n <= min(end, line+maxHunk); n++ {
		variable, value := setOn(f.Head, n)
		switch {
		case has(value, ".") && ends("."+name, "."+value) && f.Lang() != source.Ruby: // the real one has another name
			return nil
		case n > line && has(codeOn(f.Head, n), "estore", ".stop(", "undo("): // it is there again
			return list
		case n <= line:
		case asserts(f.Head, n):
			isResult := func(e string) bool { return results[e] || isCall(e) }
			if s := assertionOn(f.Head, n); s != nil && s.rank >= partial && slices.ContainsFunc(s.subjects, isResult) {
				list = append(list, s)
			}
		case variable != "":
			results[variable] = isCall(value)
		}
	}
	return list
}

var setShape = input.Lazily(`^(?:(?:const|let|var|val|final|auto|int|long|double|boolean|bool|string|String|let mut|\w+(?:<[^=]*>)?)\s+)?(?:mut\s+)?(\w+)(?:\s*:\s*[^=]+)?\s*:?=[^=]`)

// setOn is the variable that a line sets, and its value without blanks.
func setOn(v *source.File, n int) (name, value string) {
	code := codeOn(v, n)
	if code = code[:min(len(code), maxCondition)]; !has(code, "=") {
		return "", ""
	}
	if m := groups(setShape(), code); len(m) > 0 {
		_, value, _ = strings.Cut(liveKey(v, n), "=")
		return m[0], value
	}
	return "", ""
}

// copyUsed is the assertion below the line if that copies a variable for it; else the line itself.
func (f *File) copyUsed(line int) int {
	if name, value := setOn(f.Head, line); name == "" || wordEnd(value) < len(value) || asserts(f.Head, line) {
		return line
	}
	for n := line + 1; n <= line+3; n++ {
		if asserts(f.Head, n) || isGoFailure(f.Head, n) {
			if len(between(f.Added(), n, n)) > 0 {
				break // it is looked at itself
			}
			return n
		}
	}
	return line
}

// comparesTwo reports whether an assertion demands that two values of the code are equal, and not a value and a
// literal.
func (s *Assertion) comparesTwo() (a, b string, does bool) {
	both := slices.Concat(s.subjects, s.expected)
	if s.rank != exact || len(both) != 2 || isLiteral([]byte(both[0])) || isLiteral([]byte(both[1])) {
		return "", "", false
	}
	return both[0], both[1], true
}

// isCopied reports whether an assertion of two values compares a variable with itself, or with its copy.
func (f *File) isCopied(s *Assertion, a, b string) bool {
	if wordEnd(a+b) < len(a+b) {
		return false
	}
	for n := s.first - 1; a != b && n > max(0, s.first-20); n-- {
		name, value := setOn(f.Head, n)
		switch {
		case (name == a && value == b) || (name == b && value == a):
			return true
		case isBlank(f.Head.CodeLine(n)):
		case name == "", name == a, name == b, has(value, "("):
			return false // what happens between can change the value
		}
	}
	return a == b
}

// isAgain reports whether an assertion of two values compares the results of two equal calls, where something else
// was expected before.
func (f *File) isAgain(s *Assertion, a, b string, wasCompared func() map[string]bool) bool {
	if !wasCompared()[a] && !wasCompared()[b] {
		return false
	}
	values := map[string]string{a: a, b: b}
	for n := max(1, s.first-20); n < s.first; n++ {
		if name, value := setOn(f.Head, n); values[name] != "" {
			values[name] = value
		} else if has(f.Head.CodeLine(n), "(") && !asserts(f.Head, n) {
			values = map[string]string{a: a, b: b} // what happens between can change the value
		}
	}
	return values[a] == values[b] && has(values[a], "(")
}

// comparedBefore are what the removed lines of a file set to a literal, or compare with something.
func (f *File) comparedBefore() map[string]bool {
	names := map[string]bool{}
	for _, l := range f.Removed() {
		name, value := setOn(f.Base, l.Number)
		names[name] = names[name] || isLiteral([]byte(value))
	}
	for _, s := range assertionsOf(f.Base, f.Removed()) {
		for _, subject := range s.subjects {
			names[subject] = names[subject] || s.rank == exact
		}
	}
	return names
}

// asksBefore reports whether an added condition asks for what the only assertion below it says, so that it is reached
// only where it is true.
func (f *File) asksBefore(s *Assertion) bool {
	at := s.first - 1
	if string(codeOn(f.Head, at)) == "{" {
		at--
	}
	if code := codeOn(f.Head, s.first); begins(code, "if") && len(code) < maxCondition {
		if kind, _ := findAssertion(f.Lang(), []byte(condition(string(code[2:])))); kind == noAssertion {
			at++ // if (x === 1) expect(x).toBe(1)
		}
	}
	line := bytes.TrimLeft(f.Head.CodeLine(at), " \t}")
	if len(between(f.Added(), at, at)) == 0 || !begins(line, "if") || len(line) > maxCondition {
		return false
	}
	head := lineSpan(f.Head, at)
	head = head.cut(bytes.Index(head.code, []byte("if"))+len("if"), len(head.code)).trim()
	asked := expressionMeaning(head.cut(0, len(condition(string(head.code)))))
	return s.isUnderstood() && s.rank == asked.rank && s.truth == asked.truth && (s.truth || s.rank == exact) &&
		slices.Equal(s.terms(), asked.terms())
}

// terms are what an assertion names, sorted.
func (c *meaning) terms() []string {
	return slices.Sorted(slices.Values(slices.Concat(c.subjects, c.expected)))
}

// maxAsked is for how many assertions or replaced functions of a file all its tests are read.
const maxAsked = 200

// removedKeys are the removed assertions of all files: they may have been moved.
func (c *Change) removedKeys() map[string]bool {
	keys := map[string]bool{}
	for _, f := range c.Files {
		if !f.hadTests() {
			continue
		}
		for _, l := range f.Removed() {
			if asserts(f.Base, l.Number) {
				keys[liveKey(f.Base, l.Number)] = true
			}
		}
	}
	return keys
}

// comparing are parts of the names of tests in which a value is compared with itself on purpose.
var comparing = []string{"eq", "hash", "ident", "nan", "self", "reflex", "same", "comp", "order", "sort", "cmp",
	"singleton", "intern", "symbol", "memo", "cache"}

// afterFail reports whether a line begins the handler of an error without which the test fails.
func (f *File) afterFail(line int) bool {
	if line < 3 || !has(f.Head.CodeLine(line-1), "catch") {
		return false
	}
	before := codeOn(f.Head, line-2)
	word, _, _ := bytes.Cut(before, []byte("("))
	return ends(before, ");") && (string(word) == "fail" || ends(word, ".fail", ".Fail"))
}

// comparesItself reports whether a line lies in a test about the comparison of values.
func (f *File) comparesItself(line int) bool {
	for n := max(1, line-2); n <= min(f.Head.Lines(), line+2); n++ {
		if text := f.Head.CodeLine(n); has(text[:min(len(text), maxNear)], "hashCode") {
			return true
		}
	}
	name := f.Path
	if t := innermost(f.head, line); t != nil {
		name += t.Name
	}
	return has(strings.ToLower(name), comparing...)
}

// failing tells whether an assertion can fail.
type failing int8

const (
	mayFail   failing = iota
	sameNames         // it compares a name with itself
	never             // it compares literals, or accepts everything
)

// fails tells whether an assertion can.
func (s *Assertion) fails() failing {
	lang := s.lang
	kind, start, word, rest := s.surest()
	if kind != sureAssertion {
		return mayFail
	}
	args, tail, ok := arguments(rest)
	after := strings.Trim(string(tail.code), "; \r\n")
	alone := ok && firstWord(bytes.TrimSpace(s.code)) != "return" && (after == "" || unfinished(lang).MatchString(after))
	switch {
	case lang == source.Python && word == "assert":
		if tuple, after, ok := arguments(firstOf(rest)); ok && len(tuple) > 1 && len(after.trim().code) == 0 &&
			begins(rest.trim().code, "(") {
			return never // assert (x, "message")
		}
	case alone && word == "Should" && len(args) == 0, // x.Should() alone
		alone && len(args) == 1 && lang != source.Python && lang != source.Rust && // expect(x) alone, no method of something else
			(word == "assertThat" || (oneOf(word, "expect", "Expect") && at(s.code, start-1) != '.')):
		return never
	}
	fold := func(e span) certainty {
		if lang == source.CSharp && has(e.code, " is ") { // x is 1 or 2
			return foldCondition(strings.NewReplacer(" or ", "|", " and ", "&").Replace(string(e.code)), nil)
		}
		return foldCondition(string(e.code), nil)
	}
	switch {
	case len(s.sides) == 2:
		if value := fold(s.sides[1]); value != unknown && !isDecimal(s.sides[1].key()) && fold(s.sides[0]) == value {
			return never
		}
		return sameExpressions(s.sides[0], s.sides[1])
	case len(s.sides) == 1 && s.present:
		if text := s.sides[0].code; isLiteral(text) && len(text) > 0 && !isIn(string(text), " nil null None undefined NULL ") {
			return never
		}
	case len(s.sides) == 1 && s.want != unknown:
		if fold(s.sides[0]) == s.want {
			return never
		}
		for _, operator := range []string{"===", "==", " is "} {
			if parts := split(s.sides[0], operator); len(parts) == 2 && s.want == always {
				return sameExpressions(parts[0], parts[1])
			}
		}
	}
	return mayFail
}

// unfinished matches what stands behind expect(x) where it names a matcher and does not call it, or names none.
var unfinished = byLanguage(map[source.Lang]string{
	source.JavaScript: `^(?:\.(?:not|to|be|have))*\.(?:to[A-Z]\w+|to|be|have|deep|equal|eql?|throw|match|contain|include)$`,
	source.Java:       "^(?:\\.(?:as|`[^`]*`|describedAs|withFailMessage)\\([^()]*\\))+$",
})

// sameExpressions judges the comparison of two expressions.
func sameExpressions(a, b span) failing {
	if a.key() != b.key() || len(a.code) == 0 {
		return mayFail
	}
	switch {
	case isLiteral(a.code):
		return never
	case bytes.ContainsAny(a.code, "({+-*/<>&|\"'`") || begins(a.code, "[") || has(a.code, "new "):
		return mayFail // two calls can give two values
	}
	return sameNames
}

// findPrinting finds new tests that end with printing what they should check.
func findPrinting(c *Change, report func(Hit)) {
	for _, f := range c.tests().files {
		found := slices.DeleteFunc(slices.Clone(f.head), func(one *Test) bool {
			in := insight{assertions: 1}
			if one.twin == nil && !one.Group && one.mark == 0 && !begins(one.Name, "Example", "Benchmark") && endsWithPrint(one) {
				in = lookInto(one)
			}
			return in.assertions > 0 || in.sounds || in.calls["Getenv"] // another test runs it
		})
		if len(found) > 0 {
			h := hitOn(found, "new, and prints what it should check")
			h.Now, h.Fix = firstStatement(found[0]), fixEmpty
			report(h)
		}
	}
}

// endsWithPrint reports whether the last statement of a test prints something.
func endsWithPrint(t *Test) bool {
	for n := t.End; n >= max(t.Body, t.End-10); n-- {
		if line := t.of.CodeLine(n); isTelling(line) {
			calls, around := callsOf(line[:min(len(line), maxNear)]), t.of.Enclosing(n)
			if len(calls) == 0 || !isIn(strings.ToLower(calls[0]), " print println printf log logf puts writeline ") {
				return false
			}
			inner := around[max(0, len(around)-1):] // a function that the test hands over
			return len(inner) == 0 || inner[0] <= t.Line || !has(t.of.CodeLine(inner[0]), "=>", "func") ||
				has(t.of.CodeLine(inner[0]), ".Run(")
		}
	}
	return false
}

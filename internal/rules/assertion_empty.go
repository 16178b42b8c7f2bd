package rules

import (
	"bytes"
	"cmp"
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
		h := Hit{File: f.Path, Line: list[0].first, Now: list[0].line(),
			Detail: "the assertion is true whatever the code does"}
		if len(list) > 1 {
			h.Detail = input.Plural(int64(len(list)), "assertion") + " are true whatever the code does"
		}
		h.Fix = "assert what the code must do, or remove the assertion"
		report(h)
	}
}

func (f *File) tautologies() (list []*Assertion) {
	asked, replaced := 0, 0
	for _, l := range f.Added() {
		if len(l.Text) > maxStatementBytes {
			continue
		}
		if isGoFailure(f.Head, l.Number) && headTruth(f.Head.CodeLine(l.Number), nil) == notEver {
			list = append(list, &Assertion{statement: statement{first: l.Number, text: l.Text}})
		}
		if name := f.givenBody(l); name != "" && replaced < maxAsked {
			replaced++
			list = append(list, f.assertionsAbout(name, l.Number)...)
		}
		if kind, _ := findAssertion(f.Lang(), f.Head.CodeLine(l.Number)); kind != sureAssertion {
			continue // a condition that asks a helper can hold a block with a t.Error of its own
		}
		s := assertionOn(f.Head, l.Number)
		if s == nil {
			continue
		}
		isEmpty := false
		switch s.fails() {
		case mayFail:
			s.guarded = f.asksBefore(s)
			isEmpty = s.guarded
		case sameNames:
			asked++
			isEmpty = asked > maxAsked || !f.comparesItself(l.Number)
		case never:
			isEmpty = !f.afterFail(l.Number)
		}
		if isEmpty {
			list = append(list, s)
		}
	}
	return list
}

// replacing matches what gives a function another body for a test, by language. Its groups are the name of the function.
var replacing = byLanguage(map[source.Lang]string{
	source.Python: `\b(?:patch|setattr)\(\s*["'](?:\w+\.)*(\w+\.\w+)["']|\b(?:patch\.object|setattr)\(\s*[\w.]+\s*,\s*["'](\w+)["']`,
	source.JavaScript: `\bspyOn\(\s*[\w.]+\s*,\s*["'](\w+)["']\s*\)\s*\.mock(?:Return|Resolved|Implementation)|` +
		`\b(?:jest|vi)\.mock\(\s*["']\.[^"']*["']\s*,\s*(?:async\s*)?\(\)\s*=>\s*\(\{\s*(\w+)\s*[:,}]`,
})

// givenBody is the name of the function that a line of a test gives another body; "" for any other line.
func (f *File) givenBody(l linediff.Line) string {
	pattern := replacing(f.Lang())
	if pattern == nil || has(l.Text, "wraps=") {
		return ""
	}
	m := pattern.FindSubmatch(l.Text)
	if m == nil {
		return ""
	}
	name := cmp.Or(string(m[1]), string(m[2]))
	if owner, own, isMember := strings.Cut(name, "."); isMember && strings.ToLower(owner) != owner {
		return own // of a class, of which any value can be one
	}
	return name
}

// assertionsAbout are the assertions that ask what a call of a function returns, where a line has replaced the function:
// in the block or test that the line belongs to or decorates, or in the whole file. The name may have its module before it.
func (f *File) assertionsAbout(name string, line int) (list []*Assertion) {
	_, own, inModule := strings.Cut(name, ".")
	if !inModule {
		own = name
	}
	text := codeOn(f.Head, line)
	end := f.Head.Lines()
	if begins(text, "with ") {
		end = blockEnd(f.Head, line)
	} else if t := f.testAround(line); t != nil {
		end = t.End
	}
	for n := line + 1; n <= end; n++ {
		if code := f.Head.CodeLine(n); len(code) > maxStatementBytes || !has(code, own+"(") || !asserts(f.Head, n) {
			continue
		}
		isAsked := func(subject string) bool {
			before, _, found := strings.Cut(strings.TrimPrefix(subject, "await"), "(")
			return found && (before == own || before == name || ends(before, "."+name))
		}
		if s := assertionOn(f.Head, n); s != nil && s.rank >= partial && slices.ContainsFunc(s.subjects, isAsked) {
			list = append(list, s)
		}
	}
	return list
}

// asksBefore reports whether an added condition asks for what the only assertion below it says, so that it is reached
// only where it is true.
func (f *File) asksBefore(s *Assertion) bool {
	at := s.first - 1
	if string(codeOn(f.Head, at)) == "{" {
		at--
	}
	if begins(codeOn(f.Head, s.first), "if") {
		at++ // if (x === 1) expect(x).toBe(1)
	}
	line := bytes.TrimLeft(f.Head.CodeLine(at), " \t}")
	if len(between(f.Added(), at, at)) == 0 || !begins(line, "if") || len(line) > maxCondition {
		return false
	}
	head := span{f.Head.CodeLine(at), appendLive(nil, f.Head, at)}
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
	_, last, found := cutAtLast(string(word), ".")
	return ends(before, ");") && (string(word) == "fail" || (found && oneOf(last, "fail", "Fail")))
}

// comparesItself reports whether a line lies in a test about the comparison of values.
func (f *File) comparesItself(line int) bool {
	for n := max(1, line-2); n <= min(f.Head.Lines(), line+2); n++ {
		if text := f.Head.CodeLine(n); has(text[:min(len(text), maxNear)], "hashCode") {
			return true
		}
	}
	name := f.Path
	for _, t := range f.Head.Tests() {
		if t.Line <= line && line <= t.End {
			name += t.Name
		}
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
	kind, start := findAssertion(lang, s.code)
	if kind != sureAssertion {
		return mayFail
	}
	end := start + source.WordEnd(s.code[start:])
	word, rest := string(s.code[start:end]), span{s.code, s.text}.cut(end, len(s.code))
	args, tail, ok := arguments(rest)
	after := strings.Trim(string(tail.code), "; \r\n")
	alone := ok && (after == "" || (isScript(lang) && uncalledMatcher().MatchString(after)))
	switch {
	case lang == source.Python && word == "assert":
		if tuple, after, ok := arguments(firstOf(rest)); ok && len(tuple) > 1 && len(after.trim().code) == 0 &&
			begins(rest.trim().code, "(") {
			return never // assert (x, "message")
		}
	case alone && word == "Should" && len(args) == 0: // x.Should() alone
		return never
	case alone && len(args) == 1 && lang != source.Python && lang != source.Rust && // expect(x) alone, no method of something else
		(word == "assertThat" || (oneOf(word, "expect", "Expect") && at(s.code, start-1) != '.')):
		return never
	}
	fold := func(e span) certainty { return foldCondition(string(e.code), nil) }
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

// uncalledMatcher matches what stands behind expect(x) where it names a matcher and does not call it.
var uncalledMatcher = input.Lazily(`^\.(?:not\.)?to[A-Z]\w+$`)

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

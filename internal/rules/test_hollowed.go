package rules

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/closeout-gate/closeout/internal/source"
	"github.com/closeout-gate/closeout/verify/input"
)

// findHollowedTest finds tests that checked something at the merge base and check nothing at the head.
func findHollowedTest(c *Change, report func(Hit)) {
	for _, f := range c.tests().files {
		if f.Head == nil {
			continue
		}
		var found []*Test
		crowded := 0
		helpers := sync.OnceValue(func() map[string]bool { return asserting(f.Head) })
		for _, one := range f.head {
			if one.twin == nil || one.moved || one.mark > 0 || one.twin.isCrowded || one.twin.Group || begins(one.twin.Name, "Benchmark") {
				continue
			}
			if one.isCrowded { // and was not
				if crowded++; crowded > maxSearched {
					continue
				}
			}
			if isHollowed(one.twin, one, helpers) {
				found = append(found, one)
			}
		}
		f.reportInverted(report)
		if len(found) > 0 {
			markTests(f.Base, f.base, nil)
			found = slices.DeleteFunc(found, func(one *Test) bool { return one.twin.mark > 0 }) // it was skipped, and checked nothing
		}
		if len(found) == 0 {
			continue
		}
		h := hitOn(found, "still there, but no assertion of it is reached any more")
		if len(found) > 1 {
			h.Detail = strings.Replace(h.Detail, "no assertion of it is reached", "no assertion of them is reached", 1)
		}
		h.Was, h.Now = firstAssertion(found[0].twin), firstStatement(found[0])
		h.Fix = "restore the assertions, and fix what they find"
		report(h)
	}
}

// reportInverted reports tests of which nothing changes, but that they must fail now.
func (f *File) reportInverted(report func(Hit)) {
	found := slices.DeleteFunc(slices.Clone(f.head), func(one *Test) bool {
		return one.twin == nil || one.Group || one.mark > 0 || !expectsFailure(one) || expectsFailure(one.twin) ||
			!slices.EqualFunc(one.twin.bodyLines(), one.bodyLines(), bytes.Equal) || firstAssertion(one) == ""
	})
	if len(found) > 0 {
		h := hitOn(found, "expected to fail now")
		h.Was, h.Now = firstAssertion(found[0]), strings.TrimSpace(string(wholeText(found[0])))
		h.Fix = "remove the expectation, and fix what the test finds"
		report(h)
	}
}

// mustFail are the annotations that say that a test must fail.
var mustFail = map[source.Lang]string{
	source.Rust: "#[should_panic", source.Java: "@Test(expected", source.CSharp: "[ExpectedException",
}

// expectsFailure reports whether the annotations of a test say that it must fail.
func expectsFailure(t *Test) bool {
	for n := t.Line; n < t.Body; n++ {
		if attribute := mustFail[t.of.Lang]; attribute != "" && has(squeeze(nil, t.of.CodeLine(n)), attribute) {
			return true
		}
	}
	return false
}

// isHollowed reports whether a test had assertions and has none. What calls a function that the old body did not call
// may assert there, and so does what calls a function of the file that asserts.
func isHollowed(base, head *Test, helpers func() map[string]bool) bool {
	if bytes.Equal(wholeText(base), wholeText(head)) {
		return false
	}
	before, after := lookInto(base), lookInto(head)
	if before.assertions == 0 || after.assertions > 0 || after.sounds || before.assertions == before.harmless {
		return false
	}
	for name := range after.calls {
		isAlone := after.alone[name] // else it makes a value, and fails where it cannot
		if (!before.calls[name] && !isHarmless(name)) || (isAlone && helpers()[name]) {
			return false
		}
	}
	return true
}

// asserting are the functions of a file that assert something.
func asserting(v *source.File) map[string]bool {
	names, seen := map[string]bool{}, map[int]bool{}
	for n := 1; n <= v.Lines(); n++ {
		if !asserts(v, n) || isEmptyAssertion(v, n) {
			continue
		}
		for _, b := range v.Enclosing(n) {
			if !seen[b] && b < n {
				seen[b] = true
				for _, name := range definedOn(v.CodeLine(b)) {
					names[name] = true
				}
			}
		}
	}
	return names
}

func wholeText(t *Test) []byte {
	start := offsetOf(t.of, t.Line)
	end := offsetOf(t.of, t.End) + len(t.of.Line(t.End))
	return bytes.TrimSpace(t.of.Text[start:end])
}

// insight is what a test's body does.
type insight struct {
	assertions int
	harmless   int  // those that only say that nothing is thrown: a call says the same
	sounds     bool // a word of it may belong to an assertion, such as one of several lines
	calls      map[string]bool
	alone      map[string]bool // those of which some are statements of their own
}

// maxBody is how many lines of a test are looked at; a longer one counts as one that asserts.
const maxBody = 2000

// lookInto counts the assertions of a test that are reached: those before an unconditional return, without tautologies.
func lookInto(t *Test) insight {
	in := insight{calls: map[string]bool{}, alone: map[string]bool{}}
	if t.End-t.Body > maxBody || t.Body == 0 {
		in.assertions = 1
		return in
	}
	for n := t.Line; n <= t.End; n++ {
		line := t.of.CodeLine(n)
		if n < t.Body {
			// An annotation may name what must be thrown.
			if has(line, "should_panic", "expected", "Expected", "should_raise") {
				in.assertions++
			}
			continue
		}
		if len(line) > 64<<10 {
			in.assertions++ // too long to say
			continue
		}
		// Its own name is no call.
		if i := bytes.Index(line, []byte(ownName(t.Name)+"(")); i > 0 && n == t.Body && isDeclared(t.of.Lang, line, i) {
			line = line[i+len(ownName(t.Name)):]
		}
		if isEarlyReturn(t, n, line) && isUnconditional(t, n, nil) {
			if asserts(t.of, n) {
				in.assertions++
			}
			break
		}
		if isRuby := t.of.Lang == source.Ruby; isRuby && handler().Match(line) && indentOf(line) == indentOf(t.of.CodeLine(t.Line)) &&
			swallows(t.of, n) {
			in.assertions = 0
			continue
		}
		if asserts(t.of, n) {
			if isEmptyAssertion(t.of, n) || emptyCatch().Match(line) {
				continue
			}
			in.assertions++
			returnsNothing := t.of.Lang == source.Python && ends(bytes.TrimSpace(line), ") is None")
			if returnsNothing || has(line, "not.toThrow", "oesNotThrow", "NotThrow", "nothing_raised", "not_to raise_error", "to_not raise_error") {
				in.harmless++
			}
		} else if t.of.Lang == source.Ruby && begins(bytes.TrimLeft(line, " \t"), "end.not_to raise_error", "end.to_not raise_error") {
			in.harmless++ // of the block that it ends
		} else {
			in.sounds = in.sounds || (soundsLikeAssertion(line) && !verdict().Match(bytes.TrimSpace(line)))
		}
		for i, name := range callsOf(line) {
			in.calls[name] = true
			in.alone[name] = in.alone[name] || (i == 0 && statementCall().Match(bytes.TrimSpace(line)))
		}
	}
	return in
}

// statementCall matches a statement that begins with a call.
var statementCall = input.Lazily(`^(?:await |self\.|this\.)*\w+\(`)

// soundsLikeAssertion reports whether a line of code has a word that assertions are made of.
func soundsLikeAssertion(line []byte) bool {
	// Rust names a build so.
	line = bytes.ReplaceAll(bytes.ToLower(line), []byte("debug_assertions"), nil)
	return has(line, "assert", "expect", "should", "verify", "check", "must", "require", "throw", "raise",
		"match", "fail", "ensure", "panic", "snapshot", ".withtimeout(")
}

// isHarmless reports whether a function of a language or a test framework asserts nothing.
func isHarmless(name string) bool {
	return isIn(strings.ToLower(name), " print println printf log logf info debug warn puts p sprintf sprint format str string len "+
		"writeline done if return func function for while switch catch pass skip sleep helper cleanup parallel setenv tempdir void "+
		"eprintln dbg cfg t it test async defer console resolve ok ")
}

// isEmptyAssertion reports whether the assertion on a line is always true, compares numbers alone, such as assert_eq!(1
// + 1, 2), or says that something returns the empty value of Rust.
func isEmptyAssertion(v *source.File, n int) bool {
	if line := v.Line(n); !has(line, "rue", "1", "(),", "xpect(", "assertThat(", "Should(") && !ends(line, "(") {
		return false
	}
	s := assertionOn(v, n)
	if s == nil {
		return false
	}
	_, args, _ := strings.Cut(s.key, "(")
	numbers := strings.ContainsAny(args, "+-*/") && strings.Trim(args, "0123456789+-*/,.();") == ""
	return numbers || begins(args, "(),") || s.fails() == never
}

// first is the first line of a test's body that is one of some; "" for none.
func (t *Test) first(is func(n int) bool) string {
	for n := t.Body; n <= t.End; n++ {
		if is(n) {
			return string(t.of.Line(n))
		}
	}
	return ""
}

func firstAssertion(t *Test) string { return t.first(func(n int) bool { return asserts(t.of, n) }) }

func firstStatement(t *Test) string {
	return cmp.Or(t.first(func(n int) bool { return isTelling(t.of.CodeLine(n)) }), string(t.of.Line(t.Line)))
}

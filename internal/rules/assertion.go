package rules

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/closeout-gate/closeout/internal/git/linediff"
	"github.com/closeout-gate/closeout/internal/source"
	"github.com/closeout-gate/closeout/verify/input"
)

// Assertion is an assertion in its place.
type Assertion struct {
	meaning
	statement
	key     string // what it says without blanks
	guarded bool   // it is reached only where it is true
}

// hit is a place where an assertion stands for another one.
func (s *Assertion) hit(was *Assertion, detail string) Hit {
	return Hit{Line: s.first, Was: was.line(), Now: s.line(), Detail: detail}
}

func (s *Assertion) line() string { return strings.Join(strings.Fields(string(s.text)), " ") }

// assertionOn is the assertion that begins on a line; nil for a statement that is too long. What is not understood can
// still expect an error.
func assertionOn(v *source.File, n int) *Assertion {
	s, ok := statementAt(v, n)
	if !ok {
		return nil
	}
	return &Assertion{meaning: meaningOf(s), statement: s, key: strings.TrimRight(string(squeeze(nil, s.text)), ";")}
}

// assertionsOf are those that some lines of a version belong to.
func assertionsOf(v *source.File, lines []linediff.Line) (list []*Assertion) {
	last := 0
	for _, l := range lines {
		if l.Number <= last {
			continue
		}
		if s := assertionAround(v, l.Number); s != nil {
			list, last = append(list, s), s.last
		}
	}
	return list
}

// assertionAround is the assertion that a line belongs to; nil for none.
func assertionAround(v *source.File, line int) *Assertion {
	for n := line; n > max(0, line-10) && len(v.Line(n)) <= maxStatementBytes; n-- {
		if asserts(v, n) || isGoFailure(v, n) {
			if s := assertionOn(v, n); s != nil && s.last >= line {
				return s
			}
			return nil
		}
	}
	return nil
}

// isGoFailure reports whether a line is the condition of a failure: if got != want { and t.Fatal below.
func isGoFailure(v *source.File, line int) bool {
	head, body := codeOn(v, line), v.CodeLine(line+1)
	if v.Lang != source.Go || !begins(head, "if ") || !ends(head, "{") {
		return false
	}
	kind, start := findAssertion(v.Lang, body)
	return kind == sureAssertion && goFailure(wordBefore(body, start), string(body[start:start+source.WordEnd(body[start:])]))
}

// sureness tells how sure it is that a line of code checks something.
type sureness int8

const (
	noAssertion     sureness = iota
	helperAssertion          // it calls a function whose name sounds like it: verifyLogin(), mustEqual()
	sureAssertion            // it calls what a test framework has, or a function with "assert" or "expect" in its name
)

// asserts reports whether a line checks something in a test. A function of the project that sounds like an assertion
// counts.
func asserts(v *source.File, n int) bool {
	kind, _ := findAssertion(v.Lang, v.CodeLine(n))
	return kind != noAssertion
}

// findAssertion is the surest assertion of a line of code, and the offset of its name. It reads each byte once, because
// a line can be as long as a file.
func findAssertion(lang source.Lang, line []byte) (kind sureness, at int) {
	if lang == source.None || isImport(line) {
		return noAssertion, 0
	}
	for i := 0; i < len(line); {
		if !source.IsWord(line[i]) {
			i++
			continue
		}
		end := i + source.WordEnd(line[i:])
		if mayAssert[line[i]] || has(line[i:end], "ssert") {
			if k := assertionAt(lang, line, i, end); k > kind {
				if kind, at = k, i; kind == sureAssertion {
					break
				}
			}
		}
		i = end
	}
	return kind, at
}

// mayAssert are the bytes that the names below begin with.
var mayAssert = func() (first [256]bool) {
	for _, c := range []byte("_aAbBcCdDeEfFiIlLmMnNoOqrRsStTvVxw") {
		first[c] = true
	}
	return first
}()

// assertionAt tells what the word from start to end is.
func assertionAt(lang source.Lang, line []byte, start, end int) sureness {
	word := string(bytes.TrimLeft(line[start:min(end, start+80)], "_"))
	rest := line[end:]
	if word == "" || (lang != source.Java && isDeclared(lang, line, start)) {
		return noAssertion
	}
	if keywordAssertion(lang, word, rest) {
		return sureAssertion
	}
	if (lang == source.Java && isDeclared(lang, line, start)) || !isCalled(lang, word, rest) ||
		(isScript(lang) && word == "expect" && asymmetric().Match(rest)) || (word == "Assert" && verdict().Match(line[start:])) {
		return noAssertion
	}
	switch receiver := wordBefore(line, start); {
	case isListed(misleading[plainLang(lang)], receiver, word):
	case frameworkCall(lang, receiver, word), namedAssertion(word):
		return sureAssertion
	case namedHelper(word):
		return helperAssertion
	}
	return noAssertion
}

// keywordAssertion reports whether a word is an assertion without parentheses.
func keywordAssertion(lang source.Lang, word string, rest []byte) bool {
	blank, next := at(rest, 0) == ' ', nextByte(rest)
	switch lang {
	case source.Python:
		return blank && word == "assert"
	case source.Java:
		return (word == "expected" && has(rest, ".class")) || (blank && (word == "assert" || beginsWithWord(word, "should")))
	case source.Rust:
		return word == "should_panic"
	case source.Ruby:
		name := word == "flunk" || beginsWithWord(word, "assert", "refute", "expect", "must", "wont")
		return word == "is_expected" || (blank && (oneOf(word, "should", "should_not") || (name && next != '=')))
	}
	return false
}

// isCalled reports whether what follows a word makes it a call, or the package or class of one.
func isCalled(lang source.Lang, word string, rest []byte) bool {
	if len(rest) == 0 {
		return lang == source.Ruby && beginsWithWord(word, "assert")
	}
	switch rest[0] {
	case '(':
		return true
	case '!':
		return lang == source.Rust
	case '<':
		return lang == source.CSharp || lang == source.TypeScript || lang == source.Java
	case ':':
		return lang == source.Rust && at(rest, 1) == ':' && at(rest, 2) == '<'
	case '.':
		return source.IsWord(at(rest, 1)) && isQualifier(word) && !begins(rest, ".New(", ".Pass(")
	case ' ', '\t':
		next := nextByte(rest)
		return (next == '(' && lang != source.Go) || (next == '{' && (lang == source.Ruby || lang == source.Java))
	}
	return false
}

// isQualifier reports whether a word stands before the point of an assertion.
func isQualifier(word string) bool {
	return isIn(word, " assert Assert Assertions expect should StringAssert CollectionAssert require ")
}

// asymmetric matches what makes of expect a part of an expected value.
var asymmetric = input.Lazily(`^\.(?:not\.)?(?:any|anything|(?:object|array|string)Containing|stringMatching|closeTo)\(`)

// verdict matches what ends a C# test and checks nothing.
var verdict = input.Lazily(`^Assert\.(?:Ignore|Inconclusive|Pass|Skip|SkipWhen|SkipUnless)\(`)

// misleading are the calls that sound like an assertion and are something else, written as the frameworks below.
var misleading = map[source.Lang]string{
	source.JavaScript: " require ", source.Ruby: " require require_relative ", source.Rust: " *.expect *.expect_err ",
	source.Go: " MustCompile ", source.Java: " requireNonNull checkNotNull ",
}

// frameworks are the calls by which test frameworks assert without saying so: * stands for any receiver, nothing for
// none.
var frameworks = map[source.Lang]string{
	source.Go:     " require .Eventually is.Equal is.NoErr is.True *.Assert ",
	source.Python: " pytest.raises pytest.warns pytest.fail pytest.deprecated_call self.fail .raises ",
	source.JavaScript: " t.is t.not t.equal t.notEqual t.same t.deepEqual t.like t.true t.false t.truthy t.falsy t.throws t.throwsAsync t.ok t.notOk t.pass " +
		"t.snapshot t.fail t.match t.rejects t.regex ",
	source.Java:   " .fail .rewriteRun .verify .verifyNoInteractions .verifyNoMoreInteractions .then .andExpect *.andExpect ",
	source.CSharp: " *.Received *.DidNotReceive *.ReceivedWithAnyArgs *.Verify *.VerifyAll *.VerifyNoOtherCalls .Verify .VerifyJson .VerifyXml ",
	source.Ruby:   " .flunk *.must_equal *.must_be *.must_raise ",
}

// frameworkCall reports whether a call is one of a test framework whose name does not say "assert" or "expect". The
// receiver is the word before the point, or "".
func frameworkCall(lang source.Lang, receiver, word string) bool {
	return (lang == source.Go && (goFailure(receiver, word) || (receiver == "td" && beginsWithWord(word, "cmp")))) ||
		(receiver != "" && beginsWithWord(word, "should")) || isListed(frameworks[plainLang(lang)], receiver, word)
}

// isListed reports whether a list has a call.
func isListed(list, receiver, word string) bool {
	return has(list, word) &&
		(isIn(receiver+"."+word, list) || isIn(word, list) || (receiver != "" && isIn("*."+word, list)))
}

// plainLang is the language whose tables a language shares.
func plainLang(lang source.Lang) source.Lang {
	if lang == source.TypeScript {
		return source.JavaScript
	}
	return lang
}

// byLanguage compiles the patterns of languages when they are needed. That of a language without one matches nothing.
func byLanguage(patterns map[source.Lang]string) func(source.Lang) *regexp.Regexp {
	compiled := map[source.Lang]func() *regexp.Regexp{}
	for lang, pattern := range patterns {
		compiled[lang] = input.Lazily(pattern)
	}
	return func(lang source.Lang) *regexp.Regexp {
		if pattern := compiled[plainLang(lang)]; pattern != nil {
			return pattern()
		}
		return nothing()
	}
}

var nothing = input.Lazily(`^[^\s\S]`)

// goFailure reports whether a call ends a Go test as failed.
func goFailure(receiver, word string) bool {
	return isIn(word, " Error Errorf Fatal Fatalf Fail FailNow ") &&
		(isIn(receiver, " t b tb f tt c s T st ts GinkgoT ") || (receiver == "" && word == "Fail"))
}

// namedAssertion reports whether a name of a function says that it asserts.
func namedAssertion(word string) bool {
	return beginsWithWord(word, "assert", "expect", "refute") || hasWordInside(word, "assert")
}

// namedHelper reports whether a name of a function sounds like an assertion.
func namedHelper(word string) bool {
	return beginsWithWord(word, "verify", "check", "require", "must", "should", "ensure", "validate")
}

// isDeclared reports whether the word at start is declared there, not called.
func isDeclared(lang source.Lang, line []byte, start int) bool {
	before := bytes.TrimRight(line[max(0, start-120):start], " \t")
	if len(before) == start {
		return false // no blank before it: the start of the line, or a point
	}
	switch previous := lastWord(before); {
	case lang == source.Java || lang == source.CSharp: // a type before a name declares it
		return !isIn(previous, "  return await new throw else yield do in is case when and or ")
	case lang == source.Go && begins(line, "func (") && ends(before, ")"):
		return bytes.Count(line[:start], []byte("(")) == 1
	default:
		return isIn(previous, " func fn def class function const let ")
	}
}

func isImport(line []byte) bool {
	line = bytes.TrimLeft(line, " \t")
	return begins(line, "import ", "from ", "use ", "package ") ||
		(begins(line, "using ") && !begins(line, "using (", "using var")) // statements of C#
}

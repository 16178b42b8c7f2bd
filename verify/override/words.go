package override

import (
	"html"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/closeout-gate/closeout/verify/input"
)

// minVisible is the minimum number of visible characters in a reason, not counting the code.
const minVisible = 10

// What is wrong with a text that is no reason.
const (
	saysNothing     = "says nothing"
	tooShort        = "is shorter than 10 visible characters"
	onlyPlaceholder = "is only a placeholder"
	onlyRepeats     = "only repeats what the gate printed"
	notBound        = "the reason does not contain the override code of these findings at this head"
)

// weak says why a text is not a reason; "" when it is one.
func weak(text string, q *Question) string {
	shown := shown(text, q.Code)
	switch n := visible(shown); {
	case n == 0:
		return saysNothing
	case n < minVisible:
		return tooShort
	case placeholder(shown):
		return onlyPlaceholder
	case q.printed().echo(shown):
		return onlyRepeats
	}
	return ""
}

// printed is what the gate printed, prepared once for all reasons.
func (q *Question) printed() *echoes {
	if q.echoes == nil {
		q.echoes = newEchoes(append(slices.Clip(q.Printed), refusals()...), q.Names)
	}
	return q.echoes
}

// echo reports whether a text only repeats what the gate printed, ignoring case, blanks and punctuation: it is a part of
// one printed text, or consists of whole ones and too few other characters for a reason.
func (e *echoes) echo(text string) bool {
	list := words(text)
	whole := spaced(list)
	for _, p := range e.texts {
		if strings.Contains(p, whole) {
			return true
		}
	}
	rest := e.without(list)
	isOwn := func(w string) bool { return vocabulary[w] || strings.Trim(w, "0123456789") == "" }
	other := slices.DeleteFunc(slices.Clone(rest), isOwn)
	return len(other) == 0 || (len(rest) < len(list) && visible(spaced(rest)) < minVisible)
}

// vocabulary are the words of the gate's headings and counts. A text that contains no others says nothing about the findings.
var vocabulary = func() map[string]bool {
	list := map[string]bool{}
	for w := range strings.FieldsSeq("acceptance actual add again all and are as at attempts block blocked blocking by change changed check " +
		"close closeout code codes criteria criterion evidence expected failed file files finding findings fix for found gate head in info " +
		"is label more no not of other out overridden override passed record records refused review rule run task the to unknown verdict warn") {
		list[w] = true
	}
	return list
}()

// echoes are the texts that the gate printed, in the form of spaced.
type echoes struct {
	texts   []string
	byStart map[string][][]string // the words of those with at least minEcho words, by their first minEcho words
	names   map[string][][]string // the words of codes and paths, by their first word
}

// minEcho is the minimum length, in words, of a printed text that is removed from a reason: a shorter one can be a part of
// any sentence.
const minEcho = 4

func newEchoes(printed, names []string) *echoes {
	e := &echoes{byStart: map[string][][]string{}, names: map[string][][]string{}}
	for _, name := range slices.Compact(slices.Sorted(slices.Values(names))) {
		if list := words(name); len(list) > 0 {
			e.names[list[0]] = append(e.names[list[0]], list)
		}
	}
	for _, p := range slices.Compact(slices.Sorted(slices.Values(printed))) {
		list := words(p)
		if len(list) == 0 {
			continue
		}
		e.texts = append(e.texts, spaced(list))
		if len(list) >= minEcho {
			start := spaced(list[:minEcho])
			e.byStart[start] = append(e.byStart[start], list)
		}
	}
	return e
}

// without removes whole printed texts, codes and paths from some words, the longest match first.
func (e *echoes) without(list []string) []string {
	var rest []string
	for len(list) > 0 {
		n := 0
		begins := e.names[list[0]]
		if len(list) >= minEcho {
			begins = slices.Concat(begins, e.byStart[spaced(list[:minEcho])])
		}
		for _, p := range begins {
			if len(p) > n && len(p) <= len(list) && slices.Equal(p, list[:len(p)]) {
				n = len(p)
			}
		}
		if n == 0 {
			rest, n = append(rest, list[0]), 1
		}
		list = list[n:]
	}
	return rest
}

// refusals are what an earlier run may have said about a label.
func refusals() []string {
	const beside = "the override code has no reason, and the reason is next to the code of other findings"
	return []string{notBound, beside, saysNothing, tooShort, onlyPlaceholder, onlyRepeats}
}

// withoutCode is a reason without the override code in it.
func withoutCode(text, code string) string {
	if code != "" {
		text = codeIn(code).ReplaceAllString(text, "$1 $2")
	}
	return strings.Join(strings.Fields(text), " ")
}

// spaced joins words with a space before and after each.
func spaced(list []string) string { return " " + strings.Join(list, " ") + " " }

// words are the runs of letters and digits of a text, in lower case.
func words(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
}

// tags matches what a page does not show, and urls what it shows but is not a reason.
var (
	tags = input.Lazily(`</?[A-Za-z][^<>]*>`)
	urls = input.Lazily(`(?i)\b(?:https?://|www\.)\S+`)
)

// shown is a text as a page shows it, without URLs and without anything that looks like an override code.
func shown(text, code string) string {
	text, _ = visibleLine(text)
	text = html.UnescapeString(tags().ReplaceAllString(text, " "))
	if code != "" {
		text = codeIn(code).ReplaceAllString(text, "$1 $2")
	}
	return codeShape().ReplaceAllStringFunc(urls().ReplaceAllString(text, " "), func(found string) string {
		isPart := code != "" && strings.Contains(code, strings.ToLower(found))
		if isPart || (strings.ContainsAny(found, "234567") && len(found) > len("abcd-2345")) {
			return " "
		}
		return found // as words may be, and the number of an issue
	})
}

// codeShape matches what looks like an override code: two or more of its groups, in the current or an older form, or all of
// them without hyphens.
var codeShape = input.Lazily(`(?i)\b(?:[a-z2-7]{4}(?:-[a-z2-7]{4})+|[a-z2-7]{24})\b`)

// containsOtherCode reports whether a text without the code of this run contains another override code.
func containsOtherCode(text string) bool {
	return slices.ContainsFunc(codeShape().FindAllString(text, -1), func(s string) bool {
		return strings.ContainsAny(s, "234567") && len(strings.ReplaceAll(s, "-", "")) == codeSymbols
	})
}

// codeSymbols is the length of a code without its hyphens.
const codeSymbols = 24

// blank are letters and symbols that are invisible, in addition to Other_Default_Ignorable_Code_Point.
const blank = "\u2800\ufffc\U0001d159\U00013441\U00013442"

// visible counts the characters that are visible by themselves: letters, digits, punctuation, symbols. It does not count
// spaces, combining marks, controls, private characters, and letters that show nothing.
func visible(s string) int {
	n := 0
	for _, r := range s {
		if unicode.In(r, unicode.L, unicode.N, unicode.P, unicode.S) && !unicode.In(r, unicode.Other_Default_Ignorable_Code_Point) && !strings.ContainsRune(blank, r) {
			n++
		}
	}
	return n
}

// Placeholders are words that do not make a reason by themselves. Case and surrounding punctuation are ignored.
var Placeholders = append(slices.Clone(Stubs),
	"bar", "because", "closeout", "here", "lgtm", "n", "none", "ok", "okay", "override", "please", "reason", "reasons", "test", "why", "your",
	"ipsum", "dolor", "sit", "amet", "consectetur", "adipiscing", "elit",
)

// Stubs are words that no reason begins with: they announce a reason that is still missing.
var Stubs = []string{"asdf", "blah", "fixme", "foo", "foobar", "lorem", "na", "placeholder", "qwerty", "tba", "tbc", "tbd", "todo", "wip", "xxx"}

// minLetters is the minimum number of different letters and digits in a reason.
const minLetters = 3

// placeholder reports whether a text is only a placeholder for a reason.
func placeholder(s string) bool {
	s = visibleLetters(s)
	list, letters := words(s), map[rune]bool{}
	for _, w := range list {
		for _, r := range w {
			letters[r] = true
		}
	}
	other := slices.ContainsFunc(list, func(w string) bool { return !slices.Contains(Placeholders, w) })
	return !other || len(letters) < minLetters || beginsAsStub(s)
}

// visibleLetters removes the marks and invisible characters that could hide a word, and replaces letters of other widths and faces
// with the usual ones.
func visibleLetters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Mn, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point) {
			return -1
		}
		return r
	}, norm.NFKD.String(s))
}

// beginsAsStub reports whether the first word of a text is a stub, ignoring punctuation. Words that only introduce a reason
// are skipped. A hyphen, dot or slash joins words: test-runner and foo.go are not stubs, and n/a is one.
func beginsAsStub(s string) bool {
	for _, word := range wordEnd().Split(strings.ToLower(s), -1) {
		parts := words(word)
		if len(parts) == 0 || slices.Contains(introductions, strings.Join(parts, "")) {
			continue
		}
		stub := func(w string) bool { return slices.Contains(Stubs, w) }
		return stub(strings.Join(parts, "")) || !slices.ContainsFunc(parts, func(w string) bool { return !stub(w) })
	}
	return false
}

// introductions are words that a reason follows.
var introductions = []string{"because", "reason", "reasons", "why"}

// wordEnd matches what separates words.
var wordEnd = input.Lazily(`[^\pL\pN./_'’-]+|\.\.+`)

// containsCode reports whether a text contains the override code; false when there is no code.
func containsCode(text, code string) bool { return code != "" && codeIn(code).MatchString(text) }

// codeIn matches an override code as a separate word, in any case, with hyphens anywhere between its symbols or none.
func codeIn(code string) *regexp.Regexp {
	symbols := strings.Split(strings.ReplaceAll(code, "-", ""), "")
	return regexp.MustCompile(`(?i)(^|[^\pL\pN])` + strings.Join(symbols, "-*") + `($|[^\pL\pN])`)
}

package glob

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Fold returns the form in which paths are equal that differ only in case or in how accents are composed: NFC, then simple
// case folding of every character, then NFC again because folding can bring together what composes ("J" with a caron has no
// single character, "j" with one has). Characters that fold to several, like "ß" to "ss", and "İ" stay apart from those.
// Bytes that are not UTF-8 stay as they are.
func Fold(path string) string {
	if isASCII(path) {
		return strings.ToLower(path)
	}
	return norm.NFC.String(foldRunes(norm.NFC.String(path)))
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// foldRunes folds every character and copies the bytes that are none; strings.Map would replace those.
func foldRunes(s string) string {
	var out strings.Builder
	for rest := s; rest != ""; {
		r, size := utf8.DecodeRuneInString(rest)
		if r == utf8.RuneError {
			out.WriteString(rest[:size])
		} else {
			out.WriteRune(foldRune(r))
		}
		rest = rest[size:]
	}
	return out.String()
}

// foldRune returns one and the same character for all that differ only in case, in lower case where there is one: the
// orbit of unicode.SimpleFold decides which those are. A character without such company is returned as it is, even if
// it has a lower case ("İ").
func foldRune(r rune) rune {
	if unicode.SimpleFold(r) == r {
		return r
	}
	return unicode.ToLower(unicode.ToUpper(r))
}

// folding is a character that is not its own folded form.
type folding struct{ from, to rune }

// foldings lists all of them, some 1,400, in order.
var foldings = sync.OnceValue(func() []folding {
	var all []folding
	for _, cases := range unicode.CaseRanges {
		for r := rune(cases.Lo); r <= rune(cases.Hi); r++ {
			if to := foldRune(r); to != r {
				all = append(all, folding{r, to})
			}
		}
	}
	return all
})

// foldingsFrom lists those of low and the characters after it.
func foldingsFrom(low rune) []folding {
	all := foldings()
	i, _ := slices.BinarySearchFunc(all, low, func(f folding, low rune) int { return cmp.Compare(f.from, low) })
	return all[i:]
}

// folder makes folded patterns. It remembers the classes, since the alternatives of a pattern repeat them.
type folder struct {
	classes map[string]string // the folded class by the text of the class
}

// alternative returns the pattern that a folded path is held against: its literal text is folded like a path, and its
// classes also hold the folded form of their characters.
func (f folder) alternative(text string) string {
	var out, run strings.Builder
	flush := func() {
		out.WriteString(escape(Fold(run.String())))
		run.Reset()
	}
	for _, t := range tokensOf(text) {
		switch {
		case t.isLiteral():
			run.WriteString(t.plain)
		case t.kind == class:
			flush()
			out.WriteString(f.class(t))
		default:
			flush()
			out.WriteString(t.text)
		}
	}
	flush()
	return out.String()
}

func (f folder) class(t token) string {
	if _, found := f.classes[t.text]; !found {
		f.classes[t.text] = classText(foldClass(t.spans))
	}
	return f.classes[t.text]
}

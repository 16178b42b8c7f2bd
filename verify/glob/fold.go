package glob

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Fold returns the same form for paths that differ only in case or in the composition of accents: NFC, then simple case
// folding of every character, then NFC again because folding can produce characters that compose ("J" with a caron is not a
// single character, "j" with one is). Characters that fold to several, like "ß" to "ss", and "İ" are kept. Bytes that are not
// UTF-8 are kept.
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

// foldRunes folds every character and copies invalid bytes, which strings.Map would replace.
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

// foldRune returns the same character for all that differ only in case, in lower case if possible: those in one orbit of
// unicode.SimpleFold. A character that is alone in its orbit is returned as it is, even if it has a lower case ("İ").
func foldRune(r rune) rune {
	if unicode.SimpleFold(r) == r {
		return r
	}
	return unicode.ToLower(unicode.ToUpper(r))
}

// folding is a character that is not its own folded form.
type folding struct{ from, to rune }

// foldings lists all of them, about 1,400, in order.
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

// patternFolder folds patterns. It caches classes, which the alternatives of a pattern repeat.
type patternFolder struct {
	classes map[string]string // the folded class by the text of the class
}

// alternative returns the pattern for folded paths: its literal text is folded like a path, and its classes also contain the
// folded form of their characters.
func (f patternFolder) alternative(text string) string {
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

func (f patternFolder) class(t token) string {
	if _, found := f.classes[t.text]; !found {
		f.classes[t.text] = classText(foldClass(t.spans))
	}
	return f.classes[t.text]
}

package glob

import (
	"cmp"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"
)

// span is an inclusive range of characters.
type span struct{ low, high rune }

// readClass reads the class at the start of s, and returns its length in bytes. Like doublestar, it reads a "-" between two
// characters as a range, and the first "]" without a backslash ends the class.
func readClass(s string) (spans []span, size int, problem *Error) {
	size = classSize(s)
	if size == 0 {
		return nil, 0, &Error{`a "[" is not closed`, quote(s), `a "]" after it`, `close the class with "]", or write "\\[" for the character itself`}
	}
	if problem := checkClass(s[:size]); problem != nil {
		return nil, 0, problem
	}
	for rest := s[1 : size-1]; rest != ""; {
		var next span
		next, rest = readSpan(rest)
		if problem := checkSpan(next, s[:size]); problem != nil {
			return nil, 0, problem
		}
		spans = append(spans, next)
	}
	return merge(spans), size, nil
}

// classSize returns the length of the class at the start of s; 0 when it is not closed.
func classSize(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case ']':
			return i + 1
		}
	}
	return 0
}

// checkClass refuses malformed and unsupported classes.
func checkClass(text string) *Error {
	body := text[1 : len(text)-1]
	switch {
	case body == "":
		return &Error{"the class is empty", quote(text), "a class with a character in it", `write "\\[" and "\\]" for the characters themselves; inside a class "]" is "\\]" too`}
	case body[0] == '!' || body[0] == '^':
		return &Error{"a negated class can match a slash", quote(text), "a class of the allowed characters",
			`list them, as in "[A-Za-z0-9]", or write "*" and add the exceptions to forbidden_files`}
	case isNamedClass(body):
		return &Error{"named classes are not supported", quote(text), "characters and ranges", `write the ranges, as in "[A-Za-z]" or "[0-9]"`}
	}
	return nil
}

// isNamedClass reports whether a class looks like "[[:alpha:]]", "[[.a.]]" or "[[=a=]]", which doublestar does not support.
func isNamedClass(body string) bool {
	for _, mark := range []string{":", ".", "="} {
		_, inner, found := strings.Cut(body, "["+mark)
		if found && len(inner) > 1 && strings.HasSuffix(inner, mark) {
			return true
		}
	}
	return false
}

// readSpan reads one character or range of a class, and returns the rest.
func readSpan(s string) (span, string) {
	low, rest := readClassChar(s)
	if len(rest) < 2 || rest[0] != '-' {
		return span{low, low}, rest
	}
	high, rest := readClassChar(rest[1:])
	return span{low, high}, rest
}

func readClassChar(s string) (rune, string) {
	s = strings.TrimPrefix(s, `\`)
	r, size := utf8.DecodeRuneInString(s)
	return r, s[size:]
}

// checkSpan refuses reversed ranges and ranges that contain a slash.
func checkSpan(s span, text string) *Error {
	switch {
	case s.low > s.high:
		return &Error{"a range of the class is reversed and matches nothing", quote(text), "a range from the smaller to the greater character",
			`reverse the range, or move the "-" to the end if it is a literal character`}
	case s.low <= '/' && '/' <= s.high:
		return &Error{"the class can match a slash", quote(text), "a class without the slash",
			`remove the slash, or split a range that contains it in two, one up to "." and one from "0"`}
	}
	return nil
}

// merge sorts spans and joins those that overlap or touch.
func merge(spans []span) []span {
	sort.Slice(spans, func(i, j int) bool { return spans[i].low < spans[j].low })
	merged := spans[:0]
	for _, s := range spans {
		last := len(merged) - 1
		if last >= 0 && s.low <= merged[last].high+1 {
			merged[last].high = max(merged[last].high, s.high)
			continue
		}
		merged = append(merged, s)
	}
	return merged
}

// classText writes a class as doublestar reads it.
func classText(spans []span) string {
	var out strings.Builder
	out.WriteByte('[')
	for _, s := range spans {
		writeClassChar(&out, s.low)
		if s.low < s.high {
			out.WriteByte('-')
			writeClassChar(&out, s.high)
		}
	}
	out.WriteByte(']')
	return out.String()
}

func writeClassChar(out *strings.Builder, r rune) {
	if strings.ContainsRune(`[]\-!^`, r) {
		out.WriteByte('\\')
	}
	out.WriteRune(r)
}

// foldClass adds to a class the folded form of each of its characters, so that it matches folded paths.
func foldClass(spans []span) []span {
	folded, all := slices.Clone(spans), foldings()
	for _, s := range spans {
		i, _ := slices.BinarySearchFunc(all, s.low, func(f folding, low rune) int { return cmp.Compare(f.from, low) })
		for _, f := range all[i:] {
			if f.from > s.high {
				break
			}
			folded = append(folded, span{f.to, f.to})
		}
	}
	return merge(folded)
}

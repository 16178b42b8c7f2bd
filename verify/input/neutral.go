package input

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// blanks are code points that are invisible although Unicode counts them as printable.
var blanks = []*unicode.RangeTable{
	unicode.Variation_Selector,
	unicode.Other_Default_Ignorable_Code_Point,
	{R16: []unicode.Range16{{Lo: 0x2800, Hi: 0x2800, Stride: 1}}}, // braille blank
}

// Neutral makes untrusted text safe to print on one line of a terminal or log. Invisible text, and text that moves other
// text, is shown as a Go escape: control characters, newlines, ANSI sequences, bidi and zero-width characters, every space
// but U+0020, private and unassigned code points, and the bytes of invalid UTF-8. A backslash breaks the two forms of
// workflow commands: "::" at the start of a line, and the legacy "##[" anywhere. The runner compares without ignorable
// characters: hence no zero-width character may stay, and none is used to break a command.
//
// Neutral(Neutral(s)) is Neutral(s). A backslash in the text itself is not escaped, so the result cannot be decoded.
func Neutral(s string) string {
	if PlainASCII(s) {
		return breakCommands(s)
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		WriteVisible(&b, r, s[i:i+size])
		i += size
	}
	return breakCommands(b.String())
}

// PlainASCII reports whether s is printable ASCII, the usual case, in which no character needs an escape.
func PlainASCII(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// Shown reports whether a character is written as it is: people see it, and it moves no other text.
func Shown(r rune) bool { return unicode.IsPrint(r) && !unicode.In(r, blanks...) }

// WriteVisible writes r, whose bytes in the text are raw, in a visible form.
func WriteVisible(b *strings.Builder, r rune, raw string) {
	switch {
	case r == utf8.RuneError && len(raw) == 1:
		fmt.Fprintf(b, `\x%02x`, raw[0])
	case r == '\n':
		b.WriteString(`\n`)
	case r == '\r':
		b.WriteString(`\r`)
	case r == '\t':
		b.WriteString(`\t`)
	case Shown(r):
		b.WriteRune(r)
	case r < 0x80:
		fmt.Fprintf(b, `\x%02x`, r)
	case r < 0x10000:
		fmt.Fprintf(b, `\u%04x`, r)
	default:
		fmt.Fprintf(b, `\U%08x`, r)
	}
}

// breakCommands breaks workflow commands. A single colon at the start counts too: the line that the text becomes part of may
// contain another one before it.
func breakCommands(s string) string {
	s = strings.ReplaceAll(s, "##[", `##\[`)
	rest := strings.TrimLeft(s, " ")
	if !strings.HasPrefix(rest, ":") {
		return s
	}
	return s[:len(s)-len(rest)] + `\` + rest
}

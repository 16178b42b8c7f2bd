package rules

import (
	"bytes"
	"strings"

	"github.com/closeout-gate/closeout/internal/source"
	"github.com/closeout-gate/closeout/verify/input"
)

// SpecialCase finds conditions of the program that give a test exactly what it expects.
var SpecialCase = &Rule{
	ID: "closeout/special-case", Title: "The program answers a value of a test with what the test expects", Severity: input.Info,
	Languages: programLanguages,
	Find: func(c *Change, report func(Hit)) {
		for _, f := range c.Files {
			if f.Head == nil || f.Lang() == source.None || source.IsTest(f.Path) {
				continue
			}
			asked := 0
			for _, l := range f.Added() {
				s, ok := f.specialCase(l.Number)
				if !ok {
					continue
				}
				if asked++; asked > maxAsked {
					break
				}
				if test := c.testOf(s); test != "" {
					report(Hit{
						File: f.Path, Line: l.Number, Now: string(l.Text), Fix: "compute the result; remove the condition",
						Detail: "the code compares with " + clip(s.asked, 60) + " and answers " + clip(s.answer, 60) + ", as " + test + " expects",
					})
					break
				}
			}
		}
	},
}

// special is a condition for one value, and what it answers. Both are literals as they are written.
type special struct{ asked, answer string }

// equals are what stands before the literal of a condition.
var equals = []string{"===", "==", ".equals(", ".Equals(", " is ", " eq "}

// specialCase reads the condition of a line, when what it guards returns a literal.
func (f *File) specialCase(n int) (s special, ok bool) {
	line := f.Head.CodeLine(n)
	if len(line) > 400 || !bytes.Contains(line, []byte("if")) && !bytes.Contains(line, []byte("?")) {
		return s, false
	}
	at := 0
	if s.asked, at = askedLiteral(f.Head, n); s.asked == "" {
		return s, false
	}
	for m := max(1, n-4); m <= n+6; m++ {
		if other, _ := askedLiteral(f.Head, m); m != n && other != "" {
			return s, false // one of several: a table
		}
	}
	for m := n; m <= n+2; m++ {
		code, text := f.Head.CodeLine(m), f.Head.Line(m)
		if m == n && !bytes.HasPrefix(bytes.TrimSpace(code), []byte("return ")) { // return 1 if x == 2
			code, text = code[at:], text[at:]
		}
		if s.answer = answerLiteral(code, text, m > n && f.Lang() != "go"); s.answer != "" {
			return s, s.answer != s.asked
		}
	}
	return s, false
}

// askedLiteral is the literal that a line compares something with, when it is special enough, and the offset of what comes after.
func askedLiteral(v *source.File, n int) (literal string, end int) {
	line, text := v.CodeLine(n), v.Line(n)
	if len(line) > 400 {
		return "", 0
	}
	for _, operator := range equals {
		i := bytes.Index(line, []byte(operator))
		if i < 0 {
			continue
		}
		i += len(operator)
		for i < len(line) && line[i] == ' ' {
			i++
		}
		if literal = literalAt(line[i:], text[i:]); isSpecial(literal, 6, 3) {
			return literal, i + len(literal)
		}
	}
	return "", 0
}

// answerLiteral is the literal that a line returns.
func answerLiteral(codeText, text []byte, bare bool) string {
	for _, word := range []string{"return ", "return(", "? "} {
		if i := bytes.Index(codeText, []byte(word)); i >= 0 {
			if literal := literalAt(codeText[i+len(word):], text[i+len(word):]); isSpecial(literal, 3, 2) {
				return literal
			}
			return ""
		}
	}
	if trimmed := bytes.TrimLeft(codeText, " \t"); bare && len(trimmed) > 0 {
		// The last expression of a block is its value.
		rest := text[len(codeText)-len(trimmed):]
		if literal := literalAt(trimmed, rest); len(literal) == len(bytes.TrimSpace(rest)) && isSpecial(literal, 3, 2) {
			return literal
		}
	}
	return ""
}

// literalAt is the text or number that begins here.
func literalAt(codeText, text []byte) string {
	if len(codeText) == 0 {
		return ""
	}
	switch c := codeText[0]; {
	case c == '"' || c == '\'' || c == '`':
		if end := bytes.IndexByte(codeText[1:], c); end > 0 {
			return string(text[:end+2])
		}
	case c >= '0' && c <= '9':
		end := 1
		for end < len(codeText) && (codeText[end] >= '0' && codeText[end] <= '9' || codeText[end] == '.') {
			end++
		}
		return string(text[:end])
	}
	return ""
}

// isSpecial reports whether a literal is long enough to be no common word or number.
func isSpecial(literal string, letters, digits int) bool {
	if literal == "" || strings.Contains(" 100 200 201 204 400 401 403 404 409 422 429 500 502 503 1000 1024 4096 8080 ", " "+literal+" ") {
		return false
	}
	if c := literal[0]; c >= '0' && c <= '9' {
		return len(literal) >= digits
	}
	return len(literal) >= letters+2
}

// testOf is the touched file of tests that asks for the one literal and expects the other beside it, "" for none.
func (c *Change) testOf(s special) string {
	for _, f := range c.Files {
		if f.Head == nil || f.Lang() == source.None || !source.IsTest(f.Path) {
			continue
		}
		asked, answer := unquoted(s.asked), unquoted(s.answer)
		if !bytes.Contains(f.Head.Text, []byte(asked)) || !bytes.Contains(f.Head.Text, []byte(answer)) {
			continue
		}
		offset := 0
		for range maxAsked {
			i := bytes.Index(f.Head.Text[offset:], []byte(asked))
			if i < 0 {
				break
			}
			offset += i + len(asked)
			if f.expectsNear(f.Head.LineAt(offset-1), answer) {
				return f.Path
			}
		}
	}
	return ""
}

// expectsNear reports whether an assertion on a line, or soon after it, has a literal.
func (f *File) expectsNear(line int, answer string) bool {
	for n := line; n <= line+5; n++ {
		text := f.Head.Line(n)
		if len(text) <= maxStatementBytes && bytes.Contains(text, []byte(answer)) && isAssertion(f.Lang(), f.Head.CodeLine(n)) {
			return true
		}
	}
	return false
}

func unquoted(literal string) string { return strings.Trim(literal, "\"'`") }

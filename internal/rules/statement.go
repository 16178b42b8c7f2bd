package rules

import (
	"bytes"
	"strings"

	"github.com/closeout-gate/closeout/internal/source"
)

// The limits of a statement that is read. A longer one is left out: no person wrote it, and reading it again for each
// of its lines would be slow.
const (
	maxStatementLines = 40
	maxStatementBytes = 4 << 10
)

// statement is a statement of one or more lines.
type statement struct {
	first, last int    // its lines
	code, text  []byte // of the same length: without and with what strings contain; comments are blanked in both
}

// statementAt reads the statement that begins on a line: as many lines as its brackets need, and what goes on with a
// point.
func statementAt(f *source.File, line int) (s statement, ok bool) {
	depth := 0
	s.first = line
	for n := line; n <= f.Lines() && n < line+maxStatementLines; n++ {
		codeLine := f.CodeLine(n)
		if len(s.code)+len(codeLine) > maxStatementBytes {
			return s, false
		}
		s.code = append(append(s.code, codeLine...), '\n')
		s.text = append(appendLive(s.text, f, n), '\n')
		depth += depthOf(codeLine)
		s.last = n
		if depth <= 0 && !goesOn(f, n) {
			return s, true
		}
	}
	return s, false
}

// goesOn reports whether the line after n continues a chain of calls.
func goesOn(f *source.File, n int) bool {
	next := bytes.TrimLeft(f.CodeLine(n+1), " \t")
	return (len(next) > 1 && ((next[0] == '.' && source.IsWord(next[1])) || (next[0] == '?' && next[1] == '.'))) ||
		ends(bytes.TrimRight(f.CodeLine(n), " \t\r"), ".")
}

// depthOf is how many brackets a line opens more than it closes. Braces do not count: what is in them are statements.
func depthOf(codeLine []byte) int {
	depth := 0
	for _, c := range codeLine {
		switch c {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		}
	}
	return depth
}

// appendLive appends a line with its comments blanked.
func appendLive(to []byte, f *source.File, n int) []byte {
	comment := f.CommentLine(n)
	for i, c := range f.Line(n) {
		if i < len(comment) && comment[i] != ' ' && comment[i] != '\t' {
			c = ' '
		}
		to = append(to, c)
	}
	return to
}

// wordEnd is where the word ends that a text begins with.
func wordEnd(text []byte) int {
	end := 0
	for end < len(text) && source.IsWord(text[end]) {
		end++
	}
	return end
}

// squeeze appends a text without its blanks.
func squeeze(to, text []byte) []byte {
	for _, c := range text {
		if c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			to = append(to, c)
		}
	}
	return to
}

// liveKey is what a line says without blanks, comments and the mark that ends a statement. "" for a line that is too
// long.
func liveKey(f *source.File, n int) string {
	if len(f.Line(n)) > maxStatementBytes {
		return ""
	}
	return string(bytes.TrimRight(squeeze(nil, appendLive(nil, f, n)), ";,"))
}

// shape is a piece of code without blanks and with # for each literal.
func shape(codeText []byte) string {
	var b strings.Builder
	for i := 0; i < len(codeText); i++ {
		c := codeText[i]
		switch {
		case isSpace(c), c == '-' && isDigit(at(codeText, i+1)) && !source.IsWord(at(codeText, i-1)):
		case source.IsWord(c):
			end := i
			for end < len(codeText) && (source.IsWord(codeText[end]) ||
				(codeText[end] == '.' && isDigit(c) && isDigit(at(codeText, end+1)))) {
				end++
			}
			if word := string(codeText[i:end]); isDigit(c) ||
				oneOf(word, "true", "false", "True", "False", "nil", "null", "None", "undefined") {
				b.WriteByte('#')
			} else {
				b.WriteString(word)
				b.WriteByte(' ')
			}
			i = end - 1
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

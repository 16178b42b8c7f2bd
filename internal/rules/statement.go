package rules

import (
	"bytes"

	"github.com/closeout-gate/closeout/internal/source"
	"github.com/closeout-gate/closeout/verify/input"
)

// The limits of a statement that is read. A longer one is left out: no person wrote it, and reading it again for each
// of its lines would be slow.
const (
	maxStatementLines = 40
	maxStatementBytes = 4 << 10
)

// statement is a statement of one or more lines.
type statement struct {
	lang        source.Lang
	first, last int    // its lines
	code, text  []byte // of the same length: without and with what strings contain; comments are blanked in both
}

// statementAt reads the statement that begins on a line: as many lines as its brackets need, and what goes on with a
// point.
func statementAt(f *source.File, line int) (s statement, ok bool) {
	depth := 0
	s.lang, s.first = f.Lang, line
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
	next := codeOn(f, n+1)
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
	start := len(to)
	to = append(to, f.Line(n)...)
	for i, c := range f.CommentLine(n) {
		if c != ' ' && c != '\t' {
			to[start+i] = ' '
		}
	}
	return to
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

var literals = input.Lazily(`-?\b\d(?:\w|\.\d)*|\b(?:true|false|True|False|nil|null|None|undefined)\b`)

// shape is a piece of code without blanks and with # for each literal.
func shape(code []byte) string { return string(squeeze(nil, literals().ReplaceAll(code, []byte("#")))) }

// span is a piece of a statement, with and without what strings contain.
type span struct{ code, text []byte }

func (s span) cut(from, to int) span { return span{s.code[from:to], s.text[from:to]} }

func (s span) trim() span {
	from, to := 0, len(s.code)
	for from < to && isSpace(s.code[from]) && isSpace(s.text[from]) {
		from++
	}
	for to > from && isSpace(s.code[to-1]) && isSpace(s.text[to-1]) {
		to--
	}
	return s.cut(from, to)
}

func (s span) key() string { return string(squeeze(nil, s.text)) }

// split cuts a piece at a separator that lies in no brackets.
func split(s span, separator string) (list []span) {
	for {
		left, _, found := cutOutside(s.code, separator)
		if part := s.cut(0, len(left)).trim(); found || len(list) == 0 || len(part.code) > 0 {
			list = append(list, part)
		}
		if !found {
			return list
		}
		s = s.cut(len(left)+len(separator), len(s.code))
	}
}

// arguments are what stands in the brackets that s begins with (blanks, "!" and type arguments may stand before), and
// what comes after them.
func arguments(s span) (args []span, rest span, ok bool) {
	open := bytes.IndexByte(s.code, '(')
	if open < 0 || (open > 0 && !onlyTypes(s.code[:open])) {
		return nil, s, false
	}
	end := closing(s.code, open)
	if end < 0 {
		return nil, s, false
	}
	if inner := s.cut(open+1, end).trim(); len(inner.code) > 0 {
		args = split(inner, ",")
	}
	return args, s.cut(end+1, len(s.code)), true
}

// onlyTypes reports whether a text is blank, "!" or type arguments.
func onlyTypes(text []byte) bool {
	text = bytes.TrimSpace(text)
	return len(text) == 0 || string(text) == "!" || (text[0] == '<' && text[len(text)-1] == '>')
}

// unwrap removes the brackets around an expression.
func unwrap(e span) span {
	for e = e.trim(); at(e.code, 0) == '(' && closing(e.code, 0) == len(e.code)-1; {
		inner := e.cut(1, len(e.code)-1).trim()
		if _, _, isTuple := cutOutside(inner.code, ","); isTuple {
			break
		}
		e = inner
	}
	return e
}

func unparen(s string) string { return string(unwrap(span{[]byte(s), []byte(s)}).code) }

// closing is the offset of the bracket that closes the one at an offset; -1 where it is missing.
func closing[T string | []byte](s T, open int) int {
	depth := 0
	for i := open; i < len(s); i++ {
		switch s[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// cutOutside cuts at a separator that is in no brackets.
func cutOutside[T string | []byte](s T, separator string) (left, right T, found bool) {
	depth := 0
	for i := 0; i+len(separator) <= len(s); i++ {
		switch s[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		}
		if depth == 0 && s[i] == separator[0] && begins(s[i:], separator) {
			return s[:i], s[i+len(separator):], true
		}
	}
	return s, s[len(s):], false
}

package rules

import (
	"bytes"
	"strings"

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

// surest is the surest assertion of a statement: where its name begins, the name, and what comes behind it.
func (s *statement) surest() (kind sureness, start int, word string, rest span) {
	kind, start = findAssertion(s.lang, s.code)
	end := start + source.WordEnd(s.code[start:])
	return kind, start, string(s.code[start:end]), span{s.code, s.text}.cut(end, len(s.code))
}

// goesOn reports whether the line after n continues a chain of calls.
func goesOn(f *source.File, n int) bool {
	next := codeOn(f, n+1)
	return (len(next) > 1 && ((next[0] == '.' && (source.IsWord(next[1]) || next[1] == '`')) || (next[0] == '?' && next[1] == '.'))) ||
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

// lineSpan is a line.
func lineSpan(v *source.File, n int) span { return span{v.CodeLine(n), appendLive(nil, v, n)} }

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

// comparisons are the operators that a condition may have outside brackets, the longest first.
var comparisons = []struct {
	operator string
	rank     rank
}{
	{"===", exact}, {"!==", exists}, {"==", exact}, {"!=", exists}, {"<=>", unclear}, {">=", partial}, {"<=", partial},
	{"=~", partial},
	{" not in ", partial}, {" in ", partial}, {" is not ", exists}, {" is ", exact}, {" instanceof ", partial},
	{" > ", partial}, {" < ", partial},
}

// expressionMeaning reads the condition of an assertion: x == 1.
func expressionMeaning(e span) meaning {
	e = unwrap(e)
	c := conditionMeaning(e)
	c.sides, c.want = []span{e}, always
	return c
}

func conditionMeaning(e span) meaning {
	for _, or := range []string{" or ", "||"} {
		if parts := split(e, or); len(parts) > 1 {
			return oneOfMeaning(or, parts)
		}
	}
	for _, and := range []string{" and ", "&&"} {
		if parts := split(e, and); len(parts) > 1 {
			return meaning{}
		}
	}
	for _, op := range comparisons {
		if parts := split(e, op.operator); len(parts) == 2 {
			c := meaning{rank: op.rank, matcher: strings.TrimSpace(op.operator)}
			c.compare(parts)
			return c
		} else if len(parts) > 2 {
			return meaning{}
		}
	}
	return truthMeaning(e)
}

// compare takes the two sides of a comparison, of which either may be what is expected.
func (c *meaning) compare(parts []span) {
	for _, p := range parts {
		if isAnything(p.key()) {
			c.rank = min(c.rank, exists)
		} else if isLiteral(p.code) {
			c.expected = append(c.expected, p.key())
		} else {
			c.subjects = append(c.subjects, p.key())
		}
	}
}

// oneOfMeaning is that of conditions of which one must be true.
func oneOfMeaning(operator string, parts []span) meaning {
	c := meaning{rank: exists, matcher: strings.TrimSpace(operator)}
	for _, p := range parts {
		c.subjects = append(c.subjects, expressionMeaning(p).subjects...)
	}
	return c
}

// questions are the methods that tell little about what they are called on.
var questions = [...]string{
	exists: " is_some is_ok is_none is_err isPresent Any any present? ",
	partial: " contains Contains includes include? startswith endswith starts_with ends_with startsWith endsWith StartsWith " +
		"EndsWith matches match contains_key containsKey ",
	exact: " equals Equals SequenceEqual ",
}

// truthMeaning reads a condition without an operator: x, not x, x.is_some(), isinstance(x, T).
func truthMeaning(e span) meaning {
	for _, not := range []string{"not ", "!"} {
		if begins(e.code, not) {
			e = unwrap(e.cut(len(not), len(e.code)))
		}
	}
	calls := split(e, ".")
	last := calls[len(calls)-1]
	open := max(0, bytes.IndexByte(last.code, '('))
	name := string(last.code[:open])
	if args, after, ok := arguments(last.cut(open, len(last.code))); ok && len(after.trim().code) == 0 {
		if len(calls) > 1 {
			subject := e.cut(0, len(e.code)-len(last.code)-1)
			for l, names := range questions {
				if isIn(name, names) {
					return meaning{rank: rank(l), matcher: name, subjects: append([]string{subject.key()}, keys(args)...)}
				}
			}
		} else if name == "matches!" && len(args) > 1 {
			c := meaning{rank: exact, matcher: name, subjects: keys(args[:1])}
			if loosePattern().Match(args[1].code) {
				c.rank = partial
			}
			return c
		} else if len(args) > 0 && isIn(name, " isinstance issubclass hasattr callable any all ") {
			return meaning{rank: partial, matcher: name, subjects: keys(args[:1])}
		}
	}
	if isLiteral(e.code) {
		return meaning{}
	}
	return meaning{rank: exists, matcher: "true", subjects: []string{e.key()}, truth: true}
}

// loosePattern matches a pattern of Rust that more than one value has.
var loosePattern = input.Lazily(`\b_\b|\.\.|\||[(,{:]\s*[a-z]\w*\s*[,)}]| if `)

func keys(list []span) []string {
	var all []string
	for _, s := range list {
		if !isLiteral(s.code) {
			all = append(all, s.key())
		}
	}
	return all
}

// goCondition reads the condition of a Go test that fails: if got != want { t.Fatal() }. It says the opposite of the
// condition.
func goCondition(s span) (c meaning, ok bool) {
	line := s.trim()
	if !begins(line.code, "if ") || !ends(line.code, "{") {
		return c, false
	}
	e := line.cut(3, len(line.code)-1).trim()
	if parts := split(e, ";"); len(parts) == 2 {
		if i := bytes.Index(parts[0].code, []byte("cmp.Diff(")); i >= 0 {
			return goCall(parts[0].cut(i, len(parts[0].code)))
		}
		e = parts[1]
	}
	if begins(e.code, "!") {
		if c, ok = goCall(e.cut(1, len(e.code))); ok {
			return c, true
		}
	}
	if len(split(e, "||")) > 1 {
		return c, false
	}
	if parts := split(e, "&&"); len(parts) > 1 {
		return oneOfMeaning("&&", parts), true // both must be wrong for the test to fail
	}
	c = expressionMeaning(e)
	switch c.matcher {
	case "!=":
		c.rank = exact
	case "==":
		c.rank = exists
	}
	return c, c.rank != unclear && len(c.subjects) > 0
}

// goCalls matches the calls that compare two values, or ask whether one contains the other.
var goCalls = input.Lazily(`^(errors\.(?:Is|As)|cmp\.Diff|reflect\.DeepEqual|(?:cmp|bytes|slices|maps)\.Equal|` +
	`strings\.(?:EqualFold|Contains|HasPrefix|HasSuffix)|(?:slices|bytes)\.Contains)\(`)

func goCall(e span) (c meaning, ok bool) {
	m := goCalls().FindSubmatch(e.code)
	if m == nil {
		return c, false
	}
	args, _, _ := arguments(e.cut(len(m[1]), len(e.code)))
	c = meaning{rank: partial, matcher: string(m[1]), subjects: keys(args[:min(len(args), 2)])}
	if has(c.matcher, "Equal", "Diff", "errors.") {
		c.rank = exact
	}
	return c, len(args) >= 2
}

// isLiteral reports whether an expression is a literal: a number, a text, a truth value, nothing, or a collection
// without names.
func isLiteral(code []byte) bool { return literal().Match(bytes.TrimSpace(code)) }

var literal = input.Lazily("^(?:|-?\\d[^+*/( ]*|(?:@?r?#*|[^\"'`\\d-]?)(?:\"[^\"]*\"#*|'[^']*')|`[^`]*`|true|false|True|False|nil|null|None|undefined|NULL|" +
	"[\\[{](?:[^\\w\\x{80}-\\x{10FFFF}]|\\d\\w*)*)$")

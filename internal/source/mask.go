package source

import (
	"bytes"
	"path"
	"strings"
)

// scanner parts a text into code, comments and the content of literals. It reads each byte once, with a stack of its
// own for literals that contain code.
type scanner struct {
	text, code []byte
	comments   []note
	at         int
	holes      []hole // those that are open, the outermost first
	value      int    // where the last literal ends: what follows it is no beginning of an expression
	condition  int    // where the last condition in parentheses ends, for the same reason
	parens     []bool // for each open parenthesis, whether it belongs to if, for, while or with
	divided    int    // a regular expression that began before this offset has no end on its line
	jsx        bool
	kotlin     bool
	heredocs   []heredoc // whose text begins on the next line
	lastLine   map[string]int
	texts      []span
}

// span is a part of a text: the offset of its first byte and that behind its last.
type span struct{ from, to int }

// literal says how a string goes on and where it ends.
type literal struct {
	open, end byte  // open is not 0 where brackets nest, as in %w[a [b]]
	hole      byte  // '$' for ${}, '#' for #{}, '{' for {}
	escape    bool  // a backslash takes the meaning off the next byte
	lines     bool  // it can contain line ends
	continued bool  // it can contain line ends after a backslash
	doubled   bool  // the end byte written twice does not end it
	lastRun   bool  // of more end bytes than needed the last ones are the end
	spec      bool  // it is the format behind a colon in a hole, which the closing brace of the hole ends
	tag       bool  // it is JSX, inside a tag
	jsx       int32 // it is JSX, inside so many elements, with the one that begins
	count     int32 // of end bytes
	hashes    int32 // that must follow the end byte
	braces    int32 // that open and close a hole; 0 where one does, and two stand for one
	nested    int32 // brackets of its own kind that are open
}

// hole is code inside a literal.
type hole struct {
	literal
	depth int32 // brackets that are open in it
}

// step handles a special byte of a language. It goes on by one byte at least.
type step func(s *scanner, c byte)

// syntax is how a language is read: the bytes at which something can begin, and what does.
type syntax struct {
	special string
	step    step
}

var syntaxes = map[Lang]syntax{
	Go:         {"/\"'`", stepGo},
	Python:     {"#\"'()[]{}:", stepPython},
	JavaScript: {"/\"'`{}()<", stepJavaScript},
	TypeScript: {"/\"'`{}()<", stepJavaScript},
	Rust:       {"/\"'", stepRust},
	Java:       {"/\"'`{}", stepJava},
	CSharp:     {"/\"'{}()[]:#", stepCSharp},
	Ruby:       {"#\"'`/%?$<{}\n", stepRuby},
}

// mask reads a text.
func mask(name string, lang Lang, text []byte) *scanner {
	s := &scanner{text: text, code: text, value: -1, condition: -1, divided: -1}
	syntax, known := syntaxes[lang]
	switch {
	case known:
		s.code = append([]byte(nil), text...)
		extension := strings.ToLower(path.Ext(name))
		s.kotlin = isKotlin(name)
		s.jsx = lang == JavaScript || extension == ".tsx"
		s.run(syntax)
	case hasHashComments(name):
		s.code = append([]byte(nil), text...)
		s.hashComments()
	}
	return s
}

func (s *scanner) run(syntax syntax) {
	var special [256]bool
	for _, c := range []byte(syntax.special) {
		special[c] = true
	}
	s.begin(syntax)
	for s.at < len(s.text) {
		if c := s.text[s.at]; special[c] {
			syntax.step(s, c)
		} else {
			s.at++
		}
	}
	s.at = len(s.text)
}

// begin handles what only the first line of a file can have.
func (s *scanner) begin(syntax syntax) {
	switch {
	case s.has("#!") && !s.has("#!["):
		s.lineComment()
	case syntax.special[len(syntax.special)-1] == '\n':
		s.rubyLine()
	}
}

// has reports whether the text goes on with a prefix.
func (s *scanner) has(prefix string) bool { return s.hasAt(s.at, prefix) }

func (s *scanner) hasAt(at int, prefix string) bool {
	return len(s.text)-at >= len(prefix) && string(s.text[at:at+len(prefix)]) == prefix
}

// peek is the byte n places ahead, or 0.
func (s *scanner) peek(n int) byte {
	if at := s.at + n; at >= 0 && at < len(s.text) {
		return s.text[at]
	}
	return 0
}

// blank takes a part out of Code.
func (s *scanner) blank(from, to int) {
	for i := from; i < to; i++ {
		if c := s.code[i]; c != '\n' && c != '\r' {
			s.code[i] = ' '
		}
	}
}

// comment takes a comment out of Code.
func (s *scanner) comment(from, to int) {
	s.comments = append(s.comments, note{int32(from), int32(to)})
	s.blank(from, to)
}

func (s *scanner) lineEnd() int {
	if n := bytes.IndexByte(s.text[s.at:], '\n'); n >= 0 {
		return s.at + n
	}
	return len(s.text)
}

// onLine reports whether a byte follows on this line. If not, none does before the offset that s.divided is.
func (s *scanner) onLine(c byte) bool {
	for i := s.at + 1; i < len(s.text) && s.text[i] != '\n'; i++ {
		if s.text[i] == c {
			return true
		}
	}
	s.divided = s.lineEnd()
	return false
}

func (s *scanner) lineComment() {
	from := s.at
	s.at = s.lineEnd()
	s.comment(from, s.at)
}

// slash handles both kinds of comments that begin with one.
func (s *scanner) slash(nests bool) bool {
	switch s.peek(1) {
	case '/':
		s.lineComment()
	case '*':
		s.blockComment(nests)
	default:
		return false
	}
	return true
}

func (s *scanner) blockComment(nests bool) {
	from, depth := s.at, 1
	for s.at += 2; s.at < len(s.text) && depth > 0; s.at++ {
		switch {
		case s.text[s.at] == '*' && s.peek(1) == '/':
			depth--
			s.at++
		case nests && s.text[s.at] == '/' && s.peek(1) == '*':
			depth++
			s.at++
		}
	}
	s.at = min(s.at, len(s.text))
	s.comment(from, s.at)
}

// literal reads a string whose opening delimiter has that number of bytes.
func (s *scanner) literal(delimiter int, l literal) {
	s.at += delimiter
	s.content(l)
}

// content goes on with a literal, up to its end or its next hole.
func (s *scanner) content(l literal) {
	from := s.at
	for s.at < len(s.text) {
		switch c := s.text[s.at]; {
		case c == l.end:
			if s.close(&l, from) {
				return
			}
		case c == '\n' && !l.lines:
			s.finish(from)
			return
		case c == '\\' && l.escape:
			s.escaped(l)
		case l.open != 0 && c == l.open:
			l.nested++
			s.at++
		case l.hole != 0 && c == l.hole:
			if s.openHole(l, from) {
				return
			}
		default:
			s.at++
		}
	}
	s.at = len(s.text)
	s.finish(from)
}

// finish ends a literal here.
func (s *scanner) finish(from int) {
	s.blankText(from, s.at)
	s.value = s.at
}

// blankText takes a part of a literal out of Code, and notes it where it contains line ends.
func (s *scanner) blankText(from, to int) {
	if bytes.IndexByte(s.text[from:to], '\n') >= 0 {
		s.texts = append(s.texts, span{from, to})
	}
	s.blank(from, to)
}

// close handles the end byte of a literal, which is here; false when the literal goes on.
func (s *scanner) close(l *literal, from int) bool {
	switch {
	case l.spec:
		s.finish(from) // the brace is that of the hole
		return true
	case l.nested > 0:
		l.nested--
		s.at++
		return false
	case l.doubled && s.peek(1) == l.end:
		s.at += 2
		return false
	}
	n, need := 1, max(1, int(l.count)) // end bytes, and the signs behind them
	for s.peek(n) == l.end && (l.lastRun || n < need) {
		n++
	}
	signs := 0
	for signs < int(l.hashes) && s.peek(n+signs) == '#' {
		signs++
	}
	closed := n >= need && signs == int(l.hashes)
	if closed {
		s.blankText(from, s.at+n-need)
		s.value = s.at + n + signs
	}
	s.at += n + signs
	return closed
}

// escaped goes over a backslash and what it takes the meaning off.
func (s *scanner) escaped(l literal) {
	next := s.peek(1)
	switch {
	case next == '\n' && !l.lines && !l.continued, l.hole == '{' && (next == '{' || next == '}'):
		s.at++
	case next == '\r' && s.peek(2) == '\n' && (l.lines || l.continued):
		s.at += 3
	case next == 'N' && l.hole == '{' && s.peek(2) == '{': // \N{DASH}
		s.at += 3
	default:
		s.at += 2
	}
	s.at = min(s.at, len(s.text))
}

// openHole handles the byte with which a hole may begin; false when none does.
func (s *scanner) openHole(l literal, from int) bool {
	width := 1 // of the opening, without its last byte
	switch {
	case l.hole != '{':
		if s.peek(1) != '{' {
			s.at++
			return false
		}
	case l.braces == 0:
		if s.peek(1) == '{' {
			s.at += 2
			return false
		}
		width = 0
	default:
		n := 1
		for s.peek(n) == '{' {
			n++
		}
		if n < int(l.braces) {
			s.at += n
			return false
		}
		width = n - 1
	}
	s.blankText(from, s.at+width)
	s.at += width + 1
	s.holes = append(s.holes, hole{literal: l})
	s.value = -1
	return true
}

// open goes over an opening bracket.
func (s *scanner) open() {
	if n := len(s.holes); n > 0 {
		s.holes[n-1].depth++
	}
	s.at++
}

// shut goes over a closing bracket. A brace can end a hole, and then its literal goes on.
func (s *scanner) shut(c byte) {
	n := len(s.holes) - 1
	if n < 0 || c != '}' || s.holes[n].depth > 0 {
		if n >= 0 && s.holes[n].depth > 0 {
			s.holes[n].depth--
		}
		s.at++
		return
	}
	l := s.holes[n].literal
	s.holes = s.holes[:n]
	s.at++
	for i := int32(1); i < l.braces && s.peek(0) == '}'; i++ {
		s.blank(s.at, s.at+1)
		s.at++
	}
	if l.jsx > 0 {
		s.element(l)
		return
	}
	s.content(l)
}

// colon begins the format of a hole, as in {width:>10}.
func (s *scanner) colon(nests bool) {
	n := len(s.holes) - 1
	if n < 0 || s.holes[n].hole != '{' || s.holes[n].depth > 0 {
		s.at++
		return
	}
	s.at++
	l := literal{end: '}', spec: true, lines: true}
	if nests {
		l.hole = '{'
	}
	s.content(l)
}

// before finds the last byte of code before an offset, and reports whether a line end lies between.
func (s *scanner) before(at int) (last int, newLine bool) {
	for last = at - 1; last >= 0; last-- {
		switch s.code[last] {
		case '\n':
			newLine = true
		case ' ', '\t', '\r':
		default:
			return last, newLine
		}
	}
	return last, true
}

// wordBefore is the word whose last byte is at an offset.
func (s *scanner) wordBefore(last int) string {
	from := last + 1
	for from > 0 && last-from < 32 && IsWord(s.code[from-1]) {
		from--
	}
	return string(s.code[from : last+1])
}

// WordEnd is where the word ends that a text begins with.
func WordEnd(text []byte) int {
	end := 0
	for end < len(text) && IsWord(text[end]) {
		end++
	}
	return end
}

// IsWord reports whether a byte belongs to a name or a number. Every byte beyond ASCII does.
func IsWord(c byte) bool {
	return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c >= 0x80
}

func isLetter(c byte) bool { return IsWord(c) && (c < '0' || c > '9') }

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// oneOf reports whether a word is in a list with a blank around each.
func oneOf(word, list string) bool { return word != "" && strings.Contains(list, " "+word+" ") }

// hasHashComments reports whether # begins a comment in a file of no known language: YAML, TOML, shell, Dockerfile,
// Makefile.
func hasHashComments(name string) bool {
	base := strings.ToLower(path.Base(name))
	return oneOf(path.Ext(base), " .yml .yaml .toml .sh .bash .zsh .cfg .conf .mk .dockerfile .env .properties .cmake ") ||
		oneOf(base, " dockerfile containerfile makefile gnumakefile codeowners requirements.txt .gitignore .dockerignore .gitattributes .editorconfig .npmrc ") ||
		strings.HasPrefix(base, "dockerfile.")
}

// hashComments takes the comments out of Code. Strings stay: these languages have too many kinds of them. A # begins a
// comment at the beginning of a word, outside quotes that begin a word and end on the same line.
func (s *scanner) hashComments() {
	quote, word := byte(0), true // whether a word can begin here
	for s.at < len(s.text) {
		c := s.text[s.at]
		switch {
		case c == '\n':
			quote, word = 0, true
		case quote != 0:
			if c == quote {
				quote, word = 0, false
			}
		case c == '#' && word:
			s.lineComment()
			continue
		case word && (c == '"' || c == '\'') && s.at >= s.divided && s.onLine(c):
			quote = c
		default:
			word = strings.IndexByte(" \t([{,=;", c) >= 0
		}
		s.at++
	}
}

package source

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

func stepGo(s *scanner, c byte) {
	switch {
	case c == '/':
		if !s.slash(false) {
			s.at++
		}
	case c == '`':
		s.literal(1, literal{end: c, lines: true})
	default:
		s.literal(1, literal{end: c, escape: true})
	}
}

func stepPython(s *scanner, c byte) {
	switch c {
	case '#':
		s.lineComment()
	case '"', '\'':
		s.pythonString(c)
	case '(', '[', '{':
		s.open()
	case ':':
		s.colon(true)
	default:
		s.shut(c)
	}
}

func (s *scanner) pythonString(c byte) {
	l := literal{end: c, escape: true, continued: true}
	for i := 1; i <= 2 && IsWord(s.peek(-i)); i++ {
		if p := s.peek(-i) | 0x20; ((p == 'f' || p == 't') && !IsWord(s.peek(-i-1))) || ((p == 'f' || p == 't') && i == 1 && !IsWord(s.peek(-3))) {
			l.hole = '{'
		}
	}
	if s.peek(1) == c && s.peek(2) == c {
		l.count, l.lines = 3, true
		s.literal(3, l)
		return
	}
	s.literal(1, l)
}

func stepJavaScript(s *scanner, c byte) {
	switch c {
	case '/':
		if !s.slash(false) {
			s.javaScriptRegexp()
		}
	case '`':
		s.literal(1, literal{end: c, escape: true, lines: true, hole: '$'})
	case '{':
		s.open()
	case '}':
		s.shut(c)
	case '(':
		last, _ := s.before(s.at)
		s.parens = append(s.parens, oneOf(s.wordBefore(last), " if for while with "))
		s.at++
	case ')':
		s.at++
		if n := len(s.parens) - 1; n >= 0 {
			if s.parens[n] {
				s.condition = s.at
			}
			s.parens = s.parens[:n]
		}
	case '<':
		if s.jsx && s.beginsElement() {
			s.at++
			s.element(literal{jsx: 1, tag: true})
			return
		}
		s.at++
	default:
		s.literal(1, literal{end: c, escape: true, continued: true})
	}
}

// javaScriptRegexp reads a regular expression, unless the slash divides.
func (s *scanner) javaScriptRegexp() {
	last, newLine := s.before(s.at)
	if (last >= 0 && (!s.expressionAfter(last, newLine) || s.code[last] == '<')) || s.at < s.divided {
		s.at++
		return
	}
	class := false
	for i := s.at + 1; i < len(s.text) && s.text[i] != '\n'; i++ {
		switch c := s.text[i]; {
		case c == '\\':
			i++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			s.blank(s.at+1, i)
			for i++; i < len(s.text) && IsWord(s.text[i]); i++ {
			}
			s.at, s.value = i, i
			return
		}
	}
	s.divided = s.lineEnd()
	s.at++
}

// expressionAfter reports whether an expression can begin behind the code that ends at an offset.
func (s *scanner) expressionAfter(last int, newLine bool) bool {
	if last+1 == s.value {
		return false
	}
	switch c := s.code[last]; {
	case c == ')':
		return s.condition == last+1
	case c == ']':
		return false
	case c == '}':
		return newLine
	case c == '+' || c == '-':
		return last == 0 || s.code[last-1] != c
	case c == '!': // that of TypeScript stands behind a value
		return last == 0 || (s.code[last-1] != ')' && s.code[last-1] != ']' &&
			(!IsWord(s.code[last-1]) || s.keywordBefore(last-1)))
	case c == '$':
		return false
	case IsWord(c):
		return s.keywordBefore(last)
	}
	return true
}

// keywordBefore reports whether the word that ends at an offset is one behind which an expression begins.
func (s *scanner) keywordBefore(last int) bool {
	word := s.wordBefore(last)
	if at := last - len(word); at >= 0 && (s.code[at] == '.' || s.code[at] == '$') {
		return false
	}
	return oneOf(word, " return typeof case in of delete void throw new else do instanceof await yield default extends ")
}

// beginsElement reports whether a < begins an element of JSX.
func (s *scanner) beginsElement() bool {
	next := s.peek(1)
	if next != '>' && (!isLetter(next) && next != '$') {
		return false
	}
	last, newLine := s.before(s.at)
	if last < 0 {
		return true
	}
	switch c := s.code[last]; {
	case c == '>':
		if last == 0 || s.code[last-1] != '=' {
			return false
		}
	case strings.IndexByte("(,=?:&|{[;!", c) >= 0:
	case c == '}':
		if !newLine {
			return false
		}
	case IsWord(c):
		if !s.expressionAfter(last, newLine) || s.wordBefore(last) == "extends" {
			return false
		}
	default:
		return false
	}
	return !s.typeParameter()
}

// typeParameter reports whether a < in front of a name begins the type parameters of an arrow function.
func (s *scanner) typeParameter() bool {
	i := s.at + 1
	for i < len(s.text) && i < s.at+100 && (IsWord(s.text[i]) || s.text[i] == '$') {
		i++
	}
	if i == s.at+1 {
		return false
	}
	upper := (s.text[s.at+1] >= 'A' && s.text[s.at+1] <= 'Z') || s.has("<const ")
	if i < len(s.text) && s.text[i] == '>' {
		return upper && i+1 < len(s.text) && s.text[i+1] == '('
	}
	for i < len(s.text) && i < s.at+120 && isBlank(s.text[i]) {
		i++
	}
	return i < len(s.text) && (s.text[i] == ',' || s.hasAt(i, "extends ") || (s.has("<const ") && s.text[i] != '='))
}

// element goes on with JSX, up to its end or its next hole.
func (s *scanner) element(l literal) {
	closing, from := false, s.at
	for s.at < len(s.text) {
		c := s.text[s.at]
		switch {
		case c == '{':
			if !l.tag {
				s.blank(from, s.at)
			}
			s.at++
			s.holes = append(s.holes, hole{literal: l})
			s.value = -1
			return
		case !l.tag && c == '<':
			s.blank(from, s.at)
			s.at++
			if closing = s.peek(0) == '/'; closing {
				s.at++
			}
			if !closing {
				l.jsx++
			}
			l.tag = true
		case !l.tag:
			s.at++
		case c == '"' || c == '\'':
			s.literal(1, literal{end: c, lines: true})
		case c == '/' && s.peek(1) == '>':
			s.at++
			closing = true
		case c == '/' && s.slash(false):
		case c == '<':
			s.typeArguments()
		case c == '>':
			s.at++
			if closing {
				l.jsx--
			}
			if l.jsx <= 0 {
				s.value = s.at
				return
			}
			l.tag, closing, from = false, false, s.at
		default:
			s.at++
		}
	}
	if !l.tag {
		s.blank(from, len(s.text))
	}
}

// typeArguments goes over those of a tag, such as <List<Item> items={x}>.
func (s *scanner) typeArguments() {
	depth := 0
	for ; s.at < len(s.text); s.at++ {
		switch s.text[s.at] {
		case '<':
			depth++
		case '>':
			if depth--; depth == 0 {
				s.at++
				return
			}
		case '\n', '{', '"', '\'':
			return
		}
	}
}

func stepRust(s *scanner, c byte) {
	switch c {
	case '/':
		if !s.slash(true) {
			s.at++
		}
	case '"':
		hashes := 0
		for s.peek(-1-hashes) == '#' {
			hashes++
		}
		if s.rustRaw(s.at - 1 - hashes) {
			s.literal(1, literal{end: c, lines: true, hashes: int32(hashes)})
			return
		}
		s.literal(1, literal{end: c, escape: true, lines: true})
	default:
		s.rustQuote()
	}
}

// rustRaw reports whether the r of a raw string is at an offset.
func (s *scanner) rustRaw(at int) bool {
	if at < 0 || s.text[at] != 'r' {
		return false
	}
	if at > 0 && (s.text[at-1] == 'b' || s.text[at-1] == 'c') {
		at--
	}
	return at == 0 || !IsWord(s.text[at-1])
}

// rustQuote tells a character from a lifetime.
func (s *scanner) rustQuote() {
	if s.peek(1) == '\\' {
		s.literal(1, literal{end: '\'', escape: true})
		return
	}
	_, size := utf8.DecodeRune(s.text[s.at+1:])
	if size > 0 && s.peek(1) != '\n' && s.peek(1+size) == '\'' {
		s.blank(s.at+1, s.at+1+size)
		s.at += size + 2
		s.value = s.at
		return
	}
	s.at++
}

func stepJava(s *scanner, c byte) {
	switch {
	case c == '/':
		if !s.slash(s.kotlin) {
			s.at++
		}
	case c == '{':
		s.open()
	case c == '}':
		s.shut(c)
	case c == '"':
		s.javaString()
	case c == '`' && !s.kotlin:
		s.at++
	case c == '`': // a name
		s.literal(1, literal{end: c})
	default:
		s.literal(1, literal{end: c, escape: true})
	}
}

func (s *scanner) javaString() {
	l := literal{end: '"', escape: true}
	if s.kotlin {
		l.hole = '$'
	}
	if s.peek(1) == '"' && s.peek(2) == '"' {
		l.count, l.lines = 3, true
		if s.kotlin {
			l.escape, l.lastRun = false, true
		}
		s.literal(3, l)
		return
	}
	s.literal(1, l)
}

func stepCSharp(s *scanner, c byte) {
	switch c {
	case '/':
		if !s.slash(false) {
			s.at++
		}
	case '"':
		s.cSharpString()
	case '\'':
		s.literal(1, literal{end: c, escape: true})
	case '{', '(', '[':
		s.open()
	case ':':
		if s.peek(1) == ':' {
			s.at += 2
			return
		}
		s.colon(false)
	case '#':
		s.directive()
	default:
		s.shut(c)
	}
}

// directive goes over a line such as #region Don't, whose text is no code.
func (s *scanner) directive() {
	if _, newLine := s.before(s.at); !newLine {
		s.at++
		return
	}
	end := s.lineEnd()
	if n := bytes.Index(s.text[s.at:end], []byte("//")); n >= 0 {
		end = s.at + n
	}
	s.at = max(end, s.at+1)
}

func (s *scanner) cSharpString() {
	l, dollars, i := literal{end: '"', escape: true}, 0, -1
	for ; s.peek(i) == '$' || s.peek(i) == '@'; i-- {
		if s.peek(i) == '$' {
			l.hole = '{'
			dollars++
		} else {
			l.escape, l.doubled, l.lines = false, true, true
		}
	}
	n := 1
	for s.peek(n) == '"' {
		n++
	}
	switch {
	case n >= 3 && !l.doubled:
		s.literal(n, literal{end: '"', hole: l.hole, braces: int32(dollars), lines: true, lastRun: true, count: int32(n)})
	default:
		s.literal(1, l)
	}
}

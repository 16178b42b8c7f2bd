package source

import (
	"bytes"
	"strings"
)

// heredoc is a text that begins on the next line and ends with a line of its own.
type heredoc struct {
	name     string
	indented bool // the last line can be
}

func stepRuby(s *scanner, c byte) {
	switch c {
	case '#':
		s.lineComment()
	case '\n':
		s.at++
		s.rubyLine()
	case '`':
		line := s.text[max(0, s.at-200):s.at]
		line = line[bytes.LastIndexByte(line, '\n')+1:]
		if s.peek(-1) == ':' && s.peek(-2) != ':' && bytes.IndexByte(line, '?') < 0 { // a symbol, and no choice
			s.at++
			return
		}
		fallthrough
	case '"':
		s.literal(1, literal{end: c, escape: true, lines: true, hole: '#'})
	case '\'':
		s.literal(1, literal{end: c, escape: true, lines: true})
	case '/':
		s.rubyRegexp()
	case '%':
		s.rubyPercent()
	case '?':
		s.rubyCharacter()
	case '$': // a variable such as $' or $"
		s.at++
		if next := s.peek(0); s.at < len(s.text) && !IsWord(next) && !isBlank(next) {
			s.at++
		}
	case '<':
		if !s.rubyHeredoc() {
			s.at++
		}
	case '{':
		s.open()
	default:
		s.shut(c)
	}
}

// rubyLine is called at the beginning of each line of code: it goes over the heredocs that begin here, =begin … =end
// and what follows __END__.
func (s *scanner) rubyLine() {
	for _, h := range s.heredocs {
		s.heredocText(h)
	}
	s.heredocs = s.heredocs[:0]
	switch {
	case s.has("=begin") && (isBlank(s.peek(6)) || s.at+6 == len(s.text)):
		s.rubyComment()
	case s.has("__END__") && (s.at+7 == len(s.text) || s.peek(7) == '\n' || s.peek(7) == '\r'):
		s.blank(s.at, len(s.text))
		s.at = len(s.text)
	}
}

// heredocText goes over a heredoc and its last line.
func (s *scanner) heredocText(h heredoc) {
	from, last := s.at, false
	for s.at < len(s.text) && !last {
		end := s.lineEnd()
		line := bytes.TrimSuffix(s.text[s.at:end], []byte("\r"))
		if h.indented {
			line = bytes.TrimLeft(line, " \t")
		}
		last = string(line) == h.name
		s.at = min(end+1, len(s.text))
	}
	s.texts = append(s.texts, span{from, s.at})
	s.blank(from, s.at)
}

func (s *scanner) rubyComment() {
	from := s.at
	for s.at < len(s.text) {
		last := s.has("=end")
		s.at = min(s.lineEnd()+1, len(s.text))
		if last {
			break
		}
	}
	s.comment(from, s.at)
	if s.at > from && s.at < len(s.text) {
		s.at-- // the line end begins a line
	}
}

// rubyOperand reports whether an operand is expected here, so that a slash or a percent sign begins a literal. It may
// also be the argument of a method without parentheses; then maybe is true.
func (s *scanner) rubyOperand() (operand, maybe bool) {
	last, newLine := s.before(s.at)
	if newLine {
		return true, false
	}
	if last+1 == s.value {
		return false, false
	}
	c := s.code[last]
	switch {
	case c == ')' || c == ']' || c == '}' || c == '"' || c == '\'' || c == '`':
		return false, false
	case IsWord(c) || ((c == '?' || c == '!') && last > 0 && IsWord(s.code[last-1])):
		word := s.wordBefore(last)
		at := last - len(word)
		if at >= 0 && (s.code[at] == '.' || s.code[at] == '@' || s.code[at] == '$' || s.code[at] == ':') {
			return false, s.code[at] == '.' && s.asArgument(last)
		}
		if oneOf(word, " return if unless while until and or not when in case then else elsif do puts raise yield begin ") {
			return true, false
		}
		return false, word != "def" && c > '9' && s.asArgument(last)
	}
	return c != '.' && (c != ':' || last+1 < s.at || (last > 0 && s.code[last-1] == ':')), false // :/ and :% are symbols
}

// asArgument reports whether what is here is written like an argument: blank before, none behind.
func (s *scanner) asArgument(last int) bool {
	next := s.peek(1)
	return last+1 < s.at && !isBlank(next) && next != '='
}

func (s *scanner) rubyRegexp() {
	operand, maybe := s.rubyOperand()
	if maybe && s.at >= s.divided {
		operand = s.onLine('/')
	}
	if !operand {
		s.at++
		return
	}
	s.literal(1, literal{end: '/', escape: true, lines: true, hole: '#'})
}

// rubyPercent reads %w[a b], %(text), %r{expression} and so on.
func (s *scanner) rubyPercent() {
	operand, maybe := s.rubyOperand()
	kind, width := byte('Q'), 1
	if next := s.peek(1); next|0x20 >= 'a' && next|0x20 <= 'z' {
		kind, width = next, 2
		if strings.IndexByte("wWiIqQrsx", kind) < 0 {
			operand, maybe = false, false
		}
	}
	open := s.peek(width)
	if (!operand && !maybe) || open == 0 || IsWord(open) || isBlank(open) ||
		(maybe && width == 1 && strings.IndexByte("([{<|!", open) < 0) {
		s.at++
		return
	}
	l := literal{end: open, escape: true, lines: true}
	if i := strings.IndexByte("([{<", open); i >= 0 {
		l.open, l.end = open, ")]}>"[i]
	}
	if strings.IndexByte("WIQrx", kind) >= 0 {
		l.hole = '#'
	}
	s.literal(width+1, l)
}

// rubyCharacter reads ?a.
func (s *scanner) rubyCharacter() {
	next := s.peek(1)
	operand, _ := s.rubyOperand()
	if !operand || s.at+1 >= len(s.text) || isBlank(next) || (IsWord(next) && IsWord(s.peek(2))) || IsWord(s.peek(-1)) {
		s.at++
		return
	}
	if next == '\\' {
		s.at++
	}
	s.blank(s.at+1, min(s.at+2, len(s.text)))
	s.at = min(s.at+2, len(s.text))
	s.value = s.at
}

// rubyHeredoc notes <<NAME, <<~NAME, <<-"NAME" and so on, when a line ends such a text.
func (s *scanner) rubyHeredoc() bool {
	if s.peek(1) != '<' {
		return false
	}
	i := s.at + 2
	indented := i < len(s.text) && (s.text[i] == '~' || s.text[i] == '-')
	if indented {
		i++
	}
	quote := byte(0)
	if i < len(s.text) && strings.IndexByte("\"'`", s.text[i]) >= 0 {
		quote = s.text[i]
		i++
	}
	from := i
	for i < len(s.text) && i < from+100 && (IsWord(s.text[i]) || (quote != 0 && s.text[i] != quote && s.text[i] != '\n')) {
		i++
	}
	if i == from || i == len(s.text) || (quote != 0 && s.text[i] != quote) {
		return false
	}
	name := string(s.text[from:i])
	if (!indented && quote == 0 && (name[0] < 'A' || name[0] > 'Z')) || s.textLine(name) < i {
		return false
	}
	if quote != 0 {
		s.blank(from, i)
		i++
	}
	s.heredocs = append(s.heredocs, heredoc{name, indented})
	s.at, s.value = i, i
	return true
}

// textLine is the offset of the last line that is nothing but a text, or -1.
func (s *scanner) textLine(text string) int {
	if s.lastLine == nil {
		s.lastLine = map[string]int{}
		for at := 0; at < len(s.text); {
			end := bytes.IndexByte(s.text[at:], '\n')
			if end < 0 {
				end = len(s.text) - at
			}
			if line := bytes.TrimSpace(s.text[at : at+end]); len(line) > 0 && len(line) <= 100 && isLetter(line[0]) {
				s.lastLine[string(line)] = at
			}
			at += end + 1
		}
	}
	if at, found := s.lastLine[text]; found {
		return at
	}
	return -1
}

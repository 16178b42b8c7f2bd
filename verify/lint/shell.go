package lint

import "strings"

// A small reader of shell scripts. It knows lists of simple commands; for everything else, such as loops, subshells and
// here-documents, the answer is that the script cannot be read, and nothing is reported about it.

// word is a word of a command.
type word struct {
	text    string // without quotes
	dynamic bool   // it contains an expansion, so that text is not its value
	quoted  bool
}

// pipeline is commands joined by |, and how it is joined to the next one: by "&&", "||", ";", "&", or "" at the end.
type pipeline struct {
	commands [][]word
	next     string
}

// maxScript is the longest script that is read.
const maxScript = 64 << 10

// readScript reads a script; ok is false when it contains something else than lists of simple commands.
func readScript(text string) (list []pipeline, ok bool) {
	if len(text) > maxScript {
		return nil, false
	}
	s := &script{text: text}
	for s.at < len(s.text) {
		if !s.token() {
			return nil, false
		}
	}
	return s.end()
}

// script is a script that is being read.
type script struct {
	text    string
	at      int
	list    []pipeline
	current [][]word // of the pipeline that is being read
	words   []word
	skip    bool // the next word is the target of a redirection
}

// token reads a word, an operator, a comment or blanks.
func (s *script) token() bool {
	rest := s.text[s.at:]
	switch c := rest[0]; {
	case c == ' ' || c == '\t' || c == '\r':
		s.at++
	case strings.HasPrefix(rest, "\\\n"):
		s.at += 2
	case c == '#':
		if line := strings.IndexByte(rest, '\n'); line >= 0 {
			s.at += line
		} else {
			s.at = len(s.text)
		}
	case c == '(' || c == ')' || strings.HasPrefix(rest, "<<") && !strings.HasPrefix(rest, "<<<"):
		return false
	case c == '>' || c == '<' || strings.HasPrefix(rest, "&>"):
		s.redirect()
	default:
		if op := operator(rest); op != "" {
			s.at += len(op)
			return s.operator(op)
		}
		return s.word()
	}
	return true
}

// operator returns the operator at the start of a text.
func operator(text string) string {
	for _, op := range []string{"&&", "||", "|&", ";;", ";", "&", "|", "\n"} {
		if strings.HasPrefix(text, op) {
			return op
		}
	}
	return ""
}

// redirect passes over the operator of a redirection, and the number before it.
func (s *script) redirect() {
	before := s.at > 0 && s.text[s.at-1] >= '0' && s.text[s.at-1] <= '9'
	if last := len(s.words) - 1; before && last >= 0 && len(s.words[last].text) == 1 {
		s.words = s.words[:last]
	}
	for s.at < len(s.text) && strings.IndexByte("<>&|", s.text[s.at]) >= 0 {
		s.at++
	}
	s.skip = true
}

func (s *script) operator(op string) bool {
	switch op {
	case ";;":
		return false
	case "|", "|&":
		if len(s.words) == 0 {
			return false
		}
		s.current, s.words = append(s.current, s.words), nil
		return true
	case "\n":
		if s.skip || len(s.words) == 0 { // an empty line, or the line after && or |
			return !s.skip
		}
		op = ";"
	}
	return s.close(op)
}

// close ends a pipeline.
func (s *script) close(op string) bool {
	if len(s.words) == 0 || s.skip {
		return false
	}
	s.list = append(s.list, pipeline{append(s.current, s.words), op})
	s.current, s.words = nil, nil
	return true
}

// end ends the script.
func (s *script) end() ([]pipeline, bool) {
	if len(s.words) > 0 && !s.close("") || len(s.current) > 0 || s.skip {
		return nil, false
	}
	if last := len(s.list) - 1; last >= 0 && (s.list[last].next == "&&" || s.list[last].next == "||") {
		return nil, false
	}
	return s.list, len(s.list) > 0
}

// keywords begin commands that are not simple.
const keywords set = "|" +
	"if|then|else|elif|fi|for|while|until|do|done|case|esac|select|function|{|}|[[|!|coproc|"

// word reads a word.
func (s *script) word() bool {
	var w word
	var b strings.Builder
	for s.at < len(s.text) {
		c := s.text[s.at]
		if strings.IndexByte(" \t\r\n;&|<>()", c) >= 0 {
			break
		}
		s.at++
		switch c {
		case '\'':
			if !s.single(&b, &w) {
				return false
			}
		case '"':
			if !s.double(&b, &w) {
				return false
			}
		case '\\':
			if s.at < len(s.text) && s.text[s.at] != '\n' {
				b.WriteByte(s.text[s.at])
			}
			s.at = min(s.at+1, len(s.text))
		case '$', '`':
			if !s.expansion(c, &b, &w) {
				return false
			}
		default:
			b.WriteByte(c)
		}
	}
	w.text = b.String()
	if s.skip {
		s.skip = false
		return true
	}
	if len(s.words) == 0 && !w.quoted && keywords.has(w.text) {
		return false
	}
	s.words = append(s.words, w)
	return true
}

// single reads the text after a single quote.
func (s *script) single(b *strings.Builder, w *word) bool {
	w.quoted = true
	text, rest, closed := strings.Cut(s.text[s.at:], "'")
	b.WriteString(text)
	s.at = len(s.text) - len(rest)
	return closed
}

// double reads the text after a double quote.
func (s *script) double(b *strings.Builder, w *word) bool {
	w.quoted = true
	for s.at < len(s.text) {
		c := s.text[s.at]
		s.at++
		switch c {
		case '"':
			return true
		case '\\':
			if s.at < len(s.text) {
				b.WriteByte(s.text[s.at])
				s.at++
			}
		case '$', '`':
			if !s.expansion(c, b, w) {
				return false
			}
		default:
			b.WriteByte(c)
		}
	}
	return false
}

// expansion reads an expansion after its first character. Commands in it do not decide the status of the command that they
// are part of, so they are passed over.
func (s *script) expansion(c byte, b *strings.Builder, w *word) bool {
	w.dynamic = true
	b.WriteByte(c)
	if c == '`' {
		length := strings.IndexByte(s.text[s.at:], '`')
		if length < 0 {
			return false
		}
		s.at += length + 1
		return true
	}
	if s.at == len(s.text) || s.text[s.at] != '(' {
		return true
	}
	depth := 0
	for ; s.at < len(s.text); s.at++ {
		switch s.text[s.at] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				s.at++
				return true
			}
		case '\'', '"': // a parenthesis in quotes would mislead
			return false
		}
	}
	return false
}

// Package gitattr computes the attributes that .gitattributes files give a path, as git does, without git.
package gitattr

import (
	"bytes"
	"errors"
	"strings"
)

// ErrUnclear is for a file that versions of git, or two ways of git to read it, understand differently.
var ErrUnclear = errors.New("git's versions do not agree about what the attributes file says")

// File is a .gitattributes that was read.
type File struct {
	rules  []rule
	Macros []Macro
	macros map[int][]state // what each macro of the file sets
}

// Macro is a line that defines a macro.
type Macro struct {
	Line       int
	Name, Sets string // Sets is the text after the name
}

// rule is a line with a pattern.
type rule struct {
	line    int
	pattern string // without a slash at its beginning
	prefix  int    // how many bytes of the pattern are not wildcards
	base    bool   // the pattern is for the name alone
	suffix  bool   // the pattern is a star, and no wildcard after it
	states  []state
}

// state is what a line says about an attribute.
type state struct {
	attribute int
	kind      kind
	text      string // for kind other
}

type kind int

const (
	unknown kind = iota
	unspecified
	unset
	set
	other
)

const (
	blank       = " \t\r\n"
	macroPrefix = "[attr]"
	maxLine     = 2048 // git ignores a line of this length
)

// Parse reads a .gitattributes. Lines that git ignores with a warning are ignored; so are macros outside of the root, which are
// listed all the same.
func (e *Evaluator) Parse(data []byte, root bool) (*File, error) {
	if bytes.IndexByte(data, 0) >= 0 || bytes.HasPrefix(data, []byte("\xef\xbb\xbf")) {
		return nil, ErrUnclear // git reads the file to the first, and from after the second, but not if it reads its index
	}
	f, number := &File{macros: map[int][]state{}}, 0
	for line := range strings.Lines(string(data)) {
		number++
		line = strings.TrimSuffix(line, "\n")
		if len(line) >= maxLine {
			if len(line) <= maxLine+len("\r") {
				return nil, ErrUnclear // git counts the carriage return or not
			}
			continue
		}
		if err := e.line(f, line, number, root); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// line reads one line.
func (e *Evaluator) line(f *File, line string, number int, root bool) error {
	line = strings.TrimLeft(line, blank)
	if line == "" || line[0] == '#' {
		return nil
	}
	name, rest, quoted := unquote(line)
	if !quoted {
		end := until(line, blank)
		name, rest = line[:end], line[end:]
	}
	if strings.Contains(name, "\x00") {
		return ErrUnclear
	}
	macro := len(name) > len(macroPrefix) && strings.HasPrefix(name, macroPrefix)
	if macro {
		name = strings.TrimLeft(name[len(macroPrefix):], blank)
		name = name[:until(name, blank)]
		if !validName(name) {
			return nil
		}
	}
	states, ok, err := e.states(rest)
	if !ok || err != nil {
		return err
	}
	switch {
	case macro && strings.HasPrefix(name, reserved):
		return ErrUnclear
	case macro:
		f.Macros = append(f.Macros, Macro{number, name, strings.Join(strings.Fields(rest), " ")})
		if root {
			f.macros[e.attribute(name)] = states // the last definition counts
		}
	case strings.HasPrefix(name, "!"), strings.HasSuffix(name, "/"): // git refuses the first; the second is for directories alone
	default:
		f.rules = append(f.rules, newRule(name, number, states))
	}
	return nil
}

func newRule(pattern string, line int, states []state) rule {
	r := rule{line: line, states: states, base: !strings.Contains(pattern, "/")}
	r.pattern = strings.TrimPrefix(pattern, "/")
	r.prefix = until(r.pattern, special)
	r.suffix = r.base && r.prefix == 0 && pattern != "" && pattern[0] == '*' && until(pattern[1:], special) == len(pattern)-1
	return r
}

// reserved begins names that newer versions of git refuse, with the whole line.
const reserved = "builtin_"

// states reads what follows the pattern. ok is false where git ignores the whole line.
func (e *Evaluator) states(rest string) (list []state, ok bool, err error) {
	for {
		rest = strings.TrimLeft(rest, blank)
		if rest == "" {
			return list, true, nil
		}
		end := until(rest, blank)
		s, word := state{kind: set}, rest[:end]
		rest = rest[end:]
		name, value, hasValue := strings.Cut(word, "=")
		switch {
		case strings.HasPrefix(name, "-"):
			s.kind, name = unset, name[1:]
		case strings.HasPrefix(name, "!"):
			s.kind, name = unspecified, name[1:]
		case hasValue:
			s.kind, s.text = other, value
		}
		if !validName(name) {
			return nil, false, nil
		}
		if strings.HasPrefix(name, reserved) {
			return nil, false, ErrUnclear
		}
		s.attribute = e.attribute(name)
		list = append(list, s)
	}
}

func validName(name string) bool {
	for i := range len(name) {
		c := name[i]
		if !isAlnum(c) && c != '-' && c != '.' && c != '_' {
			return false
		}
	}
	return name != "" && name[0] != '-'
}

// until is where the first of some characters is; the length where there is none.
func until(s, characters string) int {
	if i := strings.IndexAny(s, characters); i >= 0 {
		return i
	}
	return len(s)
}

// unquote reads a text in double quotes as git writes it. ok is false where it is none.
func unquote(s string) (text, rest string, ok bool) {
	if s[0] != '"' {
		return "", "", false
	}
	letters := map[byte]byte{'a': '\a', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v', '\\': '\\', '"': '"'}
	var b []byte
	for i := 1; i < len(s); i++ {
		if s[i] == '"' {
			return string(b), s[i+1:], true
		}
		if s[i] != '\\' {
			b = append(b, s[i])
			continue
		}
		i++
		if i+2 < len(s) && '0' <= s[i] && s[i] <= '3' && isOctal(s[i+1]) && isOctal(s[i+2]) {
			b = append(b, (s[i]-'0')<<6|(s[i+1]-'0')<<3|(s[i+2]-'0'))
			i += 2
			continue
		}
		if i == len(s) || letters[s[i]] == 0 {
			return "", "", false
		}
		b = append(b, letters[s[i]])
	}
	return "", "", false
}

func isOctal(c byte) bool { return '0' <= c && c <= '7' }

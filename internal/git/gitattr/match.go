package gitattr

import "strings"

// special are the characters that end the literal beginning of a pattern.
const special = `*?[\`

// matches reports whether a rule of a file in a directory is for a path below that directory. name is the path's last part.
func (e *Evaluator) matches(r *rule, below, name string) bool {
	e.Steps++
	switch {
	case !r.base:
		if len(below) < r.prefix || !e.equal(below[:r.prefix], r.pattern[:r.prefix]) {
			return false
		}
		return e.wild(r.pattern[r.prefix:], below[r.prefix:], true) == yes
	case r.prefix == len(r.pattern):
		return e.equal(name, r.pattern)
	case r.suffix:
		end := r.pattern[1:]
		return len(name) >= len(end) && e.equal(name[len(name)-len(end):], end)
	}
	return e.wild(r.pattern, name, false) == yes
}

func (e *Evaluator) equal(a, b string) bool {
	if !e.Fold {
		return a == b
	}
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) {
		if lower(a[i]) != lower(b[i]) {
			return false
		}
	}
	return true
}

// answer is the result of a match. The last two keep an earlier star from trying what a later one tried already.
type answer int

const (
	no     answer = iota
	yes           // to the end
	ended         // the text ended first: it would with less text, too
	atStar        // only a star that crosses slashes could still match
)

// wild matches a text with a pattern. Where paths is set, only two stars between slashes match a slash.
func (e *Evaluator) wild(pattern, text string, paths bool) answer {
	for at := 0; at < len(pattern); {
		e.Steps++
		c := pattern[at]
		if c == '*' {
			return e.star(pattern, at, text, paths)
		}
		if text == "" {
			return ended
		}
		t := text[0]
		if e.Fold {
			t, c = lower(t), lower(c)
		}
		switch c {
		case '?':
			if paths && t == '/' {
				return no
			}
			at++
		case '[':
			length, found := e.class(pattern[at:], t)
			if length == 0 {
				return ended // it is malformed, and matches nothing
			}
			if !found || (paths && t == '/') {
				return no
			}
			at += length
		case '\\':
			if at+1 == len(pattern) || pattern[at+1] != t {
				return no
			}
			at += 2
		default:
			if t != c {
				return no
			}
			at++
		}
		text = text[1:]
	}
	if text != "" {
		return no
	}
	return yes
}

// star is [Evaluator.wild] from a star on.
func (e *Evaluator) star(pattern string, at int, text string, paths bool) answer {
	rest := pattern[at+1:]
	deep := !paths
	if strings.HasPrefix(rest, "*") {
		rest = strings.TrimLeft(rest, "*")
		between := (at == 0 || pattern[at-1] == '/') && (rest == "" || rest[0] == '/' || strings.HasPrefix(rest, `\/`))
		deep = deep || between
		if paths && between && strings.HasPrefix(rest, "/") && e.wild(rest[1:], text, paths) == yes {
			return yes // no directory at all
		}
	}
	slash := strings.IndexByte(text, '/')
	switch {
	case rest == "" && !deep && slash >= 0:
		return atStar
	case rest == "":
		return yes
	case !deep && rest[0] == '/' && slash < 0:
		return ended
	case !deep && rest[0] == '/':
		return e.wild(rest, text[slash:], paths)
	}
	for i := range len(text) {
		switch found := e.wild(rest, text[i:], paths); {
		case found == no && !deep && text[i] == '/':
			return atStar
		case found != no && (!deep || found != atStar):
			return found
		}
	}
	return ended
}

// class matches a byte with the bracket expression that a pattern begins with, and gives its length; 0 for a malformed one.
func (e *Evaluator) class(pattern string, t byte) (length int, found bool) {
	i, previous, negated := 1, byte(0), false
	if i < len(pattern) && (pattern[i] == '!' || pattern[i] == '^') {
		i, negated = i+1, true
	}
	for first := i; ; i++ {
		e.Steps++
		if i >= len(pattern) {
			return 0, false
		}
		c := pattern[i]
		switch {
		case c == ']' && i > first:
			return i + 1, found != negated
		case c == '\\':
			if i++; i == len(pattern) {
				return 0, false
			}
			c = pattern[i]
			found = found || t == c
		case c == '-' && previous != 0 && i+1 < len(pattern) && pattern[i+1] != ']':
			if i++; pattern[i] == '\\' {
				i++
			}
			if i == len(pattern) {
				return 0, false
			}
			between := func(t byte) bool { return previous <= t && t <= pattern[i] }
			found = found || between(t) || (e.Fold && isLower(t) && between(t-'a'+'A'))
			c = 0
		case c == '[' && i+1 < len(pattern) && pattern[i+1] == ':':
			end := strings.IndexByte(pattern[i+2:], ']')
			if end < 0 {
				return 0, false
			}
			name := pattern[i+2 : i+2+end]
			if !strings.HasSuffix(name, ":") {
				found = found || t == c
				break
			}
			contains := classes[strings.TrimSuffix(name, ":")]
			if contains == nil {
				return 0, false
			}
			found = found || contains(t) || (e.Fold && name == "upper:" && isLower(t))
			i, c = i+2+end, 0
		default:
			found = found || t == c
		}
		previous = c
	}
}

// classes are git's, which are those of ASCII but for the space.
var classes = map[string]func(byte) bool{
	"alnum":  isAlnum,
	"alpha":  func(c byte) bool { return isLower(c) || isUpper(c) },
	"blank":  func(c byte) bool { return c == ' ' || c == '\t' },
	"cntrl":  func(c byte) bool { return c < ' ' || c == 0x7f },
	"digit":  isDigit,
	"graph":  func(c byte) bool { return ' ' < c && c < 0x7f },
	"lower":  isLower,
	"print":  func(c byte) bool { return ' ' <= c && c < 0x7f },
	"punct":  func(c byte) bool { return ' ' < c && c < 0x7f && !isAlnum(c) },
	"space":  func(c byte) bool { return strings.IndexByte(blank, c) >= 0 },
	"upper":  isUpper,
	"xdigit": func(c byte) bool { return isDigit(c) || ('a' <= lower(c) && lower(c) <= 'f') },
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
func isLower(c byte) bool { return 'a' <= c && c <= 'z' }
func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }
func isAlnum(c byte) bool { return isDigit(c) || isLower(c) || isUpper(c) }

func lower(c byte) byte {
	if isUpper(c) {
		return c - 'A' + 'a'
	}
	return c
}

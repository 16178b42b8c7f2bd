package change

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/input"
)

// unquoteName reads the quoted name with which text begins. It returns the name and its length in text; or a problem
// and its offset. Only what git writes is read: a name that needs no quotes, an escape that is not git's and raw bytes
// beside octal ones are problems. Bytes from 0x80 on are octal, or raw when core.quotePath is false.
func unquoteName(text []byte) (name string, n int, problem string) {
	var out []byte
	var needed, raw, octal bool
	for i := 1; i < len(text); {
		c := text[i]
		if c == '"' {
			if !needed && !octal {
				return "", 0, "the name is quoted without need"
			}
			if raw && octal {
				return "", 0, "the name has bytes from 0x80 on both raw and in octal"
			}
			return string(out), i + 1, ""
		}
		size := 1
		if c == '\\' {
			c, size, problem = unescapeName(text[i:])
			if problem != "" {
				return "", i, problem
			}
			needed, octal = needed || input.MustQuote(c), octal || c >= 0x80
		} else if input.MustQuote(c) {
			return "", i, fmt.Sprintf("the byte 0x%02x is not escaped in a quoted name", c)
		} else {
			raw = raw || c >= 0x80
		}
		out = append(out, c)
		i += size
	}
	return "", len(text), "the quoted name has no end"
}

// unescapeName reads the escape with which text begins: the byte that it means and its length, or a problem.
func unescapeName(text []byte) (c byte, size int, problem string) {
	if len(text) >= 2 && input.NameEscapes[text[1]] != 0 {
		return input.NameEscapes[text[1]], 2, ""
	}
	if len(text) < 4 || text[1] < '0' || text[1] > '3' || !octalDigit(text[2]) || !octalDigit(text[3]) {
		return 0, 0, "git has no such escape"
	}
	c = (text[1]-'0')<<6 | (text[2]-'0')<<3 | (text[3] - '0')
	switch {
	case c == 0:
		return 0, 0, "a path cannot contain a NUL byte"
	case input.EscapeLetters[c] != 0:
		return 0, 0, "git writes this byte as a letter, not in octal"
	case !input.MustQuote(c) && c < 0x80:
		return 0, 0, "git writes this byte as it is"
	}
	return c, 4, ""
}

func octalDigit(c byte) bool { return '0' <= c && c <= '7' }

// readName reads a name that fills text.
func readName(text []byte) (name string, at int, problem string) {
	if len(text) > 0 && text[0] == '"' {
		name, n, problem := unquoteName(text)
		if problem == "" && n < len(text) {
			return "", n, "something follows the quoted name"
		}
		return name, n, problem
	}
	if i := bytes.IndexFunc(text, func(c rune) bool { return c < 0x80 && input.MustQuote(byte(c)) }); i >= 0 {
		return "", i, fmt.Sprintf("git quotes a name that contains the byte 0x%02x", text[i])
	}
	return string(text), 0, ""
}

// takeName passes over prefix and path at the start of text, in whichever way git may have written them.
func takeName(text []byte, prefix, path string) (rest []byte, ok bool) {
	if len(text) > 0 && text[0] == '"' {
		name, n, problem := unquoteName(text)
		if problem != "" || len(name) != len(prefix)+len(path) || name[:len(prefix)] != prefix || name[len(prefix):] != path {
			return nil, false
		}
		return text[n:], true
	}
	size := len(prefix) + len(path)
	if len(text) < size || string(text[:len(prefix)]) != prefix || string(text[len(prefix):size]) != path {
		return nil, false
	}
	if slices.ContainsFunc(text[:size], input.MustQuote) {
		return nil, false
	}
	return text[size:], true
}

// splitSame reads `a/X b/X`, what follows "diff --git " where both names are one path. Plain names may contain blanks, so
// they are told apart by their equal length.
func splitSame(text []byte) (path string, at int, problem string) {
	first := text
	rest := 0
	if len(text) > 0 && text[0] == '"' {
		name, n, problem := unquoteName(text)
		if problem != "" {
			return "", n, problem
		}
		path, rest = name, n
	} else {
		rest = len(text) / 2
		first = text[:rest]
		name, at, problem := readName(first)
		if problem != "" {
			return "", at, problem
		}
		path = name
	}
	if !strings.HasPrefix(path, "a/") || len(path) == len("a/") {
		return "", 0, "the old name does not begin with a/"
	}
	path = path[len("a/"):]
	if len(text) <= rest || text[rest] != ' ' {
		return "", rest, "the two names differ"
	}
	if end, ok := takeName(text[rest+1:], "b/", path); !ok || len(end) > 0 {
		return "", rest + 1, "the two names differ, or the new one does not begin with b/"
	}
	return path, 0, ""
}

package gitobj

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// maxBorrow is how many steps git follows from one folder of objects to those that it borrows from.
const maxBorrow = 5

// borrow adds a folder of objects and those that its info/alternates lists. One that is not there is remembered: git
// goes on without it, and so an object may be missing that was never meant to be.
func (s *store) borrow(dir string, depth int) error {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	if slices.Contains(s.dirs, dir) || slices.Contains(s.lost, dir) {
		return nil
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		s.lost = append(s.lost, dir)
		return nil
	}
	s.dirs = append(s.dirs, dir)
	name := filepath.Join(dir, "info", "alternates")
	text, err := readSmall(name, smallFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for line := range strings.Lines(text) {
		if err := s.borrowLine(dir, strings.TrimSuffix(line, "\n"), depth); err != nil {
			return err
		}
	}
	return nil
}

// borrowLine follows a line of info/alternates: an absolute path, or one that begins at the folder of objects, plain or
// quoted as in C.
func (s *store) borrowLine(dir, line string, depth int) error {
	if line == "" || line[0] == '#' {
		return nil
	}
	if line[0] == '"' {
		plain, ok := unquote(line)
		if !ok {
			return &Corrupt{What: filepath.Join(dir, "info", "alternates"), Why: "a quoted path is malformed"}
		}
		line = plain
	}
	if depth > maxBorrow {
		return &Unsupported{What: "the repository borrows objects over more than " + strconv.Itoa(maxBorrow) + " steps (objects/info/alternates): run git repack -ad in it"}
	}
	return s.borrow(from(dir, line), depth+1)
}

// unquote reads a path that git quoted: the escapes of C, bytes as three octal digits.
func unquote(text string) (string, bool) {
	var plain strings.Builder
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			return plain.String(), i == len(text)-1
		case c != '\\':
			plain.WriteByte(c)
		case i+1 == len(text):
			return "", false
		default:
			b, n, ok := unescapeC(text[i+1:])
			if !ok {
				return "", false
			}
			plain.WriteByte(b)
			i += n
		}
	}
	return "", false
}

// unescapeC reads what follows a backslash, and says how many bytes that was.
func unescapeC(text string) (b byte, n int, ok bool) {
	const letters, bytes = `abtnvfr"\`, "\a\b\t\n\v\f\r\"\\"
	if i := strings.IndexByte(letters, text[0]); i >= 0 {
		return bytes[i], 1, true
	}
	if len(text) < 3 || text[0] > '3' {
		return 0, 0, false
	}
	for _, digit := range []byte(text[:3]) {
		if digit < '0' || digit > '7' {
			return 0, 0, false
		}
		b = b<<3 | (digit - '0')
	}
	return b, 3, true
}

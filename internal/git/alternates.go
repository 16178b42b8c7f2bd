package git

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// maxBorrow is how many levels of alternates git follows.
const maxBorrow = 5

// borrow adds an object directory and those that its info/alternates lists. A directory that does not exist is noted:
// git ignores it, so it may be the reason why an object is missing.
func (s *store) borrow(dir string, depth int) error {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	if slices.Contains(s.dirs, dir) || slices.Contains(s.lost, dir) {
		return nil
	}
	if !isDir(dir) {
		s.lost = append(s.lost, dir)
		return nil
	}
	s.dirs = append(s.dirs, dir)
	name := filepath.Join(dir, "info", "alternates")
	text, err := readSmall(name, smallFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for line := range strings.SplitSeq(text, "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		if line[0] == '"' {
			plain, ok := unquote(line)
			if !ok {
				return &Corrupt{What: name, Why: "a quoted path is malformed"}
			}
			line = plain
		}
		if depth > maxBorrow {
			return &Unsupported{What: "objects/info/alternates is nested more than " + strconv.Itoa(maxBorrow) + " levels deep: run git repack -ad"}
		}
		if err := s.borrow(from(dir, line), depth+1); err != nil {
			return err
		}
	}
	return nil
}

// unquote reads a path that git quoted: the escapes of C, with bytes as three octal digits.
func unquote(text string) (string, bool) {
	const letters, bytes = `abtnvfr"\`, "\a\b\t\n\v\f\r\"\\"
	var plain strings.Builder
	for i := 1; i < len(text); i++ {
		c, rest := text[i], text[i+1:]
		switch {
		case c == '"':
			return plain.String(), rest == ""
		case c != '\\':
			plain.WriteByte(c)
		case rest == "":
			return "", false
		case strings.IndexByte(letters, rest[0]) >= 0:
			plain.WriteByte(bytes[strings.IndexByte(letters, rest[0])])
			i++
		default:
			b, err := strconv.ParseUint(rest[:min(3, len(rest))], 8, 8)
			if err != nil || len(rest) < 3 {
				return "", false
			}
			plain.WriteByte(byte(b))
			i += 3
		}
	}
	return "", false
}

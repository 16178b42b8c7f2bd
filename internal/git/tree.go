package git

import (
	"bytes"
	"errors"
)

// The modes of tree entries as git interprets them: other permissions of files are treated as one of the first two.
const (
	ModeFile       = 0o100644
	ModeExecutable = 0o100755
	ModeSymlink    = 0o120000
	ModeSubmodule  = 0o160000
	ModeTree       = 0o040000
)

// typeBits are the bits of a mode that are the type of an entry.
const typeBits = 0o170000

// treeEntry is one entry of a tree that is being read. Its slices point into the tree.
type treeEntry struct {
	name []byte
	id   []byte // raw
	mode uint32 // one of the Mode constants
	end  int    // of the entry, in the tree
}

func (e *treeEntry) isTree() bool { return e.mode == ModeTree }

// treeReader reads a tree's entries one after the other ("mode SP name NUL id"). Trees that could hide a path are errors:
// two entries with one name, a wrong order, names that a file cannot have.
type treeReader struct {
	tree  []byte
	size  int // of an id
	at    int
	last  treeEntry
	files [][]byte // names of files that a directory of the same name could still follow, each a prefix of the next
}

var errTree = struct{ cut, mode, name, order, twice, null error }{
	errors.New("an entry is truncated"),
	errors.New("git does not write the mode of an entry"),
	errors.New(`an entry's name is empty, ".", "..", ".git" or contains a slash`),
	errors.New("its entries are not sorted"),
	errors.New("two entries have the same name"),
	errors.New("an entry's id is all zeros"),
}

// reset begins a tree.
func (t *treeReader) reset(tree []byte, size int) {
	t.tree, t.size, t.at, t.last, t.files = tree, size, 0, treeEntry{}, t.files[:0]
}

// next gives the next entry; ok is false at the end.
func (t *treeReader) next() (e treeEntry, ok bool, err error) {
	if t.at == len(t.tree) {
		return treeEntry{}, false, nil
	}
	rest := t.tree[t.at:]
	mode, n := parseMode(rest)
	if n == 0 {
		return treeEntry{}, false, errTree.mode
	}
	length := bytes.IndexByte(rest[n:], 0)
	end := n + length + 1 + t.size
	if length < 0 || end > len(rest) {
		return treeEntry{}, false, errTree.cut
	}
	e = treeEntry{name: rest[n : n+length], id: rest[end-t.size : end], mode: mode, end: t.at + end}
	if err := t.check(&e); err != nil {
		return treeEntry{}, false, err
	}
	t.at, t.last = e.end, e
	return e, true, nil
}

// check checks an entry, also against the entries before it.
func (t *treeReader) check(e *treeEntry) error {
	if badName(e.name) {
		return errTree.name
	}
	if e.id[0] == 0 && len(bytes.TrimLeft(e.id, "\x00")) == 0 {
		return errTree.null
	}
	if t.at > 0 {
		switch order := compareEntries(&t.last, e); {
		case order == 0:
			return errTree.twice
		case order > 0:
			return errTree.order
		}
	}
	return t.checkTwice(e)
}

// checkTwice finds a directory with the name of a file. They need not be adjacent: "a", "a.b" and the directory "a" are
// sorted, because a directory sorts as "a/". All entries between them begin with the file's name.
func (t *treeReader) checkTwice(e *treeEntry) error {
	n := len(t.files)
	for n > 0 && !bytes.HasPrefix(e.name, t.files[n-1]) {
		n--
	}
	if n > 0 && len(e.name) == len(t.files[n-1]) {
		return errTree.twice
	}
	t.files = t.files[:n]
	if !e.isTree() {
		t.files = append(t.files, e.name)
	}
	return nil
}

// parseMode reads an octal mode and the space after it. n is 0 when there is no mode, or one of an unknown type.
func parseMode(rest []byte) (mode uint32, n int) {
	for i := 0; i < len(rest) && i < 8; i++ {
		if rest[i] == ' ' {
			mode = canonical(mode)
			if mode == 0 {
				return 0, 0
			}
			return mode, i + 1
		}
		if rest[i] < '0' || rest[i] > '7' {
			return 0, 0
		}
		mode = mode<<3 | uint32(rest[i]-'0')
	}
	return 0, 0
}

// canonical gives the mode as git interprets it, 0 for one that it never writes. Of the permissions of a file only the
// owner's executable bit counts.
func canonical(mode uint32) uint32 {
	if mode>>16 != 0 {
		return 0
	}
	switch kind := mode & typeBits; kind {
	case ModeFile & typeBits:
		if mode&0o100 != 0 {
			return ModeExecutable
		}
		return ModeFile
	case ModeSymlink, ModeSubmodule, ModeTree:
		return kind
	}
	return 0
}

// badName reports whether a file cannot have the name, or only git's own directory has it.
func badName(name []byte) bool {
	if len(name) == 0 || bytes.IndexByte(name, '/') >= 0 {
		return true
	}
	if name[0] != '.' || len(name) > 4 {
		return false
	}
	return len(name) == 1 || string(name) == ".." || bytes.EqualFold(name, []byte(".git"))
}

// compareEntries orders entries as git does: by the bytes of their names, as if a slash followed the name of a directory.
func compareEntries(a, b *treeEntry) int {
	n := min(len(a.name), len(b.name))
	if order := bytes.Compare(a.name[:n], b.name[:n]); order != 0 {
		return order
	}
	return int(a.byteAt(n)) - int(b.byteAt(n))
}

// byteAt gives byte n of the name, where n is at most its length: after the name of a file 0, of a directory a slash.
func (e *treeEntry) byteAt(n int) byte {
	switch {
	case n < len(e.name):
		return e.name[n]
	case e.isTree():
		return '/'
	}
	return 0
}

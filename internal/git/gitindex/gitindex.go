// Package gitindex reads, compares and writes the index of a work tree, as git stores it on disk.
package gitindex

import (
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"iter"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/closeout-gate/closeout/internal/git"
)

// Index is an index of git, version 2 or 3, without the checksum at its end.
type Index struct {
	data    []byte
	Entries []Entry // sorted by path
	sum     int     // length of an object id and of the checksum
}

// Entry is where an entry is in the data, and its path.
type Entry struct {
	at   int
	Path string
}

// The layout of an entry: ten numbers of 32 bits, an object id, flags, the path, and NULs up to a multiple of eight bytes.
const (
	indexHeader  = 12
	statBytes    = 40
	extendedFlag = 0x4000
	assumeValid  = 0x80 // of the first byte of the flags: git does not look at the file
	deviceAt     = 16   // the four bytes of the device
	modeAt       = 26   // the two bytes of the mode that matter
	submodule    = 0xe0 // the first of them
)

// Modes of entries, as git prints them.
const (
	ModeFile       = "100644"
	ModeExecutable = "100755"
	Gitlink        = "160000"
	noMode         = "000000" // of a path that is not there
)

// ErrForm is for an index that no version of git that is known writes.
var ErrForm = errors.New("the index of git has an unknown form")

// Read reads the index in a file. sum is the length of an object id.
func Read(path string, sum int) (*Index, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(data, sum)
}

// Parse reads an index.
func Parse(data []byte, sum int) (*Index, error) {
	if len(data) < indexHeader+sum || !bytes.HasPrefix(data, []byte("DIRC")) {
		return nil, ErrForm
	}
	version, count := binary.BigEndian.Uint32(data[4:]), binary.BigEndian.Uint32(data[8:])
	if version != 2 && version != 3 {
		return nil, ErrForm
	}
	x := &Index{data: data[:len(data)-sum], sum: sum}
	at := indexHeader
	for range count {
		name := at + statBytes + sum + 2
		if name > len(x.data) {
			return nil, ErrForm
		}
		if binary.BigEndian.Uint16(x.data[name-2:])&extendedFlag != 0 {
			name += 2
		}
		length := bytes.IndexByte(x.data[min(name, len(x.data)):], 0)
		if length < 0 {
			return nil, ErrForm
		}
		x.Entries = append(x.Entries, Entry{at, string(x.data[name : name+length])})
		at += (name + length - at + 8) &^ 7
	}
	if at > len(x.data) {
		return nil, ErrForm
	}
	for at+8 <= len(x.data) {
		if x.data[at] < 'A' || x.data[at] > 'Z' { // what a reader must know, such as where the rest of a split index is
			return nil, ErrForm
		}
		at += 8 + int(binary.BigEndian.Uint32(x.data[at+4:]))
	}
	return x, nil
}

// Contains reports whether the index has an entry at a path or below it.
func (x *Index) Contains(path string) bool {
	for _, e := range x.Entries {
		if e.Path == path || strings.HasPrefix(e.Path, path+"/") {
			return true
		}
	}
	return false
}

// Version is what an index has at a path; zero for nothing.
type Version struct{ Mode, ID string }

// Differences are the paths, in order, at which another index has something else.
func (x *Index) Differences(other *Index) iter.Seq2[string, [2]Version] {
	return func(yield func(string, [2]Version) bool) {
		old, now := x.Entries, other.Entries // both are sorted by path
		for len(old)+len(now) > 0 {
			var both [2]Version
			var path string
			gone := len(now) == 0 || (len(old) > 0 && old[0].Path < now[0].Path)
			added := len(old) == 0 || (len(now) > 0 && now[0].Path < old[0].Path)
			if !gone && !added && x.same(old[0], other, now[0]) {
				old, now = old[1:], now[1:]
				continue
			}
			if !added {
				path, both[0] = old[0].Path, Version{x.Mode(old[0]), x.ID(old[0])}
				old = old[1:]
			}
			if !gone {
				path, both[1] = now[0].Path, Version{other.Mode(now[0]), other.ID(now[0])}
				now = now[1:]
			}
			if !yield(path, both) {
				return
			}
		}
	}
}

// RawLine is a difference as git prints it with --raw.
func RawLine(old, now Version) string {
	status := "M"
	switch none := (Version{}); {
	case old == none:
		status, old = "A", Version{noMode, strings.Repeat("0", len(now.ID))}
	case now == none:
		status, now = "D", Version{noMode, strings.Repeat("0", len(old.ID))}
	case old.Mode[:3] != now.Mode[:3]: // a file, a link, a submodule
		status = "T"
	}
	return fmt.Sprintf(":%s %s %s %s %s", old.Mode, now.Mode, old.ID, now.ID, status)
}

// same reports whether an entry has the mode and the object id of an entry of another index.
func (x *Index) same(e Entry, other *Index, o Entry) bool {
	return bytes.Equal(x.data[e.at+24:e.at+28], other.data[o.at+24:o.at+28]) && bytes.Equal(x.RawID(e), other.RawID(o))
}

// Equal reports whether two indexes are of the same tree.
func (x *Index) Equal(other *Index) bool {
	for range x.Differences(other) {
		return false
	}
	return true
}

// Forget lets git read those files again that may have changed since the index was made, at the given time of the
// file system, and returns their paths. It compares more than git does: with nanoseconds, the device, and whatever
// the settings of the repository are. A file whose inode changed shortly before that time may have changed again
// without a trace, and is read again as well, and so are a submodule and what is mounted in the work tree: see
// [StampsEdits].
func (x *Index) Forget(root string, made time.Time) (forgotten map[string]bool) {
	forgotten = map[string]bool{}
	certain := made.Add(-2 * time.Second).UnixNano()
	top, _, _ := statNumbers(root)
	for _, e := range x.Entries {
		x.data[e.at+statBytes+x.sum] &^= assumeValid
		numbers := x.data[e.at : e.at+statBytes]
		now, changed, ok := statNumbers(root + "/" + e.Path)
		if ok && changed < certain && numbers[modeAt] != submodule && [4]byte(now[deviceAt:]) == [4]byte(top[deviceAt:]) && bytes.Equal(now[:24], numbers[:24]) && bytes.Equal(now[36:], numbers[36:]) {
			continue
		}
		clear(numbers[:24])
		clear(numbers[36:])
		forgotten[e.Path] = true
	}
	return forgotten
}

// Mode is the mode of an entry, as git prints it.
func (x *Index) Mode(e Entry) string {
	return fmt.Sprintf("%06o", binary.BigEndian.Uint32(x.data[e.at+24:]))
}

// ID is the object id of an entry.
func (x *Index) ID(e Entry) string {
	return hex.EncodeToString(x.RawID(e))
}

func (x *Index) RawID(e Entry) []byte { return x.data[e.at+statBytes : e.at+statBytes+x.sum] }

// SetID gives an entry another object id.
func (x *Index) SetID(e Entry, id string) {
	_, _ = hex.Decode(x.RawID(e), []byte(id)) // as [Index.ID] returned it
}

// TreeID is the id of the tree that an index without conflicts has. It is computed from the entries alone: a tree among the
// objects on disk can be another one than its id says, and git reads it without a look at the id.
func (x *Index) TreeID() string { return hex.EncodeToString(x.subtree(x.Entries, 0)) }

// subtree is the id of the directory whose path, with the slash at its end, is the first bytes of the paths of some entries.
func (x *Index) subtree(entries []Entry, directory int) []byte {
	var content []byte
	for len(entries) > 0 {
		n, mode, id := 1, strings.TrimLeft(x.Mode(entries[0]), "0"), x.RawID(entries[0])
		name, _, nested := strings.Cut(entries[0].Path[directory:], "/")
		if nested {
			path := entries[0].Path[:directory+len(name)+1]
			for n < len(entries) && strings.HasPrefix(entries[n].Path, path) {
				n++
			}
			mode, id = "40000", x.subtree(entries[:n], len(path))
		}
		content = append(append(append(content, mode+" "+name...), 0), id...)
		entries = entries[n:]
	}
	sum := NewHash(x.sum)
	fmt.Fprintf(sum, "tree %d\x00", len(content))
	sum.Write(content)
	return sum.Sum(nil)
}

// IsTree reports whether a tree has the entries of the index, as the objects on disk say, each of which has its id. Old
// programs wrote modes that git no longer writes: such a tree has another id than its entries have today.
func (x *Index) IsTree(repo *git.Repo, tree git.ID) bool {
	files, err := repo.Compare(git.ID{}, tree)
	return err == nil && slices.EqualFunc(files, x.Entries, func(f git.Difference, e Entry) bool {
		return f.Path == e.Path && fmt.Sprintf("%06o", f.NewMode) == x.Mode(e) && f.NewID.String() == x.ID(e)
	})
}

// NewHash is the hash function whose sums have a length.
func NewHash(length int) hash.Hash {
	if length == sha256.Size {
		return sha256.New()
	}
	return sha1.New()
}

// IsSubmodule reports whether an entry is a commit of another repository.
func (x *Index) IsSubmodule(e Entry) bool { return x.data[e.at+modeAt] == submodule }

// IsFile reports whether an entry is a file with bytes of its own.
func (x *Index) IsFile(e Entry) bool {
	return x.Mode(e) == ModeFile || x.Mode(e) == ModeExecutable
}

// Write writes the index. Git does not verify the checksum at its end, except for git fsck.
func (x *Index) Write(path string) error {
	return os.WriteFile(path, append(bytes.Clone(x.data), make([]byte, x.sum)...), 0o600)
}

// TimeOf is the time of the file system that a directory is on, no later than that of the machine; zero when it is unknown.
func TimeOf(dir string) time.Time {
	now := time.Now()
	f, err := os.CreateTemp(dir, "closeout-time-*")
	if err != nil {
		return time.Time{}
	}
	defer os.Remove(f.Name()) // an empty file in the git directory does not matter
	defer f.Close()           // nothing was written to it
	info, err := f.Stat()
	if err != nil {
		return time.Time{}
	}
	if info.ModTime().Before(now) {
		now = info.ModTime()
	}
	return now
}

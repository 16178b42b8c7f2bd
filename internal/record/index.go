package record

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

// index is an index of git, version 2 or 3, without the checksum at its end.
type index struct {
	data    []byte
	entries []indexEntry
	sum     int // length of an object id and of the checksum
}

// indexEntry is where an entry is in the data, and its path.
type indexEntry struct {
	at   int
	path string
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

var errIndex = errors.New("the index of git has an unknown form")

// readIndex reads the index in a file. sum is the length of an object id.
func readIndex(path string, sum int) (*index, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return parseIndex(data, sum)
}

func parseIndex(data []byte, sum int) (*index, error) {
	if len(data) < indexHeader+sum || !bytes.HasPrefix(data, []byte("DIRC")) {
		return nil, errIndex
	}
	version, count := binary.BigEndian.Uint32(data[4:]), binary.BigEndian.Uint32(data[8:])
	if version != 2 && version != 3 {
		return nil, errIndex
	}
	x := &index{data: data[:len(data)-sum], sum: sum}
	at := indexHeader
	for range count {
		name := at + statBytes + sum + 2
		if name > len(x.data) {
			return nil, errIndex
		}
		if binary.BigEndian.Uint16(x.data[name-2:])&extendedFlag != 0 {
			name += 2
		}
		length := bytes.IndexByte(x.data[min(name, len(x.data)):], 0)
		if length < 0 {
			return nil, errIndex
		}
		x.entries = append(x.entries, indexEntry{at, string(x.data[name : name+length])})
		at += (name + length - at + 8) &^ 7
	}
	if at > len(x.data) {
		return nil, errIndex
	}
	for at+8 <= len(x.data) {
		if x.data[at] < 'A' || x.data[at] > 'Z' { // what a reader must know, such as where the rest of a split index is
			return nil, errIndex
		}
		at += 8 + int(binary.BigEndian.Uint32(x.data[at+4:]))
	}
	return x, nil
}

// contains reports whether the index has an entry at a path or below it.
func (x *index) contains(path string) bool {
	for _, e := range x.entries {
		if e.path == path || strings.HasPrefix(e.path, path+"/") {
			return true
		}
	}
	return false
}

// version is what an index has at a path; zero for nothing.
type version struct{ mode, id string }

// differences are the paths, in order, at which another index has something else.
func (x *index) differences(other *index) iter.Seq2[string, [2]version] {
	return func(yield func(string, [2]version) bool) {
		old, now := x.entries, other.entries // both are sorted by path
		for len(old)+len(now) > 0 {
			var both [2]version
			var path string
			gone := len(now) == 0 || (len(old) > 0 && old[0].path < now[0].path)
			added := len(old) == 0 || (len(now) > 0 && now[0].path < old[0].path)
			if !gone && !added && x.same(old[0], other, now[0]) {
				old, now = old[1:], now[1:]
				continue
			}
			if !added {
				path, both[0] = old[0].path, version{x.mode(old[0]), x.id(old[0])}
				old = old[1:]
			}
			if !gone {
				path, both[1] = now[0].path, version{other.mode(now[0]), other.id(now[0])}
				now = now[1:]
			}
			if !yield(path, both) {
				return
			}
		}
	}
}

// same reports whether an entry has the mode and the object id of an entry of another index.
func (x *index) same(e indexEntry, other *index, o indexEntry) bool {
	return bytes.Equal(x.data[e.at+24:e.at+28], other.data[o.at+24:o.at+28]) && bytes.Equal(x.rawID(e), other.rawID(o))
}

// equal reports whether two indexes are of the same tree.
func (x *index) equal(other *index) bool {
	for range x.differences(other) {
		return false
	}
	return true
}

// forget lets git read those files again that may have changed since the index was made, at the given time of the
// file system, and returns their paths. It compares more than git does: with nanoseconds, the device, and whatever
// the settings of the repository are. A file whose inode changed shortly before that time may have changed again
// without a trace, and is read again as well, and so are a submodule and what is mounted in the work tree: see
// [stampsEdits].
func (x *index) forget(root string, made time.Time) (forgotten map[string]bool) {
	forgotten = map[string]bool{}
	certain := made.Add(-2 * time.Second).UnixNano()
	top, _, _ := statNumbers(root)
	for _, e := range x.entries {
		x.data[e.at+statBytes+x.sum] &^= assumeValid
		numbers := x.data[e.at : e.at+statBytes]
		now, changed, ok := statNumbers(root + "/" + e.path)
		if ok && changed < certain && numbers[modeAt] != submodule && [4]byte(now[deviceAt:]) == [4]byte(top[deviceAt:]) && bytes.Equal(now[:24], numbers[:24]) && bytes.Equal(now[36:], numbers[36:]) {
			continue
		}
		clear(numbers[:24])
		clear(numbers[36:])
		forgotten[e.path] = true
	}
	return forgotten
}

// mode is the mode of an entry, as git prints it.
func (x *index) mode(e indexEntry) string {
	return fmt.Sprintf("%06o", binary.BigEndian.Uint32(x.data[e.at+24:]))
}

// id is the object id of an entry.
func (x *index) id(e indexEntry) string {
	return hex.EncodeToString(x.rawID(e))
}

func (x *index) rawID(e indexEntry) []byte { return x.data[e.at+statBytes : e.at+statBytes+x.sum] }

// setID gives an entry another object id.
func (x *index) setID(e indexEntry, id string) {
	_, _ = hex.Decode(x.rawID(e), []byte(id)) // as [index.id] returned it
}

// treeID is the id of the tree that an index without conflicts has. It is computed from the entries alone: a tree among the
// objects on disk can be another one than its id says, and git reads it without a look at the id.
func (x *index) treeID() string { return hex.EncodeToString(x.subtree(x.entries, 0)) }

// subtree is the id of the directory whose path, with the slash at its end, is the first bytes of the paths of some entries.
func (x *index) subtree(entries []indexEntry, directory int) []byte {
	var content []byte
	for len(entries) > 0 {
		n, mode, id := 1, strings.TrimLeft(x.mode(entries[0]), "0"), x.rawID(entries[0])
		name, _, nested := strings.Cut(entries[0].path[directory:], "/")
		if nested {
			path := entries[0].path[:directory+len(name)+1]
			for n < len(entries) && strings.HasPrefix(entries[n].path, path) {
				n++
			}
			mode, id = "40000", x.subtree(entries[:n], len(path))
		}
		content = append(append(append(content, mode+" "+name...), 0), id...)
		entries = entries[n:]
	}
	sum := newHash(x.sum)
	fmt.Fprintf(sum, "tree %d\x00", len(content))
	sum.Write(content)
	return sum.Sum(nil)
}

// isTree reports whether a tree has the entries of the index, as the objects on disk say, each of which has its id. Old programs wrote
// modes that git no longer writes: such a tree has another id than its entries have today.
func (x *index) isTree(repo *git.Repo, tree git.ID) bool {
	files, err := repo.Compare(git.ID{}, tree)
	return err == nil && slices.EqualFunc(files, x.entries, func(f git.Difference, e indexEntry) bool {
		return f.Path == e.path && fmt.Sprintf("%06o", f.NewMode) == x.mode(e) && f.NewID.String() == x.id(e)
	})
}

// newHash is the hash function whose sums have a length.
func newHash(length int) hash.Hash {
	if length == sha256.Size {
		return sha256.New()
	}
	return sha1.New()
}

// isFile reports whether an entry is a file with bytes of its own.
func (x *index) isFile(e indexEntry) bool {
	return x.mode(e) == modeFile || x.mode(e) == modeExecutable
}

// write writes the index. Git does not verify the checksum at its end, except for git fsck.
func (x *index) write(path string) error {
	return os.WriteFile(path, append(bytes.Clone(x.data), make([]byte, x.sum)...), 0o600)
}

// fileTime is the time of the file system that a directory is on, no later than that of the machine; zero when it is unknown.
func fileTime(dir string) time.Time {
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

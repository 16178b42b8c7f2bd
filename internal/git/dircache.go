package git

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
)

// maxDirIndex is how large the index of a work tree may be, in bytes: about ten million files.
const maxDirIndex = 1 << 30

// readIndex gives the entries of the index of the work tree (gitformat-index, versions 2 to 4) until visit returns false.
// An index that is split over two files gives the entries of both, including those that the second one replaces. The
// index may be missing.
func (r *Repo) readIndex(visit func(name string, mode uint32) bool) error {
	shared, err := r.readIndexFile("index", visit)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && shared != "" {
		_, err = r.readIndexFile("sharedindex."+shared, visit)
	}
	return err
}

// readIndexFile reads one file, and returns the id of the index with which it shares entries.
func (r *Repo) readIndexFile(name string, visit func(string, uint32) bool) (shared string, err error) {
	text, err := readSmall(filepath.Join(r.gitDir, name), maxDirIndex)
	if err != nil {
		return "", err
	}
	p := &dirIndex{rest: text, size: r.format.size}
	if shared, ok := p.read(visit); ok {
		return shared, nil
	}
	return "", &Corrupt{What: name, Why: "it is not an index of version 2, 3 or 4"}
}

// dirIndex is the index of a work tree that is being read.
type dirIndex struct {
	rest    string
	size    int // of an id
	version uint32
	last    string // the previous name, on which version 4 builds
}

const (
	dirHeader   = 12
	dirStat     = 40     // size of the times, owner, mode and size of an entry
	dirMode     = 24     // offset of the mode in them
	dirExtended = 0x4000 // a flag: two more bytes of flags follow
)

func (p *dirIndex) read(visit func(string, uint32) bool) (shared string, ok bool) {
	if len(p.rest) < dirHeader || p.rest[:4] != "DIRC" {
		return "", false
	}
	p.version = number(p.rest[4:])
	count := number(p.rest[8:])
	p.rest = p.rest[dirHeader:]
	if p.version < 2 || p.version > 4 {
		return "", false
	}
	for range count {
		name, mode, ok := p.entry()
		if !ok {
			return "", false
		}
		if !visit(name, mode) {
			return "", true
		}
	}
	return p.link()
}

func number(text string) uint32 { return binary.BigEndian.Uint32([]byte(text[:4])) }

// entry reads one entry.
func (p *dirIndex) entry() (name string, mode uint32, ok bool) {
	fixed := dirStat + p.size + 2
	if len(p.rest) < fixed {
		return "", 0, false
	}
	mode = number(p.rest[dirMode:])
	if flags := number(p.rest[fixed-4:]); flags&dirExtended != 0 && p.version > 2 {
		fixed += 2
	}
	rest := p.rest[min(fixed, len(p.rest)):]
	if p.version == 4 {
		// Before the name is the number of bytes of the previous name that it replaces.
		cut, n := distanceOf(rest)
		end := strings.IndexByte(rest[n:], 0)
		if n == 0 || end < 0 || cut > int64(len(p.last)) {
			return "", 0, false
		}
		p.last = p.last[:len(p.last)-int(cut)] + rest[n:n+end]
		p.rest = rest[n+end+1:]
		return p.last, mode, true
	}
	end := strings.IndexByte(rest, 0)
	padded := (fixed + end + 8) &^ 7 // one to eight NUL bytes follow the name
	if end < 0 || padded > len(p.rest) {
		return "", 0, false
	}
	p.rest = p.rest[padded:]
	return rest[:end], mode, true
}

// link looks in the extensions for the one that names a shared index. A checksum ends the file.
func (p *dirIndex) link() (shared string, ok bool) {
	for len(p.rest) >= 8+p.size {
		name, size := p.rest[:4], int64(number(p.rest[4:]))
		if size > int64(len(p.rest)-8) {
			return "", false
		}
		content := p.rest[8 : 8+size]
		if name == "link" {
			if len(content) < p.size {
				return "", false
			}
			if id := content[:p.size]; strings.Trim(id, "\x00") != "" {
				shared = hex.EncodeToString([]byte(id))
			}
		}
		p.rest = p.rest[8+size:]
	}
	return shared, true
}

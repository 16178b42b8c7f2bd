package archive

import (
	"github.com/closeout-gate/closeout/verify/input"
)

// Item is what an archive has in place of an entry: the directory Dir, and what is in it.
type Item struct {
	Dir          string        // as it is, such as decisions/0001/000123-pr512-1a2b3c4d
	Data         []byte        // of entry.json; nil when there is no such file
	Entry        *Entry        // nil when Data cannot be read
	Errs         *input.Errors // why it cannot
	Files        []Stored      // below bundle/, sorted by path
	UnknownPaths []string      // paths in Dir that no entry has: neither entry.json nor below bundle/, or no regular files
}

// Stored is a file of a bundle as the archive has it. SHA256 is "" until the content was read.
type Stored struct {
	File
	ID      string // of the blob
	Problem string // why it cannot be that of the entry, "" when it can: it is a symlink, it is executable, ...
}

// NewItem reads the entry of an item.
func NewItem(dir string, data []byte) *Item {
	it := &Item{Dir: dir, Data: data}
	if data != nil {
		it.Entry, it.Errs = ReadEntry(data)
	}
	return it
}

// Listed is the file of the entry with a path; false when it has none.
func (it *Item) Listed(path string) (File, bool) {
	if it.Entry != nil {
		for _, f := range it.Entry.Bundle {
			if f.Path == path {
				return f, true
			}
		}
	}
	return File{}, false
}

package collect

import (
	"cmp"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/closeout-gate/closeout/verify"
)

// onDisk is a bundle in a directory. Only regular files are opened, without waiting, and no link leads out of it.
type onDisk struct {
	readable
	root *os.Root
}

// readable is what the file system of a root can do.
type readable interface {
	fs.StatFS
	fs.ReadDirFS
	fs.ReadLinkFS
}

// Open opens a regular file.
func (d onDisk) Open(name string) (fs.File, error) { return OpenIn(d.root, name) }

// Lstat takes any name that a file can have, also one that is not UTF-8.
func (d onDisk) Lstat(name string) (fs.FileInfo, error) {
	return d.root.Lstat(filepath.FromSlash(name))
}

// inObjects is a bundle whose files are known: how to open each, by its path.
type inObjects map[string]verify.Opener

// Open opens a file.
func (o inObjects) Open(name string) (fs.File, error) {
	open, there := o[name]
	if !there {
		_, err := o.Stat(name)
		return nil, cmp.Or(err, errDirectory)
	}
	f, err := open()
	if err != nil {
		return nil, err
	}
	return object{f, known{name: name}}, nil
}

// Stat knows of a file that it is there, and of a directory that a file is below it.
func (o inObjects) Stat(name string) (fs.FileInfo, error) {
	if _, there := o[name]; there {
		return known{name: name}, nil
	}
	for file := range o {
		if strings.HasPrefix(file, name+"/") {
			return known{name: name, mode: fs.ModeDir}, nil
		}
	}
	return nil, fs.ErrNotExist
}

// ReadDir lists what is in a directory.
func (o inObjects) ReadDir(dir string) ([]fs.DirEntry, error) {
	in := map[string]fs.DirEntry{}
	for file := range o {
		below, ok := strings.CutPrefix(file, dir+"/")
		if !ok {
			continue
		}
		first, _, more := strings.Cut(below, "/")
		k := known{name: first}
		if more {
			k.mode = fs.ModeDir
		}
		in[first] = fs.FileInfoToDirEntry(k)
	}
	if len(in) == 0 {
		return nil, fs.ErrNotExist
	}
	return slices.SortedFunc(maps.Values(in), func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) }), nil
}

// object is an open file of a bundle in objects.
type object struct {
	io.ReadCloser
	known
}

func (o object) Stat() (fs.FileInfo, error) { return o.known, nil }

// known is what is known of a file before it is opened: neither its size nor its age.
type known struct {
	name string
	mode fs.FileMode
}

func (k known) Name() string       { return path.Base(k.name) }
func (k known) Size() int64        { return 0 }
func (k known) Mode() fs.FileMode  { return k.mode }
func (k known) ModTime() time.Time { return time.Time{} }
func (k known) IsDir() bool        { return k.mode.IsDir() }
func (k known) Sys() any           { return nil }

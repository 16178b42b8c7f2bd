package record

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// tempFolder is a folder for git's index and objects. It is locked as long as its owner lives.
type tempFolder struct {
	path string
	lock *os.File
}

const tempPrefix = "closeout-tree-"

// tempFolder makes such a folder outside of the work tree, where it would become a part of the tree, and removes those
// that killed recorders left there.
func (g *Git) tempFolder() (*tempFolder, error) {
	base := tempBase()
	if base == "" || below(g.root, base) {
		base = g.dir
	}
	sweep(base)
	path, err := os.MkdirTemp(base, fmt.Sprintf("%s%d-*", tempPrefix, os.Getpid()))
	if err != nil {
		return nil, err
	}
	t := &tempFolder{path: path}
	if t.lock, err = os.Open(path); err == nil {
		err = lock(t.lock)
	}
	if err == nil {
		err = os.Mkdir(filepath.Join(path, "objects"), 0o700)
	}
	if err != nil {
		return nil, errors.Join(err, t.remove())
	}
	return t, nil
}

// tempBase is the folder for temporary files as an absolute path without symlinks, "" when it is not there.
func tempBase() string {
	base, err := filepath.Abs(os.TempDir())
	if err != nil {
		return ""
	}
	if base, err = filepath.EvalSymlinks(base); err != nil {
		return ""
	}
	return base
}

func (t *tempFolder) remove() error {
	if t.lock != nil {
		t.lock.Close() // it was only locked
	}
	return os.RemoveAll(t.path)
}

// sweep removes folders of recorders that are gone: their process is not there, and nothing locks them. What cannot be
// removed stays.
func sweep(base string) {
	entries, err := os.ReadDir(base)
	if err != nil {
		return
	}
	for _, e := range entries {
		rest, ours := strings.CutPrefix(e.Name(), tempPrefix)
		number, _, _ := strings.Cut(rest, "-")
		pid, err := strconv.Atoi(number)
		if !ours || !e.IsDir() || err != nil || pid <= 0 || runs(pid) {
			continue
		}
		path := filepath.Join(base, e.Name())
		f, err := os.Open(path)
		if err != nil {
			continue
		}
		if tryLock(f) {
			os.RemoveAll(path)
		}
		f.Close()
	}
}

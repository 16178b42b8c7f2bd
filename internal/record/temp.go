package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/closeout-gate/closeout/internal/record/system"
)

// tempDir is a directory for the index and objects of git. It is locked while its owner runs.
type tempDir struct {
	path string
	lock *os.File
}

const tempPrefix = "closeout-tree-"

// tempDir creates such a directory outside of the work tree, to keep it out of the code tree, and removes those that killed
// recorders left.
func (g *Git) tempDir() (*tempDir, error) {
	base, err := filepath.Abs(os.TempDir())
	if err == nil {
		base, err = filepath.EvalSymlinks(base)
	}
	if err != nil || system.Below(g.root, base) {
		base = g.dir
	}
	if !g.cleaned {
		removeAbandoned(base)
		g.cleaned = true
	}
	path, err := os.MkdirTemp(base, fmt.Sprintf("%s%d-*", tempPrefix, os.Getpid()))
	if err != nil {
		return nil, err
	}
	t := &tempDir{path: path}
	if t.lock, err = os.Open(path); err == nil {
		err = system.Lock(t.lock)
	}
	if err == nil {
		err = os.Mkdir(filepath.Join(path, "objects"), 0o700)
	}
	if err != nil {
		return nil, errors.Join(err, t.remove())
	}
	return t, nil
}

func (t *tempDir) remove() error {
	if t.lock != nil {
		t.lock.Close() // it was only locked
	}
	return removeTemp(t.path)
}

// removeTemp removes the mark after the work tree, for a kill in between. No link is followed.
func removeTemp(path string) error {
	return errors.Join(os.RemoveAll(filepath.Join(path, treeDir)), os.RemoveAll(path))
}

// removeAbandoned removes directories of recorders that have ended: their process does not exist, and they are not locked. Errors are
// ignored.
func removeAbandoned(base string) {
	entries, err := os.ReadDir(base)
	if err != nil {
		return
	}
	for _, e := range entries {
		rest, begins := strings.CutPrefix(e.Name(), tempPrefix)
		number, _, _ := strings.Cut(rest, "-")
		pid, err := strconv.Atoi(number)
		if !begins || !e.IsDir() || err != nil || pid <= 0 || system.Runs(pid) {
			continue
		}
		path := filepath.Join(base, e.Name())
		f, err := os.Open(path)
		if err != nil {
			continue
		}
		if system.TryLock(f) && onlyOurs(path) {
			removeTemp(path)
		}
		f.Close()
	}
}

// ours are the directories that a treeMaker makes.
var ours = []string{"objects", "clean", "git"}

const (
	treeDir  = "tree"                 // the work tree of a composition
	treeMark = "made-by-closeout-run" // the file beside it: any program may make a directory with the name of ours
)

// onlyOurs reports whether a directory has only what a treeMaker, a composition and git put there.
func onlyOurs(path string) bool {
	entries, err := os.ReadDir(path)
	isMark := func(e fs.DirEntry) bool { return e.Name() == treeMark && e.Type().IsRegular() }
	marked := slices.ContainsFunc(entries, isMark)
	foreign := slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		if e.IsDir() {
			return !slices.Contains(ours, e.Name()) && !(marked && e.Name() == treeDir)
		}
		return !isMark(e) && !strings.HasPrefix(e.Name(), "index") && !strings.HasPrefix(e.Name(), "sharedindex.")
	})
	return err == nil && !foreign
}

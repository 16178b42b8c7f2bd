package collect

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/internal/lint"
	"github.com/closeout-gate/closeout/internal/rules"
	"github.com/closeout-gate/closeout/verify/change"
)

// maxLinted is how large a file may be that lint reads. Contracts have a lower limit of their own.
const maxLinted = 4 << 20

// ToLint gives the input of lint for a repository: the files of a commit, or those of the work tree when base is "". The
// input reads from the repository, so it must be used before g is closed.
func (g *Git) ToLint(base string) (lint.Input, error) {
	if base != "" {
		return g.commitToLint(base)
	}
	if g.repo.Root() == "" {
		return lint.Input{}, errors.New("the repository is bare: name the commit to lint, as in --base main")
	}
	in := lint.Input{DiffRules: rules.IDs(), Read: g.readWorkTree, Stat: g.statWorkTree, List: g.listWorkTree, Ignored: g.ignored}
	whole, err := g.repo.Tracked(func(path string, mode uint32) {
		in.Files = append(in.Files, lint.File{Path: path, Mode: lintMode(mode)})
	})
	in.Partial = !whole
	return in, Fixed(err)
}

// commitToLint gives the files of a commit.
func (g *Git) commitToLint(name string) (lint.Input, error) {
	commit, err := g.repo.Resolve(name)
	if err != nil {
		return lint.Input{}, Fixed(err)
	}
	in := lint.Input{DiffRules: rules.IDs(), Read: func(path string) ([]byte, error) {
		data, err := blobAt(g, commit.String(), path, maxLinted)
		if err == nil && data == nil {
			err = fs.ErrNotExist
		}
		return data, err
	}}
	err = g.repo.Walk(commit, func(path string, mode uint32) {
		in.Files = append(in.Files, lint.File{Path: path, Mode: lintMode(mode)})
	})
	return in, Fixed(err)
}

// lintMode is modeOf without a new text for each file.
func lintMode(mode uint32) change.Mode {
	switch mode {
	case 0o100644:
		return change.Regular
	case 0o100755:
		return change.Executable
	case 0o120000:
		return change.Symlink
	}
	return modeOf(mode)
}

func (g *Git) ignored(name string) (bool, error) { return ignored(g.repo.Root(), name) }

// BecomesCode reports whether a file that was written is in a work tree whose git does not ignore it: it is then code of the next record.
func BecomesCode(path string) bool {
	isIgnored, err := ignored(filepath.Dir(path), filepath.Base(path))
	return err == nil && !isIgnored // outside of a work tree, git fails
}

// ignored asks git, for which only .gitignore files and info/exclude count, not the settings of one person.
func ignored(dir, name string) (bool, error) {
	c := exec.Command("git", "-c", "core.excludesFile=", "-c", "core.fsmonitor=false", "check-ignore", "-q", "--no-index", "--", name)
	c.Dir = dir
	// Variables such as GIT_DIR, which git sets for its hooks, would lead to another repository.
	c.Env = slices.DeleteFunc(os.Environ(), func(variable string) bool { return strings.HasPrefix(variable, "GIT_") })
	err := c.Run()
	var status *exec.ExitError
	if errors.As(err, &status) && status.ExitCode() == 1 {
		return false, nil
	}
	return err == nil, err
}

// workTree opens the work tree. No link in it is followed to the outside.
func (g *Git) workTree() (*os.Root, error) { return os.OpenRoot(g.repo.Root()) }

func (g *Git) readWorkTree(name string) ([]byte, error) {
	root, err := g.workTree()
	if err != nil {
		return nil, err
	}
	defer root.Close()
	file, err := OpenIn(root, name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxLinted+1))
	if err == nil && len(data) > maxLinted {
		err = fmt.Errorf("it is larger than %d bytes", maxLinted)
	}
	return data, err
}

func (g *Git) statWorkTree(name string) (change.Mode, bool) {
	root, err := g.workTree()
	if err != nil {
		return "", false
	}
	defer root.Close()
	info, err := root.Stat(filepath.FromSlash(name))
	switch {
	case err != nil:
		return "", false
	case info.IsDir():
		return DirMode, true
	case info.Mode()&0o111 != 0:
		return change.Executable, true
	}
	return change.Regular, true
}

func (g *Git) listWorkTree(dir string) []string {
	root, err := g.workTree()
	if err != nil {
		return nil
	}
	defer root.Close()
	opened, err := root.Open(filepath.FromSlash(dir))
	if err != nil {
		return nil
	}
	defer opened.Close()
	entries, err := opened.ReadDir(maxListed)
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		if !e.IsDir() {
			names = append(names, path.Base(e.Name()))
		}
	}
	return names
}

// maxListed is how many files of a directory lint looks at.
const maxListed = 10_000

package collect

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
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
func (g *Git) ToLint(base string) (in lint.Input, err error) {
	in.DiffRules = rules.IDs()
	add := func(path string, mode uint32) {
		in.Files = append(in.Files, lint.File{Path: path, Mode: modeOf(mode)})
	}
	if base != "" {
		commit, err := g.repo.Resolve(base)
		if err != nil {
			return in, Fixed(err)
		}
		in.Read = func(path string) ([]byte, error) {
			data, err := blobAt(g, commit.String(), path, maxLinted)
			if err == nil && data == nil {
				err = fs.ErrNotExist
			}
			return data, err
		}
		err = g.repo.Walk(commit, add)
		return in, Fixed(err)
	}
	root := g.repo.Root()
	if root == "" {
		return in, errors.New("the repository is bare: name the commit to lint, as in --base main")
	}
	in.Read, in.Stat, in.List = g.readWorkTree, g.statWorkTree, g.listWorkTree
	in.Ignored = func(name string) (bool, error) { return ignored(root, name) }
	whole, err := g.repo.Tracked(add)
	in.Partial = !whole
	return in, Fixed(err)
}

// BecomesCode reports whether a file that was written is in a work tree whose git does not ignore it: it is then code
// of the next record.
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

// inWorkTree calls look with the work tree. No link in it is followed to the outside.
func inWorkTree[T any](g *Git, look func(*os.Root) (T, error)) (found T, err error) {
	root, err := os.OpenRoot(g.repo.Root())
	if err != nil {
		return found, err
	}
	defer root.Close()
	return look(root)
}

func (g *Git) readWorkTree(name string) ([]byte, error) {
	return inWorkTree(g, func(root *os.Root) ([]byte, error) {
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
	})
}

func (g *Git) statWorkTree(name string) (change.Mode, bool) {
	info, err := inWorkTree(g, func(root *os.Root) (fs.FileInfo, error) { return root.Stat(filepath.FromSlash(name)) })
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

func (g *Git) listWorkTree(dir string) (names []string) {
	entries, _ := inWorkTree(g, func(root *os.Root) ([]fs.DirEntry, error) { // none when it cannot be listed
		opened, err := root.Open(filepath.FromSlash(dir))
		if err != nil {
			return nil, err
		}
		defer opened.Close()
		return opened.ReadDir(maxListed)
	})
	for _, e := range entries {
		if !e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names
}

// maxListed is how many files of a directory lint looks at.
const maxListed = 10_000

package collect

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/input"
)

// A path that is written to contains no symlink: a change that commits one would choose what is overwritten. The
// directories above the one that closeout runs in are the machine's own, and may be reached through symlinks, as /tmp
// is on some machines: see [trusted].

// openDir opens a directory without following a symlink, and makes it when wanted. A missing one is fs.ErrNotExist.
func openDir(path string, make bool) (*os.Root, error) {
	base, steps, err := trusted(path)
	if err != nil {
		return nil, err
	}
	dir, err := OpenRoot(base)
	if err != nil {
		return nil, input.Reason(err)
	}
	for i, step := range steps {
		next, err := enter(dir, step, make)
		if err != nil {
			at := filepath.Join(append([]string{base}, steps[:i+1]...)...)
			return nil, errors.Join(atDirectory(at, path, err), dir.Close())
		}
		if err := dir.Close(); err != nil {
			return nil, errors.Join(err, next.Close())
		}
		dir = next
	}
	return dir, nil
}

// atDirectory says which directory on the way an error is about.
func atDirectory(at, path string, err error) error {
	if err = input.Reason(err); errors.Is(err, errLink) {
		return fmt.Errorf("%q %w: name a path without one", shortest(at, path), err)
	}
	return err
}

// shortest names a directory on the way to path as path does.
func shortest(at, path string) string {
	if filepath.IsAbs(path) {
		return at
	}
	here, err := workingDir()
	if err != nil {
		return at
	}
	if relative, err := filepath.Rel(here, at); err == nil {
		return relative
	}
	return at
}

var (
	errLink  = errors.New("is a symlink")
	errNoDir = errors.New("not a directory")
)

// OpenRoot opens a directory, also through symlinks.
func OpenRoot(path string) (*os.Root, error) {
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return nil, errNoDir
	}
	return os.OpenRoot(path)
}

// enter opens a directory of a directory. Afterwards it checks that nothing else took its place meanwhile.
func enter(dir *os.Root, name string, make bool) (*os.Root, error) {
	info, err := dir.Lstat(name)
	if make && errors.Is(err, fs.ErrNotExist) {
		if err = dir.Mkdir(name, 0o755); err == nil || errors.Is(err, fs.ErrExist) {
			info, err = dir.Lstat(name)
		}
	}
	switch {
	case err != nil:
		return nil, err
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, errLink
	case !info.IsDir():
		return nil, errNoDir // opening a pipe would wait for a writer
	}
	next, err := dir.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	opened, err := next.Stat(".")
	if err == nil && !os.SameFile(info, opened) {
		err = errLink
	}
	if err != nil {
		return nil, errors.Join(err, next.Close())
	}
	return next, nil
}

// trusted splits the path of a directory into one that may be reached through symlinks, and the steps from there, none
// of which may be a symlink. A relative path is trusted up to the working directory; an absolute one as far as it is
// the path of the working, the temporary, the home directory or the workspace too, and for one step below the root of
// the file system.
func trusted(path string) (base string, steps []string, err error) {
	here, err := workingDir()
	if err != nil {
		return "", nil, err
	}
	path = filepath.Clean(path)
	if !filepath.IsAbs(path) {
		steps = split(path)
		for len(steps) > 0 && steps[0] == ".." {
			here, steps = filepath.Dir(here), steps[1:]
		}
		return here, steps, nil
	}
	root := filepath.VolumeName(path) + string(filepath.Separator)
	steps = split(path[len(root):])
	known := min(1, len(steps))
	for _, dir := range machineDirs(here) {
		known = max(known, common(steps, split(strings.TrimPrefix(dir, root))))
	}
	return filepath.Join(append([]string{root}, steps[:known]...)...), steps[known:], nil
}

// workingDir is the working directory, without symlinks on the way.
func workingDir() (string, error) {
	here, err := os.Getwd()
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(here)
}

func machineDirs(here string) []string {
	dirs := []string{here}
	if logical, err := os.Getwd(); err == nil {
		dirs = append(dirs, logical)
	}
	others := []string{os.TempDir(), os.Getenv("GITHUB_WORKSPACE")} // which a self-hosted runner may reach through a symlink
	if home, err := os.UserHomeDir(); err == nil {
		others = append(others, home)
	}
	for _, dir := range others {
		if filepath.IsAbs(dir) && !isInside(here, dir) { // the environment may have been set by what runs here
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

func split(path string) []string {
	if path == "." || path == "" {
		return nil
	}
	return strings.Split(path, string(filepath.Separator))
}

// common counts how many steps two paths begin with alike.
func common(a, b []string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// isEmpty reports whether a directory contains nothing.
func isEmpty(dir *os.Root) (bool, error) {
	f, err := dir.Open(".")
	if err != nil {
		return false, err
	}
	entries, err := f.ReadDir(-1)
	return len(entries) == 0, errors.Join(err, f.Close())
}

// target is a file that is to be written.
type target struct {
	dir  *os.Root
	name string
}

// openTarget opens the directory of a file that is to be written, and makes it when wanted.
func openTarget(path string, make bool) (*target, error) {
	path = filepath.Clean(path)
	name := filepath.Base(path)
	if slices.Contains([]string{".", "..", string(filepath.Separator)}, name) {
		return nil, errors.New("it is a directory")
	}
	if filepath.Dir(path) == devices {
		return nil, errDevices
	}
	dir, err := openDir(filepath.Dir(path), make)
	return &target{dir, name}, err
}

// devices is the machine's own directory with symlinks that programs need, such as /dev/stdout. None of them is removed for
// a report.
const devices = "/dev"

var errDevices = errors.New("it is in the directory of devices: name another path; \"-\" is standard output")

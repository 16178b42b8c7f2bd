package git

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// refusePlanted refuses a repository if an enclosing repository tracks its objects or refs. A person who writes those files
// decides what the base is: a change could contain a bare repository with a base of its own.
func (r *Repo) refusePlanted() error {
	for _, dir := range append([]string{r.gitDir, r.common}, r.objects.dirs...) {
		if err := planted(dir); err != nil {
			return err
		}
		// The path may lead through symlinks: both the path and its target must be untracked.
		if real, err := filepath.EvalSymlinks(dir); err == nil && real != dir {
			if err := planted(real); err != nil {
				return err
			}
		}
	}
	return nil
}

// planted looks for an enclosing work tree that tracks a directory. Git does not track anything below a directory named
// .git, so the search ends there.
func planted(dir string) error {
	for at := filepath.Dir(dir); ; at = filepath.Dir(at) {
		inside, err := filepath.Rel(at, dir)
		if err != nil {
			return err
		}
		inside = filepath.ToSlash(inside)
		if slices.Contains(strings.Split(inside, "/"), ".git") {
			return nil
		}
		tracked, err := trackedIn(at, inside)
		if none := (*NotARepository)(nil); errors.As(err, &none) {
			tracked, err = "", nil // its .git is something else
		}
		if err != nil {
			return fmt.Errorf("cannot determine whether the enclosing repository tracks %q: %w", inside, err)
		}
		if tracked != "" {
			return &Planted{Dir: dir, Tracked: tracked}
		}
		if at == filepath.Dir(at) {
			return nil
		}
	}
}

// trackedIn gives a path that the work tree at root tracks and that is inside, below inside, or a symlink above inside; ""
// when there is none, or when root is not the root of a work tree.
func trackedIn(root, inside string) (string, error) {
	gitDir, found, err := dotGit(root)
	if !found || err != nil {
		return "", err
	}
	common, err := commonDir(gitDir)
	if err != nil {
		return "", err
	}
	r := &Repo{root: root, gitDir: gitDir, common: common, trees: newTreeCache()}
	if err := r.load(); err != nil {
		return "", err
	}
	tracked := ""
	err = r.readIndex(func(name string, mode uint32) bool {
		if r.covers(name, mode, inside) {
			tracked = name
		}
		return tracked == ""
	})
	if tracked == "" && err == nil {
		tracked, err = r.committed(inside)
	}
	return tracked, errors.Join(err, r.Close())
}

// covers reports whether an entry of the index is a path, is below it, or is a symlink above it. Names that differ in case
// are equal if they are equal to the file system.
func (r *Repo) covers(name string, mode uint32, inside string) bool {
	if mode == ModeSymlink && strings.HasPrefix(inside+"/", name+"/") {
		return true
	}
	if mode == ModeSubmodule || len(name) < len(inside) || (len(name) > len(inside) && name[len(inside)] != '/') {
		return false
	}
	same := name[:len(inside)]
	if same == inside || !strings.EqualFold(same, inside) {
		return same == inside
	}
	infoA, errA := os.Stat(filepath.Join(r.root, filepath.FromSlash(same)))
	infoB, errB := os.Stat(filepath.Join(r.root, filepath.FromSlash(inside)))
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}

// committed looks for a path in the commit that is checked out. A branch without commits tracks nothing, and if refs are
// in a format that is not supported, the index alone decides.
func (r *Repo) committed(inside string) (tracked string, err error) {
	head, err := r.Resolve("HEAD")
	unborn, unread := (*NoSuchRef)(nil), (*Unsupported)(nil)
	if errors.As(err, &unborn) || errors.As(err, &unread) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	parts := strings.Split(inside, "/")
	for i := range parts {
		at := strings.Join(parts[:i+1], "/")
		entry, found, err := r.Lookup(head, at)
		switch {
		case err != nil:
			return "", err
		case !found || entry.Mode == ModeSubmodule:
			return "", nil
		case entry.Mode != ModeTree || i == len(parts)-1:
			return at, nil
		}
	}
	return "", nil
}

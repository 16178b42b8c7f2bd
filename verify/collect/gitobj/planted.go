package gitobj

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// refusePlanted refuses a repository that keeps its objects or refs among the files that a repository around it tracks.
// Whoever writes those files decides what the base is: a change could bring along a bare repository, and a base that
// suits it.
func (r *Repo) refusePlanted() error {
	for _, dir := range append([]string{r.gitDir, r.common}, r.objects.dirs...) {
		if err := planted(dir); err != nil {
			return err
		}
		// A tracked symlink leads to the folder, or the folder lies elsewhere than its path says.
		if real, err := filepath.EvalSymlinks(dir); err == nil && real != dir {
			if err := planted(real); err != nil {
				return err
			}
		}
	}
	return nil
}

// planted looks for a work tree around a folder in which the folder is tracked. Git tracks nothing below a folder that is
// called .git, so there the search ends.
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
			tracked, err = "", nil // what is called .git there is something else
		}
		if err != nil {
			return fmt.Errorf("the repository around this one cannot be asked whether it tracks %q: %w", inside, err)
		}
		if tracked != "" {
			return &Planted{Dir: dir, Tracked: tracked}
		}
		if at == filepath.Dir(at) {
			return nil
		}
	}
}

// trackedIn gives a path that the work tree at root tracks and that lies below inside, or is a symlink on the way to it;
// "" when there is none, or no work tree has this root.
func trackedIn(root, inside string) (string, error) {
	gitDir, found, err := dotGit(root)
	if !found || err != nil {
		return "", err
	}
	common, err := commonDir(gitDir)
	if err != nil {
		return "", err
	}
	r := &Repo{root: root, gitDir: gitDir, common: common, folders: newFolderCache()}
	if err := r.load(); err != nil {
		return "", err
	}
	tracked, err := r.indexed(inside)
	if tracked == "" && err == nil {
		tracked, err = r.committed(inside)
	}
	return tracked, errors.Join(err, r.Close())
}

// indexed looks for a path in the index.
func (r *Repo) indexed(inside string) (tracked string, err error) {
	err = r.readIndex(func(name string, mode uint32) bool {
		if r.covers(name, mode, inside) {
			tracked = name
		}
		return tracked == ""
	})
	return tracked, err
}

// covers reports whether an entry of the index lies below a path, or is a symlink on the way to it. Where the file system
// takes names that differ in case for one, they are one here.
func (r *Repo) covers(name string, mode uint32, inside string) bool {
	if mode == ModeSymlink && strings.HasPrefix(inside+"/", name+"/") {
		return true
	}
	if mode == ModeSubmodule || len(name) < len(inside) || len(name) > len(inside) && name[len(inside)] != '/' {
		return false
	}
	same := name[:len(inside)]
	return same == inside || strings.EqualFold(same, inside) && r.sameFile(same, inside)
}

func (r *Repo) sameFile(a, b string) bool {
	infoA, errA := os.Stat(filepath.Join(r.root, filepath.FromSlash(a)))
	infoB, errB := os.Stat(filepath.Join(r.root, filepath.FromSlash(b)))
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}

// committed looks for a path in the commit that is checked out. A branch without commits tracks nothing, and where refs
// are not read, the index has said enough.
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

package record

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/closeout-gate/closeout/internal/git/gitindex"
	"github.com/closeout-gate/closeout/internal/record/system"
)

// trackedAside is where the tracked files of the evidence directory are while commands run: a directory with a random name in one
// of the git directory, by their paths. A recorder that was killed leaves its directory, and the next one puts the files back.
type trackedAside struct {
	mu      sync.Mutex // a signal may end the process while the recorder puts files back
	lock    *os.File   // nil when nothing was moved
	name    string
	moved   map[string]bool
	tracked map[string][]string // paths, and the ids of what git has there
	reports []string
}

// Names in the git directory.
const (
	asideDir   = "closeout-evidence"
	asideLock  = "lock"
	keptPrefix = "kept-" // of a directory with earlier versions, which no recorder touches again
)

// MoveAside moves the files that git tracks in the evidence directory aside, until [Recorder.PutBack]. They are in no code
// tree, so a change could bring data along there that no record is bound to. What git does not track is of this machine and
// stays. A log, or one of the reports, is replaced for good if there is a newer one at the end.
func (r *Recorder) MoveAside(reports []string) (err error) {
	if r.Git == nil {
		return nil
	}
	a := &r.aside
	if a.tracked, err = r.Git.trackedIn(r.Evidence); err != nil {
		return err
	}
	left, err := os.ReadDir(filepath.Join(r.Git.dir, asideDir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return reason(err)
	}
	if len(a.tracked) == 0 && !slices.ContainsFunc(left, isLeft) {
		return nil
	}
	dir, err := r.asideDir(create, asideLock)
	if err != nil {
		return err
	}
	defer dir.Close() // nothing is written through it
	if a.lock, err = dir.OpenFile(asideLock, os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return reason(err)
	}
	if !system.TryLock(a.lock) {
		a.lock.Close() // nothing was written
		a.lock = nil
		return fmt.Errorf("another recorder has moved the tracked files of %s aside: wait until it has ended", r.Evidence)
	}
	for _, e := range left {
		if isLeft(e) {
			if err := r.putBackElsewhere(e.Name()); err != nil {
				return errors.Join(fmt.Errorf("what a killed recorder moved aside cannot be put back: %w", reason(err)), r.PutBack())
			}
		}
	}
	a.name, a.reports, a.moved = randomHex(16), reports, map[string]bool{}
	for _, p := range slices.Sorted(maps.Keys(a.tracked)) {
		if err := r.moveOut(p); err != nil {
			return errors.Join(fmt.Errorf("the tracked file %q cannot be moved aside: %w", p, err), r.PutBack())
		}
	}
	return nil
}

// putBackElsewhere puts back what a killed recorder left that had another evidence directory: now these files are part
// of the code tree. Only files that git tracks are put back, because a command can write to the git directory.
// [Recorder.PutBack] names the others.
func (r *Recorder) putBackElsewhere(name string) error {
	dir, err := r.asideDir(fail, path.Join(name, "x"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // its recorder has ended meanwhile
	}
	if err != nil {
		return err
	}
	defer dir.Close() // the directory is read
	return fs.WalkDir(dir.FS(), ".", func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || strings.HasPrefix(p, r.Evidence+"/") {
			return err
		}
		if tracked, err := r.Git.trackedIn(path.Dir(p)); err != nil || tracked[p] == nil {
			return err
		}
		return r.between(name, p, fail, create, func(aside, work *os.Root) error {
			if _, err := work.Lstat(path.Base(p)); !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			return system.RenameAt(aside, work, path.Base(p))
		})
	})
}

// between opens the two directories of a file: the one aside, below a directory with a name, and the one of the work
// tree.
func (r *Recorder) between(name, p string, howAside, howWork missing, do func(aside, work *os.Root) error) error {
	aside, err := r.asideDir(howAside, path.Join(name, p))
	if err != nil {
		return err
	}
	defer aside.Close() // what was done to it has ended
	at := place{path: p, base: r.Root, names: strings.Split(p, "/")}
	work, err := at.parent(howWork)
	if err != nil {
		return err
	}
	defer work.Close()
	return do(aside, work)
}

// isLeft reports whether an entry of the directory is what a killed recorder left.
func isLeft(e fs.DirEntry) bool { return e.IsDir() && !strings.HasPrefix(e.Name(), keptPrefix) }

// asideDir opens the directory of a file below the one in the git directory.
func (r *Recorder) asideDir(how missing, name string) (*os.Root, error) {
	at := place{path: name, base: r.Git.dir, names: append([]string{asideDir}, strings.Split(name, "/")...)}
	return at.parent(how)
}

// moveOut moves a regular file or a link; anything else in its place, or behind a link, is not what git tracks.
func (r *Recorder) moveOut(p string) error {
	root, err := os.OpenRoot(r.Root)
	if err != nil {
		return reason(err)
	}
	defer root.Close() // nothing is written through it
	for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
		if info, err := root.Lstat(filepath.FromSlash(dir)); err != nil || !info.IsDir() {
			return nil
		}
	}
	if info, err := root.Lstat(filepath.FromSlash(p)); err != nil || (!info.Mode().IsRegular() && info.Mode()&fs.ModeSymlink == 0) {
		return nil
	}
	return r.between(r.aside.name, p, create, fail, func(aside, work *os.Root) error {
		if err := system.RenameAt(work, aside, path.Base(p)); err != nil {
			return reason(err)
		}
		r.aside.moved[p] = true
		return nil
	})
}

// PutBack puts back what [Recorder.MoveAside] moved, and what a killed recorder left, where nothing of that name was written.
// What was written stays, and its earlier version goes if git or a newer recording has it: else the user is told where it is.
func (r *Recorder) PutBack() error {
	a := &r.aside
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.lock == nil {
		return nil
	}
	defer func() {
		a.lock.Close() // nothing was written
		a.lock, a.moved = nil, nil
	}()
	left, err := os.ReadDir(filepath.Join(r.Git.dir, asideDir))
	if err != nil {
		return fmt.Errorf("the tracked files of %s that were moved aside: %w", r.Evidence, reason(err))
	}
	slices.SortStableFunc(left, func(x, y fs.DirEntry) int { // the own ones first: they are newer
		return strings.Compare(strings.TrimPrefix(x.Name(), a.name), strings.TrimPrefix(y.Name(), a.name))
	})
	var problems []error
	for _, e := range left {
		if isLeft(e) {
			problems = append(problems, r.putBackAll(e.Name()))
		}
	}
	for _, p := range slices.Sorted(maps.Keys(a.moved)) {
		problems = append(problems, fmt.Errorf("the tracked file %q was moved aside, and is gone: a command removed it", p))
	}
	return errors.Join(problems...)
}

// putBackAll puts back the files of one directory. If some stay there, the directory gets another name: they are told of once.
func (r *Recorder) putBackAll(name string) error {
	dir, err := r.asideDir(fail, path.Join(name, "x"))
	if err != nil {
		return err
	}
	defer dir.Close() // the directory is read
	kept := filepath.Join(r.Git.dir, asideDir, keptPrefix+name)
	stays := false
	var problems []error
	failed := fs.WalkDir(dir.FS(), ".", func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		if name == r.aside.name {
			delete(r.aside.moved, p)
		}
		earlier, err := r.putBackOne(name, p)
		switch {
		case err != nil:
			problems = append(problems, fmt.Errorf("the tracked file %q cannot be put back, and is in %q: %w", p, kept, reason(err)))
		case earlier:
			r.tell(fmt.Sprintf("the earlier version of %q, which is not committed, is in %q", p, kept))
		}
		stays = stays || earlier || err != nil
		return nil
	})
	all, err := r.asideDir(fail, name)
	if err != nil {
		return errors.Join(append(problems, failed, err)...)
	}
	defer all.Close() // the directory is changed
	if stays || failed != nil {
		err = all.Rename(name, keptPrefix+name)
	} else {
		err = all.RemoveAll(name)
	}
	return errors.Join(append(problems, failed, err)...)
}

// putBackOne puts a file back unless there is one of its name. earlier is true for an earlier version that only this file has.
func (r *Recorder) putBackOne(name, p string) (earlier bool, err error) {
	if !strings.HasPrefix(p, r.Evidence+"/") {
		return false, fmt.Errorf("it is not in the evidence directory %s", r.Evidence)
	}
	err = r.between(name, p, fail, create, func(aside, work *os.Root) error {
		base := path.Base(p)
		_, err := work.Lstat(base)
		written := !errors.Is(err, fs.ErrNotExist)
		if !written && !(r.LogsAway && base == FileName) {
			return system.RenameAt(aside, work, base)
		}
		replaced := written && (base == FileName || slices.Contains(r.aside.reports, p))
		if !replaced && !has(filepath.Join(r.Git.dir, asideDir, name, filepath.FromSlash(p)), r.aside.tracked[p]) {
			earlier = true
			return nil
		}
		return reason(aside.Remove(base))
	})
	return earlier, err
}

// trackedIn lists what the index and HEAD contain in a directory: the paths of files and links, and their ids.
func (g *Git) trackedIn(dir string) (map[string][]string, error) {
	staged, err := g.run("ls-files", "-z", "--cached", "--stage", "--", ":(top,literal)"+dir)
	if err != nil {
		return nil, err
	}
	if _, _, err := g.head(); err != nil {
		return nil, err
	}
	committed, err := g.inHead(dir, "-r")
	if err != nil {
		return nil, err
	}
	list := map[string][]string{}
	for entry := range strings.SplitSeq(staged+committed, "\x00") {
		about, p, found := strings.Cut(entry, "\t") // "mode id stage" or "mode type id"
		if words := strings.Fields(about); found && len(words) == 3 && words[0] != gitindex.Gitlink && strings.HasPrefix(p, dir+"/") {
			list[p] = append(list[p], words[1:]...)
		}
	}
	return list, nil
}

// has reports whether git has the bytes of a file under one of some ids. Git itself would ask the filters of the machine.
func has(file string, ids []string) bool {
	info, err := os.Lstat(file)
	if err != nil || !info.Mode().IsRegular() || len(ids) == 0 {
		return false
	}
	t := treeMaker{sum: len(ids[0]) / 2}
	is, err := t.hashFile(gitindex.ModeFile, file)
	return err == nil && slices.Contains(ids, strings.TrimPrefix(is, gitindex.ModeFile+" "))
}

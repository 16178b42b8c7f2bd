package gitobj

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
)

// MissingObject says that an object which is needed is not in the repository.
type MissingObject struct {
	ID      ID
	Kind    string // commit, tree, blob or tag; "object" when any of them would have done
	Why     string // what is known about the reason, or ""
	Shallow bool   // the clone is shallow: fetching deeper may bring it
}

func (e *MissingObject) Error() string {
	text := fmt.Sprintf("%s %s is not in the repository", e.Kind, e.ID)
	if e.Why != "" {
		text += ": " + e.Why
	}
	return text
}

// Incomplete says that a question about the history cannot be answered, because a shallow clone ends before the answer
// is certain.
type Incomplete struct {
	Commit ID // a commit that was not fetched
}

func (e *Incomplete) Error() string {
	return fmt.Sprintf("the clone is shallow and ends before commit %s, where the answer may lie: fetch deeper (git fetch --unshallow, or fetch-depth: 0)", e.Commit)
}

// Corrupt says that something in the repository is not what git would have written.
type Corrupt struct {
	What string // an object ("tree 4b82…") or a file
	Why  string
}

func (e *Corrupt) Error() string { return plainName(e.What) + " is damaged: " + e.Why }

// NoSuchRef says that a well-formed name names nothing.
type NoSuchRef struct {
	Name string
}

func (e *NoSuchRef) Error() string {
	return fmt.Sprintf("%q names no branch, tag or other ref of this repository: fetch it, or give a full object id", e.Name)
}

// AmbiguousRef says that a short name names several refs.
type AmbiguousRef struct {
	Name string
	Refs []string // full names, at least two
}

func (e *AmbiguousRef) Error() string {
	return fmt.Sprintf("%q may mean %s: give the full name of the one that is meant", e.Name, strings.Join(e.Refs, " or "))
}

// BadName says that a name, an id or a path can never name what was asked for.
type BadName struct {
	Name string
	Why  string
}

func (e *BadName) Error() string { return fmt.Sprintf("%q: %s", e.Name, e.Why) }

// TooLarge says that a limit was hit.
type TooLarge struct {
	What  string // what there is too much of: "bytes in blob 4b82…", "changed files", …
	Limit int64  // how many are let through
	Trees bool   // two trees differ in more than Compare lists, or cost more to compare
}

func (e *TooLarge) Error() string { return fmt.Sprintf("more than %d %s", e.Limit, e.What) }

// NotARepository says that there is no git repository where one was expected.
type NotARepository struct {
	Dir string
	Why string
}

func (e *NotARepository) Error() string {
	return strconv.Quote(e.Dir) + " is no git repository: " + e.Why
}

// Planted says that a repository lies among the files that the repository around it tracks, so that a change may have
// written it.
type Planted struct {
	Dir     string
	Tracked string // a path that the repository around it tracks
}

func (e *Planted) Error() string {
	return fmt.Sprintf("%q cannot be used as a git repository: the repository around it tracks %q, so a change could have written it; "+
		"run closeout in the root directory of the repository, or name that directory with --repo", e.Dir, e.Tracked)
}

// Unsupported says that the repository uses something that this package does not read.
type Unsupported struct {
	What string // what it is, and what to do instead
}

func (e *Unsupported) Error() string { return e.What }

// plainName names a file of a repository without the folders that this machine keeps the repository in: an error goes
// into a report, and the same damage must give the same report everywhere. Other texts stay as they are.
func plainName(name string) string {
	if !filepath.IsAbs(name) {
		return name
	}
	slashed := filepath.ToSlash(name)
	for _, folder := range []string{"/objects/", "/refs/"} {
		if i := strings.LastIndex(slashed, folder); i >= 0 {
			return slashed[i+1:]
		}
	}
	return filepath.Base(name)
}

// plainError takes the same folders out of an error of the file system.
func plainError(err error) error {
	var path *fs.PathError
	if !errors.As(err, &path) {
		return err
	}
	return &fs.PathError{Op: path.Op, Path: plainName(path.Path), Err: path.Err}
}

// errTruncated is what a read beyond the end of a file gives; callers say which file and where.
var errTruncated = errors.New("it ends too early")

package git

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
)

// MissingObject says that the repository does not contain a required object.
type MissingObject struct {
	ID      ID
	Kind    string // commit, tree, blob or tag; "object" when any of them is accepted
	Why     string // what is known about the reason, or ""
	Shallow bool   // the clone is shallow: fetching more history may bring it
}

func (e *MissingObject) Error() string {
	text := fmt.Sprintf("%s %s is not in the repository", e.Kind, e.ID)
	if e.Why != "" {
		text += ": " + e.Why
	}
	return text
}

// Incomplete says that a shallow clone lacks commits that may change the answer to a question about the history.
type Incomplete struct {
	Commit ID // a commit that was not fetched
}

func (e *Incomplete) Error() string {
	return fmt.Sprintf("the clone is shallow and does not contain commit %s, which may change the answer: fetch more history (git fetch --unshallow, or fetch-depth: 0)", e.Commit)
}

// Corrupt says that something in the repository is not as git writes it.
type Corrupt struct {
	What string // an object ("tree 4b82…") or a file
	Why  string
}

func (e *Corrupt) Error() string { return plainName(e.What) + " is damaged: " + e.Why }

// NoSuchRef says that no ref has a well-formed name.
type NoSuchRef struct {
	Name string
}

func (e *NoSuchRef) Error() string {
	return fmt.Sprintf("%q is not a branch, tag or other ref of this repository: fetch it, or use a full object id", e.Name)
}

// AmbiguousRef says that a short name matches several refs.
type AmbiguousRef struct {
	Name string
	Refs []string // full names, at least two
}

func (e *AmbiguousRef) Error() string {
	return fmt.Sprintf("%q is ambiguous, it matches %s: use a full ref name", e.Name, strings.Join(e.Refs, " and "))
}

// BadName says that a name, an id or a path is not valid.
type BadName struct {
	Name string
	Why  string
}

func (e *BadName) Error() string { return fmt.Sprintf("%q: %s", e.Name, e.Why) }

// TooLarge says that a limit was exceeded.
type TooLarge struct {
	What  string // what there is too much of: "bytes in blob 4b82…", "changed files", …
	Limit int64
	Trees bool // two trees differ in more than Compare lists, or cost more to compare
}

func (e *TooLarge) Error() string { return fmt.Sprintf("more than %d %s", e.Limit, e.What) }

// NotARepository says that a directory is not a git repository.
type NotARepository struct {
	Dir string
	Why string
}

func (e *NotARepository) Error() string {
	return fmt.Sprintf("%q is not a git repository: %s", e.Dir, e.Why)
}

// Planted says that the enclosing repository tracks files of this one, so that a change may have written it.
type Planted struct {
	Dir     string
	Tracked string // a path that the enclosing repository tracks
}

func (e *Planted) Error() string {
	return fmt.Sprintf("%q cannot be used as a git repository: the enclosing repository tracks %q, so a change could have written it; "+
		"run closeout in the root directory of the repository, or name that directory with --repo", e.Dir, e.Tracked)
}

// Unsupported says that the repository uses something that this package does not read.
type Unsupported struct {
	What string // what it is, and what to do instead
}

func (e *Unsupported) Error() string { return e.What }

// plainName removes from a file name the directories in which this machine keeps the repository. Errors are part of a
// report, and the same damage must give the same report everywhere. Other texts do not change.
func plainName(name string) string {
	if !filepath.IsAbs(name) {
		return name
	}
	slashed := filepath.ToSlash(name)
	for _, dir := range []string{"/objects/", "/refs/"} {
		if i := strings.LastIndex(slashed, dir); i >= 0 {
			return slashed[i+1:]
		}
	}
	return filepath.Base(name)
}

// plainError does the same for the file name in an error of the file system.
func plainError(err error) error {
	var path *fs.PathError
	if !errors.As(err, &path) {
		return err
	}
	return &fs.PathError{Op: path.Op, Path: plainName(path.Path), Err: path.Err}
}

// errTruncated is the result of a read beyond the end of a file. Callers add which file and where.
var errTruncated = errors.New("it is truncated")

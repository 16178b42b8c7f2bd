package collect

import (
	"errors"

	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/input"
)

// Objects is what the collector asks of a repository. Commits, trees and blobs are named by their whole hexadecimal
// ids. Every error means that the answer is unavailable; one with a method Fix() string says how to fix it.
type Objects interface {
	// MergeBases lists the best common ancestors of two commits, sorted; none when they have nothing in common.
	MergeBases(base, head string) ([]string, error)
	// Changes compares the trees of two commits. The list is sorted by the bytes of the path; a rename is a deletion and
	// an addition.
	Changes(oldCommit, newCommit string) ([]change.Change, error)
	// Entry finds what is at a path: its mode, [DirMode] for a directory, and its id. Symlinks are not followed, so below
	// one there is nothing.
	Entry(commit, path string) (mode change.Mode, id string, found bool, err error)
	// Names lists the entries of a directory, without those below; none when there is no such directory.
	Names(commit, dir string) ([]string, error)
	// Blob reads a blob. One of more than limit bytes is an error that is [ErrTooLarge].
	Blob(id string, limit int64) ([]byte, error)
	// CodeTree is the id of the commit's tree without the evidence directory.
	CodeTree(commit, evidenceDir string) (string, error)
	// Tasks lists what the commits that lead from some bases to a head name in trailers [TaskTrailer], each once.
	Tasks(head string, bases []string) ([]facts.Trailer, error)
	// Compose gives the code trees of a commit, of its base, and of the commit with the test paths of the base.
	Compose(head, base, evidenceDir string, isTest func(path string) bool) (facts.CrossTrees, error)
}

// DirMode is the mode of a directory.
const DirMode change.Mode = "040000"

// ErrTooLarge says that a blob is larger than the caller wants to read.
var ErrTooLarge = errors.New("the blob is larger than the limit")

// FixOf is what to do about an error; "" where that is not known.
func FixOf(err error) string {
	var fixed interface{ Fix() string }
	if errors.As(err, &fixed) {
		return fixed.Fix()
	}
	return ""
}

// unavailable tells why a fact is unavailable.
func unavailable(what facts.Wanted, about string, err error) facts.Unavailable {
	u := facts.Unavailable{What: what, About: about, Error: err.Error(), Fix: FixOf(err)}
	var limit interface{ Limit() string }
	if errors.As(err, &limit) {
		u.Limit = limit.Limit()
	}
	return u
}

// blobAt reads a file of a commit; nil when there is no regular file of that name.
func blobAt(o Objects, commit, name string, limit int64) ([]byte, error) {
	mode, id, found, err := o.Entry(commit, name)
	if err != nil || !found || !isFile(mode) {
		return nil, err
	}
	data, err := o.Blob(id, limit)
	return append([]byte{}, data...), err
}

// TreeLimits are how many changes, entries of trees and bytes of changed paths a comparison may have: more than the judge
// accepts, so that it can count them. The paths include those of directories.
func TreeLimits(l input.Limits) (changes int, entries, pathBytes int64) {
	return 2 * l.Files, l.TreeEntries, 4 * l.PathBytes
}

// limited is the error of a comparison that costs more than the limits allow.
type limited struct{ err error }

func (l *limited) Error() string { return l.err.Error() }
func (l *limited) Unwrap() error { return l.err }

// Limit is the flag that raises the limit.
func (l *limited) Limit() string { return input.FlagTreeEntries }

// Fix says what to do.
func (l *limited) Fix() string {
	return "split the change, or raise the limit with " + input.FlagTreeEntries + ", " + input.FlagFiles + " or " + input.FlagPathBytes
}

// fixable is an error, and what a person can do about it.
type fixable struct {
	err error
	fix string
}

func (f *fixable) Error() string { return f.err.Error() }
func (f *fixable) Unwrap() error { return f.err }

// WithFix adds to an error what a person can do about it.
func WithFix(err error, fix string) error { return &fixable{err, fix} }

// Fix says what to do.
func (f *fixable) Fix() string { return f.fix }

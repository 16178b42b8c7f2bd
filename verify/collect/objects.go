package collect

import (
	"errors"

	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/strict"
)

// Objects is what the collector asks of a repository: its objects on disk, or GitHub's API. Commits, trees and blobs are
// named by their whole hexadecimal ids. Every error means that the answer could not be known; one with a method
// Fix() string says how to mend it.
type Objects interface {
	// MergeBases lists the best common ancestors of two commits, sorted; none when they have nothing in common.
	MergeBases(base, head string) ([]string, error)
	// Changes compares the trees of two commits. The list is sorted by the bytes of the path; a rename is a deletion and
	// an addition.
	Changes(oldCommit, newCommit string) ([]change.Change, error)
	// Entry finds what stands at a path: its mode, [FolderMode] for a folder, and its id. Symlinks are not followed, so below
	// one there is nothing.
	Entry(commit, path string) (mode change.Mode, id string, found bool, err error)
	// Names lists what stands in a folder, without what stands below; none when there is no such folder.
	Names(commit, folder string) ([]string, error)
	// Blob reads a blob. One of more than limit bytes is an error that is [ErrTooLarge].
	Blob(id string, limit int64) ([]byte, error)
	// CodeTree is the id of the commit's tree without the evidence folder.
	CodeTree(commit, evidenceDir string) (string, error)
}

// FolderMode is the mode of a folder.
const FolderMode change.Mode = "040000"

// ErrTooLarge says that a blob is larger than the caller wants to read.
var ErrTooLarge = errors.New("the blob is larger than the limit")

// unknown writes down that a fact could not be had.
func unknown(what facts.Wanted, about string, err error) facts.Unavailable {
	u := facts.Unavailable{What: what, About: about, Error: err.Error()}
	var fixed interface{ Fix() string }
	if errors.As(err, &fixed) {
		u.Fix = fixed.Fix()
	}
	var limit interface{ Limit() string }
	if errors.As(err, &limit) {
		u.Limit = limit.Limit()
	}
	return u
}

// limited is the error of a comparison that costs more than the limits allow.
type limited struct{ err error }

func (l *limited) Error() string { return l.err.Error() }
func (l *limited) Unwrap() error { return l.err }

// Limit is the flag that raises the limit.
func (l *limited) Limit() string { return strict.FlagTreeEntries }

// Fix says what to do.
func (l *limited) Fix() string {
	return "split the change, or raise the limit with " + strict.FlagTreeEntries + ", " + strict.FlagFiles + " or " + strict.FlagPathBytes
}

// fixable is an error, and what a person can do about it.
type fixable struct {
	err error
	fix string
}

func (f *fixable) Error() string { return f.err.Error() }
func (f *fixable) Unwrap() error { return f.err }

// Fix says what to do.
func (f *fixable) Fix() string { return f.fix }

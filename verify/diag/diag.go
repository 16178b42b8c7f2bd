// Package diag says where in an input something is, and collects what is wrong with it.
//
// A parser never stops at the first error that it can step over: it adds to an [Errors] and goes on, so that one run
// shows a person everything there is to fix.
package diag

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
)

// Text is a string of an input and the place where it stands.
type Text struct {
	Value string
	Pos   Pos
}

// Unreadable is the error of an input that exists and cannot be read.
func Unreadable(what string, err error) Error {
	err = Reason(err)
	return Error{
		Message: what + " cannot be read: " + err.Error(), Found: err.Error(), Expected: "a readable file",
		Fix: "see that the file is whole and that the gate may read it",
	}
}

// Reason takes the path out of a file error: it can be absolute, and the message around it names the file already.
func Reason(err error) error {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		return pathError.Err
	}
	return err
}

// Pos is a place in a text input. Line and Column start at 1; Column counts bytes. The zero value is "nowhere in
// particular", as for a whole file.
type Pos struct {
	Line, Column int
}

// IsZero reports whether p names no place.
func (p Pos) IsZero() bool { return p == Pos{} }

// Compare orders places as they stand in the file; the zero value comes first.
func (p Pos) Compare(q Pos) int {
	return cmp.Or(cmp.Compare(p.Line, q.Line), cmp.Compare(p.Column, q.Column))
}

// Error is one thing that is wrong with an input.
type Error struct {
	Pos      Pos
	Where    string // which part of the document, as a JSON pointer or a few words; empty for the whole
	Message  string // what is wrong, in lower case, without a full stop
	Found    string // what stands there
	Expected string // what may stand there
	Fix      string // what to do about it
	Limit    string // the flag that raises the limit which was hit; empty when the input is malformed
	Times    int    // how many more errors this one stands for, when it closes a list that was cut
}

func (e Error) String() string {
	return fmt.Sprintf("%d:%d: %s", e.Pos.Line, e.Pos.Column, e.Message)
}

// MaxErrors is how many errors of one input are kept in full; the rest are counted.
const MaxErrors = 1000

// Errors collects the errors of one input. The zero value is empty and ready.
type Errors struct {
	list    []Error
	dropped int
}

// Add keeps e, or counts it when the list is full. Limits are always kept.
func (l *Errors) Add(e Error) {
	if l.Full() && e.Limit == "" {
		l.dropped++
		return
	}
	l.list = append(l.list, e)
}

// Full reports whether another error would only be counted. Whoever has to work to word an error can ask first.
func (l *Errors) Full() bool { return len(l.list) >= MaxErrors }

// MaxCounted is how many errors of one input are counted. A text with more is none of its kind.
const MaxCounted = 100_000

// TooMany reports whether more errors were added than anybody counts: whoever reads on only wastes time.
func (l *Errors) TooMany() bool { return len(l.list)+l.dropped >= MaxCounted }

// Any reports whether anything was added.
func (l *Errors) Any() bool { return len(l.list) > 0 }

// All returns the errors in the order of their places. When some were only counted, the last element says how many.
func (l *Errors) All() []Error {
	sorted := slices.Clone(l.list)
	slices.SortStableFunc(sorted, func(a, b Error) int {
		return cmp.Or(a.Pos.Compare(b.Pos), cmp.Compare(a.Where, b.Where), cmp.Compare(a.Message, b.Message))
	})
	if l.dropped > 0 {
		sorted = append(sorted, Error{
			Message:  fmt.Sprintf("%d more errors are not listed", l.dropped),
			Found:    fmt.Sprintf("%d errors", len(l.list)+l.dropped),
			Expected: "none",
			Fix:      "mend the errors that are listed, then run again",
			Times:    l.dropped,
		})
	}
	return sorted
}

// Package input reads JSON and YAML as the inputs of a decision must be: UTF-8 only, no duplicate keys, keys in their
// exact case, no unknown keys but x-…, integers written as integers, bounded depth and size, nothing after the value.
//
// Its parsers list everything that is wrong with an input, each with its place. An input that parses to nothing is an
// error, never "no findings".
//
// It has what the readers of all inputs share: places in an input, lists of errors, severities and evidence levels.
package input

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
)

// Text is a string of an input, and its position.
type Text struct {
	Value string
	Pos   Pos
}

// Unreadable is the error of an input that exists and cannot be read.
func Unreadable(what string, err error) Error {
	err = Reason(err)
	e := Error{
		Message: what + " cannot be read: " + err.Error(), Found: err.Error(), Expected: "a readable file",
		Fix: "check that the file is complete and that the gate may read it",
	}
	if errors.Is(err, fs.ErrNotExist) {
		e.Fix = "check the path, and that the step that writes the file has run"
	}
	return e
}

// Reason takes the path out of a file error: it can be absolute, and the message around it names the file already.
func Reason(err error) error {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		return pathError.Err
	}
	return err
}

// Pos is a position in a text input. Line and Column start at 1; Column counts bytes. The zero value is not a position,
// such as for a whole file.
type Pos struct {
	Line, Column int
}

// IsZero reports whether p is not a position.
func (p Pos) IsZero() bool { return p == Pos{} }

// Compare orders positions as in the file; the zero value comes first.
func (p Pos) Compare(q Pos) int {
	return cmp.Or(cmp.Compare(p.Line, q.Line), cmp.Compare(p.Column, q.Column))
}

// Error is one error in an input.
type Error struct {
	Pos      Pos
	Where    string // which part of the document, as a JSON pointer or a few words; empty for the whole
	Message  string // what is wrong, in lower case, without a full stop
	Found    string // what was found
	Expected string // what is allowed
	Fix      string // how to fix it
	Limit    string // the flag that raises the limit; empty when the input is malformed
	Times    int    // how many errors are not listed; only in the last error of a list that was cut
}

func (e Error) String() string {
	return fmt.Sprintf("%d:%d: %s", e.Pos.Line, e.Pos.Column, e.Message)
}

// In is the error of a file, as one line.
func (e Error) In(file string) error {
	return fmt.Errorf("%s:%s; found %s, expected %s → %s", file, e, e.Found, e.Expected, e.Fix)
}

// MaxErrors is how many errors of one input are listed; the rest are counted.
const MaxErrors = 1000

// Errors collects the errors of one input. The zero value is empty and ready.
type Errors struct {
	list    []Error
	dropped int
}

// Add adds e, or counts it when the list is full. Errors about limits are always added.
func (l *Errors) Add(e Error) {
	if l.Full() && e.Limit == "" {
		l.dropped++
		return
	}
	l.list = append(l.list, e)
}

// Full reports whether another error would only be counted. A parser can ask before it composes an expensive error.
func (l *Errors) Full() bool { return len(l.list) >= MaxErrors }

// MaxCounted is how many errors of one input are counted. A text with more is not an input of its kind.
const MaxCounted = 100_000

// TooMany reports whether MaxCounted is reached: a parser should stop.
func (l *Errors) TooMany() bool { return len(l.list)+l.dropped >= MaxCounted }

// Any reports whether anything was added.
func (l *Errors) Any() bool { return len(l.list) > 0 }

// All returns the errors in the order of their positions. If some were only counted, the last element says how many.
func (l *Errors) All() []Error {
	sorted := slices.Clone(l.list)
	SortStable(sorted, func(a, b Error) int {
		return cmp.Or(a.Pos.Compare(b.Pos), cmp.Compare(a.Where, b.Where), cmp.Compare(a.Message, b.Message))
	})
	if l.dropped > 0 {
		sorted = append(sorted, Error{
			Message:  fmt.Sprintf("%d more errors are not listed", l.dropped),
			Found:    fmt.Sprintf("%d errors", len(l.list)+l.dropped),
			Expected: "none",
			Fix:      "fix the listed errors, then run again",
			Times:    l.dropped,
		})
	}
	return sorted
}

// Package evidence reads the inputs of a decision: one strict parser an input.
//
// Strict means: UTF-8 only, no duplicate keys, keys in their exact case, no unknown keys but x-…, integers written as
// integers, bounded depth and size, nothing after the value. A parser lists everything that is wrong with its input,
// each with its place, and an input that parses to nothing is an error, never "no findings".
package evidence

import (
	"github.com/closeout-gate/closeout/verify/source"
)

// Text is a string of an input and the place where it stands.
type Text struct {
	Value string
	Pos   source.Pos
}

// Unreadable is the error of an input that is there and cannot be read. err must not name an absolute path.
func Unreadable(what string, err error) source.Error {
	return source.Error{
		Message: what + " cannot be read: " + err.Error(), Found: err.Error(), Expected: "a readable file",
		Fix: "see that the file is whole and that the gate may read it",
	}
}

// Package evidence reads the inputs of a decision: one strict parser an input.
//
// Strict means: UTF-8 only, no duplicate keys, keys in their exact case, no unknown keys but x-…, integers written as
// integers, bounded depth and size, nothing after the value. A parser lists everything that is wrong with its input,
// each with its place, and an input that parses to nothing is an error, never "no findings".
package evidence

import (
	"fmt"

	"github.com/closeout-gate/closeout/verify/source"
)

// Limits bounds what hostile input can cost. Each is a flag of the same meaning; see [DefaultLimits].
type Limits struct {
	RecordBytes   int64 // one line of a feedback log
	LogBytes      int64 // one feedback log
	ContractBytes int64 // one scope contract
	RulesBytes    int64 // one rule report; also facts, coverage and test reports
	DiffBytes     int64 // pr.diff or changes.json
	DiffLineBytes int64 // one line of pr.diff
	Files         int   // changed files
	Depth         int   // nesting of JSON
}

// The flags that raise the limits, named in every error about one.
const (
	FlagRecordBytes   = "--max-record-bytes"
	FlagLogBytes      = "--max-log-bytes"
	FlagContractBytes = "--max-contract-bytes"
	FlagRulesBytes    = "--max-rules-bytes"
	FlagDiffBytes     = "--max-diff-bytes"
	FlagDiffLineBytes = "--max-diff-line-bytes"
	FlagFiles         = "--max-files"
	FlagDepth         = "--max-depth"
)

// DefaultLimits returns the limits that hold unless a flag says otherwise.
func DefaultLimits() Limits {
	return Limits{
		RecordBytes:   16 << 20,
		LogBytes:      4 << 30,
		ContractBytes: 16 << 20,
		RulesBytes:    16 << 20,
		DiffBytes:     1 << 30,
		DiffLineBytes: 64 << 20,
		Files:         200_000,
		Depth:         100,
	}
}

// overLimit is the error of an input that is larger than it may be.
func overLimit(at source.Pos, what string, limit int64, flag string) source.Error {
	return source.Error{
		Pos:      at,
		Message:  fmt.Sprintf("%s is over the limit of %d", what, limit),
		Found:    "more than that",
		Expected: fmt.Sprintf("at most %d", limit),
		Fix:      "make the input smaller, or raise the limit with " + flag,
		Limit:    flag,
	}
}

// Text is a string of an input and the place where it stands.
type Text struct {
	Value string
	Pos   source.Pos
}

// TooLarge is the error of an input that is larger than limit, which flag raises.
func TooLarge(what string, limit int64, flag string) source.Error {
	return overLimit(source.Pos{}, "the size of "+what+" in bytes", limit, flag)
}

// Unreadable is the error of an input that is there and cannot be read. err must not name an absolute path.
func Unreadable(what string, err error) source.Error {
	return source.Error{
		Message: what + " cannot be read: " + err.Error(), Found: err.Error(), Expected: "a readable file",
		Fix: "see that the file is whole and that the gate may read it",
	}
}

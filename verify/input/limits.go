package input

import (
	"fmt"
	"strings"
)

// Limits bounds what hostile input can cost. Each is a flag of the same meaning; see [DefaultLimits] and [AllLimits].
type Limits struct {
	RecordBytes   int64 // one line of a feedback log
	LogBytes      int64 // all feedback logs together
	LogLines      int64 // lines of all feedback logs together, the blank ones included
	LogIDs        int64 // command ids of all feedback logs together, and what is remembered beside them
	ContractBytes int64 // one scope contract
	RulesBytes    int64 // one rule report; also facts, coverage and test reports
	Values        int64 // values of one such file, or of a contract
	Rows          int64 // rows of all rule reports together
	DiffBytes     int64 // pr.diff or changes.json
	DiffLineBytes int64 // one line of pr.diff
	PathBytes     int64 // paths of all changed files together
	MatchSteps    int64 // bytes of paths times bytes of patterns that are compared
	TreeEntries   int64 // entries of git trees that are read for one comparison
	Inputs        int64 // files
	Findings      int64 // different findings of one check
	Files         int   // changed files
	Depth         int   // nesting of JSON
}

// The flags that raise the limits, named in every error about one.
const (
	FlagRecordBytes   = "--max-record-bytes"
	FlagLogBytes      = "--max-log-bytes"
	FlagLogLines      = "--max-log-lines"
	FlagLogIDs        = "--max-log-ids"
	FlagContractBytes = "--max-contract-bytes"
	FlagRulesBytes    = "--max-rules-bytes"
	FlagValues        = "--max-values"
	FlagRows          = "--max-rows"
	FlagDiffBytes     = "--max-diff-bytes"
	FlagDiffLineBytes = "--max-diff-line-bytes"
	FlagPathBytes     = "--max-path-bytes"
	FlagMatchSteps    = "--max-match-steps"
	FlagTreeEntries   = "--max-tree-entries"
	FlagInputs        = "--max-inputs"
	FlagFindings      = "--max-findings"
	FlagFiles         = "--max-files"
	FlagDepth         = "--max-depth"
)

// DefaultLimits returns the limits that apply unless a flag sets another value. docs/reference/limits.md states what an input costs that
// just keeps them.
func DefaultLimits() Limits {
	return Limits{
		RecordBytes:   16 << 20,
		LogBytes:      4 << 30,
		LogLines:      20_000_000,
		LogIDs:        5_000_000,
		ContractBytes: 4 << 20,
		RulesBytes:    16 << 20,
		Values:        1_000_000,
		Rows:          200_000,
		DiffBytes:     1 << 30,
		DiffLineBytes: 64 << 20,
		PathBytes:     32 << 20,
		MatchSteps:    3_000_000_000,
		TreeEntries:   10_000_000,
		Inputs:        10_000,
		Findings:      1_000_000,
		Files:         200_000,
		Depth:         100,
	}
}

// Limit is one of the limits: the flag that sets it, and what it bounds.
type Limit struct {
	Flag, What string
	// Get and Set are its value in some [Limits].
	Get func(*Limits) int64
	Set func(*Limits, int64)
}

// Key is what the report calls a limit: the flag's name without the prefix.
func (l Limit) Key() string {
	return strings.ReplaceAll(strings.TrimPrefix(l.Flag, "--max-"), "-", "_")
}

func limitOf[T int | int64](flag, what string, field func(*Limits) *T) Limit {
	return Limit{flag, what, func(l *Limits) int64 { return int64(*field(l)) }, func(l *Limits, v int64) { *field(l) = T(v) }}
}

// AllLimits lists the limits.
var AllLimits = []Limit{
	limitOf(FlagRecordBytes, "longest line of a feedback log, in bytes", func(l *Limits) *int64 { return &l.RecordBytes }),
	limitOf(FlagLogBytes, "largest feedback logs, in bytes of all together", func(l *Limits) *int64 { return &l.LogBytes }),
	limitOf(FlagLogLines, "most lines of all feedback logs together", func(l *Limits) *int64 { return &l.LogLines }),
	limitOf(FlagLogIDs, "most command ids of all feedback logs together, and what else must be remembered of them", func(l *Limits) *int64 { return &l.LogIDs }),
	limitOf(FlagContractBytes, "largest scope contract, in bytes", func(l *Limits) *int64 { return &l.ContractBytes }),
	limitOf(FlagRulesBytes, "largest rule, coverage, test report or facts file, in bytes", func(l *Limits) *int64 { return &l.RulesBytes }),
	limitOf(FlagValues, "most values in a contract, a report or a facts file", func(l *Limits) *int64 { return &l.Values }),
	limitOf(FlagRows, "most rows of all rule reports together", func(l *Limits) *int64 { return &l.Rows }),
	limitOf(FlagDiffBytes, "largest diff, in bytes", func(l *Limits) *int64 { return &l.DiffBytes }),
	limitOf(FlagDiffLineBytes, "longest line of a diff, in bytes", func(l *Limits) *int64 { return &l.DiffLineBytes }),
	limitOf(FlagPathBytes, "longest paths of changed files, in bytes of all together", func(l *Limits) *int64 { return &l.PathBytes }),
	limitOf(FlagMatchSteps, "most work in comparing paths with patterns, in bytes of the one times bytes of the other", func(l *Limits) *int64 { return &l.MatchSteps }),
	limitOf(FlagTreeEntries, "most entries of git trees that a comparison reads", func(l *Limits) *int64 { return &l.TreeEntries }),
	limitOf(FlagInputs, "most files that are judged together", func(l *Limits) *int64 { return &l.Inputs }),
	limitOf(FlagFindings, "most different findings of a check", func(l *Limits) *int64 { return &l.Findings }),
	limitOf(FlagFiles, "most changed files", func(l *Limits) *int { return &l.Files }),
	limitOf(FlagDepth, "deepest nesting of JSON", func(l *Limits) *int { return &l.Depth }),
}

// LimitFlags lists the flags.
func LimitFlags() []string {
	flags := make([]string, len(AllLimits))
	for i, l := range AllLimits {
		flags[i] = l.Flag
	}
	return flags
}

// ChangeBytes is the longest value in changes.json: whatever is read of it at once is held in memory several times, and
// no honest path comes near a line of a diff.
func (l *Limits) ChangeBytes() int64 {
	const share, enough = 64, 1 << 20
	return min(l.DiffLineBytes, max(enough, l.DiffLineBytes/share))
}

// TooManyPathBytes is the error of a change whose paths are too long.
func TooManyPathBytes(at Pos, l Limits) Error {
	return OverLimitAt(at, "the length of all changed paths together in bytes", l.PathBytes, FlagPathBytes)
}

// OverLimitAt is the error of an input that is larger than it may be.
func OverLimitAt(at Pos, what string, limit int64, flag string) Error {
	return Error{
		Pos:      at,
		Message:  fmt.Sprintf("%s is over the limit of %d", what, limit),
		Found:    "more than that",
		Expected: fmt.Sprintf("at most %d", limit),
		Fix:      "make the input smaller, or raise the limit with " + flag,
		Limit:    flag,
	}
}

// TooLarge is the error of an input that is larger than limit, which flag raises.
func TooLarge(what string, limit int64, flag string) Error {
	return OverLimitAt(Pos{}, "the size of "+what+" in bytes", limit, flag)
}

// OverLimit is the error of something of which there is more than limit, which flag raises.
func OverLimit(what string, limit int64, flag string) Error {
	return OverLimitAt(Pos{}, what, limit, flag)
}

// TooManySteps is the error of paths and patterns that cost too much to compare.
func TooManySteps(limit int64) Error {
	return OverLimitAt(Pos{}, "the work of comparing changed paths with patterns, in bytes of paths times bytes of patterns,", limit, FlagMatchSteps)
}

// TooManyFindings is the error of a check that has more to report than it may.
func TooManyFindings(check string, limit int64) Error {
	return OverLimitAt(Pos{}, "the number of findings of the check "+check, limit, FlagFindings)
}

package input

// Severity is the severity of a finding.
type Severity string

// The severities, the strictest first. Unknown is for unavailable facts; no input can contain it.
const (
	Block   Severity = "block"
	Unknown Severity = "unknown"
	Warn    Severity = "warn"
	Info    Severity = "info"
)

// SeverityWords are the spellings in contracts and rule reports.
var SeverityWords = map[string]Severity{
	"block": Block, "error": Block, "warn": Warn, "warning": Warn, "info": Info, "note": Info,
}

// Rank orders severities, the strictest first; any other text comes last.
func (s Severity) Rank() int {
	switch s {
	case Block:
		return 0
	case Unknown:
		return 1
	case Warn:
		return 2
	case Info:
		return 3
	}
	return 4
}

// Stricter returns the stricter of two severities; the empty one is the least strict.
func Stricter(a, b Severity) Severity {
	if a.Rank() <= b.Rank() {
		return a
	}
	return b
}

// Level is how far the gate can trust a record. A record cannot contain its own level.
type Level string

// The evidence levels, the weakest first.
const (
	Absent   Level = "absent"   // no usable record
	Claimed  Level = "claimed"  // a record, not bound to this code
	Bound    Level = "bound"    // a record with an accepted code tree, before and after
	Recorded Level = "recorded" // bound, and the workflow supplied the digest of the log
)

// Rank orders levels, the weakest first; any other text counts as absent.
func (l Level) Rank() int {
	switch l {
	case Claimed:
		return 1
	case Bound:
		return 2
	case Recorded:
		return 3
	}
	return 0
}

// Stronger returns the stronger of two levels; the empty one is the weakest.
func Stronger(a, b Level) Level {
	if b.Rank() > a.Rank() {
		return b
	}
	return a
}

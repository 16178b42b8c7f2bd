package diag

// Severity is how much a finding weighs.
type Severity string

// The severities, the heaviest first. Unknown is for facts that could not be had; no input can state it.
const (
	Block   Severity = "block"
	Unknown Severity = "unknown"
	Warn    Severity = "warn"
	Info    Severity = "info"
)

// SeverityWords are the spellings that contracts and rule reports may use.
var SeverityWords = map[string]Severity{
	"block": Block, "error": Block, "warn": Warn, "warning": Warn, "info": Info, "note": Info,
}

// Rank orders severities, the heaviest first; a text that is none comes last.
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

// Stricter returns the heavier of two severities; the empty one weighs nothing.
func Stricter(a, b Severity) Severity {
	if a.Rank() <= b.Rank() {
		return a
	}
	return b
}

// Level says how sure the gate is that a record is true. A record can never state its own.
type Level string

// The evidence levels, the weakest first.
const (
	Absent   Level = "absent"   // no usable record
	Claimed  Level = "claimed"  // a record, not bound to this code
	Bound    Level = "bound"    // it names an accepted code tree, before and after
	Recorded Level = "recorded" // bound, and the workflow handed over the log's digest
)

// Rank orders levels, the weakest first; a text that is none counts as absent.
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

// Stronger returns the level that asks for more; the empty one asks for nothing.
func Stronger(a, b Level) Level {
	if b.Rank() > a.Rank() {
		return b
	}
	return a
}

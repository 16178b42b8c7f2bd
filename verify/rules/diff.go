package rules

import "github.com/closeout-gate/closeout/verify/diag"

// DiffSchema is the form of diff_rules.json: what the gate's own rules found in a change.
const DiffSchema = "closeout.diff_rules/v1"

// DiffReview is the category of a row that a person should look at.
const DiffReview = "review"

// SideBase is the side of a row about a file of the merge base; a row about the head has none.
const SideBase = "base"

// DiffRow is a row of diff_rules.json. A rule that found nothing has one row, which passed. One that found something has a row
// for each place.
type DiffRow struct {
	ID       string        `json:"id"`                 // closeout/…
	Category string        `json:"category,omitempty"` // review, or absent
	Severity diag.Severity `json:"severity"`           // the rule's default
	Passed   bool          `json:"passed"`
	Detail   string        `json:"detail,omitempty"` // what was found, in words
	File     string        `json:"file,omitempty"`   // as git quotes it where it is not UTF-8
	Line     int64         `json:"line,omitempty"`   // of the head, or of the merge base with side "base"; 0 is the whole file
	Side     string        `json:"side,omitempty"`
	Was      string        `json:"was,omitempty"` // at the merge base; cut, without secrets
	Now      string        `json:"now,omitempty"` // at the head; cut, without secrets
	Fix      string        `json:"fix,omitempty"`
}

// Diff is the content of diff_rules.json. Its rows are in order: rule, file, side, line, and the texts.
type Diff struct {
	Schema string    `json:"schema"`
	Rules  []DiffRow `json:"rules"`
}

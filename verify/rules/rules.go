// Package rules reads rule reports: rows, lists of failures, and SARIF.
package rules

import (
	"github.com/closeout-gate/closeout/verify/diag"
)

// Report is one rule report, whatever its shape.
type Report struct {
	Rows  []Row
	Shape Shape
}

// Shape is the form that a rule report was written in.
type Shape string

// The shapes of a rule report.
const (
	ShapeRows  Shape = "rows"  // a list of rows, or the same under "rules"
	ShapeLists Shape = "lists" // block_failures and warn_failures
	ShapeSARIF Shape = "sarif"
)

// Row is one rule's result.
type Row struct {
	Pos      diag.Pos
	ID       string
	Category string
	Severity diag.Severity // "" when the row has none
	Passed   bool
	Detail   string   // cut after 500 bytes
	File     string   // "" when absent
	Line     int64    // 0 when absent
	FailedIn []string // of a failed row: every file it failed in, each once and sorted; "" is a failure without a file
}

package evidence

import "github.com/closeout-gate/closeout/verify/source"

// RuleReport is one rule report, whatever its shape.
type RuleReport struct {
	Rows  []RuleRow
	Shape RuleShape
}

// RuleShape is the form that a rule report was written in.
type RuleShape string

// The shapes of a rule report.
const (
	ShapeRows  RuleShape = "rows"  // a list of rows, or the same under "rules"
	ShapeLists RuleShape = "lists" // block_failures and warn_failures
	ShapeSARIF RuleShape = "sarif"
)

// RuleRow is one rule's result.
type RuleRow struct {
	Pos      source.Pos
	ID       string
	Category string
	Severity Severity // "" when the row has none
	Passed   bool
	Detail   string   // cut after 500 bytes
	File     string   // "" when absent
	Line     int64    // 0 when absent
	FailedIn []string // of a failed row: every file it failed in, each once and sorted; "" is a failure without a file
}

package results

import (
	"github.com/closeout-gate/closeout/verify/diag"
	"github.com/closeout-gate/closeout/verify/strict"
)

// Coverage is a coverage report.
type Coverage struct {
	Pos      diag.Pos // of the current value
	Current  strict.Ratio
	Previous *strict.Ratio // nil when absent or null
}

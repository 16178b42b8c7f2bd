package evidence

import "github.com/closeout-gate/closeout/verify/source"

// Ratio is a share between 0 and 1 in units of 10⁻¹⁸, so that every decimal a tool prints is held exactly and compared
// without rounding.
type Ratio int64

// Whole is the ratio 1.
const Whole Ratio = 1_000_000_000_000_000_000

// BasisPoints rounds r down to ten-thousandths, the unit of the report.
func (r Ratio) BasisPoints() int64 { return int64(r / (Whole / 10_000)) }

// Coverage is a coverage report.
type Coverage struct {
	Pos      source.Pos // of the current value
	Current  Ratio
	Previous *Ratio // nil when absent or null
}

package results

import (
	"github.com/closeout-gate/closeout/verify/diag"
	"github.com/closeout-gate/closeout/verify/strict"
)

// ParseCoverage reads a coverage report: {"current": 0.84, "previous": 0.85}, both from 0 to 1. "previous" may be absent or
// null; keys with the prefix x- are notes.
//
// The report is nil when the text is not a JSON object; do not use it if there are errors.
func ParseCoverage(data []byte, limits strict.Limits) (*Coverage, *diag.Errors) {
	errs := &diag.Errors{}
	n := strict.ParseDocument(data, "the coverage report", limits, errs)
	if n == nil {
		return nil, errs
	}
	if n.Kind != strict.KindObject {
		errs.Add(strict.WrongElement(n, "", "a coverage report", `an object with "current"`))
		return nil, errs
	}
	f := strict.Object(n, "", errs)
	c := &Coverage{Pos: n.Pos}
	if current := f.Need("current", "a number from 0 to 1"); current != nil {
		c.Pos = current.Pos
		c.Current, _ = f.Share(current, "current")
	}
	if previous := f.OrNull("previous"); previous != nil {
		if r, ok := f.Share(previous, "previous"); ok {
			c.Previous = &r
		}
	}
	f.End()
	return c, errs
}

// Coverage is a coverage report.
type Coverage struct {
	Pos      diag.Pos // of the current value
	Current  strict.Ratio
	Previous *strict.Ratio // nil when absent or null
}

package reports

import (
	"strings"

	"github.com/closeout-gate/closeout/verify/input"
)

// ParseCoverage reads a coverage report: {"current": 0.84, "previous": 0.85}, both from 0 to 1. "previous" may be absent or
// null; keys with the prefix x- are notes.
//
// The report is nil when the text is not a JSON object; do not use it if there are errors.
func ParseCoverage(data []byte, limits input.Limits) (*Coverage, *input.Errors) {
	errs := &input.Errors{}
	n := input.ParseDocument(data, "the coverage report", limits, errs)
	if n == nil {
		return nil, errs
	}
	if n.Kind != input.KindObject {
		e := input.WrongElement(n, "", "a coverage report", `an object with "current"`)
		errs.Add(e)
		return nil, errs
	}
	if e, other := otherCoverage(n); other {
		errs.Add(e)
		return nil, errs
	}
	f := input.Object(n, "", errs)
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

// otherCoverage is the error for the summary of coverage.py or of Istanbul, which shows the report that it means.
func otherCoverage(n *input.Node) (input.Error, bool) {
	for _, path := range [][]string{{"totals", "percent_covered"}, {"total", "lines", "pct"}} {
		at := n
		for _, key := range path {
			if at != nil {
				at = at.Member(key)
			}
		}
		if at == nil || n.Member("current") != nil {
			continue
		}
		return input.Error{
			Pos: n.Pos, Message: "this is the summary of another tool", Found: strings.Join(path, ".") + " " + at.Text, Expected: `an object with "current"`,
			Fix: `write {"current": 0.62} to the file for 62 %`,
		}, true
	}
	return input.Error{}, false
}

// Coverage is a coverage report.
type Coverage struct {
	Pos      input.Pos // of the current value
	Current  input.Ratio
	Previous *input.Ratio // nil when absent or null
}

package evidence

import "github.com/closeout-gate/closeout/verify/source"

// ParseCoverage reads a coverage report: {"current": 0.84, "previous": 0.85}, both shares from 0 to 1. "previous" may be
// absent or null; keys that begin with x- are notes.
//
// The report is nil when the text is no JSON object; when there are errors it must not be used.
func ParseCoverage(data []byte, limits Limits) (*Coverage, *source.Errors) {
	errs := &source.Errors{}
	n := parseReport(data, "the coverage report", limits, errs)
	if n == nil {
		return nil, errs
	}
	if n.kind != kindObject {
		errs.Add(mustBeNamed(n, "", "a coverage report", `an object with "current"`))
		return nil, errs
	}
	f := object(n, "", errs)
	c := &Coverage{Pos: n.pos}
	if current := f.need("current", "a number from 0 to 1"); current != nil {
		c.Pos = current.pos
		c.Current, _ = f.ratioOf(current, "current")
	}
	if previous := f.orNull("previous"); previous != nil {
		if r, ok := f.ratioOf(previous, "previous"); ok {
			c.Previous = &r
		}
	}
	f.end()
	return c, errs
}

// ratioOf reads the value of key as a share from 0 to 1.
func (f *fields) ratioOf(n *node, key string) (Ratio, bool) {
	r, ok := parseRatio(n)
	if !ok {
		e := wrongType(n, f.pointer(key), "a number from 0 to 1")
		e.Fix = "write the share itself: 62 % is 0.62"
		f.errs.Add(e)
	}
	return r, ok
}

package check

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/closeout-gate/closeout/verify/report"
)

// Title is where a case stood, and its name.
func (c *CrossCase) Title() string {
	if c.Place == nil {
		return c.Name
	}
	return fmt.Sprintf("%s:%d %s", c.Place.File, c.Place.Line, c.Short)
}

func (c *CrossCase) String() string {
	text := c.Title()
	if c.Note != "" {
		text += " (" + c.Note + ")"
	}
	if c.Failure != "" {
		text += ": " + c.Failure
	}
	return text
}

// Shown is what the run shows, for people.
func (r *CrossRun) Shown() string {
	switch {
	case r.Outcome == report.CrossNotNeeded:
		return cmp.Or(r.Why, "no test was edited")
	case r.Outcome == report.CrossMissing:
		return "not recorded: " + r.Why
	case r.Why != "":
		return "cannot be compared: " + r.Why
	case r.Tree == NewTestsTree && r.Failed == 0:
		return fmt.Sprintf("none of %d fails, so none needs the change", r.Base)
	case r.Tree == NewTestsTree:
		return fmt.Sprintf("%d of %d fail without the change, as they should", r.Failed, r.Base)
	case r.Failed+r.NotRun == 0:
		return fmt.Sprintf("%d of %d passed", r.Passed, r.Base)
	}
	var parts []string
	if r.Failed > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d fail", r.Failed, r.Base))
	}
	if r.Apart > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d do not load", r.Apart, r.Base))
	}
	if r.Ended > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d did not run after a panic", r.Ended, r.Base))
	}
	if hidden := r.NotRun - r.Apart - r.Ended; hidden > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d did not run", hidden, r.Base))
	}
	if gone := r.Cases[CodeDropped]; len(gone) > 0 {
		are := "are"
		if len(gone) == 1 {
			are = "is"
		}
		parts = append(parts, fmt.Sprintf("%d of them %s gone now: %s", len(gone), are, gone[0].Title()))
	}
	return strings.Join(parts, ", ")
}

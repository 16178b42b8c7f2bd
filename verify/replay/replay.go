// Package replay judges a bundle again and compares the result with the report that was written.
package replay

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/report"
)

// Result is what a replay gave.
type Result struct {
	Before, After *report.Report // the one that was written, and the one that was computed
	// OtherVersion says that another version of closeout wrote the report, so that only the decision was compared.
	OtherVersion bool
	// Differences are lines that say what differs; none when the result is the same. They contain text of the report.
	Differences []string
}

// Same reports whether the report is the one that closeout gives for the bundle.
func (r *Result) Same() bool { return len(r.Differences) == 0 }

// Run judges a bundle with the settings of its report, and compares the two. written are the bytes of the report file,
// and before is the report that they contain. The settings of the bundle are replaced by those of the report. The error says why
// closeout cannot have written the report.
func Run(written []byte, before *report.Report, b *verify.Bundle) (*Result, error) {
	b.Settings = settingsOf(before)
	leaveToFacts(&b.Settings, b)
	if err := b.Settings.Check(); err != nil {
		return nil, fmt.Errorf("closeout cannot have run with the settings of the report: %w", err)
	}
	r := &Result{Before: before, After: verify.Judge(b)}
	again, err := report.Canonical(r.After)
	switch {
	case err != nil:
		return nil, err
	case before.Tool.Version != r.After.Tool.Version:
		r.OtherVersion, r.Differences = true, decisionsDiffer(before, r.After)
	case !bytes.Equal(written, again):
		r.Differences = []string{whatDiffers(before, r.After, again)}
	}
	return r, nil
}

// settingsOf takes from a report what the bundle's files do not contain.
func settingsOf(r *report.Report) verify.Settings {
	s := verify.Settings{Mode: r.Mode, Strict: r.Strict, Digests: slices.Clone(r.Settings.Digests), Limits: input.DefaultLimits()}
	for _, limit := range input.AllLimits {
		if value, given := r.Settings.Limits[limit.Key()]; given { // an older version had fewer
			limit.Set(&s.Limits, value)
		}
	}
	if s.Tasks = r.Settings.Tasks; r.Settings.Task != nil {
		s.Tasks = []string{*r.Settings.Task}
	}
	if r.Settings.Event != nil {
		s.Event = *r.Settings.Event
	}
	if r.Settings.Today != nil {
		s.Today = *r.Settings.Today
	}
	return s
}

// leaveToFacts drops the settings that the bundle's facts contain: the facts were written before judging.
func leaveToFacts(s *verify.Settings, b *verify.Bundle) {
	known := verify.FactsOf(b)
	if known == nil {
		return
	}
	if known.Digests != nil {
		s.Digests = nil
	}
	if known.Settings.Named() != nil {
		s.Tasks = nil
	}
	if known.Settings.Today != "" {
		s.Today = ""
	}
}

// maxRaised is how many times its default a limit of a report may be.
const maxRaised = 16

// ErrUnbounded is the reason why a bundle that another person supplied is not judged again: its report is not [Bounded].
var ErrUnbounded = fmt.Errorf("the report raises a limit of the judge to more than %d times its default, so that judging the bundle again could take very long", maxRaised)

// Bounded reports whether a report asks for a replay whose cost is bounded: the limits of the judge are those of the report, and a
// report that a change has written could raise them until the replay never ends.
func Bounded(r *report.Report) bool {
	defaults := input.DefaultLimits()
	return !slices.ContainsFunc(input.AllLimits, func(limit input.Limit) bool {
		return r.Settings.Limits[limit.Key()] > maxRaised*limit.Get(&defaults)
	})
}

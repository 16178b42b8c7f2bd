// Package verify decides: bundle in, report out.
//
// [Judge] is a function of the bytes of its inputs. It reads no clock, network, environment or process, so anyone can
// recompute a report byte for byte, at any time. Other packages collect the inputs.
package verify

import (
	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/report"
)

// Judge decides a bundle. It always returns a report.
//
// What is judged is a candidate: a change by itself, or a merge group and each of its pull requests. Each candidate goes
// through the same stages: load, run, override, report.
func Judge(b *Bundle) *report.Report {
	candidates := load(b)
	var members []*judged
	for _, s := range candidates[1:] {
		members = append(members, decide(s, nil))
	}
	return reportOf(decide(candidates[0], members), members)
}

// candidate is one thing that is judged, and everything that was read for it.
type candidate struct {
	check.Inputs
	scope    check.Scope
	settings Settings           // with those of the facts
	given    map[check.Kind]int // how many inputs of a kind there are
	inputs   []report.Input
	standing string // the path of the standing contract
	number   int64  // of a pull request in a merge group; 0 otherwise
	// view is the group's evidence under the pull request's own contract; nil where the pull request has none.
	view *check.Inputs
}

// judged is a candidate, and what the gate decided about it.
type judged struct {
	*candidate
	found
	exempt   bool // the contract does not apply to it
	override *report.Override
	refused  []report.Refusal
	verdict  string
}

// decide takes a candidate through the stages between load and report. members are the pull requests of a merge group.
func decide(s *candidate, members []*judged) *judged {
	results, exempt := run(s, members)
	j := &judged{candidate: s, exempt: exempt, found: findingsOf(s, results)}
	if !exempt {
		j.decideOverride()
	}
	j.verdict = verdictOf(&j.counts, j.override)
	return j
}

// verdictOf returns the verdict. An override cannot accept what is unknown.
func verdictOf(c *report.Counts, override *report.Override) string {
	switch {
	case c.Block > 0 && c.Unknown == 0 && override != nil:
		return report.Overridden
	case c.Block > 0:
		return report.Failed
	case c.Unknown > 0:
		return report.Review
	default:
		return report.Passed
	}
}

package checks

import (
	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/evidence"
)

// Diff asks whether the gate knows what was changed.
var Diff = &check.Check{
	ID:    "diff",
	Title: "The list of changed files is there and can be relied on",
	Codes: []check.Code{
		{Name: "diff.missing", Severity: evidence.Block},
		{Name: "diff.malformed", Severity: evidence.Block},
		{Name: "diff.disagrees", Severity: evidence.Block},
	},
	Run: runDiff,
}

func runDiff(p *check.Pass) {
	reportProblems(p, "diff.malformed", check.Changes, check.Diff)
	if p.State[check.Changes] == check.Missing {
		p.Report(check.Finding{
			Code: "diff.missing", Message: "nothing says which files were changed", Input: check.Diff,
			Expected: "changes.json or pr.diff", Actual: "neither",
			Fix: "hand over the diff: " + evidence.DiffCommand,
		})
	}
	for _, d := range p.Disagree {
		p.Report(check.Finding{
			Code: "diff.disagrees", Message: "changes.json and pr.diff tell different things of this file", Input: check.Diff, Path: d.Path,
			Expected: "in pr.diff as in changes.json: " + d.Changes, Actual: "in pr.diff: " + d.Diff,
			Fix: "make both from the same two commits", Evidence: []string{d.Changes, d.Diff},
		})
	}
}

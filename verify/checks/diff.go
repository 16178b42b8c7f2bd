package checks

import (
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/input"
)

// DiffCheck checks that the gate knows what was changed.
var DiffCheck = &check.Check{
	ID:    "diff",
	Title: "The list of changed files is there and reliable",
	Codes: slices.Concat(
		check.CodesWith(input.Block, "diff.missing", "diff.malformed", "diff.disagrees"),
		check.CodesWith(input.Unknown, "diff.base_moved", "diff.incomplete"),
		check.CodesWith(input.Info, "diff.several_bases"),
	),
	Also:  []string{check.CodeLimit},
	Scope: check.ScopeChange | check.ScopeGroup | check.ScopeMember | check.ScopeExempt | check.ScopePast,
	Run:   runDiff,
}

func runDiff(p *check.Pass) {
	p.ReportProblems("diff.malformed", check.Changes, check.Diff)
	incomplete := p.Unavailable(facts.WantedChanges)
	for _, u := range incomplete {
		f := check.UnavailableFact("diff.incomplete", u, "the list of changed files")
		if u.Limit != "" {
			f.Code, f.Severity = check.CodeLimit, input.Block
			f.Identity = append(f.Identity, u.Limit)
		}
		p.Report(f)
	}
	reportSeveralBases(p)
	reportBaseMoved(p)
	if p.State[check.Changes] == check.Missing && len(incomplete) == 0 {
		p.Report(check.Finding{
			Code: "diff.missing", Message: "there is no list of changed files", Input: check.Diff,
			Expected: "changes.json or pr.diff", Actual: "neither",
			Fix: "supply the diff: " + change.DiffCommand,
		})
	}
	for _, s := range p.Surplus {
		p.Report(check.Finding{
			Code: "diff.disagrees", Message: "there is more than one list of changed files of this kind", Input: s.Kind, Path: s.Path,
			Expected: "at most one changes.json and one diff", Actual: s.Path, Fix: "supply the one that was created from the commits that are judged",
			Identity: []string{"surplus"},
		})
	}
	for _, d := range p.Disagree {
		p.Report(check.Finding{
			Code: "diff.disagrees", Message: "changes.json and pr.diff disagree about this file", Input: check.Diff, Path: d.Path,
			Expected: "in pr.diff as in changes.json: " + d.Changes, Actual: "in pr.diff: " + d.Diff,
			Fix: "create both from the same two commits", Identity: []string{d.Changes, d.Diff},
		})
	}
}

// reportBaseMoved reports the paths that the change edits and that the base branch has removed since: git merges such an
// edit into the path that the file was renamed to, which is not the one that is judged.
func reportBaseMoved(p *check.Pass) {
	for i := range p.Changes {
		c := &p.Changes[i]
		if !c.BaseGone {
			continue
		}
		f := fileFinding(p, "diff.base_moved", c)
		f.Message = "the change edits a file that the base branch removed or renamed"
		f.Expected = "a file that exists at the tip of the base branch"
		f.Actual = "no such file at the tip of the base branch"
		f.Fix = "merge the base branch into the change, and run the gate again"
		p.Report(f)
	}
}

// reportSeveralBases reports that the union of several comparisons is judged: the list may contain more than a diff shows.
func reportSeveralBases(p *check.Pass) {
	if p.Facts == nil || len(p.Facts.Subject.MergeBases) < 2 {
		return
	}
	bases := p.Facts.Subject.MergeBases
	p.Report(check.Finding{
		Code: "diff.several_bases", Message: "base and head have several merge bases; every file that differs from one of them is judged", Input: check.Facts,
		Expected: "one merge base", Actual: strings.Join(bases, ", "), Fix: "merge the base branch into the change once more to have one", Identity: bases,
	})
}

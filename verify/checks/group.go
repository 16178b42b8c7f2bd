package checks

import (
	"fmt"

	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/input"
)

// GroupCheck checks that a merge group consists of the pull requests that were judged, and of nothing else. It runs for
// merge groups alone.
var GroupCheck = &check.Check{
	ID:    "group",
	Title: "The merge group contains its pull requests, and nothing else",
	Codes: check.CodesWith(input.Block, "group.unexplained_path"),
	Also:  []string{"facts.unavailable"},
	Scope: check.ScopeGroup | check.ScopeExempt,
	Needs: []check.Kind{check.Facts},
	Asked: func(in *check.Inputs) bool { return in.Group != nil },
	Run:   runGroup,
}

func runGroup(p *check.Pass) {
	const list = "the pull requests of the merge group"
	unknown := p.Unavailable(facts.WantedPullRequests)
	for _, u := range unknown {
		p.Report(check.UnavailableFact("facts.unavailable", u, list))
	}
	if len(p.Facts.Subject.PullRequests) == 0 && len(unknown) == 0 {
		p.ReportLacking(facts.WantedPullRequests, "", "which pull requests are in the merge group")
	}
	for _, number := range p.Group.Missing {
		p.ReportLacking(facts.WantedPullRequests, itoa(number), fmt.Sprintf("what pull request %d of the merge group changes: there are no facts about it", number))
	}
	for _, number := range p.Group.Unlisted {
		p.ReportLacking(facts.WantedPullRequests, itoa(number), fmt.Sprintf("whether pull request %d, about which there are facts, is in the merge group: it is not listed", number))
	}
	if p.Group.Unsure {
		return // what is not known of a pull request is reported; the path may be one of its own
	}
	for _, c := range p.Group.Unexplained {
		f := fileFinding(p, "group.unexplained_path", c)
		f.Message = "the merge group changes this file, and no pull request in it does"
		f.Expected = "only files that a pull request of the group changes, and that were judged there"
		f.Fix = "update the pull request from its base branch, so that its diff shows renamed files, and add it to the merge queue again"
		p.Report(f)
	}
}

package checks

import (
	"fmt"
	"slices"

	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/override"
)

// OverrideCheck tells of labels and messages that ask for an override and do not count. It runs after all other checks.
var OverrideCheck = &check.Check{
	ID:    "override",
	Title: "Only a person with permission overrides",
	Codes: slices.Concat(
		check.CodesWith(input.Warn, "override.refused", "override.attempted"),
		check.CodesWith(input.Info, "override.incomplete"),
	),
	Also:  []string{"facts.unavailable"},
	Scope: check.ScopeChange | check.ScopeMember,
	Asked: func(in *check.Inputs) bool { return in.Override != nil },
	Run:   runOverride,
}

// overrideFacts are the facts that an override may require.
var overrideFacts = map[facts.Wanted]string{
	facts.WantedPullRequest: "the pull request", facts.WantedSubject: "the head that was judged", facts.WantedCommits: "its commits",
	facts.WantedLabelEvents: "its label events", facts.WantedComments: "its comments", facts.WantedPeople: "the account",
	facts.WantedTeams: "the members of the teams",
}

func runOverride(p *check.Pass) {
	for _, r := range p.Override.Refused {
		p.Report(check.Finding{
			Code: "override.refused", Message: fmt.Sprintf("the label %q, added by %s, does not count: %s", r.Label, r.Actor, r.Why),
			Input: check.Facts, Expected: r.Row.Title, Actual: r.Why,
			Fix: r.Do + "; then run the job again, unless a label starts it (a comment never does)", Identity: []string{r.Label, r.Row.Condition},
		})
	}
	for _, m := range p.Override.Missing {
		what := "whether a person overrides without " + overrideFacts[m.Kind]
		if m.About != "" {
			what += " (" + m.About + ")"
		}
		p.ReportLacking(m.Kind, m.About, what)
	}
	for _, n := range p.Override.Notes {
		p.Report(check.Finding{
			Code: "override.incomplete", Message: n.What, Input: check.Facts, Expected: "the label of an override, and a reason with the override code",
			Actual: n.What, Fix: n.Do, Identity: n.Key,
		})
	}
	for _, a := range override.RefusedRequests(p.Facts, p.Rule) {
		p.Report(check.Finding{
			Code: "override.attempted", Message: a.What, Input: check.Facts, Expected: "an override by a person who may override, with a label and a reason",
			Actual: a.What, Fix: "no action is needed: it has no effect. Tell the author that only the people whom the contract names can override", Identity: a.Key,
		})
	}
}

package check

import (
	"cmp"

	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/input"
)

// Permissions are what a token needs for a kind of fact, where the collector does not say.
var Permissions = map[facts.Wanted]string{
	facts.WantedPullRequest: "run the gate again; a person may grant the gate's job the permission pull-requests: read",
	facts.WantedCommits:     "run the gate again; a person may grant the gate's job the permission pull-requests: read; GitHub lists at most 250 commits",
	facts.WantedReviews:     "run the gate again; a person may grant the gate's job the permission pull-requests: read",
	facts.WantedLabelEvents: "run the gate again; a person may grant the gate's job the permission issues: read",
	facts.WantedComments:    "run the gate again; a person may grant the gate's job the permission issues: read",
	facts.WantedPeople:      "run the gate again; a person may provide a token that can read permissions in the repository",
	facts.WantedSameHead:    "run the gate again; a person may grant the gate's job the permission pull-requests: read",
	facts.WantedTeams:       "run the gate again; a person may provide a token that can read the organization's members; the token of the workflow cannot",
}

// ReportLacking reports that the check cannot determine something, because it lacks a fact. about is a login, or names
// the part of the kind.
func (p *Pass) ReportLacking(kind facts.Wanted, about, what string) {
	u, found := p.Facts.Lacking(kind, about)
	f := Finding{
		Code: "facts.unavailable", Severity: input.Unknown, Message: "cannot determine " + what, Input: Facts, Expected: "this fact in facts.json",
		Actual: "nothing", Identity: []string{string(kind), about},
		Fix: cmp.Or(u.Fix, Permissions[kind], "run the gate again; a person may have to make this fact available to the collector"),
	}
	if found {
		f.Actual = u.Error
		f.Lacks, f.Undecided = &u, what
	}
	p.Report(f)
}

// UnavailableFact is the finding for a fact that the collector could not get.
func UnavailableFact(code string, u facts.Unavailable, what string) Finding {
	undecided := what
	if u.About != "" {
		undecided += " (" + u.About + ")"
	}
	return Finding{
		Code: code, Message: "cannot determine " + undecided + ": " + u.Error, Input: Facts, Expected: what, Actual: u.Error,
		Fix:      cmp.Or(u.Fix, "fix the cause of the error, and run the gate again"),
		Identity: []string{string(u.What), u.About}, Lacks: &u, Undecided: undecided,
	}
}

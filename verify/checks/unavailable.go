package checks

import (
	"cmp"
	"strings"

	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/input"
)

// live is the pull request as GitHub returned it; nil when it is unknown.
func live(f *facts.Facts) *facts.PullRequest {
	if f == nil || f.GitHub == nil {
		return nil
	}
	return f.GitHub.PullRequest
}

// aboutPullRequest reports whether what is judged is a pull request.
func aboutPullRequest(f *facts.Facts) bool {
	return f != nil && (f.Subject.PullRequest > 0 || live(f) != nil || strings.HasPrefix(f.Event.Name, "pull_request"))
}

// askedGitHub reports whether the collector asked GitHub about the pull request, with or without an answer.
func askedGitHub(f *facts.Facts) bool {
	_, lacking := lacking(f, facts.WantedPullRequest, "")
	return f.GitHub != nil || lacking
}

// lacking is the collector's entry about an unavailable fact: the entry about a certain account, else one that is not
// about a certain account.
func lacking(f *facts.Facts, kind facts.Wanted, about string) (facts.Unavailable, bool) {
	var general facts.Unavailable
	found := false
	for _, u := range f.Unavailable {
		switch {
		case u.What != kind:
		case about != "" && facts.FoldLogin(u.About) == facts.FoldLogin(about):
			return u, true
		case !found && (u.About == "" || about == ""):
			general, found = u, true
		}
	}
	return general, found
}

// permissions are what a token needs for a kind of fact, where the collector does not say.
var permissions = map[facts.Wanted]string{
	facts.WantedPullRequest: "run the gate again; a person may grant the gate's job the permission pull-requests: read",
	facts.WantedCommits:     "run the gate again; a person may grant the gate's job the permission pull-requests: read; GitHub lists at most 250 commits",
	facts.WantedReviews:     "run the gate again; a person may grant the gate's job the permission pull-requests: read",
	facts.WantedLabelEvents: "run the gate again; a person may grant the gate's job the permission issues: read",
	facts.WantedComments:    "run the gate again; a person may grant the gate's job the permission issues: read",
	facts.WantedPeople:      "run the gate again; a person may provide a token that can read permissions in the repository",
	facts.WantedSameHead:    "run the gate again; a person may grant the gate's job the permission pull-requests: read",
	facts.WantedTeams:       "run the gate again; a person may provide a token that can read the organization's members; the token of the workflow cannot",
}

// reportLacking reports that a fact is unavailable which the check requires. about is a login, or names the part of the kind.
func reportLacking(p *Pass, kind facts.Wanted, about, message string) {
	u, found := lacking(p.Facts, kind, about)
	f := Finding{
		Code: "facts.unavailable", Severity: input.Unknown, Message: message, Input: Facts, Expected: "this fact in facts.json",
		Actual: "nothing", Identity: []string{string(kind), about},
		Fix: cmp.Or(u.Fix, permissions[kind], "run the gate again; a person may have to make this fact available to the collector"),
	}
	if found {
		f.Actual = u.Error
		f.Lacks, f.Undecided = &u, strings.TrimPrefix(message, "cannot determine ")
	}
	p.Report(f)
}

package checks

import (
	"strings"

	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/evidence"
)

// live is the pull request as GitHub had it; nil when nobody knows.
func live(f *evidence.Facts) *evidence.PullRequest {
	if f == nil || f.GitHub == nil {
		return nil
	}
	return f.GitHub.PullRequest
}

// aboutPullRequest reports whether what is judged is a pull request.
func aboutPullRequest(f *evidence.Facts) bool {
	return f != nil && (f.Subject.PullRequest > 0 || live(f) != nil || strings.HasPrefix(f.Event.Name, "pull_request"))
}

// askedGitHub reports whether somebody asked GitHub about the pull request, with or without an answer.
func askedGitHub(f *evidence.Facts) bool {
	_, lacking := lacking(f, evidence.WantedPullRequest, "")
	return f.GitHub != nil || lacking
}

// lacking is what the collector wrote down about a fact that it could not have: the entry about somebody, else one that
// is about nobody in particular.
func lacking(f *evidence.Facts, kind evidence.Wanted, about string) (evidence.Unavailable, bool) {
	var general evidence.Unavailable
	found := false
	for _, u := range f.Unavailable {
		switch {
		case u.What != kind:
		case about != "" && evidence.FoldLogin(u.About) == evidence.FoldLogin(about):
			return u, true
		case !found && (u.About == "" || about == ""):
			general, found = u, true
		}
	}
	return general, found
}

// permissions are what a token needs for a kind of fact, where the collector does not say.
var permissions = map[evidence.Wanted]string{
	evidence.WantedPullRequest: "run the gate again; a person may give the gate's job the permission pull-requests: read",
	evidence.WantedCommits:     "run the gate again; a person may give the gate's job the permission pull-requests: read; of more than 250 commits GitHub does not list all",
	evidence.WantedReviews:     "run the gate again; a person may give the gate's job the permission pull-requests: read",
	evidence.WantedLabelEvents: "run the gate again; a person may give the gate's job the permission issues: read",
	evidence.WantedComments:    "run the gate again; a person may give the gate's job the permission issues: read",
	evidence.WantedPeople:      "run the gate again; a person may give the gate a token that may read who has which permission in the repository",
	evidence.WantedSameHead:    "run the gate again; a person may give the gate's job the permission pull-requests: read",
	evidence.WantedTeams:       "run the gate again; a person may give the gate a token that may read the organisation's members; the workflow's own cannot",
}

// reportLacking reports that a check needs a fact which nobody has. about is a login, or says what of the kind.
func reportLacking(p *check.Pass, kind evidence.Wanted, about, message string) {
	f := check.Finding{
		Code: "facts.unavailable", Severity: evidence.Unknown, Message: message, Input: check.Facts, Expected: "this fact in facts.json",
		Actual: "nothing", Fix: permissions[kind], Evidence: []string{string(kind), about},
	}
	if u, found := lacking(p.Facts, kind, about); found {
		f.Actual = u.Error
		if u.Fix != "" {
			f.Fix = u.Fix
		}
	}
	if f.Fix == "" {
		f.Fix = "run the gate again; a person may see that the collector can learn it"
	}
	p.Report(f)
}

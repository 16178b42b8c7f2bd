package present

import (
	"testing"

	"github.com/closeout-gate/closeout/internal/present/page"
	"github.com/closeout-gate/closeout/internal/testkit/pagetest"
	"github.com/closeout-gate/closeout/verify/report"
)

// everyField is a report in which every field of every list is set.
func everyField() *report.Report {
	r := group()
	let := overridden()
	r.Verdict, r.Override, r.OverrideRefused, r.OverrideCode = report.Overridden, let.Override, let.OverrideRefused, new("code")
	r.Subject.PullRequest = new(int64(318))
	r.Findings[0].Rule, r.Findings[0].Location.Path = "closeout/test-skipped", "a.go"
	r.Findings = append(r.Findings, finding("facts.unavailable", unknown, "m", report.Location{}, "e", "a", "f"))
	r.Acceptance[0].KeptFrom, r.Companions[0].KeptFrom = new("why"), new("why")
	return r
}

// notOnPage are the texts of a report that a page does not show as they are.
var notOnPage = []string{
	".Schema", ".Settings.Task", ".Settings.Today", ".Settings.Event", ".Settings.Digests", ".Settings.Override.", ".Checks.", ".Files.PathBase64",
	".Findings.Location.Input", ".Findings.Fingerprint", ".Findings.Contract.Input", ".Findings.Criterion", ".Acceptance.DecidedBy.", ".Acceptance.Expect",
	".Cross.Tree", ".Override.Accepted", ".OverrideReason", ".OverriddenBy", ".Subject.MergeBaseSHA",
	".PullRequests.OverrideCode", ".PullRequests.Override.ActorID", ".PullRequests.Override.At", ".PullRequests.Override.Label", ".PullRequests.Override.HeadSHA", ".PullRequests.Override.Accepted",
}

func TestHostileTexts(t *testing.T) {
	pagetest.CheckHostile(t, func(change func(v any)) string {
		r := everyField()
		change(r)
		r.Verdict = report.Overridden
		for i := range r.Findings {
			r.Findings[i].Severity = severities[i%4]
		}
		return render(t, "html", r, Options{LinkBase: pagetest.LinkBase})
	}, func(s string) string { return page.Visible(page.Limited(s)) }, notOnPage, []string{".Verdict", ".Findings.Severity"})
}

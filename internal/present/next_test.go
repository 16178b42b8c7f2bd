package present

import (
	"slices"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify/report"
)

// TestWhoMayOverride: overrides are not mentioned without a pull request, and where no label can help.
func TestWhoMayOverride(t *testing.T) {
	code, number := "abcd-efgh", int64(7)
	r := &report.Report{
		Verdict: report.Failed, OverrideCode: &code, Counts: report.Counts{Block: 1}, Subject: report.Subject{PullRequest: &number},
		Findings: []report.Finding{{Code: "scope.forbidden", Severity: "block"}}, Settings: report.Settings{Override: &report.Rule{Permission: "admin"}},
	}
	if line := overrideLine(r); !strings.Contains(line, code) || overrideNever(r) != "" {
		t.Errorf("got %q and %q in a pull request", line, overrideNever(r))
	}
	if who := overrideWho(r); !strings.Contains(who, "at least admin permission") {
		t.Errorf("got %q", who)
	}
	r.Settings.Override.Never = []string{"scope.forbidden"}
	if line := overrideLine(r); line != "" || !strings.Contains(overrideNever(r), "scope.forbidden") {
		t.Errorf("got %q and %q for a code under override.never", line, overrideNever(r))
	}
	r.Settings.Override.Never, r.Subject.PullRequest = nil, nil
	if line := overrideLine(r); line != "" {
		t.Errorf("got %q outside a pull request", line)
	}
	r.Subject.PullRequest, r.Settings.Override = &number, nil
	if line := overrideLine(r); line != "" || overrideNever(r) != "" {
		t.Errorf("got %q where no contract says who may", line)
	}
}

// TestWhatOnlyFollows: without a contract there is one thing to do first; with one, missing evidence has a fix of its own.
func TestWhatOnlyFollows(t *testing.T) {
	missing := report.Finding{Code: "contract.missing", Severity: "block", Fix: "run closeout init"}
	r := &report.Report{Verdict: report.Failed, Counts: report.Counts{Block: 4}, Findings: []report.Finding{
		{Code: "feedback.missing", Severity: "block", Fix: "record them"},
		{Code: "rules.missing", Severity: "block", Fix: "run the rules"},
		missing,
		{Code: "diff.malformed", Severity: "block", Fix: "correct it"},
	}}
	if got := textOf(t, r); !strings.HasPrefix(got, "block contract.missing") || strings.Count(got, "→") != 2 ||
		!strings.Contains(got, "closeout explain contract.missing") {
		t.Errorf("got %q", got)
	}
	var b strings.Builder
	if agentList(&b, r); strings.Contains(b.String(), "feedback.missing") || !strings.Contains(b.String(), "2. diff.malformed") {
		t.Errorf("the agent gets %q", b.String())
	}
	r.Findings = slices.Delete(r.Findings, 2, 3)
	if got := textOf(t, r); strings.Count(got, "→") != 3 {
		t.Errorf("with a contract: got %q", got)
	}
}

// TestEachFixOnce: a text says each fix beside its finding, and nowhere else.
func TestEachFixOnce(t *testing.T) {
	r := &report.Report{Verdict: report.Review, Findings: []report.Finding{{Code: "cross.changed", Severity: "unknown", Fix: "make it pass"}}}
	if got := textOf(t, r); strings.Count(got, "make it pass") != 1 || !strings.Contains(got, "closeout explain cross.changed") {
		t.Errorf("got %q", got)
	}
}

func textOf(t *testing.T, r *report.Report) string {
	t.Helper()
	var b strings.Builder
	if err := writeText(&b, r, Options{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

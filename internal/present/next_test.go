package present

import (
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

// TestFixesAreSentences: each step ends with one mark, whether its fix is advice or a question.
func TestFixesAreSentences(t *testing.T) {
	r := &report.Report{Counts: report.Counts{Block: 2}, Findings: []report.Finding{
		{Code: "contract.malformed", Severity: "block", Fix: "add it"},
		{Code: "contract.malformed", Severity: "block", Fix: "did you mean it?"},
	}}
	steps := fixSteps(r, block, Line)
	if len(steps) != 2 || !strings.HasSuffix(steps[0], ": add it.") || !strings.HasSuffix(steps[1], ": did you mean it?") {
		t.Errorf("got %q", steps)
	}
}

// TestWhatOnlyFollows: without a contract there is one thing to do first; with one, missing evidence is a step of its own.
func TestWhatOnlyFollows(t *testing.T) {
	missing := report.Finding{Code: "contract.missing", Severity: "block", Fix: "run closeout init"}
	r := &report.Report{Counts: report.Counts{Block: 4}, Findings: []report.Finding{
		missing,
		{Code: "diff.malformed", Severity: "block", Fix: "correct it"},
		{Code: "feedback.missing", Severity: "block", Fix: "record them"},
		{Code: "rules.missing", Severity: "block", Fix: "run the rules"},
	}}
	if steps := fixSteps(r, block, Line); len(steps) != 2 || !strings.Contains(steps[0], "closeout init") || !strings.Contains(steps[1], "correct it") {
		t.Errorf("got %q", steps)
	}
	var b strings.Builder
	if agentList(&b, r); strings.Contains(b.String(), "feedback.missing") || !strings.Contains(b.String(), "2. diff.malformed") {
		t.Errorf("the agent gets %q", b.String())
	}
	if r.Findings[0].Code = "contract.malformed"; len(fixSteps(r, block, Line)) != 2 {
		t.Errorf("with a malformed contract: got %q", fixSteps(r, block, Line))
	}
	r.Findings, r.Counts.Block = r.Findings[1:], 3
	if steps := fixSteps(r, block, Line); len(steps) != 3 {
		t.Errorf("with a contract: got %q", steps)
	}
}

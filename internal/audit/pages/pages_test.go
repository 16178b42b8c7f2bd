package pages

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify/report"
)

// hostileAudit has a formula, an escape sequence and a workflow command in every foreign text.
func hostileAudit() *report.Audit {
	bad := "=cmd|'/c calc'!A1\x1b[31m\n::error::x \u202e##[group]\""
	seq := int64(3)
	d := report.AuditDecision{
		Seq: 3, Kind: "decision", Commit: strings.Repeat("a", 40), Date: "2026-03-01", PullRequests: []string{"7"}, Verdict: "overridden", Mode: "enforce",
		Binding: "exact", Replay: "same", Version: "0.2.0", Overrides: []report.AuditOverride{{Actor: "+" + bad, Reason: "-" + bad, Codes: []string{"scope.off_scope"}}},
	}
	a := &report.Audit{
		Schema: report.AuditSchema, Tool: report.Tool{Name: "closeout", Version: "0.2.0"},
		Subject: report.AuditSubject{Branch: bad, To: d.Commit, Adopted: &d.Commit, Archive: &d.Commit, Entries: 2, Replayed: 1, Decisions: 1, Commits: 1},
		Counts:  report.AuditCounts{Block: 60, Unknown: 1},
		Commits: []report.AuditCommit{{Commit: d.Commit, Date: d.Date, State: "decision", Entry: &d, Finding: "audit.overridden"}, {Commit: "@x", Date: "\tx", State: "missing"}},
	}
	for i := range 60 {
		a.Findings = append(a.Findings, report.AuditFinding{
			Code: "audit.unbound", Severity: "block", Message: bad, Commit: fmt.Sprintf("%040d", i), Date: d.Date, PullRequests: []string{bad}, Seq: &seq, Path: bad,
			Expected: bad, Actual: bad, Fix: bad, Fingerprint: strings.Repeat("0", 64),
		})
	}
	return a
}

func writtenAudit(t *testing.T, a *report.Audit, format string) string {
	t.Helper()
	var b strings.Builder
	if err := Write(&b, a, format); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestAuditText wants the answer first, at most 50 findings of a severity, and nothing that moves a cursor.
func TestAuditText(t *testing.T) {
	text := writtenAudit(t, hostileAudit(), "text")
	if !strings.HasPrefix(text, "audit: 60 merges cannot be accounted for\nrests on: the archive aaaaaaaaaaaa with 2 entries, alone;") {
		t.Errorf("it begins with %.300s", text)
	}
	if n := strings.Count(text, "block audit.unbound"); n != 50 || !strings.Contains(text, "and 10 more of severity block\n") {
		t.Errorf("%d findings are shown:\n%.500s", n, text)
	}
	if strings.ContainsAny(text, "\x1b\u202e") || strings.Contains(text, "\n::") || strings.Contains(text, "##[g") {
		t.Errorf("foreign text is not neutral:\n%.800s", text)
	}
}

// TestAuditSentences wants the sentence that fits what was found.
func TestAuditSentences(t *testing.T) {
	commit := strings.Repeat("b", 40)
	for want, change := range map[string]func(*report.Audit){
		"1 merge accounted for":   func(a *report.Audit) {},
		"the branch has no gate":  func(a *report.Audit) { a.Subject.Adopted, a.Commits = nil, nil },
		"not everything could be": func(a *report.Audit) { a.Counts.Unknown = 1 },
		"answers for no commit":   func(a *report.Audit) { a.Commits[0].State = "pending" },
		"1 commit newer than the": func(a *report.Audit) { a.Commits = append(a.Commits, report.AuditCommit{State: "pending"}) },
		"archive is not as it was": func(a *report.Audit) {
			a.Findings = []report.AuditFinding{{Severity: "block", Code: "audit.log_broken"}}
		},
		"0 merges accounted for; 1 merge not judged": func(a *report.Audit) { a.Commits[0].Entry.Verdict = report.NotJudged },
		"1 merge accounted for; 2 commits newer": func(a *report.Audit) {
			second := report.AuditCommit{Commit: strings.Repeat("c", 40), State: "decision", Entry: a.Commits[0].Entry}
			a.Commits = append(a.Commits, second, report.AuditCommit{State: "pending"}, report.AuditCommit{State: "pending"})
		},
		"1 merge and 2 commits cannot be": func(a *report.Audit) { // one finding about a middle commit of a merge, a push and a missing one
			push, missing := strings.Repeat("d", 40), strings.Repeat("e", 40)
			middle := report.AuditCommit{Commit: strings.Repeat("c", 40), State: "decision", Entry: a.Commits[0].Entry}
			a.Commits = append(a.Commits, middle, report.AuditCommit{Commit: missing, State: "missing"},
				report.AuditCommit{Commit: push, State: "gap", Entry: &report.AuditDecision{Commit: push, Why: "no_pull_request"}})
			for _, c := range []string{middle.Commit, push, missing} {
				a.Findings = append(a.Findings, report.AuditFinding{Severity: "block", Commit: c})
			}
		},
		"1 merge cannot be": func(a *report.Audit) {
			a.Findings = []report.AuditFinding{{Severity: "block", Code: "audit.gap", Commit: commit}, {Severity: "block", Code: "audit.unbound", Commit: commit}}
		},
	} {
		a := &report.Audit{
			Subject: report.AuditSubject{Adopted: &commit},
			Commits: []report.AuditCommit{{Commit: commit, State: "decision", Entry: &report.AuditDecision{Commit: commit, Verdict: report.Passed}}},
		}
		change(a)
		if line, _, _ := strings.Cut(writtenAudit(t, a, "text"), "\n"); !strings.Contains(line, want) {
			t.Errorf("%q does not contain %q", line, want)
		}
	}
}

// TestAuditCSV wants a line for each commit, and no cell that a spreadsheet executes.
func TestAuditCSV(t *testing.T) {
	text := writtenAudit(t, hostileAudit(), "csv")
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(rows) != 3 || !strings.Contains(text, "\r\n") {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for _, row := range rows {
		for _, c := range row {
			if c != "" && strings.ContainsRune("=+-@\t\r", rune(c[0])) || strings.ContainsAny(c, "\x1b\n\u202e") {
				t.Errorf("a cell is %q", c)
			}
		}
	}
	if !strings.HasPrefix(rows[1][12], "'+=cmd") || !strings.HasPrefix(rows[1][13], "'-=cmd") || rows[2][0] != "'@x" {
		t.Errorf("the rows are %q", rows[1:])
	}
}

// TestAuditJSON wants lists instead of null.
func TestAuditJSON(t *testing.T) {
	text := writtenAudit(t, &report.Audit{}, "json")
	if !json.Valid([]byte(text)) || strings.Contains(strings.ReplaceAll(strings.ReplaceAll(text, `"verdicts":null`, ""), `:null,"`, ""), "[null") {
		t.Error(text)
	}
	for _, list := range []string{"findings", "decisions", "series", "changes", "people", "overridden_codes", "repeated_reasons", "flaky_criteria"} {
		if !strings.Contains(text, `"`+list+`":[]`) {
			t.Errorf("%s is not an empty list: %s", list, text)
		}
	}
}

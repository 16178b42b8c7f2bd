package present

import (
	"fmt"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/testkit/pagetest"
	"github.com/closeout-gate/closeout/verify/report"
)

// base is a report of a small, real-looking pull request, with nothing wrong in it.
func base() *report.Report {
	return &report.Report{
		Schema: report.Schema, TaskID: new("T-042"), Passed: true, Verdict: report.Passed, Mode: "enforce",
		Subject: report.Subject{
			Repository: new("acme/shop"), PullRequest: new(int64(318)), HeadSHA: new(pagetest.Digest("head")[:40]),
			BaseSHA: new(pagetest.Digest("base")[:40]), MergeBaseSHA: new(pagetest.Digest("base")[:40]), CodeTree: new(pagetest.Digest("tree")[:40]),
			ChangesFrom: new("git"),
		},
		Settings: report.Settings{EvidenceMin: "recorded", Digests: []string{pagetest.Digest("log")}, Override: &report.Rule{
			Label: "closeout-override", Permission: "maintain", Users: []string{"mona"}, Teams: []string{"release"}, Binding: "code",
		}},
		Checks:   []report.Check{{ID: "acceptance", Outcome: "passed"}, {ID: "scope", Outcome: "passed"}},
		Findings: []report.Finding{},
		Counts:   report.Counts{Files: 4, Records: 17},
		Acceptance: []report.Acceptance{
			{ID: "unit", Run: []string{"go", "test", "./..."}, Cwd: ".", Expect: "pass", Outcome: "passed", Level: "recorded",
				Attempts: 2, Tests: new(int64(214)), DecidedBy: []report.Decision{{Path: "feedback_record.jsonl", Line: 16, SHA256: pagetest.Digest("16")}}},
			{ID: "lint", Run: []string{"npm", "run", "lint"}, Cwd: "web", Expect: "pass", Outcome: "passed", Level: "recorded",
				Attempts: 1, DecidedBy: []report.Decision{{Path: "feedback_record.jsonl", Line: 17, SHA256: pagetest.Digest("17")}}},
		},
		Approvals: []string{}, OverrideRefused: []report.Refusal{},
		Companions: []report.Companion{{Kind: "rules", Path: ".closeout/evidence/rule_report.json", Level: "recorded"}},
		Files: []report.File{
			{Path: ".closeout/evidence/feedback_record.jsonl", Status: "added", Class: "evidence", NewMode: "100644"},
			{Path: "internal/cart/cart.go", Status: "modified", Class: "allowed", OldMode: "100644", NewMode: "100644"},
			{Path: "internal/cart/cart_test.go", Status: "modified", Class: "allowed", OldMode: "100644", NewMode: "100644"},
			{Path: "web/cart.ts", Status: "modified", Class: "allowed", OldMode: "100644", NewMode: "100644"},
		},
		Inputs: []report.Input{
			{Kind: "contract", Path: ".closeout/scope_contract.json", Ref: new(pagetest.Digest("base")[:40]), SHA256: pagetest.Digest("contract"), Bytes: 1204, Trust: "base"},
			{Kind: "feedback", Path: ".closeout/evidence/feedback_record.jsonl", SHA256: pagetest.Digest("log"), Bytes: 48213, Trust: "head"},
			{Kind: "changes", Path: "changes.json", SHA256: pagetest.Digest("changes"), Bytes: 912, Trust: "git"},
		},
		Tool: report.Tool{Name: "closeout", Version: "0.1.0"},
	}
}

// failed is what a developer sees most: some findings of every severity.
func failed() *report.Report {
	r := base()
	r.Passed, r.Verdict, r.OverrideCode = false, report.Failed, new("k7f3-3q2d-ab5c-mnop-zyx7-2222")
	r.Counts = report.Counts{Block: 3, Warn: 1, Info: 2, Files: 6, Records: 17}
	r.Approvals = []string{"any new dependency (package.json, go.mod)"}
	r.Cross = []report.Cross{
		{Criterion: "unit", Tree: "old_tests", Outcome: "failed", Level: "recorded", Cases: report.CrossCases{Base: 298, Passed: 295, Failed: 3},
			Shown: "3 of 298 fail, 1 of them is gone now: internal/cart/cart_test.go:44 TestDiscount"},
		{Criterion: "lint", Tree: "old_tests", Outcome: "not_needed", Level: "absent", Shown: "no test was edited"},
	}
	r.Acceptance[1].Outcome, r.Acceptance[1].Attempts = "failed", 2
	r.Acceptance = append(r.Acceptance, report.Acceptance{ID: "race", Run: []string{"bash", "-c", "go test -race ./... | tee race.log"},
		Cwd: ".", Expect: "pass", Outcome: "failed", Level: "absent", KeptFrom: new("no record has this command and directory"), DecidedBy: []report.Decision{}})
	r.Files = append([]report.File{r.Files[0], {Path: ".github/workflows/ci.yml", Status: "modified", Class: "protected", OldMode: "100644", NewMode: "100644"},
		{Path: "docs/cart.md", Status: "modified", Class: "soft", OldMode: "100644", NewMode: "100755"}}, r.Files[1:]...)
	r.Findings = []report.Finding{
		finding("acceptance.failed", block, `criterion "lint" failed: its last record exited with 1`,
			report.Location{Input: "feedback", Path: ".closeout/evidence/feedback_record.jsonl", Line: 17, Column: 1},
			"exit code 0", "exit code 1 after 2 attempts", `make "npm run lint" pass in web, then record it again`),
		finding("acceptance.missing", block, `criterion "race" has no record`, report.Location{},
			"a record of bash -c 'go test -race ./... | tee race.log'", "no record with this command and directory",
			"run the command through the recorder after the last edit"),
		finding("scope.protected", block, "a file that decides what the checks do was changed", report.Location{Path: ".github/workflows/ci.yml"},
			`no change to ".github/workflows/**"`, "modified", "take the change out, or have it made in a pull request of its own"),
		finding("acceptance.flaky", warn, `criterion "unit" failed before it passed`,
			report.Location{Input: "feedback", Path: ".closeout/evidence/feedback_record.jsonl", Line: 9, Column: 1},
			"every record green", "exit code 2 at line 9, exit code 0 at line 16", "find out why the first run failed"),
		finding("feedback.nonzero_exit", info, "another command exited with 1",
			report.Location{Input: "feedback", Path: ".closeout/evidence/feedback_record.jsonl", Line: 4, Column: 1}, "", "go vet ./...", ""),
		finding("scope.soft", info, "a documentation file outside the scope of the task was changed", report.Location{Path: "docs/cart.md"},
			`a path of "internal/cart/**" or "web/**"`, "modified", ""),
	}
	r.Findings[4].Times = 3
	contract := func(line int) *report.Location {
		return &report.Location{Path: ".closeout/scope_contract.json", Line: line, Column: 5}
	}
	r.Findings[0].Criterion, r.Findings[0].Contract = "lint", contract(9)
	r.Findings[0].Output = &report.Output{Stream: "stdout", Error: "cart.ts:12:3: error: 'total' is never used", Lines: []string{
		"> eslint .", "", "cart.ts:12:3: error: 'total' is never used", "1 problem (1 error, 0 warnings)",
	}}
	r.Findings[1].Criterion, r.Findings[1].Contract = "race", contract(10)
	r.Findings[2].Contract, r.Findings[3].Criterion = contract(4), "unit"
	return r
}

func finding(code, severity, message string, at report.Location, expected, actual, fix string) report.Finding {
	return report.Finding{Code: code, Severity: severity, Message: message, Location: at, Expected: expected, Actual: actual,
		Fix: fix, Fingerprint: pagetest.Digest(code + at.Path), Times: 1}
}

// overridden is the failed report after an override, with one refused label.
func overridden() *report.Report {
	r := failed()
	r.Passed, r.Verdict = true, report.Overridden
	reason := "CI file must move with the cart release, reviewed in the release call k7f3-3q2d-ab5c-mnop-zyx7-2222"
	r.Override = &report.Override{Actor: "mona", ActorID: "583231", At: "2026-11-03T09:12:44Z", Label: "closeout-override",
		Reason: reason, HeadSHA: *r.Subject.HeadSHA}
	r.OverrideReason, r.OverriddenBy = &reason, new("mona")
	for i := range r.Findings[:3] {
		r.Findings[i].Overridden = true
		r.Override.Accepted = append(r.Override.Accepted, r.Findings[i].Fingerprint)
	}
	r.OverrideRefused = []report.Refusal{{Label: "closeout-override", Actor: "shop-agent[bot]", Condition: "person",
		Why: "shop-agent[bot] is a bot; a person with at least maintain permission, who has no part in the pull request, can add the label"}}
	return r
}

// review is a report of a run that could not get its facts.
func review() *report.Report {
	r := base()
	r.Passed, r.Verdict, r.Mode = false, report.Review, "observe"
	r.Counts.Unknown = 2
	r.Findings = []report.Finding{
		finding("diff.incomplete", unknown, "the checkout does not contain all objects of the comparison", report.Location{},
			"every tree between merge base and head", "the clone is shallow and ends before the merge base", "set fetch-depth: 0 in the checkout step"),
		finding("facts.unavailable", unknown, "the reviews of the pull request could not be read", report.Location{Input: "facts"},
			"a list of reviews", "HTTP 503 from the API", "run the job again"),
	}
	return r
}

// hostile is a report in which everything that an attacker writes is an attack.
func hostile() *report.Report {
	r := failed()
	pick := func(i int) string { return pagetest.Hostile[i%len(pagetest.Hostile)] }
	r.TaskID, r.Settings.Task = new(pick(0)), new(pick(0))
	r.Subject.Repository = new("acme/shop\n::error::x")
	r.Findings, r.Files, r.Acceptance, r.Inputs, r.Companions = nil, nil, nil, nil, nil
	for i := range pagetest.Hostile {
		f := finding("rule.failed", severities[i%4], pick(i), report.Location{Path: pick(i + 1), Line: i % 3, Column: i % 2},
			pick(i+2), pick(i+3), pick(i+4))
		f.Criterion, f.Contract = pick(i), &report.Location{Path: pick(i + 2), Line: i % 2}
		f.Output = &report.Output{Stream: pick(i), Lines: []string{pick(i), pick(i + 1), "```", "    ```", "</details>"}, Error: pick(i + 2)}
		if i == 0 {
			f.Code = "x::error::##[error]`"
		}
		r.Findings = append(r.Findings, f)
		r.Files = append(r.Files, report.File{Path: pick(i), Status: pick(i + 1), Class: "off_scope", OldMode: "100644", NewMode: pick(i + 2)})
		r.Acceptance = append(r.Acceptance, report.Acceptance{ID: pick(i), Run: []string{pick(i + 1), pick(i + 2)}, Cwd: pick(i + 3),
			Expect: "fail", Outcome: "failed", Level: "claimed", KeptFrom: new(pick(i + 4)), Attempts: int64(i)})
		r.Inputs = append(r.Inputs, report.Input{Kind: "feedback", Path: pick(i), Ref: new(pick(i + 1)), SHA256: pick(i + 2), Trust: pick(i + 3)})
		r.Companions = append(r.Companions, report.Companion{Kind: pick(i), Path: pick(i + 1), Level: pick(i + 2), KeptFrom: new(pick(i + 3))})
		r.OverrideRefused = append(r.OverrideRefused, report.Refusal{Label: pick(i), Actor: pick(i + 1), Condition: pick(i + 2), Why: pick(i + 3)})
	}
	r.Approvals = pagetest.Hostile
	r.Settings.Override = &report.Rule{Label: pick(9), Permission: pick(0), Users: []string{pick(5), pick(8)}, Teams: []string{pick(11)}, AllowAuthor: true}
	r.Counts = report.Counts{Block: 300, Unknown: 10, Warn: 9, Info: 9, Files: len(r.Files), Records: 3}
	r.FindingsOmitted = 290
	return r
}

// hostileOverride is a human's override whose words attack.
func hostileOverride() *report.Report {
	r := overridden()
	for _, e := range pagetest.Hostile[:4] {
		r.Override.Reason += e
	}
	r.Override.Actor, r.Override.At, r.Override.Label = pagetest.Hostile[5], pagetest.Hostile[0], pagetest.Hostile[4]
	r.Override.HeadSHA, r.OverrideReason = pagetest.Hostile[8], &r.Override.Reason
	return r
}

// usage is what a wrong flag leaves behind.
func usage() *report.Report {
	r := base()
	r.TaskID, r.Passed, r.Verdict, r.Mode = nil, false, report.Failed, "observe"
	r.Subject, r.Acceptance, r.Files, r.Inputs, r.Companions, r.Checks = report.Subject{}, []report.Acceptance{}, []report.File{}, []report.Input{}, []report.Companion{}, []report.Check{}
	r.Counts = report.Counts{Block: 1}
	r.Findings = []report.Finding{finding("usage.invalid", block, `unknown flag "--strikt"`, report.Location{}, "a flag of verify", "--strikt", "did you mean --strict?")}
	return r
}

// group is a merge group that fails for what is its own and for what is a pull request's, while another one was let
// through.
func group() *report.Report {
	r := failed()
	r.TaskID, r.Subject.PullRequest, r.OverrideCode = new("merge-group"), nil, nil
	r.Acceptance[2].PullRequest = new(int64(320))
	r.Findings[2].Location.PullRequest = 319
	let := finding("scope.off_scope", block, "this file is outside the scope of the task", report.Location{Path: "db/schema.sql", PullRequest: 318},
		"only files that every contract allows: web/**", "modified (mode 100644)", "revert this file")
	let.Overridden = true
	r.Findings, r.Counts.Block = append(r.Findings, let), 4
	pull := func(number int64, task, verdict string, counts report.PullRequestCounts) report.PullRequest {
		return report.PullRequest{
			Number: number, TaskID: new(task), HeadSHA: new(pagetest.Digest(task)[:40]), Verdict: verdict, Counts: counts, OverrideRefused: []report.Refusal{},
		}
	}
	r.PullRequests = []report.PullRequest{
		pull(318, "pr-318", report.Overridden, report.PullRequestCounts{Block: 1, Files: 2}),
		pull(319, "pr-319", report.Failed, report.PullRequestCounts{Block: 1, Warn: 1, Files: 3}),
		pull(320, "T-042", report.Passed, report.PullRequestCounts{Files: 1}),
	}
	r.PullRequests[0].OverrideCode, r.PullRequests[1].OverrideCode = new("phik-vgew-qczt-e2td-jqxe-icb4"), new("k7f3-3q2d-ab5c-mnop-zyx7-2222")
	r.PullRequests[0].Override = &report.Override{Actor: "mona", ActorID: "7", At: "2026-03-01T10:00:00Z", Label: "closeout-override",
		Reason: "phik-vgew-qczt-e2td-jqxe-icb4 the migration needs the new column", HeadSHA: pagetest.Digest("pr-318")[:40], Accepted: []string{let.Fingerprint}}
	r.PullRequests[1].OverrideRefused = []report.Refusal{{Label: "closeout-override", Actor: "shop-agent", Condition: "author", Why: "shop-agent is the author of the pull request"}}
	return r
}

// hostileGroup is a merge group whose every text attacks.
func hostileGroup() *report.Report {
	r := hostile()
	r.Subject.PullRequest, r.OverrideCode = nil, nil
	r.PullRequests = []report.PullRequest{}
	for i := range pagetest.Hostile {
		pick := func(n int) string { return pagetest.Hostile[(i+n)%len(pagetest.Hostile)] }
		p := report.PullRequest{
			Number: int64(i + 1), TaskID: new(pick(0)), HeadSHA: new(pick(1)), Verdict: report.Failed, Counts: report.PullRequestCounts{Block: 1},
			OverrideCode: new(pick(2)), OverrideRefused: []report.Refusal{{Label: pick(3), Actor: pick(4), Condition: pick(5), Why: pick(6)}},
		}
		if i%2 == 0 {
			p.Verdict = pick(7)
			p.Override = &report.Override{Actor: pick(8), Reason: pick(9), At: pick(0), Label: pick(1), HeadSHA: pick(2)}
		}
		r.PullRequests = append(r.PullRequests, p)
	}
	return r
}

// fixture is a report and the verdict and name of its goldens.
type fixture struct {
	name    string
	verdict string
	report  *report.Report
}

func fixtures() []fixture {
	return []fixture{
		{"plain", "passed", base()},
		{"realistic", "failed", failed()},
		{"hostile", "failed", hostile()},
		{"usage", "failed", usage()},
		{"realistic", "overridden", overridden()},
		{"hostile", "overridden", hostileOverride()},
		{"realistic", "review", review()},
		{"group", "failed", group()},
		{"hostile-group", "failed", hostileGroup()},
	}
}

// manyFindings returns a failed report with n findings of one severity.
func manyFindings(severity string, n int) *report.Report {
	r := base()
	r.Passed, r.Verdict = false, report.Failed
	for i := range n {
		r.Findings = append(r.Findings, finding("scope.off_scope", severity, "a file outside the scope was changed",
			report.Location{Path: fmt.Sprintf("other/%03d.go", i)}, "", "", "take it out"))
	}
	switch severity {
	case block:
		r.Counts.Block = n
	case warn:
		r.Counts.Warn = n
	case info:
		r.Counts.Info = n
	}
	return r
}

// render presents r and fails the test on an error.
func render(t testing.TB, format string, r *report.Report, o Options) string {
	t.Helper()
	f, err := FormatNamed(format)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := f.Write(&b, r, o); err != nil {
		t.Fatalf("%s: %v", format, err)
	}
	return b.String()
}

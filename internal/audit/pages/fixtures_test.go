package pages

import (
	"fmt"
	"slices"

	"github.com/closeout-gate/closeout/internal/testkit/pagetest"
	"github.com/closeout-gate/closeout/verify/report"
)

// weekDay is the first day of week i. Every month has four weeks here, so that no test needs a calendar.
func weekDay(i int) string {
	return fmt.Sprintf("%04d-%02d-%02d", 2024+i/48, i/4%12+1, i%4*7+1)
}

// audited is an audit of that many weeks with that many decisions each. Nothing in it is by chance.
func audited(weeks, decisions int) *report.Audit {
	a := &report.Audit{
		Schema: report.AuditSchema, Tool: report.Tool{Name: "closeout", Version: "0.4.0"},
		Subject: report.AuditSubject{
			Branch: "main", From: new(pagetest.Digest("from")[:40]), To: pagetest.Digest("to")[:40], Adopted: new(pagetest.Digest("from")[:40]), BeforeGate: 212,
			Archive: new(pagetest.Digest("archive")[:40]), Kept: new(pagetest.Digest("kept")[:40]), Replayed: 40,
		},
		Statistics: report.AuditStatistics{Verdicts: map[string]int{}},
	}
	for week := range weeks {
		addWeek(a, week, decisions)
	}
	slices.Reverse(a.Decisions)
	total := a.Statistics.Verdicts
	a.Subject.Decisions = total[report.Passed] + total[report.Overridden] + total[report.Failed]
	a.Subject.NotJudged, a.Subject.AsOf = total[report.NotJudged], weekDay(weeks)
	a.Subject.Merges = a.Subject.Decisions + a.Subject.NotJudged + total["gap"]
	a.Subject.Commits, a.Subject.Entries = a.Subject.Merges+total["missing"], int64(a.Subject.Merges)
	a.Statistics.OverrideShare = 10_000 * total[report.Overridden] / max(a.Subject.Decisions, 1)
	if a.Statistics.OverrideShare > 0 {
		addPeople(a)
	}
	return a
}

// addWeek adds a week: each third one has an override, each ninth a gap, each eleventh a missing commit.
func addWeek(a *report.Audit, week, decisions int) {
	day := weekDay(week)
	of := report.AuditPeriod{From: day, Levels: report.AuditLevels{Recorded: decisions * 2, Bound: week % 5, Claimed: week % 3, Absent: week % 2}}
	for i := range decisions {
		d := report.AuditDecision{
			Seq: int64(len(a.Decisions)), Kind: "decision", Commit: pagetest.Digest(day + fmt.Sprint(i))[:40], Commits: 1, Date: day, PullRequests: []string{fmt.Sprint(100 + len(a.Decisions))},
			HeadSHA: new(pagetest.Digest(fmt.Sprint(i))[:40]), Verdict: report.Passed, Mode: "enforce", Binding: report.BindingExact, Replay: "same", Version: "0.4.0",
		}
		switch {
		case i == 0 && week%3 == 1:
			d.Verdict, of.Overridden = report.Overridden, of.Overridden+1
			d.Overrides = []report.AuditOverride{{Actor: "mona", ActorID: "583231", Reason: "the migration must go out with the release", Codes: []string{"scope.off_scope"}, HeadSHA: *d.HeadSHA}}
		case i == 1 && week%9 == 2:
			d.Kind, d.Verdict, d.Mode, d.Why, d.Binding, d.HeadSHA, d.Replay, d.Version = "gap", "", "", "no_run", "", nil, "not_tried", ""
			of.Gaps++
			addFinding(a, "audit.gap", block, &d)
		case i == 3 && week%4 == 1:
			d.Verdict, of.NotJudged = report.NotJudged, of.NotJudged+1
		case i == 2 && week%13 == 4:
			d.Verdict, of.Failed = report.Failed, of.Failed+1
			addFinding(a, "audit.not_green", block, &d)
		default:
			of.Passed++
		}
		a.Decisions = append(a.Decisions, d)
		a.Commits = append(a.Commits, report.AuditCommit{Commit: d.Commit, Date: day, Subject: "Count the orders of week " + fmt.Sprint(week), Author: "shop-agent", State: d.Kind, Entry: &report.AuditDecision{Commit: d.Commit, Verdict: d.Verdict, Why: d.Why}})
	}
	if week%11 == 3 {
		of.Missing++
		a.Commits = append(a.Commits, report.AuditCommit{Commit: pagetest.Digest("missing" + day)[:40], Date: day, Subject: "Hotfix", Author: "zed", State: "missing"})
		addFinding(a, "audit.missing", block, &report.AuditDecision{Commit: pagetest.Digest("missing" + day)[:40], Date: day})
	}
	if week%7 == 2 {
		kind := []string{report.ChangeContract, report.ChangeWorkflow}[week/7%2]
		a.Changes = append(a.Changes, report.AuditChange{Kind: kind, Commit: pagetest.Digest("change" + day)[:40], Date: day, Text: "allowed_files has src/** too", Loosened: week%21 == 2})
	}
	for word, n := range map[string]int{report.Passed: of.Passed, report.Overridden: of.Overridden, report.Failed: of.Failed, report.NotJudged: of.NotJudged, "gap": of.Gaps, "missing": of.Missing} {
		a.Statistics.Verdicts[word] += n
	}
	a.Series = append(a.Series, of)
}

func addFinding(a *report.Audit, code, severity string, d *report.AuditDecision) {
	a.Counts.Block++
	f := report.AuditFinding{
		Code: code, Severity: severity, Message: "a commit reached main without a decision that can be shown", Commit: d.Commit, Date: d.Date, PullRequests: slices.Clone(d.PullRequests),
		Expected: "an entry of the archive with a decision", Actual: "none", Fix: "find out who merged it, and judge it again", Fingerprint: pagetest.Digest(code + d.Commit),
	}
	i, _ := slices.BinarySearchFunc(a.Findings, f, func(a, b report.AuditFinding) int {
		if a.Code == b.Code {
			return 1
		}
		return slices.Compare([]byte(a.Code), []byte(b.Code))
	})
	a.Findings = slices.Insert(a.Findings, i, f)
}

func addPeople(a *report.Audit) {
	s := &a.Statistics
	s.Codes = []report.AuditNumber{{Name: "scope.off_scope", Times: 31}, {Name: "scope.protected", Times: 17}, {Name: "acceptance.flaky", Times: 6}, {Name: "rule.failed", Times: 2}}
	s.People = []report.AuditPerson{
		{Actor: "mona", ActorID: "583231", Overrides: 24, Authors: []report.AuditNumber{{Name: "shop-agent[bot]", Times: 19}, {Name: "hubot", Times: 5}}},
		{Actor: "release-captain", ActorID: "77", Overrides: 9, Authors: []report.AuditNumber{{Name: "mona", Times: 9}}},
		{Actor: "zed", ActorID: "5", Overrides: 1, Authors: []report.AuditNumber{{Name: "hubot", Times: 1}}},
	}
	s.Reasons = []report.AuditNumber{{Name: "flaky test, see the channel", Times: 5}}
}

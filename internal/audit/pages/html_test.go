package pages

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/present"
	"github.com/closeout-gate/closeout/internal/present/page"
	"github.com/closeout-gate/closeout/internal/testkit/pagetest"
	"github.com/closeout-gate/closeout/verify/report"
)

// notOnAuditPage are the texts of an audit that its page does not show as they are.
var notOnAuditPage = []string{
	".Schema", ".Findings.Fingerprint", ".Findings.Seq",
	".Decisions.HeadSHA", ".Decisions.Kind", ".Decisions.Mode", ".Decisions.Why", ".Decisions.Overrides.ActorID", ".Decisions.Overrides.HeadSHA",
	".Statistics.People.ActorID", ".Statistics.People.Codes.", ".Commits.",
}

func TestHostileAudit(t *testing.T) {
	pagetest.CheckHostile(t, func(change func(v any)) string {
		a := audited(9, 4)
		change(a)
		for i := range a.Series {
			a.Series[i].From = weekDay(i)
		}
		for i := range a.Changes {
			a.Changes[i].Kind, a.Changes[i].Date = report.ChangeContract, weekDay(i)
		}
		return auditPageOf(t, a)
	}, func(s string) string { return page.Visible(page.Limited(s)) }, notOnAuditPage, []string{".Findings.Severity", ".Series.From", ".Changes.Kind", ".Changes.Date"})
}

// TestAuditPageSize: so does the page of an audit.
func TestAuditPageSize(t *testing.T) {
	usual, hostile := audited(500, 20), audited(500, 20)
	long := strings.Repeat("\u202e<", 3000)
	for i := range hostile.Decisions {
		d := &hostile.Decisions[i]
		d.PullRequests, d.Version = []string{long, long}, long
		d.Overrides = []report.AuditOverride{{Actor: long, Reason: long, Codes: []string{long}}}
	}
	for i := range hostile.Findings {
		hostile.Findings[i].Code, hostile.Findings[i].Message = fmt.Sprint(i, long), long
	}
	for range 5000 {
		hostile.Changes = append(hostile.Changes, report.AuditChange{Kind: report.ChangeContract, Date: weekDay(400), Text: long})
		hostile.Statistics.Codes = append(hostile.Statistics.Codes, report.AuditNumber{Name: long})
		hostile.Statistics.People = append(hostile.Statistics.People, report.AuditPerson{Actor: long, Authors: slices.Repeat([]report.AuditNumber{{Name: long}}, 9)})
		hostile.Statistics.Reasons = append(hostile.Statistics.Reasons, report.AuditNumber{Name: long})
	}
	for name, a := range map[string]*report.Audit{"usual": usual, "hostile": hostile, "empty": {}} {
		page := auditPageOf(t, a)
		t.Logf("%s: %d bytes", name, len(page))
		if len(page) > 1_500_000 {
			t.Errorf("%s: the page has %d bytes", name, len(page))
		}
		if again := auditPageOf(t, a); again != page {
			t.Errorf("%s: the page differs from run to run", name)
		}
	}
	rows := strings.Count(auditPageOf(t, usual), `<td class="n">`)
	if rows < pageDecisions {
		t.Errorf("%d rows with an entry, want at least %d", rows, pageDecisions)
	}
}

// TestChartsHaveFewBars: periods are joined, and nothing is lost by that.
func TestChartsHaveFewBars(t *testing.T) {
	for _, weeks := range []int{1, maxBars - 1, maxBars, maxBars + 1, 2 * maxBars, 2*maxBars + 1, 1000} {
		s := &series{}
		for i := range weeks {
			s.from, s.counts = append(s.from, weekDay(i)), append(s.counts, []int{1, i})
		}
		joined, size := s.joined(maxBars)
		all := 0
		for _, counts := range joined.counts {
			all += counts[0]
		}
		if len(joined.counts) > maxBars || len(joined.counts) < min(weeks, maxBars/2) || all != weeks || (size == 1) != (weeks <= maxBars) {
			t.Errorf("%d weeks: %d bars of %d weeks, %d in all", weeks, len(joined.counts), size, all)
		}
	}
}

func auditPageOf(t testing.TB, a *report.Audit) string {
	t.Helper()
	var b strings.Builder
	if err := writeHTML(&b, a); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func auditPagesOf(t testing.TB) map[string]string {
	pages := map[string]string{}
	for name, a := range audits() {
		pages["audit."+name] = auditPageOf(t, a)
	}
	return pages
}

func audits() map[string]*report.Audit {
	broken := audited(9, 4)
	broken.Series = nil
	return map[string]*report.Audit{"empty": {}, "week": audited(1, 3), "year": audited(46, 6), "long": audited(300, 2), "no-series": broken}
}

// TestStructureIsSeen breaks a page in each way that the rules are about.
func TestStructureIsSeen(t *testing.T) {
	page := auditPageOf(t, audited(9, 4))
	for _, c := range []struct{ old, with, want string }{
		{`<h1>`, `<h1>x</h1><h1>`, "2 elements h1"}, {`<h2 `, `<h4>x</h4><h2 `, "h4 follows"}, {`lang="en"`, ``, "has no language"}, {`<th scope="col"`, `<th`, "has the scope"},
		{`<caption class="spoken">`, `<p>`, "has no caption"}, {`role="img"`, ``, "is no picture"}, {`href="#main"`, `href="#other"`, "which is not there"},
		{`id="timeline"`, `id="main"`, "have the id"}, {`<p `, `<p onclick="x" `, "has the attribute onclick"}, {`<p `, `<p style="x" `, "has the attribute style"},
		{`<p `, `<script></script><p `, "is no element of our pages"}, {`<p `, `<a href="https://evil.example/">x</a><p `, "links to"},
		{`tabindex="0"`, ``, "no focus"}, {`aria-labelledby="timeline-title"`, ``, "has no name"},
	} {
		broken := strings.Replace(page, c.old, c.with, 1)
		if broken == page {
			t.Errorf("%q is not in the page", c.old)
		}
		if got := strings.Join(pagetest.Structure(pagetest.Parse(t, broken)), "\n"); !strings.Contains(got, c.want) {
			t.Errorf("%q in place of %q: got %q, want %q", c.with, c.old, got, c.want)
		}
	}
}

func TestPages(t *testing.T) {
	pagetest.Check(t, auditPagesOf(t), func(w io.Writer) pagetest.Flusher { return present.NewWriter(w) })
}

// single is an audit in which everything there is occurs once.
func single() *report.Audit {
	a := audited(1, 1)
	a.Subject.Entries, a.Subject.Replayed, a.Subject.BeforeGate, a.Changes = 1, 1, 1, []report.AuditChange{{Kind: report.ChangeContract, Date: weekDay(0), Loosened: true}}
	a.Series[0] = report.AuditPeriod{From: weekDay(0), Overridden: 1, Gaps: 1, Missing: 1, Levels: report.AuditLevels{Bound: 1}}
	a.Statistics = report.AuditStatistics{
		Verdicts: map[string]int{report.Overridden: 1, "gap": 1, "missing": 1}, OverrideShare: 10_000, Codes: []report.AuditNumber{{Name: "scope.off_scope", Times: 1}},
		People: []report.AuditPerson{{Actor: "mona", Overrides: 1, Authors: []report.AuditNumber{{Name: "hubot", Times: 1}}}},
	}
	addFinding(a, "audit.missing", block, &report.AuditDecision{Commit: pagetest.Digest("x")[:40], Date: weekDay(0), PullRequests: []string{"7"}})
	return a
}

var oneOfMany = regexp.MustCompile(`\b1 (acceptance |pull |more |blocking )?(\w+s|criteria|people)\b|\b1( \w+)? were\b|entrys|copys|criterions`)

// TestOneIsSingular: what occurs once is said so, and what one picture cannot show is not a picture.
func TestOneIsSingular(t *testing.T) {
	page := pagetest.TextOf(pagetest.Parse(t, auditPageOf(t, single())))
	for _, text := range []string{page, auditText(single())} {
		if m := oneOfMany.FindAllString(text, -1); m != nil {
			t.Errorf("%q", m)
		}
	}
	for _, want := range []string{"1 decision was overridden (100 %)", "1 overridden, 1 gap and 1 missing", "Evidence of 1 acceptance criterion: 1 bound", "1 overridden code", "1 person overrode", ", 1 entry"} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not on the page", want)
		}
	}
}

// TestAuditHeader: the head of the page says the verdict, and one sentence; the exceptions follow.
func TestAuditHeader(t *testing.T) {
	none, noGate, noDecision, unavailable := audited(3, 3), audited(3, 3), audited(0, 0), audited(1, 3)
	noGate.Subject.Adopted = nil
	unavailable.Counts.Unknown, unavailable.Findings = 1, []report.AuditFinding{{Code: "audit.unavailable", Severity: unknown, Message: "the clone is shallow", Path: "HEAD"}}
	none.Findings = []report.AuditFinding{{Code: "audit.contract_changed", Severity: info, Message: "the contract was changed"}}
	none.Counts = report.AuditCounts{Info: 1}
	noGate.Findings, noGate.Counts = none.Findings, none.Counts
	named := single()
	named.Commits = append(named.Commits, report.AuditCommit{Commit: pagetest.Digest("x")[:40], Subject: "Ship it", Author: "eve"})
	for _, c := range []struct {
		a               *report.Audit
		class, has      string
		exceptions, not string
	}{
		{named, "top failed", "1 finding blocks", "2024-01-01" + "7" + "Ship it " + pagetest.Digest("x")[:12] + "eve" + "a commit reached main without a decision", "There is none."},
		{unavailable, "top review", "Incomplete", "the clone is shallow HEAD", "There is none."},
		{none, "top passed", "Nothing blocks", "There is none.", "the contract was changed"},
		{noGate, "top review", "No gate yet", "There is none.", ""}, {&report.Audit{}, "top review", "No gate yet", "There is none.", ""},
		{noDecision, "top review", "No decision yet", "There is none.", ""},
	} {
		for _, n := range pagetest.Elements(pagetest.Parse(t, auditPageOf(t, c.a))) {
			text := strings.ReplaceAll(pagetest.TextOf(n), "\n", "")
			switch {
			case n.Data == "header" && (pagetest.AttributeOf(n, "class") != c.class || !strings.Contains(text, c.has)):
				t.Errorf("%s: %s, want %s: %s", pagetest.AttributeOf(n, "class"), text, c.class, c.has)
			case pagetest.AttributeOf(n, "id") == "exceptions" && (!strings.Contains(text, c.exceptions) || c.not != "" && strings.Contains(text, c.not)):
				t.Errorf("the exceptions are %s, want %s", text, c.exceptions)
			}
		}
	}
}

// TestFindingsInThreeLines: what, why and what to do are each there once, whatever the number of commits.
func TestFindingsInThreeLines(t *testing.T) {
	page := pagetest.TextOf(pagetest.Parse(t, auditPageOf(t, audited(46, 6))))
	if n := strings.Count(page, "find out who merged it, and judge it again"); n != 3 { // codes
		t.Errorf("the fix is there %d times", n)
	}
}

func TestAuditPageErrors(t *testing.T) {
	if err := writeHTML(pagetest.FullDisk{}, audited(1, 1)); !errors.Is(err, pagetest.ErrFull) {
		t.Error(err)
	}
}

func TestAuditGolden(t *testing.T) {
	pagetest.Golden(t, "failed.audit.html", auditPageOf(t, audited(14, 3)))
}

package present

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify/report"
)

// distinct is a failed report with n findings that have nothing in common.
func distinct(n int, text string) *report.Report {
	r := manyFindings(block, n)
	for i := range r.Findings {
		f := &r.Findings[i]
		f.Message, f.Expected, f.Actual, f.Fix = fmt.Sprint(i, text), text, text, text
		f.Output = &report.Output{Stream: "stdout", Lines: []string{text}, Error: text}
		f.Location.Path += text
		r.Files = append(r.Files, report.File{Path: f.Location.Path, Class: "off_scope", Status: "added", NewMode: "100644"})
		r.Acceptance = append(r.Acceptance, report.Acceptance{ID: f.Message, Run: []string{text}, KeptFrom: &text})
		r.Inputs = append(r.Inputs, report.Input{Kind: "feedback", Path: f.Location.Path, Trust: text})
		r.OverrideRefused = append(r.OverrideRefused, report.Refusal{Label: text, Why: text})
	}
	return r
}

// hostileHead is a report whose texts outside of lists are as long as they can be.
func hostileHead() *report.Report {
	r := overridden()
	long := strings.Repeat("\u202e&", 5000)
	r.Subject.Repository, r.TaskID, r.OverrideCode, r.Tool, r.Subject.PullRequest = &long, &long, &long, report.Tool{Name: long, Version: long}, nil
	o := r.Override
	o.Actor, o.ActorID, o.Reason, o.At, o.Label = long, long, long, long, long
	r.Findings = append(r.Findings, distinct(300, strings.Repeat("&", 500)).Findings...)
	return r
}

// TestReportPageSize: a page stays small, whatever the report contains, and counts what it leaves out.
func TestReportPageSize(t *testing.T) {
	for name, r := range map[string]*report.Report{
		"usual": manyFindings(block, 1000), "long": distinct(300, strings.Repeat("\u202e", 500)), "huge": distinct(100, strings.Repeat("\u202e&", 2500)),
		"many short": distinct(1000, "x"), "group": hostileGroup(), "head": hostileHead(),
	} {
		page := render(t, "html", r, Options{LinkBase: linkBase})
		t.Logf("%s: %d bytes", name, len(page))
		if len(page) > 300_000 {
			t.Errorf("%s: the page has %d bytes", name, len(page))
		}
		if name == "usual" {
			if n := strings.Count(page, "<code><bdi>other/"); n < 1000 || strings.Contains(page, "left out here") {
				t.Errorf("%d of 1000 findings are shown", n)
			}
		} else if name != "group" && name != "head" && !strings.Contains(page, "left out here to keep the page small") {
			t.Errorf("%s: nothing says what is left out", name)
		}
	}
}

// TestFindingsAreCounted: what is shown and what is said to be left out make all findings.
func TestFindingsAreCounted(t *testing.T) {
	r := distinct(1000, strings.Repeat("text ", 40))
	page := render(t, "html", r, Options{})
	blocking, _, _ := strings.Cut(page[strings.Index(page, `id="blocking"`):], "</section>")
	shown, left := strings.Count(blocking, "<article"), 0
	if i := strings.LastIndex(blocking, "… and "); i >= 0 {
		_, _ = fmt.Sscanf(blocking[i:], "… and %d more", &left)
	}
	if shown < 50 || shown+left != 1000 {
		t.Errorf("%d shown and %d left out of 1000", shown, left)
	}
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
	for _, weeks := range []int{1, 119, 120, 121, 240, 241, 1000} {
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

package present

import (
	"fmt"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/testkit/pagetest"
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
		page := render(t, "html", r, Options{LinkBase: pagetest.LinkBase})
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

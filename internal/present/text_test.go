package present

import (
	"slices"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify/report"
)

// TestBrokenInputsSayWhatWasFound: the line of a malformed input says found and expected, each once.
func TestBrokenInputsSayWhatWasFound(t *testing.T) {
	f := report.Finding{Code: "feedback.malformed", Severity: "block", Message: "exit_code must be an integer", Expected: "an integer", Actual: `the string "0"`}
	if got := textFinding(painter{}, f); !strings.HasSuffix(got, `exit_code must be an integer; found the string "0"`) {
		t.Errorf("got %s", got)
	}
	f.Expected = "a number"
	if got := textFinding(painter{}, f); !strings.HasSuffix(got, `; found the string "0", expected a number`) {
		t.Errorf("got %s", got)
	}
	f.Code = "scope.forbidden"
	if got := textFinding(painter{}, f); strings.Contains(got, "found") {
		t.Errorf("got %s", got)
	}
}

// TestAgentFix: the agent format shows only the part of a fix that the agent may do.
func TestAgentFix(t *testing.T) {
	f := report.Finding{Code: "scope.off_scope", Severity: "block", Message: "outside", Fix: "revert this file" + report.PersonMay + "widen allowed_files", Times: 1}
	r := &report.Report{Verdict: report.Failed, Findings: []report.Finding{f}, Counts: report.Counts{Block: 1}}
	var b strings.Builder
	if err := writeAgent(&b, r, Options{}); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); !strings.Contains(got, "revert this file\n") || strings.Contains(got, "widen") {
		t.Errorf("got %s", got)
	}
}

// TestShares wants shares that add up, and are as near as can be to the numbers.
func TestShares(t *testing.T) {
	for _, c := range []struct{ numbers, want []int }{
		{[]int{1, 1, 1}, []int{34, 33, 33}}, {[]int{0, 0}, []int{0, 0}}, {[]int{2, 1}, []int{67, 33}}, {[]int{0, 5}, []int{0, 100}}, {[]int{199, 1, 0}, []int{100, 0, 0}},
	} {
		if got := Shares(c.numbers, 100); !slices.Equal(got, c.want) {
			t.Errorf("shares of %v: %v, expected %v", c.numbers, got, c.want)
		}
	}
}

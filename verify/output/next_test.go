package output

import (
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify/report"
)

// TestOverrideNeedsAPullRequest wants no word on overrides where there is no pull request to write a comment on.
func TestOverrideNeedsAPullRequest(t *testing.T) {
	code, number := "abcd-efgh", int64(7)
	r := &report.Report{Verdict: report.Failed, OverrideCode: &code, Counts: report.Counts{Block: 1}}
	if line := overrideLine(r); line != "" {
		t.Errorf("got %q outside a pull request", line)
	}
	r.Subject.PullRequest = &number
	if line := overrideLine(r); !strings.Contains(line, code) {
		t.Errorf("got %q in a pull request", line)
	}
}

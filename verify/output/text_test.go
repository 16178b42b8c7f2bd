package output

import (
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify/report"
)

// TestBrokenInputsSayWhatWasFound wants found and expected on the one line of an error in an input, each once.
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

package fence

import (
	"testing"

	"github.com/closeout-gate/closeout/internal/agent/item"
	"github.com/closeout-gate/closeout/verify/report"
)

// TestAsked leaves out what the agent cannot resolve.
func TestAsked(t *testing.T) {
	acceptance := []report.Acceptance{{ID: "unit", Level: "bound"}, {ID: "lint", Level: "claimed"}}
	r := &report.Report{Settings: report.Settings{EvidenceMin: "recorded"}, Acceptance: acceptance}
	for _, c := range []struct {
		fact item.Fact
		want bool
	}{
		{item.Fact{Code: "acceptance.failed"}, true},
		{item.Fact{Code: "scope.off_scope"}, true},
		{item.Fact{Code: "approval.missing"}, false},
		{item.Fact{Code: "override.refused"}, false},
		{item.Fact{Code: "subject.mismatch"}, false},
		{item.Fact{Code: "facts.unavailable"}, false},
		{item.Fact{Code: "contract.malformed"}, false},
		{item.Fact{Code: "contract.changed"}, true},
		{item.Fact{Code: "evidence.below_minimum", Message: "unit (go test) has only bound evidence"}, false},
		{item.Fact{Code: "evidence.below_minimum", Message: "lint (golint) has only claimed evidence"}, true},
	} {
		if got := asked(c.fact, r); got != c.want {
			t.Errorf("%+v: %t", c.fact, got)
		}
	}
}

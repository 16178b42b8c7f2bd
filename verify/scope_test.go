package verify_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/checks"
	"github.com/closeout-gate/closeout/verify/input"
)

// TestScopeDecidesWhatRuns adds a check, and wants it to run for each subject that its scope names, and for no other.
func TestScopeDecidesWhatRuns(t *testing.T) {
	probe := &check.Check{
		ID: "probe", Title: "It runs", Codes: []check.Code{{Name: "probe.ran", Severity: input.Info}},
		Run: func(p *check.Pass) {
			tests := "no policy"
			if p.Policy != nil {
				tests = fmt.Sprint(len(p.Policy.Criteria)) // a pull request's own contract adds one
			}
			p.Report(check.Finding{Code: "probe.ran", Message: "it ran", Identity: []string{tests}})
		},
	}
	defer func(all []*check.Check) { checks.All = all }(checks.All)
	checks.All = append(slices.Clone(checks.All), probe)
	change, group, exempt := "cases/acceptance/passed.test-run-again.txtar", "cases/group/failed.task-criterion.txtar", "cases/group/passed.left-out-without-evidence.txtar"
	for _, c := range []struct {
		file  string
		scope check.Scope
		want  string
	}{
		{change, check.ScopeChange, "it ran"},
		{change, check.ScopeGroup | check.ScopeMember | check.ScopeEvidence | check.ScopeExempt, ""},
		{group, check.ScopeChange, ""},
		{group, check.ScopeGroup, "it ran"},
		{group, check.ScopeMember, "it ran of 7, it ran of 8"},
		{group, check.ScopeGroup | check.ScopeEvidence, "it ran, it ran (required by the contract of pull request 7), it ran (required by the contract of pull request 8)"},
		{exempt, check.ScopeGroup, ""},
		{exempt, check.ScopeGroup | check.ScopeExempt, "it ran"},
	} {
		probe.Scope = c.scope
		var got []string
		judged := readCase(t, filepath.Join(root, c.file))
		for _, f := range judged.files(t).judge().Findings {
			switch {
			case f.Code == "probe.ran" && f.Location.PullRequest > 0:
				got = append(got, fmt.Sprintf("%s of %d", f.Message, f.Location.PullRequest))
			case f.Code == "probe.ran":
				got = append(got, f.Message)
			}
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%s with scope %b: got %q, want %q", c.file, c.scope, got, c.want)
		}
	}
}

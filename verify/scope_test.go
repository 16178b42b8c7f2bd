package verify_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify/checks"
	"github.com/closeout-gate/closeout/verify/input"
)

// TestScopeDecidesWhatRuns adds a check, and wants it to run for each subject that its scope names, and for no other.
func TestScopeDecidesWhatRuns(t *testing.T) {
	probe := &checks.Check{
		ID: "probe", Title: "It runs", Codes: []checks.Code{{Name: "probe.ran", Severity: input.Info}},
		Run: func(p *checks.Pass) {
			tests := "no policy"
			if p.Policy != nil {
				tests = fmt.Sprint(len(p.Policy.Criteria)) // a pull request's own contract adds one
			}
			p.Report(checks.Finding{Code: "probe.ran", Message: "it ran", Identity: []string{tests}})
		},
	}
	defer func(all []*checks.Check) { checks.All = all }(checks.All)
	checks.All = append(slices.Clone(checks.All), probe)
	change, group, exempt := "cases/acceptance/passed.test-run-again.txtar", "cases/group/failed.task-criterion.txtar", "cases/group/passed.left-out-without-evidence.txtar"
	for _, c := range []struct {
		file  string
		scope checks.Scope
		want  string
	}{
		{change, checks.ScopeChange, "it ran"},
		{change, checks.ScopeGroup | checks.ScopeMember | checks.ScopeEvidence | checks.ScopeExempt, ""},
		{group, checks.ScopeChange, ""},
		{group, checks.ScopeGroup, "it ran"},
		{group, checks.ScopeMember, "it ran of 7, it ran of 8"},
		{group, checks.ScopeGroup | checks.ScopeEvidence, "it ran, it ran (required by the contract of pull request 7), it ran (required by the contract of pull request 8)"},
		{exempt, checks.ScopeGroup, ""},
		{exempt, checks.ScopeGroup | checks.ScopeExempt, "it ran"},
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

package present

import (
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify/report"
)

// TestGroupSteps: findings of a merge group are overridden on the pull request, if at all; those of the group itself cannot
// be.
func TestGroupSteps(t *testing.T) {
	const line, own, never = "comment `/closeout-override k7f3-3q2d-ab5c-mnop-zyx7-2222 <why>` on pull request 319", "2 blocking findings of the merge group itself", "No label on pull request 319 can override its findings"
	for name, c := range map[string]struct {
		change func(*report.Report)
		has    []string
		lacks  []string
	}{
		"plain":            {func(*report.Report) {}, []string{line, own}, []string{never, "phik-vgew-qczt-e2td-jqxe-icb4 <why>", "on pull request 320"}},
		"never":            {func(r *report.Report) { r.Settings.Override.Never = []string{"scope.protected"} }, []string{never, own}, []string{line}},
		"never, another's": {func(r *report.Report) { r.Settings.Override.Never = []string{"scope.off_scope", "acceptance.failed"} }, []string{line}, []string{never}},
		"no rule":          {func(r *report.Report) { r.Settings.Override = nil }, []string{own}, []string{line, never}},
		"nothing of its own": {func(r *report.Report) {
			r.Findings, r.Counts.Block = r.Findings[2:], 2
		}, []string{line}, []string{"of the merge group itself"}},
		"other content": {func(r *report.Report) {
			for i := range r.PullRequests {
				r.PullRequests[i].OverrideRefused = []report.Refusal{{Condition: "content", Why: "update the branch first"}}
			}
		}, []string{"The label on pull request 319 does not count: update the branch first."}, []string{line}},
		"one of its own": {func(r *report.Report) { r.Counts.Block = 3 }, []string{"1 blocking finding of the merge group itself"}, nil},
		"passed":         {func(r *report.Report) { r.Verdict = report.Passed }, nil, []string{line, own}},
		"review":         {func(r *report.Report) { r.Verdict = report.Review }, nil, []string{line, own}},
	} {
		r := group()
		c.change(r)
		for _, format := range []string{"text", "markdown"} {
			page := render(t, format, r, Options{})
			for _, want := range c.has {
				if !strings.Contains(page, want) {
					t.Errorf("%s, %s: %q is missing in\n%s", name, format, want, page)
				}
			}
			for _, not := range append(c.lacks, "Or a person who may override") {
				if strings.Contains(page, not) {
					t.Errorf("%s, %s: says %q", name, format, not)
				}
			}
		}
	}
}

// TestGroupReason: the reason of an overridden finding is that of its pull request.
func TestGroupReason(t *testing.T) {
	r := group()
	if got := overrideReason(r, r.Findings[len(r.Findings)-1]); got != "phik-vgew-qczt-e2td-jqxe-icb4 the migration needs the new column" {
		t.Errorf("got %q", got)
	}
	if got := overrideReason(r, r.Findings[0]); got != "" {
		t.Errorf("the finding of the group itself has the reason %q", got)
	}
	if got := overrideReason(overridden(), report.Finding{}); got == "" || got != *overridden().OverrideReason {
		t.Errorf("outside of a group the reason is %q", got)
	}
}

// TestGroupForAgents: the agent format names the pull request to fix, and does not mention overrides.
func TestGroupForAgents(t *testing.T) {
	page := render(t, "agent", group(), Options{})
	if !strings.Contains(page, "pull request 319 is failed") || strings.Contains(page, "pull request 318 is") || strings.Contains(page, "override") {
		t.Errorf("got\n%s", page)
	}
}

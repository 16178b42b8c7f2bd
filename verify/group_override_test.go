package verify_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/schema"
	"github.com/closeout-gate/closeout/verify/report"
)

// TestGroupJoinsOverrides wants the names and reasons of the pull requests where older readers look for them, and only in
// a report that says overridden.
func TestGroupJoinsOverrides(t *testing.T) {
	whole, list, err := schema.ReportValidators()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"overridden.both": "#7 mona, #8 mona", "overridden.one": "#8 mona", "failed.override-of-one": "", "passed.two": ""}
	for _, c := range findCases(t, "cases") {
		name := strings.TrimSuffix(filepath.Base(c.path), ".txtar")
		by, asked := want[name]
		if !asked || filepath.Base(filepath.Dir(c.path)) != "group" {
			continue
		}
		delete(want, name)
		r := c.files(t).judge()
		if got := deref(r.OverriddenBy); got != by || (r.OverrideReason == nil) != (by == "") || r.Override != nil {
			t.Errorf("%s: overridden by %q, want %q", name, got, by)
		}
		for _, p := range r.PullRequests {
			if r.OverrideReason != nil && p.Override != nil && !strings.Contains(*r.OverrideReason, p.Override.Reason) {
				t.Errorf("%s: the reasons are %q", name, *r.OverrideReason)
			}
		}
		if _, err := report.CanonicalChecked(r, whole, list); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(want) > 0 {
		t.Errorf("there are no cases %v", want)
	}
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

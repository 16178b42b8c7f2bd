package verify_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/schema"
	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/report"
)

// overriddenBundle is the plain override, with another diff, and gives the reason for what is found then.
func overriddenBundle(t *testing.T, diff string) inputFiles {
	t.Helper()
	plain := readCase(t, filepath.Join(root, "cases/override/overridden.plain.txtar"))
	f := plain.files(t)
	if diff == "" {
		return f
	}
	before := f.judge()
	f["pr.diff"] = []byte(diff)
	after := f.judge()
	if after.Verdict != report.Failed || *after.OverrideCode == *before.OverrideCode {
		t.Fatalf("new findings ride along: %s with %s", after.Verdict, *after.OverrideCode)
	}
	f["facts.json"] = bytes.ReplaceAll(f["facts.json"], []byte(*before.OverrideCode), []byte(*after.OverrideCode))
	return f
}

// TestOverriddenReport looks at what the report says of an override: who, when, why, which head, which findings.
func TestOverriddenReport(t *testing.T) {
	r := overriddenBundle(t, "").judge()
	o := r.Override
	if o == nil || r.Verdict != report.Overridden || !r.Passed || verify.ExitCode(r) != 0 {
		t.Fatalf("got %s, %+v", r.Verdict, o)
	}
	reason := "the runner is out of disk space, tests pass locally"
	want := report.Override{
		Actor: "mona", ActorID: "7", At: "2026-03-01T10:00:00Z", Label: "closeout-override", Reason: reason, HeadSHA: *r.Subject.HeadSHA,
		Accepted: []string{r.Findings[0].Fingerprint},
	}
	if fmt.Sprint(*o) != fmt.Sprint(want) || *r.OverrideReason != reason || *r.OverriddenBy != "mona" || !r.Findings[0].Overridden {
		t.Errorf("got %+v, want %+v", *o, want)
	}
	whole, files, err := schema.ReportValidators()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := report.CanonicalChecked(r, whole, files); err != nil {
		t.Error(err)
	}
}

// TestOverrideAcceptsAll lets more findings through than the report lists: all of them are named, and no other finding
// is marked.
func TestOverrideAcceptsAll(t *testing.T) {
	const files = report.MaxFindings + 300
	var diff strings.Builder
	for i := range files {
		fmt.Fprintf(&diff, "diff --git a/x/%04d b/x/%04d\nnew file mode 100644\nindex 0000000..e69de29\n", i, i)
	}
	r := overriddenBundle(t, diff.String()).judge()
	all := r.Counts.Block + r.Counts.Warn + r.Counts.Info
	if r.Verdict != report.Overridden || len(r.Findings) != report.MaxFindings || r.Counts.Block < files || r.FindingsOmitted != all-report.MaxFindings {
		t.Fatalf("%s, %d findings, %d more", r.Verdict, len(r.Findings), r.FindingsOmitted)
	}
	accepted := slices.Compact(slices.Clone(r.Override.Accepted))
	if len(accepted) != files+1 || !slices.IsSorted(accepted) {
		t.Errorf("%d findings are accepted", len(accepted))
	}
	for _, f := range r.Findings {
		if f.Overridden != (f.Severity == "block") {
			t.Errorf("%s %s: overridden is %v", f.Severity, f.Code, f.Overridden)
		}
	}
}

// TestRefusalSaysWhoCanDoWhat looks at a refusal in the report.
func TestRefusalSaysWhoCanDoWhat(t *testing.T) {
	f := overriddenBundle(t, "")
	f["facts.json"] = bytes.Replace(f["facts.json"], []byte(`"permission": "maintain"`), []byte(`"permission": "triage"`), 1)
	r := f.judge()
	want := report.Refusal{
		Label: "closeout-override", Actor: "mona", Condition: "permission",
		Why: "mona has the permission triage; a person with at least maintain permission, who has no part in the pull request, can add the label",
	}
	if r.Verdict != report.Failed || r.Override != nil || len(r.OverrideRefused) != 1 || r.OverrideRefused[0] != want {
		t.Errorf("got %s, %+v", r.Verdict, r.OverrideRefused)
	}
	if f := r.Findings[1]; f.Code != "override.refused" || !strings.Contains(f.Fix, "run the job again") {
		t.Errorf("got %+v", f)
	}
}

// TestLeftOutIsSkipped wants nothing judged about a pull request that the contract leaves out.
func TestLeftOutIsSkipped(t *testing.T) {
	c := readCase(t, filepath.Join(root, "cases/gate/passed.left-out.txtar"))
	r := c.files(t).judge()
	for _, k := range r.Checks {
		if k.ID != "gate" && k.Outcome != report.OutcomeSkipped {
			t.Errorf("%s is %s", k.ID, k.Outcome)
		}
	}
	if len(r.Acceptance) != 0 || r.OverrideCode != nil || r.Counts.Info != 1 {
		t.Errorf("something was judged: %+v", r)
	}
}

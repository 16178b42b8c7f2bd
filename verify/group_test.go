package verify_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/checks"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/report"
)

// textInput is an input with a text.
func textInput(kind check.Kind, name, text string) verify.Input {
	return verify.Input{Kind: kind, Name: name, Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
}

// asGroup makes of the bundle of a pull request that of a merge group in which it is alone. nil when there are no facts,
// or they cannot be read.
func asGroup(t *testing.T, files inputFiles) *verify.Bundle {
	t.Helper()
	if files["facts.json"] == nil {
		return nil
	}
	read, errs := facts.Parse(files["facts.json"], input.DefaultLimits())
	if errs.Any() || read.Subject.PullRequest == 0 {
		return nil
	}
	part := verify.Part{PullRequest: read.Subject.PullRequest}
	b := files.bundle()
	b.Inputs = slices.DeleteFunc(b.Inputs, func(in verify.Input) bool {
		own := slices.Contains([]check.Kind{check.TaskContract, check.Facts, check.Changes, check.Diff, check.DiffRules}, in.Kind)
		if own && in.Kind != check.Facts {
			part.Inputs = append(part.Inputs, in)
		}
		return in.Kind == check.TaskContract || in.Kind == check.Facts || in.Kind == check.DiffRules
	})
	group, own := *read, *read
	group.Event, group.GitHub, group.Unavailable = facts.Event{Name: "merge_group"}, nil, nil
	group.Subject.PullRequests, group.Subject.PullRequest = []int64{part.PullRequest}, 0
	own.Event, own.Settings = facts.Event{}, facts.Settings{}
	own.Membership = &facts.Membership{HeadInGroup: true}
	b.Inputs = append(b.Inputs, textInput(check.Facts, "facts.json", marshal(t, &group)))
	part.Inputs = append(part.Inputs, textInput(check.Facts, "facts.json", marshal(t, &own)))
	b.Parts = []verify.Part{part}
	return b
}

func marshal(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// ofMember reports whether a code is one that each pull request of a group is judged by.
func ofMember(code string) bool {
	return slices.ContainsFunc(check.For(checks.All, check.ScopeMember), func(c *check.Check) bool {
		return slices.ContainsFunc(c.Codes, func(k check.Code) bool { return k.Name == code })
	})
}

// blocking are the fingerprints of findings that block, those that keep wants.
func blocking(r *report.Report, keep func(report.Finding) bool) []string {
	var list []string
	for _, f := range r.Findings {
		if f.Severity == string(input.Block) && keep(f) {
			list = append(list, f.Code+" "+f.Fingerprint)
		}
	}
	slices.Sort(list)
	return list
}

// TestGroupOfOne judges each case of a pull request as a merge group of that pull request alone: what blocks in the pull
// request itself must have the fingerprints of its own run, because the override code is made of them. Where nothing else
// blocked there, the code and what became of the labels are the same.
func TestGroupOfOne(t *testing.T) {
	judged, codes, overridden := 0, 0, 0
	for _, corpus := range corpora {
		for _, c := range findCases(t, corpus) {
			files := c.files(t)
			b := asGroup(t, files)
			if b == nil {
				continue
			}
			own := files.judge()
			isTrial := func(f report.Finding) bool { return f.Code == "contract.trial" }
			if slices.ContainsFunc(own.Findings, isTrial) {
				continue // a queue merges nothing by a contract that is not merged yet
			}
			group := verify.Judge(b)
			if len(group.PullRequests) != 1 || own.FindingsOmitted > 0 {
				t.Fatalf("%s: %+v", c.path, group.PullRequests)
			}
			judged++
			want := blocking(own, func(f report.Finding) bool { return ofMember(f.Code) || f.Rule != "" })
			got := blocking(group, func(f report.Finding) bool { return f.Location.PullRequest > 0 })
			if !slices.Equal(got, want) {
				t.Errorf("%s: in the group %v blocks, alone %v", c.path, got, want)
			}
			pull := group.PullRequests[0]
			if len(want) == 0 || len(want) != own.Counts.Block || own.OverrideCode == nil {
				continue
			}
			codes++
			if pull.OverrideCode == nil || *pull.OverrideCode != *own.OverrideCode {
				t.Errorf("%s: the codes differ", c.path)
			}
			if own.Verdict == report.Overridden && own.Settings.Override.Binding == "code" {
				overridden++
				if pull.Verdict != report.Overridden || pull.Override.Reason != own.Override.Reason {
					t.Errorf("%s: the override does not count in the group: %s %+v", c.path, pull.Verdict, pull.OverrideRefused)
				}
			}
		}
	}
	if judged < 80 || codes < 20 || overridden < 1 {
		t.Errorf("only %d cases, %d codes and %d overrides were compared", judged, codes, overridden)
	}
	t.Logf("%d cases, %d codes, %d overrides", judged, codes, overridden)
}

// TestGroupOfNothing wants pulls/ to mean nothing where the facts tell of no merge group.
func TestGroupOfNothing(t *testing.T) {
	c := readCase(t, filepath.Join(root, "cases/group/failed.out-of-scope.txtar"))
	f := c.files(t)
	f["facts.json"] = bytes.Replace(f["facts.json"], []byte(`"merge_group"`), []byte(`"push"`), 1)
	r := f.judge()
	if r.PullRequests != nil || slices.ContainsFunc(r.Inputs, func(in report.Input) bool { return strings.HasPrefix(in.Path, "pulls/") }) {
		t.Errorf("got %+v, %+v", r.PullRequests, r.Inputs)
	}
}

// TestGroupIsOneOrder judges a group whose parts are supplied in another order: the report is the same.
func TestGroupIsOneOrder(t *testing.T) {
	for _, c := range findCases(t, "cases") {
		if !strings.Contains(filepath.ToSlash(c.path), "/group/") {
			continue
		}
		files := c.files(t)
		var reports []string
		for range 2 {
			b := files.bundle()
			if len(reports) > 0 {
				slices.Reverse(b.Parts)
			}
			data, err := report.Canonical(verify.Judge(b))
			if err != nil {
				t.Fatal(err)
			}
			reports = append(reports, string(data))
		}
		if reports[0] != reports[1] {
			t.Errorf("%s: the order of the parts changes the report", c.path)
		}
	}
}

// expectInputs wants facts and changes of each pull request among the inputs of the report.
func expectInputs(t *testing.T, name string, f inputFiles, r *report.Report) {
	t.Helper()
	for want := range f {
		of, rest, _ := strings.Cut(want, "/")
		own := strings.HasSuffix(rest, "/facts.json") || strings.HasSuffix(rest, "/changes.json")
		if of == "pulls" && own && !slices.ContainsFunc(r.Inputs, func(in report.Input) bool { return in.Path == want }) {
			t.Errorf("%s: the inputs lack %s", name, want)
		}
	}
	if !slices.IsSortedFunc(r.Inputs, func(a, b report.Input) int { return strings.Compare(a.Kind+"\x00"+a.Path, b.Kind+"\x00"+b.Path) }) {
		t.Errorf("%s: the inputs are not sorted", name)
	}
}

// joinsCauses reports whether one finding of the report is that of several checks.
func joinsCauses(r *report.Report) bool {
	return slices.ContainsFunc(r.Findings, func(f report.Finding) bool {
		return f.Severity == string(input.Unknown) && strings.HasPrefix(f.Message, "cannot determine ") && strings.Contains(f.Message, "; ")
	})
}

// expectOutcomes wants each check that has a finding that blocks to have failed, and the findings of all checks to be those
// that are counted.
func expectOutcomes(t *testing.T, name string, r *report.Report) {
	t.Helper()
	outcomes, sum := map[string]string{}, 0
	for _, c := range r.Checks {
		outcomes[c.ID] = c.Outcome
		sum += c.Findings
	}
	if all := r.Counts.Block + r.Counts.Unknown + r.Counts.Warn + r.Counts.Info; sum != all && !(sum > all && joinsCauses(r)) {
		t.Errorf("%s: the checks have %d findings, the report counts %d", name, sum, all)
	}
	for _, f := range r.Findings {
		id := checks.ByCode(f.Code).ID
		if f.Rule != "" {
			id = checks.DiffRulesCheck.ID
		}
		if f.Severity == string(input.Block) && outcomes[id] != report.OutcomeFailed {
			t.Errorf("%s: %s blocks, and the check %s has %q", name, f.Code, id, outcomes[id])
		}
	}
	if !slices.IsSortedFunc(r.Checks[:max(0, len(r.Checks)-1)], func(a, b report.Check) int { return strings.Compare(a.ID, b.ID) }) {
		t.Errorf("%s: the checks are not in order: %v", name, r.Checks)
	}
}

// expectCriteria wants the criterion of the standing contract once, and each other one to name its pull request: in the
// cases the standing one is called test.
func expectCriteria(t *testing.T, name string, r *report.Report) {
	t.Helper()
	leftOut := map[int64]bool{} // whom applies_to leaves out: they have no criterion
	for _, f := range r.Findings {
		leftOut[f.Location.PullRequest] = leftOut[f.Location.PullRequest] || f.Code == checks.CodeNotApplicable
	}
	type key struct {
		number int64
		id     string
	}
	seen := map[key]bool{}
	for _, a := range r.Acceptance {
		number := int64(0)
		if a.PullRequest != nil {
			number = *a.PullRequest
		}
		isStanding := a.ID == "test" || a.ID == "words"
		if isStanding != (number == 0) || leftOut[number] || seen[key{number, a.ID}] {
			t.Errorf("%s: the criterion %s of pull request %d occurs twice or in the wrong place", name, a.ID, number)
		}
		seen[key{number, a.ID}] = true
	}
}

// expectClasses wants a path that is off scope in one of the pull requests to be so in the group. In one that applies_to
// leaves out it is so without a finding.
func expectClasses(t *testing.T, name string, r *report.Report) {
	t.Helper()
	off, leftOut := map[string]bool{}, false
	for _, f := range r.Findings {
		off[f.Location.Path] = off[f.Location.Path] || f.Code == "scope.off_scope"
		leftOut = leftOut || f.Code == checks.CodeNotApplicable
	}
	for _, f := range r.Files {
		if is := f.Class == "off_scope"; off[f.Path] != is && !(is && leftOut) {
			t.Errorf("%s: %s is %s", name, f.Path, f.Class)
		}
	}
}

// TestGroupFlood lets two pull requests have more findings than a report lists: all are counted, and what is listed and what
// is left out add up.
func TestGroupFlood(t *testing.T) {
	c := readCase(t, filepath.Join(root, "cases/group/failed.out-of-scope.txtar"))
	f := c.files(t)
	changes := func(files []string) []byte {
		return []byte(`{"schema": "closeout.changes/v1", "files": [` + strings.Join(files, ",\n") + "]}")
	}
	var all []string
	for _, number := range []int{7, 8} {
		var list []string
		for i := range report.MaxFindings + 100 {
			list = append(list, fmt.Sprintf(`{"path": "docs/%d/%05d.md", "status": "added", "old_mode": "000000", "new_mode": "100644", "old_id": null, "new_id": %q}`,
				number, i, strings.Repeat("d", 40)))
		}
		all = append(all, list...)
		f[fmt.Sprintf("pulls/%d/changes.json", number)] = changes(list)
	}
	f["changes.json"] = changes(all)
	r := f.judge()
	if want := 2 * (report.MaxFindings + 100); r.Counts.Block != want || len(r.Findings) != report.MaxFindings || r.FindingsOmitted != r.Counts.Block+r.Counts.Warn-report.MaxFindings {
		t.Errorf("%d findings block, %d are listed and %d left out, expected %d in all", r.Counts.Block, len(r.Findings), r.FindingsOmitted, want)
	}
}

// TestGroupCounts wants the counts of group and pull requests to add up, and each finding of a pull request to be one of
// those in its counts.
func TestGroupCounts(t *testing.T) {
	for _, c := range findCases(t, "cases") {
		if !strings.Contains(filepath.ToSlash(c.path), "/group/") {
			continue
		}
		files := c.files(t)
		r := files.judge()
		expectInputs(t, c.path, files, r)
		expectOutcomes(t, c.path, r)
		expectCriteria(t, c.path, r)
		expectClasses(t, c.path, r)
		blocks, all := map[int64]int{}, 0
		for _, f := range r.Findings {
			if f.Severity == string(input.Block) {
				blocks[f.Location.PullRequest]++
				all++
			}
		}
		want := map[int64]int{}
		for _, p := range r.PullRequests {
			if p.Counts.Block > 0 {
				want[p.Number] = p.Counts.Block
			}
		}
		delete(blocks, 0)
		if !maps.Equal(blocks, want) || all != r.Counts.Block {
			t.Errorf("%s: findings %v, counts %v, %d of %d", c.path, blocks, want, all, r.Counts.Block)
		}
		if r.Verdict == report.Overridden && r.Settings.Override == nil {
			t.Errorf("%s: it is overridden, and the report does not say who may", c.path)
		}
		if r.Override != nil || r.OverrideCode != nil {
			t.Errorf("%s: the group itself has an override or its code", c.path)
		}
	}
}

// The changed files of a merge group and its pull requests count together: each list alone is within the limit.
func TestGroupLimitsFilesTogether(t *testing.T) {
	c := readCase(t, filepath.Join(root, "cases/group/passed.both-touch.txtar"))
	files := c.files(t)
	for _, want := range []struct {
		files   int
		verdict string
	}{{2, "passed"}, {1, "failed"}} { // a file in the group, and in each of its two pull requests
		b := files.bundle()
		b.Settings.Limits.Files = want.files
		r := verify.Judge(b)
		limited := slices.ContainsFunc(r.Findings, func(f report.Finding) bool { return f.Code == "limit.exceeded" })
		if r.Verdict != want.verdict || limited == (want.verdict == "passed") {
			t.Errorf("%d files: %s, %s", want.files, r.Verdict, summary(r))
		}
	}
}

package backtest

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/policy"
	"github.com/closeout-gate/closeout/verify/report"
)

// ground is a repository with some files under a contract that forbids secrets/** and protects docs/legal.md.
func ground(t testing.TB, files ...string) *Ground {
	t.Helper()
	c, errs := contract.Parse("scope_contract.json", []byte(`{"allowed_files": ["src/**"], "forbidden_files": ["**/secrets/**"],
		"protected_files": ["docs/legal.md"], "acceptance_criteria": ["make test"], "rollback_plan": "Revert it."}`), input.DefaultLimits())
	if errs.Any() {
		t.Fatal(errs.All())
	}
	p, problems := policy.Join([]policy.Source{{Contract: c, Kind: "contract", Trust: facts.TrustBase}}, "t")
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	tip := make([]change.Change, len(files))
	for i, file := range files {
		tip[i].Path = file
	}
	return NewGround(p, tip)
}

// blocked is a merge that findings block: "code path", or a path that is off scope.
func blocked(author string, findings ...string) Merge {
	s := &verify.Screened{Verdict: report.Failed}
	for _, text := range findings {
		code, path, found := strings.Cut(text, " ")
		if !found {
			code, path = offScope, text
		}
		s.Findings = append(s.Findings, report.Finding{Code: code, Severity: "block", Location: report.Location{Path: path}})
	}
	return NewMerge(Origin{Commit: strings.Repeat("a", 40), Author: author, Subject: "subject"}, s, nil)
}

// TestGlobs wants the smallest list that lets merges through, and none that covers a file of which every change is denied.
func TestGlobs(t *testing.T) {
	for name, c := range map[string]struct {
		tip    []string
		merges [][]string
		want   string
	}{
		"nothing is blocked":             {nil, nil, ""},
		"the highest directory":          {nil, [][]string{{"a/b/c.txt"}, {"a/d/e.txt"}}, "a/** 2/2"},
		"a file of the root":             {nil, [][]string{{"README"}}, "README 1/1"},
		"most merges first":              {nil, [][]string{{"a/1"}, {"b/1"}, {"b/2"}}, "b/** 2/2, a/** 1/3"},
		"a set that is needed together":  {nil, [][]string{{"a/1"}, {"b/1", "c/1"}, {"b/1", "c/1"}, {"b/1", "c/1"}}, "b/** 3/0, c/** 3/3, a/** 1/4"},
		"other findings stay":            {nil, [][]string{{"a/1", "scope.protected Makefile"}}, ""},
		"not above a protected file":     {[]string{"docs/legal.md"}, [][]string{{"docs/a.md"}, {"docs/en/b.md"}}, "docs/a.md 1/1, docs/en/** 1/2"},
		"not above a forbidden file":     {[]string{"a/secrets/key"}, [][]string{{"a/1"}}, "a/1 1/1"},
		"not above a built-in one":       {[]string{".github/workflows/ci.yml"}, [][]string{{".github/x/1"}}, ".github/x/** 1/1"},
		"not above a touched one":        {nil, [][]string{{"a/x"}, {"scope.forbidden a/secrets/key"}}, "a/x 1/1"},
		"above one with harmless keys":   {[]string{"a/package.json"}, [][]string{{"a/package.json"}}, "a/** 1/1"},
		"three of a kind":                {[]string{"docs/legal.md"}, [][]string{{"docs/1.rst"}, {"docs/2.rst"}, {"docs/3.rst"}}, "docs/*.rst 3/3"},
		"three of a protected kind":      {[]string{"docs/legal.md"}, [][]string{{"docs/1.md", "docs/2.md", "docs/3.md"}}, "docs/1.md 1/0, docs/2.md 1/0, docs/3.md 1/1"},
		"a name with metacharacters":     {nil, [][]string{{"a*b"}, {"x/[id].ts"}, {`c\d`}, {"!e"}}, ""},
		"a directory beside such a name": {nil, [][]string{{"x/[id].ts"}, {"x/y.ts"}}, "x/** 1/1"},
	} {
		var merges []Merge
		for _, findings := range c.merges {
			merges = append(merges, blocked("mona", findings...))
		}
		var got []string
		for _, g := range ground(t, c.tip...).propose(merges) {
			got = append(got, fmt.Sprintf("%s %d/%d", g.Glob, g.Merges, g.Passed))
		}
		if text := strings.Join(got, ", "); text != c.want {
			t.Errorf("%s: got %s, want %s", name, text, c.want)
		}
	}
}

// TestGlobsAreFew has more merges than globs may be proposed, and needs sets that are larger than the list.
func TestGlobsAreFew(t *testing.T) {
	var merges []Merge
	var all []string
	for i := range maxGlobs + 5 {
		merges = append(merges, blocked("mona", fmt.Sprintf("d%02d/x", i)))
		all = append(all, fmt.Sprintf("e%02d/x", i))
	}
	got := ground(t).propose(append(merges, blocked("mona", all...)))
	if len(got) != maxGlobs || got[maxGlobs-1].Passed != maxGlobs {
		t.Errorf("got %d globs: %v", len(got), got)
	}
	if got := ground(t).propose([]Merge{blocked("mona", all...)}); len(got) != 0 {
		t.Errorf("globs that let nothing through: %v", got)
	}
}

// TestAMergeWithMoreFindingsThanListed gets no proposal: what is not listed might need another glob.
func TestAMergeWithMoreFindingsThanListed(t *testing.T) {
	m := NewMerge(Origin{Commit: "c", Author: "mona", Subject: "s"}, &verify.Screened{Verdict: report.Failed, Omitted: 1, Findings: blockedFindings("a/1")}, nil)
	if got := ground(t).propose([]Merge{m}); len(got) != 0 {
		t.Errorf("got %v", got)
	}
}

func blockedFindings(path string) []report.Finding {
	return []report.Finding{{Code: offScope, Severity: "block", Location: report.Location{Path: path}}}
}

// TestAdd counts merges of each kind, but one without a change. What is unknown never passes, also beside a finding that blocks.
func TestAdd(t *testing.T) {
	unknown := report.Finding{Code: "diff.incomplete", Severity: "unknown", Message: "lost", Fix: "fetch"}
	merges := []Merge{
		NewMerge(Origin{Commit: "1", Author: "", Subject: ""}, &verify.Screened{Verdict: report.Passed}, nil),
		NewMerge(Origin{Commit: "2", Author: "eve", Subject: ""}, &verify.Screened{Verdict: report.Passed}, nil),
		blocked("eve", "scope.protected Makefile", "scope.protected tox.ini"),
		blocked("mona", "a/1", "a/1", "scope.protected Makefile"),
		blocked("mona", "a/1"),
		blocked("hubot", "scope.empty_diff "),
		blocked("hubot", "limit.change "),
		NewMerge(Origin{Commit: "6", Author: "eve", Subject: ""}, &verify.Screened{Verdict: report.Failed, Findings: append(blockedFindings("a/1"), unknown)}, nil),
		Lost(Origin{Commit: "7", Author: "eve"}, "broken"),
	}
	r := &Result{}
	r.Add(merges, nil)
	if want := (Counts{Counted: Counted{Merges: 8, Passed: 2, Blocked: 4, Unknown: 2, ProtectedOnly: 1, OffScopeOnly: 1}, LeftOut: LeftOut{Empty: 1}}); r.Counts != want {
		t.Errorf("counts %+v", r.Counts)
	}
	if want := []Code{{offScope, 2, 3}, {protected, 2, 3}, {"limit.change", 1, 1}}; !slices.Equal(r.Codes, want) {
		t.Errorf("codes %+v", r.Codes)
	}
	if want := []File{{"Makefile", protected, 2}, {"a/1", offScope, 2}, {"tox.ini", protected, 1}}; !slices.Equal(r.Files, want) {
		t.Errorf("files %+v", r.Files)
	}
	if want := []Author{{"mona", false, 2, 2}, {"eve", false, 4, 1}, {"hubot", false, 1, 1}}; !slices.Equal(r.Authors, want) {
		t.Errorf("authors %+v", r.Authors)
	}
	if want := []Unknown{{"6", "eve", "lost", "fetch"}, {"7", "eve", "broken", merges[8].fix}}; !slices.Equal(r.Unknown, want) {
		t.Errorf("unknown %+v", r.Unknown)
	}
	want := Blocked{Commit: merges[3].Commit, Author: "mona", Subject: "subject", Codes: []string{offScope, protected}, Files: []string{"Makefile", "a/1"}, Findings: 3}
	if len(r.Blocked) != 4 || !reflect.DeepEqual(r.Blocked[1], want) {
		t.Errorf("blocked %+v", r.Blocked)
	}
	if r.Globs != nil {
		t.Errorf("globs without knowing the files of the tip: %v", r.Globs)
	}
}

// TestWhatIsGone leaves out files that a layout of today cannot know. A file of the root that the merge added is not one: it is what a
// contract stops.
func TestWhatIsGone(t *testing.T) {
	g := ground(t, "src/a.go", "docs/b.md", "README")
	for name, c := range map[string]struct {
		path, actual string
		want         string
	}{
		"in a directory that is gone":  {"old/a.go", "modified", gone},
		"added there":                  {"old/a.go", "added (mode 100644)", gone},
		"gone from a directory":        {"docs/c.md", "deleted", report.Failed},
		"of the root, and gone":        {"setup.cfg", "deleted", gone},
		"added to the root, then gone": {"notes.txt", "added (mode 100644)", report.Failed},
		"there":                        {"README", "modified", report.Failed},
	} {
		found := blockedFindings(c.path)
		found[0].Actual = c.actual
		if got := NewMerge(Origin{Author: "eve"}, &verify.Screened{Verdict: report.Failed, Findings: found}, g); got.verdict != c.want {
			t.Errorf("%s: %s, want %s", name, got.verdict, c.want)
		}
	}
	protectedToo := append(blockedFindings("old/a.go"), report.Finding{Code: protected, Severity: "block", Location: report.Location{Path: "Makefile"}})
	if m := NewMerge(Origin{}, &verify.Screened{Verdict: report.Failed, Findings: protectedToo}, g); !m.only(protected) {
		t.Errorf("with a protected file: %v", m.codes)
	}
}

// TestListsAreCut wants long lists to end, and what is left out to be counted.
func TestListsAreCut(t *testing.T) {
	var merges []Merge
	for i := range maxListed + 3 {
		merges = append(merges, blocked(fmt.Sprint("author", i), fmt.Sprint("file", i)))
	}
	r := &Result{}
	r.Add(merges, ground(t))
	if len(r.Files) != maxListed || r.Omitted != 3 || len(r.Authors) != maxListed || r.Others != 3 || len(r.Blocked) != maxListed+3 {
		t.Errorf("%d files and %d more, %d authors and %d more", len(r.Files), r.Omitted, len(r.Authors), r.Others)
	}
	var many []string
	for i := range maxFiles + 1 {
		many = append(many, fmt.Sprint("file", i))
	}
	r.Add([]Merge{blocked("mona", many...)}, nil)
	if files := r.Blocked[0].Files; len(files) != maxFiles {
		t.Errorf("%d files of a merge are listed", len(files))
	}
}

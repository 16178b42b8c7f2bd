package clone

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/policy"
	"github.com/closeout-gate/closeout/verify/report"
)

// history is what git fast-import reads.
type history struct{ bytes.Buffer }

func (h *history) commit(mark int) {
	fmt.Fprintf(h, "commit refs/heads/main\nmark :%d\ncommitter c <c@example.org> %d +0000\ndata 1\nm\n", mark, 1_700_000_000+mark)
}

func (h *history) put(mode, path, text string) {
	fmt.Fprintf(h, "M %s inline %s\ndata %d\n%s\n", mode, path, len(text), text)
}

func openTest(t testing.TB, dir string) *Clone {
	t.Helper()
	git, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { git.Close() })
	return git
}

// from begins a commit with parents.
func (h *history) from(mark int, parents ...int) {
	h.commit(mark)
	for i, p := range parents {
		fmt.Fprintf(h, "%s :%d\n", [2]string{"from", "merge"}[min(i, 1)], p)
	}
}

// marked makes a repository, and lists the commits by their marks.
func (h *history) marked(t testing.TB) (dir string, ids map[int]string) {
	t.Helper()
	dir, ids = t.TempDir(), map[int]string{}
	marks := filepath.Join(dir, "marks")
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"fast-import", "--quiet", "--force", "--export-marks=" + marks}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if args[0] == "fast-import" {
			cmd.Stdin = &h.Buffer
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", args, err, out)
		}
	}
	text, err := os.ReadFile(marks)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var mark int
		var id string
		if _, err := fmt.Sscanf(line, ":%d %s", &mark, &id); err == nil {
			ids[mark] = id
		}
	}
	return dir, ids
}

const ten = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"

const (
	evidenceFile = ".closeout/evidence/e.jsonl"
	evidenceLog  = `{"command": ["true"], "exit_code": 0}` + "\n"
)

// bindingHistory has a change (2) of a base (1), and what may become of it.
func bindingHistory() *history {
	h := &history{}
	put := func(mark int, files map[string]string, parents ...int) {
		h.from(mark, parents...)
		for _, name := range []string{"a", "b", "c", "gone", "n", evidenceFile} {
			if text, ok := files[name]; ok {
				h.put("100644", name, text)
			}
		}
	}
	first, last := "one"+ten[1:], strings.Replace(ten, "10\n", "ten\n", 1)
	both := "one" + last[1:]
	change := func(a string) map[string]string { return map[string]string{"a": a, "n": "new"} }
	gone := func() { h.WriteString("D gone\n") }
	put(1, map[string]string{"a": ten, "b": "b", "c": "c", "gone": "g"})
	put(2, change(first), 1)
	gone()
	put(3, map[string]string{"b": "b of another"}, 1)
	put(4, map[string]string{"a": last}, 3)

	put(10, change(first), 3) // squashed
	gone()
	put(11, change(first), 3, 2) // merged
	gone()
	put(12, map[string]string{"a": first, "n": "new", "c": "more"}, 3)
	gone()
	put(13, change(first+"more\n"), 3)
	gone()
	put(14, map[string]string{"a": first}, 3)
	gone()
	put(15, map[string]string{"a": first, "n": "new", "b": "evil"}, 3, 2)
	gone()
	put(16, change(first), 3) // gone is still there
	put(17, change(first), 3) // two commits of a rebase
	put(18, map[string]string{}, 17)
	gone()

	put(20, change(both), 4)
	gone()
	put(21, change(both+"evil\n"), 4)
	gone()
	put(22, change(both), 4, 2)
	gone()
	put(23, change(both+"evil\n"), 4, 2)
	gone()
	put(24, change(first), 4) // reverts what the branch has
	gone()

	near := strings.Replace(ten, "2\n", "two\n", 1) // beside the line of the change
	put(5, map[string]string{"a": near}, 3)
	put(25, change("one"+near[1:]), 5, 2)
	gone()
	put(26, change("one"+near[1:]+"evil\n"), 5, 2)
	gone()

	with := func(evidence string) map[string]string {
		return map[string]string{"a": first, "n": "new", evidenceFile: evidence}
	}
	put(30, with("data"), 1) // the tree of the head, and what is not evidence
	gone()
	put(31, with(evidenceLog), 1) // the tree of the head, and evidence
	gone()
	put(32, with("data"), 3, 2) // an evil merge
	gone()
	put(6, map[string]string{evidenceFile: "old"}, 1)
	put(33, change(first), 6) // and old evidence is gone
	gone()
	h.WriteString("D " + evidenceFile + "\n")
	put(7, with(evidenceLog), 1) // a head with evidence
	gone()
	put(34, with(evidenceLog), 3) // squashed
	gone()
	put(35, with("data"), 3) // with other evidence
	gone()
	put(36, with(evidenceLog+evidenceLog), 3)
	gone()
	put(37, change(first), 3) // without
	gone()
	put(38, with(strings.Replace(evidenceLog, `"exit_code"`, `"stdout": "AKIA`+`QYLPMN5HFIQR7BBB", "exit_code"`, 1)), 1) // with a secret
	gone()
	return h
}

// branchPolicy is the policy of a contract that lets changes bring evidence along.
func branchPolicy(t *testing.T, forbidden string) *policy.Policy {
	t.Helper()
	text := `{"allowed_files": ["src/**"], "forbidden_files": [` + forbidden + `], "rollback_plan": "revert", "acceptance_criteria": ["true"], "evidence": {"committed": true}}`
	c, errs := contract.Parse("scope_contract.json", []byte(text), input.DefaultLimits())
	if errs.Any() {
		t.Fatal(errs)
	}
	p, _ := policy.Join([]policy.Source{{Contract: c, Kind: "contract", File: "scope_contract.json", Trust: facts.TrustBase}}, "")
	return p
}

func TestBinding(t *testing.T) {
	dir, ids := bindingHistory().marked(t)
	git := openTest(t, dir)
	changes, err := git.Changes(ids[1], ids[2])
	if err != nil {
		t.Fatal(err)
	}
	tree, err := git.CodeTree(ids[2], ".closeout/evidence")
	if err != nil {
		t.Fatal(err)
	}
	decided := Decided{Head: ids[2], CodeTree: tree, EvidenceDir: ".closeout/evidence", MergeBase: ids[1], Changes: changes, HasIDs: true}
	lie := decided
	lie.Changes = changes[:1]
	forged := decided
	forged.Changes = slices.Clone(changes)
	forged.Changes[0].OldID = changes[1].NewID
	paths := decided
	paths.HasIDs = false
	committed := decided
	committed.Policy = branchPolicy(t, `"db/**"`)
	forbidding := decided
	forbidding.Policy = branchPolicy(t, `"**/*.jsonl"`)
	logged := committed
	logged.Head = ids[7]
	if logged.Changes, err = git.Changes(ids[1], ids[7]); err != nil {
		t.Fatal(err)
	}
	strictly := logged
	strictly.Policy = nil
	const exact, files, partly, none = report.BindingExact, report.BindingFiles, report.BindingPartly, report.BindingNone
	for _, c := range []struct {
		what    string
		decided Decided
		parent  int
		commits []int
		want    string
		path    string
	}{
		{"the head itself", decided, 1, []int{2}, exact, ""},
		{"squashed", decided, 3, []int{10}, files, ""},
		{"merged", decided, 3, []int{11}, exact, ""},
		{"another file", decided, 3, []int{12}, none, "c"},
		{"another content", decided, 3, []int{13}, none, "a"},
		{"a file is missing", decided, 3, []int{14}, none, "n"},
		{"evil merge", decided, 3, []int{15}, none, "b"},
		{"a deletion is missing", decided, 3, []int{16}, none, "gone"},
		{"rebased", decided, 3, []int{17, 18}, files, ""},
		{"half of a rebase", decided, 3, []int{17}, none, "gone"},
		{"squashed with the branch's lines", decided, 4, []int{20}, files, ""},
		{"squashed with other lines", decided, 4, []int{21}, none, "a"},
		{"merged with the branch's lines", decided, 4, []int{22}, exact, ""},
		{"merged with other lines", decided, 4, []int{23}, none, "a"},
		{"merged without the branch's lines", decided, 4, []int{24}, none, "a"},
		{"merged with lines beside those of the branch", decided, 5, []int{25}, partly, "a"},
		{"merged with lines beside those of the branch, and others", decided, 5, []int{26}, none, "a"},
		{"the code tree, with data as evidence", decided, 1, []int{30}, none, evidenceFile},
		{"the code tree, with data where evidence may be committed", committed, 1, []int{30}, none, evidenceFile},
		{"the code tree, with evidence", decided, 1, []int{31}, none, evidenceFile},
		{"the code tree, with evidence that may be committed", committed, 1, []int{31}, exact, ""},
		{"the code tree, with evidence that the contract forbids", forbidding, 1, []int{31}, none, evidenceFile},
		{"the code tree, with a secret in the evidence", committed, 1, []int{38}, none, evidenceFile},
		{"a merge, with data as evidence", decided, 3, []int{32}, none, evidenceFile},
		{"old evidence is gone", decided, 6, []int{33}, exact, ""},
		{"judged evidence, squashed", strictly, 3, []int{34}, files, ""},
		{"judged evidence, other content", strictly, 3, []int{36}, none, evidenceFile},
		{"judged evidence, other content that may be committed", logged, 3, []int{36}, files, ""},
		{"judged evidence, data in its place", logged, 3, []int{35}, none, evidenceFile},
		{"judged evidence, left out", strictly, 3, []int{37}, files, ""},
		{"without ids, data as evidence", paths, 1, []int{30}, none, evidenceFile},
		{"a list that leaves out files", lie, 1, []int{2}, none, "gone"},
		{"a list with another past", forged, 3, []int{10}, none, "a"},
		{"without ids, the head", paths, 1, []int{2}, exact, ""},
		{"without ids, squashed", paths, 3, []int{10}, none, ""},
	} {
		t.Run(c.what, func(t *testing.T) {
			m := Merged{Parent: ids[c.parent]}
			for _, mark := range c.commits {
				m.Commits = append(m.Commits, ids[mark])
			}
			got, err := git.Binding(m, c.decided)
			if err != nil || got.How != c.want || got.Path != c.path {
				t.Errorf("got %+v, %v; want %s because of %q", got, err, c.want, c.path)
			}
		})
	}
}

// TestBindingWithoutBlobs wants partly where the head's version of a file that both sides changed is not in the clone.
func TestBindingWithoutBlobs(t *testing.T) {
	dir, ids := bindingHistory().marked(t)
	git := openTest(t, dir)
	changes, err := git.Changes(ids[1], ids[2])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, ".git/objects", changes[0].NewID[:2], changes[0].NewID[2:])); err != nil {
		t.Fatal(err)
	}
	decided := Decided{Head: ids[2], EvidenceDir: ".closeout/evidence", MergeBase: ids[1], Changes: changes, HasIDs: true}
	for mark, want := range map[int]string{20: report.BindingPartly, 22: report.BindingPartly, 24: report.BindingPartly} {
		if got, err := git.Binding(Merged{Commits: []string{ids[mark]}, Parent: ids[4]}, decided); err != nil || got.How != want || got.Path != "a" {
			t.Errorf("%d: got %+v, %v; want %s", mark, got, err, want)
		}
	}
	decided.MergeBase = ids[3] // which the changes are not about: b had not changed there
	decided.Changes = append(decided.Changes[:0:0], decided.Changes...)
	decided.Changes[0].OldID = changes[1].OldID
	if got, err := git.Binding(Merged{Commits: []string{ids[20]}, Parent: ids[4]}, decided); err != nil || got.How != report.BindingNone {
		t.Errorf("with a wrong list: got %+v, %v", got, err)
	}
}

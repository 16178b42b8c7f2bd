package collect

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/replay"
	"github.com/closeout-gate/closeout/verify/report"
)

const (
	pinnedContract = `{"allowed_files": ["src/**"], "forbidden_files": ["x/**"], "acceptance_criteria": [{"id": "unit", "run": ["sh", "test.sh"]}],
		"rollback_plan": "revert"}`
	wideContract = `{"allowed_files": ["**"], "forbidden_files": ["x/**"], "acceptance_criteria": [{"id": "t", "run": ["true"]}], "rollback_plan": "revert"}`
	itemContract = `{"task_id": "T-1", "goal": "g", "allowed_files": ["src/a/**"], "forbidden_files": ["x/**"], "acceptance_criteria": [{"id": "a", "run": ["make", "a"]}],
		"rollback_plan": "revert"}`
)

// started is a pinned base, :1; what was committed before an item was claimed, :2, which the item's changes start from; and then
// what the item does, in commits that the case writes.
func started(t *testing.T, rest func(h *history)) (git *Git, commit func(mark int) string) {
	var h history
	h.commit(1)
	h.put("100644", ".closeout/scope_contract.json", pinnedContract)
	h.put("100644", ".closeout/tasks/T-0.json", strings.ReplaceAll(itemContract, "T-1", "T-0"))
	h.put("100644", "test.sh", "true")
	h.put("100644", "package.json", `{"scripts": {"test": "a"}}`)
	h.put("100644", "coverage_report.json", `{"current": 0.9}`)
	h.commit(2)
	h.put("100644", ".closeout/scope_contract.json", wideContract)
	h.put("100644", "coverage_report.json", `{"current": 0.1}`)
	h.put("100644", ".closeout/tasks/T-0.json", strings.ReplaceAll(wideContract, `"allowed`, `"task_id": "T-0", "goal": "g", "allowed`))
	h.put("100644", "earlier.txt", "of another item")
	h.put("100644", "package.json", `{"scripts": {"test": "b"}}`)
	fmt.Fprint(&h, "D test.sh\n")
	rest(&h)
	dir, _, _ := h.repository(t)
	return openTest(t, dir), func(mark int) string {
		cmd := exec.Command("git", "log", "--all", fmt.Sprintf("--since=%d +0000", 1_700_000_000+mark), fmt.Sprintf("--until=%d +0000", 1_700_000_000+mark), "--format=%H")
		cmd.Dir = dir
		out, err := cmd.Output()
		if err != nil || len(strings.Fields(string(out))) != 1 {
			t.Fatalf("commit %d: %v %s", mark, err, out)
		}
		return strings.TrimSpace(string(out))
	}
}

// startOptions are those of submit, with a contract of the item on disk.
func startOptions(t *testing.T, root, pinned string) Options {
	file := filepath.Join(t.TempDir(), "items", "T-1", "contract.json")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(itemContract), 0o600); err != nil {
		t.Fatal(err)
	}
	return Options{
		Root: root, ContractsAt: pinned, TaskFiles: []string{file},
		Settings: verify.Settings{Limits: input.DefaultLimits(), Tasks: []string{"T-1"}, Today: "2026-11-23"},
	}
}

// decided writes a bundle, judges it, and checks that the report is the one that a replay gives.
func decided(t *testing.T, found *Found) *report.Report {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "bundle")
	settings := found.Settings
	written, err := WriteBundle(dir, found)
	if err != nil {
		t.Fatal(err)
	}
	written.Settings = settings
	written.Settings.Limits = input.DefaultLimits()
	r := verify.Judge(written.Bundle)
	data, err := report.Canonical(r)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := Bundle(dir)
	if err != nil {
		t.Fatal(err)
	}
	again, err := replay.Run(data, r, kept.Bundle)
	if err != nil || !again.Same() {
		t.Errorf("a replay: %v %v", err, again)
	}
	return r
}

// scopeFindings lists the findings about scope and contracts, and inputs what the report says of the contracts.
func scopeFindings(r *report.Report) (findings, inputs string) {
	for _, f := range r.Findings {
		if strings.HasPrefix(f.Code, "scope.") || strings.HasPrefix(f.Code, "contract.") {
			findings += f.Code + " " + f.Location.Path + "\n"
		}
	}
	for _, in := range r.Inputs {
		if strings.HasSuffix(in.Kind, "contract") {
			ref := ""
			if in.Ref != nil {
				ref = *in.Ref
			}
			inputs += strings.TrimSpace(fmt.Sprint(in.Trust, " ", in.Path, " ", ref)) + "\n"
		}
	}
	return findings, inputs
}

// The contracts are those of the pinned base and the operator's file, whatever was committed since; the changes are those since
// the start of the item.
func TestStart(t *testing.T) {
	for _, test := range []struct {
		name string
		item func(h *history)
		want string // findings
	}{
		{"in scope", func(h *history) { h.put("100644", "src/a/x", "x") }, ""},
		{"allowed by the contract of the start alone", func(h *history) { h.put("100644", "src/b", "x") }, "scope.off_scope src/b\n"},
		{"an edit of the standing contract", func(h *history) { h.put("100644", ".closeout/scope_contract.json", pinnedContract) },
			"contract.changed .closeout/scope_contract.json\n"},
		{"a contract of the task", func(h *history) { h.put("100644", ".closeout/tasks/T-1.json", wideContract) }, "scope.protected .closeout/tasks/T-1.json\n"},
		{"a contract of another task", func(h *history) { h.put("100644", ".closeout/tasks/T-2.json", wideContract) }, "scope.protected .closeout/tasks/T-2.json\n"},
		{"history rewritten", func(h *history) {
			fmt.Fprintf(h, "commit refs/heads/other\nmark :3\ncommitter c <c@example.org> 1700000003 +0000\ndata 1\nm\nfrom :1\n")
			h.put("100644", "src/a/x", "x")
		}, "contract.changed .closeout/scope_contract.json\ncontract.changed .closeout/tasks/T-0.json\nscope.off_scope coverage_report.json\nscope.off_scope earlier.txt\nscope.off_scope test.sh\nscope.protected package.json\n"},
		{"a merge of the start", func(h *history) {
			h.put("100644", "src/a/x", "x")
			fmt.Fprintf(h, "commit refs/heads/other\nmark :3\ncommitter c <c@example.org> 1700000003 +0000\ndata 1\nm\nfrom :1\nmerge :2\nM 100644 inline src/a/y\ndata 1\ny\n")
			fmt.Fprintf(h, "M 100644 inline earlier.txt\ndata 15\nof another item\n")
		}, "contract.changed .closeout/scope_contract.json\ncontract.changed .closeout/tasks/T-0.json\nscope.off_scope coverage_report.json\nscope.off_scope test.sh\nscope.protected package.json\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			git, commit := started(t, func(h *history) {
				if !strings.HasPrefix(test.name, "history") && !strings.HasPrefix(test.name, "a merge") {
					h.commit(3)
				}
				test.item(h)
			})
			pinned, start, head := commit(1), commit(2), commit(3)
			found, err := Trees(git, start, head, startOptions(t, git.Root(), pinned))
			if err != nil {
				t.Fatal(err)
			}
			if f := found.facts; f.Subject.BaseSHA != start || f.Subject.HeadSHA != head {
				t.Errorf("subject %+v", f.Subject)
			}
			if base := found.facts.BaseCoverage; base == nil || base.Commit != pinned {
				t.Errorf("the coverage of before is %+v", base)
			}
			findings, inputs := scopeFindings(decided(t, found))
			if want := fmt.Sprintf("base .closeout/scope_contract.json %s\noperator ../T-1.json\n", pinned); inputs != want || findings != test.want {
				t.Errorf("got\n%s%s\nexpected\n%s%s", inputs, findings, want, test.want)
			}
		})
	}
}

// A task contract of the operator that cannot be used is one of the decision, and one that the change could write is refused.
func TestTaskFile(t *testing.T) {
	git, commit := started(t, func(h *history) {
		h.commit(3)
		h.put("100644", "src/a/x", "x")
	})
	for text, want := range map[string]string{
		itemContract: "", strings.Replace(wideContract, "{", `{"task_id": "T-1", `, 1): "contract.malformed ../T-1.json\n", "{": "contract.malformed ../T-1.json\n",
		strings.ReplaceAll(itemContract, "T-1", "T-2"):   "contract.missing \n",
		strings.ReplaceAll(itemContract, "T-1", "../T"):  "contract.malformed ../T-1.json\n",
		strings.ReplaceAll(itemContract, "src/a", "src"): "", // the standing one narrows it
	} {
		o := startOptions(t, git.Root(), commit(1))
		if err := os.WriteFile(o.TaskFiles[0], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		found, err := Trees(git, commit(2), commit(3), o)
		if err != nil {
			t.Fatal(err)
		}
		if findings, _ := scopeFindings(decided(t, found)); findings != want {
			t.Errorf("%s\ngot %sexpected %s", text, findings, want)
		}
	}
	o := startOptions(t, git.Root(), commit(1))
	o.TaskFiles = []string{filepath.Join(git.Root(), ".git", "T-1.json")}
	if _, err := Trees(git, commit(2), commit(3), o); err == nil || !strings.Contains(err.Error(), "inside the repository") {
		t.Errorf("inside: %v", err)
	}
	o.TaskFiles = []string{filepath.Join(t.TempDir(), "none.json")}
	found, err := Trees(git, commit(2), commit(3), o)
	if err != nil {
		t.Fatal(err)
	}
	found.Settings = o.Settings
	if r := verify.Judge(found.Bundle); r.Verdict == "passed" {
		t.Error("a missing contract passes")
	}
}

package collect

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/input"
)

// TestAddPullReports wants each test report of a merge group once: a bundle has one file of a name. The standing
// contract is that of each pull request too.
func TestAddPullReports(t *testing.T) {
	parsed, errs := contract.Parse("c.json", []byte(placedContract), input.DefaultLimits())
	if errs.Any() {
		t.Fatal(errs.All())
	}
	contracts := &Contracts{files: []contractFile{{parsed: parsed}}}
	found := &Found{Bundle: &verify.Bundle{}, testReports: contracts.testReports()}
	for number := range int64(2) {
		if err := found.AddPull(number+1, &Comparison{}, contracts, &facts.Facts{}); err != nil {
			t.Fatal(err)
		}
	}
	if strings.Join(found.testReports, " ") != "junit.xml" {
		t.Error(found.testReports)
	}
}

// TestBundleFindsPulls finds the pull requests of a merge group by the names of their directories, and nothing outside the
// bundle.
func TestBundleFindsPulls(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	for _, name := range []string{
		"pulls/7/facts.json", "pulls/7/changes.json", "pulls/7/contracts/T-1.json", "pulls/7/contracts/more/T-2.yml", "pulls/7/pr.diff",
		"pulls/7/feedback_record.jsonl", "pulls/7/contracts/notes.txt", "pulls/12/changes.json", "pulls/07/facts.json", "pulls/-1/facts.json", "pulls/0/facts.json",
		"pulls/x/facts.json", "pulls/9999999999999999/facts.json", "pulls/facts.json", "facts.json",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(outside, "facts.json"), []byte("outside"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "pulls", "8")); err != nil {
		t.Fatal(err)
	}
	if _, err := Bundle(dir); err == nil || !strings.Contains(err.Error(), `"pulls/8/contracts" of the bundle cannot be listed`) {
		t.Errorf("a symlink out of the bundle gives %v", err)
	}
	if err := os.Remove(filepath.Join(dir, "pulls", "8")); err != nil {
		t.Fatal(err)
	}
	found, err := Bundle(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, part := range found.Parts {
		for _, in := range part.Inputs {
			f, err := in.Open()
			if err != nil {
				t.Fatal(err)
			}
			data, err := io.ReadAll(f)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, fmt.Sprintf("%d %s %s %s", part.PullRequest, in.Kind, in.Name, data))
		}
	}
	want := `12 changes changes.json pulls/12/changes.json
7 facts facts.json pulls/7/facts.json
7 changes changes.json pulls/7/changes.json
7 task_contract contracts/T-1.json pulls/7/contracts/T-1.json
7 task_contract contracts/more/T-2.yml pulls/7/contracts/more/T-2.yml`
	if text := strings.Join(got, "\n"); text != want {
		t.Errorf("got\n%s\nexpected\n%s", text, want)
	}
	if !found.Contains(filepath.Join(dir, "pulls/7/facts.json")) || !found.Contains(filepath.Join(dir, "pulls/99/report.json")) {
		t.Error("a report may be written over the part of a pull request")
	}
}

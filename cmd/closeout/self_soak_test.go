//go:build soak

package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/run"
)

const ownContract = ".closeout/scope_contract.json"

// ownGateFiles are the files whose changes a maintainer of this repository must override: those that are the gate itself.
var ownGateFiles = regexp.MustCompile(`^(action\.yml|\.github/.*|\.closeout/.*|docs/examples/must-fail\.sh)$`)

// judgedHistory is what backtest prints.
type judgedHistory struct {
	Counts       struct{ Merges, Blocked, Unknown int }
	Files        []struct{ Path, Code string }
	FilesOmitted int `json:"files_omitted"`
}

// judgeHistory judges the history of this repository with a contract.
func judgeHistory(t *testing.T, contract string) (h judgedHistory) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(repository, ".git")); err != nil {
		t.Skip("these files are no clone, so there is no history to judge")
	}
	out, err := exec.Command("git", "-C", repository, "rev-parse", "--is-shallow-repository").Output()
	if err != nil || strings.TrimSpace(string(out)) != "false" {
		t.Skipf("the clone is shallow, or git is not installed, so there is no history to judge: %s, %v", out, err)
	}
	text, status := printed(t, "backtest", "--repo", repository, "--branch", "HEAD", "--contract-file", contract, "--format", "json")
	if err := json.Unmarshal([]byte(text), &h); status != run.ExitPassed || err != nil {
		t.Fatalf("backtest: exit status %d, %v\n%s", status, err, text)
	}
	return h
}

// TestSoakOwnHistory judges the changes of this repository by its own contract: only what changes the gate itself is blocked.
func TestSoakOwnHistory(t *testing.T) {
	h := judgeHistory(t, filepath.Join(repository, ownContract))
	if h.Counts.Merges == 0 || h.Counts.Unknown > 0 || h.FilesOmitted > 0 {
		t.Errorf("judged: %+v", h)
	}
	for _, f := range h.Files {
		if f.Code != "scope.protected" && f.Code != "contract.changed" || !ownGateFiles.MatchString(f.Path) {
			t.Errorf("%s: %s: let %s match the files of the project", f.Path, f.Code, ownContract)
		}
	}
}

// TestSoakOwnHistoryNarrow judges the same changes by a contract that forgot the tests' data.
func TestSoakOwnHistoryNarrow(t *testing.T) {
	contract := string(readWorkflow(t, ownContract))
	if !strings.Contains(contract, `"testdata/**", `) {
		t.Fatalf("%s does not allow testdata", ownContract)
	}
	path := filepath.Join(t.TempDir(), "scope_contract.json")
	writeFile(t, path, strings.Replace(contract, `"testdata/**", `, "", 1))
	h := judgeHistory(t, path)
	if h.Counts.Merges < 20 {
		t.Skipf("only %d changes", h.Counts.Merges)
	}
	for _, f := range h.Files {
		if f.Code == "scope.off_scope" && strings.HasPrefix(f.Path, "testdata/") {
			return
		}
	}
	t.Errorf("no file below testdata is off scope: %+v", h)
}

// TestSoakOwnControl wants the patch of the contract's negative control to fit the code.
func TestSoakOwnControl(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	const patch = ".closeout/controls/author-overrides.patch"
	if !strings.Contains(string(readWorkflow(t, ownContract)), patch) {
		t.Errorf("%s does not name %s", ownContract, patch)
	}
	c := exec.Command("git", "apply", "--check", patch)
	c.Dir = repository
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("the negative control is out of date: break isAuthor by hand, and save git diff as %s\n%s", patch, out)
	}
}

// TestSoakOwnLint wants no mistake in the contract and the workflows of this repository.
func TestSoakOwnLint(t *testing.T) {
	if _, err := os.Stat(filepath.Join(repository, ".git")); err != nil {
		t.Skip("these files are no clone, and lint compares patterns with tracked files")
	}
	if text, status := printed(t, "lint", "--repo", repository, "--strict"); status != run.ExitPassed || !strings.Contains(text, "lint: 0 block, 0 warn") {
		t.Errorf("exit status %d\n%s", status, text)
	}
}

package main

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/rhysd/actionlint"
)

// TestAttestJob checks the jobs that docs/later.md shows: they lint, every action is pinned, and only the job that signs may.
func TestAttestJob(t *testing.T) {
	page := string(readWorkflow(t, "docs/later.md"))
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(page, -1)
	if len(blocks) != 2 || !strings.HasPrefix(blocks[0][1], "  closeout:\n") || !strings.HasPrefix(blocks[1][1], "  attest:\n") {
		t.Fatalf("%d blocks", len(blocks))
	}
	gate := strings.Replace(blocks[0][1], "  closeout:\n", "  closeout:\n    runs-on: ubuntu-latest\n    permissions: {contents: read}\n", 1)
	text := "name: closeout\non: pull_request\npermissions: {}\njobs:\n" + gate + blocks[1][1]
	linter, err := actionlint.NewLinter(&bytes.Buffer{}, &actionlint.LinterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	errs, err := linter.Lint("closeout.yml", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range errs {
		t.Error(e)
	}
	w, _ := actionlint.Parse([]byte(text))
	attest := w.Jobs["attest"]
	if got := permissions(attest.Permissions); got != "attestations: write, id-token: write" {
		t.Errorf("the job that signs has the permissions %s", got)
	}
	for _, step := range attest.Steps {
		action, isAction := step.Exec.(*actionlint.ExecAction)
		if isAction && action.Uses.Value != ownSetup && !pinned.MatchString(action.Uses.Value) {
			t.Errorf("%s is not pinned", action.Uses.Value)
		}
		if isAction && strings.HasPrefix(action.Uses.Value, "actions/checkout@") {
			t.Error("the job that signs checks out the change")
		}
	}
	for _, m := range versions.FindAllStringSubmatch(text, -1) {
		if elsewhere := string(readWorkflow(t, twoJobs)); m[2] == "" || strings.Contains(elsewhere, strings.SplitAfter(m[1], "@")[0]) && !strings.Contains(elsewhere, m[0]) {
			t.Errorf("%s: it names no version, or another one than %s", m[0], twoJobs)
		}
	}
}

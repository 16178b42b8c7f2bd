package main

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// gateWorkflow has a gate and a step after it that reads the outputs, also of a gate that failed.
const gateWorkflow = `on: pull_request
jobs:
  gate:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v7
      - id: gate
        uses: ./gate
        with:
          token: token
          api_url: API
          feedback: log.jsonl
          rules: rules.json
      - if: always()
        env:
          VERDICT: ${{ steps.gate.outputs.verdict }}
          REPORT: ${{ steps.gate.outputs.report }}
        run: |
          echo "next step: $VERDICT $(grep -o '"override_code":"[^"]*"' "$REPORT")"
`

var (
	imageOfAction = regexp.MustCompile(`(?m)^  image: Dockerfile$`)
	nextStep      = regexp.MustCompile(`next step: (\w+) "override_code":"([a-z2-7-]+)"`)
)

// TestContainerAct is TestContainerOverride with another client: act runs the whole workflow, with the released form of the
// action.
func TestContainerAct(t *testing.T) {
	p := newPullRequest(t, nil)
	if actProgram == "" {
		t.Skip("no act: .ci/container installs it where the module proxy answers, and sets CLOSEOUT_ACT")
	}
	writeFile(t, filepath.Join(p.dir, ".github/workflows/gate.yml"), strings.Replace(gateWorkflow, "API", p.api, 1))
	action := imageOfAction.ReplaceAllString(string(readWorkflow(t, "action.yml")), "  image: docker://"+containerImage)
	writeFile(t, filepath.Join(p.dir, "gate/action.yml"), action)
	writeFile(t, filepath.Join(p.dir, "event.json"), p.event)
	p.fetch(p.dir)

	code := runAct(t, p.dir, false, "failed")
	p.state(code)
	runAct(t, p.dir, true, "overridden")
}

// runAct runs the workflow and expects how the job ends, and what the step after the gate read. It returns the code that
// overrides the findings.
func runAct(t *testing.T, dir string, succeeds bool, verdict string) (code string) {
	t.Helper()
	c := exec.Command(actProgram, "pull_request", "--rm", "-W", ".github/workflows/gate.yml", "-e", "event.json", "-P", "ubuntu-latest="+actRunner,
		"--pull=false", "--action-offline-mode", "--env", "GITHUB_REPOSITORY=o/r", "--container-options", actOptions)
	c.Dir, c.Env = dir, gitEnv("HOME="+t.TempDir(), "XDG_CACHE_HOME="+t.TempDir())
	printed, err := c.CombinedOutput()
	if (err == nil) != succeeds {
		t.Fatalf("act: %v\n%s", err, printed)
	}
	m := nextStep.FindSubmatch(printed)
	if m == nil || string(m[1]) != verdict {
		t.Fatalf("the next step read %q, expected %s\n%s", m, verdict, printed)
	}
	return string(m[2])
}

//go:build linux

package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/agent/item"
	"github.com/closeout-gate/closeout/verify/report"
)

// looped is a repository with one item, T-1, and a state folder.
type looped struct {
	*testing.T
	dir, state, program string
}

func newLooped(t *testing.T) *looped {
	program, err := exec.LookPath("closeout")
	if err != nil {
		t.Fatal(err)
	}
	l := &looped{t, t.TempDir(), t.TempDir(), program}
	for name, text := range map[string]string{
		".closeout/scope_contract.json": `{"allowed_files": ["src/**"], "forbidden_files": ["db/**"], "rules": {"required": false}, "rollback_plan": "revert",
			"acceptance_criteria": [{"id": "sane", "run": ["test", "-d", "src"]}]}`,
		".closeout/tasks/T-1.json": `{"task_id": "T-1", "goal": "one", "allowed_files": ["src/1"], "forbidden_files": ["db/**"], "rollback_plan": "revert",
			"acceptance_criteria": [{"id": "one", "run": ["grep", "good", "src/1"]}]}`,
		".gitignore": ".closeout/evidence\n", "src/keep": "",
	} {
		agentWrites(filepath.Join(l.dir, name), text)
	}
	c := exec.Command("sh", "-ec", "git init -q -b main .; git config user.name agent; git config user.email a@example.com; git add -A; git commit -qm base; git checkout -qb work")
	c.Dir, c.Env = l.dir, gitEnv()
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return l
}

func (l *looped) command(args ...string) *exec.Cmd {
	c := exec.Command(l.program, args...)
	c.Dir, c.Env = l.dir, gitEnv("CLOSEOUT_STATE="+l.state)
	return c
}

func (l *looped) read(name string) string {
	data, err := os.ReadFile(name)
	if err != nil {
		l.Fatal(err)
	}
	return string(data)
}

// TestLoopAlone lets an agent start a second loop in the same work tree.
func TestLoopAlone(t *testing.T) {
	l := newLooped(t)
	out, err := l.command("loop", "--attempts", "1", "--", "sh", "-c", "closeout item loop -- fake-agent crash; echo exit $?").CombinedOutput()
	if err == nil {
		t.Errorf("passed: %s", out)
	}
	if got := l.read(filepath.Join(l.state, "items", "T-1", "1", "agent.out")); got != "exit 2\n" {
		t.Errorf("the second loop: %q", got)
	}
	if got := l.read(filepath.Join(l.state, "items", "T-1", "1", "agent.err")); !strings.Contains(got, "another loop works in this work tree") {
		t.Errorf("the second loop says %q", got)
	}
}

// TestPromptHoldsTheFacts wants in a prompt exactly the findings of the last report, and on standard input the same bytes.
func TestPromptHoldsTheFacts(t *testing.T) {
	l := newLooped(t)
	out, err := l.command("loop", "--attempts", "3", "--", "fake-agent", "read", "fix2={try}", "commit").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	try := func(n, name string) string { return l.read(filepath.Join(l.state, "items", "T-1", n, name)) }
	var r report.Report
	if err := json.Unmarshal([]byte(try("1", "bundle/"+report.FileName)), &r); err != nil {
		t.Fatal(err)
	}
	_, facts, _ := strings.Cut(try("2", "prompt.md"), "## What the last verdict found\n\n")
	facts, _, _ = strings.Cut(facts, "\n\n## ")
	_, want, _ := strings.Cut((&item.Handout{Facts: item.FactsOf(&r)}).Text(), "## What the last verdict found\n\n")
	want, _, _ = strings.Cut(want, "\n\n## ")
	if facts != want || facts == "" {
		t.Errorf("the facts:\n%s\nwant\n%s", facts, want)
	}
	blocking := 0
	for _, f := range r.Findings {
		if item.Severe(f.Severity) {
			blocking++
			if !strings.Contains(facts, "- "+f.Code) {
				t.Errorf("%s is missing", f.Code)
			}
		}
	}
	if n := strings.Count("\n"+facts, "\n- "); n != blocking {
		t.Errorf("%d facts of %d findings", n, blocking)
	}
	for _, n := range []string{"1", "2"} {
		if try(n, "agent.out") != try(n, "prompt.md") {
			t.Errorf("try %s was given other bytes than its prompt", n)
		}
	}
}

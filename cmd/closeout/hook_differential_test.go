package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify/report"
)

// hookContract is the contract of the writes below.
const hookContract = `{
  "allowed_files": ["src/**", "lib/exact.go", "link", "docs/[a-c]*.md", "package.json", "go.mod", "NFC-\u00e9.txt"],
  "forbidden_files": ["src/secret/**", "**/*.pem"],
  "docs_paths_soft": ["notes/**"],
  "protected_files": ["src/core.go"],
  "severity_by_path": [{"files": ["examples/**"], "severity": "warn"}, {"files": ["scratch/**"], "severity": "info"}],
  "violation_budget": %BUDGET%,
  "rollback_plan": "Revert.",
  "acceptance_criteria": [{"id": "unit", "run": ["sh", "ci/test.sh"], "test_report": "reports/unit.xml"}, {"run": ["sh", "src/check.sh"]}]
}`

// hookFiles are those of the base.
var hookFiles = map[string]string{
	"src/a.go": "a", "src/core.go": "core", "src/secret/key": "k", "lib/exact.go": "x", "lib/other.go": "y", "ci/test.sh": "true", "ci/real.sh": "true", "src/real.sh": "true",
	"package.json": `{"scripts": {"test": "true"}}`, "Makefile": "all:\n", "docs/a.md": "a", "README.md": "r", "examples/x.py": "x",
	".closeout/tasks/T-1.json": `{"task_id": "T-1", "goal": "A task.", "rollback_plan": "Revert.", "forbidden_files": ["src/secret/**"], "allowed_files": ["src/**"], "acceptance_criteria": ["true"]}`,
}

// hookWrite is one write, by a tool, and what the hook says. Where it is stricter or milder than the gate, why says so.
type hookWrite struct {
	name, path string // relative to the root, or absolute
	tool       string // "" is Write; Delete is a deletion in a patch
	content    string
	want       string // deny, note or silent
	why        string
}

var hookWrites = []hookWrite{
	{name: "allowed", path: "src/b.go", want: "silent"},
	{name: "allowed, there already", path: "src/a.go", want: "silent"},
	{name: "allowed, deep and new", path: "src/x/y/z.go", want: "silent"},
	{name: "literally allowed", path: "lib/exact.go", want: "silent"},
	{name: "beside a literally allowed one", path: "lib/exact.go.bak", want: "deny"},
	{name: "off scope, new", path: "lib/new.go", want: "deny"},
	{name: "off scope, there already", path: "lib/other.go", want: "deny"},
	{name: "off scope at the root", path: "main.go", want: "deny"},
	{name: "forbidden", path: "src/secret/key", want: "deny"},
	{name: "forbidden, new", path: "src/secret/deep/new", want: "deny"},
	{name: "forbidden by extension", path: "src/tls.pem", want: "deny"},
	{name: "forbidden in another case", path: "src/SECRET/key2", want: "deny"},
	{name: "forbidden extension in another case", path: "src/tls.PEM", want: "deny"},
	{name: "allowed in another case is off scope", path: "SRC/a.go", want: "deny"},
	{name: "protected by the contract", path: "src/core.go", want: "deny"},
	{name: "protected in another case", path: "src/Core.go", want: "deny"},
	{name: "a workflow", path: ".github/workflows/ci.yml", want: "deny"},
	{name: "instructions of an agent", path: "src/CLAUDE.md", want: "deny"},
	{name: "settings of an agent", path: ".claude/settings.json", want: "deny"},
	{name: "a makefile", path: "src/Makefile", want: "deny"},
	{name: "configuration of a test runner", path: "src/conftest.py", want: "deny"},
	{name: "the program that a criterion names", path: "ci/test.sh", want: "deny"},
	{name: "where the link of that program leads", path: "src/real.sh", want: "deny"},
	{name: "beside the program", path: "src/test.sh", want: "silent"},
	{name: "the standing contract", path: ".closeout/scope_contract.json", want: "deny"},
	{name: "a second standing contract", path: ".closeout/scope_contract.yaml", want: "deny"},
	{name: "a task contract of the base", path: ".closeout/tasks/T-1.json", want: "deny"},
	{name: "a new task contract", path: ".closeout/tasks/T-2.json", content: `{"task_id": "T-2", "goal": "Another.", "rollback_plan": "Revert.", "forbidden_files": ["src/secret/**"], "allowed_files": ["src/**"], "acceptance_criteria": ["true"]}`, want: "silent"},
	{name: "a new file of the gate", path: ".closeout/x.json", want: "deny"},
	{name: "a reason", path: ".closeout/evidence/blocked.md", want: "silent", why: "git ignores it; the gate blocks it where it is committed"},
	{name: "evidence that could run", path: ".closeout/evidence/run.sh", want: "deny"},
	{name: "a feedback log", path: ".closeout/evidence/feedback_record.jsonl", want: "deny", why: "records are written by closeout record; the gate judges their content"},
	{name: "a feedback log of a job", path: ".closeout/evidence/job/Feedback_Record.jsonl", want: "deny", why: "as the one before"},
	{name: "a rule report", path: ".closeout/evidence/rule_report.json", want: "deny", why: "as the one before"},
	{name: "a test report of a criterion", path: "reports/unit.xml", want: "deny"},
	{name: "reports of a merge", path: ".closeout/reports/1.json", want: "deny"},
	{name: "soft", path: "notes/today.txt", want: "silent"},
	{name: "off scope at warn", path: "examples/x.py", want: "note"},
	{name: "off scope at info", path: "scratch/x", want: "silent"},
	{name: "a class in a pattern", path: "docs/b.md", want: "silent"},
	{name: "not in the class", path: "docs/z.md", want: "deny"},
	{name: "new keys of a manifest", path: "package.json", content: `{"scripts": {"test": "true"}, "dependencies": {"a": "1"}}`, want: "silent", why: "the keys are not known before the write; the gate looks at them"},
	{name: "a new manifest with replace", path: "go.mod", content: "module m\n", want: "deny"},
	{name: "through a link inside", path: "src/to_lib/hidden.go", want: "deny"},
	{name: "through a link to a forbidden file that is not there", path: "src/dangling", want: "deny"},
	{name: "through a link in the scope", path: "src/to_x/in.go", want: "silent"},
	{name: "through a link from outside", path: "lib/to_src/in.go", want: "silent"},
	{name: "a link from outside itself", path: "lib/to_a", want: "deny", why: "the gate sees only where it leads; a tool may replace the link"},
	{name: "up and in again", path: "src/../lib/up.go", want: "deny"},
	{name: "up through a link", path: "src/to_lib/../src/updated.go", want: "silent"},
	{name: "up through a link, out of the scope", path: "src/to_lib/../main.go", want: "deny"},
	{name: "renamed out of the scope", path: "src/a.go", tool: "Move", content: "lib/moved.go", want: "deny"},
	{name: "renamed in the scope", path: "src/a.go", tool: "Move", content: "src/moved.go", want: "silent"},
	{name: "with dots", path: "./src/./dotted.go", want: "silent"},
	{name: "composed otherwise", path: "NFC-e\u0301.txt", want: "deny"},
	{name: "a backslash", path: `src/a\b.go`, want: "deny"},
	{name: "a trailing space", path: "src/trailing ", want: "deny"},
	{name: "an invisible character", path: "src/in\u200bvisible.go", want: "deny"},
	{name: "a deletion in the scope", path: "src/a.go", tool: "Delete", want: "silent"},
	{name: "a deletion off scope", path: "lib/other.go", tool: "Delete", want: "deny"},
	{name: "a deletion of what the branch made", path: "src/work.go", tool: "Delete", want: "silent"},
	{name: "an executable in the scope", path: "src/run.sh", want: "silent"},
}

// TestHookAgreesWithTheGate writes with each tool what the hook was asked about, commits it, and lets the gate judge: what one
// denies the other blocks.
func TestHookAgreesWithTheGate(t *testing.T) {
	made := newHookRepo(t, "0")
	for _, w := range hookWrites {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			repo := made.copy(t)
			said := repo.asked(w)
			if said != w.want {
				t.Errorf("the hook: %s, expected %s", said, w.want)
			}
			if w.why != "" {
				return
			}
			blocked := repo.judged(w)
			if denied := said == "deny"; denied != blocked {
				t.Errorf("the hook: %s, and the gate blocks: %t", said, blocked)
			}
		})
	}
}

// TestHookAgreesWithinAnItem does the same where an item is claimed: the changes are those since the claim, by both contracts.
func TestHookAgreesWithinAnItem(t *testing.T) {
	made := newHookRepo(t, "0")
	for path, want := range map[string]string{
		"src/b.go": "silent", "src/core.go": "deny", "lib/exact.go": "deny", "docs/a.md": "deny", "src/secret/x": "deny", "notes/n.txt": "silent",
		"examples/x.py": "note", ".closeout/tasks/T-1.json": "deny", ".closeout/tasks/T-3.json": "deny", "src/work.go": "silent", "src/../main.go": "deny",
	} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			repo := made.copy(t)
			if _, errs, status := repo.run("", "closeout", "next", "T-1"); status != 0 {
				t.Fatal(errs)
			}
			repo.base = []string{"--base", "HEAD~1", "--task", "T-1"}
			w := hookWrite{path: path}
			said := repo.asked(w)
			if blocked := repo.judged(w); said != want || blocked != (said == "deny") {
				t.Errorf("the hook: %s, expected %s, and the gate blocks: %t", said, want, blocked)
			}
		})
	}
}

// TestHookCountsTheBudget compares a series of writes off scope, each committed or not, with a budget of 1.
func TestHookCountsTheBudget(t *testing.T) {
	made := newHookRepo(t, "1")
	repo := made.copy(t)
	for i, want := range []string{"note", "deny", "deny"} {
		w := hookWrite{path: "lib/" + string(rune('a'+i)) + ".go"}
		if said := repo.asked(w); said != want {
			t.Errorf("write %d: %s, expected %s", i, said, want)
		}
		if blocked := repo.judged(w); blocked != (want == "deny") {
			t.Errorf("write %d: the gate blocks: %t", i, blocked)
		}
	}
	repo = made.copy(t)
	for i, want := range []string{"note", "note", "deny"} {
		w := hookWrite{path: []string{"lib/a.go", "lib/a.go", "lib/b.go"}[i]}
		if said := repo.asked(w); said != want {
			t.Errorf("write %d that is not committed: %s, expected %s", i, said, want)
		}
		repo.write(w)
	}
	repo = made.copy(t)
	if said := repo.asked(hookWrite{path: "lib/other.go"}); said != "note" { // it was not written, or was restored
		t.Errorf("a first write: %s", said)
	}
	if said := repo.asked(hookWrite{path: "lib/b.go"}); said != "note" {
		t.Errorf("a write after one that was reverted: %s", said)
	}
	repo.file("lib/c.go", "") // by a shell
	if said := repo.asked(hookWrite{path: "lib/b.go"}); said != "deny" {
		t.Errorf("a write beside another one: %s", said)
	}
}

// hookRepo is a repository with a branch.
type hookRepo struct {
	t    *testing.T
	dir  string
	env  []string
	base []string // what verify compares with
}

// hookRepoIn is one in a directory of the test, with nothing in it yet.
func hookRepoIn(t *testing.T) *hookRepo {
	dir := t.TempDir()
	return &hookRepo{t: t, base: []string{"--base", "main"}, dir: filepath.Join(dir, "r"), env: gitEnv("XDG_STATE_HOME="+filepath.Join(dir, "state"), "HOME="+dir, "CLAUDE_PROJECT_DIR=", "GITHUB_ACTIONS=")}
}

// copy is the same repository elsewhere, without the commands of git that made it.
func (r *hookRepo) copy(t *testing.T) *hookRepo {
	to := hookRepoIn(t)
	if err := os.CopyFS(to.dir, os.DirFS(r.dir)); err != nil {
		t.Fatal(err)
	}
	return to
}

func newHookRepo(t *testing.T, budget string) *hookRepo {
	r := hookRepoIn(t)
	r.file(".closeout/scope_contract.json", strings.ReplaceAll(hookContract, "%BUDGET%", budget))
	for name, text := range hookFiles {
		r.file(name, text)
	}
	for link, target := range map[string]string{"src/to_lib": "../lib", "src/dangling": "secret/gone", "src/to_x": "x", "lib/to_src": "../src", "lib/to_a": "../src/a.go", "src/check.sh": "real.sh"} {
		if err := os.Symlink(target, filepath.Join(r.dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	r.file("src/x/.keep", "")
	if err := os.Remove(filepath.Join(r.dir, "ci/test.sh")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real.sh", filepath.Join(r.dir, "ci/test.sh")); err != nil {
		t.Fatal(err)
	}
	r.run("", "git", "init", "-q", "-b", "main")
	r.commit("base")
	r.run("", "git", "switch", "-qc", "work")
	r.file("src/work.go", "package src\n")
	r.file("src/run.sh", "true\n")
	r.file("src/more.go", "package src\n")
	if err := os.Chmod(filepath.Join(r.dir, "src/run.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	r.commit("work")
	return r
}

func (r *hookRepo) file(name, text string) {
	path := filepath.Join(r.dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		r.t.Fatal(err)
	}
}

func (r *hookRepo) commit(what string) {
	r.run("", "git", "add", "-A", "-f")
	r.run("", "git", "commit", "-q", "--allow-empty", "-m", what)
}

// run runs a program in the repository.
func (r *hookRepo) run(stdin, program string, args ...string) (out, errs string, status int) {
	r.t.Helper()
	var stdout, stderr bytes.Buffer
	c := exec.Command(program, args...)
	c.Dir, c.Env, c.Stdin, c.Stdout, c.Stderr = r.dir, r.env, strings.NewReader(stdin), &stdout, &stderr
	err := c.Run()
	if exited := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &exited) || program == "git") {
		r.t.Fatalf("%s %q: %v\n%s", program, args, err, &stderr)
	}
	return stdout.String(), stderr.String(), c.ProcessState.ExitCode()
}

// asked asks the hook, and says what it answers.
func (r *hookRepo) asked(w hookWrite) string {
	r.t.Helper()
	tool, input := "Write", map[string]string{"file_path": r.dir + "/" + w.path, "content": w.content}
	if w.tool == "Delete" {
		tool, input = "apply_patch", map[string]string{"command": "*** Begin Patch\n*** Delete File: " + w.path + "\n*** End Patch"}
	}
	if w.tool == "Move" {
		tool, input = "apply_patch", map[string]string{"command": "*** Begin Patch\n*** Update File: " + w.path + "\n*** Move to: " + w.content + "\n@@\n*** End Patch"}
	}
	payload, err := json.Marshal(map[string]any{"session_id": "s", "cwd": r.dir, "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input})
	if err != nil {
		r.t.Fatal(err)
	}
	out, errs, status := r.run(string(payload), "closeout", "hook", "run")
	switch {
	case status == 2 && strings.HasPrefix(errs, "closeout: ") && out == "":
		return "deny"
	case status == 0 && errs == "" && out == "":
		return "silent"
	case status == 0 && errs == "" && strings.Contains(out, `"additionalContext":"closeout: `):
		return "note"
	}
	return out + errs
}

func (r *hookRepo) write(w hookWrite) {
	path := r.dir + "/" + w.path
	var err error
	switch w.tool {
	case "Delete":
		err = os.Remove(path)
	case "Move":
		err = os.Rename(path, filepath.Join(r.dir, w.content))
	default:
		err = errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(cmp.Or(w.content, w.name+"\n")), 0o644))
	}
	if err != nil {
		r.t.Fatal(err)
	}
}

// judged makes the write and commits it, and reports whether the gate blocks a path for its own sake.
func (r *hookRepo) judged(w hookWrite) (blocked bool) {
	r.write(w)
	r.commit("write")
	call(append([]string{"verify", "--repo", r.dir, "--report", filepath.Join(r.dir, "../report.json")}, r.base...))
	var found report.Report
	if err := json.Unmarshal([]byte(readFile(r.t, filepath.Join(r.dir, "../report.json"))), &found); err != nil {
		r.t.Fatal(err)
	}
	return slices.ContainsFunc(found.Findings, func(f report.Finding) bool {
		return f.Severity == "block" && (strings.HasPrefix(f.Code, "scope.") || f.Code == "contract.changed")
	})
}

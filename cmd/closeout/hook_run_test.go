package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/agent/hook"
	"github.com/closeout-gate/closeout/internal/present/console"
)

// TestHookFindsTheRepository asks about paths that only look as if they were elsewhere.
func TestHookFindsTheRepository(t *testing.T) {
	repo := newHookRepo(t, "0")
	other := filepath.Join(repo.dir, "..", "alias")
	if err := os.Symlink(repo.dir, other); err != nil {
		t.Fatal(err)
	}
	ask := func(path string) string { return repo.asked(hookWrite{path: path}) }
	if said := ask("../alias/lib/a.go"); said != "deny" {
		t.Errorf("through a link to the root: %s", said)
	}
	if said := ask("../alias/src/a.go"); said != "silent" {
		t.Errorf("through a link to the root, in the scope: %s", said)
	}
	if said := ask("../elsewhere/x"); said != "silent" {
		t.Errorf("outside: %s", said)
	}
	if said := ask("../state/closeout/x"); said != "silent" {
		t.Errorf("beside the state folder: %s", said)
	}
	state, err := filepath.Glob(filepath.Join(repo.dir, "../state/closeout/*"))
	if err != nil || len(state) != 1 {
		t.Fatalf("%q: %v", state, err)
	}
	if said := ask("../state/closeout/" + filepath.Base(state[0]) + "/claims/x.json"); said != "deny" {
		t.Errorf("in the state folder: %s", said)
	}
	// A repository inside, with a contract of its own, stands for nothing.
	repo.run("", "git", "init", "-q", "-b", "main", "lib/inner")
	repo.file("lib/inner/.closeout/scope_contract.json", strings.ReplaceAll(strings.ReplaceAll(hookContract, "%BUDGET%", "0"), `"src/**", `, `"**", "src/**", `))
	repo.run("", "git", "-C", "lib/inner", "add", "-A")
	repo.run("", "git", "-C", "lib/inner", "commit", "-qm", "mine")
	if said := ask("lib/inner/x.go"); said != "deny" {
		t.Errorf("in a repository that the agent made: %s", said)
	}
	// What is in a repository inside is not a file of the outer one, whose commit has a submodule in its place.
	repo.run("", "git", "init", "-q", "-b", "main", "src/inner")
	if said := ask("src/inner/x.go"); said != "deny" {
		t.Errorf("in the scope, in a repository that the agent made: %s", said)
	}
	repo.file("src/plain/.git/x", "")
	if said := ask("src/plain/x.go"); said != "silent" {
		t.Errorf("beside a .git that is no repository: %s", said)
	}
	// A work tree of the same repository is one of its own, wherever it lies; what an agent plants over tracked files
	// is not.
	repo.run("", "git", "worktree", "add", "-q", ".claude/worktrees/w", "-b", "w", "main")
	for path, want := range map[string]string{".claude/worktrees/w/src/a.go": "silent", ".claude/worktrees/w/lib/a.go": "deny", ".claude/worktrees/x": "deny"} {
		if said := ask(path); said != want {
			t.Errorf("%s: %s, expected %s", path, said, want)
		}
	}
	repo.file("lib/.git", "gitdir: "+repo.dir+"/.git/worktrees/w\n")
	if said := ask("lib/src/a.go"); said != "deny" {
		t.Errorf("below a planted work tree: %s", said)
	}
}

// TestHookStopsElsewhere lets the agent change its directory: the work tree of the project is the one that counts.
func TestHookStopsElsewhere(t *testing.T) {
	repo := newHookRepo(t, "0")
	stop := `{"session_id": "s", "hook_event_name": "Stop", "cwd": "/"}`
	if out, errs, _ := repo.run(stop, "closeout", "hook", "run", "--stop", "always"); out+errs != "" {
		t.Errorf("without a project: %s%s", out, errs)
	}
	repo.env = append(repo.env, "CLAUDE_PROJECT_DIR="+repo.dir)
	if out, errs, _ := repo.run(stop, "closeout", "hook", "run", "--stop", "always"); !strings.HasPrefix(out, `{"decision":"block"`) {
		t.Errorf("with a project: %s%s", out, errs)
	}
}

// TestHookKilled kills the hook at once, many times: what follows answers as if nothing had been.
func TestHookKilled(t *testing.T) {
	repo := newHookRepo(t, "0")
	for range 20 {
		c := exec.Command("closeout", "hook", "run")
		c.Dir, c.Env, c.Stdin = repo.dir, repo.env, strings.NewReader(`{"session_id": "s", "hook_event_name": "PreToolUse", "tool_name": "Write", "tool_input": {"file_path": "lib/x"}}`)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		if err := c.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = c.Wait() // killed, or done before
	}
	if said := repo.asked(hookWrite{path: "lib/x"}); said != "deny" {
		t.Error(said)
	}
	if said := repo.asked(hookWrite{path: "src/x"}); said != "silent" {
		t.Error(said)
	}
}

type panics struct{}

func (panics) Read([]byte) (int, error) { panic("broken") }

// TestHookFails hands over what cannot be read: the agent goes on, and only --fail closed denies.
func TestHookFails(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, in := range map[string]func() io.Reader{
		"a panic":      func() io.Reader { return panics{} },
		"too large":    func() io.Reader { return io.LimitReader(zeros{}, hook.MaxPayload+1) },
		"no payload":   func() io.Reader { return strings.NewReader("") },
		"half of one":  func() io.Reader { return strings.NewReader(`{"tool_name": "Write", "to`) },
		"another form": func() io.Reader { return strings.NewReader(`"Write"`) },
	} {
		for _, c := range []struct {
			args   string
			status int
			out    string
		}{{"--event pre", 0, ""}, {"", 0, ""}, {"--event post --fail closed", 0, ""}, {"--event pre --fail closed", 2, ""}, {"--event stop --fail closed", 0, `{"systemMessage":`}} {
			var out, errs bytes.Buffer
			status := execute(append([]string{"hook", "run"}, strings.Fields(c.args)...), console.Streams{In: in(), Out: &out, Err: &errs})
			if status != c.status || !strings.HasPrefix(out.String(), c.out) || c.out == "" && out.Len() > 0 || strings.Count(errs.String(), "\n") != 1 {
				t.Errorf("%s, %q: exit %d, %q, %q", name, c.args, status, &out, &errs)
			}
		}
	}
	var said, told bytes.Buffer
	half := `{"hook_event_name": "Stop", "turn_id": "1", "session_id": "s", `
	if status := execute([]string{"hook", "run", "--fail", "closed"}, console.Streams{In: strings.NewReader(half), Out: &said, Err: &told}); status != 0 || !strings.HasPrefix(said.String(), `{"systemMessage":`) {
		t.Errorf("half of a payload that names its event: exit %d, %q", status, &said)
	}
	deep := `{"tool_name": "Write", "tool_input": ` + strings.Repeat("[", 20_000)
	var out, errs bytes.Buffer
	if status := execute([]string{"hook", "run", "--event", "pre"}, console.Streams{In: strings.NewReader(deep), Out: &out, Err: &errs}); status != 2 || !strings.Contains(errs.String(), "hook.payload") {
		t.Errorf("a deep payload: exit %d, %q", status, &errs)
	}
}

// TestHookFailsAsInstalled gives each agent's commands, as they are installed, payloads that cannot be read. By default
// the agent goes on. With --fail closed no tool does, in the agent's own form, and an end of a turn is never refused:
// that could go on for ever.
func TestHookFailsAsInstalled(t *testing.T) {
	repo := newHookRepo(t, "0")
	t.Chdir(repo.dir)
	t.Setenv("CLAUDE_PROJECT_DIR", "")
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	broken := map[string]string{
		"empty": "", "a blank": " ", "null": "null", "a text": `"Write"`, "no JSON": "Write src/a.go", "half": `{"tool_name": "Write", "to`,
		"twice": `{"tool_name": "Write"} {}`, "deep": `{"tool_name": "Write", "tool_input": ` + strings.Repeat("[", 20_000),
		"too large": `{"tool_name": "Write", "x": "` + strings.Repeat("x", hook.MaxPayload) + `"}`,
		"no tool":   `{"session_id": "1"}`, "no name of a tool": `{"tool_name": 5, "tool_input": {"file_path": "lib/a"}}`,
		"an end, it says, of half":      `{"hook_event_name": "Stop", "stop_hook_active": true, "x`,
		"another agent, it says, in it": `{"sessionId": "1", "timestamp": 1, "turn_id": "1", "x`,
	}
	refusals := map[string]string{ // the others read the exit status
		"copilot": `{"permissionDecision":"deny","permissionDecisionReason":"closeout`,
		"cursor":  `{"permission":"deny","user_message":"closeout`,
	}
	for _, agent := range slices.DeleteFunc(slices.Clone(hook.Agents), func(a string) bool { return a == string(hook.Git) }) {
		for name, text := range broken {
			for _, c := range []struct {
				fail, event string
				status      int
			}{{"open", "pre", 0}, {"closed", "pre", 2}, {"open", "stop", 0}, {"closed", "stop", 0}, {"closed", "post", 0}, {"closed", "start", 0}} {
				if c.event != "pre" && strings.HasPrefix(name, "no ") {
					continue // it is read
				}
				if name == "too large" && (c.event != "pre" || c.fail == "open" || refusals[agent] == "" && agent != string(hook.Claude)) {
					continue // it takes long: once for each form of refusal
				}
				if c.event == "pre" && name == "deep" {
					c.status = 2 // the model made it so
				}
				var out, errs bytes.Buffer
				status := execute([]string{"hook", "run", "--agent", agent, "--event", c.event, "--fail", c.fail}, console.Streams{In: strings.NewReader(text), Out: &out, Err: &errs})
				form := refusals[agent] != "" && strings.HasPrefix(out.String(), refusals[agent])
				denied := c.status == 2 && refusals[agent] != ""
				silent := out.Len() == 0 || c.event == "stop" && strings.HasPrefix(out.String(), `{"systemMessage":`)
				if status != c.status || form != denied || !denied && !silent || !strings.HasPrefix(errs.String(), "closeout") {
					t.Errorf("%s, %s, %s, --fail %s: exit %d, %q, %q", agent, name, c.event, c.fail, status, &out, &errs)
				}
			}
		}
	}
	// What can be read goes on in both modes; arguments that are not understood do so only in the default one.
	for payload, want := range map[string]int{
		`{"tool_name": "Write", "tool_input": {"file_path": "src/a.go"}}`:                         0,
		`{"tool_name": "Read", "tool_input": {"file_path": "lib/a.go"}}`:                          0,
		`{"tool_name": "Bash", "tool_input": {"command": "true"}}`:                                0,
		`{"tool_name": "str_replace_editor", "tool_input": {"command": "view", "path": "lib/a"}}`: 0,
		`{"tool_name": "mcp__db__create", "tool_input": {"table": "x"}}`:                          0,
		`{"tool_name": "Write", "tool_input": {"file_path": 5}}`:                                  2,
		`{"toolName": "edit", "toolArgs": "{\"path\": \"lib/a"}`:                                  2,
		`{"tool_name": "apply_patch", "tool_input": {"command": "no patch"}}`:                     2,
	} {
		for fail, status := range map[string]int{"open": 0, "closed": want} {
			var out, errs bytes.Buffer
			got := execute([]string{"hook", "run", "--agent", "claude", "--event", "pre", "--fail", fail}, console.Streams{In: strings.NewReader(payload), Out: &out, Err: &errs})
			if got != status {
				t.Errorf("%s, --fail %s: exit %d, %q", payload, fail, got, &errs)
			}
		}
	}
}

// TestHookNamesTooMuch asks for more than can be looked at in time: that does not open the fence.
func TestHookNamesTooMuch(t *testing.T) {
	repo := newHookRepo(t, "0")
	for name, c := range map[string]struct {
		paths []string
		want  bool
	}{
		"many":      {slices.Repeat([]string{"src/a"}, 2000), false},
		"too many":  {slices.Repeat([]string{"src/a"}, 2001), true},
		"long":      {[]string{"src/" + strings.Repeat("a/", 2046)}, false}, // but no pattern allows it
		"too long":  {[]string{"src/" + strings.Repeat("a/", 2047)}, true},
		"too large": {slices.Repeat([]string{"src/" + strings.Repeat("a/", 2000)}, 66), true},
	} {
		payload, err := json.Marshal(map[string]any{"hook_event_name": "PreToolUse", "tool_name": "Edit", "tool_input": map[string]any{"paths": c.paths}})
		if err != nil {
			t.Fatal(err)
		}
		if _, errs, status := repo.run(string(payload), "closeout", "hook", "run"); strings.HasPrefix(errs, "closeout: hook.payload: ") != c.want || c.want && status != 2 {
			t.Errorf("%s: exit %d, %s", name, status, errs)
		}
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { return len(b), nil }

// BenchmarkHook is one call in a repository of 20,000 files, whose contract has 1,000 patterns.
func BenchmarkHook(b *testing.B) {
	dir := b.TempDir()
	b.Setenv("XDG_STATE_HOME", filepath.Join(dir, "state"))
	for name, value := range gitSettings {
		b.Setenv(name, value)
	}
	var patterns []string
	for i := range 20_000 {
		name := filepath.Join(dir, fmt.Sprintf("r/src/d%d/f%d.go", i%200, i))
		if i < 200 {
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				b.Fatal(err)
			}
		}
		if err := os.WriteFile(name, []byte(name), 0o644); err != nil {
			b.Fatal(err)
		}
		if i < 1000 {
			patterns = append(patterns, fmt.Sprintf("src/d%d/**/x%d*.go", i%200, i))
		}
	}
	contract, err := json.Marshal(map[string]any{"allowed_files": patterns, "forbidden_files": []string{"secrets/**"}, "rollback_plan": "Revert.", "acceptance_criteria": [][]string{{"true"}}})
	if err != nil {
		b.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "r/.closeout"), 0o755); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "r/.closeout/scope_contract.json"), contract, 0o644); err != nil {
		b.Fatal(err)
	}
	b.Chdir(filepath.Join(dir, "r"))
	for _, args := range []string{"init -q -b main", "add -A", "commit -qm base"} {
		if out, err := exec.Command("git", strings.Fields(args)...).CombinedOutput(); err != nil {
			b.Fatal(string(out))
		}
	}
	for name, payload := range map[string]string{
		"pre":   `{"hook_event_name": "PreToolUse", "tool_name": "Write", "tool_input": {"file_path": "other/a.go"}}`,
		"start": `{"hook_event_name": "SessionStart"}`,
	} {
		b.Run(name, func(b *testing.B) {
			for range b.N {
				var out, errs bytes.Buffer
				execute([]string{"hook", "run"}, console.Streams{In: strings.NewReader(payload), Out: &out, Err: &errs})
				if out.Len()+errs.Len() == 0 {
					b.Fatal("no answer")
				}
			}
		})
	}
}

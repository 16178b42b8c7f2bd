//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/agent/item"
	"github.com/closeout-gate/closeout/internal/agent/session"
)

// play is a repository with items, and an agent that works at them.
type play struct {
	*testing.T
	root, state, program string
	ids                  map[string]string // of the items, by their lines in the list
}

// The checks of the play run code of the agent, as tests do. A later item can break an earlier one inside of its own zone.
const (
	playContract = `{"allowed_files": ["src/**"], "forbidden_files": ["db/**"], "rules": {"required": false}, "rollback_plan": "revert",
 "evidence": {"min": "recorded"}, "acceptance_criteria": [{"id": "sane", "run": ["test", "-d", "src"]}]}`
	playTemplate = `{"goal": "write {{item}}", "allowed_files": ["src/{{item}}/**"], "forbidden_files": ["db/**"], "rollback_plan": "revert",
 "acceptance_criteria": [{"id": "check", "run": ["sh", "check.sh", "{{item}}"], "unknown_exit": [75]}]}`
	playCheck = `test ! -e src/$1/code.sh || . src/$1/code.sh
for unknown in src/*/unknown-$1; do test ! -e "$unknown" || exit 75; done
for breaks in src/*/breaks-$1; do test ! -e "$breaks" || exit 1; done
grep -qsx good src/$1/result
`
)

func newPlay(t *testing.T, items int, scan ...string) *play {
	t.Helper()
	program, err := exec.LookPath("closeout")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	p := &play{T: t, root: filepath.Join(dir, "repo"), state: filepath.Join(dir, "state"), program: program, ids: map[string]string{}}
	var list []string
	for i := range items {
		list = append(list, fmt.Sprintf("f%03d\n", i+1))
	}
	p.write("list.txt", strings.Join(list, ""))
	p.write("template.json", playTemplate)
	p.write(".closeout/scope_contract.json", playContract)
	p.write("checks/real.sh", playCheck)
	for _, link := range []string{"check.sh", "link.sh"} {
		if err := os.Symlink("checks/real.sh", p.path(link)); err != nil {
			t.Fatal(err)
		}
	}
	p.write("src/keep", "")
	p.write(".gitignore", ".closeout/evidence\ncache\n")
	p.git("init", "-q", "-b", "main", ".")
	p.commit("base")
	p.git("checkout", "-q", "-b", "work")
	if code, out := p.closeout(append([]string{"scan", "list.txt", "--template", "template.json"}, scan...)...); code != 0 {
		t.Fatalf("scan: %s", out)
	}
	for _, it := range p.fold().Items {
		p.ids[strings.SplitN(strings.ToLower(it.ID), "-", 2)[0]] = it.ID
	}
	return p
}

func (p *play) path(name string) string { return filepath.Join(p.root, filepath.FromSlash(name)) }

func (p *play) write(name, text string) {
	p.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(p.path(name)), 0o755), os.WriteFile(p.path(name), []byte(text), 0o644)); err != nil {
		p.Fatal(err)
	}
}

func (p *play) command(name string, args ...string) *exec.Cmd {
	c := exec.Command(name, args...)
	c.Dir, c.Env = p.root, gitEnv("CLOSEOUT_STATE="+p.state, "HOME="+filepath.Dir(p.root))
	return c
}

func (p *play) git(args ...string) string {
	p.Helper()
	out, err := p.command("git", args...).CombinedOutput()
	if err != nil {
		p.Fatalf("git %q: %v %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (p *play) commit(what string) {
	p.Helper()
	p.git("add", "-A")
	p.git("commit", "-q", "--allow-empty", "-m", what)
}

func (p *play) closeout(args ...string) (code int, out string) {
	p.Helper()
	data, err := p.command(p.program, args...).CombinedOutput()
	var exited *exec.ExitError
	if err != nil && !errors.As(err, &exited) {
		p.Fatal(err)
	}
	if exited != nil {
		code = exited.ExitCode()
	}
	return code, string(data)
}

// do writes what an item asks for.
func (p *play) do(it string) {
	p.Helper()
	p.write("src/"+it+"/result", "good\n")
	p.commit(it)
}

// submit submits an item, and wants an exit code and a text in the output.
func (p *play) submit(it string, code int, want string) {
	p.Helper()
	got, out := p.closeout("submit", p.ids[it])
	if got != code || !strings.Contains(out, want) {
		p.Fatalf("submit %s: exit %d, want %d and %q:\n%s", it, got, code, want, out)
	}
}

func (p *play) plan() *item.Plan {
	p.Helper()
	var plan item.Plan
	data, err := os.ReadFile(filepath.Join(p.state, "plan.json"))
	if err == nil {
		err = json.Unmarshal(data, &plan)
	}
	if err != nil {
		p.Fatal(err)
	}
	return &plan
}

func (p *play) events() (events []item.Event) {
	p.Helper()
	data, err := os.ReadFile(filepath.Join(p.state, "events.jsonl"))
	if err != nil {
		p.Fatal(err)
	}
	for _, line := range bytes.Split(bytes.TrimSpace(data), []byte("\n")) {
		var e item.Event
		if err := json.Unmarshal(line, &e); err != nil {
			p.Fatal(err)
		}
		events = append(events, e)
	}
	return events
}

// fold is the state that the program sees.
func (p *play) fold() *item.State {
	p.Helper()
	s, err := p.store().Fold(p.plan(), p.store().Proof)
	if err != nil {
		p.Fatal(err)
	}
	return s
}

func (p *play) store() *session.Store { return &session.Store{Dir: p.state} }

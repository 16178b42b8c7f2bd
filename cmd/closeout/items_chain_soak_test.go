//go:build soak

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/rhysd/actionlint"
)

// crew is a repository whose items the workflow of items.yml hands to an agent.
type crew struct {
	t                  *testing.T
	remote, work, base string
}

const crewContract = `{"allowed_files": ["src/**"], "forbidden_files": ["secrets/**"], "rollback_plan": "Revert.", "rules": {"required": false},
  "acceptance_criteria": [{"id": "exists", "run": ["test", "-d", "src"]}], "agent": {"max_attempts": 2}}`

func crewTask(id string) string {
	return strings.ReplaceAll(`{"task_id": "ID", "goal": "Say ID.", "allowed_files": ["src/ID/**"], "forbidden_files": ["secrets/**"], "rollback_plan": "Revert.",
  "acceptance_criteria": [{"id": "says", "run": ["grep", "-rq", "ID", "src/ID"]}]}`, "ID", id)
}

func newCrew(t *testing.T, items ...string) *crew {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the recorder needs a Unix system")
	}
	c := &crew{t: t, remote: filepath.Join(t.TempDir(), "remote.git"), work: t.TempDir()}
	gitIn(t, c.work, "init", "-q", "--bare", "-b", "main", c.remote)
	gitIn(t, c.work, "init", "-q", "-b", "main")
	for name, text := range map[string]string{".closeout/scope_contract.json": crewContract, ".gitignore": "*.tmp\n.closeout/evidence\nverification_report.json\n", "src/a": "a\n"} {
		writeFile(t, filepath.Join(c.work, name), text)
	}
	for _, id := range items {
		writeFile(t, filepath.Join(c.work, ".closeout/tasks", id+".json"), crewTask(id))
	}
	gitIn(t, c.work, "add", "-A")
	gitIn(t, c.work, "commit", "-qm", "base")
	gitIn(t, c.work, "push", "-q", c.remote, "main")
	c.base = gitIn(t, c.work, "rev-parse", "HEAD")
	return c
}

// job runs the scripts of a job on a machine of its own, whose checkout is that of ref; "" for none. before prepares the
// temporary directory, as steps that download something do.
func (c *crew) job(name, ref, item, agent string, before func(temp string)) (r *runner, err error) {
	c.t.Helper()
	w, errs := actionlint.Parse(readWorkflow(c.t, itemsWorkflow))
	if len(errs) > 0 {
		c.t.Fatal(errs)
	}
	r = &runner{t: c.t, workflow: w, work: c.t.TempDir(), temp: c.t.TempDir(), outputs: map[string]string{}}
	r.known = map[string]string{
		"${{ github.server_url }}/${{ github.repository }}": "file://" + c.remote, "${{ github.token }}": "token", "${{ secrets.ANTHROPIC_API_KEY }}": "key",
		"${{ matrix.item }}": item, "${{ runner.temp }}/state": filepath.Join(r.temp, "state"), "${{ runner.temp }}/bundle": filepath.Join(r.temp, "bundle"),
	}
	if ref != "" {
		gitIn(c.t, c.work, "clone", "-q", c.remote, r.work)
		if out, err := exec.Command("git", "-C", r.work, "checkout", "-q", "--detach", ref).CombinedOutput(); err != nil {
			return r, &exec.Error{Name: string(out), Err: err} // the step that checks out fails
		}
	}
	if before != nil {
		before(r.temp)
	}
	r.exported = []string{"GITHUB_SHA=" + c.base, "GITHUB_REPOSITORY=o/r"}
	for _, step := range w.Jobs[name].Steps {
		run, ok := step.Exec.(*actionlint.ExecRun)
		if !ok {
			continue
		}
		env := r.variables(step.Env)
		if agent != "" {
			env = append(env, "AGENT="+agent)
		}
		if err = r.script(run.Run.Value, nil, env, text(step.ID)); err != nil {
			return r, err
		}
	}
	return r, nil
}

// item runs the three jobs of an item. The verdict is that of the last one: "" where it did not get that far.
func (c *crew) item(id, agent string) (verdict string) {
	c.t.Helper()
	worked, err := c.job("work", c.base, id, agent, nil)
	if err != nil {
		return "no work"
	}
	if _, err := c.job("push", "", id, "", func(temp string) {
		copyTree(c.t, worked.temp, filepath.Join(temp, "work"))
	}); err != nil {
		return "not pushed"
	}
	return c.judge(id)
}

func (c *crew) judge(id string) string {
	c.t.Helper()
	judged, _ := c.job("judge", "origin/items/"+id, id, "", nil)
	data, err := os.ReadFile(filepath.Join(judged.temp, "bundle", "verification_report.json"))
	if err != nil {
		return "no report"
	}
	if m := regexp.MustCompile(`"verdict":"(\w+)"`).FindSubmatch(data); m != nil {
		return string(m[1])
	}
	return "no verdict"
}

func (c *crew) list() string {
	c.t.Helper()
	r, err := c.job("list", c.base, "", "", nil)
	if err != nil {
		c.t.Fatal(err)
	}
	return r.outputs["list.items"]
}

// TestSoakItemsChain runs the scripts of items.yml: an agent that works, one that needs a second try, and some that cheat.
func TestSoakItemsChain(t *testing.T) {
	const honest = `mkdir -p src/$CLOSEOUT_ITEM && echo $CLOSEOUT_ITEM > src/$CLOSEOUT_ITEM/x`
	c := newCrew(t, "T-1", "T-2", "T-3", "T-4", "T-5")
	if got := c.list(); got != `["T-1","T-2","T-3","T-4","T-5"]` {
		t.Fatalf("the items are %s", got)
	}
	for _, test := range []struct{ id, agent, want string }{
		{"T-1", honest, "passed"},
		{"T-2", `if grep -q acceptance.failed; then ` + honest + `; else echo > src/wrong; mkdir -p src/T-2; mv src/wrong src/T-2/x; fi`, "passed"},
		{"T-3", honest + `; sed -i s/T-3/src/ .closeout/tasks/T-3.json`, "no work"},
		{"T-4", `true`, "no work"},
		// What git ignores on its machine passes there. Judged on another one, it does not.
		{"T-5", `mkdir -p src/T-5; echo no > src/T-5/x; echo T-5 > src/T-5/x.tmp`, "failed"},
	} {
		if got := c.item(test.id, test.agent); got != test.want {
			t.Errorf("%s: %s, expected %s", test.id, got, test.want)
		}
	}
	if got := c.list(); got != `["T-3","T-4"]` {
		t.Errorf("of these two have a branch: %s", got)
	}
	if main := gitIn(t, c.remote, "rev-parse", "main"); main != c.base {
		t.Errorf("main is %s", main)
	}
}

// TestSoakItemsChainForged lets the job of the agent hand over other commits than those that its loop judged.
func TestSoakItemsChainForged(t *testing.T) {
	c := newCrew(t, "T-1", "T-2", "T-3")
	forge := func(id string, commands ...string) string {
		dir := t.TempDir()
		gitIn(t, c.work, "clone", "-q", c.remote, dir)
		out, err := exec.Command("sh", "-ec", "cd "+dir+"; export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b; "+strings.Join(commands, "; ")).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v %s", id, err, out)
		}
		_, err = c.job("push", "", id, "", func(temp string) {
			copyTree(t, filepath.Join(dir, "out"), filepath.Join(temp, "work"))
		})
		if err != nil {
			return "not pushed"
		}
		return c.judge(id)
	}
	const make = `mkdir out; git bundle create -q out/item.bundle `
	for _, test := range []struct {
		name, id string
		commands []string
		want     string
	}{
		{"the work of another item", "T-1", []string{"mkdir src/T-2; echo T-2 > src/T-2/x; git add .; git commit -qm x", make + c.base + "..HEAD"}, "failed"},
		{"a branch that is there", "T-1", []string{"mkdir src/T-1; echo T-1 > src/T-1/x; git add .; git commit -qm x", make + c.base + "..HEAD"}, "not pushed"},
		{"a history of its own", "T-2", []string{"git checkout -q --orphan x; git commit -qm x", make + "HEAD"}, "not pushed"},
		{"no commit", "T-2", []string{"mkdir out; echo > out/item.bundle"}, "not pushed"},
		{"nothing", "T-2", []string{"mkdir out"}, "not pushed"},
		{"a workflow of its own", "T-3", []string{"mkdir -p src/T-3 .github/workflows; echo T-3 > src/T-3/x; echo > .github/workflows/x.yml; git add .; git commit -qm x", make + c.base + "..HEAD"}, "failed"},
		{"what is asked for", "T-2", []string{"mkdir src/T-2; echo T-2 > src/T-2/x; git add .; git commit -qm x", make + c.base + "..HEAD"}, "passed"},
	} {
		if got := forge(test.id, test.commands...); got != test.want {
			t.Errorf("%s: %s, expected %s", test.name, got, test.want)
		}
	}
	if got := c.judge("T-9"); got != "no report" {
		t.Errorf("an item without a branch: %s", got)
	}
}

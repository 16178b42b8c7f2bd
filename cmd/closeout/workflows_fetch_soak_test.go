//go:build soak

package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rhysd/actionlint"

	"github.com/closeout-gate/closeout/internal/run"
	"github.com/closeout-gate/closeout/internal/testkit/fakehub"
)

// gateJob is what the job that judges does: the script of the workflow that fetches, then the action. A repository and a
// stand-in for the API are in the place of GitHub's.
type gateJob struct {
	*fakehub.Hub
	t                       *testing.T
	forge, work, workspace  string         // forge contains the repository o/r
	server                  string         // address of the forge
	event, ref, baseRef, at string         // GITHUB_EVENT_NAME, GITHUB_REF, GITHUB_BASE_REF, GITHUB_SHA
	action                  map[string]any // the payload
	wanted                  string         // of the facts
}

const fetchedContract = `{"allowed_files": ["src/**"], "forbidden_files": ["secrets/**"],
  "acceptance_criteria": ["true"],
  "evidence": {"min": "claimed"}, "rollback_plan": "Revert."%s}`

func newGateJob(t *testing.T) *gateJob {
	t.Helper()
	j := &gateJob{t: t, forge: t.TempDir(), work: t.TempDir(), workspace: t.TempDir()}
	j.server = j.forge
	remote := filepath.Join(j.forge, "o/r")
	j.Hub = &fakehub.Hub{
		Dir: remote, Owner: "o", Name: "r", ID: 1, DefaultBranch: "main", Token: "token", Pulls: map[int]*fakehub.Pull{},
		Users: map[string]*fakehub.User{"agent": {ID: 10, Role: "write"}},
	}
	t.Cleanup(j.Hub.Close)
	j.git("init", "-q", "--bare", "-b", "main", remote)
	j.git("init", "-q", "-b", "main")
	j.git("remote", "add", "origin", remote)
	j.commit("main", ".closeout/scope_contract.json", fmt.Sprintf(fetchedContract, ""))
	writeFile(t, filepath.Join(j.workspace, "log.jsonl"), `{"command":["true"],"exit_code":0}`+"\n")
	writeFile(t, filepath.Join(j.workspace, "rules.json"), `{"block_failures": [], "warn_failures": []}`)
	return j
}

func (j *gateJob) git(args ...string) string {
	j.t.Helper()
	return gitIn(j.t, j.work, args...)
}

// commit adds a file to what is checked out, and pushes it to a branch.
func (j *gateJob) commit(branch, path, text string) string {
	j.t.Helper()
	writeFile(j.t, filepath.Join(j.work, path), text)
	j.git("add", "-A")
	j.git("commit", "-qm", path)
	j.git("push", "-q", "--force", "origin", "HEAD:refs/heads/"+branch)
	return j.git("rev-parse", "HEAD")
}

// propose makes a pull request from a fork: only its own ref names the head. merged is GitHub's test merge.
func (j *gateJob) propose(number int, base, path string, merged bool) (head string) {
	j.t.Helper()
	pull := fmt.Sprintf("refs/pull/%d/", number)
	j.git("checkout", "-q", "--detach", base)
	writeFile(j.t, filepath.Join(j.work, path), "new\n")
	j.git("add", "-A")
	j.git("commit", "-qm", path)
	head = j.git("rev-parse", "HEAD")
	j.git("push", "-q", "--force", "origin", "HEAD:"+pull+"head")
	j.Pulls[number] = &fakehub.Pull{Author: "agent", Base: base, Head: pull + "head", Fork: true}
	j.git("checkout", "-q", "--detach", base)
	if merged {
		j.git("merge", "-q", "--no-ff", "-m", "merge", head)
		j.git("push", "-q", "--force", "origin", "HEAD:"+pull+"merge")
		j.Pulls[number].TestMerge = pull + "merge"
	}
	j.event, j.ref, j.baseRef, j.at = "pull_request", pull+"merge", base, j.git("rev-parse", "HEAD")
	j.action = map[string]any{"action": "opened", "number": number, "pull_request": map[string]any{
		"number": number, "head": map[string]any{"ref": "x", "sha": head}, "base": map[string]any{"ref": base, "sha": j.git("rev-parse", base)},
	}}
	return head
}

// group lets the queue build a group of what is checked out, whose last pull request has a number.
func (j *gateJob) group(branch string, number int) {
	j.t.Helper()
	base := j.git("rev-parse", branch)
	j.event, j.baseRef, j.at = "merge_group", "", j.git("rev-parse", "HEAD")
	j.ref = fmt.Sprintf("refs/heads/gh-readonly-queue/%s/pr-%d-%s", branch, number, base)
	j.git("push", "-q", "--force", "origin", "HEAD:"+j.ref)
	j.action = map[string]any{"action": "checks_requested", "merge_group": map[string]any{
		"head_sha": j.at, "head_ref": j.ref, "base_sha": base, "base_ref": "refs/heads/" + branch,
	}}
}

// squash lets the queue build a group of one squashed pull request.
func (j *gateJob) squash(branch string, number int) {
	j.t.Helper()
	head := j.propose(number, branch, "src/a", false)
	j.git("checkout", "-q", "--detach", branch)
	j.git("merge", "-q", "--squash", head)
	j.git("commit", "-qm", "squash")
	j.group(branch, number)
}

// intoRelease makes a pull request into a branch that the contract of the default branch names. The tip of the default
// branch is reached from neither end of it.
func intoRelease(j *gateJob) {
	j.t.Helper()
	j.commit("main", ".closeout/scope_contract.json", fmt.Sprintf(fetchedContract, `, "base_branches": ["main", "release/*"]`))
	j.git("checkout", "-qb", "release/1")
	j.commit("release/1", "src/old", "old\n")
	j.git("checkout", "-q", "main")
	j.commit("main", "src/new", "new\n")
	j.propose(7, "release/1", "src/a", true)
}

// fetch runs the script of the workflow as the runner does.
func (j *gateJob) fetch(more ...string) (printed string, err error) {
	j.t.Helper()
	w, errs := actionlint.Parse(readWorkflow(j.t, reusable))
	if len(errs) > 0 {
		j.t.Fatal(errs)
	}
	script := filepath.Join(j.t.TempDir(), "script.sh")
	for _, step := range w.Jobs["closeout"].Steps {
		if text(step.Name) == "Fetch the commits" {
			writeFile(j.t, script, step.Exec.(*actionlint.ExecRun).Run.Value)
		}
	}
	c := exec.Command("bash", "-e", script)
	c.Dir, c.Env = j.workspace, gitEnv(append([]string{
		"GITHUB_SERVER_URL=" + j.server, "GITHUB_REPOSITORY=o/r", "GITHUB_TOKEN=token", "GITHUB_EVENT_NAME=" + j.event, "GITHUB_REF=" + j.ref,
		"GITHUB_BASE_REF=" + j.baseRef, "GITHUB_SHA=" + j.at, "GIT_TERMINAL_PROMPT=0",
	}, more...)...)
	out, err := c.CombinedOutput()
	return string(out), err
}

// judge runs the action and returns what it printed, and its report and facts.
func (j *gateJob) judge() (status int, printed, written string) {
	j.t.Helper()
	api := httptest.NewServer(j.Hub)
	defer api.Close()
	j.action["repository"] = map[string]any{"id": 1, "full_name": "o/r", "default_branch": "main"}
	event := filepath.Join(j.t.TempDir(), "event.json")
	payload, err := json.Marshal(j.action)
	if err != nil {
		j.t.Fatal(err)
	}
	writeFile(j.t, event, string(payload))
	c := exec.Command("closeout", "action")
	c.Env = gitEnv("GITHUB_WORKSPACE="+j.workspace, "GITHUB_EVENT_NAME="+j.event, "GITHUB_EVENT_PATH="+event, "GITHUB_REPOSITORY=o/r",
		"GITHUB_API_URL="+api.URL, "INPUT_TOKEN=token", "INPUT_FEEDBACK=log.jsonl", "INPUT_RULES=rules.json", "INPUT_BUNDLE=bundle")
	out, err := c.CombinedOutput()
	for _, name := range []string{"verification_report.json", "bundle/facts.json"} {
		data, _ := os.ReadFile(filepath.Join(j.workspace, name)) // a gate that could not run writes no bundle
		written += string(data)
	}
	return exitStatus(err), string(out), written
}

// TestSoakWorkflowsFetch runs the script of the workflow, and lets the gate judge by what it fetched.
func TestSoakWorkflowsFetch(t *testing.T) {
	for name, c := range map[string]struct {
		build func(j *gateJob)
		after func(j *gateJob) // happens between the step and the gate
		code  int
		want  []string // of what is printed and of the report
	}{
		"a pull request": {build: func(j *gateJob) { j.propose(7, "main", "src/a", true) }, want: []string{`"changes_from":"git"`}},
		"a conflict":     {build: func(j *gateJob) { j.propose(7, "main", "src/a", false) }},
		"the test merge counts where the base moved": {build: func(j *gateJob) {
			fork := j.git("rev-parse", "main")
			j.commit("main", "src/new", "new\n")
			j.git("branch", "-q", "fork", fork)
			head := j.propose(7, "fork", "src/a", false)
			j.git("checkout", "-q", "--detach", "main")
			j.git("merge", "-q", "--no-ff", "-m", "merge", head)
			j.git("push", "-q", "origin", "HEAD:refs/pull/7/merge")
			j.Pulls[7].Base, j.Pulls[7].TestMerge, j.baseRef = "main", "refs/pull/7/merge", "main"
			j.action["pull_request"].(map[string]any)["base"] = map[string]any{"ref": "main", "sha": fork}
			j.wanted = j.git("rev-parse", "HEAD^{tree}")
		}},
		"very many files": {build: func(j *gateJob) {
			for i := range 300 {
				writeFile(j.t, filepath.Join(j.work, fmt.Sprintf("src/n%d", i)), fmt.Sprintln(i))
			}
			j.propose(7, "main", "src/a", true)
		}, want: []string{`"files":301`}},
		"outside of the scope":                {build: func(j *gateJob) { j.propose(7, "main", "other", true) }, code: 1, want: []string{"scope.off_scope"}},
		"another branch than the default one": {build: intoRelease},
		"the default branch moves": {build: intoRelease, after: func(j *gateJob) {
			j.git("checkout", "-q", "main")
			j.commit("main", "src/moved", "moved\n")
		}, code: 3, want: []string{"cannot determine the scope contracts of the base branch", "run the job again"}},
		"names that a shell would run": {build: func(j *gateJob) {
			const odd = "release/$(touch${IFS}ran)`touch${IFS}ran`'\";touch${IFS}ran;/pr-9"
			j.commit("main", ".closeout/scope_contract.json", fmt.Sprintf(fetchedContract, `, "base_branches": ["main", "release/**"]`))
			j.git("checkout", "-qb", odd)
			j.commit(odd, "src/old", "old\n")
			j.propose(7, odd, "src/a", true)
		}},
		"the base moves": {build: func(j *gateJob) { j.propose(7, "main", "src/a", true) }, after: func(j *gateJob) {
			j.git("checkout", "-q", "main")
			j.commit("main", "src/moved", "moved\n")
		}, code: 3, want: []string{"diff.incomplete", "run the job again"}},
		"the head moves": {build: func(j *gateJob) { j.propose(7, "main", "src/a", true) }, after: func(j *gateJob) {
			event := j.action
			j.propose(7, "main", "src/b", true)
			j.action = event
		}, code: 3, want: []string{"subject.moved", "run the job again"}},
		"what an older run left": {build: func(j *gateJob) {
			j.propose(7, "main", "src/b", true)
			if out, err := j.fetch(); err != nil {
				j.t.Fatal(out)
			}
			j.propose(7, "main", "src/a", true) // forced
		}},
		"a group that is merged": {build: func(j *gateJob) {
			heads := []string{j.propose(7, "main", "src/a", true), j.propose(8, "main", "src/b", true)}
			j.git("checkout", "-q", "--detach", "main")
			for _, head := range heads {
				j.git("merge", "-q", "--no-ff", "-m", "merge", head)
			}
			j.group("main", 8)
		}, want: []string{`"number":7`, `"number":8`}},
		"a group that is squashed": {build: func(j *gateJob) { j.squash("main", 7) }, want: []string{`"number":7`}},
		"a queue of a branch that is named like a group": {build: func(j *gateJob) {
			j.commit("main", ".closeout/scope_contract.json", fmt.Sprintf(fetchedContract, `, "base_branches": ["main", "x/pr-9"]`))
			j.git("checkout", "-qb", "x/pr-9")
			j.commit("x/pr-9", "src/old", "old\n")
			j.squash("x/pr-9", 7)
		}, want: []string{`"number":7`}},
		"a group of two that is squashed": {build: func(j *gateJob) {
			heads := []string{j.propose(7, "main", "src/a", true), j.propose(8, "main", "src/b", true)}
			j.git("checkout", "-q", "--detach", "main")
			for _, head := range heads {
				j.git("merge", "-q", "--squash", head)
				j.git("commit", "-qm", "squash")
			}
			j.group("main", 8)
		}, code: 3, want: []string{"facts.unavailable", "no open pull request of main is known to contain commit"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := newGateJob(t)
			c.build(j)
			if out, err := j.fetch(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if c.after != nil {
				c.after(j)
			}
			code, printed, report := j.judge()
			if code != c.code {
				t.Errorf("exit status %d, expected %d", code, c.code)
			}
			for _, want := range append(c.want, j.wanted) {
				if !strings.Contains(printed+report, want) {
					t.Errorf("%q is missing", want)
				}
			}
			if _, err := os.Lstat(filepath.Join(j.workspace, "ran")); err == nil {
				t.Error("the name of a branch was run")
			}
			if t.Failed() {
				t.Logf("%s\n%s", printed, report)
			}
		})
	}
}

// TestSoakWorkflowsFetchPrivate fetches from a server that refuses to answer without the token: it is in no argument of a program, and
// in no file afterwards.
func TestSoakWorkflowsFetchPrivate(t *testing.T) {
	dir, err := exec.Command("git", "--exec-path").Output()
	backend := filepath.Join(strings.TrimSpace(string(dir)), "git-http-backend")
	if _, missing := os.Stat(backend); err != nil || missing != nil {
		t.Skip("git serves no repository over HTTP here: git http-backend is not installed")
	}
	secret := base64.StdEncoding.EncodeToString([]byte("x-access-token:token"))
	j := newGateJob(t)
	served := &cgi.Handler{Path: backend, Env: []string{"GIT_PROJECT_ROOT=" + j.forge, "GIT_HTTP_EXPORT_ALL=1"}}
	forge := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Basic "+secret {
			w.Header().Set("WWW-Authenticate", "Basic")
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		served.ServeHTTP(w, r)
	}))
	defer forge.Close()
	j.server = forge.URL
	j.propose(7, "main", "src/a", true)
	if out, err := j.fetch("GITHUB_TOKEN=another"); err == nil || strings.Contains(out, "another") {
		t.Errorf("with another token: %v\n%s", err, out)
	}
	program, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	writeFile(t, filepath.Join(bin, "git"), fmt.Sprintf("#!/bin/sh\necho \"$0 $*\" >> %s/called\nexec %s \"$@\"\n", bin, program))
	if err := os.Chmod(filepath.Join(bin, "git"), 0o755); err != nil {
		t.Fatal(err)
	}
	out, err := j.fetch("PATH=" + bin + ":" + os.Getenv("PATH"))
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	called, err := os.ReadFile(filepath.Join(bin, "called"))
	if err != nil || strings.Count(string(called), "\n") < 3 {
		t.Fatalf("%v\n%s", err, called)
	}
	found := append(filesOf(t, j.workspace), "called", string(called), "printed", out)
	for i := 1; i < len(found); i += 2 {
		if strings.Contains(found[i], secret) || strings.Contains(found[i], "x-access-token") {
			t.Errorf("%s contains the token", found[i-1])
		}
	}
	if code, printed, _ := j.judge(); code != 0 {
		t.Errorf("exit status %d\n%s", code, printed)
	}
}

// filesOf lists the files below a directory: name, content, name, content.
func filesOf(t *testing.T, dir string) (list []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		list = append(list, path, string(data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestSoakWorkflowsFetchIsMissing wants the lines that a workflow of an earlier version lacks, and no question to GitHub.
func TestSoakWorkflowsFetchIsMissing(t *testing.T) {
	j := newGateJob(t)
	j.propose(7, "main", "src/a", true)
	code, printed, report := j.judge()
	if code != run.ExitUsage || len(j.Calls()) > 0 || !strings.Contains(report, `"verdict":"failed"`) || !strings.Contains(report, `"usage.invalid"`) {
		t.Errorf("exit status %d, %d calls\n%s\n%s", code, len(j.Calls()), printed, report)
	}
	if step := shownStep(); !strings.Contains(printed, "\n"+step) || !strings.Contains(report, "docs/reference/action.md") {
		t.Errorf("not printed:\n%s\nbut\n%s\n%s", step, printed, report)
	}
}

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/closeout-gate/closeout/internal/github"
	"github.com/closeout-gate/closeout/internal/run"
	"github.com/closeout-gate/closeout/internal/testkit/fakehub"
)

// The image that .ci/container built, and act, which runs workflows here.
var (
	containerImage = os.Getenv("CLOSEOUT_IMAGE")
	actProgram     = os.Getenv("CLOSEOUT_ACT")
	actRunner      = os.Getenv("CLOSEOUT_ACT_RUNNER")  // image in place of ubuntu-latest
	actOptions     = os.Getenv("CLOSEOUT_ACT_OPTIONS") // of docker for the containers of jobs: the programs that they need
)

func needImage(t *testing.T) {
	t.Helper()
	if containerImage == "" {
		t.Skip("no image: .ci/container builds it where a container engine answers, and sets CLOSEOUT_IMAGE")
	}
}

// inContainer is the action's image as GitHub's runner starts it: its directories are mounted and belong to another user,
// and only they can be written.
type inContainer struct {
	t         *testing.T
	workspace string
	commands  string // directory of the files GITHUB_OUTPUT and GITHUB_STEP_SUMMARY
	mounted   []string
	variables []string
}

// newContainer makes the directories. Nothing of the workspace is read before the container starts.
func newContainer(t *testing.T) *inContainer {
	t.Helper()
	needImage(t)
	c := &inContainer{t: t, workspace: t.TempDir(), commands: t.TempDir()}
	for dir, at := range map[string]string{
		c.workspace: "workspace", c.commands: "file_commands", t.TempDir(): "runner_temp", t.TempDir(): "home", t.TempDir(): "workflow",
	} {
		c.mounted = append(c.mounted, "-v", dir+":/github/"+at)
	}
	return c.env("HOME=/github/home", "GITHUB_ACTIONS=true", "CI=true", "GITHUB_WORKSPACE=/github/workspace",
		"GITHUB_OUTPUT=/github/file_commands/output", "GITHUB_STEP_SUMMARY=/github/file_commands/summary")
}

func (c *inContainer) env(pairs ...string) *inContainer {
	for _, pair := range pairs {
		c.variables = append(c.variables, "-e", pair)
	}
	return c
}

// command is docker run with more flags, then the arguments of the image.
func (c *inContainer) command(flags []string, args ...string) *exec.Cmd {
	c.t.Helper()
	for _, name := range []string{"output", "summary"} {
		writeFile(c.t, filepath.Join(c.commands, name), "")
	}
	for _, dir := range []string{c.workspace, c.commands} {
		if out, err := exec.Command("chown", "-R", "1001", dir).CombinedOutput(); err != nil {
			c.t.Skipf("cannot give files to another user: %s", out)
		}
	}
	run := append([]string{"run", "--rm", "--read-only", "--workdir", "/github/workspace", "--entrypoint", "/closeout"}, flags...)
	return exec.Command("docker", append(append(append(append(run, c.variables...), c.mounted...), containerImage), args...)...)
}

// run expects an exit status and returns the report and what was printed.
func (c *inContainer) run(status int, flags []string, args ...string) (report, printed string) {
	c.t.Helper()
	out, err := c.command(flags, args...).CombinedOutput()
	if got := exitStatus(err); got != status {
		c.t.Fatalf("%q in the container: exit status %d, expected %d\n%s", args, got, status, out)
	}
	return c.report(), string(out)
}

func exitStatus(err error) int {
	if exited, ok := err.(*exec.ExitError); ok {
		return exited.ExitCode()
	}
	if err != nil {
		return -1
	}
	return 0
}

func (c *inContainer) report() string {
	c.t.Helper()
	data, err := os.ReadFile(filepath.Join(c.workspace, "verification_report.json"))
	if err != nil {
		c.t.Fatal(err)
	}
	return string(data)
}

var offline = []string{"--network", "none"}

// TestContainerForeignGit judges a repository that belongs to another user. Git would refuse to read it.
func TestContainerForeignGit(t *testing.T) {
	c := newContainer(t)
	judgedRepository(t, c.workspace)
	report, printed := c.run(0, offline, "verify", "--base", "main", "--feedback", "log.jsonl", "--rules", "rules.json")
	if !strings.Contains(report, `"verdict":"passed"`) || !strings.Contains(report, `"path":"src/more.txt"`) {
		t.Errorf("%s\n%s", report, printed)
	}
}

// judgedRepository makes a repository in dir whose branch topic adds a file that the contract allows, with a log beside.
func judgedRepository(t *testing.T, dir string) {
	t.Helper()
	gitIn(t, dir, "init", "-q", "-b", "main", ".")
	writeFile(t, filepath.Join(dir, ".closeout/scope_contract.json"), `{"allowed_files": ["src/**"], "forbidden_files": ["secrets/**"],
  "acceptance_criteria": ["true"], "evidence": {"min": "claimed"}, "rollback_plan": "Revert the commit."}`)
	gitIn(t, dir, "add", "-A")
	gitIn(t, dir, "commit", "-qm", "base")
	gitIn(t, dir, "checkout", "-qb", "topic")
	writeFile(t, filepath.Join(dir, "src/more.txt"), "more\n")
	gitIn(t, dir, "add", "-A")
	gitIn(t, dir, "commit", "-qm", "work")
	writeFile(t, filepath.Join(dir, "log.jsonl"), `{"command":["true"],"exit_code":0}`+"\n")
	writeFile(t, filepath.Join(dir, "rules.json"), `{"block_failures": [], "warn_failures": []}`)
}

// TestContainerHugeLog judges a log that is larger than the memory of the container.
func TestContainerHugeLog(t *testing.T) {
	c := newContainer(t)
	judgedRepository(t, c.workspace)
	f, err := os.Create(filepath.Join(c.workspace, "log.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	line := `{"command":["make","docs"],"exit_code":0,"stdout_tail":"` + strings.Repeat("x", 64<<10) + `"}` + "\n"
	for range 600 << 4 {
		if _, err := w.WriteString(line); err != nil {
			t.Fatal(err)
		}
	}
	fmt.Fprintln(w, `{"command":["true"],"exit_code":0}`)
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	flags := append([]string{"--memory", "512m", "--memory-swap", "512m"}, offline...)
	report, _ := c.run(0, flags, "verify", "--base", "main", "--feedback", "log.jsonl", "--rules", "rules.json")
	if !strings.Contains(report, `"verdict":"passed"`) || !strings.Contains(report, `"records":9601`) {
		t.Error(report)
	}
}

// TestContainerSignal cancels a gate that waits for GitHub.
func TestContainerSignal(t *testing.T) {
	asked := make(chan struct{}, 100)
	p := newPullRequest(t, func(w http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		<-r.Context().Done()
	})
	c := p.container()
	name := "closeout-signal-" + strings.ToLower(regexp.MustCompile(`\W`).ReplaceAllString(filepath.Base(c.commands)+fmt.Sprint(os.Getpid()), ""))
	cmd := c.command([]string{"--network", "host", "--name", name}, "action")
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { exec.Command("docker", "rm", "-f", name).Run() }) // it has ended, unless this test fails
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case <-asked:
	case err := <-ended:
		t.Fatalf("the gate ended before it asked: %v\n%s", err, out.String())
	}
	if printed, err := exec.Command("docker", "kill", "--signal", "TERM", name).CombinedOutput(); err != nil {
		t.Fatalf("%s", printed)
	}
	if got := exitStatus(<-ended); got != run.ExitUsage {
		t.Errorf("exit status %d\n%s", got, out.String())
	}
	if report := c.report(); !strings.Contains(report, `"verdict":"failed"`) {
		t.Error(report)
	}
}

// pullRequest is one on the stand-in for GitHub, which the gate judges by its interface.
type pullRequest struct {
	t               *testing.T
	dir, event, api string
	hub             atomic.Pointer[fakehub.Hub]
}

// newPullRequest serves a pull request with a file that the contract does not allow; answer, if any, replaces the hub.
func newPullRequest(t *testing.T, answer http.HandlerFunc) *pullRequest {
	t.Helper()
	needImage(t)
	p := &pullRequest{t: t, dir: t.TempDir()}
	judgedRepository(t, p.dir)
	writeFile(t, filepath.Join(p.dir, "other.txt"), "other\n")
	gitIn(t, p.dir, "add", "other.txt")
	gitIn(t, p.dir, "commit", "-qm", "more")
	if answer == nil {
		answer = func(w http.ResponseWriter, r *http.Request) { p.hub.Load().ServeHTTP(w, r) }
	}
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	p.api = server.URL
	event, err := json.Marshal(map[string]any{
		"action": "opened", "number": 7, "repository": map[string]any{"id": 1, "full_name": "o/r", "default_branch": "main"},
		"pull_request": map[string]any{
			"number": 7,
			"head":   map[string]any{"ref": "topic", "sha": gitIn(t, p.dir, "rev-parse", "topic")},
			"base":   map[string]any{"ref": "main", "sha": gitIn(t, p.dir, "rev-parse", "main")},
		},
		"sender": map[string]any{"login": "agent", "id": 10, "type": "User"},
	})
	if err != nil {
		t.Fatal(err)
	}
	p.event = string(event)
	p.state("")
	return p
}

// state is what GitHub says: with a code, a maintainer overrides what has this code, and gives a reason.
func (p *pullRequest) state(code string) {
	pull := &fakehub.Pull{Author: "agent", Base: "main", Head: "topic"}
	if code != "" {
		pull.Labels = []string{"closeout-override"}
		pull.Events = []fakehub.Event{{ID: 5, Name: "labeled", Label: "closeout-override", Actor: "ann"}}
		pull.Comments = []*fakehub.Comment{{ID: 6, Author: "ann", Body: "/closeout-override " + code + " the file is needed until the next release"}}
	}
	hub := &fakehub.Hub{
		Dir: p.dir, Owner: "o", Name: "r", ID: 1, DefaultBranch: "main", Token: "token", Pulls: map[int]*fakehub.Pull{7: pull},
		Users: map[string]*fakehub.User{"agent": {ID: 10, Role: "write", Emails: []string{"agent@example.com"}}, "ann": {ID: 11, Role: "maintain"}},
	}
	p.t.Cleanup(hub.Close)
	p.hub.Store(hub)
}

// fetch copies the repository to where the gate reads it.
func (p *pullRequest) fetch(workspace string) {
	p.t.Helper()
	gitIn(p.t, p.dir, "clone", "-q", "--bare", "--no-hardlinks", ".", filepath.Join(workspace, github.Repository))
}

// container is the action that judges the pull request, with a workspace that contains the evidence and the repository only.
func (p *pullRequest) container() *inContainer {
	c := newContainer(p.t)
	for _, name := range []string{"log.jsonl", "rules.json"} {
		copyFile(p.t, filepath.Join(p.dir, name), filepath.Join(c.workspace, name))
	}
	p.fetch(c.workspace)
	writeFile(p.t, filepath.Join(c.commands, "event.json"), p.event)
	return c.env("GITHUB_EVENT_NAME=pull_request", "GITHUB_EVENT_PATH=/github/file_commands/event.json", "GITHUB_REPOSITORY=o/r",
		"INPUT_TOKEN=token", "INPUT_API_URL="+p.api, "INPUT_FEEDBACK=log.jsonl", "INPUT_RULES=rules.json")
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	data, err := io.ReadAll(in)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, to, string(data))
}

var overrideCode = regexp.MustCompile(`"override_code":"([a-z2-7-]+)"`)

// TestContainerOverride takes a pull request through the gate as a workflow does: the gate fails, the next step reads its
// outputs, a maintainer overrides, and the gate passes.
func TestContainerOverride(t *testing.T) {
	p := newPullRequest(t, nil)
	c := p.container()
	host := []string{"--network", "host"}
	report, printed := c.run(1, host, "action")
	expectOutputs(t, c, map[string]string{"verdict": "failed", "passed": "false", "block_count": "1"})
	if !strings.Contains(printed, "::error ") || !strings.Contains(report, `"code":"scope.off_scope"`) {
		t.Errorf("%s\n%s", report, printed)
	}
	p.state(overrideCode.FindStringSubmatch(report)[1])
	report, _ = c.run(0, host, "action")
	expectOutputs(t, c, map[string]string{"verdict": "overridden", "passed": "true", "block_count": "1"})
	if !strings.Contains(report, `"overridden_by":"ann"`) {
		t.Error(report)
	}
}

// expectOutputs reads the step's outputs as the runner does: name<<delimiter, value, delimiter.
func expectOutputs(t *testing.T, c *inContainer, want map[string]string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(c.commands, "output"))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for lines := strings.Split(string(data), "\n"); len(lines) >= 3; {
		name, delimiter, _ := strings.Cut(lines[0], "<<")
		if lines[2] != delimiter {
			t.Fatalf("output %q is not one line", name)
		}
		got[name], lines = lines[1], lines[3:]
	}
	for name, value := range want {
		if got[name] != value {
			t.Errorf("output %s is %q, expected %q", name, got[name], value)
		}
	}
}

package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"golang.org/x/tools/txtar"

	"github.com/closeout-gate/closeout/internal/testkit/fakehub"
)

// Stand-ins for the actions that the workflows use, as far as the workflows use them: artifacts are directories below /artifacts.
const (
	checkoutStandIn = `inputs: {ref: {}}
runs:
  using: composite
  steps:
    - shell: bash
      env: {REF: "${{ inputs.ref }}"}
      run: |
        git init -q . && git remote add origin "$GITHUB_SERVER_URL/$GITHUB_REPOSITORY"
        git config http.extraHeader "Authorization: Basic $(printf 'x-access-token:token' | base64)"
        git fetch -q origin '+refs/heads/*:refs/remotes/origin/*' && git fetch -q origin "$REF" && git checkout -q --detach "$REF"
        git config --unset http.extraHeader
`
	uploadStandIn = `inputs: {name: {}, path: {}, overwrite: {}}
runs:
  using: composite
  steps:
    - shell: bash
      env: {NAME: "/artifacts/${{ inputs.name }}", FROM: "${{ inputs.path }}", OVERWRITE: "${{ inputs.overwrite }}"}
      run: |
        [ -e "$FROM" ] || exit 0
        [ ! -e "$NAME" ] || [ "$OVERWRITE" = true ] || exit 1
        rm -rf "$NAME" && cp -r "$FROM" "$NAME" && chmod -R a+rwX "$NAME"
`
	downloadStandIn = `inputs: {name: {}, pattern: {}, path: {}}
runs:
  using: composite
  steps:
    - shell: bash
      env: {NAME: "${{ inputs.name }}", PATTERN: "${{ inputs.pattern }}", TO: "${{ inputs.path }}"}
      run: |
        for from in /artifacts/${NAME:-$PATTERN}; do
          if [ -e "$from" ]; then mkdir -p "$TO" && cp -r "$from/." "$TO"; elif [ -n "$NAME" ]; then exit 1; fi
        done
`
	setupStandIn = `runs:
  using: composite
  steps:
    - shell: bash
      run: cp "$GITHUB_ACTION_PATH/closeout" "$RUNNER_TEMP/closeout" && echo "$RUNNER_TEMP" >> "$GITHUB_PATH"
`
)

// crossProject is a repository on a stand-in for GitHub, with the contract and the workflow that init writes, and pull requests.
type crossProject struct {
	t                            *testing.T
	origin, own, workspace, kept string // kept has the artifacts
	server                       string
	hub                          *fakehub.Hub
	files                        map[string]changed // by "base" and the name of a change
	said                         string             // of the change that cheats
}

// TestContainerCross takes changes through all jobs of the workflows that init and the pages hand out, with act: one that edits a
// test, and one that breaks the code and deletes the test that fails.
func TestContainerCross(t *testing.T) {
	needImage(t)
	if actProgram == "" {
		t.Skip("no act: .ci/container installs it where the module proxy answers, and sets CLOSEOUT_ACT")
	}
	for _, c := range []struct {
		project, needs string // a command in the runner's image
		setup          string
		workflow       string // "" is that of init
	}{
		{project: "go", needs: "go version"},
		{project: "python", needs: "python3 -m pytest --version"},
		{project: "python", needs: "python3 -m pytest --version", workflow: matrix},
		{project: "python", needs: "python3 -m pytest --version", workflow: caller},
		{project: "node", needs: "npm --version", setup: "npm install --no-package-lock"},
		{project: "php", needs: "phpunit --version", setup: "mkdir -p vendor/bin && ln -s $(command -v phpunit) vendor/bin/"},
	} {
		t.Run(c.project+" "+filepath.Base(c.workflow), func(t *testing.T) {
			args := append(append([]string{"run", "--rm"}, strings.Fields(actOptions)...), append([]string{actRunner}, strings.Fields(c.needs)...)...)
			if out, err := exec.Command("docker", args...).CombinedOutput(); err != nil {
				t.Skipf("the runner's image lacks %q: %s", c.needs, out)
			}
			p := newCrossProject(t, c.project, c.workflow, c.setup)
			if report := p.run(p.open("honest", false), true, "passed"); !strings.Contains(report, "2 of 2 passed") {
				t.Error(report)
			}
			if report := p.run(p.open("cheat", true), false, "failed"); !strings.Contains(report, `"shown":"`+p.said+`"`) {
				t.Errorf("%q is not in %s", p.said, report)
			}
			if c.workflow == caller {
				p.run(2, false, "failed", "--env", "GITHUB_RUN_ATTEMPT=2")
			}
		})
	}
}

func newCrossProject(t *testing.T, name, workflow, setup string) *crossProject {
	t.Helper()
	p := &crossProject{t: t, origin: t.TempDir(), own: t.TempDir(), workspace: t.TempDir(), files: map[string]changed{}}
	archive, err := txtar.ParseFile(filepath.Join(repository, "testdata/act", name+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		change, file, _ := strings.Cut(f.Name, "/")
		if p.files[change] == nil {
			p.files[change] = changed{}
		}
		p.files[change][file] = string(f.Data)
	}
	p.said = strings.TrimSpace(p.files["said"]["shown"])
	gitIn(t, p.origin, "init", "-q", "-b", "main")
	p.commit("base")
	init := exec.Command("closeout", "init")
	init.Dir, init.Env = p.origin, gitEnv()
	if out, err := init.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	text := readWorkflow(t, cmp.Or(workflow, twoJobs))
	if workflow == "" {
		text = []byte(readFile(t, filepath.Join(p.origin, ".github/workflows/closeout.yml")))
	}
	writeFile(t, filepath.Join(p.origin, ".github/workflows/closeout.yml"), strings.Replace(string(text), "          mode: observe\n", "", 1))
	p.commit("")
	p.adopt(setup)
	p.serve()
	return p
}

// commit commits the files of a change, if it has any, and what else is there. Those that are empty are removed.
func (p *crossProject) commit(change string) {
	p.t.Helper()
	for file, text := range p.files[change] {
		writeFile(p.t, filepath.Join(p.origin, file), text)
		if text == "" {
			os.Remove(filepath.Join(p.origin, file))
		}
	}
	gitIn(p.t, p.origin, "add", "-A")
	gitIn(p.t, p.origin, "commit", "-qm", "work "+change)
}

// adopt makes what act needs beside the repository: the workflow, and the actions that it uses.
func (p *crossProject) adopt(setup string) {
	t := p.t
	t.Helper()
	text := readFile(t, filepath.Join(p.origin, ".github/workflows/closeout.yml"))
	writeFile(t, filepath.Join(p.workspace, "closeout.yml"), withoutMatrix(t, text, setup))
	gitIn(t, p.workspace, "init", "-q")
	gitIn(t, p.workspace, "add", "closeout.yml")
	gitIn(t, p.workspace, "commit", "-qm", "workflow")
	id := strings.TrimSpace(output(t, "docker", "create", containerImage))
	output(t, "docker", "cp", id+":/closeout", filepath.Join(p.own, "closeout-program"))
	output(t, "docker", "rm", id)
	for file, text := range map[string]string{
		"checkout/action.yml": checkoutStandIn, "upload-artifact/action.yml": uploadStandIn, "download-artifact/action.yml": downloadStandIn,
		"closeout/.github/actions/setup/action.yml": setupStandIn,
		"closeout/.github/workflows/closeout.yml":   withoutMatrix(t, string(readWorkflow(t, reusable)), ""),
		"closeout/action.yml":                       imageOfAction.ReplaceAllString(string(readWorkflow(t, "action.yml")), "  image: docker://"+containerImage),
	} {
		writeFile(t, filepath.Join(p.own, file), text)
	}
	if err := os.Rename(filepath.Join(p.own, "closeout-program"), filepath.Join(p.own, "closeout/.github/actions/setup/closeout")); err != nil {
		t.Fatal(err)
	}
}

func output(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %q: %v: %s", name, args, err, out)
	}
	return string(out)
}

// serve answers as GitHub does, for git and for the interface.
func (p *crossProject) serve() {
	p.hub = &fakehub.Hub{
		Dir: p.origin, Owner: "o", Name: "r", ID: 1, DefaultBranch: "main", Token: "token", Pulls: map[int]*fakehub.Pull{},
		Users: map[string]*fakehub.User{"agent": {ID: 10, Role: "write", Emails: []string{"agent@example.com"}}, "ann": {ID: 11, Role: "maintain"}},
	}
	p.t.Cleanup(p.hub.Close)
	program := strings.TrimSpace(output(p.t, "git", "--exec-path")) + "/git-http-backend"
	git := &cgi.Handler{Path: program, Root: "/o/r", Env: []string{"GIT_PROJECT_ROOT=" + p.origin + "/.git", "GIT_HTTP_EXPORT_ALL=1"}, InheritEnv: []string{"PATH"}}
	mux := http.NewServeMux()
	mux.Handle("/", p.hub)
	mux.HandleFunc("/o/r/", func(w http.ResponseWriter, r *http.Request) {
		if user, password, ok := r.BasicAuth(); !ok || user != "x-access-token" || password != "token" {
			w.Header().Set("WWW-Authenticate", "Basic")
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		git.ServeHTTP(w, r)
	})
	server := httptest.NewServer(mux)
	p.t.Cleanup(server.Close)
	p.server = server.URL
}

// open opens a pull request with a change. Without a fork its branch is in the repository.
func (p *crossProject) open(change string, fork bool) (number int) {
	t := p.t
	t.Helper()
	number = len(p.hub.Pulls) + 1
	gitIn(t, p.origin, "checkout", "-q", "-b", change, "main")
	p.commit(change)
	gitIn(t, p.origin, "update-ref", fmt.Sprintf("refs/pull/%d/head", number), change)
	merge := gitIn(t, p.origin, "commit-tree", change+"^{tree}", "-p", "main", "-p", change, "-m", "Merge")
	gitIn(t, p.origin, "update-ref", fmt.Sprintf("refs/pull/%d/merge", number), merge)
	gitIn(t, p.origin, "checkout", "-q", "main")
	if fork {
		gitIn(t, p.origin, "branch", "-q", "-D", change)
	}
	p.hub.Pulls[number] = &fakehub.Pull{Author: "agent", Base: "main", Head: fmt.Sprintf("refs/pull/%d/head", number), TestMerge: merge, Fork: fork}
	return number
}

// run runs the workflow for a pull request, and expects how it ends. It returns the report in the artifact.
func (p *crossProject) run(number int, succeeds bool, verdict string, more ...string) string {
	t := p.t
	t.Helper()
	pull := p.hub.Pulls[number]
	repo := map[string]any{"id": 1, "full_name": "o/r", "default_branch": "main"}
	from := repo
	if pull.Fork {
		from = map[string]any{"id": 77, "full_name": "somebody/r", "fork": true}
	}
	event, err := json.Marshal(map[string]any{
		"action": "opened", "number": number, "repository": repo, "sender": map[string]any{"login": "agent", "id": 10, "type": "User"},
		"pull_request": map[string]any{
			"number": number,
			"head":   map[string]any{"ref": "topic", "sha": gitIn(t, p.origin, "rev-parse", pull.Head), "repo": from},
			"base":   map[string]any{"ref": "main", "sha": gitIn(t, p.origin, "rev-parse", "main"), "repo": repo},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(p.workspace, "event.json"), string(event))
	if more == nil { // a run that is not repeated has artifacts of its own
		p.kept = t.TempDir()
	}
	args := []string{"pull_request", "--rm", "-W", "closeout.yml", "-e", "event.json", "-P", "ubuntu-latest=" + actRunner, "-P", "ubuntu-24.04-arm=" + actRunner,
		"--pull=false", "--action-offline-mode", "-s", "GITHUB_TOKEN=token", "--env", "GITHUB_REPOSITORY=o/r",
		"--env", "GITHUB_SERVER_URL=" + p.server, "--env", "GITHUB_API_URL=" + p.server,
		"--container-options", strings.TrimSpace("-v " + p.kept + ":/artifacts " + actOptions),
		"--local-repository", "closeout-gate/closeout@v0=" + filepath.Join(p.own, "closeout")}
	for _, m := range versions.FindAllStringSubmatch(string(readWorkflow(t, matrix)), -1) {
		name, _, _ := strings.Cut(strings.TrimPrefix(m[1], "actions/"), "@")
		args = append(args, "--local-repository", m[1]+"="+filepath.Join(p.own, name))
	}
	c := exec.Command(actProgram, append(args, more...)...)
	c.Dir, c.Env = p.workspace, gitEnv("HOME="+t.TempDir(), "XDG_CACHE_HOME="+t.TempDir())
	printed, err := c.CombinedOutput()
	if (err == nil) != succeeds {
		t.Fatalf("act: %v\n%s", err, printed)
	}
	report, err := os.ReadFile(filepath.Join(p.kept, "closeout-bundle/verification_report.json"))
	if err != nil || !strings.Contains(string(report), `"verdict":"`+verdict+`"`) {
		t.Fatalf("%v: the verdict is not %s: %s\n%s", err, verdict, report, printed)
	}
	return string(report)
}

// withoutMatrix writes a workflow whose jobs have no matrix: a job for each leg. The outputs of a job are those that its legs set; act
// keeps the outputs of the first leg that ends, empty or not.
func withoutMatrix(t *testing.T, text, setup string) string {
	t.Helper()
	var w map[string]any
	if err := yaml.Unmarshal([]byte(text), &w); err != nil {
		t.Fatal(err)
	}
	if w["env"] != nil { // not in a workflow that is called
		w["env"] = map[string]any{"SETUP": setup}
	}
	jobs := w["jobs"].(map[string]any)
	names := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(jobs)) {
		job := jobs[name].(map[string]any)
		strategy, ok := job["strategy"].(map[string]any)
		if !ok {
			continue
		}
		delete(job, "strategy")
		delete(jobs, name)
		for i, leg := range legsOf(strategy["matrix"].(map[string]any)) {
			text := marshal(t, job)
			for key, value := range leg {
				text = strings.ReplaceAll(text, "${{ matrix."+key+" }}", fmt.Sprint(value))
			}
			var one map[string]any
			if err := yaml.Unmarshal([]byte(text), &one); err != nil {
				t.Fatal(err)
			}
			of := fmt.Sprintf("%s_%d", name, i+1)
			jobs[of], names[name] = one, append(names[name], of)
		}
	}
	for _, job := range jobs {
		var all []string
		needs, _ := job.(map[string]any)["needs"].([]any)
		for _, name := range needs {
			if legs := names[name.(string)]; legs != nil {
				all = append(all, legs...)
			} else {
				all = append(all, name.(string))
			}
		}
		if all != nil {
			job.(map[string]any)["needs"] = all
		}
	}
	return outputOfJob.ReplaceAllStringFunc(marshal(t, w), func(use string) string {
		m := outputOfJob.FindStringSubmatch(use)
		var legs []string
		for _, name := range names[m[2]] {
			legs = append(legs, m[1]+"."+name+".outputs."+m[3])
		}
		if legs == nil {
			return use
		}
		return "(" + strings.Join(legs, " || ") + ")"
	})
}

var outputOfJob = regexp.MustCompile(`\b(needs|jobs)\.(\w+)\.outputs\.(\w+)`)

func marshal(t *testing.T, v any) string {
	t.Helper()
	text, err := yaml.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// legsOf are the combinations of a matrix. What it includes is added to the combinations that it fits, else it is one of its own.
func legsOf(matrix map[string]any) []map[string]any {
	legs := []map[string]any{{}}
	for _, key := range slices.Sorted(maps.Keys(matrix)) {
		if key == "include" {
			continue
		}
		var more []map[string]any
		for _, leg := range legs {
			for _, value := range matrix[key].([]any) {
				one := maps.Clone(leg)
				one[key] = value
				more = append(more, one)
			}
		}
		legs = more
	}
	included, _ := matrix["include"].([]any)
	if len(matrix) == 1 && included != nil {
		legs = nil
	}
	for _, entry := range included {
		added := false
		for _, leg := range legs {
			fits := len(matrix) > 1
			for key, value := range entry.(map[string]any) {
				fits = fits && (matrix[key] == nil || leg[key] == value)
			}
			if fits {
				added = true
				maps.Copy(leg, entry.(map[string]any))
			}
		}
		if !added {
			legs = append(legs, entry.(map[string]any))
		}
	}
	return legs
}

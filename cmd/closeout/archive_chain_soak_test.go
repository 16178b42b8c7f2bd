//go:build soak

package main

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rhysd/actionlint"

	"github.com/closeout-gate/closeout/internal/testkit/fakehub"
)

// forge is a repository with GitHub around it, whose merges the workflow of the archive keeps.
type forge struct {
	*fakehub.Hub
	t                 *testing.T
	remote, work, api string
}

func newForge(t *testing.T) *forge {
	t.Helper()
	f := &forge{t: t, remote: filepath.Join(t.TempDir(), "remote.git"), work: t.TempDir()}
	run := func(args ...string) { gitIn(t, f.work, args...) }
	run("init", "-q", "--bare", "-b", "main", f.remote)
	run("-C", f.remote, "config", "uploadpack.allowFilter", "true")
	run("init", "-q", "-b", "main")
	run("remote", "add", "origin", f.remote)
	run("commit", "-q", "--allow-empty", "-m", "before the gate")
	f.write(".closeout/scope_contract.json", `{"goal": "g", "allowed_files": ["src/**"], "forbidden_files": ["secrets/**"], "rollback_plan": "Revert.",
  "acceptance_criteria": [{"id": "word", "run": ["grep", "-rq", "good", "src"]}]}`)
	f.write(".github/workflows/closeout.yml", string(readWorkflow(t, caller)))
	f.commit("main", "the gate")
	f.Hub = &fakehub.Hub{
		Dir: f.remote, Owner: "o", Name: "r", ID: 1, DefaultBranch: "main", Token: "token", Pulls: map[int]*fakehub.Pull{},
		Users: map[string]*fakehub.User{"agent": {ID: 10, Role: "write"}},
	}
	t.Cleanup(f.Close)
	server := httptest.NewServer(f.Hub)
	t.Cleanup(server.Close)
	f.api = server.URL
	return f
}

func (f *forge) write(name, text string) { writeFile(f.t, filepath.Join(f.work, name), text) }

// commit adds everything to a branch and pushes it.
func (f *forge) commit(branch, message string) string {
	f.t.Helper()
	gitIn(f.t, f.work, "add", "-A")
	gitIn(f.t, f.work, "commit", "-qm", message)
	gitIn(f.t, f.work, "push", "-q", "origin", "HEAD:refs/heads/"+branch)
	return gitIn(f.t, f.work, "rev-parse", "HEAD")
}

// propose makes a pull request of some files, lets the gate judge it, and keeps the bundle as the gate's workflow does.
func (f *forge) propose(number int, files ...string) {
	f.t.Helper()
	branch := fmt.Sprintf("topic-%d", number)
	gitIn(f.t, f.work, "checkout", "-qb", branch, "main")
	for _, name := range files {
		f.write(name, "good\n")
	}
	head := f.commit(branch, branch)
	f.Pulls[number] = &fakehub.Pull{Author: "agent", Base: "main", Head: head}
	workspace := f.t.TempDir()
	if err := borrow(workspace, f.remote); err != nil {
		f.t.Fatal(err)
	}
	writeFile(f.t, filepath.Join(workspace, "event.json"), fmt.Sprintf(`{"action": "opened", "number": %d, "repository": {"id": 1, "full_name": "o/r", "default_branch": "main"},
  "pull_request": {"number": %d, "head": {"ref": "x", "sha": %q}, "base": {"ref": "main", "sha": %q}}}`, number, number, head, gitIn(f.t, f.work, "rev-parse", "main")))
	c := exec.Command("closeout", "action")
	c.Env = gitEnv("GITHUB_WORKSPACE="+workspace, "GITHUB_EVENT_NAME=pull_request", "GITHUB_EVENT_PATH="+filepath.Join(workspace, "event.json"), "GITHUB_REPOSITORY=o/r",
		"GITHUB_API_URL="+f.api, "INPUT_TOKEN=token", "INPUT_BUNDLE=closeout-bundle", "INPUT_MODE=observe")
	if out, err := c.CombinedOutput(); err != nil {
		f.t.Fatalf("closeout action: %v\n%s", err, out)
	}
	id := int64(number * 10)
	f.Runs = append(f.Runs, &fakehub.Run{ID: id, Head: head, Artifacts: []*fakehub.Artifact{{ID: id + 1, Data: zipOf(f.t, filepath.Join(workspace, "closeout-bundle"))}}})
}

// merge merges a pull request as GitHub does: squash, merge or rebase.
func (f *forge) merge(number int, how string) {
	f.t.Helper()
	gitIn(f.t, f.work, "checkout", "-q", "main")
	head, before := f.Pulls[number].Head, gitIn(f.t, f.work, "rev-parse", "main")
	switch how {
	case "squash":
		gitIn(f.t, f.work, "merge", "-q", "--squash", head)
		gitIn(f.t, f.work, "commit", "-qm", fmt.Sprintf("topic (#%d)", number))
	case "merge":
		gitIn(f.t, f.work, "merge", "-q", "--no-ff", "-m", fmt.Sprintf("Merge pull request #%d", number), head)
	case "rebase":
		gitIn(f.t, f.work, "cherry-pick", before+".."+head)
	}
	gitIn(f.t, f.work, "push", "-q", "origin", "main")
	f.Pulls[number].Merged = true
	f.Pulls[number].Landed = strings.Fields(gitIn(f.t, f.work, "rev-list", "--first-parent", "--reverse", before+"..main"))
}

func zipOf(t *testing.T, dir string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	if err := errors.Join(w.AddFS(os.DirFS(dir)), w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// job runs the scripts of a job of archive.yml. found is the directory of the artifact between the jobs.
func (f *forge) job(name, found string, known map[string]string) (outputs map[string]string, err error) {
	f.t.Helper()
	w, errs := actionlint.Parse(readWorkflow(f.t, archiver))
	if len(errs) > 0 {
		f.t.Fatal(errs)
	}
	r := &runner{t: f.t, workflow: w, work: f.t.TempDir(), temp: f.t.TempDir(), outputs: map[string]string{}, known: map[string]string{
		"${{ github.server_url }}/${{ github.repository }}": "file://" + f.remote, "${{ github.token }}": "token", "${{ inputs.give_up && '--give-up' || '' }}": "",
	}}
	maps.Copy(r.known, known)
	if name == "write" {
		copyTree(f.t, found, filepath.Join(r.temp, "found"))
	}
	r.exported = append(r.variables(w.Env), "GITHUB_API_URL="+f.api, "GITHUB_REPOSITORY=o/r", "GITHUB_SERVER_URL=https://github.com")
	for _, step := range w.Jobs[name].Steps {
		if run, ok := step.Exec.(*actionlint.ExecRun); ok {
			err = r.script(run.Run.Value, nil, r.variables(step.Env), text(step.ID))
		}
	}
	if name == "find" && r.outputs["find.found_sha256"] != "" {
		copyTree(f.t, filepath.Join(r.temp, "found"), found)
	}
	return r.outputs, err
}

func copyTree(t *testing.T, from, to string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}

// keep runs the whole workflow, and says whether the first job failed. The second one must not.
func (f *forge) keep(known map[string]string) (stopped, wrote bool) {
	f.t.Helper()
	found := filepath.Join(f.t.TempDir(), "found")
	outputs, err := f.job("find", found, known)
	digest := outputs["find.found_sha256"]
	if digest == "" {
		return err != nil, false
	}
	if _, wrong := f.job("write", found, map[string]string{"${{ needs.find.outputs.found_sha256 }}": digest}); wrong != nil {
		f.t.Fatal(wrong)
	}
	return err != nil, true
}

// audited is what an audit of a new clone says. Pushes without a pull request block there.
func (f *forge) audited() string {
	f.t.Helper()
	clone := filepath.Join(f.t.TempDir(), "clone")
	gitIn(f.t, f.work, "clone", "-q", "file://"+f.remote, clone)
	c := exec.Command("closeout", "audit")
	c.Dir, c.Env = clone, gitEnv()
	out, err := c.CombinedOutput()
	if failed := (*exec.ExitError)(nil); err != nil && !errors.As(err, &failed) {
		f.t.Fatal(err)
	}
	return string(out)
}

// names are the directories of the entries.
func (f *forge) names() (list []string) {
	f.t.Helper()
	for line := range strings.Lines(gitIn(f.t, f.remote, "ls-tree", "-r", "--name-only", "closeout-archive")) {
		if parts := strings.Split(line, "/"); len(parts) == 4 && parts[3] == "entry.json\n" {
			name := parts[2]
			list = append(list, name[:strings.LastIndex(name, "-")])
		}
	}
	return list
}

// TestSoakArchiveChain runs the scripts of archive.yml against a repository: the first time, with failures between, and with nothing new.
func TestSoakArchiveChain(t *testing.T) {
	f := newForge(t)
	f.propose(1, "src/a")
	f.merge(1, "squash")
	f.write("src/pushed", "good\n")
	f.commit("main", "a direct push")
	f.propose(2, "src/b", "src/c")
	f.merge(2, "merge")
	late := filepath.Join(t.TempDir(), "late") // of a run that found the same, and writes after the others
	outputs, err := f.job("find", late, nil)
	if err != nil {
		t.Fatal(err)
	}
	if stopped, wrote := f.keep(nil); stopped || !wrote {
		t.Fatalf("the first time: stopped %v, wrote %v", stopped, wrote)
	}
	want := []string{"000000-gap", "000001-pr1", "000002-gap", "000003-pr2"} // the first gap is the commit that added the gate
	if got := f.names(); !slices.Equal(got, want) {
		t.Fatalf("got %q, expected %q", got, want)
	}
	if out := f.audited(); !strings.Contains(out, "with 4 entries") || !strings.Contains(out, "replayed: 2 of 2 reports") || strings.Contains(out, "the archive is not") {
		t.Errorf("got %s", out)
	}
	if stopped, wrote := f.keep(nil); stopped || wrote {
		t.Errorf("nothing new: stopped %v, wrote %v", stopped, wrote)
	}

	// GitHub fails at the second of three, and refuses the push of the first once: killed in between, nothing is lost.
	for number, how := range []string{3: "rebase", 4: "squash", 5: "merge"} {
		if how != "" {
			f.propose(number, fmt.Sprintf("src/%d", number))
			f.merge(number, how)
		}
	}
	f.Fail("/actions/runs?created=", 1, func(w http.ResponseWriter, r *http.Request, answer http.Handler) { answer.ServeHTTP(w, r) })
	f.Fail("/actions/runs?created=", 1, fakehub.Status(403, "Resource not accessible by integration"))
	refusal := filepath.Join(f.remote, "hooks", "pre-receive")
	writeFile(t, refusal, "#!/bin/sh\nrm -- \"$0\"\nexit 1\n")
	if err := os.Chmod(refusal, 0o755); err != nil {
		t.Fatal(err)
	}
	if stopped, wrote := f.keep(nil); !stopped || !wrote {
		t.Fatalf("with a failure: stopped %v, wrote %v", stopped, wrote)
	}
	if want = append(want, "000004-pr3"); !slices.Equal(f.names(), want) {
		t.Fatalf("got %q, expected %q", f.names(), want)
	}
	if _, err := os.Stat(refusal); err == nil {
		t.Error("no push was refused")
	}
	f.keep(nil)
	if want = append(want, "000005-pr4", "000006-pr5"); !slices.Equal(f.names(), want) {
		t.Fatalf("got %q, expected %q", f.names(), want)
	}
	if _, err := f.job("write", late, map[string]string{"${{ needs.find.outputs.found_sha256 }}": outputs["find.found_sha256"]}); err == nil || !slices.Equal(f.names(), want) {
		t.Errorf("what another run has added was added again, or nothing was said: %v, %q", err, f.names())
	}
	if out := f.audited(); !strings.Contains(out, "with 7 entries") || !strings.Contains(out, "replayed: 5 of 5 reports") || strings.Contains(out, "the archive is not") {
		t.Errorf("got %s", out)
	}

	// At once it would be the same archive.
	tree := gitIn(t, f.remote, "rev-parse", "closeout-archive^{tree}")
	gitIn(t, f.remote, "branch", "-qm", "closeout-archive", "earlier")
	f.keep(nil)
	if again := gitIn(t, f.remote, "rev-parse", "closeout-archive^{tree}"); again != tree {
		t.Errorf("at once the tree is %s, in steps it was %s", again, tree)
	}
}

// TestSoakArchiveChainGivesUp writes down one commit as unknown, when a person says so.
func TestSoakArchiveChainGivesUp(t *testing.T) {
	f := newForge(t)
	f.propose(1, "src/a")
	f.merge(1, "squash")
	f.Fail("/commits/"+gitIn(t, f.work, "rev-parse", "main"), -1, fakehub.Status(404, "Not Found"))
	giveUp := map[string]string{"${{ inputs.give_up && '--give-up' || '' }}": "--give-up"}
	f.keep(nil)
	if stopped, wrote := f.keep(nil); !stopped || wrote {
		t.Errorf("without: stopped %v, wrote %v", stopped, wrote)
	}
	if stopped, wrote := f.keep(giveUp); stopped || !wrote || !slices.Equal(f.names(), []string{"000000-gap", "000001-gap"}) {
		t.Errorf("with: stopped %v, wrote %v: %q", stopped, wrote, f.names())
	}
}

// TestSoakArchiveChainTampered changes what the second job gets.
func TestSoakArchiveChainTampered(t *testing.T) {
	f := newForge(t)
	f.propose(1, "src/a")
	f.merge(1, "squash")
	for name, tamper := range map[string]func(found string){
		"the index":        func(found string) { writeFile(t, filepath.Join(found, "index.json"), "{}") },
		"a report":         func(found string) { writeFile(t, filepath.Join(found, "1/bundle/verification_report.json"), "{}") },
		"no index":         func(found string) { os.Remove(filepath.Join(found, "index.json")) },
		"a file is a link": func(found string) { linkFacts(t, found) },
	} {
		found := filepath.Join(t.TempDir(), "found")
		outputs, err := f.job("find", found, nil)
		if err != nil {
			t.Fatal(err)
		}
		tamper(found)
		if _, err := f.job("write", found, map[string]string{"${{ needs.find.outputs.found_sha256 }}": outputs["find.found_sha256"]}); err == nil {
			t.Errorf("%s: the job passed", name)
		}
		if refs := gitIn(t, f.remote, "for-each-ref", "refs/heads/closeout-archive"); refs != "" {
			t.Fatalf("%s: %s", name, refs)
		}
	}
}

func linkFacts(t *testing.T, found string) {
	facts := filepath.Join(found, "1/bundle/facts.json")
	if err := os.Rename(facts, found+".json"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../../1/bundle/changes.json", facts); err != nil {
		t.Fatal(err)
	}
}

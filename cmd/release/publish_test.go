package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/rhysd/actionlint"

	"github.com/closeout-gate/closeout/verify"
)

// TestMain lets the test program stand for go run ./cmd/release.
func TestMain(m *testing.M) {
	if os.Getenv("RELEASE_STANDS_FOR_GO") != "" {
		os.Args = os.Args[2:] // run ./cmd/release
		main()
		return
	}
	os.Exit(m.Run())
}

// publisher is the job that publishes, with a git repository for the forge.
type publisher struct {
	t                      *testing.T
	script, forge, checked string
}

// newPublisher makes a checkout of the tag that starts a release, and a gh that does nothing but note how it was called.
func newPublisher(t *testing.T) *publisher {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil || runtime.GOOS == "windows" {
		t.Skip("publishing needs git and bash")
	}
	work := t.TempDir()
	p := &publisher{t, publishScript(t), filepath.Join(work, "forge"), filepath.Join(work, "checked")}
	write(t, read(t, repository, "action.yml"), p.checked, "action.yml")
	write(t, read(t, repository, ".github/actions/setup/install"), p.checked, ".github/actions/setup/install")
	p.git("init", "-q", "-b", "main", ".")
	p.git("add", "-A")
	p.git("commit", "-qm", "ready")
	p.git("init", "-q", "--bare", p.forge)
	p.git("remote", "add", "origin", p.forge)
	p.git("tag", "release/v"+verify.Version)
	p.git("push", "-q", "origin", "main", "release/v"+verify.Version)
	p.git("checkout", "-q", "--detach", "release/v"+verify.Version)
	write(t, sums(), p.checked, "dist/checksums.txt")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, script := range map[string]string{
		"go": "#!/bin/sh\nRELEASE_STANDS_FOR_GO=1 exec '" + self + "' \"$@\"\n",
		"gh": "#!/bin/sh\necho \"$*\" >> ../gh.log\n",
	} {
		write(t, script, work, "tools", name)
		if err := os.Chmod(filepath.Join(work, "tools", name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// publishScript is the last script of release.yml.
func publishScript(t *testing.T) string {
	t.Helper()
	w, errs := actionlint.Parse([]byte(read(t, repository, ".github/workflows/release.yml")))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	steps := w.Jobs["publish"].Steps
	run, ok := steps[len(steps)-1].Exec.(*actionlint.ExecRun)
	if !ok || steps[len(steps)-1].Name.Value != "Publish" {
		t.Fatal("the last step of release.yml does not publish")
	}
	return run.Run.Value
}

func (p *publisher) command(name string, args ...string) *exec.Cmd {
	c := exec.Command(name, args...)
	c.Dir = p.checked
	if _, err := os.Stat(c.Dir); err != nil {
		p.t.Fatal(err)
	}
	settings, err := filepath.Abs(filepath.Join(repository, "testdata/gitconfig"))
	if err != nil {
		p.t.Fatal(err)
	}
	c.Env = append(os.Environ(), "PATH="+filepath.Join(filepath.Dir(p.checked), "tools")+":"+os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_GLOBAL="+settings, "TAG=v"+verify.Version, "IMAGE=ghcr.io/closeout-gate/closeout", "RUNNER_TEMP=temp",
		"DIGEST="+image[strings.Index(image, "@")+1:])
	return c
}

func (p *publisher) git(args ...string) string {
	p.t.Helper()
	out, err := p.command("git", args...).CombinedOutput()
	if err != nil {
		p.t.Fatalf("git %q: %s", args, out)
	}
	return strings.TrimSpace(string(out))
}

// of is the commit of a name at the forge.
func (p *publisher) of(name string) string {
	return p.git("-C", p.forge, "rev-parse", name+"^{commit}")
}

// run runs the script as the runner does.
func (p *publisher) run() (string, error) {
	out, err := p.command("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", p.script).CombinedOutput()
	return string(out), err
}

// TestPublish makes the commit of the release and its tags, and does not replace a version.
func TestPublish(t *testing.T) {
	p := newPublisher(t)
	version := "v" + verify.Version
	major, _, _ := strings.Cut(version, ".")
	if out, err := p.run(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	released := p.of(version)
	if p.of(major) != released || p.of(version+"^") != p.of("release/"+version) || p.of("main") != p.of("release/"+version) {
		t.Errorf("%s is %s, %s is %s, and the tagged commit is %s", version, released, major, p.of(major), p.of("main"))
	}
	if got := p.git("-C", p.forge, "diff", "--name-only", "main", version); got != ".github/actions/setup/checksums.txt\naction.yml" {
		t.Errorf("the release changes %q", got)
	}
	if got := p.git("-C", p.forge, "show", version+":action.yml"); !strings.Contains(got, "image: docker://"+image+"\n") {
		t.Errorf("action.yml of the release:\n%s", got)
	}
	if calls := read(t, p.checked, "../gh.log"); !strings.Contains(calls, "release create "+version+" --verify-tag") {
		t.Errorf("gh was called with %q", calls)
	}

	p.git("checkout", "-q", "-f", "main")
	p.git("commit", "-q", "--allow-empty", "-m", "later")
	p.git("tag", "-d", version)
	if out, err := p.run(); err == nil || !strings.Contains(out, "[rejected]") || p.of(version) != released || p.of(major) != released {
		t.Errorf("a version was released twice: %v\n%s", err, out)
	}
}

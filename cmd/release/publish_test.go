package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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

// publisher is the job that publishes, with a directory for the forge and its registry.
type publisher struct {
	t              *testing.T
	work, checked  string
	forge, version string
	steps          []*actionlint.Step
	key            string // of RELEASE_KEY
	refuse         string // "before" or "after": each call of the forge fails once, and does nothing or all
}

// standIns are the programs that the job calls. What changes or asks the forge goes through refuse.
var standIns = map[string]string{
	"refuse": `test -z "$REFUSE" && exit 0
name=$(printf %s "$*" | tr -c 'a-z0-9' -)
test -e "$FORGE/refused/$name" && exit 0
touch "$FORGE/refused/$name"
echo "the forge refuses: $*" >&2
exit 1
`,
	"go": `RELEASE_STANDS_FOR_GO=1 exec "$SELF" "$@"
`,
	"git": `test "$1" = push || exec "$GIT" "$@"
test "$REFUSE" = before && { refuse git push "${3##*/}$4" || exit 1; }
"$GIT" "$@" || exit 1
test "$REFUSE" = after && { refuse git push "${3##*/}$4" || exit 1; }
exit 0
`,
	"ssh": `test "$1" = -i && test -s "$2" && grep -q '^github.com ssh-ed25519 ' "$RUNNER_TEMP/known_hosts" || exit 1
for last do :; done
exec sh -c "${last%% *} '$FORGE/o/closeout.git'"
`,
	"docker": `test "$REFUSE" = before && { refuse docker "$1" "$2" "$5" || exit 1; }
case "$1 $2 $3" in
"login ghcr.io "*) cat > /dev/null ;;
"buildx imagetools inspect")
	test -e "$FORGE/image" || { echo "ERROR: $4: not found" >&2; exit 1; }
	test "$5" != --format || printf '"%s"\n' "$(cat "$FORGE/image")" ;;
"buildx create --use") ;;
"buildx build "*)
	for last do :; done
	mkdir -p "$FORGE/programs"
	cp "$last"/closeout_*_linux_* "$FORGE/programs"
	printf 'sha256:%064d' "$(ls "$FORGE/refused" | wc -l)" > "$FORGE/image" ;; # another one each time
"pull "*) echo "$4" > "$FORGE/arch" ;;
"create "*) echo container ;;
"cp container:/closeout "*) cp "$FORGE/programs/"closeout_*_linux_"$(sed s,.*/,, "$FORGE/arch")" "$3" ;;
*) echo "docker $*" >&2; exit 2 ;;
esac
test "$REFUSE" = after && { refuse docker "$1" "$2" "$5" || exit 1; }
exit 0
`,
	"gh": `test "$REFUSE" = before && { refuse gh "$1" "$2" "$4" || exit 1; }
r=$FORGE/release
case "$1 $2" in
"api meta") echo "github.com ssh-ed25519 AAAA" ;;
"api --paginate") test ! -e "$r" || cat "$r/draft" ;;
"auth setup-git") ;;
"release create")
	test ! -e "$r" || { echo "there would be two releases" >&2; exit 1; }
	mkdir "$r" && echo true > "$r/draft" ;;
"release upload")
	grep -q true "$r/draft" || { echo "the release is published" >&2; exit 1; }
	shift 4
	cp "$@" "$r" ;;
"release edit") echo false > "$r/draft" ;;
*) echo "gh $*" >&2; exit 2 ;;
esac
test "$REFUSE" = after && { refuse gh "$1" "$2" "$4" || exit 1; }
exit 0
`,
}

// newPublisher makes a checkout of the tag that starts a release, and what the job calls.
func newPublisher(t *testing.T) *publisher {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil || runtime.GOOS == "windows" {
		t.Skip("publishing needs git and bash")
	}
	work := t.TempDir()
	p := &publisher{t: t, work: work, checked: filepath.Join(work, "checked"), forge: filepath.Join(work, "forge"), version: "v" + verify.Version}
	for name, script := range standIns {
		write(t, "#!/bin/sh\n"+script, work, "tools", name)
		if err := os.Chmod(filepath.Join(work, "tools", name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(t, "", p.forge, "refused", ".keep")
	for _, name := range []string{"action.yml", ".github/actions/setup/install"} {
		write(t, read(t, repository, name), p.checked, name)
	}
	write(t, "## ["+verify.Version+"] - 2026-01-01\n\nNews.\n", p.checked, "CHANGELOG.md")
	p.git("init", "-q", "-b", "main", ".")
	p.git("add", "-A")
	p.git("commit", "-qm", "ready")
	p.git("init", "-q", "--bare", p.remote())
	p.git("tag", "release/"+p.version)
	p.git("push", "-q", p.remote(), "main", "release/"+p.version)
	var checksums strings.Builder
	for _, target := range targets {
		text := "the program " + target.file()
		sum := sha256.Sum256([]byte(text))
		write(t, text, work, "dist", target.file())
		fmt.Fprintf(&checksums, "%s  %s\n", hex.EncodeToString(sum[:]), target.file())
	}
	write(t, checksums.String(), work, "dist", "checksums.txt")
	w, errs := actionlint.Parse([]byte(read(t, repository, ".github/workflows/release.yml")))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	p.steps = w.Jobs["publish"].Steps
	return p
}

func (p *publisher) remote() string { return filepath.Join(p.forge, "o/closeout.git") }

func (p *publisher) command(name string, args ...string) *exec.Cmd {
	c := exec.Command(name, args...)
	c.Dir = p.checked
	settings, err := filepath.Abs(filepath.Join(repository, "testdata/gitconfig"))
	if err != nil {
		p.t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		p.t.Fatal(err)
	}
	git, err := exec.LookPath("git")
	if err != nil {
		p.t.Fatal(err)
	}
	c.Env = append(os.Environ(), "PATH="+filepath.Join(p.work, "tools")+":"+os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+settings,
		"SELF="+self, "GIT="+git, "FORGE="+p.forge, "REFUSE="+p.refuse)
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
	return p.git("-C", p.remote(), "rev-parse", name+"^{commit}")
}

var expression = regexp.MustCompile(`\$\{\{ *([^ }]+) *\}\}`)

// run is one try of the job on a fresh runner: each script in its order, until one fails.
func (p *publisher) run() (string, error) {
	p.t.Helper()
	temp, err := os.MkdirTemp(p.work, "runner")
	if err != nil {
		p.t.Fatal(err)
	}
	p.git("checkout", "-q", "-f", "--detach", "release/"+p.version)
	if err := os.CopyFS(filepath.Join(p.checked, "dist"), os.DirFS(filepath.Join(p.work, "dist"))); err != nil {
		p.t.Fatal(err)
	}
	defer os.RemoveAll(filepath.Join(p.checked, "dist"))
	values := map[string]string{"github.token": "token", "secrets.RELEASE_KEY": p.key, "github.repository": "o/closeout"}
	env := []string{
		"RUNNER_TEMP=" + temp, "GITHUB_REF_NAME=release/" + p.version, "GITHUB_ACTOR=mona", "GITHUB_REPOSITORY=o/closeout", "GITHUB_SERVER_URL=" + p.forge,
		"IMAGE=ghcr.io/o/closeout", "GH_TOKEN=token", "GITHUB_ENV=" + filepath.Join(temp, "env"), "GITHUB_OUTPUT=" + filepath.Join(temp, "output"),
	}
	if p.key == "" { // the forge without the ending, as GitHub takes it
		if err := os.RemoveAll(filepath.Join(p.forge, "o/closeout")); err != nil {
			p.t.Fatal(err)
		}
		if err := os.Symlink("closeout.git", filepath.Join(p.forge, "o/closeout")); err != nil {
			p.t.Fatal(err)
		}
	}
	var all strings.Builder
	for _, step := range p.steps {
		script, ok := step.Exec.(*actionlint.ExecRun)
		if !ok {
			continue
		}
		c := p.command("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script.Run.Value)
		c.Env = append(c.Env, env...)
		if step.Env != nil {
			for _, v := range step.Env.Vars {
				c.Env = append(c.Env, v.Name.Value+"="+expression.ReplaceAllStringFunc(v.Value.Value, func(text string) string {
					return values[expression.FindStringSubmatch(text)[1]]
				}))
			}
		}
		out, err := c.CombinedOutput()
		if all.Write(out); err != nil {
			return all.String(), err
		}
		added, _ := os.ReadFile(filepath.Join(temp, "env"))
		env = append(env, strings.Fields(string(added))...)
		outputs, _ := os.ReadFile(filepath.Join(temp, "output"))
		for _, line := range strings.Fields(string(outputs)) {
			name, value, _ := strings.Cut(line, "=")
			values["steps."+step.ID.Value+".outputs."+name] = value
			_ = os.Remove(filepath.Join(temp, "output"))
		}
	}
	return all.String(), nil
}

// released checks what is at the forge after a release.
func (p *publisher) released() {
	p.t.Helper()
	major, _, _ := strings.Cut(p.version, ".")
	released := p.of(p.version)
	if p.of(major) != released || p.of(p.version+"^") != p.of("release/"+p.version) || p.of("main") != p.of("release/"+p.version) {
		p.t.Errorf("%s is %s, %s is %s, and the tagged commit is %s", p.version, released, major, p.of(major), p.of("main"))
	}
	if got := p.git("-C", p.remote(), "diff", "--name-only", "main", p.version); got != ".github/actions/setup/checksums.txt\naction.yml" {
		p.t.Errorf("the release changes %q", got)
	}
	digest := read(p.t, p.forge, "image")
	if got := p.git("-C", p.remote(), "show", p.version+":action.yml"); !strings.Contains(got, "image: docker://ghcr.io/o/closeout@"+digest+"\n") {
		p.t.Errorf("action.yml of the release:\n%s", got)
	}
	if draft := read(p.t, p.forge, "release/draft"); draft != "false\n" {
		p.t.Errorf("draft: %q", draft)
	}
	for _, target := range targets {
		read(p.t, p.forge, "release", target.file())
	}
}

// TestPublish makes the commit of the release and its tags. Another try changes nothing, and another commit does not replace a version.
func TestPublish(t *testing.T) {
	for name, key := range map[string]string{"by the token": "", "by a deploy key": "-----BEGIN OPENSSH PRIVATE KEY-----"} {
		t.Run(name, func(t *testing.T) {
			p := newPublisher(t)
			p.key = key
			if out, err := p.run(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			p.released()
			first := p.of(p.version)
			if out, err := p.run(); err != nil || p.of(p.version) != first {
				t.Fatalf("the second try: %v\n%s", err, out)
			}
			p.released()

			p.git("checkout", "-q", "-f", "main")
			p.git("commit", "-q", "--allow-empty", "-m", "later")
			p.git("tag", "-f", "release/"+p.version)
			out, err := p.run()
			if err == nil || !strings.Contains(out, "[rejected]") || !strings.Contains(out, "release another one") || p.of(p.version) != first {
				t.Errorf("a version was released twice: %v\n%s", err, out)
			}
		})
	}
}

// TestPublishOlder finishes a version after a newer one: v0 does not go back.
func TestPublishOlder(t *testing.T) {
	p := newPublisher(t)
	major, _, _ := strings.Cut(p.version, ".")
	newer := major + ".1000.0"
	p.git("push", "-q", p.remote(), "main:refs/tags/"+newer, "main:refs/tags/"+major)
	if out, err := p.run(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if p.of(major) != p.of(newer) || p.of(p.version) == p.of(newer) {
		t.Errorf("%s is %s", major, p.of(major))
	}
}

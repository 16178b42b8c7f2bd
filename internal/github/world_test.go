package github

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/closeout-gate/closeout/internal/collect"
	"github.com/closeout-gate/closeout/internal/testkit/fakehub"
	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/input"
)

var update = flag.Bool("update", false, "write goldens")

const token = "ghs_aTokenThatNobodyMaySee"

// repo is a git repository that a test fills; the ids in it are the same in every run.
type repo struct {
	t       testing.TB
	dir     string
	commits int
	email   string // of authors and committers; "" is the agent's
	// committer is the address of committers; "" is email.
	committer string
}

func (r *repo) git(stdin string, args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Stdin = r.dir, strings.NewReader(stdin)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_INDEX_FILE="+filepath.Join(r.dir, "test-index"))
	email := cmp.Or(r.email, "agent@example.com")
	for who, email := range map[string]string{"AUTHOR": email, "COMMITTER": cmp.Or(r.committer, email)} {
		cmd.Env = append(cmd.Env, "GIT_"+who+"_NAME=Somebody", "GIT_"+who+"_EMAIL="+email,
			fmt.Sprintf("GIT_%s_DATE=%d +0000", who, 1_790_000_000+r.commits))
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// commit makes a commit that contains exactly the given files, and lets a branch point to it. A content that begins with
// "link:", "exec:" or "sub:" makes a symlink, an executable or a submodule.
func (r *repo) commit(branch, message string, files map[string]string, parents ...string) string {
	r.t.Helper()
	r.commits++
	ref := "refs/heads/" + cmp.Or(branch, "unnamed")
	in := &strings.Builder{}
	fmt.Fprintf(in, "commit %s\nmark :1\n", ref)
	when := 1_790_000_000 + r.commits
	email := cmp.Or(r.email, "agent@example.com")
	fmt.Fprintf(in, "author Somebody <%s> %d +0000\ncommitter Somebody <%s> %d +0000\ndata %d\n%s\n", email, when, cmp.Or(r.committer, email), when, len(message)+1, message)
	for i, p := range parents {
		fmt.Fprintf(in, "%s %s\n", []string{"from", "merge"}[min(i, 1)], p)
	}
	in.WriteString("deleteall\n")
	for path, content := range files {
		mode := "100644"
		for prefix, m := range map[string]string{"link:": "120000", "exec:": "100755", "sub:": "160000"} {
			if rest, ok := strings.CutPrefix(content, prefix); ok {
				mode, content = m, rest
			}
		}
		if mode == "160000" {
			fmt.Fprintf(in, "M %s %s %q\n", mode, content, path)
		} else {
			fmt.Fprintf(in, "M %s inline %q\ndata %d\n%s\n", mode, path, len(content), content)
		}
	}
	if branch == "" {
		fmt.Fprintf(in, "reset %s\nfrom %s\n", ref, strings.Repeat("0", 40))
	}
	in.WriteString("get-mark :1\n")
	return r.git(in.String(), "-c", "fastimport.unpackLimit=0", "fast-import", "--quiet", "--force")
}

// fakeClock moves when a caller sleeps.
type fakeClock struct {
	now   time.Time
	slept []time.Duration
}

func (f *fakeClock) clock() Clock {
	return Clock{
		Now: func() time.Time { return f.now },
		Sleep: func(ctx context.Context, d time.Duration) error {
			f.slept, f.now = append(f.slept, d), f.now.Add(d)
			return ctx.Err()
		},
	}
}

// world is a hub with one pull request, number 7: base main, head topic, by the account agent.
type world struct {
	*fakehub.Hub
	t          testing.TB
	repo       *repo
	pull       *fakehub.Pull
	base, head string
	clock      *fakeClock
	client     *Client
	server     *httptest.Server
}

var baseFiles = map[string]string{
	".closeout/scope_contract.json": `{"goal":"g"}`, "README.md": "hello\n", "src/a.go": "package a\n", "src/deep/b.go": "package b\n", "run.sh": "exec:true\n",
}

func with(files map[string]string, more ...string) map[string]string {
	all := map[string]string{}
	for path, content := range files {
		all[path] = content
	}
	for i := 0; i < len(more); i += 2 {
		all[more[i]] = more[i+1]
		if more[i+1] == "" {
			delete(all, more[i])
		}
	}
	return all
}

// started is the repository that every world begins with; making it once saves most of the time.
var started struct{ dir, base, head string }

func TestMain(m *testing.M) {
	flag.Parse()
	dir, err := os.MkdirTemp("", "fakehub")
	if err != nil {
		panic(err)
	}
	started.dir = dir
	r := &repo{t: fatal{}, dir: dir}
	r.git("", "init", "-q", "--bare", "--template=", "-b", "main")
	started.base = r.commit("main", "start", baseFiles)
	started.head = r.commit("topic", "change a\n\nCo-authored-by: Robot <17+Robot@users.noreply.github.com>", with(baseFiles, "src/a.go", "package a // new\n"), started.base)
	code := m.Run()
	if err := os.RemoveAll(dir); err != nil {
		panic(err)
	}
	os.Exit(code)
}

// fatal replaces a test where none runs.
type fatal struct{ testing.TB }

func (fatal) Helper()                           {}
func (fatal) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

func newWorld(t testing.TB) *world {
	t.Helper()
	r := &repo{t: t, dir: t.TempDir(), commits: 2}
	if err := os.CopyFS(r.dir, os.DirFS(started.dir)); err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, repo: r, clock: &fakeClock{now: time.Unix(1_790_000_000, 0)}, base: started.base, head: started.head}
	w.pull = &fakehub.Pull{Author: "agent", Base: "main", Head: "topic", Labels: []string{"bug"}}
	w.Hub = &fakehub.Hub{
		Dir: r.dir, Owner: "octo-org", Name: "octo-repo", ID: 17273051, DefaultBranch: "main", Token: token,
		Pulls: map[int]*fakehub.Pull{7: w.pull},
		Users: map[string]*fakehub.User{
			"agent": {ID: 11, Role: "write", Emails: []string{"agent@example.com"}},
			"ann":   {ID: 12, Role: "maintain"}, "bob": {ID: 13, Role: "triage"}, "release[bot]": {ID: 14},
		},
	}
	w.server = httptest.NewServer(w.Hub)
	t.Cleanup(func() { w.server.Close(); w.Hub.Close() })
	w.client = w.connect(token, "")
	return w
}

const gitlink = "sub:cccccccccccccccccccccccccccccccccccccccc"

// workspace is one into which a workflow fetched the repository.
func (w *world) workspace() string {
	w.t.Helper()
	dir := w.t.TempDir()
	if err := os.Symlink(w.repo.dir, filepath.Join(dir, Repository)); err != nil {
		w.t.Fatal(err)
	}
	return dir
}

// changes are those between the merge base of two commits and the second.
func (w *world) changes(base, head string) []change.Change {
	w.t.Helper()
	git, err := collect.OpenGit(w.repo.dir, input.DefaultLimits())
	if err != nil {
		w.t.Fatal(err)
	}
	defer git.Close()
	c := collect.Compare(git, base, head)
	if len(c.Unavailable) > 0 {
		w.t.Fatal(c.Unavailable)
	}
	return c.Changes
}

// connect makes a client; path is what is between host and endpoints, as on an enterprise server.
func (w *world) connect(token, path string) *Client {
	w.t.Helper()
	api, err := url.Parse(w.server.URL + path)
	if err != nil {
		w.t.Fatal(err)
	}
	c, err := New(Config{API: api, Token: token, Repository: "octo-org/octo-repo", Clock: w.clock.clock(), Timeout: 5 * time.Second})
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

// called lists the calls since the last look, without the repository's path and the usual parameters.
func called(h *fakehub.Hub, from int) []string {
	calls := slices.Clone(h.Calls()[from:])
	for i, call := range calls {
		call = strings.Replace(call, "/repos/octo-org/octo-repo", "", 1)
		calls[i] = strings.Replace(call, "?per_page=100&page=1", "", 1)
	}
	return calls
}

func isOverride(label string) bool {
	return label == "closeout-override" || strings.HasPrefix(label, "closeout-override:")
}

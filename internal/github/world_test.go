package github

import (
	"context"
	"flag"
	"fmt"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/closeout-gate/closeout/internal/collect"
	"github.com/closeout-gate/closeout/internal/testkit/fakehub"
	"github.com/closeout-gate/closeout/internal/testkit/memory"
	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/input"
)

var update = flag.Bool("update", false, "write goldens")

const token = "ghs_aTokenThatNobodyMaySee"

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
	repo       *fakehub.Repo
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
	memory.Use()
	flag.Parse()
	dir, err := os.MkdirTemp("", "fakehub")
	if err != nil {
		panic(err)
	}
	started.dir = dir
	r := &fakehub.Repo{T: fatal{}, Dir: dir}
	r.Git("", "init", "-q", "--bare", "--template=", "-b", "main")
	started.base = r.Commit("main", "start", baseFiles)
	started.head = r.Commit("topic", "change a\n\nCo-authored-by: Robot <17+Robot@users.noreply.github.com>", with(baseFiles, "src/a.go", "package a // new\n"), started.base)
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
	r := &fakehub.Repo{T: t, Dir: t.TempDir(), Commits: 2}
	if err := os.CopyFS(r.Dir, os.DirFS(started.dir)); err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, repo: r, clock: &fakeClock{now: time.Unix(1_790_000_000, 0)}, base: started.base, head: started.head}
	w.pull = &fakehub.Pull{Author: "agent", Base: "main", Head: "topic", Labels: []string{"bug"}}
	w.Hub = &fakehub.Hub{
		Dir: r.Dir, Owner: "octo-org", Name: "octo-repo", ID: 17273051, DefaultBranch: "main", Token: token,
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
	if err := os.Symlink(w.repo.Dir, filepath.Join(dir, Repository)); err != nil {
		w.t.Fatal(err)
	}
	return dir
}

// changes are those between the merge base of two commits and the second.
func (w *world) changes(base, head string) []change.Change {
	w.t.Helper()
	git, err := collect.OpenGit(w.repo.Dir, input.DefaultLimits())
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

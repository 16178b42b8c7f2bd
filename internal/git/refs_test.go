package git_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/git"
)

// refsRepo has a branch with a merge, tags of both kinds, a remote, and names that exist twice.
func refsRepo(t *testing.T) string {
	t.Helper()
	dir := initRepo(t)
	h := newHistory(1, 40)
	h.put("f", "100644 x")
	first := h.commit("main", 1)
	side := h.commit("feature/deep", 2, first)
	h.commit("main", 4, h.commit("main", 3, first), side)
	h.load(t, dir)
	for _, args := range [][]string{
		{"tag", "v1", "main~1"}, {"tag", "-a", "-m", "m", "v2", "main"}, {"tag", "-a", "-m", "m", "v3", "v2"},
		{"tag", "-a", "-m", "m", "of-tree", "main^{tree}"}, {"tag", "of-blob", "main:f"},
		{"update-ref", "refs/remotes/origin/main", "main~1"},
		{"symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main"},
		{"update-ref", "refs/remotes/both", "main"}, {"branch", "both", "main~1"},
		{"tag", "twice", "main"}, {"branch", "twice", "main"},
		{"update-ref", "refs/tags/origin/main", "main"},
		{"update-ref", "refs/pull/1/merge", "main~1"},
		{"symbolic-ref", "refs/heads/link", "refs/heads/main"},
		{"update-ref", "refs/heads/abc123", "main"},
	} {
		runGit(t, dir, args...)
	}
	runGit(t, dir, "update-ref", "-d", "refs/tags/origin/main")
	return dir
}

// TestResolve compares with git, with loose and with packed refs.
func TestResolve(t *testing.T) {
	dir := refsRepo(t)
	runGit(t, dir, "fetch", "-q", ".", "v3", "main")
	for _, packed := range []bool{false, true} {
		if packed {
			runGit(t, dir, "pack-refs", "--all")
			runGit(t, dir, "update-ref", "refs/heads/main", "v1") // a loose one that is newer
		}
		r := open(t, dir)
		for _, name := range []string{
			"HEAD", "FETCH_HEAD", "FETCH_HEAD~1", "main", "feature/deep", "v1", "v2", "v3", "origin/main", "origin", "origin/HEAD", "link", "abc123", "pull/1/merge",
			"heads/main", "tags/v2", "remotes/origin/main", "refs/heads/main", "refs/tags/v3", "refs/pull/1/merge", "refs/heads/both", "refs/heads/twice",
			"v2^2", "v2^", "v2^1", "v2~", "v2~1", "v2~2", "v2~1~1", "v2^2~1", "v2^^", "v2^0", "v2~0", "HEAD~0^0",
			line(t, dir, "rev-parse", "main"), line(t, dir, "rev-parse", "v3"), strings.ToUpper(line(t, dir, "rev-parse", "v3")), line(t, dir, "rev-parse", "v2") + "~1",
		} {
			got, err := r.Resolve(name)
			if want := line(t, dir, "rev-parse", name+"^{commit}"); err != nil || got.String() != want {
				t.Errorf("packed %v, %s: %s %v, want %s", packed, name, got, err, want)
			}
		}
	}
}

// TestResolveRefuses checks the errors for names that match nothing, several refs, or no commit.
func TestResolveRefuses(t *testing.T) {
	dir := refsRepo(t)
	full := line(t, dir, "rev-parse", "main")
	for _, packed := range []bool{false, true} {
		if packed {
			runGit(t, dir, "pack-refs", "--all")
		}
		r := open(t, dir)
		for _, c := range []struct {
			name string
			want any
			text string
		}{
			{"nothing", new(*git.NoSuchRef), "fetch it"},
			{"refs/heads/nothing", new(*git.NoSuchRef), "fetch it"},
			{"refs/heads", new(*git.NoSuchRef), "fetch it"},
			{"main/below", new(*git.NoSuchRef), "fetch it"},
			{"feature", new(*git.NoSuchRef), "fetch it"},
			{"twice", new(*git.AmbiguousRef), "refs/tags/twice and refs/heads/twice"},
			{"both", new(*git.AmbiguousRef), "refs/heads/both and refs/remotes/both"},
			{"both~1", new(*git.AmbiguousRef), "refs/heads/both and refs/remotes/both"},
			{full[:12], new(*git.BadName), "abbreviated"},
			{full[:39], new(*git.BadName), "all 40 digits"},
			{full + "0", new(*git.BadName), "all 40 digits"},
			{strings.Repeat("1", 40), new(*git.MissingObject), "not in the repository"},
			{strings.Repeat("0", 40), new(*git.BadName), "all 40 digits"},
			{"of-tree", new(*git.BadName), "it is a tree"},
			{"of-blob", new(*git.BadName), "not a commit"},
			{line(t, dir, "rev-parse", "main^{tree}"), new(*git.BadName), "it is a tree"},
			{"main~3", new(*git.BadName), "0 parents"},
			{"main^3", new(*git.BadName), "only 2 parents"},
			{"main~99999999999999999999", new(*git.BadName), "too large"},
			{"main^{tree}", new(*git.BadName), "can follow"},
			{"main~x", new(*git.BadName), "can follow"},
			{"", new(*git.BadName), "cannot have"},
			{"~1", new(*git.BadName), "cannot have"},
			{"@", new(*git.BadName), "cannot have"},
			{"main@{1}", new(*git.BadName), "cannot have"},
			{"-main", new(*git.BadName), "dash"},
			{"main:f", new(*git.BadName), "cannot contain"},
			{"../HEAD", new(*git.BadName), "cannot have"},
			{"refs/../HEAD", new(*git.BadName), "cannot have"},
			{"refs/heads/./main", new(*git.BadName), "begin with a dot"},
			{"a//b", new(*git.BadName), "empty"},
			{"main.lock", new(*git.BadName), ".lock"},
			{"main ", new(*git.BadName), "spaces"},
			{"main\n", new(*git.BadName), "spaces"},
			{"*", new(*git.BadName), "spaces"},
		} {
			if _, err := r.Resolve(c.name); !errors.As(err, c.want) || !strings.Contains(err.Error(), c.text) {
				t.Errorf("%q: %v, want %T with %q", c.name, err, c.want, c.text)
			}
		}
	}
}

// TestHead checks the forms of HEAD: detached, of a linked work tree, of a branch without commits.
func TestHead(t *testing.T) {
	dir := refsRepo(t)
	linked := filepath.Join(t.TempDir(), "linked")
	runGit(t, dir, "worktree", "add", "-q", "--detach", linked, "main~1")
	runGit(t, linked, "update-ref", "refs/worktree/mine", "main^2")
	runGit(t, dir, "update-ref", "refs/worktree/mine", "main~2")
	r := open(t, linked)
	for _, name := range []string{"HEAD", "main", "refs/worktree/mine"} {
		if got := resolve(t, r, name).String(); got != line(t, linked, "rev-parse", name) {
			t.Errorf("%s is %s in a linked work tree", name, got)
		}
	}
	runGit(t, dir, "symbolic-ref", "HEAD", "refs/heads/unborn")
	missing := (*git.NoSuchRef)(nil)
	if _, err := open(t, dir).Resolve("HEAD"); !errors.As(err, &missing) {
		t.Errorf("unborn HEAD: %v", err)
	}
}

// TestDamagedRefs checks malformed files of refs.
func TestDamagedRefs(t *testing.T) {
	id := strings.Repeat("1", 40)
	for _, c := range []struct{ file, text, want string }{
		{".git/refs/heads/main", "", "neither"},
		{".git/refs/heads/main", id[:39] + "\n", "neither"},
		{".git/refs/heads/main", "ref: ../../secret\n", "not a ref"},
		{".git/refs/heads/main", "ref: refs/heads/../../HEAD\n", "not a ref"},
		{".git/refs/heads/main", "ref: refs/heads/main\n", "more than 5 symbolic refs"},
		{".git/packed-refs", id + " refs/heads/x\n" + id + " refs/heads/x\n", "twice"},
		{".git/packed-refs", id + " refs/heads/x", "truncated"},
		{".git/packed-refs", id[:30] + " refs/heads/x\n", "a line is not"},
		{".git/packed-refs", id + "\n", "a line is not"},
		{".git/packed-refs", "\n", "a line is not"},
	} {
		dir := refsRepo(t)
		write(t, filepath.Join(dir, filepath.FromSlash(c.file)), c.text)
		_, err := open(t, dir).Resolve("main")
		if damaged := (*git.Corrupt)(nil); !errors.As(err, &damaged) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %q: %v, want %q", c.file, c.text, err, c.want)
		}
	}
}

// TestSymlinkRef checks a symbolic link as HEAD, which old versions of git wrote.
func TestSymlinkRef(t *testing.T) {
	dir := refsRepo(t)
	runGit(t, dir, "pack-refs", "--all")
	remove(t, filepath.Join(dir, ".git/HEAD"))
	if err := os.Symlink("refs/heads/feature/deep", filepath.Join(dir, ".git/HEAD")); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	if got := resolve(t, open(t, dir), "HEAD").String(); got != line(t, dir, "rev-parse", "refs/heads/feature/deep") {
		t.Error(got)
	}
}

// TestRefNamesBesideManyPacked: refs that are packed, such as a thousand tags, hide no branch that is not.
func TestRefNamesBesideManyPacked(t *testing.T) {
	dir := refsRepo(t)
	tags := ""
	for i := range 1000 {
		tags += fmt.Sprintf("%s refs/tags/v%04d\n", strings.Repeat("1", 40), i)
	}
	write(t, filepath.Join(dir, ".git/packed-refs"), tags)
	if got := open(t, dir).RefNames("refs/heads/"); !slices.Contains(got, "main") {
		t.Errorf("main is not among %q", got)
	}
}

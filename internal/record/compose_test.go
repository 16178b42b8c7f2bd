//go:build unix

package record

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func isTestPath(path string) bool { return strings.HasPrefix(path, "tests/") }

// composable is a repository with a base, whose branch another one has as that of its remote, and a head with code and tests.
func composable(t *testing.T) (r *repo, base string) {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	t.Cleanup(func() {
		if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	})
	r = newRepo(t)
	r.write("tests/a.bat", "old\n")
	r.write("tests/gone", "old\n")
	r.write("tests/.gitattributes", "*.bat eol=crlf\n")
	r.commit()
	r.git("tag", "-a", "-m", "first", "v1")
	r.git("update-ref", "refs/remotes/origin/main", "HEAD")
	base = r.git("rev-parse", "HEAD")
	r.write("a.txt", "two\n")
	r.write("tests/a.bat", "new\n")
	r.write("tests/new/b", "new\n")
	r.write("tests/.gitattributes", "*.bat -text\n")
	r.write(evidenceDir+"/x.jsonl", "{}\n")
	r.do(os.Remove(filepath.Join(r.dir, "tests/gone")))
	r.commit()
	return r, base
}

func (r *repo) compose(base string) *Composed {
	r.Helper()
	g, err := OpenGit(r.dir, cleanEnv())
	r.do(err)
	c, err := g.Compose(r.git("rev-parse", "HEAD"), r.git("rev-parse", base), evidenceDir, isTestPath)
	r.do(err)
	r.Cleanup(func() { r.do(c.Close()) })
	return c
}

// bytes are those of all files in and beside the repository.
func (r *repo) bytes() string {
	var all strings.Builder
	r.do(filepath.WalkDir(filepath.Dir(r.dir), func(path string, _ os.DirEntry, err error) error {
		data, _ := os.ReadFile(path) // a directory has none
		fmt.Fprintf(&all, "%s %x\n", path, sha256.Sum256(data))
		return err
	}))
	return all.String()
}

func TestCompose(t *testing.T) {
	r, base := composable(t)
	r.write("src/b.txt", "an edit of a person\n")
	r.git("config", "filter.crypt.smudge", "echo")
	before := r.bytes()
	c := r.compose(base)
	if after := r.bytes(); after != before {
		t.Errorf("the repository was changed:\n%s\n%s", before, after)
	}
	for name, want := range map[string]string{
		"a.txt": "two\n", "src/b.txt": "two\n", "tests/a.bat": "old\r\n", "tests/gone": "old\n", "tests/new/b": "",
		evidenceDir + "/x.jsonl": "",
	} {
		if data, err := os.ReadFile(filepath.Join(c.Dir, name)); string(data) != want || (err != nil) != (want == "") {
			t.Errorf("%s: got %q, %v, want %q", name, data, err, want)
		}
	}
	head := r.git("rev-parse", "HEAD")
	fresh := &repo{t, c.Dir}
	for args, want := range map[string]string{
		"status --porcelain --ignored": "", "diff HEAD": "", "rev-parse HEAD HEAD^{tree} HEAD~": c.Commit + "\n" + c.Tree + "\n" + head,
		"describe": "v1-2-g" + c.Commit[:7], "diff --name-only origin/main...": "a.txt", "remote": "",
		"log --format=%at%n%ct -1": r.git("log", "--format=%ct%n%ct", "-1"),
	} {
		if got := fresh.git(strings.Fields(args)...); got != want {
			t.Errorf("git %s: got %q, want %q", args, got, want)
		}
	}
	if s := fresh.look(); s.id != c.Tree || len(s.changes)+len(s.odd) > 0 {
		t.Errorf("the recorder sees %s with the changes %v %v, want %s", s.id, s.changes, s.odd, c.Tree)
	}
	if again := r.compose(base); again.Commit != c.Commit {
		t.Errorf("the commit is %s, and then %s", c.Commit, again.Commit)
	}
}

// TestComposeAlike: a change without code is its base, one without tests its head, and a commit of which nothing is left out
// is checked out itself.
func TestComposeAlike(t *testing.T) {
	r, base := composable(t)
	r.git("checkout", "-q", base)
	for name, edit := range map[string]string{"base": "tests/b", "head": "code"} {
		r.write(edit, "")
		r.commit()
		c := r.compose("HEAD~")
		if want := r.git("rev-parse", map[string]string{"base": "HEAD~^{tree}", "head": "HEAD^{tree}"}[name]); c.Tree != want {
			t.Errorf("%s: got %s, want %s", name, c.Tree, want)
		}
		if is := c.Commit == r.git("rev-parse", "HEAD"); is != (name == "head") {
			t.Errorf("%s: the commit is %s", name, c.Commit)
		}
	}
}

// TestComposeShallow: the history ends in the fresh work tree where it ends in the repository.
func TestComposeShallow(t *testing.T) {
	r, base := composable(t)
	shallow := &repo{t, filepath.Join(filepath.Dir(r.dir), "shallow")}
	r.git("clone", "-q", "--depth=2", "file://"+r.dir, shallow.dir)
	c := shallow.compose(base)
	if got := (&repo{t, c.Dir}).git("rev-list", "--count", "HEAD"); got != "3" {
		t.Errorf("%s commits, want 3", got)
	}
}

// TestComposeRefused leaves nothing behind: see composable.
func TestComposeRefused(t *testing.T) {
	r, base := composable(t)
	r.do(os.RemoveAll(filepath.Join(r.dir, "tests")))
	r.write("tests", "no directory\n")
	r.commit()
	if c := r.compose(base); !strings.Contains(c.Incomparable, `beside "tests"`) || c.Dir+c.Tree+c.Commit != "" {
		t.Errorf("got %+v", c)
	}
	g, err := OpenGit(r.dir, cleanEnv())
	r.do(err)
	for _, ids := range [][2]string{{"HEAD", base}, {base, strings.Repeat("1", len(base))}} {
		if c, err := g.Compose(ids[0], ids[1], evidenceDir, isTestPath); err == nil || c != nil {
			t.Errorf("%q: got %v, %v", ids, c, err)
		}
	}
}

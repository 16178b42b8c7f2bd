package clone

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestLine wants the first parents alone, with their dates, and an answer to where an archive begins.
func TestLine(t *testing.T) {
	dir := t.TempDir()
	git := func(args ...string) string {
		t.Helper()
		c := exec.Command("git", args...)
		c.Dir = dir
		c.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_AUTHOR_NAME=A > B", "GIT_AUTHOR_EMAIL=a@b",
			"GIT_COMMITTER_NAME=C", "GIT_COMMITTER_EMAIL=c@d", "GIT_AUTHOR_DATE=1500000000 +0000", "GIT_COMMITTER_DATE=1790000007 -0130")
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	commit := func(name string) string {
		t.Helper()
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o644); err != nil {
			t.Fatal(err)
		}
		git("add", "-A")
		git("commit", "-qm", name)
		return git("rev-parse", "HEAD")
	}
	git("init", "-q", "-b", "main")
	first := commit("a")
	second := commit(".closeout/scope_contract.yaml")
	git("checkout", "-q", "-b", "topic")
	side := commit("b")
	git("checkout", "-q", "main")
	git("merge", "-q", "--no-ff", "topic", "-m", "merge")
	merge := git("rev-parse", "HEAD")

	g, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	for _, c := range []struct {
		name string
		line func() ([]Step, error)
		want []string
	}{
		{"all", func() ([]Step, error) { return g.Line(merge, "") }, []string{first, second, merge}},
		{"after the first", func() ([]Step, error) { return g.Line(merge, first) }, []string{second, merge}},
		{"after the tip", func() ([]Step, error) { return g.Line(merge, merge) }, nil},
		{"with a contract", func() ([]Step, error) { return g.ContractLine(merge) }, []string{second, merge}},
		{"without one", func() ([]Step, error) { return g.ContractLine(first) }, []string{first}},
	} {
		got, err := c.line()
		var ids []string
		for i, s := range got {
			ids = append(ids, s.Commit)
			if s.Date != 1790000007 || i > 0 && s.Parent != got[i-1].Commit {
				t.Errorf("%s: %+v", c.name, s)
			}
		}
		if err != nil || fmt.Sprint(ids) != fmt.Sprint(c.want) {
			t.Errorf("%s: %v, got %v, expected %v", c.name, err, ids, c.want)
		}
	}
	if _, err := g.Line(merge, side); !errors.Is(err, ErrNotOnLine) {
		t.Errorf("after a commit of the merged side: %v", err)
	}
}

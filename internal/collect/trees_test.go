package collect

import (
	"bytes"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/testkit/memory"
	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/input"
)

func TestMain(m *testing.M) {
	memory.Use()
	m.Run()
}

// history is what git fast-import reads.
type history struct{ bytes.Buffer }

func (h *history) commit(mark int) {
	fmt.Fprintf(h, "commit refs/heads/main\nmark :%d\ncommitter c <c@example.org> %d +0000\ndata 1\nm\n", mark, 1_700_000_000+mark)
}

func (h *history) put(mode, path, text string) {
	fmt.Fprintf(h, "M %s inline %s\ndata %d\n%s\n", mode, path, len(text), text)
}

// repository makes a repository of a history, in which main is the head and its parent the base.
func (h *history) repository(t testing.TB) (dir, base, head string) {
	t.Helper()
	dir = t.TempDir()
	git := func(args ...string) string {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if args[0] == "fast-import" {
			cmd.Stdin = &h.Buffer
		}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %s: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git("init", "-q", "-b", "main")
	git("fast-import", "--quiet")
	return dir, git("rev-parse", "main~1"), git("rev-parse", "main")
}

func openTest(t testing.TB, dir string) *Git {
	t.Helper()
	git, err := OpenGit(dir, input.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { git.Close() })
	return git
}

// An argument represents every symlink that the system would follow, and for the file behind them.
func TestFilesAt(t *testing.T) {
	var h history
	h.commit(1)
	for path, target := range map[string]string{
		"link": "deep/er", "run.sh": "link/../x.sh", "away": "../../etc/passwd", "root": "/etc/passwd", "a": "b", "b": "a", "to-folder": "deep",
		"c0": "x.sh", "odd": ".//deep/./x.sh",
	} {
		h.put("120000", path, target)
	}
	for i := range 41 {
		h.put("120000", fmt.Sprintf("c%d", i+1), fmt.Sprintf("c%d", i))
	}
	h.put("100644", "x.sh", "decoy")
	h.put("100755", "deep/x.sh", "run")
	h.put("100644", "deep/er/y", "y")
	fmt.Fprintf(&h, "M 160000 %s sub\n", strings.Repeat("1", 40))
	h.commit(2)
	dir, base, head := h.repository(t)
	g := &Comparison{Objects: openTest(t, dir), Base: base, Head: head}
	for name, want := range map[string]string{
		"x.sh": "x.sh", "run.sh": "run.sh link deep/x.sh", "link/../x.sh": "link deep/x.sh", "link/y": "link deep/er/y", "odd": "odd deep/x.sh",
		"deep": "", "missing": "", "deep/missing": "", "away": "away", "root": "root", "to-folder": "to-folder", "to-folder/x.sh": "to-folder deep/x.sh",
		"sub/test.sh": "sub", "x.sh/y": "x.sh", "link/../../x.sh": "link x.sh", ".git/config": "",
	} {
		if got, err := g.filesAt(name); err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s: %v %v, want %s", name, got, err, want)
		}
	}
	for name, want := range map[string]int{"a": maxLinks + 1, "c39": 41, "c41": maxLinks + 1} {
		got, err := g.filesAt(name)
		if err != nil || len(got) != want || (name == "c39") != slices.Contains(got, "x.sh") {
			t.Errorf("%s: %d %v, want %d files, as the system follows %d links", name, len(got), err, want, maxLinks)
		}
	}
}

// BenchmarkTrees collects a change of 2,000 packages in one directory, of each its package.json and two files more: what
// verify --base does beside judging and reading logs.
func BenchmarkTrees(b *testing.B) {
	var h history
	for mark := range 2 {
		h.commit(mark + 1)
		h.put("100644", ".closeout/scope_contract.json", `{"allowed_files": ["p/**"], "forbidden_files": ["x/**"],
			"acceptance_criteria": ["make test"], "rollback_plan": "revert"}`)
		for i := range 2_000 {
			for _, name := range []string{"package.json", "a.js", "lib/b.js"} {
				h.put("100644", fmt.Sprintf("p/%d/%s", i, name), fmt.Sprintf(`{"version": "%d.%d"}`, mark, i))
			}
		}
	}
	dir, base, head := h.repository(b)
	b.ReportAllocs()
	for b.Loop() {
		git, err := OpenGit(dir, input.DefaultLimits())
		if err != nil {
			b.Fatal(err)
		}
		found, err := Trees(git, base, head, Options{Root: dir, Settings: verify.Settings{Limits: input.DefaultLimits()}})
		if err != nil || len(found.compared.Changes) != 6_000 || !found.compared.Changes[2].KeysKnown {
			b.Fatal(err)
		}
		if err := git.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

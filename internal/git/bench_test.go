package git_test

import (
	"bytes"
	"fmt"
	"os/exec"
	"strconv"
	"testing"

	"github.com/closeout-gate/closeout/internal/git"
)

// largeRepo makes a repository of 100,000 files in 10,000 directories and a commit that changes every fifth of them.
func largeRepo(b *testing.B) string {
	b.Helper()
	var input bytes.Buffer
	commit := func(mark, step int, content string) {
		fmt.Fprintf(&input, "commit refs/heads/main\nmark :%d\ncommitter c <c@example.org> %d +0000\ndata 1\nm\n", mark, 1_700_000_000+mark)
		for i := 0; i < 100_000; i += step {
			text := content + strconv.Itoa(i)
			path := fmt.Sprintf("src/p%02d/m%02d/d%d/file_%d_name.go", i/2500, i/100%25, i/10%10, i)
			fmt.Fprintf(&input, "M 100644 inline %s\ndata %d\n%s\n", path, len(text), text)
		}
	}
	commit(1, 1, "")
	commit(2, 5, "x")
	dir := initRepo(b)
	gitInput(b, dir, input.Bytes(), "fast-import", "--quiet")
	runGit(b, dir, "repack", "-adfq")
	return dir
}

// BenchmarkCompare compares two commits that differ in 20,000 of 100,000 files, opening the repository each time, and
// beside it runs git for the same.
func BenchmarkCompare(b *testing.B) {
	dir := largeRepo(b)
	b.Run("gitobj", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			r, err := git.Open(dir)
			if err != nil {
				b.Fatal(err)
			}
			changes, err := compareIn(r)
			if err != nil || len(changes) != 20_000 {
				b.Fatal(len(changes), err)
			}
			if err := r.Close(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("git", func(b *testing.B) {
		for b.Loop() {
			cmd := exec.Command("git", "diff-tree", "-r", "--raw", "--no-renames", "main~1", "main")
			cmd.Dir = dir
			if out, err := cmd.Output(); err != nil || bytes.Count(out, []byte("\n")) != 20_000 {
				b.Fatal(err)
			}
		}
	})
}

func compareIn(r *git.Repo) ([]git.Difference, error) {
	id, err := r.Resolve("main")
	if err != nil {
		return nil, err
	}
	head, err := r.Commit(id)
	if err != nil {
		return nil, err
	}
	base, err := r.Commit(head.Parents[0])
	if err != nil {
		return nil, err
	}
	return r.Compare(base.Tree, head.Tree)
}

// BenchmarkMergeBases walks the whole of a history of 20,000 commits: two branches that share nothing.
func BenchmarkMergeBases(b *testing.B) {
	var input bytes.Buffer
	for _, branch := range []string{"left", "right"} {
		for i := range 10_000 {
			fmt.Fprintf(&input, "commit refs/heads/%s\ncommitter %s <c@example.org> %d +0000\ndata 1\nm\n", branch, branch, 1_600_000_000+i*100)
		}
	}
	dir := initRepo(b)
	gitInput(b, dir, input.Bytes(), "fast-import", "--quiet")
	r := open(b, dir)
	left, right := resolve(b, r, "left"), resolve(b, r, "right")
	b.ReportAllocs()
	for b.Loop() {
		if bases, err := r.MergeBases(left, right); err != nil || len(bases) != 0 {
			b.Fatal(bases, err)
		}
	}
}

package git_test

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/closeout-gate/closeout/internal/git"
)

// TestCodeTree compares with git's own index on random trees: a directory, a file or nothing is removed, at all depths.
func TestCodeTree(t *testing.T) {
	for _, hash := range []string{"sha1", "sha256"} {
		dir := randomRepo(t, hash, 3, 12)
		r := open(t, dir)
		emptied := 0
		for _, commit := range []string{"main", "main~4", "main~8", "main~11"} {
			for _, path := range pathsToRemove(t, dir, commit) {
				got, err := r.CodeTree(resolve(t, r, commit), path)
				want := gitWithout(t, dir, commit, path)
				if err != nil || got.String() != want {
					t.Errorf("%s %s without %q: %s %v, want %s", hash, commit, path, got, err, want)
				}
				if filepath.Dir(path) != "." {
					emptied++
				}
			}
		}
		if emptied < 10 {
			t.Errorf("only %d paths are in directories", emptied)
		}
	}
}

// pathsToRemove gives some files, their directories, and paths that do not exist.
func pathsToRemove(t *testing.T, dir, commit string) []string {
	t.Helper()
	paths := []string{"nothing", "a/nothing", ".closeout/evidence"}
	for i, file := range filesOf(t, dir, commit) {
		if i%3 == 0 {
			paths = append(paths, file.path, file.path+"/below")
			if folder := filepath.ToSlash(filepath.Dir(file.path)); folder != "." {
				paths = append(paths, folder)
			}
		}
	}
	return paths
}

// gitWithout computes the tree with an index, as the recorder does.
func gitWithout(t *testing.T, dir, commit, path string) string {
	t.Helper()
	runGit(t, dir, "read-tree", commit)
	runGit(t, dir, "--literal-pathspecs", "rm", "-r", "-f", "-q", "--cached", "--ignore-unmatch", "--", path)
	return line(t, dir, "write-tree", "--missing-ok")
}

// TestCodeTreeEdges are the cases of which random trees have few.
func TestCodeTreeEdges(t *testing.T) {
	dir := initRepo(t)
	h := newHistory(1, 40)
	h.put(".closeout/evidence/log", "100644 x")
	h.commit("only", 1)
	h.put("main.go", "100644 x")
	h.commit("both", 2)
	h.put(".closeout/contract", "100644 x")
	h.commit("more", 3)
	h.put(".closeout/evidence", "120000 elsewhere")
	h.commit("link", 4)
	h.load(t, dir)
	r := open(t, dir)
	for _, c := range []struct{ commit, want string }{
		{"only", "4b825dc642cb6eb9a060e54bf8d69288fbee4904"},
		{"both", gitWithout(t, dir, "both", ".closeout/evidence")},
		{"more", gitWithout(t, dir, "more", ".closeout/evidence")},
		{"link", gitWithout(t, dir, "link", ".closeout/evidence")},
	} {
		if got, err := r.CodeTree(resolve(t, r, c.commit), ".closeout/evidence"); err != nil || got.String() != c.want {
			t.Errorf("%s: %s %v, want %s", c.commit, got, err, c.want)
		}
	}
	for _, path := range []string{"", "/", "a/", "/a", "a//b", "..", "a/../b", ".", ".git", "a/.GIT/b", "a\x00b"} {
		_, err := r.CodeTree(resolve(t, r, "only"), path)
		if bad := (*git.BadName)(nil); !errors.As(err, &bad) {
			t.Errorf("%q: %v, want BadName", path, err)
		}
	}
}

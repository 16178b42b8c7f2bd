package git_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/git"
)

// plant puts a bare repository with a commit into a directory, as files that git can track: those of empty directories
// get one.
func plant(t *testing.T, dir string) {
	t.Helper()
	bare := randomRepo(t, "sha1", 1, 2) + "/.git"
	if err := os.CopyFS(dir, os.DirFS(bare)); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(dir + "/hooks"); err != nil {
		t.Fatal(err)
	}
}

// TestPlanted checks that a repository is refused when the enclosing repository tracks its files, with every version of the
// index, and that it is read when they are not tracked.
func TestPlanted(t *testing.T) {
	for name, c := range map[string]struct {
		at      string
		prepare func(t *testing.T, dir string)
		refused bool
	}{
		"untracked":                 {"web", func(*testing.T, string) {}, false},
		"ignored":                   {"web", func(t *testing.T, dir string) { write(t, dir+"/.gitignore", "web\n") }, false},
		"another directory tracked": {"web", func(t *testing.T, dir string) { write(t, dir+"/web2/HEAD", "x"); runGit(t, dir, "add", "web2") }, false},
		"below a submodule":         {"m/web", submodule, false},
		"tracked by a submodule":    {"m/web", func(t *testing.T, dir string) { submodule(t, dir); runGit(t, dir+"/m", "add", "web") }, true},
		"in the index":              {"web", func(t *testing.T, dir string) { runGit(t, dir, "add", "web") }, true},
		"in a commit":               {"web", func(t *testing.T, dir string) { commit(t, dir, "web") }, true},
		"in a commit alone": {"web", func(t *testing.T, dir string) {
			commit(t, dir, "web")
			runGit(t, dir, "rm", "-rq", "--cached", "web")
		}, true},
		"one file of it":     {"web", func(t *testing.T, dir string) { runGit(t, dir, "add", "web/HEAD") }, true},
		"further down":       {"a/b", func(t *testing.T, dir string) { commit(t, dir, "a") }, true},
		"index of version 3": {"web", func(t *testing.T, dir string) { runGit(t, dir, "add", "-N", "web") }, true},
		"index of version 4": {"web", func(t *testing.T, dir string) {
			runGit(t, dir, "update-index", "--index-version=4")
			runGit(t, dir, "add", "web")
		}, true},
		"an index in two": {"web", func(t *testing.T, dir string) {
			runGit(t, dir, "add", "web")
			runGit(t, dir, "update-index", "--split-index")
		}, true},
		"an index of two, one": {"web", func(t *testing.T, dir string) {
			runGit(t, dir, "update-index", "--split-index")
			runGit(t, dir, "add", "web")
		}, true},
		"through a tracked symlink": {"link", func(t *testing.T, dir string) {
			symlink(t, "web", dir+"/link")
			commit(t, dir, "link")
			move(t, dir+"/link.bare", dir+"/web")
		}, true},
		"through a symlink to a tracked directory": {"link", func(t *testing.T, dir string) {
			symlink(t, "web", dir+"/link")
			move(t, dir+"/link.bare", dir+"/web")
			commit(t, dir, "web")
		}, true},
		"named by an untracked .git file": {"x", func(t *testing.T, dir string) {
			move(t, dir+"/x", dir+"/web")
			write(t, dir+"/x/.git", "gitdir: ../web\n")
			commit(t, dir, "web")
		}, true},
		"an untracked .git file, untracked": {"x", func(t *testing.T, dir string) {
			move(t, dir+"/x", dir+"/web")
			write(t, dir+"/x/.git", "gitdir: ../web\n")
		}, false},
		"objects borrowed from what is tracked": {"", func(t *testing.T, dir string) {
			plant(t, dir+"/web")
			write(t, dir+"/.git/objects/info/alternates", "../../web/objects\n")
			commit(t, dir, "web")
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := initRepo(t)
			write(t, dir+"/file", "x")
			commit(t, dir, "file")
			switch at := filepath.Join(dir, c.at); {
			case c.at == "link":
				plant(t, at+".bare")
			case c.at != "":
				plant(t, at)
			}
			c.prepare(t, dir)
			r, err := git.Open(filepath.Join(dir, c.at))
			if planted := (*git.Planted)(nil); errors.As(err, &planted) != c.refused || c.refused != (err != nil) {
				t.Errorf("refused %v: %v", c.refused, err)
			}
			if err == nil {
				r.Close()
			}
		})
	}
}

// TestPlantedIndexDamaged checks that a repository is refused when the index of the enclosing repository cannot be read.
func TestPlantedIndexDamaged(t *testing.T) {
	dir := initRepo(t)
	plant(t, dir+"/web")
	runGit(t, dir, "add", "web")
	data, err := os.ReadFile(dir + "/.git/index")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"", "DIRC", string(data[:40]), string(data[:len(data)/2]), "DIRC\x00\x00\x00\x05" + string(data[8:]), strings.Repeat("x", 100)} {
		write(t, dir+"/.git/index", text)
		r, err := git.Open(dir + "/web")
		if err == nil {
			r.Close()
			t.Errorf("an index of %d bytes is accepted", len(text))
		}
	}
}

func commit(t *testing.T, dir, path string) {
	t.Helper()
	runGit(t, dir, "add", path)
	runGit(t, dir, "commit", "-qm", "x")
}

func submodule(t *testing.T, dir string) {
	t.Helper()
	move(t, dir+"/m/web", dir+"/web")
	if err := os.Remove(dir + "/m"); err != nil {
		t.Fatal(err)
	}
	runGit(t, dir, "submodule", "-q", "add", randomRepo(t, "sha1", 1, 2), "m")
	move(t, dir+"/web", dir+"/m/web")
}

func symlink(t *testing.T, target, name string) {
	t.Helper()
	if err := os.Symlink(target, name); err != nil {
		t.Skip("no symbolic links here:", err)
	}
}

func move(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

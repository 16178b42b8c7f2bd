//go:build unix

package record

import (
	"bytes"
	"compress/zlib"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/closeout-gate/closeout/internal/git/gitindex"
)

// onDisk puts what a test makes where a session may trust the numbers of an inode: see [gitindex.StampsEdits].
func onDisk(t *testing.T) { t.Setenv("TMPDIR", disk) }

// openSession opens git in the repository.
func (r *repo) openSession() *Git {
	r.Helper()
	g, err := OpenGit(r.dir, cleanEnv())
	r.do(err)
	return g
}

// openCounted opens git in the repository, through a program that counts its calls.
func (r *repo) openCounted() (g *Git, calls func() int) {
	r.Helper()
	bin, log := r.TempDir(), filepath.Join(r.TempDir(), "calls")
	program, err := exec.LookPath("git")
	r.do(err)
	r.do(os.WriteFile(filepath.Join(bin, "git"), []byte("#!/bin/sh\necho >> "+log+"\nexec "+program+" \"$@\"\n"), 0o755))
	g, err = OpenGit(r.dir, cleanEnv("PATH="+bin+":"+os.Getenv("PATH")))
	r.do(err)
	before := 0
	return g, func() int {
		data, err := os.ReadFile(log)
		r.do(err)
		n := len(data) - before
		before = len(data)
		return n
	}
}

// certain lets the session trust every file whose numbers are equal, as if the files were old when git read them.
func certain(g *Git) {
	if g.known != nil {
		g.known.made = time.Now().Add(time.Hour)
	}
}

// between are edits between two trees of a session.
var between = map[string]func(r *repo){
	"the same size and time": func(r *repo) {
		r.git("config", "core.trustctime", "false")
		r.git("config", "core.checkStat", "minimal")
		path := filepath.Join(r.dir, "a.txt")
		info, err := os.Stat(path)
		r.do(err)
		r.write("a.txt", "eno\n")
		r.do(os.Chtimes(path, info.ModTime(), info.ModTime()))
	},
	"another file of the same size and time": func(r *repo) {
		path := filepath.Join(r.dir, "a.txt")
		info, err := os.Stat(path)
		r.do(err)
		other := filepath.Join(r.T.TempDir(), "b")
		r.do(os.WriteFile(other, []byte("eno\n"), 0o644))
		r.do(os.Chtimes(other, info.ModTime(), info.ModTime()))
		r.do(os.Rename(other, path))
	},
	"a directory instead": func(r *repo) {
		r.do(os.Remove(filepath.Join(r.dir, "a.txt")))
		r.write("a.txt/x", "x")
	},
	"a directory that became a link": func(r *repo) {
		r.do(os.Rename(filepath.Join(r.dir, "src"), filepath.Join(r.dir, ".git/src")))
		r.do(os.Symlink(".git/src", filepath.Join(r.dir, "src")))
	},
	"the same content written again": func(r *repo) { r.write("a.txt", "one\n") },
	"a new ignored file": func(r *repo) {
		r.write(".git/info/exclude", "new\n")
		r.write("new", "x")
	},
	"a new ignore rule for the evidence": func(r *repo) { r.write(".git/info/exclude", ".closeout\n"); r.write(evidenceDir+"/x", "") },
	"a nested repository":                func(r *repo) { r.git("clone", "-q", r.other(), "nested") },
	"a commit of the same tree":          func(r *repo) { r.git("commit", "-q", "--allow-empty", "-m", "x") },
	"a file system monitor": func(r *repo) {
		r.git("config", "core.fsmonitor", "true")
		r.git("config", "core.untrackedCache", "true")
		r.git("config", "feature.manyFiles", "true")
		r.git("status")
		r.write("src/new", "x")
	},
	"the index of git edited": func(r *repo) {
		r.git("update-index", "--assume-unchanged", "a.txt")
		r.write("a.txt", "two\n")
	},
}

// TestTreeAgain compares a tree of a session, which knows an earlier one, with one that is made from HEAD.
func TestTreeAgain(t *testing.T) {
	onDisk(t)
	cases := map[string]func(*repo){}
	for _, table := range []map[string]func(*repo){changed, between} {
		for name, edit := range table {
			cases[name] = edit
		}
	}
	for name, edit := range cases {
		for _, old := range []bool{false, true} {
			if _, more := between[name]; !old && !more {
				continue // git reads every file, as for the first tree
			}
			t.Run(name, func(t *testing.T) {
				r := newRepo(t)
				g := r.openSession()
				first, err := g.tree(evidenceDir)
				if err != nil || first.id != r.headTree() || (g.known == nil) == gitindex.StampsEdits(r.dir) {
					t.Fatalf("got %+v, %v", first, err)
				}
				edit(r)
				if old {
					certain(g)
				}
				got, errGot := g.tree(evidenceDir)
				want, err := r.openSession().tree(evidenceDir)
				if strings.Contains(name, "sparse") {
					want.id = got.id // see TestTreeAgainSparse
				}
				if got.id != want.id || got.head != want.head || (errGot == nil) != (err == nil) {
					t.Errorf("got %+v, %v, want %+v, %v", got, errGot, want, err)
				}
			})
		}
	}
}

// TestTreeAgainSparse: files that a command removes with a sparse checkout are gone, as far as the session is concerned.
func TestTreeAgainSparse(t *testing.T) {
	r := newRepo(t)
	r.write("docs/d.txt", "x")
	r.commit()
	g := r.openSession()
	first, err := g.tree(evidenceDir)
	r.do(err)
	r.git("sparse-checkout", "set", "src")
	if second, err := g.tree(evidenceDir); err != nil || second.id == first.id {
		t.Errorf("the files are gone, but the tree is the same: %v", err)
	}
}

// TestTreeCalls counts the calls of git, each of which costs milliseconds.
func TestTreeCalls(t *testing.T) {
	onDisk(t)
	r := newRepo(t)
	if !gitindex.StampsEdits(r.dir) {
		t.Skip("on this file system, git reads every file again")
	}
	g, calls := r.openCounted()
	for _, c := range []struct {
		what string
		edit func()
		want int
	}{
		{"opening and the first tree", func() {}, 5},
		{"files that just changed", func() {}, 3},
		{"old files", func() { certain(g) }, 1},
		{"a new file", func() { certain(g); r.write("new", "x") }, 6},
	} {
		c.edit()
		if _, err := g.tree(evidenceDir); err != nil {
			t.Fatal(err)
		}
		if n := calls(); n != c.want {
			t.Errorf("%s: %d calls, expected %d", c.what, n, c.want)
		}
	}
}

// TestTreeAfterIsBefore: the tree after a command is the one before the next, so that an edit in between is not lost.
func TestTreeAfterIsBefore(t *testing.T) {
	r, repo := recorderOf(t)
	run := func() map[string]any {
		t.Helper()
		if _, err := r.Run(Command{Argv: []string{"true"}, Cwd: "."}); err != nil {
			t.Fatal(err)
		}
		lines := r.lines()
		return lines[len(lines)-1]
	}
	if one := run(); one["tree_before"] != one["tree_after"] {
		t.Errorf("got %v", one)
	}
	repo.write("a.txt", "edited between two commands\n")
	if two := run(); two["tree_before"] != repo.headTree() || two["tree_after"] == repo.headTree() {
		t.Errorf("got %v", two)
	}
	if three := run(); three["tree_before"] != three["tree_after"] || three["tree_before"] == repo.headTree() {
		t.Errorf("got %v", three)
	}
}

// TestTreeForged: an object on disk can say something else than its id. Git reads a tree without a look at the id.
func TestTreeForged(t *testing.T) {
	for name, mode := range map[string]string{"a mode of today": "100644", "an old mode": "100664"} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t)
			tree := func(object string) string {
				id, err := hex.DecodeString(r.git("rev-parse", object))
				r.do(err)
				return "100644 a.txt\x00" + string(id)
			}
			r.write("src/a.txt", "honest\n")
			r.git("add", "-A")
			r.git("commit", "-qm", "src")
			r.write(".git/tree", mode+strings.TrimPrefix(tree("HEAD:src/a.txt"), "100644"))
			below := r.git("hash-object", "-t", "tree", "-w", "--literally", ".git/tree")
			root, err := hex.DecodeString(below)
			r.do(err)
			r.write(".git/tree", "40000 src\x00"+string(root))
			head := r.git("commit-tree", "-m", "of one directory", r.git("hash-object", "-t", "tree", "-w", ".git/tree"))
			r.git("reset", "-q", "--hard", head)
			if s := r.look(); s.id != r.git("rev-parse", "HEAD^{tree}") {
				t.Fatalf("honest: got %s", s.id)
			}
			r.write("src/a.txt", "forged\n")
			r.write(".git/blob", "forged\n")
			forged := tree(r.git("hash-object", "-w", ".git/blob"))
			var object bytes.Buffer
			z := zlib.NewWriter(&object)
			fmt.Fprintf(z, "tree %d\x00%s", len(forged), forged)
			r.do(z.Close())
			path := filepath.Join(r.dir, ".git/objects", below[:2], below[2:])
			r.do(errorsOf(os.Remove(path), os.WriteFile(path, object.Bytes(), 0o444), os.Remove(filepath.Join(r.dir, ".git/index"))))
			r.git("read-tree", "HEAD")
			if s := r.look(); s.id == r.git("rev-parse", "HEAD^{tree}") {
				t.Error("forged: got the tree of HEAD")
			}
		})
	}
}

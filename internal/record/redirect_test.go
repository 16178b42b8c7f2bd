//go:build unix

package record

import (
	"os"
	"path/filepath"
	"testing"
)

// redirected are ways of a command to let git look elsewhere, or at less, after it edited a file.
var redirected = map[string]func(r *repo){
	"nothing": func(*repo) {},
	"another work tree": func(r *repo) {
		other := r.T.TempDir()
		r.do(os.CopyFS(filepath.Join(other, "src"), os.DirFS(filepath.Join(r.dir, "src"))))
		r.do(os.WriteFile(filepath.Join(other, "a.txt"), []byte("one\n"), 0o644))
		r.git("config", "core.worktree", other)
	},
	"another work tree of another repository": func(r *repo) {
		other := filepath.Join(r.T.TempDir(), "r")
		r.git("clone", "-q", ".", other)
		r.git("-C", other, "config", "core.worktree", other)
		r.do(os.RemoveAll(filepath.Join(r.dir, ".git")))
		r.write(".git", "gitdir: "+other+"/.git\n")
	},
	"a sparse checkout with the file": func(r *repo) {
		r.git("config", "core.sparseCheckout", "true")
		r.git("config", "sparse.expectFilesOutsideOfPatterns", "true")
		r.write(".git/info/sparse-checkout", "/*\n!/a.txt\n")
	},
	"files that are not compared": func(r *repo) {
		r.git("config", "core.checkStat", "minimal")
		r.git("config", "core.ignoreStat", "true")
	},
}

// TestTreeRedirected edits a file while a session knows git, then redirects git.
func TestTreeRedirected(t *testing.T) {
	for name, redirect := range redirected {
		for _, knows := range []string{"nothing", "new files", "old files"} {
			t.Run(name+", "+knows, func(t *testing.T) {
				onDisk(t)
				r := newRepo(t)
				g := r.openSession()
				first, err := g.tree(evidenceDir)
				r.do(err)
				switch knows {
				case "nothing":
					g.known = nil
				case "old files":
					certain(g)
				}
				redirect(r)
				r.write("a.txt", "eno\n")
				if second, err := g.tree(evidenceDir); err == nil && second.id == first.id {
					t.Error("the file was edited, but the tree is the same")
				}
			})
		}
	}
}

// TestAttributesRedirected gives a file other line ends while a session knows git, and lets git find attributes elsewhere that hide it.
func TestAttributesRedirected(t *testing.T) {
	for name, redirect := range map[string]func(r *repo, other string){
		"another git directory": func(r *repo, other string) {
			r.do(os.Rename(filepath.Join(r.dir, ".git"), filepath.Join(r.T.TempDir(), "old")))
			r.write(".git", "gitdir: "+other+"\n")
		},
		"another common directory": func(r *repo, other string) { r.write(".git/commondir", other+"\n") },
	} {
		t.Run(name, func(t *testing.T) {
			onDisk(t)
			r := newRepo(t)
			g := r.openSession()
			first, err := g.tree(evidenceDir)
			r.do(err)
			other := filepath.Join(r.T.TempDir(), "other")
			r.do(os.CopyFS(other, os.DirFS(filepath.Join(r.dir, ".git"))))
			redirect(r, other)
			if same, err := g.tree(evidenceDir); err == nil && same.id != first.id {
				t.Errorf("the tree is %s without an edit, want %s", same.id, first.id)
			}
			r.do(os.MkdirAll(filepath.Join(other, "info"), 0o755))
			r.do(os.WriteFile(filepath.Join(other, "info/attributes"), []byte("* text\n"), 0o644))
			r.write("a.txt", "one\r\n")
			if second, err := g.tree(evidenceDir); err == nil && second.id == first.id {
				t.Error("the file was edited, but the tree is the same")
			}
		})
	}
}

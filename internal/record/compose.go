package record

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/internal/git"
)

// Composed is a fresh work tree of a head in which every test path is as in a base, or why there is none.
type Composed struct {
	Dir          string // the root; "" when there is none
	Commit       string // that is checked out: the head, or a child of it that the repository does not have
	Tree         string // its code tree
	Incomparable string // why the two cannot be composed
	temp         *tempDir
}

// Compose makes a work tree in a temporary directory, with the code of one commit and the tests of another: see
// [git.Repo.Compose]. The ids are whole. A head as its own base is that head without the evidence directory. The repository stays
// as it is. What killed programs left of such directories is removed.
func (g *Git) Compose(head, base, evidence string, isTest func(path string) bool) (c *Composed, err error) {
	repo, err := git.Open(g.root)
	if err != nil {
		return nil, err
	}
	c = &Composed{}
	defer func() {
		if err = errors.Join(err, repo.Close()); err != nil {
			c, err = nil, errors.Join(err, c.Close())
		}
	}()
	var ids [2]git.ID
	for i, text := range []string{head, base} {
		if ids[i], err = repo.ParseID(text); err != nil {
			return c, err
		}
	}
	if c.temp, err = g.tempDir(); err != nil {
		return c, err
	}
	if err = os.WriteFile(filepath.Join(c.temp.path, treeMark), nil, 0o600); err != nil {
		return c, err
	}
	dir := filepath.Join(c.temp.path, treeDir)
	objects, err := g.empty(dir)
	if err != nil {
		return c, err
	}
	z := zlib.NewWriter(nil) // one for all, because making one takes long
	is, err := repo.Compose(ids[0], ids[1], evidence, isTest, func(id git.ID, tree []byte) error {
		return writeTree(z, objects, id.String(), tree)
	})
	if err != nil || is.Why != "" {
		c.Incomparable = is.Why
		return c, err
	}
	info, err := repo.Commit(ids[0])
	if err != nil {
		return c, err
	}
	c.Dir, c.Commit, c.Tree = dir, head, is.Tree.String()
	if is.Tree != info.Tree {
		// It says nothing about machine and time, so that it is the same commit wherever it is made.
		who := fmt.Sprintf("closeout <closeout@localhost> %d +0000", info.Date)
		text := fmt.Sprintf("tree %s\nparent %s\nauthor %s\ncommitter %s\n\nTests as in %s\n", c.Tree, head, who, who, base)
		id, err := g.feed(text, "-C", dir, "hash-object", "-t", "commit", "-w", "--stdin")
		if err != nil {
			return c, err
		}
		c.Commit = strings.TrimSpace(id)
	}
	return c, g.checkout(dir, c.Commit)
}

// Close removes the work tree.
func (c *Composed) Close() error {
	if c == nil || c.temp == nil {
		return nil
	}
	return c.temp.remove()
}

// writeTree writes a loose object.
func writeTree(z *zlib.Writer, objects, id string, tree []byte) error {
	var packed bytes.Buffer
	z.Reset(&packed)
	_, err := fmt.Fprintf(z, "tree %d\x00%s", len(tree), tree)
	dir := filepath.Join(objects, id[:2])
	if err = errors.Join(err, z.Close(), os.MkdirAll(dir, 0o700)); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, id[2:]), packed.Bytes(), 0o600)
}

// Checkout makes a work tree of a commit, whose id is whole, in a new directory. Its git directory is its own, and
// reads the objects of this repository, which stays as it is. Nothing is there that git ignores here, and no setting of
// this repository counts.
func (g *Git) Checkout(dir, commit string) error {
	_, err := g.empty(dir)
	if err != nil {
		return err
	}
	return g.checkout(dir, commit)
}

// empty makes a repository in a new directory, with the branches and tags of this one and no remote, to which a command could
// write. It returns the directory of its objects.
func (g *Git) empty(dir string) (objects string, err error) {
	out, err := g.run("rev-parse", "--show-object-format", "--path-format=absolute", "--git-path", "shallow")
	if err != nil {
		return "", err
	}
	format, shallow, _ := strings.Cut(strings.TrimSuffix(out, "\n"), "\n")
	refs, err := g.run("for-each-ref", "--format=%(objectname) %(refname)", "refs/heads", "refs/remotes", "refs/tags")
	if err != nil {
		return "", err
	}
	c := *g
	c.env = append(slices.Clone(g.env), "GIT_DEFAULT_REF_FORMAT=files")
	if _, err := c.run("init", "--quiet", "--template=", "--object-format="+format, "--", dir); err != nil {
		return "", err
	}
	own := filepath.Join(dir, ".git")
	objects = filepath.Join(own, "objects")
	files := map[string]string{
		filepath.Join(objects, "info", "alternates"): quotedPath(g.objects) + "\n", filepath.Join(own, "packed-refs"): refs,
	}
	grafts, err := os.ReadFile(shallow)
	if err == nil {
		files[filepath.Join(own, "shallow")] = string(grafts)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	for name, text := range files {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			return "", err
		}
	}
	return objects, nil
}

// checkout writes the files of a commit as they are on any machine.
func (g *Git) checkout(dir, commit string) error {
	filters, err := g.withoutFilters()
	if err != nil {
		return err
	}
	quiet := [][2]string{{"core.hooksPath", os.DevNull}, {"core.fsmonitor", "false"}, {"advice.detachedHead", "false"}}
	c := *g
	c.env = append(append(slices.Clone(g.env), noSystemAttributes), configured(quiet, neutral, filters)...)
	if _, err = c.run("-C", dir, "checkout", "--quiet", "--detach", commit); err != nil {
		return fmt.Errorf("a fresh work tree of %.12s cannot be made: %w", commit, err)
	}
	return nil
}

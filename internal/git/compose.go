package git

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
)

// Composition is a head in which every test path is as in a base. Its trees are code trees, as [Repo.CodeTree] gives them.
type Composition struct {
	Head, Base ID
	Tree       ID     // of the composition; zero when there is none
	Tests      int    // how many test paths differ
	Why        string // why there is no composition, for a person; "" when there is one
}

// Compose composes two commits: test paths that differ are as in the base, or are missing where the base has none, and all
// others are as in the head. It costs as much as [Repo.Compare]. Each tree that the repository may lack goes to keep, which
// may be nil.
func (r *Repo) Compose(
	head, base ID, evidence string, isTest func(path string) bool, keep func(id ID, tree []byte) error,
) (c Composition, err error) {
	parts, err := splitPath(evidence)
	if err != nil {
		return c, err
	}
	var trees [2]ID
	for i, commit := range []ID{base, head} {
		info, err := r.Commit(commit)
		if err != nil {
			return c, err
		}
		trees[i] = info.Tree
	}
	if c.Base, err = (treeMaker{Repo: r}).without(trees[0], parts); err != nil {
		return c, err
	}
	if c.Head, err = (treeMaker{Repo: r}).without(trees[1], parts); err != nil {
		return c, err
	}
	changes, err := r.Compare(trees[0], trees[1])
	if err != nil {
		return c, err
	}
	m := composer{treeMaker: treeMaker{r, keep}, tests: []int{0}}
	m.changes = slices.DeleteFunc(changes, func(change Difference) bool {
		return change.Path == evidence || strings.HasPrefix(change.Path, evidence+"/")
	})
	for i := range m.changes {
		path := m.changes[i].Path
		is := isTest(path)
		// A glob may match what is below a submodule, and not the submodule itself.
		if c.Why == "" && (m.changes[i].OldMode == ModeSubmodule || m.changes[i].NewMode == ModeSubmodule) && (is || isTest(path+"/x")) {
			c.Why = fmt.Sprintf("the submodule %q, which has tests, changes: which of its files are tests is not known", path)
		}
		if is {
			c.Tests++
		}
		m.tests = append(m.tests, c.Tests)
	}
	if c.Why == "" {
		c.Why = m.clash()
	}
	if c.Why == "" {
		c.Tree, err = m.dir("", trees[0], trees[1], 0, len(m.changes), parts)
	}
	return c, err
}

// composer composes two trees.
type composer struct {
	treeMaker
	changes []Difference // sorted by path
	tests   []int        // how many of the changes before each, and of all, are those of test paths
}

func (c *composer) isTest(change int) bool { return c.tests[change] < c.tests[change+1] }

// clash says what a composition would lose: a path that is not a test, where a file of the base and a directory of the
// head have the same name, or the other way round. Only changed paths can be in each other's way.
func (c *composer) clash() string {
	var files []int // those that a path could be below, each a prefix of the next
	for i, change := range c.changes {
		stays := change.NewMode
		if c.isTest(i) {
			stays = change.OldMode
		}
		if stays == 0 {
			continue
		}
		n := len(files)
		for n > 0 && !strings.HasPrefix(change.Path, c.changes[files[n-1]].Path) {
			n--
		}
		files = append(files[:n], i)
		if n > 0 && change.Path[len(c.changes[files[n-1]].Path)] == '/' {
			test, other := files[n-1], i
			if c.isTest(i) {
				test, other = i, files[n-1]
			}
			return fmt.Sprintf("the test path %q of the base has no place beside %q of the head, which is no test path",
				c.changes[test].Path, c.changes[other].Path)
		}
	}
	return ""
}

// before is how many changes have a path that sorts before another.
func (c *composer) before(path string) int {
	return sort.Search(len(c.changes), func(i int) bool { return c.changes[i].Path >= path })
}

// isChangedTest reports whether a file is at a test path that differs.
func (c *composer) isChangedTest(path string) bool {
	i := c.before(path)
	return i < len(c.changes) && c.changes[i].Path == path && c.isTest(i)
}

// dir composes a directory: its changes are those from one on, up to another. prefix is its path and a slash, or "".
func (c *composer) dir(prefix string, base, head ID, from, to int, evidence []string) (ID, error) {
	switch c.tests[to] - c.tests[from] {
	case 0:
		return c.without(head, evidence)
	case to - from:
		return c.without(base, evidence)
	}
	type piece struct {
		treeEntry
		raw []byte
	}
	var pieces []piece
	dirs := map[string]*[2]ID{}
	for side, tree := range []ID{base, head} {
		found, err := c.read(tree, limits{want: treeType})
		if err != nil {
			return ID{}, err
		}
		err = c.each(tree, found.content, func(begin int, e treeEntry) {
			name := string(e.name)
			switch {
			case len(evidence) == 1 && evidence[0] == name:
			case e.isTree():
				if dirs[name] == nil {
					dirs[name] = &[2]ID{c.format.emptyTree, c.format.emptyTree}
				}
				dirs[name][side] = newID(e.id)
			case c.isChangedTest(prefix+name) == (side == 0):
				pieces = append(pieces, piece{e, found.content[begin:e.end]})
			}
		})
		if err != nil {
			return ID{}, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(dirs)) {
		below, path := evidence[:0], prefix+name+"/"
		if len(evidence) > 0 && evidence[0] == name {
			below = evidence[1:]
		}
		// The character after the slash ends what begins with the path.
		id, err := c.dir(path, dirs[name][0], dirs[name][1], c.before(path), c.before(prefix+name+"0"), below)
		if err != nil {
			return ID{}, err
		}
		if id != c.format.emptyTree {
			raw := append([]byte("40000 "+name+"\x00"), id.raw()...)
			pieces = append(pieces, piece{treeEntry{name: []byte(name), mode: ModeTree}, raw})
		}
	}
	slices.SortFunc(pieces, func(a, b piece) int { return compareEntries(&a.treeEntry, &b.treeEntry) })
	var tree []byte
	for _, p := range pieces {
		tree = append(tree, p.raw...)
	}
	return c.make(tree)
}

package git

import (
	"strings"
)

// Tracked gives path and mode of every file that the index of the work tree contains, in the order of the index, each once.
// Without an index there are none. whole is false for a sparse index, which contains some directories only by their name.
func (r *Repo) Tracked(visit func(path string, mode uint32)) (whole bool, err error) {
	whole = true
	last := ""
	err = r.readIndex(func(name string, mode uint32) bool {
		switch {
		case mode == ModeTree:
			whole = false
		case name != "" && name != last: // a conflict has up to three entries; a split index has entries without a name
			last = name
			visit(name, mode)
		}
		return true
	})
	return whole, err
}

// Walk gives path and mode of every file in the tree of a commit, in the order of their bytes, except that a directory sorts
// as if a slash followed its name.
func (r *Repo) Walk(commit ID, visit func(path string, mode uint32)) error {
	info, err := r.Commit(commit)
	if err != nil {
		return err
	}
	w := &walker{repo: r, visit: visit}
	return w.tree(info.Tree, "")
}

// walker lists the files of a tree. It reads at most MaxEntries entries.
type walker struct {
	repo  *Repo
	visit func(string, uint32)
	read  int64
}

// maxTreeDepth is how many directories may contain each other.
const maxTreeDepth = 1000

func (w *walker) tree(id ID, prefix string) error {
	entries, err := w.repo.Tree(id)
	if err != nil {
		return err
	}
	if w.read += int64(len(entries)); w.read > w.repo.MaxEntries || strings.Count(prefix, "/") > maxTreeDepth {
		return &TooLarge{What: "entries in the trees of a commit", Limit: w.repo.MaxEntries, Trees: true}
	}
	for _, e := range entries {
		if e.Mode != ModeTree {
			w.visit(prefix+e.Name, e.Mode)
		} else if err := w.tree(e.ID, prefix+e.Name+"/"); err != nil {
			return err
		}
	}
	return nil
}

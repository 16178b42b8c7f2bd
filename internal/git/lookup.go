package git

import "strings"

// Entry is an entry of a tree.
type Entry struct {
	Name string // without directories; any bytes but NUL and slash
	Mode uint32 // one of the Mode constants
	ID   ID     // of the blob, the tree, or the commit of a submodule
}

// Lookup finds the entry of a commit at a path; ok is false when there is none. Symlinks and submodules on the path are
// not followed. The path is relative to the root, with slashes; any other is BadName.
func (r *Repo) Lookup(commit ID, path string) (entry Entry, ok bool, err error) {
	parts, err := splitPath(path)
	if err != nil {
		return Entry{}, false, err
	}
	tree, err := r.treeOf(commit)
	if err != nil {
		return Entry{}, false, err
	}
	at := Entry{Mode: ModeTree, ID: tree}
	for _, part := range parts {
		if at.Mode != ModeTree {
			return Entry{}, false, nil
		}
		at, ok, err = r.entry(at.ID, part)
		if !ok || err != nil {
			return Entry{}, false, err
		}
	}
	return at, true, nil
}

// treeOf gives the tree of a commit, and remembers it: thousands of lookups may be for the same commit.
func (r *Repo) treeOf(commit ID) (ID, error) {
	if last := r.looked.Load(); last != nil && last.ID == commit {
		return last.Tree, nil
	}
	info, err := r.Commit(commit)
	if err == nil {
		r.looked.Store(&info)
	}
	return info.Tree, err
}

// List gives the entries of a directory of a commit in git's order (a directory sorts as if a slash followed its name),
// and of the root for the path "". It is nil when there is no such directory, also when a file has its name.
func (r *Repo) List(commit ID, path string) ([]Entry, error) {
	if path == "" {
		tree, err := r.treeOf(commit)
		if err != nil {
			return nil, err
		}
		return r.Tree(tree)
	}
	at, ok, err := r.Lookup(commit, path)
	if !ok || err != nil || at.Mode != ModeTree {
		return nil, err
	}
	return r.Tree(at.ID)
}

// entry finds a name in a tree. It reads the whole tree, because a defect after the name is a defect too, and keeps valid
// trees, because thousands of lookups may be in the same tree.
func (r *Repo) entry(tree ID, name string) (Entry, bool, error) {
	byName, ok := r.trees.get(tree)
	if !ok {
		entries, err := r.Tree(tree)
		if err != nil {
			return Entry{}, false, err
		}
		byName = make(map[string]Entry, len(entries))
		for _, e := range entries {
			byName[e.Name] = e
		}
		r.trees.put(tree, byName)
	}
	e, ok := byName[name]
	return e, ok, nil
}

// Pick finds entries of a tree by their names, without keeping the tree: entries[i] is zero where there is no names[i].
// For walks over thousands of trees, each of which is read once.
func (r *Repo) Pick(tree ID, names ...string) (entries []Entry, err error) {
	entries = make([]Entry, len(names))
	if tree == r.format.emptyTree {
		return entries, nil
	}
	found, err := r.read(tree, limits{want: treeType})
	if err != nil {
		return nil, err
	}
	err = r.each(tree, found.content, func(_ int, e treeEntry) {
		for i, name := range names {
			if string(e.name) == name {
				entries[i] = Entry{Name: name, Mode: e.mode, ID: newID(e.id)}
			}
		}
	})
	return entries, err
}

// BlobID is the id that a blob with a content has in this repository. It need not contain it.
func (r *Repo) BlobID(content []byte) ID {
	id, _ := r.format.sum(blobType, content)
	return id
}

// treeCache is how many bytes of trees are kept for lookups, and entryWeight about how many of them an entry takes.
const (
	treeCache   = 32 << 20
	entryWeight = 160
)

func newTreeCache() *cache[ID, map[string]Entry] {
	return newCache[ID](treeCache, func(t map[string]Entry) int { return (len(t) + 1) * entryWeight })
}

// Tree gives the entries of a tree in git's order.
func (r *Repo) Tree(id ID) ([]Entry, error) {
	found, err := r.read(id, limits{want: treeType})
	if err != nil {
		return nil, err
	}
	entries := []Entry{}
	err = r.each(id, found.content, func(_ int, e treeEntry) {
		entries = append(entries, Entry{Name: string(e.name), Mode: e.mode, ID: newID(e.id)})
	})
	if err != nil {
		return nil, err
	}
	return entries, nil
}

// splitPath splits a path of the repository into names.
func splitPath(path string) ([]string, error) {
	parts := strings.Split(path, "/")
	for _, part := range parts {
		if badName([]byte(part)) || strings.IndexByte(part, 0) >= 0 {
			return nil, &BadName{Name: path, Why: `in a repository path, no name between slashes can be empty, ".", ".." or ".git"`}
		}
	}
	return parts, nil
}

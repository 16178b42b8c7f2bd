package gitobj

import (
	"strings"
)

// Entry is what a tree has under a name.
type Entry struct {
	Name string // without folders; any bytes but NUL and slash
	Mode uint32 // one of the Mode constants
	ID   ID     // of the blob, the tree, or the commit of a submodule
}

// Lookup finds what a commit holds at a path; ok is false when there is nothing. A file, symlink or submodule on the way
// is not followed: then there is nothing. The path is relative to the root, with slashes; any other is BadName.
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

// treeOf gives the tree of a commit. Thousands of lookups may ask about the same one.
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

// List gives the entries of a folder at a commit in git's order (a folder sorts as if a slash followed its name), and of
// the root for the path "". It is nil when there is no such folder, also when a file has its name.
func (r *Repo) List(commit ID, path string) ([]Entry, error) {
	info, err := r.Commit(commit)
	if err != nil {
		return nil, err
	}
	if path == "" {
		return r.entries(info.Tree)
	}
	at, ok, err := r.Lookup(commit, path)
	if !ok || err != nil || at.Mode != ModeTree {
		return nil, err
	}
	return r.entries(at.ID)
}

// entry finds a name in a tree. The whole tree is read: what is wrong behind the name is wrong too. Thousands of lookups
// may ask for names of the same tree, so trees that were found right are kept.
func (r *Repo) entry(tree ID, name string) (Entry, bool, error) {
	byName, ok := r.folders.get(tree)
	if !ok {
		entries, err := r.entries(tree)
		if err != nil {
			return Entry{}, false, err
		}
		byName = make(map[string]Entry, len(entries))
		for _, e := range entries {
			byName[e.Name] = e
		}
		r.folders.put(tree, byName)
	}
	e, ok := byName[name]
	return e, ok, nil
}

// folderCache is how many bytes of trees are kept for lookups, and entryWeight about what an entry takes in one.
const (
	folderCache = 32 << 20
	entryWeight = 160
)

func newFolderCache() *cache[ID, map[string]Entry] {
	return newCache[ID](folderCache, func(f map[string]Entry) int { return (len(f) + 1) * entryWeight })
}

// entries reads a tree.
func (r *Repo) entries(id ID) ([]Entry, error) {
	found, err := r.read(id, limits{want: treeKind})
	if err != nil {
		return nil, err
	}
	reader := treeReader{tree: found.content, size: r.format.size}
	entries := []Entry{}
	for {
		e, ok, err := reader.next()
		if err != nil {
			return nil, &Corrupt{What: "tree " + id.String(), Why: err.Error()}
		}
		if !ok {
			return entries, nil
		}
		entries = append(entries, Entry{Name: string(e.name), Mode: e.mode, ID: newID(e.id)})
	}
}

// splitPath cuts a path of the repository into names.
func splitPath(path string) ([]string, error) {
	parts := strings.Split(path, "/")
	for _, part := range parts {
		if badName([]byte(part)) || strings.IndexByte(part, 0) >= 0 {
			return nil, &BadName{Name: path, Why: "a path in the repository has names between single slashes, none of them empty, \".\", \"..\" or \".git\""}
		}
	}
	return parts, nil
}

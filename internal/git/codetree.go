package git

import "strconv"

// CodeTree gives the id that the root tree of a commit would have without a path (a directory, a file, a symlink) and
// without the directories that are empty then. If the path does not exist, that is the id of the root tree. An empty
// or malformed path is BadName.
func (r *Repo) CodeTree(commit ID, path string) (ID, error) {
	parts, err := splitPath(path)
	if err != nil {
		return ID{}, err
	}
	info, err := r.Commit(commit)
	if err != nil {
		return ID{}, err
	}
	return treeMaker{Repo: r}.without(info.Tree, parts)
}

// treeMaker computes trees that the repository need not contain. Each of them goes to keep, which may be nil.
type treeMaker struct {
	*Repo
	keep func(id ID, tree []byte) error
}

func (t treeMaker) make(tree []byte) (ID, error) {
	id, collided := t.format.sum(treeType, tree)
	if collided {
		return ID{}, &Corrupt{What: "tree " + id.String(), Why: "it is part of a SHA-1 collision (" + strconv.Itoa(len(tree)) + " bytes)"}
	}
	if t.keep == nil {
		return id, nil
	}
	return id, t.keep(id, tree)
}

// without makes a tree without a path; no path is the tree itself.
func (t treeMaker) without(tree ID, path []string) (ID, error) {
	if len(path) == 0 {
		return tree, nil
	}
	found, err := t.read(tree, limits{want: treeType})
	if err != nil {
		return ID{}, err
	}
	var e treeEntry
	var begin int
	err = t.each(tree, found.content, func(at int, entry treeEntry) {
		if string(entry.name) == path[0] {
			begin, e = at, entry
		}
	})
	if err != nil || e.end == 0 {
		return tree, err
	}
	content := append([]byte{}, found.content[:begin]...)
	if len(path) > 1 {
		if !e.isTree() {
			return tree, nil
		}
		below, err := t.without(newID(e.id), path[1:])
		if err != nil || below == newID(e.id) {
			return tree, err
		}
		if below != t.format.emptyTree {
			content = append(content, found.content[begin:e.end-t.format.size]...)
			content = append(content, below.raw()...)
		}
	}
	content = append(content, found.content[e.end:]...)
	return t.make(content)
}

// each calls a function for every entry of a tree, with the offset of the entry, until the end or the first error.
func (r *Repo) each(id ID, tree []byte, visit func(begin int, e treeEntry)) error {
	reader := treeReader{tree: tree, size: r.format.size}
	for {
		begin := reader.at
		e, ok, err := reader.next()
		if err != nil {
			return &Corrupt{What: "tree " + id.String(), Why: err.Error()}
		}
		if !ok {
			return nil
		}
		visit(begin, e)
	}
}

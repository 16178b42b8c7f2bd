package gitobj

import "strconv"

// CodeTree is the id that the root tree of a commit would have without what lies at a path (a folder, a file, a symlink)
// and without the folders that this leaves empty. When nothing lies there, it is the root tree's own id. An empty path
// or one that is no path is BadName.
func (r *Repo) CodeTree(commit ID, path string) (ID, error) {
	parts, err := splitPath(path)
	if err != nil {
		return ID{}, err
	}
	info, err := r.Commit(commit)
	if err != nil {
		return ID{}, err
	}
	return r.without(info.Tree, parts)
}

// without computes a tree's id without what lies below it at a path.
func (r *Repo) without(tree ID, path []string) (ID, error) {
	found, err := r.read(tree, limits{want: treeKind})
	if err != nil {
		return ID{}, err
	}
	e, begin, err := r.scan(tree, found.content, path[0])
	if err != nil || e.end == 0 {
		return tree, err
	}
	var replaced []byte
	if len(path) > 1 {
		if !e.isTree() {
			return tree, nil
		}
		below, err := r.without(newID(e.id), path[1:])
		if err != nil || below == newID(e.id) {
			return tree, err
		}
		if below != r.format.emptyTree {
			replaced = append(replaced, found.content[begin:e.end-r.format.size]...)
			replaced = append(replaced, below.raw()...)
		}
	}
	content := append([]byte{}, found.content[:begin]...)
	content = append(append(content, replaced...), found.content[e.end:]...)
	id, collided := r.format.sum(treeKind, content)
	if collided {
		return ID{}, &Corrupt{What: "tree " + tree.String(), Why: "a part of it was made to have the same SHA-1 as another (" + strconv.Itoa(len(content)) + " bytes)"}
	}
	return id, nil
}

// scan reads a whole tree and gives the entry of a name and where it begins; its end is 0 when there is none.
func (r *Repo) scan(id ID, tree []byte, name string) (found treeEntry, begin int, err error) {
	reader := treeReader{tree: tree, size: r.format.size}
	for {
		at := reader.at
		e, ok, err := reader.next()
		if err != nil {
			return treeEntry{}, 0, &Corrupt{What: "tree " + id.String(), Why: err.Error()}
		}
		if !ok {
			return found, begin, nil
		}
		if string(e.name) == name {
			found, begin = e, at
		}
	}
}

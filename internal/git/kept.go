package git

// Kept compares the entries of an old tree with those of a new one, and calls lost for each path of the old one that
// the new one does not have as it was. What only the new one has is not read. Of a directory that occurs several times,
// one path is named.
func (r *Repo) Kept(old, young ID, prefix string, lost func(path string, removed bool)) error {
	return r.kept([2]ID{old, young}, prefix, map[[2]ID]bool{}, lost)
}

func (r *Repo) kept(pair [2]ID, prefix string, seen map[[2]ID]bool, lost func(path string, removed bool)) error {
	if seen[pair] {
		return nil
	}
	seen[pair] = true
	var readers [2]treeReader
	for i, id := range pair {
		found, err := r.read(id, limits{want: treeType})
		if err != nil {
			return err
		}
		readers[i].reset(found.content, r.format.size)
	}
	type changed struct {
		name string
		pair [2]ID
	}
	var deeper []changed
	after, more, err := readers[1].next()
	for err == nil {
		var before treeEntry
		var ok bool
		if before, ok, err = readers[0].next(); !ok || err != nil {
			break
		}
		for more && err == nil && compareEntries(&after, &before) < 0 {
			after, more, err = readers[1].next()
		}
		switch there := more && compareEntries(&after, &before) == 0; {
		case !there:
			lost(prefix+string(before.name), true)
		case string(after.id) == string(before.id) && after.mode == before.mode:
		case after.isTree() && before.isTree():
			deeper = append(deeper, changed{string(before.name), [2]ID{newID(before.id), newID(after.id)}})
		default:
			lost(prefix+string(before.name), false)
		}
	}
	if err != nil {
		return &Corrupt{What: "tree " + pair[0].String() + " or " + pair[1].String(), Why: err.Error()}
	}
	for _, d := range deeper {
		if err := r.kept(d.pair, prefix+d.name+"/", seen, lost); err != nil {
			return err
		}
	}
	return nil
}

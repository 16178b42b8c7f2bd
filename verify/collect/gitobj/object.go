package gitobj

import "strings"

// read reads an object of a kind (or of any) and checks that its content has its id. The content is shared: nobody may
// write to it.
func (r *Repo) read(id ID, l limits) (object, error) {
	if id == r.format.emptyTree {
		return object{treeKind, nil}, l.admit(treeKind, id, 0)
	}
	if int(id[32]) != r.format.size {
		return object{}, &BadName{Name: id.String(), Why: "it is no object id of this repository"}
	}
	at, ok, err := r.objects.find(id)
	if err != nil {
		return object{}, err
	}
	if !ok {
		return object{}, r.missing(id, l.want)
	}
	return r.readAt(id, at, l)
}

// readAt reads an object whose place is known.
func (r *Repo) readAt(id ID, at place, l limits) (object, error) {
	found, err := r.fetch(id, at, l)
	if err != nil {
		return object{}, err
	}
	sum, collided := r.format.sum(found.kind, found.content)
	if collided {
		return object{}, &Corrupt{What: found.kind.String() + " " + id.String(), Why: "it was made to have the same SHA-1 as another object"}
	}
	if sum != id {
		return object{}, &Corrupt{What: found.kind.String() + " " + id.String(), Why: "its content has the id " + sum.String()}
	}
	return found, l.admit(found.kind, id, int64(len(found.content)))
}

func (r *Repo) fetch(id ID, at place, l limits) (object, error) {
	if at.pack == nil {
		return r.objects.readLoose(id, at.loose, l)
	}
	return r.objects.unpack(id, at, l)
}

// missing says what is known about an object that is nowhere.
func (r *Repo) missing(id ID, want kind) error {
	var why []string
	if r.Shallow() {
		why = append(why, "the clone is shallow, fetch deeper (git fetch --unshallow, or fetch-depth: 0)")
	}
	if r.partial || r.objects.promise {
		why = append(why, "the clone is partial and left it with the remote, fetch without --filter")
	}
	if len(r.objects.lost) > 0 {
		why = append(why, "objects are borrowed from a folder that is not there (objects/info/alternates)")
	}
	return &MissingObject{ID: id, Kind: want.String(), Why: strings.Join(why, "; "), Shallow: r.Shallow()}
}

// Blob reads a blob of up to limit bytes; a larger one is TooLarge. The bytes must not be written to.
func (r *Repo) Blob(id ID, limit int64) ([]byte, error) {
	found, err := r.read(id, limits{want: blobKind, blob: limit})
	if err != nil {
		return nil, err
	}
	return found.content, nil
}

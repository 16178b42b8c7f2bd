package git

import "strings"

// read reads an object within limits and checks that its content has its id.
func (r *Repo) read(id ID, l limits) (object, error) {
	if id == r.format.emptyTree {
		return object{kind: treeType}, l.admit(treeType, id, 0)
	}
	if int(id[32]) != r.format.size {
		return object{}, &BadName{Name: id.String(), Why: "it is not an object id of this repository"}
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

// readAt reads an object at a place.
func (r *Repo) readAt(id ID, at place, l limits) (object, error) {
	found, err := r.objects.read(id, at, l)
	if err != nil {
		return object{}, err
	}
	if found.checked == id {
		return found, l.admit(found.kind, id, int64(len(found.content)))
	}
	sum, collided := r.format.sum(found.kind, found.content)
	if collided {
		return object{}, &Corrupt{What: found.kind.String() + " " + id.String(), Why: "it is part of a SHA-1 collision"}
	}
	if sum != id {
		return object{}, &Corrupt{What: found.kind.String() + " " + id.String(), Why: "its content has the id " + sum.String()}
	}
	found.checked = id
	r.objects.bases.replace(at, found)
	return found, l.admit(found.kind, id, int64(len(found.content)))
}

// missing is the error for an object that was not found, with the possible reasons.
func (r *Repo) missing(id ID, want objectType) error {
	var why []string
	if r.Shallow() {
		why = append(why, "the clone is shallow, fetch more history (git fetch --unshallow, or fetch-depth: 0)")
	}
	if r.partial || r.objects.promise {
		why = append(why, "the clone is partial, fetch without --filter")
	}
	if len(r.objects.lost) > 0 {
		why = append(why, "a directory in objects/info/alternates does not exist")
	}
	return &MissingObject{ID: id, Kind: want.String(), Why: strings.Join(why, "; "), Shallow: r.Shallow()}
}

// Blob reads a blob of up to limit bytes; a larger one is TooLarge. The bytes must not be changed.
func (r *Repo) Blob(id ID, limit int64) ([]byte, error) {
	found, err := r.read(id, limits{want: blobType, blob: limit})
	if err != nil {
		return nil, err
	}
	return found.content, nil
}

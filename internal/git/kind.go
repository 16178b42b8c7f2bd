package git

import "slices"

// kind is the type of an object, with its number in packs.
type kind uint8

const (
	anyKind kind = iota
	commitKind
	treeKind
	blobKind
	tagKind
)

var kindNames = [...]string{"object", "commit", "tree", "blob", "tag"}

func (k kind) String() string { return kindNames[k] }

// kindOf reads a type's name.
func kindOf(name []byte) (kind, bool) {
	i := slices.Index(kindNames[:], string(name))
	return kind(max(i, 0)), i > int(anyKind)
}

// The largest sizes of objects, in bytes. A directory with half a million entries makes a tree of 20 MB.
const (
	treeLimit   = 32 << 20
	commitLimit = 16 << 20
	deltaLimit  = 32 << 20 // of deltas, and of their bases when the limit of the object is smaller
)

// limits says which objects are accepted.
type limits struct {
	want kind  // anyKind for all
	blob int64 // the largest size of a blob
}

// admit checks the kind and the size of an object.
func (l limits) admit(k kind, id ID, size int64) error {
	if l.want != anyKind && k != l.want {
		return &Corrupt{What: l.want.String() + " " + id.String(), Why: "it is a " + k.String()}
	}
	if size > l.limitOf(k) {
		return &TooLarge{What: "bytes in " + k.String() + " " + id.String(), Limit: l.limitOf(k)}
	}
	return nil
}

func (l limits) limitOf(k kind) int64 {
	switch k {
	case treeKind:
		return treeLimit
	case blobKind:
		return l.blob
	}
	return commitLimit
}

package git

import "slices"

// objectType is the type of an object, with its number in packs.
type objectType uint8

const (
	anyType objectType = iota
	commitType
	treeType
	blobType
	tagType
)

var typeNames = [...]string{"object", "commit", "tree", "blob", "tag"}

func (k objectType) String() string { return typeNames[k] }

// typeOf reads a type's name.
func typeOf(name []byte) (objectType, bool) {
	i := slices.Index(typeNames[:], string(name))
	return objectType(max(i, 0)), i > int(anyType)
}

// The largest sizes of objects, in bytes. A directory with half a million entries makes a tree of 20 MB.
const (
	treeLimit   = 32 << 20
	commitLimit = 16 << 20
	deltaLimit  = 32 << 20 // of deltas, and of their bases when the limit of the object is smaller
)

// limits says which objects are accepted.
type limits struct {
	want objectType // anyType for all
	blob int64      // the largest size of a blob
}

// admit checks the type and the size of an object.
func (l limits) admit(k objectType, id ID, size int64) error {
	if l.want != anyType && k != l.want {
		return &Corrupt{What: l.want.String() + " " + id.String(), Why: "it is a " + k.String()}
	}
	if size > l.limitOf(k) {
		return &TooLarge{What: "bytes in " + k.String() + " " + id.String(), Limit: l.limitOf(k)}
	}
	return nil
}

func (l limits) limitOf(k objectType) int64 {
	switch k {
	case treeType:
		return treeLimit
	case blobType:
		return l.blob
	}
	return commitLimit
}

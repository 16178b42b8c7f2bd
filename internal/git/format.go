package git

import (
	"crypto/sha256"
	"hash"
	"strconv"
	"sync"

	"github.com/pjbgf/sha1cd"
)

// format is the hash function of a repository, and what depends on it.
type format struct {
	size      int  // of a hash, in bytes
	midx      byte // its number in a multi-pack-index
	emptyTree ID   // of a tree without entries, which need not be stored
	hashers   sync.Pool
}

var (
	sha1Format   = newFormat(20, 1, "4b825dc642cb6eb9a060e54bf8d69288fbee4904", sha1cd.New)
	sha256Format = newFormat(32, 2, "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321", sha256.New)
)

func newFormat(size int, midx byte, emptyTree string, hasher func() hash.Hash) *format {
	id, _ := parseHex([]byte(emptyTree), size)
	return &format{size: size, midx: midx, emptyTree: id, hashers: sync.Pool{New: func() any { return &hashing{Hash: hasher()} }}}
}

// sum is the id of an object. SHA-1 is computed with collision detection: collided reports that the content was
// constructed to have the same hash as other content. SHA-256 does not need that.
func (f *format) sum(kind objectType, content []byte) (id ID, collided bool) {
	h := f.hashers.Get().(*hashing)
	defer f.hashers.Put(h)
	header := append(append(h.header[:0], kind.String()...), ' ')
	header = append(strconv.AppendInt(header, int64(len(content)), 10), 0)
	return h.digest(header, content)
}

// hashing is a hash function, and space for what goes in and out, which an interface would move to the heap.
type hashing struct {
	hash.Hash
	header, out [32]byte
}

// digest computes the hash of a header and content.
func (h *hashing) digest(header, content []byte) (id ID, collided bool) {
	h.Reset()
	h.Write(header)
	h.Write(content)
	if detecting, ok := h.Hash.(sha1cd.CollisionResistantHash); ok {
		sum, collided := detecting.CollisionResistantSum(h.out[:0])
		return newID(sum), collided
	}
	return newID(h.Sum(h.out[:0])), false
}

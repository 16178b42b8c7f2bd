package git

import (
	"encoding/hex"
	"strconv"
)

// ID is an object id: 20 bytes in a SHA-1 repository, 32 in a SHA-256 one, and in the last byte how many of them are
// used. The zero ID means no object. IDs are comparable.
type ID [33]byte

// newID makes an ID of 20 or 32 raw bytes.
func newID(raw []byte) (id ID) {
	id[32] = byte(copy(id[:32], raw))
	return id
}

// raw gives the bytes of the hash, without the length.
func (id *ID) raw() []byte { return id[:id[32]] }

// IsZero reports whether the ID means no object.
func (id ID) IsZero() bool { return id == ID{} }

// String gives 40 or 64 lower-case hex digits, and "" for the zero ID.
func (id ID) String() string { return hex.EncodeToString(id.raw()) }

// ParseID reads a full object id of this repository: 40 hex digits, 64 in a SHA-256 repository. Anything else is a
// [BadName]. The object need not exist.
func (r *Repo) ParseID(text string) (ID, error) {
	id, ok := parseHex([]byte(text), r.format.size)
	if !ok {
		return ID{}, &BadName{Name: text, Why: "an object id of this repository has " + strconv.Itoa(2*r.format.size) + " hex digits"}
	}
	return id, nil
}

// parseHex reads exactly size bytes written as hex digits of either case. It refuses the id of zeros, with which git means
// no object.
func parseHex(text []byte, size int) (id ID, ok bool) {
	if len(text) != 2*size {
		return ID{}, false
	}
	if _, err := hex.Decode(id[:size], text); err != nil {
		return ID{}, false
	}
	id[32] = byte(size)
	return id, id != ID{32: byte(size)}
}

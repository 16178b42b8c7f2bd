package git

import (
	"bytes"
	"encoding/binary"
	"math"
)

// packIndex is the index of one pack, version 1 or 2 (gitformat-pack, "Original (version 1)", "Version 2").
type packIndex struct {
	table
	offsets int64 // version 2: where the 4-byte offsets begin; 0 in version 1
}

// table is a list of sorted object ids in a file, and the fanout table: how many ids begin with a byte up to b.
type table struct {
	file   *file
	fanout [256]uint32
	begin  int64 // of the entries
	width  int   // of an entry, in bytes
	skip   int   // bytes of an entry before its id
	size   int   // of an id, in bytes
	large  int64 // where the 8-byte offsets begin
	nLarge int64 // how many there are
}

func (t *table) count() int64 { return int64(t.fanout[255]) }

// readFanout reads the 256 numbers at an offset; they must not decrease.
func (t *table) readFanout(offset int64) error {
	raw, err := t.file.view(offset, 1024)
	if err != nil {
		return t.damaged("its fanout table is truncated")
	}
	for i := range t.fanout {
		t.fanout[i] = binary.BigEndian.Uint32(raw[4*i:])
		if i > 0 && t.fanout[i] < t.fanout[i-1] {
			return t.damaged("its fanout table is not sorted")
		}
	}
	return nil
}

func (t *table) damaged(why string) error { return &Corrupt{What: t.file.name, Why: why} }

// guesses is how many probes go where an id should be: ids are hashes, so that is near. The others halve, for hostile indexes.
const guesses = 6

// find gives the position of an id, or -1.
func (t *table) find(id ID) (int64, error) {
	low, high := int64(0), int64(t.fanout[id[0]])
	if id[0] > 0 {
		low = int64(t.fanout[id[0]-1])
	}
	want, first, last := keyOf(id[:]), 0.0, 1.0
	for probe := 0; low < high; probe++ {
		middle := (low + high) / 2
		if probe < guesses && first < last {
			middle = low + min(max(int64(float64(high-low)*(want-first)/(last-first)), 0), high-low-1)
		}
		entry, err := t.file.view(t.begin+middle*int64(t.width), t.width)
		if err != nil {
			return -1, t.damaged(err.Error())
		}
		entry = entry[t.skip : t.skip+t.size]
		switch bytes.Compare(id.raw(), entry) {
		case 0:
			return middle, nil
		case 1:
			low, first = middle+1, keyOf(entry)
		default:
			high, last = middle, keyOf(entry)
		}
	}
	return -1, nil
}

// keyOf is where an id lies among those with its first byte: 0 for the first, below 1.
func keyOf(id []byte) float64 {
	return float64(binary.BigEndian.Uint32(id[1:])) / (1 << 32)
}

// offset64 reads entry n of the list of 8-byte offsets.
func (t *table) offset64(n int64) (int64, error) {
	if n >= t.nLarge {
		return 0, t.damaged("an entry refers to an offset that is not listed")
	}
	raw, err := t.file.view(t.large+8*n, 8)
	if err != nil {
		return 0, t.damaged(err.Error())
	}
	offset := binary.BigEndian.Uint64(raw)
	if offset > math.MaxInt64 {
		return 0, t.damaged("an offset is larger than any file")
	}
	return int64(offset), nil
}

// openIndex reads the layout of an index. It does not check that the ids are sorted: an object that is not found is
// missing, and the hash of one that is found is checked.
func openIndex(f *file, size int) (*packIndex, error) {
	x := &packIndex{table: table{file: f, size: size}}
	magic, err := f.view(0, 8)
	if err != nil {
		return nil, x.damaged("its header is truncated")
	}
	if !bytes.Equal(magic[:4], []byte("\377tOc")) {
		// Version 1: fanout, then offset and id of each object, then two checksums.
		x.begin, x.width, x.skip = 1024, 4+x.size, 4
		if err := x.readFanout(0); err != nil {
			return nil, err
		}
		if x.file.size != 1024+x.count()*int64(x.width)+int64(2*x.size) {
			return nil, x.damaged("its size does not match its number of objects")
		}
		return x, nil
	}
	if version := binary.BigEndian.Uint32(magic[4:]); version != 2 {
		return nil, x.damaged("its version is neither 1 nor 2")
	}
	// Version 2: fanout, ids, checksums of 4 bytes, offsets of 4 bytes, offsets of 8 bytes, two checksums.
	x.begin, x.width = 8+1024, x.size
	if err := x.readFanout(8); err != nil {
		return nil, err
	}
	x.offsets = x.begin + x.count()*int64(x.size+4)
	x.large = x.offsets + x.count()*4
	rest := x.file.size - x.large - int64(2*x.size)
	if x.nLarge = rest / 8; rest < 0 || rest%8 != 0 || x.nLarge > x.count() {
		return nil, x.damaged("its size does not match its number of objects")
	}
	return x, nil
}

// offset finds an object in the pack; ok is false when the pack does not contain it.
func (x *packIndex) offset(id ID) (offset int64, ok bool, err error) {
	position, err := x.find(id)
	if position < 0 || err != nil {
		return 0, false, err
	}
	at := x.offsets + 4*position
	if x.offsets == 0 {
		at = x.begin + position*int64(x.width)
	}
	raw, err := x.file.view(at, 4)
	if err != nil {
		return 0, false, x.damaged(err.Error())
	}
	short := binary.BigEndian.Uint32(raw)
	if x.offsets == 0 || short < 1<<31 {
		return int64(short), true, nil
	}
	offset, err = x.offset64(int64(short & (1<<31 - 1)))
	return offset, err == nil, err
}

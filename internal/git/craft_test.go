package git

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// packed is an object for a pack made by hand: the code of a kind or a delta, what precedes the data, and the data.
type packed struct {
	id    ID
	code  int
	base  []byte // distance or id of a delta's base, encoded
	data  []byte
	claim int64 // the size in the header, if not that of the data
}

// deflater is used again and again, because making one takes long.
var deflater = zlib.NewWriter(nil)

// deflate compresses bytes as a zlib stream.
func deflate(data []byte) []byte {
	var out bytes.Buffer
	deflater.Reset(&out)
	deflater.Write(data)
	deflater.Close()
	return out.Bytes()
}

// craftPack writes a pack, and gives the offsets of its objects.
func craftPack(objects []packed) (pack []byte, offsets []int64) {
	pack = binary.BigEndian.AppendUint32([]byte("PACK\x00\x00\x00\x02"), uint32(len(objects)))
	for _, o := range objects {
		offsets = append(offsets, int64(len(pack)))
		size := max(o.claim, int64(len(o.data)))
		first := byte(o.code)<<4 | byte(size&15)
		for size >>= 4; size > 0; size >>= 7 {
			pack = append(pack, first|0x80)
			first = byte(size & 0x7f)
		}
		pack = append(append(append(pack, first), o.base...), deflate(o.data)...)
	}
	sum := sha1.Sum(pack)
	return append(pack, sum[:]...), offsets
}

// craftIndex writes an index of version 2. Offsets from limit on are written with 8 bytes.
func craftIndex(objects []packed, offsets []int64, limit int64) []byte {
	order := make([]int, len(objects))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return bytes.Compare(objects[a].id[:], objects[b].id[:]) })
	ids := make([]ID, len(order))
	var short, long []byte
	for i, n := range order {
		ids[i] = objects[n].id
		if offsets[n] < limit {
			short = binary.BigEndian.AppendUint32(short, uint32(offsets[n]))
			continue
		}
		short = binary.BigEndian.AppendUint32(short, 1<<31|uint32(len(long)/8))
		long = binary.BigEndian.AppendUint64(long, uint64(offsets[n]))
	}
	index := append([]byte("\377tOc\x00\x00\x00\x02"), fanoutOf(ids)...)
	for _, id := range ids {
		index = append(index, id.raw()...)
	}
	index = append(index, make([]byte, 4*len(ids))...)
	return append(append(append(index, short...), long...), make([]byte, 40)...)
}

func fanoutOf(sorted []ID) (fanout []byte) {
	for b := range 256 {
		n := 0
		for _, id := range sorted {
			if int(id[0]) <= b {
				n++
			}
		}
		fanout = binary.BigEndian.AppendUint32(fanout, uint32(n))
	}
	return fanout
}

// craftRepo makes a repository with one crafted pack.
func craftRepo(t testing.TB, objects []packed, limit int64) *Repo {
	t.Helper()
	dir := t.TempDir()
	pack, offsets := craftPack(objects)
	put(t, dir, "HEAD", []byte("ref: refs/heads/main\n"))
	put(t, dir, "refs/heads/.keep", nil)
	put(t, dir, "objects/pack/pack-1.pack", pack)
	put(t, dir, "objects/pack/pack-1.idx", craftIndex(objects, offsets, limit))
	return mustOpen(t, dir)
}

func put(t testing.TB, dir, name string, content []byte) {
	t.Helper()
	name = filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, content, 0o644); err != nil {
		t.Fatal(err)
	}
}

func mustOpen(t testing.TB, dir string) *Repo {
	t.Helper()
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// whole makes an object that is not a delta.
func wholeObject(k objectType, content []byte) packed {
	id, _ := sha1Format.sum(k, content)
	return packed{id: id, code: int(k), data: content}
}

// distance encodes how far before a delta its base begins.
func distance(n int64) []byte {
	encoded := []byte{byte(n & 0x7f)}
	for n >>= 7; n > 0; n >>= 7 {
		n--
		encoded = append([]byte{byte(n&0x7f) | 0x80}, encoded...)
	}
	return encoded
}

// deltaOf makes a delta that copies the whole base and adds bytes.
func deltaOf(base, add []byte) []byte {
	delta := append(varint(len(base)), varint(len(base)+len(add))...)
	delta = append(delta, 0x80|0x01|0x02|0x04|0x08|0x10|0x20|0x40, 0, 0, 0, 0, byte(len(base)), byte(len(base)>>8), byte(len(base)>>16))
	return append(append(delta, byte(len(add))), add...)
}

func varint(n int) []byte { return binary.AppendUvarint(nil, uint64(n)) }

package git

import (
	"bytes"
	"encoding/binary"
	"strings"
)

// multiIndex is a multi-pack-index, version 1 (gitformat-pack, "multi-pack-index (MIDX) files"). It is used only for
// packs without an index of their own, because a pack's own index lists all its objects.
type multiIndex struct {
	table
	packs   []string // names without extension, in the order of their numbers
	offsets int64    // where the pairs of pack number and offset begin
}

// chunk is a section of a multi-pack-index.
type chunk struct {
	begin, size int64
}

func openMultiIndex(f *file, format *format) (*multiIndex, error) {
	x := &multiIndex{table: table{file: f, size: format.size, width: format.size}}
	header, err := f.view(0, 12)
	if err != nil || !bytes.Equal(header[:4], []byte("MIDX")) {
		return nil, x.damaged("it is not a multi-pack-index")
	}
	if header[4] != 1 || header[7] != 0 {
		return nil, &Unsupported{What: plainName(f.name) + " is a multi-pack-index of an unsupported version: let git write it again with git multi-pack-index write"}
	}
	if header[5] != format.midx {
		return nil, x.damaged("its hash function differs from the repository's")
	}
	chunks, err := x.chunks(int(header[6]))
	if err != nil {
		return nil, err
	}
	fanout, ids, offsets, large := chunks["OIDF"], chunks["OIDL"], chunks["OOFF"], chunks["LOFF"]
	if fanout.size != 1024 {
		return nil, x.damaged("its fanout table has the wrong size")
	}
	if err := x.readFanout(fanout.begin); err != nil {
		return nil, err
	}
	if ids.size != x.count()*int64(x.size) || offsets.size != x.count()*8 || large.size%8 != 0 {
		return nil, x.damaged("the size of a chunk does not match its number of objects")
	}
	x.begin, x.offsets, x.large, x.nLarge = ids.begin, offsets.begin, large.begin, large.size/8
	return x, x.names(chunks["PNAM"], int64(binary.BigEndian.Uint32(header[8:])))
}

// chunks reads the list of chunks. Each ends where the next begins.
func (x *multiIndex) chunks(count int) (map[string]chunk, error) {
	raw, err := x.file.view(12, 12*(count+1))
	if err != nil {
		return nil, x.damaged("its list of chunks is truncated")
	}
	chunks := map[string]chunk{}
	for i := range count {
		row := raw[12*i:]
		begin, end := int64(binary.BigEndian.Uint64(row[4:])), int64(binary.BigEndian.Uint64(row[16:]))
		if begin < 0 || end < begin || end > x.file.size-int64(x.size) {
			return nil, x.damaged("a chunk is outside the file")
		}
		if _, twice := chunks[string(row[:4])]; twice {
			return nil, x.damaged("a chunk is listed twice")
		}
		chunks[string(row[:4])] = chunk{begin, end - begin}
	}
	return chunks, nil
}

// names reads the names of the packs, each of which ends with NUL. Padding follows them.
func (x *multiIndex) names(c chunk, count int64) error {
	if c.size > smallFile*16 {
		return &TooLarge{What: "bytes of pack names in " + plainName(x.file.name), Limit: smallFile * 16}
	}
	raw, err := x.file.view(c.begin, int(c.size))
	if err != nil {
		return x.damaged(err.Error())
	}
	for range count {
		name, rest, ok := bytes.Cut(raw, []byte{0})
		if !ok {
			return x.damaged("a pack has no name")
		}
		x.packs, raw = append(x.packs, strings.TrimSuffix(string(name), ".idx")), rest
	}
	return nil
}

// locate finds an object: the name of its pack and the offset in it; ok is false when the index does not list it.
func (x *multiIndex) locate(id ID) (pack string, offset int64, ok bool, err error) {
	position, err := x.find(id)
	if position < 0 || err != nil {
		return "", 0, false, err
	}
	raw, err := x.file.view(x.offsets+8*position, 8)
	if err != nil {
		return "", 0, false, x.damaged(err.Error())
	}
	number, short := int64(binary.BigEndian.Uint32(raw)), binary.BigEndian.Uint32(raw[4:])
	if number >= int64(len(x.packs)) {
		return "", 0, false, x.damaged("an entry refers to a pack that is not listed")
	}
	offset = int64(short)
	if short >= 1<<31 && x.nLarge > 0 {
		offset, err = x.offset64(int64(short & (1<<31 - 1)))
	}
	return x.packs[number], offset, err == nil, err
}

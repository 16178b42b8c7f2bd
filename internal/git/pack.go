package git

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
)

// packFile is a pack (gitformat-pack). It is opened when the first object is read from it.
type packFile struct {
	name   string // without extension
	format *format
	index  *packIndex // nil when only a multi-pack-index lists its objects
	blocks *cache[blockKey, []byte]

	once sync.Once
	file *file
	err  error
}

// The codes of deltas, in place of a kind.
const (
	offsetDelta = 6
	idDelta     = 7
)

// header is what precedes the compressed data of an object in a pack.
type header struct {
	code  int   // a kind, offsetDelta or idDelta
	size  int64 // of the content, or of the delta, decompressed
	data  int64 // offset of the compressed data
	base  int64 // of an offsetDelta: offset of its base
	refer ID    // of an idDelta: its base
}

// open opens the file and checks its first bytes.
func (p *packFile) open() (*file, error) {
	p.once.Do(func() {
		p.file, p.err = openFile(p.name+".pack", p.blocks)
		if p.err == nil {
			p.err = p.checkFrame()
		}
	})
	return p.file, p.err
}

func (p *packFile) checkFrame() error {
	raw, err := p.file.view(0, 12)
	if err != nil || p.file.size < int64(12+p.format.size) {
		return p.damaged("it is truncated")
	}
	version := binary.BigEndian.Uint32(raw[4:])
	if string(raw[:4]) != "PACK" || (version != 2 && version != 3) {
		return p.damaged("it is not a pack of version 2 or 3")
	}
	if p.index != nil && int64(binary.BigEndian.Uint32(raw[8:])) != p.index.count() {
		return p.damaged("its index has a different number of objects")
	}
	return nil
}

func (p *packFile) close() error {
	var err error
	if p.index != nil {
		err = p.index.file.close()
	}
	if p.file != nil {
		err = errors.Join(err, p.file.close())
	}
	return err
}

func (p *packFile) damaged(why string) error { return &Corrupt{What: p.name + ".pack", Why: why} }

// end is where the objects end and the checksum begins.
func (p *packFile) end() int64 { return p.file.size - int64(p.format.size) }

// header reads the header of an object.
func (p *packFile) header(offset int64) (header, error) {
	file, err := p.open()
	if err != nil {
		return header{}, err
	}
	if offset < 12 || offset >= p.end() {
		return header{}, p.damaged(fmt.Sprintf("no object can begin at byte %d", offset))
	}
	raw, err := file.view(offset, int(min(64, p.end()-offset)))
	if err != nil {
		return header{}, p.damaged(err.Error())
	}
	h := header{code: int(raw[0] >> 4 & 7), size: int64(raw[0] & 15)}
	n, shift := 1, 4
	for ; raw[n-1] >= 0x80; n++ {
		if n == len(raw) || shift > 55 {
			return header{}, p.damagedAt(offset, "its size is malformed")
		}
		h.size |= int64(raw[n]&0x7f) << shift
		shift += 7
	}
	h.data = offset + int64(n)
	return h, p.baseOf(&h, offset, raw[n:])
}

// baseOf reads which object is the base of a delta.
func (p *packFile) baseOf(h *header, offset int64, raw []byte) error {
	switch h.code {
	case offsetDelta:
		distance, n := distanceOf(raw)
		if n == 0 || distance <= 0 || distance > offset-12 {
			return p.damagedAt(offset, "its delta base is outside the pack")
		}
		h.base = offset - distance
		h.data += int64(n)
	case idDelta:
		if len(raw) < p.format.size {
			return p.damagedAt(offset, "it is truncated")
		}
		h.refer = newID(raw[:p.format.size])
		h.data += int64(p.format.size)
	case int(anyType), 5:
		return p.damagedAt(offset, "it has an unknown type")
	}
	return nil
}

// distanceOf reads a number of seven bits a byte, the highest first, in which each further byte adds one; n is 0 when it
// is malformed.
func distanceOf[T string | []byte](raw T) (distance int64, n int) {
	for n < min(8, len(raw)) {
		b := raw[n]
		n++
		distance = distance<<7 | int64(b&0x7f)
		if b < 0x80 {
			return distance, n
		}
		distance++
	}
	return 0, 0
}

func (p *packFile) damagedAt(offset int64, why string) error {
	return p.damaged(fmt.Sprintf("the object at byte %d: %s", offset, why))
}

// inflate decompresses the object or delta of a header. A pack does not store the size of compressed data, so it is limited
// to more than any compressor writes.
func (p *packFile) inflate(h header) ([]byte, error) {
	content := make([]byte, h.size)
	most := 8*h.size + 1<<17
	if err := inflate(content, source{file: p.file, offset: h.data, end: min(h.data+most, p.end())}); err != nil {
		return nil, p.damagedAt(h.data, err.Error())
	}
	return content, nil
}

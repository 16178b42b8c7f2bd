package gitobj

import (
	"encoding/binary"
	"errors"
	"sync"
)

// What can be wrong with a zlib stream.
var (
	errStream = errors.New("its compressed data is damaged")
	errFull   = errors.New("it holds more than it says")
	errLess   = errors.New("it holds less than it says")
)

// inflater decompresses zlib streams (RFC 1950, RFC 1951) from memory to memory. Objects are many, small, and of a size
// that is known, and decompressing them is most of the work of a comparison: that is why this is not the standard
// library's, which copies everything through a window. The checksum at the end of a stream is not looked at, because the
// hash of every object is.
type inflater struct {
	src  []byte
	pos  int
	bits uint64 // bits that were taken from src, the next one lowest
	n    uint   // how many
	over int    // bytes of zeros that were taken behind the end of src

	dst []byte
	out int // bytes written to dst

	lengths  [maxLiterals + maxDistances]uint8
	literal  huffman
	distance huffman
}

var inflaters = sync.Pool{New: func() any { return new(inflater) }}

// inflate decompresses a stream that holds exactly len(content) bytes. errTruncated when it goes on beyond what was
// given.
func inflate(content, compressed []byte) error {
	n, err := inflateSome(content, compressed)
	if err == nil && n < len(content) {
		return errLess
	}
	return err
}

// inflateSome decompresses up to len(content) bytes, and says how many; errFull when there are more.
func inflateSome(content, compressed []byte) (int, error) {
	if len(compressed) < 2 {
		return 0, errTruncated
	}
	method, flags := compressed[0], compressed[1]
	if method&0x0f != 8 || (uint(method)<<8|uint(flags))%31 != 0 || flags&0x20 != 0 {
		return 0, errStream
	}
	z := inflaters.Get().(*inflater)
	defer inflaters.Put(z)
	z.src, z.pos, z.bits, z.n, z.over = compressed[2:], 0, 0, 0, 0
	z.dst, z.out = content, 0
	err := z.blocks()
	if 8*z.over > int(z.n) {
		err = errTruncated // whatever was found, it was found behind the end
	}
	z.src, z.dst = nil, nil
	return z.out, err
}

// refill makes sure that there are at least 56 bits, zeros behind the end.
func (z *inflater) refill() {
	if z.pos+8 <= len(z.src) {
		z.bits |= binary.LittleEndian.Uint64(z.src[z.pos:]) << z.n
		taken := (63 - z.n) >> 3
		z.pos += int(taken)
		z.n += taken << 3
		return
	}
	for ; z.n <= 56; z.n += 8 {
		if z.pos < len(z.src) {
			z.bits |= uint64(z.src[z.pos]) << z.n
			z.pos++
		} else {
			z.over++
		}
	}
}

// take gives the next bits, at most 16. They must have been refilled.
func (z *inflater) take(count uint) int {
	value := z.bits & (1<<count - 1)
	z.bits >>= count
	z.n -= count
	return int(value)
}

func (z *inflater) blocks() error {
	for {
		z.refill()
		if z.over > 8 {
			return errTruncated
		}
		last, err := z.take(1) == 1, error(nil)
		switch z.take(2) {
		case 0:
			err = z.stored()
		case 1:
			z.literal, z.distance = fixedLiteral, fixedDistance
			err = z.coded()
		case 2:
			if err = z.tables(); err == nil {
				err = z.coded()
			}
		default:
			err = errStream
		}
		if err != nil || last {
			return err
		}
	}
}

// stored copies a block that is not compressed.
func (z *inflater) stored() error {
	z.take(z.n % 8)
	z.refill()
	size := z.take(16)
	if z.take(16) != size^0xffff {
		return errStream
	}
	z.pos -= int(z.n/8) - z.over // back to what was only looked at
	z.bits, z.n, z.over = 0, 0, 0
	if z.pos > len(z.src) || size > len(z.src)-z.pos {
		return errTruncated
	}
	n := copy(z.dst[z.out:], z.src[z.pos:z.pos+size])
	z.out, z.pos = z.out+n, z.pos+size
	if n < size {
		return errFull
	}
	return nil
}

// coded decompresses a block with the codes that were set. Most of it is literals.
func (z *inflater) coded() error {
	for {
		z.refill()
		if z.over > 8 {
			return errTruncated
		}
		symbol := z.literals()
		switch {
		case symbol < 0:
			return errStream
		case symbol < 256:
			if z.out == len(z.dst) {
				return errFull
			}
			z.dst[z.out] = byte(symbol)
			z.out++
		case symbol == endOfBlock:
			return nil
		default:
			if err := z.match(symbol); err != nil {
				return err
			}
		}
	}
}

// literals writes the literals with short codes that come next while bits last, and gives the first symbol behind them.
func (z *inflater) literals() int {
	bits, n, out := z.bits, z.n, z.out
	for n >= 48 && out < len(z.dst) {
		entry := z.literal.fast[bits&(1<<literalBits-1)]
		if entry == 0 || entry>>4 > 255 {
			break
		}
		length := uint(entry & 15)
		bits >>= length
		n -= length
		z.dst[out] = byte(entry >> 4)
		out++
	}
	z.bits, z.n, z.out = bits, n, out
	return z.symbol(&z.literal)
}

// match copies what was written before. At most 48 bits are needed for it, and literals leaves as many.
func (z *inflater) match(symbol int) error {
	z.refill()
	length, ok := z.extra(symbol-endOfBlock-1, lengthBase[:], lengthBits[:])
	if !ok {
		return errStream
	}
	distance, ok := z.extra(z.symbol(&z.distance), distanceBase[:], distanceBits[:])
	if !ok || distance > z.out {
		return errStream
	}
	if length > len(z.dst)-z.out {
		return errFull
	}
	from, to := z.dst[z.out-distance:], z.dst[z.out:z.out+length]
	for n := copy(to, from[:distance]); n < length; n += copy(to[n:], to[:n]) {
	}
	z.out += length
	return nil
}

// extra reads the bits that follow a symbol for a length or a distance.
func (z *inflater) extra(symbol int, base []uint16, bits []uint8) (value int, ok bool) {
	if symbol < 0 || symbol >= len(base) {
		return 0, false
	}
	return int(base[symbol]) + z.take(uint(bits[symbol])), true
}

package gitobj

import "math/bits"

// The codes of RFC 1951.
const (
	maxLiterals  = 288
	maxDistances = 32
	maxLength    = 15 // of a code, in bits
	endOfBlock   = 256
)

// How many bits of a code the tables look up at once. Larger tables take longer to fill than they save.
const (
	literalBits  = 9
	shorterBits  = 7
	mostFastBits = literalBits
)

// huffman is a code: a table for short codes, and lists for long ones, which are rare.
type huffman struct {
	width   int                       // of the table, in bits
	fast    [1 << mostFastBits]uint16 // by the next bits: symbol<<4 | length, 0 when the code is longer or there is none
	count   [maxLength + 1]uint16     // of codes, by length
	symbols [maxLiterals]uint16       // in the order of their codes
}

// build makes a code of the lengths of its symbols' codes. Lengths that fit no code are an error; codes that leave
// something out are allowed when there is but one.
func (h *huffman) build(lengths []uint8, width int) bool {
	h.width, h.count = width, [maxLength + 1]uint16{}
	for _, length := range lengths {
		h.count[length]++
	}
	used := len(lengths) - int(h.count[0])
	h.count[0] = 0
	free := 1
	var next [maxLength + 2]uint16
	for length := 1; length <= maxLength; length++ {
		free = free<<1 - int(h.count[length])
		next[length+1] = next[length] + h.count[length]
		if free < 0 {
			return false
		}
	}
	if free > 0 && used > 1 {
		return false
	}
	for symbol, length := range lengths {
		if length > 0 {
			h.symbols[next[length]] = uint16(symbol)
			next[length]++
		}
	}
	h.fill()
	return true
}

// fill makes the table of short codes. Codes are written with their highest bit first, and bits are read lowest first.
func (h *huffman) fill() {
	fast := h.fast[:1<<h.width]
	clear(fast)
	code, index := 0, 0
	for length := 1; length <= h.width; length++ {
		for range h.count[length] {
			entry := h.symbols[index]<<4 | uint16(length)
			for at := int(bits.Reverse16(uint16(code)) >> (16 - length)); at < len(fast); at += 1 << length {
				fast[at] = entry
			}
			code, index = code+1, index+1
		}
		code <<= 1
	}
}

// symbol reads a symbol, -1 when no code fits. There must be 15 bits.
func (z *inflater) symbol(h *huffman) int {
	if entry := h.fast[z.bits&(1<<h.width-1)&(1<<mostFastBits-1)]; entry != 0 {
		z.take(uint(entry & 15))
		return int(entry >> 4)
	}
	code, first, index := 0, 0, 0
	for length := 1; length <= maxLength; length++ {
		code |= z.take(1)
		count := int(h.count[length])
		if code-first < count {
			return int(h.symbols[index+code-first])
		}
		index += count
		first = (first + count) << 1
		code <<= 1
	}
	return -1
}

// lengthOrder is the order in which the lengths of the codes for lengths are written.
var lengthOrder = [19]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// tables reads the codes that stand before a block.
func (z *inflater) tables() error {
	literals, distances, count := z.take(5)+257, z.take(5)+1, z.take(4)+4
	if literals > 286 || distances > 30 {
		return errStream
	}
	var lengths [19]uint8
	for _, at := range lengthOrder[:count] {
		z.refill()
		lengths[at] = uint8(z.take(3))
	}
	// The code for lengths borrows the place of the one for distances.
	if !z.distance.build(lengths[:], shorterBits) {
		return errStream
	}
	all := z.lengths[:literals+distances]
	for at := 0; at < len(all); {
		z.refill()
		value, times, ok := z.run(all[:at])
		if !ok || z.over > 8 || times > len(all)-at {
			return errStream
		}
		for range times {
			all[at] = value
			at++
		}
	}
	if all[endOfBlock] == 0 || !z.literal.build(all[:literals], literalBits) || !z.distance.build(all[literals:], shorterBits) {
		return errStream
	}
	return nil
}

// run reads how often a length comes; before are those that came.
func (z *inflater) run(before []uint8) (value uint8, times int, ok bool) {
	switch symbol := z.symbol(&z.distance); {
	case symbol < 0:
		return 0, 0, false
	case symbol < 16:
		return uint8(symbol), 1, true
	case symbol == 16:
		if len(before) == 0 {
			return 0, 0, false
		}
		return before[len(before)-1], 3 + z.take(2), true
	case symbol == 17:
		return 0, 3 + z.take(3), true
	}
	return 0, 11 + z.take(7), true
}

// Lengths and distances: the smallest that a symbol stands for, and how many bits are added to it.
var (
	lengthBase   = [29]uint16{3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258}
	lengthBits   = [29]uint8{8: 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0}
	distanceBase = [30]uint16{1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577}
	distanceBits = [30]uint8{4: 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13}
)

// The codes of blocks that bring none.
var fixedLiteral, fixedDistance = fixedCodes()

func fixedCodes() (literal, distance huffman) {
	var lengths [maxLiterals]uint8
	for symbol := range lengths {
		switch {
		case symbol < 144:
			lengths[symbol] = 8
		case symbol < 256:
			lengths[symbol] = 9
		case symbol < 280:
			lengths[symbol] = 7
		default:
			lengths[symbol] = 8
		}
	}
	literal.build(lengths[:], literalBits)
	for symbol := range maxDistances {
		lengths[symbol] = 5
	}
	distance.build(lengths[:maxDistances], shorterBits)
	return literal, distance
}

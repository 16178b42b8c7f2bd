package git

import (
	"encoding/binary"
	"errors"
)

// applyDelta makes an object from its base and a delta (gitformat-pack, "Deltified representation"): two sizes, then
// instructions that copy from the base or add bytes.
func applyDelta(base, delta []byte, limit int64) ([]byte, error) {
	baseSize, resultSize, rest, err := deltaSizes(delta)
	switch {
	case err != nil:
		return nil, err
	case baseSize != uint64(len(base)):
		return nil, errors.New("its delta requires a base of another size")
	case resultSize > uint64(limit):
		return nil, errDeltaLarge
	}
	result := make([]byte, 0, resultSize)
	for len(rest) > 0 {
		result, rest, err = instruct(result, rest, base)
		if err != nil {
			return nil, err
		}
	}
	if uint64(len(result)) != resultSize {
		return nil, errors.New("the result of its delta is shorter than the delta's header says")
	}
	return result, nil
}

var (
	errDelta      = errors.New("its delta is malformed")
	errDeltaLarge = errors.New("the result of its delta is larger than the limit")
)

// deltaSizes reads the sizes of base and result.
func deltaSizes(delta []byte) (base, result uint64, rest []byte, err error) {
	const most = 9 // bytes of a size
	base, n := binary.Uvarint(delta)
	if n <= 0 || n > most {
		return 0, 0, nil, errDelta
	}
	result, m := binary.Uvarint(delta[n:])
	if m <= 0 || m > most {
		return 0, 0, nil, errDelta
	}
	return base, result, delta[n+m:], nil
}

// instruct carries out the first instruction. The capacity of result is the size that the delta announces.
func instruct(result, delta, base []byte) (longer, rest []byte, err error) {
	op, room := delta[0], cap(result)-len(result)
	if op == 0 {
		return nil, nil, errDelta
	}
	if op < 0x80 {
		n := int(op)
		if len(delta) <= n || n > room {
			return nil, nil, errDelta
		}
		return append(result, delta[1:1+n]...), delta[1+n:], nil
	}
	// The bits of a copy instruction say which bytes of offset and size follow.
	var operands [7]byte
	rest = delta[1:]
	for i := range operands {
		if op&(1<<i) == 0 {
			continue
		}
		if len(rest) == 0 {
			return nil, nil, errDelta
		}
		operands[i], rest = rest[0], rest[1:]
	}
	offset := int64(binary.LittleEndian.Uint32(operands[:4]))
	size := int64(operands[4]) | int64(operands[5])<<8 | int64(operands[6])<<16
	if size == 0 {
		size = 0x10000
	}
	if offset+size > int64(len(base)) || size > int64(room) {
		return nil, nil, errDelta
	}
	return append(result, base[offset:offset+size]...), rest, nil
}

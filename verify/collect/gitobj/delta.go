package gitobj

import "errors"

// applyDelta makes an object from another one and a delta (gitformat-pack, "Deltified representation"): two sizes,
// then instructions that copy from the base or add bytes.
func applyDelta(base, delta []byte, limit int64) ([]byte, error) {
	baseSize, resultSize, rest, err := deltaSizes(delta)
	switch {
	case err != nil:
		return nil, err
	case baseSize != uint64(len(base)):
		return nil, errors.New("a delta is meant for a base of another size")
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
		return nil, errors.New("a delta gives less than it says")
	}
	return result, nil
}

var (
	errDelta      = errors.New("a delta is malformed")
	errDeltaLarge = errors.New("a delta gives more than the limit")
)

// deltaSizes reads the sizes of base and result.
func deltaSizes(delta []byte) (base, result uint64, rest []byte, err error) {
	base, delta, ok := deltaSize(delta)
	if !ok {
		return 0, 0, nil, errDelta
	}
	result, delta, ok = deltaSize(delta)
	if !ok {
		return 0, 0, nil, errDelta
	}
	return base, result, delta, nil
}

// deltaSize reads a number of seven bits a byte, the lowest first.
func deltaSize(delta []byte) (size uint64, rest []byte, ok bool) {
	for i, b := range delta {
		if i > 8 {
			break
		}
		size |= uint64(b&0x7f) << (7 * i)
		if b < 0x80 {
			return size, delta[i+1:], true
		}
	}
	return 0, nil, false
}

// instruct carries out the first instruction. result has room for all that may come.
func instruct(result, delta, base []byte) (longer, rest []byte, err error) {
	op := delta[0]
	if op == 0 {
		return nil, nil, errDelta
	}
	if op < 0x80 {
		n := int(op)
		if len(delta) <= n || n > cap(result)-len(result) {
			return nil, nil, errDelta
		}
		return append(result, delta[1:1+n]...), delta[1+n:], nil
	}
	offset, size, rest, err := copyRange(delta)
	if err != nil || offset+size > len(base) || size > cap(result)-len(result) {
		return nil, nil, errDelta
	}
	return append(result, base[offset:offset+size]...), rest, nil
}

// copyRange reads a copy instruction: the bits of its first byte say which bytes of offset and size follow.
func copyRange(delta []byte) (offset, size int, rest []byte, err error) {
	op, rest := delta[0], delta[1:]
	for i := range 7 {
		if op&(1<<i) == 0 {
			continue
		}
		if len(rest) == 0 {
			return 0, 0, nil, errDelta
		}
		if i < 4 {
			offset |= int(rest[0]) << (8 * i)
		} else {
			size |= int(rest[0]) << (8 * (i - 4))
		}
		rest = rest[1:]
	}
	if size == 0 {
		size = 0x10000
	}
	return offset, size, rest, nil
}

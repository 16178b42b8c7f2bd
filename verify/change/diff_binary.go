package change

import (
	"bytes"
)

const binaryPatch = "GIT binary patch"

// base85 is the alphabet of binary patches (base85.c).
const base85 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"

var inBase85 = func() (set [256]bool) {
	for i := range len(base85) {
		set[base85[i]] = true
	}
	return set
}()

// binaryPatch reads what --binary prints: the way forth and the way back. The data are not unpacked.
func (d *diffReader) binaryPatch() bool {
	if _, ok := d.take(binaryPatch); !ok {
		return d.failLine("a binary patch must begin here", binaryPatch)
	}
	if !d.binaryBlock() {
		return false
	}
	return d.binaryBlock()
}

// binaryBlock reads `literal SIZE` or `delta SIZE`, lines of data and an empty line.
func (d *diffReader) binaryBlock() bool {
	prefix := "literal "
	value, ok := d.take(prefix)
	if !ok {
		prefix = "delta "
		value, ok = d.take(prefix)
	}
	if !ok {
		return d.failLine("a part of a binary patch must begin here", "literal SIZE or delta SIZE")
	}
	if _, ok := number(value); !ok {
		return d.failValue(prefix, value, 0, "this is no size", "a number of bytes")
	}
	for last, lines := false, 0; ; lines++ {
		line, ok := d.take("")
		if ok && len(line) == 0 && lines > 0 {
			return true
		}
		if !ok {
			return d.failLine("the binary patch ends too early", "a line of data or an empty line")
		}
		if last || !dataLine(line) {
			return d.failValue("", line, 0, "this is no line of a binary patch",
				"a letter for the length and as many characters of base 85; only the last line is shorter than 52 bytes")
		}
		last = line[0] != 'z'
	}
}

// dataLine reports whether line contains 1 to 52 bytes: their number as A to Z and a to z, and five characters for every
// four of them.
func dataLine(line []byte) bool {
	if len(line) == 0 {
		return false
	}
	size := 0
	switch c := line[0]; {
	case 'A' <= c && c <= 'Z':
		size = int(c-'A') + 1
	case 'a' <= c && c <= 'z':
		size = int(c-'a') + 27
	default:
		return false
	}
	return len(line) == 1+(size+3)/4*5 && bytes.IndexFunc(line, func(c rune) bool { return c >= 0x80 || !inBase85[c] }) < 0
}

package feedback

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// This file finds the ends of JSON strings, numbers and literals in a line of a feedback log. Nearly all of a log is output
// that the gate does not read, so texts are validated and skipped, never copied. The scanner accepts exactly what jsontext
// accepts; FuzzReadLog compares the two.

// Each constant repeats one byte eight times, so that eight bytes of a text are compared at once.
const (
	eachByte  = 0x0101010101010101
	eachHigh  = eachByte * 0x80
	eachSlash = eachByte * '\\'
)

// special sets the high bit of the first byte of w that is a quote, a backslash or a control character. Higher bits are
// undefined: a borrow may set them.
//
// A subtraction sets the high bit of a byte that is less than the subtrahend. Flipping the bit 0x02 turns a quote (0x22)
// into 0x20, keeps control characters below that, and turns no other byte into one below 0x21.
func special(w uint64) uint64 {
	quoteOrControl := (w ^ eachByte*0x02) - eachByte*0x21
	slash := (w ^ eachSlash) - eachByte
	return (quoteOrControl | slash) &^ w & eachHigh
}

// plainEnd returns the index of the next quote, backslash or control character from i on, or len(b). It skips short escape
// sequences, which occur every few bytes in the output of programs: leaving the loop for each would cost more than the rest.
// It adds the bytes that it passes to high, whose high bits then show whether one of them is not ASCII. (It may add a few
// bytes too many, which costs a needless check but never misses one.)
func plainEnd(b []byte, i int, high uint64) (int, uint64) {
	for i+8 < len(b) {
		w := binary.LittleEndian.Uint64(b[i:])
		high |= w
		found := special(w)
		if found == 0 {
			i += 8
			continue
		}
		i += bits.TrailingZeros64(found) / 8
		if b[i] != '\\' || !shortEscapes[b[i+1]] {
			return i, high
		}
		i += 2
	}
	for ; i < len(b); i++ {
		c := b[i]
		high |= uint64(c)
		if c == '"' || c == '\\' || c < ' ' {
			break
		}
	}
	return i, high
}

// stringEnd returns the index after the string that starts at the quote b[start]; -1 when it is not a valid JSON string.
func stringEnd(b []byte, start int) int {
	i, high := plainEnd(b, start+1, 0)
	for i < len(b) && b[i] == '\\' {
		if i = escapeEnd(b, i); i < 0 {
			return -1
		}
		i, high = plainEnd(b, i, high)
	}
	if i == len(b) || b[i] != '"' {
		return -1
	}
	if high&eachHigh != 0 && !utf8.Valid(b[start:i]) {
		return -1
	}
	return i + 1
}

// shortEscapes are the characters that may follow a backslash, except the u of \uXXXX.
var shortEscapes = [256]bool{'"': true, '\\': true, '/': true, 'b': true, 'f': true, 'n': true, 'r': true, 't': true}

// escapeEnd returns the index after the escape sequence at the backslash b[i]; -1 when it is invalid.
func escapeEnd(b []byte, i int) int {
	if i+1 == len(b) {
		return -1
	}
	if shortEscapes[b[i+1]] {
		return i + 2
	}
	first := escapedUnit(b, i)
	switch {
	case first < 0:
		return -1
	case !utf16.IsSurrogate(first):
		return i + 6
	case utf16.DecodeRune(first, escapedUnit(b, i+6)) == utf8.RuneError:
		return -1 // half a surrogate pair
	}
	return i + 12
}

// escapedUnit returns the UTF-16 code unit of \uXXXX at b[i]; a negative number for anything else.
func escapedUnit(b []byte, i int) rune {
	if i+6 > len(b) || b[i] != '\\' || b[i+1] != 'u' {
		return -1
	}
	unit := rune(0)
	for _, c := range b[i+2 : i+6] {
		unit = unit<<4 | hexDigit(c) // -1 makes it negative permanently
	}
	return unit
}

// numberEnd returns the index after the number that starts at b[i]; -1 when it is not a valid JSON number.
func numberEnd(b []byte, i int) int {
	if i < len(b) && b[i] == '-' {
		i++
	}
	if i < len(b) && b[i] == '0' {
		i++
	} else if i = digitsEnd(b, i); i < 0 {
		return -1
	}
	if i < len(b) && b[i] == '.' {
		if i = digitsEnd(b, i+1); i < 0 {
			return -1
		}
	}
	if i == len(b) || b[i]|0x20 != 'e' {
		return i
	}
	if i++; i < len(b) && (b[i] == '+' || b[i] == '-') {
		i++
	}
	return digitsEnd(b, i)
}

// digitsEnd returns the index after the digits at b[i]; -1 when there are none.
func digitsEnd(b []byte, i int) int {
	start := i
	for i < len(b) && '0' <= b[i] && b[i] <= '9' {
		i++
	}
	if i == start {
		return -1
	}
	return i
}

// spaceEnd returns the index of the first byte from i on that is not JSON white space.
func spaceEnd(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\r' || b[i] == '\n') {
		i++
	}
	return i
}

// hexDigit returns the value of a hexadecimal digit; -1 when it is none.
func hexDigit(c byte) rune {
	switch {
	case '0' <= c && c <= '9':
		return rune(c - '0')
	case 'a' <= c && c <= 'f':
		return rune(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return rune(c-'A') + 10
	}
	return -1
}

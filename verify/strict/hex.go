package strict

import (
	"slices"
)

// IsLowerHex reports whether s is lower-case hexadecimal of one of the lengths.
func IsLowerHex[T string | []byte](s T, lengths ...int) bool {
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return slices.Contains(lengths, len(s))
}

// HexDigit returns the value of a hexadecimal digit; -1 when it is none.
func HexDigit(c byte) rune {
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

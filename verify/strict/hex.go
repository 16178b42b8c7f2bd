package strict

import (
	"strings"
)

// IsLowerHex reports whether s is lower-case hexadecimal of one of the lengths.
func IsLowerHex(s string, lengths ...int) bool {
	for _, length := range lengths {
		if len(s) == length {
			return strings.Trim(s, "0123456789abcdef") == ""
		}
	}
	return false
}

func LowerHex(text []byte, length int) bool {
	for _, c := range text {
		if HexDigit(c) < 0 || 'A' <= c && c <= 'F' {
			return false
		}
	}
	return len(text) == length
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

package input

import (
	"crypto/sha256"
	"encoding/hex"
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

// Digest is the sha256 of a text, in hexadecimal.
func Digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

package input

import "slices"

// IsLowerHex reports whether s is lower-case hexadecimal of one of the lengths.
func IsLowerHex[T string | []byte](s T, lengths ...int) bool {
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return slices.Contains(lengths, len(s))
}

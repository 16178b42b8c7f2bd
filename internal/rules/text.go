package rules

import (
	"bytes"
	"slices"
	"strings"
)

// has reports whether a text contains one of some words.
func has[T string | []byte](text T, words ...string) bool {
	for _, word := range words {
		switch text := any(text).(type) {
		case string:
			if strings.Contains(text, word) {
				return true
			}
		case []byte:
			if bytes.Contains(text, []byte(word)) {
				return true
			}
		}
	}
	return false
}

// begins reports whether a text begins with one of some others.
func begins[T string | []byte](text T, starts ...string) bool {
	for _, start := range starts {
		if len(text) >= len(start) && string(text[:len(start)]) == start {
			return true
		}
	}
	return false
}

// ends reports whether a text ends with one of some others.
func ends[T string | []byte](text T, others ...string) bool {
	for _, end := range others {
		if len(text) >= len(end) && string(text[len(text)-len(end):]) == end {
			return true
		}
	}
	return false
}

// isIn reports whether a word is in a list with a blank around each.
func isIn(word, list string) bool { return has(list, " "+word+" ") }

func oneOf(word string, words ...string) bool { return slices.Contains(words, word) }

func isLower(c byte) bool { return c >= 'a' && c <= 'z' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// at is a byte, or 0 where there is none.
func at[T string | []byte](s T, i int) byte {
	if i < 0 || i >= len(s) {
		return 0
	}
	return s[i]
}

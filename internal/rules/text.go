package rules

import (
	"bytes"
	"iter"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/internal/source"
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

// wordEnd is where the word ends that a text begins with, of which more bytes may be a part.
func wordEnd[T string | []byte](text T, more ...byte) (end int) {
	for end < len(text) && (source.IsWord(text[end]) || slices.Contains(more, text[end])) {
		end++
	}
	return end
}

// at is a byte, or 0 where there is none.
func at[T string | []byte](s T, i int) byte {
	if i < 0 || i >= len(s) {
		return 0
	}
	return s[i]
}

// codeOn is the code of a line without the blanks around it.
func codeOn(v *source.File, n int) []byte { return bytes.TrimSpace(v.CodeLine(n)) }

func isBlank(line []byte) bool { return len(bytes.TrimSpace(line)) == 0 }

// maxKey is how many bytes of a line tell it from others.
const maxKey = 200

// lineKey is a line without blanks.
func lineKey(line []byte) string {
	key := make([]byte, 0, min(len(line), maxKey))
	for _, c := range line {
		if c != ' ' && c != '\t' && c != '\r' {
			if key = append(key, c); len(key) == maxKey {
				break
			}
		}
	}
	return string(key)
}

// maxPlaces is how many places of a word in a file the rules look at that do not block: more are no work of a person,
// and the first ones are reported.
const maxPlaces = 5000

// placesOf gives the offsets of a word in a text.
func placesOf(text []byte, word string) iter.Seq[int] {
	return func(yield func(int) bool) {
		for from := 0; word != ""; {
			i := bytes.Index(text[from:], []byte(word))
			if i < 0 || !yield(from+i) {
				return
			}
			from += i + len(word)
		}
	}
}

// somePlaces gives the first offsets of a word in a text.
func somePlaces(text []byte, word string) iter.Seq[int] {
	return func(yield func(int) bool) {
		n := 0
		for at := range placesOf(text, word) {
			if n++; n > maxPlaces || !yield(at) {
				return
			}
		}
	}
}

// wordAt is the first offset of a text where a word stands by itself; -1 for none.
func wordAt(text []byte, word string) int {
	for at := range placesOf(text, word) {
		if wholeWord(text, at, len(word)) {
			return at
		}
	}
	return -1
}

// hasWord reports whether a word stands in a text by itself.
func hasWord(text []byte, word string) bool { return wordAt(text, word) >= 0 }

// wholeWord reports whether the word at an offset is no part of a longer one.
func wholeWord(text []byte, offset, size int) bool {
	return !source.IsWord(at(text, offset-1)) && !source.IsWord(at(text, offset+size))
}

// linesWith are the numbers of the lines of a version that have one of the words in its text, or in its code.
func linesWith(v *source.File, text []byte, words ...string) (lines []int) {
	for _, word := range words {
		for pos := range placesOf(text, word) {
			if n := v.LineAt(pos); len(lines) == 0 || lines[len(lines)-1] != n {
				lines = append(lines, n)
			}
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

// maxNear is how far from a place it matters what is on its line.
const maxNear = 400

// lineOf is the line around an offset, as far as it is near.
func lineOf(text []byte, pos int) []byte {
	from := max(0, pos-maxNear)
	start := from + bytes.LastIndexByte(text[from:pos], '\n') + 1
	return text[start : pos+len(restOf(text, pos))]
}

// restOf is what follows an offset on its line, as far as it is near.
func restOf(text []byte, pos int) []byte {
	near := text[pos:min(len(text), pos+maxNear)]
	if end := bytes.IndexByte(near, '\n'); end >= 0 {
		return near[:end]
	}
	return near
}

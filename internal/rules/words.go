package rules

import (
	"bytes"
	"iter"
	"strings"
	"unicode"

	"github.com/closeout-gate/closeout/internal/source"
)

// wordsIn gives the words of a text.
func wordsIn(text []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for len(text) > 0 {
			end := source.WordEnd(text)
			if end > 0 && !yield(text[:end]) {
				return
			}
			text = text[max(end, 1):]
		}
	}
}

// eachWord gives the words and numbers of a text that say something.
func eachWord(text []byte, give func(string)) {
	for word := range wordsIn(text) {
		if w := string(word[:min(len(word), 100)]); (len(w) > 1 && !commonWords[w]) || isDigit(w[0]) {
			give(w)
		}
	}
}

var commonWords = func() map[string]bool {
	words := map[string]bool{}
	for _, w := range strings.Fields(`if else for while return func fn def class let const var new await async function end do in not and or is True False None true false nil null
		self this it describe test expect assert Assert require Equal NoError equal toBe toEqual assertEqual assert_eq assertThat isEqualTo err range with as from import public void
		private static final throws string int bool String println unwrap mut pub use Some Ok Err should eq to be`) {
		words[w] = true
	}
	return words
}()

// eachCodeWord gives the words of a file's code and their lines.
func eachCodeWord(v *source.File, give func(word []byte, line int)) {
	for n := 1; n <= v.Lines(); n++ {
		for word := range wordsIn(v.CodeLine(n)) {
			give(word, n)
		}
	}
}

// fold is a name without what sets its words apart.
func fold(s string) string {
	return strings.Map(func(c rune) rune {
		if c == '_' || c == ' ' || c == '-' {
			return -1
		}
		return unicode.ToLower(c)
	}, s)
}

func firstWord(line []byte) string {
	line = bytes.TrimLeft(line, " \t")
	return string(line[:min(source.WordEnd(line), 100)])
}

// callsOf are the names before the brackets of calls.
func callsOf(line []byte) []string {
	var names []string
	for i, c := range line {
		if (c != '(' && c != '!' && c != '{') || i == 0 || !source.IsWord(line[i-1]) {
			continue
		}
		start := i
		for start > 0 && source.IsWord(line[start-1]) && i-start < 100 {
			start--
		}
		names = append(names, string(line[start:i]))
	}
	return names
}

// beginsWithWord reports whether a name begins with one of some words, written as in the languages: word, Word,
// word_more, wordMore.
func beginsWithWord(name string, words ...string) bool {
	for _, word := range words {
		if len(name) >= len(word) && name[0]|0x20 == word[0] && name[1:len(word)] == word[1:] && !isLower(at(name, len(word))) {
			return true
		}
	}
	return false
}

// hasWordInside reports whether a name contains a word after its start.
func hasWordInside(name, word string) bool {
	for i := 1; i+len(word) <= len(name); i++ {
		if ((name[i] == word[0] && name[i-1] == '_') || (name[i] == word[0]-0x20 && name[i-1] != '_')) &&
			beginsWithWord(name[i:], word) {
			return true
		}
	}
	return false
}

// wordBefore is the word before the point before an offset: t of t.Error; "" without a point, "T" of s.T().Error.
func wordBefore(line []byte, offset int) string {
	i := offset
	for i > 0 && (line[i-1] == '.' || line[i-1] == '?' || line[i-1] == '!') {
		i--
	}
	if i == offset {
		return ""
	}
	if ends(line[:i], "()") {
		i -= 2
	}
	start := i
	for start > 0 && offset-start < 80 && source.IsWord(line[start-1]) {
		start--
	}
	if start == i {
		return "." // the result of something longer
	}
	return string(line[start:i])
}

// nextByte is the first byte that is no blank, or 0.
func nextByte(s []byte) byte {
	for _, c := range s {
		if c != ' ' && c != '\t' {
			return c
		}
	}
	return 0
}

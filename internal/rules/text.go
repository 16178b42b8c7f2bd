package rules

import (
	"bytes"
	"cmp"
	"iter"
	"path"
	"slices"
	"strings"
	"sync"
	"unicode"

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
	return slices.ContainsFunc(starts, func(s string) bool { return len(text) >= len(s) && string(text[:len(s)]) == s })
}

// ends reports whether a text ends with one of some others.
func ends[T string | []byte](text T, others ...string) bool {
	return slices.ContainsFunc(others, func(s string) bool { return len(text) >= len(s) && string(text[len(text)-len(s):]) == s })
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
	key := squeeze(nil, line[:min(len(line), 8*maxKey)])
	return string(key[:min(len(key), maxKey)])
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
		if (len(word) > 1 && !commonWords()[string(word)]) || isDigit(word[0]) {
			give(string(word[:min(len(word), 100)]))
		}
	}
}

// wordSet looks up the words of a list.
func wordSet(list string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		words := map[string]bool{}
		for word := range strings.FieldsSeq(list) {
			words[word] = true
		}
		return words
	})
}

var commonWords = wordSet(" if else for while return func fn def class let const var new await async function end do in not and or is True " +
	"False None true false nil null self this it describe test expect assert Assert require Equal NoError equal " +
	"toBe toEqual assertEqual assert_eq assertThat isEqualTo err range with as from import public void private " +
	"static final throws pytest mark parametrize string int bool String println unwrap mut pub use Some Ok Err should eq to be ")

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
		names = append(names, lastWord(line[:i]))
	}
	return names
}

// lastWord is the word that a text ends with.
func lastWord(text []byte) string {
	start := len(text)
	for start > 0 && source.IsWord(text[start-1]) && len(text)-start < 100 {
		start--
	}
	return string(text[start:])
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
	before := bytes.TrimRight(line[:offset], ".?!")
	if len(before) == offset {
		return ""
	}
	return cmp.Or(lastWord(bytes.TrimSuffix(before, []byte("()"))), ".") // the result of something longer
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

// examplePackage leaves out what is no example, but the package of a program of Java.
var examplePackage = strings.NewReplacer("com/example/", "", "org/example/", "")

// inDir reports whether a path lies in a directory with one of some names, which are in lower case.
func inDir(name, dirs string) bool {
	name = examplePackage.Replace(strings.ToLower(name))
	return slices.ContainsFunc(strings.Split(path.Dir(name), "/"), func(dir string) bool { return isIn(dir, dirs) })
}

const (
	fromElsewhere = " vendor node_modules third_party "
	testInput     = " testdata fixtures __fixtures__ "
)

// isForeign reports whether a file is minified, or copied from another project.
func isForeign(name string) bool { return has(name, ".min.") || inDir(name, fromElsewhere) }

// foreign reports whether a path is of code that others maintain, or of the input of tests.
func foreign(name string) bool {
	return inDir(name, fromElsewhere+testInput+" test-data test_data testscripts ")
}

// isExample reports whether a configuration belongs to a test, an example or something from elsewhere.
func isExample(name string) bool {
	return foreign(name) || inDir(name, " examples example samples demo demos playground templates ")
}

// isVendored reports whether a path is in a directory of code from elsewhere, or of code that a program wrote.
func isVendored(name string) bool {
	base := path.Base(name)
	return begins(base, "zz_generated") || has(base, ".gen.", ".generated.", ".pb.", "_pb2.", "_pb2_grpc.", ".g.", ".Designer.", ".min.",
		"_generated.", "worker-configuration.") || inDir(name, fromElsewhere+
		" third-party thirdparty _vendor generated __generated__ gen dist lcov-report antlr4 playground playgrounds ")
}

// isProduction reports whether a path is that of code which is no test, configuration, example or tool of the build.
func isProduction(name string) bool {
	return source.LangOf(name) != source.None && !source.IsTest(name) && !isVendored(name) && !isConfig(path.Base(name)) &&
		!inDir(name, testInput+" testenv mocks mock example examples demo demos docs doc benchmark benchmarks bench benches scripts eng ci .github .ci "+
			"playground playgrounds samples sample hack ")
}

// isConfig reports whether a file is the configuration of a tool, or a part of the build.
func isConfig(base string) bool {
	base = strings.ToLower(base)
	if has(base, ".config.", ".setup.", ".conf.") || begins(base, ".") {
		return true
	}
	return isIn(base, " conftest.py setup.py noxfile.py tasks.py build.rs gulpfile.js gruntfile.js rakefile.rb setuptests.ts setuptests.js sitecustomize.py manage.py fabfile.py magefile.go ")
}

package input

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// NameEscapes are the letters of git's escapes and the bytes that they escape (quote.c). Every other byte that must be quoted
// is written as three octal digits.
var NameEscapes = map[byte]byte{
	'a': '\a', 'b': '\b', 't': '\t', 'n': '\n', 'v': '\v', 'f': '\f', 'r': '\r', '"': '"', '\\': '\\',
}

var EscapeLetters = func() (letters [256]byte) {
	for letter, c := range NameEscapes {
		letters[c] = letter
	}
	return letters
}()

// MustQuote reports whether git quotes a name because of c, for any value of core.quotePath.
func MustQuote(c byte) bool { return c < 0x20 || c == 0x7f || c == '"' || c == '\\' }

// QuotePath writes a path for people. A path that is plain text is returned as it is; any other is written as git
// quotes it by default (core.quotePath=true): in double quotes, with \a \b \t \n \v \f \r \" \\ and three octal digits
// for the other control bytes and for every byte from 0x80 on. Plain text is valid UTF-8 of printable characters
// without double quote and backslash; so a result that begins with a double quote is always a quoted one, and no
// control, bidirectional or zero-width character remains. Git itself also quotes other text that is not ASCII.
func QuotePath(path string) string {
	if plainText(path) {
		return path
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(path) {
		switch c := path[i]; {
		case EscapeLetters[c] != 0:
			b.WriteByte('\\')
			b.WriteByte(EscapeLetters[c])
		case MustQuote(c) || c >= 0x80:
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func plainText(path string) bool {
	if !utf8.ValidString(path) {
		return false
	}
	for _, c := range path {
		if c == '"' || c == '\\' || !unicode.IsPrint(c) {
			return false
		}
	}
	return true
}

// maxQuoted is the maximum length of a quote from an input.
const maxQuoted = 80

// Clip shortens a text for a message.
func Clip(s string) string { return CutTo(s, maxQuoted) }

// First lists the first texts of a list, and then how many more there are.
func First(list []string, most int) []string {
	if more := len(list) - most; more > 0 {
		return append(list[:most:most], fmt.Sprintf("and %d more", more))
	}
	return list
}

// Plural writes n and the noun, with an s unless n is 1.
func Plural[N int | int64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if noun, found := strings.CutSuffix(noun, "criterion"); found {
		return fmt.Sprintf("%d %scriteria", n, noun)
	}
	if k := len(noun) - 2; k >= 0 && noun[k+1] == 'y' && !strings.ContainsRune("aeiou", rune(noun[k])) {
		return fmt.Sprintf("%d %sies", n, noun[:k+1])
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Quote writes a text of an input as a Go string, shortened for a message.
func Quote(s string) string { return strconv.Quote(Clip(s)) }

// Excerpt quotes a text up to the end of its line.
func Excerpt(rest []byte) string {
	if len(rest) == 0 {
		return "the end"
	}
	line, _, _ := strings.Cut(string(rest[:min(len(rest), 4*maxQuoted)]), "\n")
	return Quote(strings.TrimSuffix(line, "\r"))
}

// What a finding of a diff rule says beside the lines that it quotes: Expected is a line of the merge base, [NoSuchText] or
// [TestRuns], and ends in [AsAtBase]; Actual is a line of the head, or [NotThere].
const (
	AsAtBase   = ", as at the merge base"
	NoSuchText = "this text is absent"
	TestRuns   = "the test runs"
	NotThere   = "not there any more"
)

// ShellWord quotes a word for a shell, if it must be.
func ShellWord(word string) string {
	if word != "" && strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/-") == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

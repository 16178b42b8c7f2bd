package present

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// fenceLimit is the longest run of backticks in a code span. Markdown parsers ignore very long fences (GitHub's at 80), and
// would then read the text as Markdown.
const fenceLimit = 8

// MDCode shows untrusted text as inline code, where Markdown, HTML and the filters for mentions, references and links have
// no effect. An empty text is shown as a word.
func MDCode(s string) string {
	s = Line(s)
	if s == "" {
		return "(empty)"
	}
	fence := "`" // one more than the longest run of backticks in the text
	for len(fence) <= fenceLimit+1 && strings.Contains(s, fence) {
		fence += "`"
	}
	if len(fence) > fenceLimit+1 {
		s, fence = strings.ReplaceAll(s, "`", `\x60`), "`"
	}
	spaces := strings.HasPrefix(s, " ") && strings.HasSuffix(s, " ") && strings.Trim(s, " ") != ""
	if spaces || strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " " // a Markdown parser removes a space at both ends
	}
	return fence + s + fence
}

// MDText shows an untrusted sentence: words without a meaning in Markdown or in the filters of the page stay as they are,
// every other word becomes inline code. Escaping is not enough: the filters run on the finished page, where an escaped @ is
// an @ again. As a side effect, paths, globs and commands in a message look like code. Adjacent code words share a span, as
// in a command; plain words between two of them stay prose.
func MDText(s string) string {
	words := strings.Fields(Line(s))
	if len(words) == 0 {
		return "(empty)"
	}
	var out []string
	for i := 0; i < len(words); {
		n := oddRun(words, i)
		if n == 0 {
			out = append(out, words[i])
			i++
			continue
		}
		open, core, end := splitWord(strings.Join(words[i:i+n], " "))
		out = append(out, open+MDCode(core)+end)
		i += n
	}
	return strings.Join(out, " ")
}

// oddRun is how many words from i on share one code span, 0 if word i is plain. Punctuation around a word ends a span.
func oddRun(words []string, i int) int {
	n := 0
	for i+n < len(words) {
		word := words[i+n]
		open, core, end := splitWord(word)
		if (isPlain(core) && !(i+n == 0 && isListMark(word, core))) || (n > 0 && open != "") {
			break
		}
		if n++; end != "" {
			break
		}
	}
	return n
}

// splitWord separates quotes, brackets and punctuation around a word from its core. A word of nothing else is all core.
func splitWord(word string) (open, core, end string) {
	core = strings.TrimLeft(word, `"'(`)
	open = word[:len(word)-len(core)]
	rest := core
	for before := ""; before != core; {
		before = core
		core = strings.TrimRight(core, `"'),;:!?`)
		if strings.HasSuffix(core, ".") && !strings.HasSuffix(core, "..") {
			core = core[:len(core)-1]
		}
	}
	if core == "" {
		return "", word, ""
	}
	return open, core, rest[len(core):]
}

// isListMark reports whether the first word of a sentence would start a numbered list: "1." or "1)".
func isListMark(word, core string) bool {
	return strings.Trim(core, "0123456789") == "" && (word == core+"." || word == core+")")
}

// isPlain reports whether a word is inert: letters and digits, with hyphens and apostrophes between them, that does not look
// like a reference that a page may link: "GH-1" or "ABC-12", or the hexadecimal digits of a commit.
func isPlain(word string) bool {
	digits, hyphens, hex := false, false, true
	for i, r := range word {
		inner := i > 0 && i+utf8.RuneLen(r) < len(word)
		digits = digits || unicode.IsDigit(r)
		hyphens = hyphens || r == '-'
		hex = hex && strings.ContainsRune("0123456789abcdefABCDEF", r)
		joins := (r == '-' || r == '\'') && inner
		if !joins && !unicode.IsLetter(r) && !unicode.IsDigit(r) && r < 0x80 {
			return false
		}
	}
	return !(hyphens && digits) && !(hex && len(word) >= 7)
}

// mdCell escapes finished Markdown for a table cell. A parser splits a table into cells first, also inside code spans, so
// every pipe is escaped. A pipe after a backslash is shown as an escape, because parsers treat a doubled backslash
// differently.
func mdCell(md string) string {
	var b strings.Builder
	for i := range len(md) {
		switch {
		case md[i] != '|':
			b.WriteByte(md[i])
		case i > 0 && md[i-1] == '\\':
			b.WriteString("x7c")
		default:
			b.WriteString(`\|`)
		}
	}
	return b.String()
}

// MDRow writes a table row of finished Markdown.
func MDRow(cells ...string) string {
	row := "|"
	for _, c := range cells {
		row += " " + mdCell(c) + " |"
	}
	return row + "\n"
}

// MDHead writes the head of a table and the line below it.
func MDHead(names ...string) string {
	return MDRow(names...) + "|" + strings.Repeat(" --- |", len(names)) + "\n"
}

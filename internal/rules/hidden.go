package rules

import (
	"encoding/binary"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/closeout-gate/closeout/internal/git/linediff"
	"github.com/closeout-gate/closeout/internal/source"
	"github.com/closeout-gate/closeout/verify/input"
)

// concealment is what a character does to a text. They can be joined.
type concealment byte

const (
	bidi      concealment = 1 << iota // changes the order in which the text is shown
	invisible                         // carries a text that is not shown: tags and rows of variation selectors
	zeroWidth                         // has no width, and makes two texts that look the same differ
)

// findHidden finds the files that have more hidden characters of some kinds than before, once each.
func findHidden(kinds concealment) func(*Change, func(Hit)) {
	return func(c *Change, report func(Hit)) { c.hiddenText(kinds, report) }
}

func (c *Change) hiddenText(kinds concealment, report func(Hit)) {
	before := map[string]int{} // how often the lines that go have the same hidden characters, in all files
	for _, f := range c.Files {
		if isRead(f, f.Base) {
			eachHidden(f.Path, f.Removed(), kinds, func(_ linediff.Line, found []rune) { before[string(found)]++ })
		}
	}
	for _, f := range c.Files {
		if !isRead(f, f.Head) {
			continue
		}
		var lines []linediff.Line
		var all []rune
		eachHidden(f.Path, quietStrings(f, f.Head, f.Added(), kinds), kinds, func(line linediff.Line, found []rune) {
			if before[string(found)] > 0 {
				before[string(found)]--
				return
			}
			lines = append(lines, line)
			all = append(all, found...)
		})
		if len(lines) > 0 {
			report(f.hit(0, lines[0].Number, "", hiddenDetail(all, lines), `remove the character, or write it as an escape such as \u200b`))
		}
	}
}

// quietStrings gives the code of lines in place of their text where strings may have characters without width: in
// tests, which try them, and in what is minified or vendored.
func quietStrings(f *File, version *source.File, lines []linediff.Line, kinds concealment) []linediff.Line {
	if kinds != zeroWidth || f.Lang() == source.None || (!isSample(f.Path) && !isForeign(f.Path)) {
		return lines
	}
	masked := make([]linediff.Line, len(lines))
	for i, line := range lines {
		masked[i] = line
		if hasHigh(line.Text) {
			masked[i].Text = version.CodeLine(line.Number)
		}
	}
	return masked
}

// isRead reports whether a version of a file can have hidden text that does harm. Pictures and documents in formats of
// their own, which are no text, have such characters by chance.
func isRead(f *File, version *source.File) bool {
	return version != nil && conceals(f.Path) && hasHigh(version.Text) && (f.Lang() != source.None || isText(version.Text))
}

// isText reports whether nearly all of a text is UTF-8.
func isText(text []byte) bool {
	const part = 50
	wrong := 0
	for rest := text; len(rest) > 0; {
		r, n := utf8.DecodeRune(rest)
		if r == utf8.RuneError && n == 1 {
			wrong++
		}
		rest = rest[n:]
	}
	return wrong <= len(text)/part
}

// hiddenDetail counts the characters, and names the first kinds of them and the lines.
func hiddenDetail(all []rune, lines []linediff.Line) string {
	count := len(all)
	slices.Sort(all)
	all = slices.Compact(all)
	var names, numbers []string
	for _, r := range all {
		names = append(names, runeName(r))
	}
	for _, line := range lines {
		numbers = append(numbers, strconv.Itoa(line.Number))
	}
	return input.Plural(int64(count), "character") + " that a reader does not see: " + joined(names, 5) + ", on line " + joined(numbers, 5)
}

// eachHidden calls visit for each line that has hidden characters of some kinds.
func eachHidden(name string, lines []linediff.Line, kinds concealment, visit func(linediff.Line, []rune)) {
	local := isTranslation(name)
	for _, line := range lines {
		if !hasHigh(line.Text) {
			continue
		}
		text := line.Text
		if line.Number == 1 {
			text = []byte(strings.TrimPrefix(string(text), "\uFEFF"))
		}
		if found := hiddenIn(text, kinds, local); len(found) > 0 {
			visit(line, found)
		}
	}
}

// hasHigh reports whether a text has bytes that are not ASCII.
func hasHigh(text []byte) bool {
	const high = 0x8080808080808080
	for ; len(text) >= 8; text = text[8:] {
		if binary.NativeEndian.Uint64(text)&high != 0 {
			return true
		}
	}
	for _, b := range text {
		if b >= utf8.RuneSelf {
			return true
		}
	}
	return false
}

// hiddenIn lists the hidden characters of a line. In a translation, those that its script needs are quiet.
func hiddenIn(line []byte, kinds concealment, translation bool) (found []rune) {
	previous, flag := rune(0), false // flag: the tags of an emoji flag follow
	rightToLeft := translation && slices.ContainsFunc([]rune(string(line)), isRightToLeft)
	for i := 0; i < len(line); {
		r, n := utf8.DecodeRune(line[i:])
		i += n
		next, _ := utf8.DecodeRune(line[i:])
		flag = (r == '\U0001F3F4' && isFlag(line[i:])) || (flag && isTag(r))
		kind := conceal(r, previous, next)
		if kind&kinds != 0 && !flag && !(translation && kind == zeroWidth) && !(rightToLeft && kind == bidi) {
			found = append(found, r)
		}
		previous = r
	}
	return found
}

// conceal tells what a character does between two others.
func conceal(r, previous, next rune) concealment {
	switch {
	case r < 0xAD:
		return 0
	case r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069, r == 0x61C:
		return bidi
	case isTag(r):
		return invisible
	case isSelector(r):
		isTwice := r == 0xFE0F && (previous == r) != (next == r) // of an emoji; three in a row are no slip
		if ((isSelector(previous) || isSelector(next)) && !isTwice) || (r >= 0xE0100 && !unicode.Is(unicode.Han, previous)) {
			return invisible
		}
	case r == 0x200C, r == 0x200D:
		if !joins(previous) || (r == 0x200D && previous >= 0x2000 && !joins(next)) {
			return zeroWidth
		}
	case r == 0xAD, r == 0x200B, r == 0x200E, r == 0x200F, r >= 0x2060 && r <= 0x2064, r >= 0x206A &&
		r <= 0x206F, r == 0x180E, r == 0x3164, r == 0xFFA0,
		r == 0x115F, r == 0x1160, r == 0xFEFF, r >= 0xFFF9 && r <= 0xFFFB:
		return zeroWidth
	}
	return 0
}

func isTag(r rune) bool { return r >= 0xE0000 && r <= 0xE007F }

func isSelector(r rune) bool { return (r >= 0xFE00 && r <= 0xFE0F) || (r >= 0xE0100 && r <= 0xE01EF) }

// joins reports whether a character can be joined with the next one: an emoji, or a letter of a script that needs
// joiners, from Hebrew and Arabic to Mongolian.
func joins(r rune) bool {
	return (r >= 0x590 && r <= 0x1CFF && r != 0x180E) || isSelector(r) || (r >= 0x1F000 && r <= 0x1FAFF) ||
		unicode.Is(unicode.So, r)
}

// isFlag reports whether the tags of a flag follow: of England, Scotland or Wales. Others could spell anything.
func isFlag(rest []byte) bool {
	for _, code := range []string{"gbeng", "gbsct", "gbwls"} {
		spelled := ""
		for _, c := range code + "\x7f" {
			spelled += string(0xE0000 + c)
		}
		if begins(string(rest[:min(len(rest), len(spelled))]), spelled) {
			return true
		}
	}
	return false
}

func isRightToLeft(r rune) bool {
	return (r >= 0x590 && r <= 0x8FF) || (r >= 0xFB1D && r <= 0xFDFF) || (r >= 0xFE70 && r <= 0xFEFC)
}

// runeName writes a character as its number and what it is.
func runeName(r rune) string {
	name := "without width"
	switch {
	case isTag(r):
		name = "tag"
	case isSelector(r):
		name = "variation selector"
	case conceal(r, 0, 0) == bidi:
		name = "changes the order"
	}
	return fmt.Sprintf("U+%04X (%s)", r, name)
}

// visible writes the hidden characters of a text as their numbers, so that a report does not hide what the change
// hides.
func visible(text string) string {
	if !hasHigh([]byte(text)) {
		return text
	}
	var out strings.Builder
	previous := rune(0)
	for i, r := range text {
		next, _ := utf8.DecodeRuneInString(text[min(len(text), i+utf8.RuneLen(r)):])
		if conceal(r, previous, next) != 0 {
			fmt.Fprintf(&out, "<U+%04X>", r)
		} else {
			out.WriteRune(r)
		}
		previous = r
	}
	return out.String()
}

// prose are the extensions of documents, and of data that is shown and not run.
const prose = ".md.mdx.markdown.rst.adoc.asciidoc.txt.html.htm.tex.org.ipynb.csv.tsv.svg.snap.ambr.po.pot.resx.xlf.xliff.arb.strings.ftl.lng.srt.vtt.jsonl.ndjson.log.out.golden.txtar.patch.diff."

func isDocument(name string) bool {
	ext := strings.ToLower(path.Ext(name))
	return ext != "" && has(prose, ext+".")
}

// conceals reports whether hidden text in a file can do harm: it is run, it configures what runs, or an agent follows
// it. Translations are documents.
func conceals(name string) bool {
	lower := strings.ToLower(name)
	base := path.Base(lower)
	if isAgentFile(lower) || source.LangOf(name) != source.None {
		return true
	}
	if isDocument(base) {
		return base == "cmakelists.txt" || (ends(base, ".txt") && has(base, "requirements"))
	}
	return !isTranslation(name) && !isSample(name)
}

// isAgentFile reports whether agents follow what a file says, by its name or its directory.
func isAgentFile(lower string) bool {
	return isIn(path.Base(lower), " agents.md agents.override.md claude.md claude.local.md gemini.md skill.md copilot-instructions.md "+
		".cursorrules .windsurfrules .clinerules .goosehints llms.txt ") ||
		inDir(lower, " .cursor .claude .codex .gemini .windsurf .clinerules .agents .opencode .junie .kiro .roo .continue ") ||
		(inDir(lower, " .github ") && inDir(lower, " instructions prompts agents hooks chatmodes skills "))
}

// isTranslation reports whether a file has texts for people who speak one language: it lies in a directory of
// translations, and is data or named after a language.
func isTranslation(name string) bool {
	lower := strings.ToLower(name)
	if !inDir(name, " locale locales i18n l10n lang langs languages translations translation messages intl cldr nls ") {
		return false
	}
	return source.LangOf(name) == source.None || isLanguage(strings.TrimSuffix(path.Base(lower), path.Ext(lower)))
}

// isLanguage reports whether a word is a language tag such as ar, pt-br or zh_hans.
func isLanguage(word string) bool {
	first, rest, more := strings.Cut(strings.ReplaceAll(word, "_", "-"), "-")
	return (len(first) == 2 || (len(first) == 3 && more)) && strings.Trim(first, "abcdefghijklmnopqrstuvwxyz") == "" &&
		len(rest) <= 8
}

// sampleWords are in the names of directories and files that are tests, their data, examples or documents.
const sampleWords = " test tests testing testdata spec specs fixture fixtures mock mocks cassettes snapshots example examples sample samples " +
	"demo demos doc docs documentation e2e benchmark benchmarks playground tutorial tutorials golden dummy fake localhost selfsigned snakeoil " +
	"conftest integration acceptance website quickstart quickstarts "

// isSample reports whether a path is that of a test, of its data, of an example or of a document.
func isSample(name string) bool {
	if source.IsTest(name) {
		return true
	}
	words := strings.FieldsFunc(strings.ToLower(splitCamel(name)),
		func(r rune) bool { return strings.ContainsRune("/_-. ", r) })
	return slices.ContainsFunc(words, func(word string) bool { return isIn(word, sampleWords) })
}

// splitCamel puts a space between a small letter and a capital one.
func splitCamel(name string) string {
	var out strings.Builder
	for i := range len(name) {
		if i > 0 && name[i] >= 'A' && name[i] <= 'Z' && name[i-1] >= 'a' && name[i-1] <= 'z' {
			out.WriteByte(' ')
		}
		out.WriteByte(name[i])
	}
	return out.String()
}

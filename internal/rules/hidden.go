package rules

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
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
	invisible                         // carries a text that is not shown: rows of variation selectors
	tags                              // carries a text that is not shown, and that no document needs
	zeroWidth                         // has no width, and makes two texts that look the same differ
)

// findHidden finds the files that have more hidden characters of some kinds than before, once each.
func findHidden(kinds concealment) func(*Change, func(Hit)) {
	return func(c *Change, report func(Hit)) {
		before := sync.OnceValue(func() map[string]int { // how often the lines that go have the same hidden characters, in all files
			counts := map[string]int{}
			for _, f := range c.Files {
				if isRead(f, f.Base) {
					eachHidden(f.Path, f.Removed(), kinds&harmful(f.Path), func(_ int, found []rune) { counts[string(found)]++ })
				}
			}
			return counts
		})
		for _, f := range c.Files {
			kinds := kinds & harmful(f.Path)
			if kinds == 0 || !isRead(f, f.Head) {
				continue
			}
			var lines []string
			var all []rune
			first := 0
			eachHidden(f.Path, quietStrings(f, f.Head, f.Added(), kinds), kinds, func(line int, found []rune) {
				if before()[string(found)]--; before()[string(found)] < 0 {
					lines, all, first = append(lines, strconv.Itoa(line)), append(all, found...), cmp.Or(first, line)
				}
			})
			if first > 0 {
				report(f.hit(0, first, "", hiddenDetail(all, lines), `remove the character, or write it as an escape such as \u200b`))
			}
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

// harmful are the kinds that do harm in a file: of those in a document only what no reader needs.
func harmful(name string) concealment {
	if conceals(name) {
		return ^concealment(0)
	}
	if inDir(name, testInput+" tests test ") {
		return 0
	}
	return tags
}

// isRead reports whether a version of a file is text. Pictures and documents in formats of
// their own, which are no text, have such characters by chance.
func isRead(f *File, version *source.File) bool {
	return version != nil && hasHigh(version.Text) && (f.Lang() != source.None || isText(version.Text))
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
func hiddenDetail(all []rune, lines []string) string {
	count := len(all)
	slices.Sort(all)
	var names []string
	for _, r := range slices.Compact(all) {
		names = append(names, runeName(r))
	}
	return input.Plural(int64(count), "character") + " that a reader does not see: " + joined(names, 5) + ", on line " + joined(lines, 5)
}

// eachHidden calls visit for each line that has hidden characters of some kinds.
func eachHidden(name string, lines []linediff.Line, kinds concealment, visit func(line int, found []rune)) {
	local := isTranslation(name)
	for _, line := range lines {
		if !hasHigh(line.Text) {
			continue
		}
		text := line.Text
		if line.Number == 1 {
			text = bytes.TrimPrefix(text, []byte("\uFEFF"))
		}
		if found := hiddenIn(text, kinds, local); len(found) > 0 {
			visit(line.Number, found)
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

// hiding are the first two bytes of all hidden characters.
var hiding = []string{"\xc2\xad", "\xd8\x9c", "\xe1\x85", "\xe1\xa0", "\xe2\x80", "\xe2\x81", "\xe3\x85", "\xef\xb8", "\xef\xbb",
	"\xef\xbe", "\xef\xbf", "\xf3\xa0"}

// hiddenIn lists the hidden characters of a line. In a translation, those that its script needs are quiet.
func hiddenIn(line []byte, kinds concealment, translation bool) (found []rune) {
	if !has(line, hiding...) {
		return nil
	}
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
		return tags
	case isSelector(r):
		isTwice := r == 0xFE0F && (previous == r) != (next == r) && previous >= 0x2000 // of an emoji; three in a row are no slip
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
	return spelled(text, func(previous, r, next rune) bool { return conceal(r, previous, next) != 0 })
}

// spelled writes some characters of a text as their numbers.
func spelled(text string, is func(previous, r, next rune) bool) string {
	if !hasHigh([]byte(text)) && !strings.ContainsAny(text, "\r\v") {
		return text
	}
	var out strings.Builder
	previous := rune(0)
	for i, r := range text {
		next, _ := utf8.DecodeRuneInString(text[min(len(text), i+utf8.RuneLen(r)):])
		if is(previous, r, next) {
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
	if values := path.Base(path.Dir(lower)); begins(values, "values-") && isLanguage(values[len("values-"):]) { // of Android
		return true
	}
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

var camel = input.Lazily(`([a-z])([A-Z])`)

// isSample reports whether a path is that of a test, of its data, of an example or of a document.
func isSample(name string) bool {
	if source.IsTest(name) {
		return true
	}
	words := strings.FieldsFunc(strings.ToLower(camel().ReplaceAllString(name, "$1 $2")), func(r rune) bool { return strings.ContainsRune("/_-. ", r) })
	return slices.ContainsFunc(words, func(word string) bool { return isIn(word, sampleWords) })
}

// findMisread finds what makes a compiler read code otherwise than a reader does, and than these rules do: characters
// that end a line for some, escapes that are read before all else, another encoding, and comments that look like an
// operator.
func findMisread(c *Change, report func(Hit)) {
	before := map[string]int{}
	for _, f := range c.Files {
		for _, l := range f.Removed() {
			if misread(f.Base, l.Number) != "" {
				before[lineKey(l.Text)]++
			}
		}
	}
	for _, f := range c.Files {
		var found firstHit
		for _, l := range f.Added() {
			how := misread(f.Head, l.Number)
			if how == "" || before[lineKey(l.Text)] > 0 {
				before[lineKey(l.Text)]--
				continue
			}
			found.add(Hit{File: f.Path, Line: l.Number, Now: spelled(string(l.Text), func(_, r, _ rune) bool {
				return slices.ContainsFunc(lineEnds, func(end lineEnd) bool { return end.text == string(r) })
			}), Detail: how,
				Fix: "write plain UTF-8 with line ends that every program knows"})
		}
		found.report(report)
	}
}

// lineEnds are characters that end a line for some compilers, and for no reader of a change.
type lineEnd struct{ text, name string }

var lineEnds = []lineEnd{
	{"\r", "a carriage return alone"}, {"\v", "U+000B"}, {"\u0085", "U+0085"}, {"\u2028", "U+2028"}, {"\u2029", "U+2029"},
}

var codingCookie = input.Lazily(`^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)`)

// misread says what a compiler reads otherwise on a line of code, "" for nothing. What stands in literals and in the
// text of JSX is quiet, and so is the end of a comment that ends with its line.
func misread(v *source.File, n int) string {
	if v.Lang == source.None {
		return ""
	}
	line, code := v.Line(n), v.CodeLine(n)
	if v.Lang == source.Python && n <= 2 {
		m := codingCookie().FindSubmatch(line)
		if m != nil && !oneOf(strings.ReplaceAll(strings.ToLower(string(m[1])), "_", "-"), "utf-8", "utf8", "ascii",
			"us-ascii") {
			return "the file says that its encoding is " + clip(string(m[1]), maxText)
		}
	}
	if isScript(v.Lang) && begins(bytes.TrimSpace(code), "-->") {
		return "--> at the start of a line begins a comment"
	}
	var comment []byte
	last := 0 // where the text of a comment that a line end ends has its end
	for _, end := range lineEnds {
		if comment == nil && has(line, end.text) {
			if comment = v.CommentLine(n); begins(bytes.TrimLeft(comment, " \t"), "//", "#") {
				last = len(bytes.TrimSpace(comment)) + len(comment) - len(bytes.TrimLeftFunc(comment, unicode.IsSpace))
			}
		}
		for at := range placesOf(line, end.text) {
			inComment := comment != nil && comment[at] == line[at]
			if (!inComment && code[at] == line[at]) || (inComment && last > 0 && (at+1 < last || len(end.text) > 1)) {
				return end.name + " ends a line for some compilers"
			}
		}
	}
	if i := bytes.Index(line, []byte(`\u`)); v.Lang == source.Java && i >= 0 {
		comment := v.CommentLine(n)
		if has(code, `\u`) || (comment != nil && escapedEnd().Match(comment)) {
			return "the compiler reads an escape before it knows code from comments"
		}
	}
	return ""
}

// escapedEnd matches the escape of a character that ends a comment.
var escapedEnd = input.Lazily(`\\u+(?i:000a|000d|002a|002f)`)

func isScript(lang source.Lang) bool { return lang == source.JavaScript || lang == source.TypeScript }

// lookAlikes are letters, and what they look like by Unicode's list of confusables (UTS 39): the letter, then the Latin
// one.
const lookAlikes = "аaеeоoрpсcуyхxѕsіiјjԁdԛqԝwһhӏlүyѵvАAВBЕEКKМMНHОOРPСCТTУYХXЅSІIЈJԌGԚQԜWҮYѴV" + // Cyrillic
	"οoϲcϳjΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧXϹCͿJ" + // Greek
	"օoոnսuհhցgզqյjՕOՍUՏSԼL" + // Armenian
	"ᎪAᏴBᏟCᎠDᎬEᏀGᎻHᎫJᏦKᏞLᎷMᏢPᎡRᏚSᎢTᏙVᎳWᎩYᏃZ" + // Cherokee
	"ⲟoⲣpⲥcⲞOⲢPⲤC" + // Coptic
	"ɑaɡgſs" + // Latin, but not of any alphabet
	"ⅰiⅴvⅹxⅼlⅽcⅾdⅿmⅠIⅤVⅩXⅬLⅭCⅮDⅯM" // Roman numerals

// greek are letters of formulas, which look like Latin ones in a word only.
const greek = "αaγyιiκkνvρpσoτtυuχxωwηn"

// latinOf gives the Latin letter that a letter looks like, 0 for none. formula is true for a letter that has its own
// meaning beside Latin ones.
func latinOf(r rune) (latin rune, formula bool) {
	switch {
	case r < utf8.RuneSelf:
		return r, false
	case r >= 0xFF21 && r <= 0xFF5A && unicode.IsLetter(r):
		return r - 0xFF21 + 'A', false
	case r >= 0x1D400 && r <= 0x1D6A3:
		if n := (r - 0x1D400) % 52; n < 26 {
			return 'A' + n, false
		} else {
			return 'a' + n - 26, false
		}
	}
	if latin := pairOf(lookAlikes, r); latin != 0 {
		return latin, false
	}
	latin = pairOf(greek, r)
	return latin, latin != 0
}

// pairOf finds the character after a letter of a table.
func pairOf(table string, r rune) rune {
	i := strings.IndexRune(table, r)
	if i < 0 {
		return 0
	}
	return rune(table[i+utf8.RuneLen(r)])
}

// skeleton is what a name looks like. deceives is false where it has a letter that looks like no Latin one.
type skeleton struct {
	name           string
	latin, formula bool // it has Latin letters; some of its other letters are those of formulas
	deceives       bool
	first          rune // the first letter of another script
	firstLooksLike rune
}

func skeletonOf(name string) skeleton {
	s := skeleton{deceives: true}
	var out strings.Builder
	for _, r := range name {
		latin, formula := latinOf(r)
		if latin == 0 {
			s.deceives = false
			return s
		}
		if r >= utf8.RuneSelf && s.first == 0 {
			s.first, s.firstLooksLike = r, latin
		}
		s.latin = s.latin || (r < utf8.RuneSelf && unicode.IsLetter(r))
		s.formula = s.formula || formula
		out.WriteRune(latin)
	}
	s.name = out.String()
	s.deceives = s.first != 0
	return s
}

// findMixed finds names that look like other names, because their letters come from two scripts.
func findMixed(c *Change, report func(Hit)) {
	before := sync.OnceValue(c.namesBefore)
	isLike := func(_, r, _ rune) bool { latin, _ := latinOf(r); return r >= utf8.RuneSelf && latin != 0 }
	for _, f := range c.Files {
		if !conceals(f.Path) || !isRead(f, f.Head) {
			continue
		}
		var first *Hit
		tried := 0
		for _, line := range f.Added() {
			eachForeign(f, f.Head, line.Number, func(name string, host bool) {
				const most = 50 // names of a file that are looked up in its text
				s := skeletonOf(name)
				if !s.deceives || tried >= most || before()[name] {
					return
				}
				if s.formula || (!host && !s.latin) {
					tried++
					if host || (len(s.name) < 3 && s.formula) || !hasWord(f.Head.Code, s.name) {
						return
					}
				}
				if first == nil {
					first = &Hit{File: f.Path, Line: line.Number, Now: spelled(string(line.Text), isLike),
						Detail: fmt.Sprintf("%s looks like %q, but has U+%04X in place of %q", spelled(name, isLike), s.name, s.first, s.firstLooksLike),
						Fix:    "write the name with the letters of one script"}
				}
			})
		}
		if first != nil {
			report(*first)
		}
	}
}

// namesBefore are the names with other letters that the merge base has in the touched files.
func (c *Change) namesBefore() map[string]bool {
	names := map[string]bool{}
	for _, f := range c.Files {
		if f.Base == nil || !hasHigh(f.Base.Text) {
			continue
		}
		for n := range f.Base.Lines() {
			eachForeign(f, f.Base, n+1, func(name string, _ bool) { names[name] = true })
		}
	}
	return names
}

// eachForeign visits the names of a line that are not ASCII: those of code, and the parts of host names.
func eachForeign(f *File, version *source.File, number int, visit func(name string, host bool)) {
	line := version.Line(number)
	if !hasHigh(line) {
		return
	}
	if line := version.CodeLine(number); f.Lang() != source.None && hasHigh(line) {
		for name := range strings.FieldsFuncSeq(string(line), func(r rune) bool { return !inName(r) }) {
			if hasHigh([]byte(name)) {
				visit(name, false)
			}
		}
	}
	for {
		at := bytes.Index(line, []byte("://"))
		if at < 0 {
			return
		}
		line = line[at+3:]
		host := line
		if end := bytes.IndexFunc(line, func(r rune) bool { return !inName(r) && r != '-' && r != '.' }); end >= 0 {
			host = line[:end]
		}
		for label := range strings.SplitSeq(string(host), ".") {
			if hasHigh([]byte(label)) {
				visit(label, true)
			}
		}
	}
}

func inName(r rune) bool {
	return r == '_' || (r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) ||
		unicode.Is(unicode.Nl, r)))
}

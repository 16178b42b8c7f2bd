package rules

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/closeout-gate/closeout/internal/source"
	"github.com/closeout-gate/closeout/verify/input"
)

// findMisread finds what makes a compiler read code otherwise than a reader does, and than these rules do: characters
// that end a line for some, escapes that are read before all else, another encoding, and comments that look like an
// operator.
func findMisread(c *Change, report func(Hit)) {
	before := map[string]int{}
	for _, f := range c.Files {
		if f.Base != nil && f.Lang() != source.None {
			for _, l := range f.Removed() {
				if how := misread(f.Base, l.Number); how != "" {
					before[lineKey(l.Text)]++
				}
			}
		}
	}
	for _, f := range c.Files {
		if f.Head == nil || f.Lang() == source.None {
			continue
		}
		var found firstHit
		for _, l := range f.Added() {
			how := misread(f.Head, l.Number)
			if how == "" || before[lineKey(l.Text)] > 0 {
				before[lineKey(l.Text)]--
				continue
			}
			found.add(Hit{File: f.Path, Line: l.Number, Now: spelledControls(string(l.Text)), Detail: how,
				Fix: "write plain UTF-8 with line ends that every program knows"})
		}
		found.report(report)
	}
}

// lineEnds are characters that end a line for some compilers, and for no reader of a change.
var lineEnds = []struct{ text, name string }{
	{"\r", "a carriage return alone"}, {"\v", "U+000B"}, {"\u0085", "U+0085"}, {"\u2028", "U+2028"}, {"\u2029", "U+2029"},
}

var codingCookie = input.Lazily(`^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)`)

// misread says what a compiler reads otherwise on a line of code, "" for nothing. What stands in literals and in the
// text of JSX is quiet, and so is the end of a comment that ends with its line.
func misread(v *source.File, n int) string {
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
	for _, end := range lineEnds {
		for at := range placesOf(line, end.text) {
			comment := v.CommentLine(n)
			inComment := comment != nil && comment[at] == line[at]
			if (!inComment && code[at] == line[at]) || (inComment && goesOnBehind(comment, at)) {
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

// goesOnBehind reports whether a comment is one that a line end ends, and has text behind an offset.
func goesOnBehind(comment []byte, at int) bool {
	start := bytes.TrimLeft(comment, " \t")
	return (begins(start, "//", "#")) && len(bytes.TrimSpace(comment[at+1:])) > 0
}

func isScript(lang source.Lang) bool { return lang == source.JavaScript || lang == source.TypeScript }

// spelledControls writes characters that end a line as their numbers.
func spelledControls(text string) string {
	return strings.NewReplacer("\r", "<U+000D>", "\v", "<U+000B>", "\u0085", "<U+0085>", "\u2028", "<U+2028>", "\u2029",
		"<U+2029>").Replace(text)
}

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
	var before map[string]bool
	for _, f := range c.Files {
		if !isRead(f, f.Head) {
			continue
		}
		hit, count, tried := Hit{File: f.Path, Fix: "write the name with the letters of one script"}, 0, 0
		for _, line := range f.Added() {
			eachForeign(f, f.Head, line.Number, func(name string, host bool) {
				const most = 50 // names of a file that are looked up in its text
				s := skeletonOf(name)
				if !s.deceives || tried >= most {
					return
				}
				if before == nil {
					before = namesBefore(c)
				}
				if before[name] {
					return
				}
				if s.formula || (!host && !s.latin) {
					tried++
					if host || (len(s.name) < 3 && s.formula) || !hasWord(f.Head.Code, s.name) {
						return
					}
				}
				if count++; count == 1 {
					hit.Line, hit.Now = line.Number, spelled(string(line.Text))
					hit.Detail = fmt.Sprintf("%s looks like %q, but has U+%04X in place of %q", spelled(name), s.name, s.first,
						s.firstLooksLike)
				}
			})
		}

		if count > 0 {
			report(hit)
		}
	}
}

// namesBefore are the names with other letters that the merge base has in the touched files.
func namesBefore(c *Change) map[string]bool {
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

// spelled writes the letters that look like others as their numbers.
func spelled(text string) string {
	var out strings.Builder
	for _, r := range text {
		if latin, _ := latinOf(r); r >= utf8.RuneSelf && latin != 0 {
			fmt.Fprintf(&out, "<U+%04X>", r)
		} else {
			out.WriteRune(r)
		}
	}
	return out.String()
}

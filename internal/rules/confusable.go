package rules

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/closeout-gate/closeout/internal/source"
)

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

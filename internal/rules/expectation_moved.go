package rules

import (
	"bytes"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/closeout-gate/closeout/internal/git/linediff"
	"github.com/closeout-gate/closeout/internal/source"
	"github.com/closeout-gate/closeout/verify/input"
)

// findExpectationMoved finds, where nothing but tests changes, exact assertions that expect another literal, and tables
// with fewer rows.
func findExpectationMoved(c *Change, report func(Hit)) {
	tested := map[string]bool{} // the first directories of test files
	for _, f := range c.Files {
		if f.hasTests() {
			tested[strings.Split(f.Path, "/")[0]] = true
		}
	}
	reasons := slices.DeleteFunc(slices.Clone(c.Files), func(f *File) bool { return !f.maySayWhy(tested) })
	if slices.ContainsFunc(reasons, func(f *File) bool { return f.Lang() == source.None }) {
		return
	}
	defined := sync.OnceValue(func() map[string]bool { // by the code that changes
		names := map[string]bool{}
		for _, f := range reasons {
			for _, v := range []*source.File{f.Base, f.Head} {
				for n := 1; v != nil && n <= v.Lines(); n++ {
					for _, name := range definedOn(v.CodeLine(n)) {
						names[name] = true
					}
				}
			}
		}
		return names
	})
	c.tests()
	kept := map[string]bool{}
	for _, f := range c.Files {
		for key := range f.addedKeys() {
			kept[key] = true
		}
	}
	for _, f := range c.Files {
		if f.Base == nil || f.Head == nil {
			continue
		}
		if len(reasons) == 0 && len(tested) == 0 && ends(f.Path, ".snap", ".ambr") && f.isAnotherSnapshot() {
			report(f.hit(f.Removed()[0].Number, f.Added()[0].Number, "", "a snapshot changes, and neither code nor a test does",
				fixExpectation))
		}
		if !f.hasTests() {
			continue
		}
		var other, lost firstHit
		if len(reasons) == 0 {
			for _, h := range f.otherLiterals() {
				other.add(h)
			}
		}
		var fresh []string // the names of new tests
		for _, one := range f.head {
			if one.twin == nil {
				fresh = append(fresh, one.Name)
			}
		}
		slices.Sort(fresh)
		for _, row := range f.lostRows(kept) {
			if t := innermost(f.base, row.Number); t != nil {
				if at, _ := slices.BinarySearch(fresh, t.Name); at < len(fresh) && begins(fresh[at], t.Name) { // the row may be there
					continue
				}
			}
			lost.add(f.hit(row.Number, 0, "", "a table of tests has a row fewer, and no code that the tests name changes",
				"restore the row, or say in the description why it is not needed"))
		}
		if len(reasons) > 0 && lost.count > 0 {
			eachCodeWord(f.Base, func(word []byte, _ int) {
				if defined()[string(word)] {
					lost.count = 0 // the code that it tests may say why
				}
			})
		}
		other.report(report)
		lost.report(report)
	}
}

// isAnotherSnapshot reports whether a snapshot has lines in place of others for the same input, which insta writes
// down. Of JSON their order does not count.
func (f *File) isAnotherSnapshot() bool {
	was, now := f.Removed(), f.Added()
	if min(len(was), len(now)) == 0 || begins(now[0].Text, "expression:") {
		return false
	}
	if begins(f.Head.Text, "{") {
		now, was = cancel(now, was, func(l linediff.Line) string { return strings.TrimRight(lineKey(l.Text), ",") })
	}
	return len(was)+len(now) > 0
}

// documents are the extensions of what people or tests read.
const documents = " .md .mdx .rst .txt .adoc .html .ipynb .snap .svg .csv .patch .diff "

// maySayWhy reports whether a file that is no test changes what tests see: a line of code, a manifest or data. What
// lies below a directory with a dot is seen by the tests there. tested are the first directories of tests.
func (f *File) maySayWhy(tested map[string]bool) bool {
	if f.Lang() == source.None {
		isTelling := func(l linediff.Line) bool { return !isBlank(l.Text) }
		if f.Base != nil && f.Head != nil && !slices.ContainsFunc(f.Added(), isTelling) && !slices.ContainsFunc(f.Removed(), isTelling) {
			return false
		}
		isSeen := !begins(f.Path, ".") || tested[strings.Split(f.Path, "/")[0]]
		return (isSeen && !isIn(strings.ToLower(path.Ext(f.Path)), documents) && !f.isTest()) ||
			manifestOf(f.Path) != nil || ends(f.Path, ".json")
	}
	if f.isTest() {
		return false
	}
	program := func(v *source.File, lines []linediff.Line) (text []byte) { // without comments and blanks
		for _, l := range lines {
			if line := bytes.TrimLeft(l.Text, " \t"); v.Lang == source.Rust && begins(line, "///", "//!") {
				text = append(text, line...) // a program may print what its types say
			} else if !v.InTest(l.Number) {
				text = squeeze(text, appendLive(nil, v, l.Number))
			}
		}
		return text
	}
	return f.Base == nil || f.Head == nil || !bytes.Equal(program(f.Base, f.Removed()), program(f.Head, f.Added()))
}

// otherLiterals pairs the exact assertions of each place that differ in what they expect alone.
func (f *File) otherLiterals() (list []Hit) {
	before := sync.OnceValue(func() map[string]bool { return assertionKeys(assertionsOf(f.Base, f.Removed())) })
	after := sync.OnceValue(func() map[string]bool { return assertionKeys(assertionsOf(f.Head, f.Added())) })
	given := sync.OnceValue(f.givenAnew)
	for _, hunk := range f.Hunks() {
		if max(len(hunk.Removed), len(hunk.Added)) > maxHunk {
			continue
		}
		list = append(list, f.otherLines(hunk)...)
		removed, fresh := assertionsOf(f.Base, hunk.Removed), assertionsOf(f.Head, hunk.Added)
		if len(removed) != len(fresh) {
			continue
		}
		for i, now := range fresh {
			was := removed[i]
			same := was.rank == exact && now.rank == exact && slices.Equal(was.subjects, now.subjects) &&
				shape(was.code) == shape(now.code)
			if !same || len(now.expected) == 0 || plain(was.expected) == plain(now.expected) {
				continue
			}
			isEdited := was.first-hunk.Removed[0].Number == now.first-hunk.Added[0].Number &&
				indentOf(was.text) == indentOf(now.text)
			t := innermost(f.head, now.first)
			if slices.ContainsFunc(between(given(), now.first-nearby, now.first-1), func(l linediff.Line) bool {
				around := innermost(f.head, l.Number)
				return around == t || around == nil
			}) {
				continue // another value is right for another input
			}
			if isEdited || (!after()[was.key] && !before()[now.key]) { // else the place is written anew
				h := now.hit(was, expectsAnother)
				h.File, h.Fix = f.Path, fixExpectation
				list = append(list, h)
			}
		}
	}
	return list
}

// givenAnew are the added lines that stand for others, where both are neither assertions nor begin a test.
func (f *File) givenAnew() (list []linediff.Line) {
	given := func(v *source.File, lines []linediff.Line) []linediff.Line {
		return slices.DeleteFunc(slices.Clone(lines), func(l linediff.Line) bool {
			code := v.CodeLine(l.Number)
			return !isTelling(code) || declaresTest(code[:min(len(code), maxNear)]) || assertionAround(v, l.Number) != nil
		})
	}
	for _, hunk := range f.Hunks() {
		if max(len(hunk.Removed), len(hunk.Added)) > maxHunk {
			continue
		}
		was := map[string]bool{} // without comments
		for _, l := range given(f.Base, hunk.Removed) {
			was[string(squeeze(nil, appendLive(nil, f.Base, l.Number)))] = true
		}
		if len(was) > 0 {
			list = append(list, slices.DeleteFunc(given(f.Head, hunk.Added), func(l linediff.Line) bool {
				return was[string(squeeze(nil, appendLive(nil, f.Head, l.Number)))]
			})...)
		}
	}
	return list
}

// assertionKeys are what some assertions say.
func assertionKeys(assertions []*Assertion) map[string]bool {
	keys := map[string]bool{}
	for _, s := range assertions {
		keys[s.key] = true
	}
	return keys
}

const (
	expectsAnother = "the test expects another value, and no code changes"
	fixExpectation = "restore the value, or say in the description why the old one was wrong"
)

// otherLines pairs the rows of a table that differ in their last literal alone, which is what most tables expect, and
// the lines that set what is expected.
func (f *File) otherLines(hunk linediff.Hunk) (list []Hit) {
	if len(hunk.Removed) != len(hunk.Added) {
		return nil
	}
	for i, now := range hunk.Added {
		was := hunk.Removed[i]
		before, old := lastOfRow(f.Base, was.Number)
		same, fresh := lastOfRow(f.Head, now.Number)
		if before == "" && len(hunk.Added) == 1 { // what is given may change with what is wanted
			before, old = setOn(f.Base, was.Number)
			same, fresh = setOn(f.Head, now.Number)
			if !beginsWithWord(before, "want", "expected", "exp") || !isLiteral([]byte(old)) || !isLiteral([]byte(fresh)) {
				continue
			}
		}
		if before != "" && before == same && plain([]string{old}) != plain([]string{fresh}) {
			list = append(list, f.hit(was.Number, now.Number, "", expectsAnother, fixExpectation))
		}
	}
	return list
}

// lastOfRow splits a row of a table before its last element, if that is a literal and another one stands before it.
func lastOfRow(v *source.File, n int) (before, last string) {
	code := bytes.TrimRight(v.CodeLine(n), " \t\r,;)]}")
	comma := bytes.LastIndexByte(code, ',')
	if comma < 0 || !isRow(v, n) {
		return "", ""
	}
	start := comma + 1
	if colon := bytes.IndexByte(code[start:], ':'); colon >= 0 { // want: 3
		start += colon + 1
	}
	if !isLiteral(code[start:]) {
		return "", ""
	}
	text := v.Line(n)
	return string(bytes.TrimSpace(text[:start])), strings.TrimSpace(string(text[start:len(code)]))
}

// plain writes literals without what only formats them.
func plain(literals []string) string {
	return strings.NewReplacer("'", `"`, "`", `"`, "_", "").Replace(strings.Join(literals, "\n"))
}

// tableRow matches a line that is a whole row of a table of tests.
var tableRow = input.Lazily(`^(?:"[^"]*":\s*)?(?:\{.+\}|\[.+\]|\(.+\)|pytest\.param\(.+\)),$|^\[(?:InlineData|TestCase|DataRow|Arguments)\(.*\)\]$|^#\[(?:test_)?case\(.*\)\]$|^\$\{.+\}\s+\|?\s*\$\{.+\}$|^@(?:example|pytest\.param)\(.*\)$`)

// isRow reports whether a line of code is a row of a table of tests.
func isRow(v *source.File, n int) bool {
	line := codeOn(v, n)
	if v.Lang == source.Java && begins(line, `"`) && ends(line, `"`, `",`) {
		around := v.Enclosing(n)
		return len(around) > 0 && has(v.CodeLine(around[len(around)-1]), "Source(")
	}
	return len(line) > 0 && len(line) < maxNear && strings.IndexByte("\"{[(p#$@", line[0]) >= 0 && tableRow().Match(line)
}

// isStep reports whether a row belongs to a slice of Rust that is one argument of a call.
func isStep(v *source.File, n int) bool {
	for at := n - 1; v.Lang == source.Rust && at > max(0, n-maxHunk); at-- {
		if code := codeOn(v, at); ends(code, "[") {
			return string(code) == "&[" && isArgument(v, at)
		}
	}
	return false
}

// listOn is the first list of literals on a line that begins a loop or a table, and the line without it.
func listOn(v *source.File, n int) (line string, elements []string) {
	code := codeOn(v, n)
	if len(code) > maxNear || (!loops().Match(code) && !has(code, "Source(")) {
		return "", nil
	}
	all := lineSpan(v, n)
	for i, c := range all.code {
		if strings.IndexByte("([{", c) < 0 {
			continue
		}
		isCall := c == '(' && source.IsWord(at(all.code, i-1)) && !ends(all.code[:i], "of", "Of")
		if end := closing(all.code, i); end > i+1 && !isCall &&
			!slices.ContainsFunc([]byte(shape(all.code[i+1:end])), source.IsWord) {
			for _, element := range split(all.cut(i+1, end), ",") {
				elements = append(elements, element.key())
			}
			return string(all.text[:i]) + string(all.text[end:]), elements
		}
	}
	return "", nil
}

// shortened are the lists of literals that tests go through and that lose some which the added lines do not have.
func (f *File) shortened(hunk linediff.Hunk, joined string) (lines []linediff.Line) {
	for i, l := range hunk.Removed[:min(len(hunk.Removed), len(hunk.Added), maxHunk)] {
		before, elements := listOn(f.Base, l.Number)
		after, left := listOn(f.Head, hunk.Added[i].Number)
		if before != "" && before == after && len(left) < len(elements) &&
			slices.ContainsFunc(elements, func(e string) bool { return !strings.Contains(joined, e) }) {
			lines = append(lines, l)
		}
	}
	return lines
}

// lostRows are the rows that the tables of a file lose, beside others that stay. kept are the lines that the change
// adds anywhere.
func (f *File) lostRows(kept map[string]bool) (rows []linediff.Line) {
	fresh, joined := 0, "" // a table may stand on one line now
	isNew := func(l linediff.Line) bool { return isRow(f.Head, l.Number) }
	for _, l := range f.Added() {
		if isNew(l) {
			fresh++
		}
		if len(joined) < 32<<10 {
			joined += liveKey(f.Head, l.Number)
		}
	}
	var short []linediff.Line
	for _, hunk := range f.Hunks() {
		short = append(short, f.shortened(hunk, joined)...)
		n := len(hunk.Removed)
		if n == 0 || (!isRow(f.Base, hunk.Removed[0].Number-1) && !isRow(f.Base, hunk.Removed[n-1].Number+1) &&
			!slices.ContainsFunc(hunk.Added, isNew)) {
			continue
		}
		for i, l := range hunk.Removed {
			if isRow(f.Base, l.Number) && !isStep(f.Base, l.Number) && !kept[lineKey(l.Text)] && (i >= maxHunk || !strings.Contains(joined, strings.TrimSuffix(lineKey(l.Text), ","))) {
				rows = append(rows, l)
			}
		}
	}
	return append(rows[:max(0, len(rows)-fresh)], short...)
}

package rules

import (
	"bytes"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/internal/source"
	"github.com/closeout-gate/closeout/verify/input"
)

// findRemovedTest finds tests that are gone.
func findRemovedTest(c *Change, report func(Hit)) {
	reportGone(c, report, goneAlone, "deleted", "restore the test, or say in the description why it is not needed")
}

// mostRows is for how many files there is a row each: of more, those of one directory share a row.
const mostRows = 20

// reportGone reports tests that are gone, a hit for each file.
func reportGone(c *Change, report func(Hit), wanted whereabouts, what, fix string) {
	var gone []*Test
	files := map[*File]bool{}
	table := c.tests()
	for _, one := range table.gone {
		if table.whereaboutsOf(one) == wanted && one.mark == 0 { // one that was skipped checked nothing
			gone, files[one.in] = append(gone, one), true
		}
	}
	isNext := func(a, b *Test) bool {
		return a.in != b.in && (len(files) <= mostRows || path.Dir(a.in.Path) != path.Dir(b.in.Path))
	}
	for len(gone) > 0 {
		n, in := 1, int64(1) // in so many files
		for ; n < len(gone) && !isNext(gone[0], gone[n]); n++ {
			if gone[n].in != gone[n-1].in {
				in++
			}
		}
		h := hitOn(gone[:n], what)
		if in > 1 {
			h.Detail += ", in " + input.Plural(in, "file") + " of " + path.Dir(h.File)
		} else if gone[0].in.isDeleted() {
			h.Detail += "; the whole file is deleted"
		}
		h.Base, h.Was, h.Fix = true, string(gone[0].of.Line(gone[0].Line)), fix
		report(h)
		gone = gone[n:]
	}
}

// whereabouts say where a test of the base is at the head, which does not have it by its name.
type whereabouts int8

const (
	goneAlone       whereabouts = iota // nothing of it is left
	movedElsewhere                     // its lines, or what they say, are in another test
	leftUnseen                         // its lines are there, but no runner sees them
	goneWithItsCode                    // what it tests is gone too
)

// mostFolded bounds how many words are looked for in names of tests: for the tests behind them, only their lines tell.
const mostFolded = 1 << 22

// mostParked bounds how many names are looked for in those of new files: the lines of the files behind them are all
// read.
const mostParked = 1 << 26

type place struct {
	file *File
	line int
}

// index notes where each added line of a test, or of a file with a name like a test's, is.
func (f *testTable) index() {
	f.lines, f.words = map[uint64][]place{}, map[string]map[string]bool{}
	code := map[string]bool{} // of files that are no tests and gone: what is parked had no other place
	for _, file := range f.c.Files {
		if file.Head == nil && file.Base != nil && file.isNoTest() {
			for _, removed := range file.Removed() {
				code[lineKey(removed.Text)] = true
			}
		}
	}
	for _, file := range f.c.Files {
		mayTest := file.mayTest()
		if file.Head == nil || (!mayTest && !f.looksParked(file)) {
			continue
		}
		words := map[string]bool{}
		for _, added := range file.Added() {
			trimmed := bytes.TrimSpace(added.Text)
			if !isTelling(trimmed) || (!mayTest && code[lineKey(trimmed)]) {
				continue
			}
			if h := hashOf(trimmed); len(f.lines[h]) < 4 {
				f.lines[h] = append(f.lines[h], place{file, added.Number})
			}
			if mayTest {
				eachWord(appendLive(nil, file.Head, added.Number), func(w string) { words[w] = true })
			}
		}
		for _, key := range []string{file.Path, path.Dir(file.Path) + "/"} {
			if f.words[key] == nil {
				f.words[key] = map[string]bool{}
			}
			maps.Copy(f.words[key], words)
		}
	}
}

// looksParked reports whether a new file that may have no tests has the name of a file of tests that are gone.
func (f *testTable) looksParked(file *File) bool {
	if file.Base != nil {
		return false
	}
	if f.stems == nil {
		stems := map[string]bool{}
		for _, one := range f.gone {
			stem, _, _ := strings.Cut(path.Base(one.in.Path), ".")
			stems[stem] = true
		}
		delete(stems, "")
		f.stems = slices.AppendSeq([]string{}, maps.Keys(stems))
	}
	f.parked += len(f.stems)
	return f.parked > mostParked || has(path.Base(file.Path), f.stems...)
}

// words are those of a test, and whether another one that says the same must have them: a row of a table need not have
// its name, nor what marks any test.
func (t *Test) words() map[string]bool {
	words := map[string]bool{}
	for n := t.Line; n <= t.End; n++ {
		line := codeOn(t.of, n)
		needed := !begins(line, "[", "@", "#[") || has(line, "(")
		eachWord(appendLive(nil, t.of, n), func(w string) { words[w] = words[w] || needed })
	}
	if n := declarationLine(t.of, t.Test); n < t.Body && t.of.Lang == source.Python { // its parameters need no names elsewhere
		eachWord(t.of.CodeLine(n), func(w string) { words[w] = false })
	}
	eachWord([]byte(ownName(t.Name)), func(w string) { words[w] = false })
	return words
}

// whereaboutsOf tells what became of a test.
func (f *testTable) whereaboutsOf(t *Test) whereabouts {
	if f.lines == nil {
		f.index()
		f.compareProduction()
	}
	known, found := f.answers[t]
	if !found {
		known = f.find(t)
		f.answers[t] = known
	}
	return known
}

func (f *testTable) find(t *Test) whereabouts {
	if t.isCrowded {
		return goneAlone
	}
	if at, found := f.leftover(t); found {
		switch {
		case f.isRun(at, t), !runnerFinds(at.file.Path) && (f.renames(at.file) || f.inherits(at)):
			return movedElsewhere
		case runnerFinds(t.in.Path) && (t.stayed > 0 || !at.file.mayTest() || !runnerFinds(at.file.Path)):
			return leftUnseen
		}
		return goneAlone
	}
	words := t.words()
	switch {
	case f.isConverted(t, words):
		return movedElsewhere
	case f.mentionsCode(t, words):
		return goneWithItsCode
	}
	return goneAlone
}

// inherits reports whether a place is in a class of Python that a file of tests imports and names, or in what one of
// Ruby includes.
func (t *testTable) inherits(at place) bool {
	blocks, lang := at.file.Head.Enclosing(at.line), at.file.Lang()
	isClass := lang == source.Python && len(blocks) > 0 && firstWord(at.file.Head.CodeLine(blocks[0])) == "class"
	return (isClass || lang == source.Ruby) && t.imports(at)
}

// leftover finds most lines of a test in one file of the head.
func (f *testTable) leftover(t *Test) (place, bool) {
	lines := t.bodyLines()
	if len(lines) == 0 {
		return place{}, false
	}
	if t.stayed > 0 {
		return place{t.in, t.stayed}, true
	}
	counts, first := map[*File]int{}, map[*File]int{}
	for _, line := range lines {
		for i, at := range f.lines[hashOf(line)] {
			if i > 0 && f.lines[hashOf(line)][i-1].file == at.file {
				continue
			}
			if counts[at.file]++; counts[at.file] == 1 {
				first[at.file] = at.line
			}
		}
	}
	best := mostVotes(counts, func(a, b *File) int { return strings.Compare(a.Path, b.Path) })
	if best == nil || 5*counts[best] < 3*len(lines) {
		return place{}, false
	}
	return place{best, first[best]}, true
}

// isRun reports whether a place is in a test, or in a function that is called.
func (f *testTable) isRun(at place, t *Test) bool {
	if !at.file.mayTest() || (runnerFinds(t.in.Path) && !runnerFinds(at.file.Path) && at.file.Lang() == t.in.Lang()) {
		return false
	}
	if isBlank(at.file.Head.CodeLine(at.line)) {
		return false // in a comment
	}
	if innermost(at.file.head, at.line) != nil || f.callsMacro(at) {
		return true
	}
	return slices.ContainsFunc(at.file.Head.Enclosing(at.line), func(b int) bool {
		block := place{at.file, b}
		known, asked := f.running[block]
		if !asked {
			line := at.file.Head.CodeLine(b)
			known = declaresTest(line) ||
				slices.ContainsFunc(callsOf(line), func(name string) bool { return f.isCalled(name, at.file, b) })
			f.running[block] = known
		}
		return known
	})
}

// callsMacro reports whether a place is in a call that runs a macro of AVA.
func (f *testTable) callsMacro(at place) bool {
	v := at.file.Head
	indent := maxNear
	for n := at.line; isScript(v.Lang) && n > max(0, at.line-maxHunk) && indent > 0; n-- {
		if own := indentOf(v.CodeLine(n)); own >= indent || isBlank(v.CodeLine(n)) {
			continue
		} else {
			indent = own
		}
		key := [2]string{v.Path, "const " + firstWord(codeOn(v, n)) + " ="}
		if _, known := f.imported[key]; !known && len(f.imported) < maxImported {
			made := linesWith(v, v.Code, key[1])
			f.imported[key] = len(made) > 0 && has(v.CodeLine(made[0]), "acro(")
		}
		if f.imported[key] {
			return true
		}
	}
	return false
}

// isCalled reports whether a function is mentioned anywhere but where it is declared.
func (f *testTable) isCalled(name string, in *File, declared int) bool {
	if f.mentioned == nil {
		f.findMentions()
	}
	return slices.ContainsFunc(f.mentioned[name], func(at place) bool { return at != place{in, declared} })
}

// findMentions reads the tests of the head once for all names that will be asked for: a large change can have
// thousands. Two places of a name are enough.
func (f *testTable) findMentions() {
	f.mentioned = map[string][]place{}
	seen := map[place]bool{}
	for _, one := range f.gone {
		if at, found := f.leftover(one); found {
			for _, b := range at.file.Head.Enclosing(at.line) {
				if block := (place{at.file, b}); seen[block] {
					continue
				} else {
					seen[block] = true
				}
				for _, name := range callsOf(at.file.Head.CodeLine(b)) {
					f.mentioned[name] = nil
				}
			}
		}
	}
	for _, file := range f.files {
		if file.Head == nil {
			continue
		}
		eachCodeWord(file.Head, func(word []byte, line int) {
			at := place{file, line}
			if known, asked := f.mentioned[string(word)]; asked && len(known) < 2 && !slices.Contains(known, at) && !isOfValue(file.Head, word, line) {
				f.mentioned[string(word)] = append(known, at)
			}
		})
	}
}

// isOfValue reports whether a word of Java or C# is a method of a value: that of the code under test may be called like
// the test.
func isOfValue(v *source.File, word []byte, n int) bool {
	if plainLang(v.Lang) != source.Java && v.Lang != source.CSharp {
		return false
	}
	line := v.CodeLine(n)
	before, isMember := bytes.CutSuffix(line[:cap(line)-cap(word)], []byte("."))
	if !isMember {
		return false
	}
	owner := before[bytes.LastIndexFunc(before, func(r rune) bool { return !source.IsWord(byte(r)) })+1:]
	return len(owner) == 0 || (owner[0] >= 'a' && owner[0] <= 'z' && !oneOf(string(owner), "this", "super", "base"))
}

// isConverted reports whether what a test says is in tests that are new: as the row of a table, or written in another
// way.
func (f *testTable) isConverted(t *Test, words map[string]bool) bool {
	for _, key := range []string{t.in.Path, path.Dir(t.in.Path) + "/"} {
		there, missing := 0, 0
		for w, needed := range words {
			if f.words[key][w] {
				there++
			} else if needed {
				missing++
			}
		}
		if there > 0 && there >= 4*missing {
			return true
		}
	}
	return false
}

// compareProduction notes the names that the touched production files do not have any more.
func (f *testTable) compareProduction() {
	f.defined = map[string]bool{}
	for _, file := range f.c.Files {
		if file.Base == nil || !file.isNoTest() {
			continue
		}
		if file.Head == nil {
			if stem, _, _ := strings.Cut(path.Base(file.Path), "."); len(stem) > 2 && !oneOf(stem, "index", "main", "mod") {
				f.defined[stem] = true
			}
		}
		for _, line := range file.Removed() {
			code := file.Base.CodeLine(line.Number)
			if (file.Lang() == source.Rust && file.Base.InTest(line.Number)) || definesValue(code) { // a line of the program is no reason
				continue
			}
			for _, name := range definedOn(code) {
				f.defined[name] = true
			}
		}
	}
	for _, file := range f.c.Files {
		if file.Head == nil || !file.isNoTest() {
			continue
		}
		eachWord(file.Head.Text, func(w string) { delete(f.defined, w) })
	}
}

// isNoTest reports whether a file is code that is no test; see isProduction for what also leaves out configuration and
// examples.
func (f *File) isNoTest() bool { return f.Lang() != source.None && !f.isTest() }

var (
	definition = input.Lazily(`(?:^|[^\w.])(?:(?:func|def|class|fn|struct|enum|trait|interface|type|const|function|module|record|macro_rules|static|let|var|object|` +
		`mod)[^\w.]+)+(?:[\w.]*\.)?(\w{3,})`)
	methodLine = input.Lazily(`^func \([^(]*\b(\w{3,})\(|^[^(]*\b(?:public|private|protected|internal|override|async)\b[^(]*\b(\w{3,})\(`)
)

// defining are words of which each definition has one.
var defining = wordSet("func def class fn struct enum trait interface type const function module record macro_rules static let var object mod " +
	"public private protected internal override async")

// definedOn are the names that a line defines.
func definedOn(line []byte) (names []string) {
	line = line[:min(len(line), maxNear)]
	isDefinition := false
	for word := range wordsIn(line) {
		isDefinition = isDefinition || defining()[string(word)]
	}
	if !isDefinition {
		return nil
	}
	for _, m := range append(definition().FindAllSubmatch(line, -1), methodLine().FindSubmatch(line)) {
		names = append(names, string(bytes.Join(m[min(1, len(m)):], nil)))
	}
	return names
}

// definesValue reports whether a line defines a variable or a constant, no function and no type.
func definesValue(line []byte) bool {
	line = bytes.TrimPrefix(bytes.TrimLeft(line, " \t"), []byte("export "))
	return isIn(firstWord(line), " const let var static final readonly ") &&
		!has(line, "=>", "function", "lambda", "class ", "(")
}

// mentionsCode reports whether the name or the body of a test has a word that production code defined.
func (f *testTable) mentionsCode(t *Test, words map[string]bool) bool {
	eachWord([]byte(t.Name), func(w string) { words[w] = true }) // of its groups
	for w := range words {
		if f.defined[w] {
			return true
		}
	}
	if f.folded += len(f.defined); f.folded > mostFolded {
		return false
	}
	folded := fold(t.Name)
	for w := range f.defined {
		if len(w) > 4 && has(folded, fold(w)) {
			return true
		}
	}
	return false
}

// declaresTest reports whether a line that opens a block calls what declares a test, or examples for several.
func declaresTest(line []byte) bool {
	return slices.ContainsFunc(append(callsOf(line), firstWord(line)), func(name string) bool {
		return isIn(name, " it its test specify example scenario Run each context describe shared_examples shared_context "+
			"shared_examples_for It Describe ")
	})
}

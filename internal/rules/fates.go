package rules

import (
	"bytes"
	"cmp"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/closeout-gate/closeout/internal/source"
)

// fate is what became of a test of the base that the head does not have by its name.
type fate int8

const (
	fateRemoved  fate = iota // nothing of it is left
	fateMoved                // its lines, or what they say, are in another test
	fateDisabled             // its lines are there, but no runner sees them
	withItsCode              // what it tests is gone too
	withSomeCode             // something that it mentions is gone
)

// fates tells what became of the tests that are gone.
type fates struct {
	table *testTable
	c     *Change
	lines map[uint64][]place // of added lines
	words map[string]map[string]bool
	// defined are names that production code of the base defines, and the touched files of the head do not mention any more.
	defined map[string]bool
	// dropped are names that a production file defines more often at the base than at the head.
	dropped map[string]bool
	// vanished are all other words of which that is true.
	vanished map[string]bool
	// touched are the functions and types of which some lines change, and that are still there and no shorter: what loses
	// lines may lose what the test was about.
	touched map[string][]*File
	// retested are the names in tests that are new, or in new lines of tests and their helpers, in small letters.
	retested map[string]bool
	// mentioned are the places of the names of functions that the lines of tests are in now; see isCalled.
	mentioned map[string]*mention
	told      map[*testCase]told
	folded    int // how many words were looked for in names of tests
}

// mostFolded bounds how many words are looked for in names of tests: for the tests behind them, only their lines tell.
const mostFolded = 1 << 22

// told is an answer about a test that is given several times.
type told struct {
	fate
	at place
}

// mention is where a name is at the head: the first place, and whether there is one on another line.
type mention struct {
	first place
	again bool
}

type place struct {
	file *File
	line int
}

func (c *Change) fates() *fates {
	t := c.tests()
	if t.fates == nil {
		t.fates = &fates{table: t, c: c, told: map[*testCase]told{}}
		if len(t.gone) > 0 {
			t.fates.index()
			t.fates.compareProduction()
			t.fates.findTouched()
		}
	}
	return t.fates
}

// index notes where each added line of a test, or of a file with a name like a test's, is.
func (f *fates) index() {
	f.lines, f.words = map[uint64][]place{}, map[string]map[string]bool{}
	for _, file := range f.c.Files {
		if file.Head == nil || !file.mayTest() && !f.looksParked(file) {
			continue
		}
		words := map[string]bool{}
		for _, added := range file.Added() {
			if len(added.Text) > 64<<10 {
				continue
			}
			trimmed := bytes.TrimSpace(added.Text)
			if !isTelling(trimmed) {
				continue
			}
			if h := hashOf(trimmed); len(f.lines[h]) < 4 {
				f.lines[h] = append(f.lines[h], place{file, added.Number})
			}
			if file.mayTest() {
				eachWord(withoutComments(file.Head, added.Number), func(w string) { words[w] = true })
			}
		}
		dir := path.Dir(file.Path)
		f.words[file.Path] = words
		if f.words[dir+"/"] == nil {
			f.words[dir+"/"] = map[string]bool{}
		}
		for w := range words {
			f.words[dir+"/"][w] = true
		}
	}
}

// looksParked reports whether a new file that no language claims has the name of a file of tests that are gone.
func (f *fates) looksParked(file *File) bool {
	if file.Base != nil || file.Lang() != source.None {
		return false
	}
	name := path.Base(file.Path)
	for _, one := range f.table.gone {
		if stem, _, _ := strings.Cut(path.Base(one.in.Path), "."); stem != "" && strings.Contains(name, stem) {
			return true
		}
	}
	return false
}

func withoutComments(v *source.File, n int) []byte {
	line, comments := v.Line(n), v.CommentLine(n)
	for i, c := range comments {
		if c != ' ' && c != '\t' && i < len(line) {
			return line[:i]
		}
	}
	return line
}

// eachWord gives the words and numbers of a text that say something.
func eachWord(text []byte, give func(string)) {
	for i := 0; i < len(text); {
		if !source.IsWord(text[i]) {
			i++
			continue
		}
		start := i
		for i < len(text) && source.IsWord(text[i]) {
			i++
		}
		if w := text[start:min(i, start+100)]; len(w) > 1 && !commonWords[string(w)] || w[0] >= '0' && w[0] <= '9' {
			give(string(w))
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

// of tells the fate of a test. where is the place of its lines at the head.
func (f *fates) of(t *testCase) (what fate, where place) {
	known, found := f.told[t]
	if !found {
		known.fate, known.at = f.tell(t)
		f.told[t] = known
	}
	return known.fate, known.at
}

func (f *fates) tell(t *testCase) (what fate, where place) {
	if at, found := f.leftover(t); found {
		switch {
		case f.isRun(at, t):
			return fateMoved, at
		case runnerFinds(t.in.Path) && (t.stayed > 0 || !at.file.mayTest() || !runnerFinds(at.file.Path)):
			return fateDisabled, at
		}
		return withSomeCode, at
	}
	if f.isConverted(t) {
		return fateMoved, place{}
	}
	switch {
	case f.mentions(t, f.defined):
		return withItsCode, place{}
	case f.mentions(t, f.vanished):
		return withSomeCode, place{}
	}
	return fateRemoved, place{}
}

// leftover finds most lines of a test in one file of the head.
func (f *fates) leftover(t *testCase) (place, bool) {
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
	var best *File
	for file, n := range counts { // of many files, a test is in few
		if best == nil || cmp.Or(cmp.Compare(n, counts[best]), strings.Compare(best.Path, file.Path)) > 0 {
			best = file
		}
	}
	if best == nil || 5*counts[best] < 3*len(lines) {
		return place{}, false
	}
	return place{best, first[best]}, true
}

// isRun reports whether a place is in a test, or in a function that is called.
func (f *fates) isRun(at place, t *testCase) bool {
	if !at.file.mayTest() || runnerFinds(t.in.Path) && !runnerFinds(at.file.Path) && at.file.Lang() == t.in.Lang() {
		return false
	}
	if len(bytes.TrimSpace(at.file.Head.CodeLine(at.line))) == 0 {
		return false // in a comment
	}
	for _, file := range f.table.files {
		if file.File == at.file && innermost(file.head, at.line) != nil {
			return true
		}
	}
	for _, b := range at.file.Head.Enclosing(at.line) {
		if declaresTest(at.file.Head.CodeLine(b)) {
			return true
		}
		for _, name := range callsOf(at.file.Head.CodeLine(b)) {
			if f.isCalled(name, at.file, b) {
				return true
			}
		}
	}
	return false
}

// isCalled reports whether a function is mentioned anywhere but where it is declared.
func (f *fates) isCalled(name string, in *File, declared int) bool {
	if f.mentioned == nil {
		f.findMentions()
	}
	m := f.mentioned[name]
	return m != nil && (m.again || m.first.file != nil && m.first != place{in, declared})
}

// findMentions reads the tests of the head once for all names that will be asked for: a large change can have thousands.
func (f *fates) findMentions() {
	f.mentioned = map[string]*mention{}
	for _, one := range f.table.gone {
		if at, found := f.leftover(one); found && at.file.mayTest() {
			for _, b := range at.file.Head.Enclosing(at.line) {
				for _, name := range callsOf(at.file.Head.CodeLine(b)) {
					f.mentioned[name] = &mention{}
				}
			}
		}
	}
	for _, file := range f.table.files {
		if file.Head == nil || len(f.mentioned) == 0 {
			continue
		}
		eachCodeWord(file.Head, func(word []byte, line int) {
			switch m := f.mentioned[string(word)]; {
			case m == nil:
			case m.first.file == nil:
				m.first = place{file.File, line}
			default:
				m.again = m.again || m.first != place{file.File, line}
			}
		})
	}
}

// eachCodeWord gives the words of a file's code and their lines.
func eachCodeWord(v *source.File, give func(word []byte, line int)) {
	line := 1
	for i := 0; i < len(v.Code); {
		start := i
		for i < len(v.Code) && source.IsWord(v.Code[i]) {
			i++
		}
		if i > start {
			give(v.Code[start:i], line)
			continue
		}
		if v.Code[i] == '\n' {
			line++
		}
		i++
	}
}

// isConverted reports whether what a test says is in tests that are new: as the row of a table, or written in another way.
func (f *fates) isConverted(t *testCase) bool {
	words := map[string]bool{}
	for n := t.Line; n <= t.End; n++ {
		eachWord(withoutComments(t.of, n), func(w string) { words[w] = true })
	}
	for _, key := range []string{t.in.Path, path.Dir(t.in.Path) + "/"} {
		added := f.words[key]
		count := 0
		for w := range words {
			if added[w] {
				count++
			}
		}
		if len(words) > 0 && 5*count >= 4*len(words) {
			return true
		}
	}
	return false
}

// compareProduction notes the names that the touched production files do not have any more.
func (f *fates) compareProduction() {
	f.defined, f.dropped, f.vanished = map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, file := range f.c.Files {
		if file.Base == nil || !file.isNoTest() {
			continue
		}
		if file.Head == nil {
			if stem, _, _ := strings.Cut(path.Base(file.Path), "."); len(stem) > 2 && stem != "index" && stem != "main" && stem != "mod" {
				f.defined[stem] = true
			}
		}
		defined := map[string]int{}
		for _, line := range file.Removed() {
			if len(line.Text) > 64<<10 || file.Lang() == source.Rust && file.Base.InTest(line.Number) {
				continue
			}
			for _, name := range definedOn(file.Base.CodeLine(line.Number)) {
				f.defined[name] = true
			}
			if !isLocal(file.Base.CodeLine(line.Number)) {
				count(defined, definedOn(file.Base.CodeLine(line.Number)), -1)
			}
			eachWord(withoutComments(file.Base, line.Number), func(w string) {
				if len(w) > 3 && w[0] > '9' {
					f.vanished[w] = true
				}
			})
		}
		if file.Head != nil {
			for _, line := range file.Added() {
				if file.Lang() != source.Rust || !file.Head.InTest(line.Number) {
					count(defined, definedOn(file.Head.CodeLine(line.Number)), 1)
				}
			}
		}
		for name, n := range defined {
			if n < 0 {
				f.dropped[name] = true
			}
		}
	}
	for _, file := range f.c.Files {
		if file.Head == nil || !file.isNoTest() {
			continue
		}
		eachWord(file.Head.Text, func(w string) {
			delete(f.defined, w)
			delete(f.vanished, w)
		})
	}
}

// isNoTest reports whether a file is code that is no test; see isProduction for what also leaves out configuration and examples.
func (f *File) isNoTest() bool { return f.Lang() != source.None && !source.IsTest(f.Path) }

// definedOn are the names that a line defines.
func definedOn(line []byte) []string {
	fields := bytes.FieldsFunc(line, func(c rune) bool { return c < 0x80 && !source.IsWord(byte(c)) && c != '.' })
	var names []string
	for i, word := range fields[:max(0, min(len(fields), 12)-1)] {
		switch string(word) {
		case "func", "def", "class", "fn", "struct", "enum", "trait", "interface", "type", "const", "function", "module", "record", "macro_rules", "static", "let", "var", "object", "mod":
			next := string(fields[i+1])
			if next != "self" && len(next) > 2 {
				names = append(names, next[strings.LastIndexByte(next, '.')+1:])
			}
		case "public", "private", "protected", "internal", "override", "async", "func (":
			if name := methodOn(line); name != "" {
				names = append(names, name)
			}
		}
	}
	if bytes.HasPrefix(line, []byte("func (")) {
		if name := methodOn(line[len("func ("):]); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// methodOn is the word before the first bracket.
func methodOn(line []byte) string {
	i := bytes.IndexByte(line, '(')
	if i < 0 {
		return ""
	}
	start := i
	for start > 0 && source.IsWord(line[start-1]) {
		start--
	}
	if i-start < 3 {
		return ""
	}
	return string(line[start:i])
}

// mentions reports whether the name or the body of a test has one of some words.
func (f *fates) mentions(t *testCase, words map[string]bool) bool {
	if len(words) == 0 {
		return false
	}
	found := false
	for n := t.Line; n <= t.End && !found; n++ {
		eachWord(withoutComments(t.of, n), func(w string) { found = found || words[w] })
	}
	if found {
		return true
	}
	if f.folded += len(words); f.folded > mostFolded {
		return false
	}
	folded := fold(t.Name)
	for w := range words {
		if len(w) > 4 && strings.Contains(folded, fold(w)) {
			return true
		}
	}
	return false
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

// declaresTest reports whether a line that opens a block calls what declares a test, or examples for several.
func declaresTest(line []byte) bool {
	for _, name := range append(callsOf(line), firstWord(line)) {
		switch name {
		case "it", "its", "test", "specify", "example", "scenario", "Run", "each", "context", "describe", "shared_examples", "shared_context", "shared_examples_for", "It", "Describe":
			return true
		}
	}
	return false
}

func firstWord(line []byte) string {
	line = bytes.TrimLeft(line, " \t")
	end := 0
	for end < len(line) && source.IsWord(line[end]) {
		end++
	}
	return string(line[:min(end, 100)])
}

// findTouched notes the functions that change, and the names that changed lines of tests have.
func (f *fates) findTouched() {
	f.touched, f.retested = map[string][]*File{}, map[string]bool{}
	if len(f.table.gone) > mostPlain {
		return
	}
	for _, file := range f.c.Files {
		if file.Base == nil || file.Head == nil || !file.isNoTest() {
			continue
		}
		balance := map[string]int{}
		for _, line := range file.Removed() {
			touch(file.Base, line.Number, balance, -1)
		}
		for _, line := range file.Added() {
			touch(file.Head, line.Number, balance, 1)
		}
		before, after := wordsOf(file.Base, balance), wordsOf(file.Head, balance)
		for name, n := range balance {
			if n >= 0 && before[name] && after[name] {
				f.touched[name] = append(f.touched[name], file)
			}
		}
	}
	for name := range f.dropped {
		delete(f.touched, name)
	}
	for _, file := range f.table.files {
		for _, line := range file.Added() {
			if source.IsTest(file.Path) && !isImport(file.Head.CodeLine(line.Number)) || innermost(file.head, line.Number) != nil {
				f.retest(file.Head, line.Number)
			}
		}
		for _, one := range file.head {
			for n := one.Line; one.twin == nil && !one.Group && n <= one.End; n++ {
				f.retest(one.of, n) // some of its lines may have been those of another test
			}
		}
	}
}

// wordsOf are those of some names that are in the code of a file.
func wordsOf(v *source.File, names map[string]int) map[string]bool {
	words := map[string]bool{}
	if len(names) > 0 {
		eachWord(v.Code, func(w string) {
			if _, asked := names[w]; asked {
				words[w] = true
			}
		})
	}
	return words
}

func (f *fates) retest(v *source.File, n int) {
	eachWord(withoutComments(v, n), func(w string) { f.retested[strings.ToLower(w)] = true })
}

// touch counts a line for the innermost function, or else type, around it.
func touch(v *source.File, n int, balance map[string]int, by int) {
	line := bytes.TrimSpace(v.CodeLine(n))
	if v.Lang == source.Rust && v.InTest(n) || !bytes.ContainsFunc(line, unicode.IsLetter) || line[0] == '@' || line[0] == '[' || line[0] == '#' {
		return
	}
	if bytes.HasPrefix(line, []byte("=>")) && n > 1 {
		n-- // the body of a member of C#; its name stands above
	}
	around := v.Enclosing(n)
	if defined := definedOn(v.CodeLine(n)); len(defined) > 0 && (len(around) == 0 || !isLocal(v.CodeLine(n))) {
		count(balance, defined, by)
		return
	}
	for i := len(around) - 1; i >= 0; i-- {
		head := v.CodeLine(around[i])
		if defined := definedOn(head); len(defined) > 0 && !isLocal(head) {
			count(balance, defined, by)
			return
		}
		switch firstWord(head) {
		case "if", "for", "while", "switch", "catch", "return", "else", "foreach", "using", "lock", "match", "with", "try":
			continue
		}
		if name := methodOn(head); name != "" && !bytes.ContainsAny(head, "=>.") {
			balance[name] += by
			return
		}
	}
}

func count(names map[string]int, list []string, by int) {
	for _, name := range list {
		names[name] += by
	}
}

// isLocal reports whether a line that defines something defines no function and no type, but a variable.
func isLocal(line []byte) bool {
	switch firstWord(line) {
	case "const", "let", "var", "static", "final", "readonly":
		return !containsAny(line, "=>", "function", "lambda")
	}
	return false
}

// isPlain reports whether a test is deleted while a function that it calls changes, and nothing else explains it: few tests are
// gone, the change removes no definition that may have been the reason, and no changed test mentions all of the functions.
func (f *fates) isPlain(t *testCase) bool {
	if len(f.table.gone) > mostPlain || f.mentions(t, f.dropped) || f.addsData() {
		return false
	}
	for name := range f.dropped {
		if f.defined[name] {
			return false
		}
	}
	if f.hasHeir(t) {
		return false
	}
	missed, knows := map[string]bool{}, t.known() // by the names of what changes, whether no changed test has it
	for n := t.Line; n <= t.End; n++ {
		eachReached(t.of.CodeLine(n), t.of.Lang == source.Ruby, func(w string) {
			if slices.ContainsFunc(f.touched[w], knows) {
				missed[w] = !f.retested[strings.ToLower(w)]
			}
		})
	}
	many := 0
	for _, yes := range missed {
		if yes {
			many++
		}
	}
	return many > 0 && 2*many >= len(missed)
}

// known says which other files the file of a test is about: those of its directory, and those that it names. Names such as build
// or run are in many files.
func (t *testCase) known() func(*File) bool {
	text, answers := fold(t.in.Path+"\n"+string(t.of.Text)), map[*File]bool{}
	return func(file *File) bool {
		yes, asked := answers[file]
		if !asked {
			dir, stem := path.Dir(file.Path), strings.TrimSuffix(path.Base(file.Path), path.Ext(file.Path))
			switch stem {
			case "index", "mod", "lib", "main", "__init__":
				if stem = path.Base(dir); stem == "src" || stem == "lib" || stem == "." {
					stem = "" // the root of a package, which tests name by what the manifest calls it
				}
			}
			yes = dir == path.Dir(t.in.Path) || strings.Contains(text, fold(stem))
			answers[file] = yes
		}
		return yes
	}
}

// eachReached gives the words of a line of code that are called, built or reached through something. A call of Ruby needs no bracket.
func eachReached(line []byte, all bool, give func(string)) {
	for i := 0; i < len(line); {
		if !source.IsWord(line[i]) {
			i++
			continue
		}
		start := i
		for i < len(line) && source.IsWord(line[i]) {
			i++
		}
		if all || bytes.IndexByte([]byte("({.:<!"), at(line, i)) >= 0 || start > 0 && (line[start-1] == '.' || line[start-1] == ':') || bytes.HasSuffix(line[:start], []byte("new ")) {
			eachWord(line[start:i], give)
		}
	}
}

// hasHeir reports whether a new test of the file has a name that says the same and more, or less.
func (f *fates) hasHeir(t *testCase) bool {
	name := fold(t.leaf())
	for _, file := range f.table.files {
		for _, one := range file.head {
			if file.File != t.in || one.twin != nil || one.Group {
				continue
			}
			if other := fold(one.leaf()); strings.Contains(other, name) || strings.Contains(name, other) {
				return true
			}
		}
	}
	return false
}

// addsData reports whether a file of test data grows: what a test says may be there now.
func (f *fates) addsData() bool {
	return slices.ContainsFunc(f.c.Files, func(file *File) bool {
		return file.Lang() == source.None && containsAny([]byte("/"+file.Path), "/testdata/", "/fixtures/", "/test-data/") && len(file.Added()) > len(file.Removed())
	})
}

// mostPlain is how many tests may be gone: who deletes more than a few mostly rebuilds something.
const mostPlain = 3

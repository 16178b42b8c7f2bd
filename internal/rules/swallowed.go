package rules

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/closeout-gate/closeout/internal/git/linediff"
	"github.com/closeout-gate/closeout/internal/source"
	"github.com/closeout-gate/closeout/verify/input"
)

// swallowedLines finds assertions that an added block keeps from failing: a try whose handler lets everything pass, or
// a loop over nothing.
func (f *File) swallowedLines(g *gone, d *dead) {
	known, stood := f.surroundings(), sync.OnceValue(f.blocksBefore)
	old, until := &File{Change: f.Change, Head: f.Base, head: f.base}, 0
	knownBefore := old.surroundings()
	wasUnreached := func(was *goneLine) bool {
		return was != nil && slices.ContainsFunc(f.Base.Enclosing(was.line), func(n int) bool {
			how, _ := old.unreached(n, codeOn(f.Base, n), knownBefore)
			return how != ""
		})
	}
	for _, l := range f.Added() {
		if l.Number <= until || len(l.Text) > 400 {
			continue
		}
		f.drawnIn(l, g, d, known)
		how, to := f.unreached(l.Number, codeOn(f.Head, l.Number), known)
		if how == "" {
			continue
		}
		head, kept := liveKey(f.Head, l.Number), map[string]bool(nil)
		if was := g.byKey[head]; was != nil && was.count >= 0 { // the block may have moved: pytest.raises(Exception) is an assertion itself
			kept = stood()
		}
		until = to
		isIdle := len(g.byKey) > 0 && has(how, "over nothing", "never true") // of any assertion
		for n := l.Number; n <= to; n++ {
			kind, _ := findAssertion(f.Lang(), f.Head.CodeLine(n))
			if kind == noAssertion || (kind == helperAssertion && innermost(f.head, n) == nil) { // a hook that ensures what is there
				continue
			}
			key := liveKey(f.Head, n)
			inPlace := isIdle && innermost(f.head, n) != nil && !has(key, "assert_type(")
			if !kept[head+"\n"+key] && (len(between(f.Added(), n, n)) == 0 || inPlace ||
				g.byKey[key] != nil || (n == l.Number && g.hadWithin(f.Head, n))) && !wasUnreached(g.byKey[key]) {
				d.add(Hit{Line: n, Was: string(f.Head.Line(n)), Now: string(l.Text), Detail: how})
			}
		}
	}
}

// drawnIn finds an assertion of the base that an edit of the indent moved into a block that was there and keeps it from
// failing.
func (f *File) drawnIn(l linediff.Line, g *gone, d *dead, known *surroundings) {
	was := g.byKey[strings.TrimLeft(liveKey(f.Head, l.Number), marks)]
	if was == nil || was.count < 0 || !asserts(f.Head, l.Number) {
		return
	}
	around := f.Head.Enclosing(l.Number)
	if len(around) == 0 || len(around) == len(f.Base.Enclosing(was.line)) {
		return
	}
	n := around[len(around)-1]
	why, asked := known.heads[n]
	if !asked {
		why.Detail, why.Line = f.unreached(n, codeOn(f.Head, n), known)
		known.heads[n] = why
	}
	if why.Detail != "" && why.Line >= l.Number && len(between(f.Added(), n, n)) == 0 {
		d.add(f.hit(was.line, l.Number, "", why.Detail, ""))
	}
}

// blocksBefore are the removed assertions that may begin a block, each with every line of it.
func (f *File) blocksBefore() map[string]bool {
	lines, until := map[string]bool{}, 0
	for _, l := range f.Removed() {
		if head := liveKey(f.Base, l.Number); l.Number > until && asserts(f.Base, l.Number) {
			until = blockEnd(f.Base, l.Number)
			for n := l.Number; n <= until; n++ {
				lines[head+"\n"+liveKey(f.Base, n)] = true
			}
		}
	}
	return lines
}

// surroundings are what is asked about a file for each of its lines, each computed once.
type surroundings struct {
	words func() map[string]int // how often each word is in the code of the head
	waits map[int][2]int        // by the line of a test, the first and the last of its lines that may wait; 0 for none
	heads map[int]Hit           // by the line that begins a block around another one, why nothing fails there, and its last line
}

func (f *File) surroundings() *surroundings {
	return &surroundings{
		words: sync.OnceValue(func() map[string]int {
			counts := map[string]int{}
			eachCodeWord(f.Head, func(word []byte, _ int) { counts[string(word)]++ })
			return counts
		}),
		waits: map[int][2]int{}, heads: map[int]Hit{},
	}
}

// unreached tells why nothing fails from a line of the head to another one; "" where it does.
func (f *File) unreached(n int, line []byte, known *surroundings) (how string, to int) {
	end := blockEnd(f.Head, n)
	switch {
	case neverRuns(f.Lang(), line):
		return "behind a condition that is never true", end
	case tries().Match(line) && swallows(f.Head, f.tryEnd(n)):
		return "in a block that swallows its failure", f.tryEnd(n)
	case f.Lang() == source.Python && suppressShape().Match(line):
		return "in a block that swallows its failure", end
	case loopsOverNothing(f.Lang(), line):
		return "in a loop over nothing", end
	case f.isUncalled(n, line, known.words):
		if !begins(line, "def ", "async def ") && ends(bytes.TrimRight(squeeze(nil, f.Head.CodeLine(end)), ";"), "()") {
			return "", 0 // it is called where it ends
		}
		return "in a function that nothing calls", end
	case f.catches(line, known.words) && !has(f.Head.CodeLine(end), "getOrThrow", "onFailure", ".unwrap"):
		return "where its failure is swallowed", end
	case has(line, "catch_unwind("), emptyCatch().Match(line):
		return "where its failure is swallowed", n
	case begins(line, "defer func") && end < n+6 && innermost(f.head, n) != nil &&
		dropped().Match(squeeze(nil, f.Head.Code[offsetOf(f.Head, n):offsetOf(f.Head, end+1)])):
		return "where a panic is dropped", innermost(f.head, n).End
	case f.isLeft(n, end, line, known):
		return "in a block that the test does not wait for", end
	}
	return "", 0
}

// dropped matches, without blanks, what keeps any panic from failing a test in Go.
var dropped = input.Lazily(`^deferfunc\(\)\{(?:(?:_=)?recover\(\)|if\w+:=recover\(\);\w+!=nil\{(?:t\.Logf?\([^{}]*\))?\})\}`)

var catching = input.Lazily(`^(?:(?:var|val|let) (\w+) = )?(?:runCatching\b|Record\.Exception|(?:\w+::)*catch_unwind\()`)

// catches reports whether a line begins a block of which nothing looks at the failure.
func (f *File) catches(line []byte, words func() map[string]int) bool {
	m := catching().FindSubmatch(line)
	return m != nil && (len(m[1]) == 0 || string(m[1]) == "_" || words()[string(m[1])] == 1)
}

// left are statements whose block runs beside a test, by language, and words of a test that may wait for it.
var left = map[source.Lang]struct {
	starts func() *regexp.Regexp
	waits  string
}{
	source.Go: {input.Lazily(`^go func\(`), "Wait( <- select"},
	source.JavaScript: {input.Lazily(`^(?:setTimeout|setImmediate|queueMicrotask|process\.nextTick)\(|^(?:\[[^\]=]*\]|[\w$][\w$.]*(?:\([^=]*\))?)\.(?:forEach\(async|then\(\W*\w*\)? *=>)`),
		"done resolve Promise imers waitFor flush tick await"},
	source.Rust:   {input.Lazily(`^(?:let _\w* = )?(?:(?:\w+::)*spawn\((?:async\b|move\b|\|)|async (?:move )?\{)`), ".await join("},
	source.CSharp: {input.Lazily(`^(?:_ = )?Task\.Run\(`), "await Wait( WhenAll Result"},
	source.Java:   {input.Lazily(`^(?:new Thread\(|(?:CompletableFuture\.runAsync|\w+\.(?:submit|execute))\(|GlobalScope\.launch|thread \{)`), "join( get( await sleep"},
}

// isLeft reports whether a line of a test begins a block that the test does not wait for, as far as the lines around it
// say.
func (f *File) isLeft(n, end int, line []byte, known *surroundings) bool {
	l, listed := left[plainLang(f.Lang())]
	if !listed || !l.starts().Match(line) || isArgument(f.Head, n) { // that reads the lines above
		return false
	}
	t := innermost(f.head, n)
	if t == nil {
		return false
	}
	waits, read := known.waits[t.Line]
	if !read {
		waits = f.waitsOf(t, strings.Fields(l.waits))
		known.waits[t.Line] = waits
	}
	return waits[0] == 0 || (waits[0] >= n && waits[1] < end)
}

// waitsOf finds the first and the last line of a test with one of the words; 0 where there is none.
func (f *File) waitsOf(t *Test, words []string) (found [2]int) {
	for n := t.Line; n <= t.End; n++ {
		if has(f.Head.CodeLine(n), words...) {
			found = [2]int{cmp.Or(found[0], n), n}
		}
	}
	return found
}

// emptyCatch matches a promise whose failure is dropped.
var emptyCatch = input.Lazily(`\.catch\(\s*(?:\w+|\(\w*\))\s*=>\s*(?:\{\s*\}|null|undefined|void 0)\s*\)|\srescue (?:nil|true|false|\d+)\s*$`)

// uncalled matches the start of a function that is a statement, or the value of a variable.
var uncalled = input.Lazily(`^(?:(?:(?:const|let|var|val|auto|final|let mut|Runnable|Action)\s+)*(?:\w+(?:<[^=]*>)?\s+)?(\w+)\s*(?::\s*[^=]+)?:?=\s*)?\(?\s*(?:async\s+)?` +
	`(?:func\([^)]*\)\s*\{|function\s*(\w*)\(|\([^()]*\)\s*(?:=>|->)|\w+\s*=>|\|[^|]*\||lambda\b[^:]*:)`)

var uncalledProc = input.Lazily(`^(?:(\w+) = )?(?:lambda|proc|Proc\.new|->(?: ?\([^)]*\))?) ?(?:do\b|\{)`)

var nestedDef = input.Lazily(`^(?:async )?def (\w+)\(`)

// isUncalled reports whether a line begins a function of a test that no other line of the file names.
func (f *File) isUncalled(n int, line []byte, words func() map[string]int) bool {
	// No other file calls what a file of tests exports.
	if runnerFinds(f.Path) {
		line = bytes.TrimPrefix(line, []byte("export "))
	}
	if f.Lang() == source.Rust && has(line, "=>") { // an arm of a match or a macro
		return false
	}
	if f.Lang() == source.Ruby {
		m := uncalledProc().FindSubmatch(line)
		return m != nil && innermost(f.head, n) != nil && !isArgument(f.Head, n) && (len(m[1]) == 0 || words()[string(m[1])] == 1) &&
			!has(f.Head.CodeLine(blockEnd(f.Head, n)), ".", "[")
	}
	if m := nestedDef().FindSubmatch(line); m != nil && f.Lang() == source.Python {
		b, _ := f.Head.BlockOn(n)
		t := innermost(f.head, n)
		return words()[string(m[1])] == 1 && t != nil && t.Body <= n && !b.Marked
	}
	if !has(line, "func", "=>", "->", "|", "lambda") {
		return false
	}
	m := uncalled().FindSubmatch(line)
	if m == nil {
		return false
	}
	isMember := (isScript(f.Lang()) && len(m[1]) > 0 && !isIn(firstWord(line), " const let var ")) ||
		(f.Lang() == source.CSharp && len(m[1]) > 0 && firstWord(line) == string(m[1]))
	if isMember || (f.Lang() != source.Python && isArgument(f.Head, n)) {
		return false
	}
	name := cmp.Or(string(m[1]), string(m[2]))
	if name == "" {
		return f.Lang() != source.CSharp && f.Lang() != source.Java // there it is an element of an initializer
	}
	return name == "_" || words()[name] == 1
}

// isArgument reports whether a line goes on with a call, a list or an expression that began above it.
func isArgument(v *source.File, n int) bool {
	above := codeOn(v, codeAbove(v, n))
	return len(above) > 0 && strings.IndexByte("(,[=:?&|>+", above[len(above)-1]) >= 0 &&
		(v.Lang != source.Python || !ends(above, ":"))
}

// hadWithin reports whether the base had an assertion that is a part of a line.
func (g *gone) hadWithin(head *source.File, n int) bool {
	kind, start := findAssertion(head.Lang, head.CodeLine(n))
	line := appendLive(nil, head, n)
	if kind == noAssertion || start > len(line) {
		return false
	}
	await := bytes.LastIndex(line[:start], []byte("await "))
	key, _, _ := strings.Cut(string(squeeze(nil, emptyCatch().ReplaceAll(line[start:], nil))), "}catch")
	key = strings.TrimRight(key, ";,}")
	if head.Lang == source.Ruby {
		key = strings.TrimSuffix(strings.TrimSuffix(key, "iffalse"), "unlesstrue")
	}
	first, _, more := strings.Cut(key, ";")
	_, inner, isBlock := strings.Cut(key, "):") // with pytest.raises(Exception): assert x == 1
	if (more && g.byKey[first] != nil) || (isBlock && g.byKey[inner] != nil) {
		return true
	}
	for range 3 { // the brackets of what is around it
		if g.byKey[key] != nil || (await >= 0 && g.byKey["await"+key] != nil) {
			return true
		}
		key = strings.TrimRight(strings.TrimSuffix(key, ")"), ";}")
	}
	return false
}

// tries matches the line that begins a block with a handler.
var tries = input.Lazily(`^(?:try(?:\s*\{.*)?|try:|begin)$`)

// tryEnd is the line of the handler of the block that a line begins; 0 where there is none.
func (f *File) tryEnd(line int) int {
	end := blockEnd(f.Head, line)
	if f.Lang() == source.Ruby {
		end = indentEnd(f.Head, line)
	}
	for n := end; n <= min(f.Head.Lines(), end+6); n++ {
		text := f.Head.CodeLine(n)
		if text = text[:min(len(text), maxNear)]; handler().Match(text) || (n == line && has(text, "catch")) {
			return n
		} else if n > end && !isBlank(text) {
			break
		}
	}
	return 0
}

var handler = input.Lazily(`^[\s}]*(?:except|catch|rescue)\b`)

// caught are the handlers that catch a failed assertion, by language.
var caught = byLanguage(map[source.Lang]string{
	source.Python:     `except\s*:|except\b.*\b(?:Exception|BaseException|AssertionError)\b`,
	source.JavaScript: `catch\b`,
	source.Java:       `catch\s*\([^)]*\b(?:Throwable|Error|AssertionError|AssertionFailedError)\b`,
	source.CSharp:     `catch\s*(?:\{|$)|catch\s*\([^)]*\b(?:Exception|XunitException|AssertionException|AssertFailedException)\b`,
	source.Ruby:       `rescue\b.*(?:\bException\b|ExpectationNotMetError|Assertion)`,
})

// swallows reports whether the handler on a line catches what an assertion throws, and does nothing with it.
func swallows(v *source.File, line int) bool {
	if line == 0 || !caught(v.Lang).Match(v.CodeLine(line)) {
		return false
	}
	last, body := indentEnd(v, line)+1, []byte(nil)
	if b, found := v.BlockOn(line); found && v.Lang != source.Ruby {
		body = v.Code[b.Open+1 : max(b.Open+1, min(b.End, b.Open+maxStatementBytes))]
		if last = v.LineAt(b.End); v.Lang == source.Python {
			last++
		}
	} else {
		for n := line + 1; n < last; n++ {
			body = append(append(body, v.CodeLine(n)...), '\n')
		}
	}
	for text := range bytes.Lines(body) {
		if !isIdle(text) {
			return false
		}
	}
	return last == line || !handler().Match(v.CodeLine(last))
}

var idle = input.Lazily(`^(?:pass|\.\.\.|nil|true|false|return|return nil|return None|continue)?$|^(?:Assert\.(?:Ignore|Inconclusive|Pass|Skip)|pytest\.(?:skip|xfail)|self\.skipTest|skip|console\.\w+|print|println|puts|p|warn|warnings\.warn|System\.(?:out|err)\.\w+|Console\.Write\w*|Debug\.Write\w*|log(?:ger|ging)?\.\w+|\w+\.printStackTrace)\b[^{}]*$`)

// isIdle reports whether a line of a handler does nothing, or only prints.
func isIdle(line []byte) bool {
	line = bytes.Trim(line, " \t\r\n{};")
	return len(line) < 400 && idle().Match(line)
}

var suppressShape = input.Lazily(`^with\s+(?:contextlib\.|pytest\.|self\.)?(?:suppress|raises|assertRaises)\([^)]*\b(?:Exception|BaseException|AssertionError)\b`)

// emptyLoops match the line, without blanks, that begins a loop without a round, by language.
var emptyLoops = byLanguage(map[source.Lang]string{
	source.Ruby:       `^\[\]\.each`,
	source.Python:     `^for.*in(?:\[\]|\(\)|range\(0\)):`,
	source.JavaScript: `^for.*of\[\]\)|^\[\]\.(?:forEach|map)\(`,
	source.Java:       `^for.*(?:\[\]\{\}|\[0\]|(?:List\.of|Collections\.emptyList)\(\))\)`,
	source.CSharp:     `^for.*(?:\[\]\{\}\)|\[0\]\)|Array\.Empty<)`,
	source.Rust:       `^for.*in(?:\[\]as|\[\]\{|0\.\.0\{)`,
	source.Go:         `^for.*(?:range(?:\[\]|map\[).*\{\}\{$|\[:0\]\{)`,
})

// loopsOverNothing reports whether a line begins a loop that has no round.
func loopsOverNothing(lang source.Lang, line []byte) bool {
	return emptyLoops(lang).Match(squeeze(nil, line))
}

// noRows says what became of a table of tests.
const noRows = "the table of the tests has no rows any more"

// loops matches what goes through a table of tests, in code.
var loops = input.Lazily(`\brange\b|\bfor\b|\.each\b|\bforEach\(|\.map\(|\bparametrize\(|\bin\b|\bof\b|\biter\(`)

// emptiedTables finds tables of tests that had rows and have none, so that nothing of their tests runs.
func (f *File) emptiedTables(d *dead) {
	var kept []int
	looked := 0
	for _, hunk := range f.Hunks() {
		first := slices.IndexFunc(hunk.Removed, func(l linediff.Line) bool { return isRow(f.Base, l.Number) })
		if first < 0 || len(hunk.Added) > 1 {
			continue
		}
		open := 0 // the line of the head that begins the table
		if len(hunk.Added) == 1 {
			open = hunk.Added[0].Number
		} else if n := hunk.Removed[first].Number - 1; n > 0 {
			if kept == nil {
				kept = f.kept()
			}
			open = kept[n]
		}
		text, next := codeOn(f.Head, open), codeOn(f.Head, open+1)
		opens := len(text) > 0 && strings.IndexByte("{[(", text[len(text)-1]) >= 0 && len(next) > 0 &&
			strings.IndexByte("}])", next[0]) >= 0
		text = bytes.TrimRight(squeeze(nil, text), ";")
		if !opens && !ends(text, "=[]", "{}") {
			continue
		}
		if looked++; looked <= maxSearched && f.isLooped(open) {
			d.add(f.hit(hunk.Removed[first].Number, open, "", noRows, ""))
		}
	}
}

// isLooped reports whether tests go through the table that a line of the head opens.
func (f *File) isLooped(line int) bool {
	start := f.Head.LineAt(f.Head.Statement(offsetOf(f.Head, line) + len(bytes.TrimRight(f.Head.CodeLine(line), " \t\r"))))
	head := f.Head.CodeLine(start)
	before, _, assigned := strings.Cut(string(head), "=")
	if !assigned || (loops().Match(head) && f.Lang() != source.Python) {
		return loops().Match(head)
	}
	var words []string
	for word := range wordsIn([]byte(before)) {
		words = append(words, string(word))
	}
	for _, name := range words[max(0, len(words)-2):] {
		for _, n := range linesWith(f.Head, f.Head.Code, name) {
			if code := f.Head.CodeLine(n); n != start && len(code) < maxNear && hasWord(code, name) &&
				loops().Match(code) {
				return true
			}
		}
	}
	return false
}

// neverRuns reports whether nothing runs behind a line that opens a block.
func neverRuns(lang source.Lang, line []byte) bool {
	line = bytes.TrimLeft(line, " \t}")
	if len(line) > 200 {
		return false
	}
	if ends(firstWord(line), "if", "while", "for", "unless", "false") || begins(line, "#") {
		key := string(squeeze(nil, line))
		cfg, isCfg := strings.CutPrefix(key, "#[cfg(")
		return headTruth(line, nil) == notEver || begins(key, "for;false;{", "forfalse{", "false&&", "#iffalse", "#if0") ||
			(isCfg && foldCondition(strings.TrimSuffix(cfg, ")]"), nil) == notEver)
	}
	return lang == source.Ruby && has(line, " if false", " unless true") && modifier(line) == notEver
}

// maxBlock is how many lines of a block are read.
const maxBlock = 1000

// blockEnd is the last line of the block that a line begins: up to #endif, to the closing brace, or as far as lines are
// indented.
func blockEnd(f *source.File, line int) int {
	if first := codeOn(f, line); begins(first, "#if") {
		return directiveEnd(f, line)
	}
	if b, found := f.BlockOn(line); found {
		return min(f.LineAt(b.End), line+maxBlock)
	}
	if f.Lang == source.Python || f.Lang == source.Ruby {
		return line
	}
	for n := line; n < min(line+10, f.Lines()+1); n++ {
		if has(f.CodeLine(n), ";") {
			return n // a statement without braces
		}
	}
	return line
}

func directiveEnd(f *source.File, line int) int {
	depth := 1
	for n := line + 1; n <= f.Lines() && n < line+maxBlock; n++ {
		text := codeOn(f, n)
		if begins(text, "#if") {
			depth++
		} else if begins(text, "#endif") || (begins(text, "#el") && depth == 1) {
			depth--
		}
		if depth == 0 {
			return n
		}
	}
	return min(f.Lines(), line+maxBlock-1)
}

func indentEnd(f *source.File, line int) int {
	indent, last := indentOf(f.CodeLine(line)), line
	for n := line + 1; n <= f.Lines() && n < line+maxBlock; n++ {
		text := f.CodeLine(n)
		if isBlank(text) {
			continue
		}
		if indentOf(text) <= indent {
			break
		}
		last = n
	}
	return last
}

func indentOf(line []byte) int { return len(line) - len(bytes.TrimLeft(line, " \t")) }

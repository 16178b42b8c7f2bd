package rules

import (
	"bytes"
	"slices"
	"strings"
	"sync"

	"github.com/closeout-gate/closeout/internal/git/linediff"
	"github.com/closeout-gate/closeout/internal/source"
	"github.com/closeout-gate/closeout/verify/input"
)

// findCommented finds tests that ran at the merge base and are comments, or code that cannot run, at the head; or
// assertions, in files without such tests.
func findCommented(tests bool) func(*Change, func(Hit)) {
	return func(c *Change, report func(Hit)) {
		c.tests()
		for _, f := range c.Files {
			if d := f.deadened(); len(d.tests) > 0 && tests {
				report(f.deadHit(d.tests, "test"))
			} else if len(d.tests) == 0 && len(d.assertions) > 0 && !tests {
				report(f.deadHit(d.assertions, "assertion"))
			}
		}
	}
}

// dead is what a change of a file turned from code into something that does not run: hits whose subject is the test
// that a line declares, "" for an assertion, and whose detail says what it is now.
type dead struct{ tests, assertions []Hit }

func (d *dead) add(h Hit) {
	switch {
	case h.Subject == "":
		d.assertions = append(d.assertions, h)
	case len(d.tests) == 0 || d.tests[len(d.tests)-1].Subject != h.Subject: // an annotation and its function are one test
		d.tests = append(d.tests, h)
	}
}

// deadHit joins what was found in a file.
func (f *File) deadHit(list []Hit, what string) Hit {
	h := list[0]
	h.File, h.Fix = f.Path, "uncomment the "+what+", and fix what it finds"
	switch {
	case h.Detail == noRows:
		h.Fix = "restore the rows, and fix what they find"
	case len(list) > 1:
		h.Detail = input.Plural(int64(len(list)), what) + " that ran before are " + h.Detail
	default:
		h.Detail = strings.TrimSpace("the "+what+" "+h.Subject) + " ran before and is " + h.Detail
	}
	for _, other := range list[1:] {
		if other.Subject != "" {
			h.Others = append(h.Others, other.Subject)
		}
	}
	return h
}

// deadened finds what the head does not run any more.
func (f *File) deadened() *dead {
	if f.dead != nil {
		return f.dead
	}
	f.dead = &dead{}
	if f.Head != nil && f.hadTests() {
		gone := goneOf(f)
		f.commentedLines(gone, f.dead)
		f.coveredLines(gone, f.dead)
		f.swallowedLines(gone, f.dead)
		f.emptiedTables(f.dead)
	}
	return f.dead
}

// gone are the assertions and declarations of tests among the removed lines of a file, by what they say.
type gone struct {
	file     *File
	byKey    map[string]*goneLine
	starts   map[string]bool // the first bytes of the keys
	comments map[string]int  // removed comments, by what they say
	tests    map[int]string  // the lines of the base that declare tests
	hollow   func() map[string]bool
}

type goneLine struct {
	line, count int
	test        string
	instead     []linediff.Line // that were added where it was
}

// The shortest key.
const shortestKey = 5

// marks begin comments.
const marks = " \t/*#!-;"

func goneOf(f *File) *gone {
	g := &gone{file: f, byKey: map[string]*goneLine{}, starts: map[string]bool{}, comments: map[string]int{}}
	g.hollow = sync.OnceValue(func() map[string]bool { return hollow(f.Head) })
	if len(f.Added()) == 0 {
		return g
	}
	for _, hunk := range f.Hunks() {
		for _, l := range hunk.Removed {
			if !isBlank(f.Base.CodeLine(l.Number)) {
				g.add(l.Number, hunk.Added[:min(len(hunk.Added), maxHunk)])
			} else if !isBlank(f.Base.CommentLine(l.Number)) {
				g.comments[string(squeeze(nil, commentText(f.Base, l.Number)))]++
			}
		}
	}
	for _, l := range f.Added() {
		// What is code elsewhere was moved.
		if len(g.byKey) > 0 && !isBlank(f.Head.CodeLine(l.Number)) {
			if was := g.byKey[strings.TrimLeft(liveKey(f.Head, l.Number), marks)]; was != nil {
				was.count--
			}
		}
	}
	return g
}

// add takes a removed line.
func (g *gone) add(n int, instead []linediff.Line) {
	test := g.declared(n)
	if test == "" && (!asserts(g.file.Base, n) || isEmptyAssertion(g.file.Base, n)) {
		return
	}
	key := strings.TrimLeft(liveKey(g.file.Base, n), marks)
	if t := innermost(g.file.base, n); len(key) < shortestKey || (t != nil && t.mark > 0) { // what is skipped checks nothing
		return
	}
	if was := g.byKey[key]; was != nil {
		was.count++
		return
	}
	g.byKey[key] = &goneLine{line: n, count: 1, test: test, instead: instead}
	g.starts[key[:shortestKey]] = true
}

// declared is the name of the test that a line of the base declares, when the head has no such test; else "".
func (g *gone) declared(n int) string {
	if g.tests == nil {
		g.tests = map[int]string{}
		head := map[string]bool{}
		for _, t := range g.file.Head.Tests() {
			head[t.Name] = true
		}
		for _, t := range g.file.Base.Tests() {
			if head[t.Name] {
				continue
			}
			// A test without its annotation is none.
			for n, last := t.Line, declarationLine(g.file.Base, t); n <= last; n++ {
				g.tests[n] = t.Name
			}
		}
	}
	return g.tests[n]
}

// declarationLine is the line that has the name of a test: annotations stand before it.
func declarationLine(f *source.File, t source.Test) int {
	name := ownName(t.Name)
	for n := t.Line; n < t.Body && n < t.Line+maxStatementLines; n++ {
		if has(string(f.Line(n)), name) {
			return n
		}
	}
	return t.Line
}

// ownName is the name of a test without those of the groups around it.
func ownName(name string) string {
	if _, own, inGroup := cutAtLast(name, " > "); inGroup {
		return own
	}
	return name
}

// find is what a text said at the base, when that is gone now. The text may begin with other words, such as "TODO:",
// and go on.
func (g *gone) find(text []byte) *goneLine {
	const most = 8 // words before and behind
	words := bytes.Fields(text)
	for from := range min(len(words), most) {
		for to := len(words); to > max(from, len(words)-most-1); to-- {
			key := string(bytes.Join(words[from:to], nil))
			if len(key) < shortestKey || !g.starts[key[:shortestKey]] {
				break
			}
			if was := g.byKey[strings.TrimRight(key, ";,")]; was != nil && was.count > 0 {
				return was
			}
		}
	}
	return nil
}

// commentedLines finds added comments and texts that say what a removed line said.
func (f *File) commentedLines(g *gone, d *dead) {
	if len(g.byKey) == 0 {
		return
	}
	for _, l := range f.Added() {
		text, how := deadText(f.Head, l.Number)
		if len(text) == 0 || len(text) > maxStatementBytes {
			continue
		}
		if key := string(squeeze(nil, text)); g.comments[key] > 0 {
			g.comments[key]--
			continue
		}
		if was := g.find(text); was != nil && (how != "inside a text" || inStatement(f.Head, l.Number)) {
			was.count--
			if was.test == "" && f.replaced(was, l.Number, g.hollow) {
				continue
			}
			d.add(f.hit(was.line, l.Number, was.test, how, ""))
		}
	}
}

// deadText is what a line says in a comment, or in a text of more than one line.
func deadText(f *source.File, n int) (text []byte, how string) {
	if comment := commentText(f, n); len(comment) > 0 {
		return comment, "commented out"
	}
	if isBlank(f.CodeLine(n)) {
		return bytes.TrimSpace(f.Line(n)), "inside a text"
	}
	return nil, ""
}

// commentText is the comment of a line without its marks.
func commentText(f *source.File, n int) []byte {
	return bytes.TrimRight(bytes.TrimLeft(f.CommentLine(n), marks), " \t\r*/")
}

// coveredLines finds lines that are the same but lie in a comment or a text now.
func (f *File) coveredLines(g *gone, d *dead) {
	for base, head := range f.unchanged() {
		was, now := f.Base.CodeLine(base), f.Head.CodeLine(head)
		if bytes.Equal(was, now) || !isBlank(now) {
			continue
		}
		test := g.declared(base)
		if test == "" && !asserts(f.Base, base) {
			continue
		}
		how := "commented out"
		if isBlank(f.Head.CommentLine(head)) {
			how = "inside a text"
		}
		d.add(f.hit(base, head, test, how, ""))
	}
}

// inStatement reports whether a line lies in a text that is a statement of its own, as people write a comment of
// several lines in Python. The text in a call or an assignment is data.
func inStatement(f *source.File, n int) bool {
	first := codeAbove(f, n+1)
	line := codeOn(f, codeAbove(f, first))
	return begins(codeOn(f, first), `"""`, "'''") && (len(line) == 0 || strings.IndexByte("([{,=+%", line[len(line)-1]) < 0)
}

// codeAbove is the last line in front of another one that has code; 0 where there is none near.
func codeAbove(v *source.File, n int) int {
	for last := n - maxBlock; n > max(1, last); {
		if n--; !isBlank(v.CodeLine(n)) {
			return n
		}
	}
	return 0
}

// replaced reports whether an assertion stands beside a comment that says at least as much, about the same, as the one
// that became the comment.
func (f *File) replaced(line *goneLine, head int, hollow func() map[string]bool) bool {
	was := assertionOn(f.Base, line.line)
	if was == nil || !was.isUnderstood() {
		return false
	}
	says := func(now *Assertion) bool {
		return now.names(was, hollow) || (now.rank >= was.rank && (now.about(was) != "" || now.says(was) ||
			(shape(now.code) == shape(was.code) && slices.Equal(now.expected, was.expected))))
	}
	return slices.ContainsFunc(assertionsOf(f.Head, between(f.Added(), head-nearby, head+nearby)), says) ||
		slices.ContainsFunc(assertionsOf(f.Head, line.instead), says) // the comment may only quote what was there
}

// names reports whether an assertion asks a call with all words of what another one compares, as where its condition is
// written out, or is a helper that gets the value which the other one is about. What is only joined, such as a or b, is
// not compared.
func (c *Assertion) names(was *Assertion, hollow func() map[string]bool) bool {
	if kind, _, name, _ := c.surest(); kind == helperAssertion {
		return hasWord(c.code, firstWord([]byte(was.subjects[0]))) && !hollow()[name]
	}
	terms, asked := was.terms(), strings.Join(c.subjects, " ") // and no message
	for word := range wordsIn([]byte(strings.Join(terms, " "))) {
		if !hasWord([]byte(asked), string(word)) {
			return false
		}
	}
	return len(terms) > 1 && (c.rank == partial || (c.truth && hasCall().MatchString(asked))) && !eitherOrBoth().Match(c.code)
}

var hasCall = input.Lazily(`\w\(`)

var eitherOrBoth = input.Lazily(`\b(?:or|and)\b|\|\||&&`)

// hollow are the functions that a file defines, and that assert nothing.
func hollow(v *source.File) map[string]bool {
	names, known := map[string]bool{}, asserting(v)
	for n := 1; n <= v.Lines(); n++ {
		for _, name := range definedOn(v.CodeLine(n)) {
			names[name] = !known[name]
		}
	}
	return names
}

// nearby is how many lines from a comment its replacement may stand.
const nearby = 12

// says reports whether an assertion says the same about the same member of something else, as in a loop.
func (c *Assertion) says(was *Assertion) bool {
	return c.matcher == was.matcher && len(was.expected) > 0 && slices.Equal(c.expected, was.expected) &&
		slices.ContainsFunc(was.subjects, func(subject string) bool {
			_, member, found := cutAtLast(subject, ".")
			return found && slices.ContainsFunc(c.subjects, func(now string) bool { return ends(now, "."+member) })
		})
}

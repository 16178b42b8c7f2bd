package rules

import (
	"bytes"
	"cmp"
	"hash/maphash"
	"iter"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/closeout-gate/closeout/internal/source"
	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/input"
)

// Test is a test of one version of a file.
type Test struct {
	source.Test
	in   *File
	of   *source.File
	twin *Test // the same test in the other version; nil where there is none
	// moved is true where the twin is in another file or has another name.
	moved bool
	// mark is what keeps the test from running, 0 for nothing.
	mark     int
	disabled bool
	// isCrowded is true for one of several tests whose bodies begin on the same long line, which is not read for each of
	// them.
	isCrowded bool
	// stayed is the line of the head where most of its lines are, outside of every test; 0 where they are not.
	stayed int
}

// testTable are the tests of all touched files, and what became of those that are gone.
type testTable struct {
	files    []*File // that may have tests
	gone     []*Test // tests of the base without a twin
	c        *Change
	tasks    []string           // patterns of files of Ruby that the change writes into tasks of tests
	imported map[[2]string]bool // what was looked for; see imports

	lines map[uint64][]place // of added lines
	words map[string]map[string]bool
	// defined are names that production code of the base defines, and the touched files of the head do not mention any
	// more.
	defined map[string]bool
	// mentioned are the places of the names of functions that the lines of tests are in now; see isCalled.
	mentioned map[string][]place
	answers   map[*Test]whereabouts
	running   map[place]bool // the blocks that were asked for, and whether a run comes to them; see isRun
	folded    int            // how many words were looked for in names of tests
	parked    int            // how many names of files were looked for in others
	stems     []string       // of the files with tests that are gone
}

var taskPattern = input.Lazily(`[\w.*?{},/-]*\b(?:test|spec)/[\w.*?{},/-]+`)

// renames reports whether the change itself tells the task of its tests to find a file.
func (t *testTable) renames(f *File) bool {
	return f.Lang() == source.Ruby && slices.ContainsFunc(t.tasks, func(pattern string) bool {
		found, _ := doublestar.Match(pattern, f.Path)
		return found
	})
}

// tests reads the tests of a change once.
func (c *Change) tests() *testTable {
	if c.table == nil {
		c.table = &testTable{c: c, imported: map[[2]string]bool{}, answers: map[*Test]whereabouts{}, running: map[place]bool{}}
		for _, f := range c.Files {
			if isNamed(f.Path, "rakefile rakefile.rb *.rake .rspec") && f.Head != nil {
				for _, l := range f.Added() {
					for _, pattern := range taskPattern().FindAllString(string(l.Text[:min(len(l.Text), maxNear)]), 10) {
						// Matching several choices takes the product of their numbers.
						if len(c.table.tasks) < maxAsked && strings.Count(pattern, "{") <= 2 {
							c.table.tasks = append(c.table.tasks, pattern)
						}
					}
				}
			}
			if f.mayTest() {
				f.base, f.head = casesOf(f, f.Base), casesOf(f, f.Head)
				c.table.files = append(c.table.files, f)
			}
		}
		c.table.pair()
		c.table.markAll()
	}
	return c.table
}

// mayTest reports whether a file may have tests. Those of Rust stand beside what they test; those of other projects are
// theirs.
func (f *File) mayTest() bool {
	return (f.Base == nil || !isForeign(f.Path)) &&
		(f.Lang() == source.Rust || (f.Lang() != source.None && f.isTest()))
}

func casesOf(f *File, v *source.File) []*Test {
	if v == nil {
		return nil
	}
	var all []*Test
	for i, t := range v.Tests() {
		one := &Test{Test: t, in: f, of: v}
		if all = append(all, one); i > 0 && all[i-1].Body == t.Body && len(v.Line(t.Body)) > maxNear {
			one.isCrowded, all[i-1].isCrowded = true, true
		}
	}
	return all
}

// isTelling reports whether a line of code says anything: a bracket alone does not.
func isTelling(line []byte) bool {
	letters := 0
	for _, c := range line {
		if source.IsWord(c) || c == '"' || c == '\'' {
			if letters++; letters > 2 {
				return true
			}
		}
	}
	return false
}

// innermost is the test around a line.
func innermost(tests []*Test, line int) *Test {
	return aroundLine(tests, line, func(t *Test) bool { return !t.Group })
}

// aroundLine is the innermost of some tests and groups around a line. They are in the order of their first lines; one
// that began before others may still go on.
func aroundLine(tests []*Test, line int, is func(*Test) bool) *Test {
	last := after(tests, line)
	for _, t := range slices.Backward(tests[max(0, last-1000):last]) {
		if t.End >= line && is(t) {
			return t
		}
	}
	return nil
}

// bodyLines are the telling lines of a test's body, trimmed.
func (t *Test) bodyLines() [][]byte {
	var lines [][]byte
	for n := t.Body; n <= t.End; n++ {
		if isTelling(t.of.CodeLine(n)) {
			lines = append(lines, bytes.TrimSpace(t.of.Line(n)))
		}
	}
	return lines
}

var lineSeed = maphash.MakeSeed()

func hashOf(text []byte) uint64 { return maphash.Bytes(lineSeed, text) }

// isDeleted reports whether the head does not have the file.
func (f *File) isDeleted() bool { return f.Status == change.Deleted }

// ranBefore reports whether a test of the head ran at the base.
func (t *Test) ranBefore() bool { return t.twin != nil && t.twin.mark == 0 }

// hitOn makes a hit on some tests of a file; its place is that of the first.
func hitOn(tests []*Test, what string) Hit {
	h := Hit{File: tests[0].in.Path, Line: tests[0].Line, Subject: tests[0].Name}
	for _, one := range tests[1:] {
		h.Others = append(h.Others, one.Name)
	}
	verb := " is "
	if len(tests) > 1 {
		verb = " are "
	}
	h.Detail = listNames(tests) + verb + what
	return h
}

// listNames names a few tests, and counts the others.
func listNames(tests []*Test) string {
	const most, longest = 3, 80
	var names []string
	for _, one := range tests[:min(len(tests), most)] {
		name := one.Name
		if own := ownName(name); len(name) > longest && own != name { // of a long name the groups in front go
			name = "… > " + own
		}
		name = clip(name, 2*longest)
		if has(name, " ") {
			name = input.Quote(name) // a sentence in a sentence
		}
		names = append(names, name)
	}
	list := strings.Join(names, ", ")
	if more := int64(len(tests) - most); more > 0 {
		list += " and " + input.Plural(more, "more test")
	}
	return list
}

// hasTests reports whether a head is one of tests, in a language that the rules know.
func (f *File) hasTests() bool { return f.isOfTests(f.Head) }

// hadTests is the same of the merge base.
func (f *File) hadTests() bool { return f.isOfTests(f.Base) }

func (f *File) isOfTests(v *source.File) bool {
	return v != nil && v.Lang != source.None && (f.isTest() || len(v.Tests()) > 0)
}

// pair finds the tests of the base at the head: by name in the same file, by name in another one, and by their lines.
func (t *testTable) pair() {
	for _, f := range t.files {
		pairByName(f.base, f.head)
	}
	whole := func(one *Test) string { // where another file got its name, the lines tell
		if one.isCrowded || one.Group || one.End-one.Body > maxBody {
			return one.in.Path + "\x00" + one.Name
		}
		return one.Name + "\x00" + strconv.FormatUint(hashOf(bytes.Join(one.bodyLines(), nil)), 16)
	}
	t.pairMoved(func(one *Test) string { return path.Base(one.in.Path) + "\x00" + whole(one) })
	t.pairMoved(whole)
	t.pairMoved(func(one *Test) string { return path.Base(one.in.Path) + "\x00" + one.Name })
	t.pairMoved(func(one *Test) string { return one.Name })
	for _, f := range t.files {
		f.pairByLines()
	}
	for _, f := range t.files {
		for _, one := range f.base {
			if one.twin == nil && !one.Group {
				t.gone = append(t.gone, one)
			}
		}
	}
}

// pairMoved joins tests of different files that have the same key.
func (t *testTable) pairMoved(key func(*Test) string) {
	lost, fresh := map[string][]*Test{}, map[string][]*Test{}
	add := func(to map[string][]*Test, tests []*Test) {
		for _, one := range tests {
			if one.twin == nil {
				to[key(one)] = append(to[key(one)], one)
			}
		}
	}
	for _, f := range t.files {
		add(lost, f.base)
		add(fresh, f.head)
	}
	for name, list := range lost {
		for i, one := range list[:min(len(list), len(fresh[name]))] {
			if other := fresh[name][i]; one.Group == other.Group && (one.Group || one.moves(other)) {
				one.twin, other.twin, one.moved, other.moved = other, one, true, true
			}
		}
	}
}

// moves reports whether a test of another file with the same name is the same: the file has its name, or some of its
// lines are there.
func (t *Test) moves(other *Test) bool {
	if path.Base(t.in.Path) == path.Base(other.in.Path) {
		return true
	}
	if t.isCrowded || other.isCrowded {
		return false
	}
	lines, same := t.bodyLines(), 0
	there := map[string]bool{}
	for _, line := range other.bodyLines() {
		there[string(line)] = true
	}
	for _, line := range lines {
		if there[string(line)] {
			same++
		}
	}
	return 3*same >= len(lines)
}

// pairByName joins tests with equal names, in their order.
func pairByName(base, head []*Test) {
	waiting := make(map[string][]*Test, len(head))
	for _, one := range head {
		waiting[one.Name] = append(waiting[one.Name], one)
	}
	for _, one := range base {
		if list := waiting[one.Name]; len(list) > 0 {
			one.twin, list[0].twin = list[0], one
			waiting[one.Name] = list[1:]
		}
	}
}

// pairByLines joins a test of the base with that of the head which has most of the lines that stayed.
func (f *File) pairByLines() {
	if f.Base == nil || f.Head == nil {
		return
	}
	var kept []int // by line of the base: the line of the head, 0 where it was removed
	owner := func(line int) *Test { return innermost(f.head, line) }
	for _, one := range f.base {
		if one.twin != nil || one.Group {
			continue
		}
		if kept == nil {
			kept = f.kept()
		}
		stayed, telling, first := 0, 0, 0
		votes := map[*Test]int{}
		for n := one.Body; n <= one.End; n++ {
			if !isTelling(one.of.CodeLine(n)) {
				continue
			}
			telling++
			if kept[n] > 0 {
				if stayed++; first == 0 {
					first = kept[n]
				}
				if to := owner(kept[n]); to != nil {
					votes[to]++
				}
			}
		}
		best := mostVotes(votes, func(a, b *Test) int { return a.Line - b.Line })
		if best != nil && 2*votes[best] >= telling {
			one.twin, one.moved = best, true
			if best.twin == nil {
				best.twin, best.moved = one, true
			}
		} else if telling > 0 && 5*stayed >= 3*telling {
			one.stayed = first
		}
	}
}

// mostVotes has the most votes, and of several with as many stands before the others.
func mostVotes[T comparable](votes map[T]int, order func(a, b T) int) (best T) {
	var none T
	for one, n := range votes {
		if best == none || cmp.Or(cmp.Compare(n, votes[best]), order(best, one)) > 0 {
			best = one
		}
	}
	return best
}

// kept maps the lines of the base to those of the head.
func (f *File) kept() []int {
	kept := make([]int, f.Base.Lines()+2)
	for base, head := range f.unchanged() {
		kept[base] = head
	}
	return kept
}

// unchanged are the numbers of the lines that both versions have.
func (f *File) unchanged() iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		removed, added := f.Removed(), f.Added()
		for base, head := 1, 1; base <= f.Base.Lines() && head <= f.Head.Lines(); {
			switch {
			case len(removed) > 0 && removed[0].Number == base:
				removed, base = removed[1:], base+1
			case len(added) > 0 && added[0].Number == head:
				added, head = added[1:], head+1
			default:
				if !yield(base, head) {
					return
				}
				base, head = base+1, head+1
			}
		}
	}
}

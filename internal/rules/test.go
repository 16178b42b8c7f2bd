package rules

import (
	"bytes"
	"hash/maphash"
	"slices"
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
	folded    int // how many words were looked for in names of tests
}

var taskPattern = input.Lazily(`[\w.*?{},/-]*\b(?:test|spec)/[\w.*?{},/-]+`)

// renames reports whether the change itself tells the task of its tests to find a file.
func (t *testTable) renames(f *File) bool {
	return slices.ContainsFunc(t.tasks, func(pattern string) bool {
		found, _ := doublestar.Match(pattern, f.Path)
		return found && f.Lang() == source.Ruby
	})
}

// tests reads the tests of a change once.
func (c *Change) tests() *testTable {
	if c.table == nil {
		c.table = &testTable{c: c, imported: map[[2]string]bool{}, answers: map[*Test]whereabouts{}}
		for _, f := range c.Files {
			if isNamed(f.Path, "rakefile rakefile.rb *.rake .rspec") && f.Head != nil {
				for _, l := range f.Added() {
					c.table.tasks = append(c.table.tasks, taskPattern().FindAllString(string(l.Text[:min(len(l.Text), maxNear)]),
						10)...)
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
		(f.Lang() == source.Rust || (f.Lang() != source.None && source.IsTest(f.Path)))
}

func casesOf(f *File, v *source.File) []*Test {
	if v == nil {
		return nil
	}
	var all []*Test
	for _, t := range v.Tests() {
		all = append(all, &Test{Test: t, in: f, of: v})
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
		name := clip(one.Name, longest)
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
func (f *File) hasTests() bool { return isOfTests(f.Head) }

// hadTests is the same of the merge base.
func (f *File) hadTests() bool { return isOfTests(f.Base) }

func isOfTests(v *source.File) bool {
	return v != nil && v.Lang != source.None && (source.IsTest(v.Path) || len(v.Tests()) > 0)
}

package source

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"strings"
)

// finder collects the tests of a file in the order of their offsets.
type finder struct {
	*File
	tests  []Test
	scopes []scope // those that are open, the outermost first
	names  int     // bytes of all names
}

// scope is a class, a group or a test that can contain tests.
type scope struct {
	end   int    // its last offset
	name  string // with those of the scopes around it; "" for one that has no part in the names
	test  int    // its place in the tests, or none
	kind  byte   // what the finder of a language wants to know
	level int    // how many classes it lies in, with itself
}

// A finder finds the tests of a language.
var finders = map[Lang]func(*finder){
	Go: (*finder).golang, Python: (*finder).python, JavaScript: (*finder).javaScript, TypeScript: (*finder).javaScript,
	Rust: (*finder).java, Java: (*finder).java, CSharp: (*finder).java, Ruby: (*finder).ruby,
}

// Tests are the tests of a file, in the order of their lines. Tests with equal names are all listed. Classes that
// contain tests are groups. In Java, Kotlin, C# and Ruby the name of the outermost class is no part of the names of its
// tests, and in Rust those of modules named tests: they tell nothing that the path does not.
func (f *File) Tests() []Test {
	if !f.testsFound {
		f.testsFound = true
		if find := finders[f.Lang]; find != nil {
			d := &finder{File: f}
			find(d)
			f.tests = d.kept()
		}
	}
	return f.tests
}

// kept leaves out groups without tests: those in which the first test behind them does not lie.
func (d *finder) kept() []Test {
	keep, next := make([]bool, len(d.tests)), none
	for i := len(d.tests) - 1; i >= 0; i-- {
		if !d.tests[i].Group {
			next = i
		}
		keep[i] = next != none && d.tests[next].Line <= d.tests[i].End
	}
	var kept []Test
	for i, t := range d.tests {
		if keep[i] {
			kept = append(kept, t)
		}
	}
	return kept
}

// leave forgets the scopes that end before an offset.
func (d *finder) leave(at int) {
	n := len(d.scopes)
	for n > 0 && d.scopes[n-1].end < at {
		n--
	}
	d.scopes = d.scopes[:n]
}

// scope is the innermost scope.
func (d *finder) scope() scope {
	if n := len(d.scopes); n > 0 {
		return d.scopes[n-1]
	}
	return scope{test: none}
}

// The limits of names, in bytes: a file is not to make its names longer than itself.
const (
	maxName  = 200
	maxNames = 16 << 20
)

// name joins a name to those of the scopes around it.
func (d *finder) name(own string) string {
	outer := d.scope().name
	limit := maxName
	if d.names > maxNames {
		limit = 0
	}
	if outer = clip(outer, limit); outer != "" {
		own = outer + " > " + clip(own, maxName)
	} else {
		own = clip(own, maxName)
	}
	d.names += len(own)
	return own
}

// clip replaces the end of a long text by its hash.
func clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	h := fnv.New64a()
	h.Write([]byte(s))
	return strings.ToValidUTF8(s[:limit*3/4], "") + fmt.Sprintf("…%016x", h.Sum64())
}

// squeeze is a text, or the beginning of a long one, with each run of blanks as one.
func squeeze(text []byte) string {
	return string(bytes.Join(bytes.Fields(text[:min(len(text), 10*maxName)]), []byte(" ")))
}

// add notes a test between two offsets. body is where its body begins.
func (d *finder) add(name string, from, body, end int, group bool) int {
	t := Test{Name: name, Line: d.LineAt(from), End: d.LineAt(min(end, len(d.Text)-1)), Group: group}
	for body < len(d.Text) && isBlank(d.Text[body]) {
		body++
	}
	t.Body = min(max(d.LineAt(body), t.Line), t.End)
	d.tests = append(d.tests, t)
	return len(d.tests) - 1
}

// enter notes a test between two offsets, in which other tests can lie. body is where its body opens.
func (d *finder) enter(name string, from, body, last int, group bool) {
	test := d.add(name, from, body+1, last, group)
	if last > body {
		d.scopes = append(d.scopes, scope{end: last, name: name, test: test, level: d.scope().level})
	}
}

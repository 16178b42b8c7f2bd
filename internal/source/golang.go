package source

import (
	"bytes"
	"regexp"
	"strings"
	"sync"
)

// golang finds the functions that go test runs, the methods of suites, and what they give to Run with a literal name.
func (d *finder) golang() {
	if !strings.HasSuffix(d.Path, "_test.go") {
		return
	}
	b, specs := d.brackets(), bytes.Contains(d.Text, []byte("ginkgo"))
	for at := 0; at < len(d.Code); {
		switch c := d.Code[at]; {
		case c == '.' && bytes.HasPrefix(d.Code[at:], []byte(".Run(")):
			open := at + len(".Run")
			if d.leave(at); d.scope().test != none { // t.Run("name", func(…) {…})
				open = d.javaScriptTest(d.wordStart(at), open, false, false)
			}
			at = open
		case IsWord(c):
			word, end := d.word(at)
			switch {
			case string(word) == "func" && b.openAt(at) == none:
				end = d.goFunc(at, end)
			case specs && d.byteAt(end) == '(' && d.byteAt(at-1) != '.':
				if group, known := ginkgoCall(string(word)); known {
					end = d.javaScriptTest(at, end, group, true)
				}
			}
			at = end
		default:
			at++
		}
	}
}

// ginkgoCall reports whether a function of Ginkgo declares a test, or a group of them. A table is one test.
func ginkgoCall(word string) (group, known bool) {
	word = strings.TrimLeft(word, "FPX")
	group = oneOf(word, " Describe Context When ")
	return group, group || oneOf(word, " It Specify DescribeTable ")
}

// goTest matches the head of a function that go test, or a suite, may run. Its groups are the receiver, the name, what
// it begins with, and the type of its parameter.
var goTest = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^func\s+(?:\((?:[^()]*[\s*])?(\w+)(?:\[[^\[\]]*\])?\s*\)[ \t]*)?` +
		`((Test|Benchmark|Fuzz|Example)(?:[^a-z\s(\[][^\s(\[]*)?)` +
		`(?:\[[^\[\]]*\])?\(\s*(?:[^,*()]*\*\s*(?:[^\s,.*()]+\.)*([^\s,.*()]+)\s*,?)?\s*\)\s*(?:\([^()]*\)\s*)?\{$`)
})

// goFunc reads the head of a function and returns where to go on.
func (d *finder) goFunc(from, at int) int {
	end := bytes.IndexByte(d.Code[from:min(from+maxHead, len(d.Code))], '{')
	if end < 0 {
		return at
	}
	m := goTest().FindSubmatch(d.Code[from : from+end+1])
	if m == nil {
		return at
	}
	name, kind, parameter := string(m[2]), string(m[3]), string(m[4])
	if len(m[1]) > 0 {
		if kind == "Example" || (parameter != "" && parameter != "C") {
			return at
		}
		name = string(m[1]) + " > " + name
	} else if (kind == "Example") != (parameter == "") || !strings.HasPrefix(kind, parameter) {
		return at
	}
	d.leave(from)
	d.enter(d.name(name), from, from+end, d.past(from+end)-1, false)
	return from + end
}

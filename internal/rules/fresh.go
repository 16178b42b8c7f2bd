package rules

import (
	"bytes"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/closeout-gate/closeout/internal/source"
)

// mark is a place in a version of a file where a rule recognizes something.
type mark struct {
	file *File
	line int
	kind string // what it is, such as "noqa"
	key  string // kind and line, without blanks
}

func (m mark) text() string { return string(m.file.Head.Line(m.line)) }

// marker finds the marks of one version of a file.
type marker func(f *File, v *source.File, found func(line int, kind string))

// fresh lists the marks of the heads that the merge bases do not have, a list for each file that has any. A mark of the
// same kind with the same line is the same one, wherever in the change it was. Of the others, as many are old as the
// base of the file had of the kind: their lines were edited. With joined the marks of a kind are counted over the whole
// change.
func (c *Change) fresh(joined bool, scan marker) [][]mark {
	heads := c.marks(func(f *File) *source.File { return f.Head }, scan)
	if len(heads) == 0 {
		return nil
	}
	bases := c.marks(func(f *File) *source.File { return f.Base }, scan)
	inFile := func(m mark) string { return m.file.Path + "\x00" + m.key }
	heads, bases = cancel(heads, bases, inFile)
	heads, bases = cancel(heads, bases, func(m mark) string { return m.key })
	heads, bases = cancel(heads, bases, func(m mark) string { return m.file.Path + "\x00" + m.kind })
	if joined {
		heads, _ = cancel(heads, bases, func(m mark) string { return m.kind })
	}
	return byFile(heads)
}

func (c *Change) marks(side func(*File) *source.File, scan marker) []mark {
	var all []mark
	for _, f := range c.Files {
		if v := side(f); v != nil {
			scan(f, v, func(line int, kind string) {
				all = append(all, mark{f, line, kind, kind + "\x00" + lineKey(v.Line(line))})
			})
		}
	}
	return all
}

// cancel leaves out the pairs of two lists that have a name in common: the first of each list.
func cancel(heads, bases []mark, name func(mark) string) (restHeads, restBases []mark) {
	left := map[string]int{}
	for _, m := range bases {
		left[name(m)]++
	}
	both := map[string]int{}
	for _, m := range heads {
		if n := name(m); left[n] > 0 {
			left[n]--
			both[n]++
			continue
		}
		restHeads = append(restHeads, m)
	}
	for _, m := range bases {
		if n := name(m); both[n] > 0 {
			both[n]--
			continue
		}
		restBases = append(restBases, m)
	}
	return restHeads, restBases
}

// byFile cuts a list of marks, which is in the order of the files.
func byFile(marks []mark) [][]mark {
	var lists [][]mark
	start := 0
	for i := range marks {
		if i+1 == len(marks) || marks[i+1].file != marks[start].file {
			lists = append(lists, marks[start:i+1])
			start = i + 1
		}
	}
	return lists
}

// maxKey is how many bytes of a line tell it from others.
const maxKey = 200

// lineKey is a line without blanks.
func lineKey(line []byte) string {
	key := make([]byte, 0, min(len(line), maxKey))
	for _, c := range line {
		if c != ' ' && c != '\t' && c != '\r' {
			if key = append(key, c); len(key) == maxKey {
				break
			}
		}
	}
	return string(key)
}

// kinds names the kinds of marks, each once, in their order: "noqa (3), nosec".
func kinds(marks []mark) string {
	var names []string
	counts := map[string]int{}
	for _, m := range marks {
		if counts[m.kind]++; counts[m.kind] == 1 {
			names = append(names, m.kind)
		}
	}
	for i, name := range names {
		if n := counts[name]; n > 1 {
			names[i] = name + " (" + strconv.Itoa(n) + ")"
		}
	}
	return strings.Join(names, ", ")
}

// maxPlaces is how many places of a word in a file the rules look at that do not block: more are no work of a person,
// and the first ones are reported.
const maxPlaces = 5000

// eachPlace calls found for the places of a word in a text.
func eachPlace(text []byte, word string, found func(at int)) {
	places := 0
	everyPlace(text, word, func(at int) bool {
		found(at)
		places++
		return places < maxPlaces
	})
}

// everyPlace calls found for each place of a word in a text, until it wants no more.
func everyPlace(text []byte, word string, found func(at int) bool) {
	for from := 0; ; {
		i := bytes.Index(text[from:], []byte(word))
		if i < 0 || !found(from+i) {
			return
		}
		from += i + len(word)
	}
}

// wholeWord reports whether the word at an offset is no part of a longer one.
func wholeWord(text []byte, offset, size int) bool {
	return !source.IsWord(at(text, offset-1)) && !source.IsWord(at(text, offset+size))
}

// maxNear is how far from a place it matters what is on its line.
const maxNear = 400

// lineOf is the line around an offset, as far as it is near.
func lineOf(text []byte, pos int) []byte {
	from := max(0, pos-maxNear)
	start := from + bytes.LastIndexByte(text[from:pos], '\n') + 1
	return text[start : pos+len(restOf(text, pos))]
}

// restOf is what follows an offset on its line, as far as it is near.
func restOf(text []byte, pos int) []byte {
	near := text[pos:min(len(text), pos+maxNear)]
	if end := bytes.IndexByte(near, '\n'); end >= 0 {
		return near[:end]
	}
	return near
}

// inDir reports whether a path lies in a directory with one of some names, which are in lower case.
func inDir(name, dirs string) bool {
	return slices.ContainsFunc(strings.Split(strings.ToLower(path.Dir(name)), "/"), func(dir string) bool { return isIn(dir, dirs) })
}

const (
	fromElsewhere = " vendor node_modules third_party "
	testInput     = " testdata fixtures __fixtures__ "
)

// isForeign reports whether a file is minified, or copied from another project.
func isForeign(name string) bool { return has(name, ".min.") || inDir(name, fromElsewhere) }

// foreign reports whether a path is of code that others maintain, or of the input of tests.
func foreign(name string) bool {
	return inDir(name, fromElsewhere+testInput+" test-data test_data testscripts ")
}

// isExample reports whether a configuration belongs to a test, an example or something from elsewhere.
func isExample(name string) bool {
	return inDir(name, fromElsewhere+testInput+" examples example samples playground templates ")
}

// isVendored reports whether a path is in a directory of code from elsewhere, or of code that a program wrote.
func isVendored(name string) bool {
	base := path.Base(name)
	return begins(base, "zz_generated") || has(base, ".gen.", ".generated.", ".pb.", "_pb2.", "_pb2_grpc.", ".g.", ".Designer.", ".min.",
		"_generated.", "worker-configuration.") || inDir(name, fromElsewhere+
		" third-party thirdparty _vendor generated __generated__ gen dist lcov-report antlr4 playground playgrounds ")
}

// isProduction reports whether a path is that of code which is no test, configuration, example or tool of the build.
func isProduction(name string) bool {
	return source.LangOf(name) != source.None && !source.IsTest(name) && !isVendored(name) && !isConfig(path.Base(name)) &&
		!inDir(name, testInput+" testenv mocks mock example examples docs doc benchmark benchmarks bench benches scripts eng ci .github .ci "+
			"playground playgrounds samples sample hack ")
}

// isConfig reports whether a file is the configuration of a tool, or a part of the build.
func isConfig(base string) bool {
	base = strings.ToLower(base)
	if has(base, ".config.", ".setup.", ".conf.") || begins(base, ".") {
		return true
	}
	return oneOf(base, "conftest.py", "setup.py", "noxfile.py", "tasks.py", "build.rs", "gulpfile.js", "gruntfile.js",
		"rakefile.rb", "setuptests.ts", "setuptests.js",
		"sitecustomize.py", "manage.py", "fabfile.py", "magefile.go")
}

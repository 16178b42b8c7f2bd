package ledger

import (
	"bytes"
	"maps"
	"slices"
	"strings"
)

// goTests are the tests of one package, whose ends go test -v and -json print one by one. The result line of the package
// says ok whether they ran or skipped themselves.
type goTests struct {
	ran     map[string]bool // by name: false for one that skipped itself
	frames  map[string]bool // names of tests that have subtests
	skipped string          // the first line of a test that skipped itself
}

var goBench = lazily(`^(Benchmark\S*)\s+\d+\s+\d`)

// add takes the end of a test.
func (g *goTests) add(ran bool, name string, line []byte) {
	g.ran[name] = ran
	if !ran && g.skipped == "" {
		g.skipped = strings.TrimLeft(string(line), " ")
	}
	// A subtest's own name may hold slashes: the test at the top is a frame in any case.
	if first := strings.IndexByte(name, '/'); first > 0 {
		g.frames[name[:first]] = true
		g.frames[name[:strings.LastIndexByte(name, '/')]] = true
	}
}

// anyRan reports whether a test ran. One whose subtests all skipped themselves is only their frame.
func (g *goTests) anyRan() bool {
	for name, ran := range g.ran {
		if ran && !g.frames[name] {
			return true
		}
	}
	return false
}

// goTest notes the end of a test. pkg is its package where the output says so, as go test -json does: packages run beside
// each other.
func (r *runs) goTest(line []byte, pkg string) {
	name, ran := goTestResult(line)
	if name == "" {
		return
	}
	if r.tests == nil {
		r.tests = map[string]*goTests{}
	}
	if r.tests[pkg] == nil {
		r.tests[pkg] = &goTests{ran: map[string]bool{}, frames: map[string]bool{}}
	}
	r.tests[pkg].add(ran, name, line)
}

// goTestResult returns the name of a test or a benchmark that ended, and whether it ran; "" when the line is about none.
// A run has many of these lines, so no pattern reads them.
func goTestResult(line []byte) (name string, ran bool) {
	if bytes.HasPrefix(line, []byte("Benchmark")) {
		if m := goBench().FindSubmatch(line); m != nil {
			return string(m[1]), true
		}
		return "", false
	}
	rest, ok := bytes.CutPrefix(bytes.TrimLeft(line, " "), []byte("--- "))
	if !ok {
		return "", false
	}
	result, rest, _ := bytes.Cut(rest, []byte(": "))
	test, took, _ := bytes.Cut(rest, []byte(" "))
	known := slices.Contains([]string{"PASS", "FAIL", "SKIP"}, string(result))
	if !known || !bytes.HasPrefix(took, []byte("(")) || !bytes.HasSuffix(took, []byte("s)")) {
		return "", false
	}
	return string(test), string(result) != "SKIP"
}

// goPackage reports whether a line is the result of a package all of whose tests skipped themselves.
func (r *runs) goPackage(line []byte, pkg string) bool {
	tests := r.tests[pkg]
	if tests == nil || !bytes.HasPrefix(line, []byte("ok  \t")) {
		return false
	}
	delete(r.tests, pkg)
	if tests.anyRan() {
		return false
	}
	r.take(empty, []byte(tests.skipped), part)
	return true
}

// goBinaries sums up the tests that no result of a package follows: a test binary that was run by itself prints none.
func (r *runs) goBinaries() {
	for _, pkg := range slices.Sorted(maps.Keys(r.tests)) {
		if tests := r.tests[pkg]; tests.anyRan() {
			r.take(passed, []byte("PASS"), part)
		} else {
			r.take(empty, []byte(tests.skipped), part)
		}
	}
	r.tests = nil
}

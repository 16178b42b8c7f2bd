package proof

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/input"
)

// goTests are the tests of one package whose results go test -v and -json print. The result line of the package says ok
// whether they ran or skipped themselves.
type goTests struct {
	ran     map[string]bool // by name: false for one that skipped itself
	frames  map[string]bool // names of tests that have subtests
	skipped string          // the line of the first test that skipped itself
}

var goBench = input.Lazily(`^(Benchmark\S*)\s+\d+\s+\d`)

// anyRan reports whether a test ran. A test whose subtests all skipped themselves is only a frame.
func (g *goTests) anyRan() bool {
	for name, ran := range g.ran {
		if ran && !g.frames[name] {
			return true
		}
	}
	return false
}

// goTest adds the result of a test. pkg is its package if the output names it, as go test -json does: packages run
// concurrently.
func (r *runs) goTest(line []byte, pkg string) {
	name, ran := goTestResult(line)
	if name == "" {
		return
	}
	if r.tests == nil {
		r.tests = map[string]*goTests{}
	}
	g := r.tests[pkg]
	if g == nil {
		g = &goTests{ran: map[string]bool{}, frames: map[string]bool{}}
		r.tests[pkg] = g
	}
	g.ran[name] = ran
	if !ran && g.skipped == "" {
		g.skipped = strings.TrimLeft(string(line), " ")
	}
	// The name of a subtest may contain slashes: the top-level test is a frame in any case.
	if first := strings.IndexByte(name, '/'); first > 0 {
		g.frames[name[:first]] = true
		g.frames[name[:strings.LastIndexByte(name, '/')]] = true
	}
}

// goTestResult returns the name of the test or benchmark in a result line, and whether it ran; "" for other lines. It uses
// no pattern for tests, because a run has many of these lines.
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

// goPackage reports whether a line is the result of a package in which all tests skipped themselves.
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

// goBinaries adds up the tests without a result line of their package: a test binary that runs by itself prints none.
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

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

var (
	goTestEnd = lazily(`^ *--- (PASS|FAIL|SKIP): (\S+) \(\d+\.\d+s\)$`)
	goBench   = lazily(`^(Benchmark\S*)\s+\d+\s+\d`)
)

// add takes the end of a test.
func (g *goTests) add(result, name, line string) {
	g.ran[name] = result != "SKIP"
	if result == "SKIP" && g.skipped == "" {
		g.skipped = strings.TrimLeft(line, " ")
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
	result, name := goTestResult(line)
	if name == "" {
		return
	}
	if r.tests == nil {
		r.tests = map[string]*goTests{}
	}
	if r.tests[pkg] == nil {
		r.tests[pkg] = &goTests{ran: map[string]bool{}, frames: map[string]bool{}}
	}
	r.tests[pkg].add(result, name, string(line))
}

// goTestResult returns how a test or a benchmark ended, and its name; "" when the line is about none.
func goTestResult(line []byte) (result, name string) {
	switch {
	case bytes.HasPrefix(bytes.TrimLeft(line, " "), []byte("--- ")):
		if m := goTestEnd().FindSubmatch(line); m != nil {
			return string(m[1]), string(m[2])
		}
	case bytes.HasPrefix(line, []byte("Benchmark")):
		if m := goBench().FindSubmatch(line); m != nil {
			return "PASS", string(m[1])
		}
	}
	return "", ""
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

package proof_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/feedback"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/proof"
)

// The results of a run, as the runners print them. Of go, cargo, unittest and node --test they were taken from real runs.
const (
	goRan    = "ok  \texample.com/x/a\t0.003s\n"
	goCached = "ok  \texample.com/x/b\t(cached)\n"
	goNoFile = "?   \texample.com/x/c\t[no test files]\n"
	goNoTest = "ok  \texample.com/x/d\t0.003s [no tests to run]\n"
	goFailed = "FAIL\texample.com/x/e\t0.004s\nFAIL\n"
	goBroken = "# example.com/x/f [example.com/x/f.test]\nf/f_test.go:3:27: undefined: x\nFAIL\texample.com/x/f [build failed]\nFAIL\n"

	goSkips = "=== RUN   TestA\n    a_test.go:3: not today\n--- SKIP: TestA (0.00s)\n=== RUN   TestZ\n--- SKIP: TestZ (0.00s)\n"
	goFrame = "=== RUN   TestB\n=== RUN   TestB/x\n--- PASS: TestB (0.00s)\n"

	ctestSkip = "1/2 Test #1: a ................***Skipped   0.00 sec\n"

	cargoNone = "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 1 filtered out; finished in 0.00s\n"
	cargoRan  = "running 1 test\ntest t::a ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n"

	unittestRule = "----------------------------------------------------------------------\n"
)

// goEvents is what go test -json makes of the output of a package.
func goEvents(pkg, output string) string {
	var events strings.Builder
	for line := range strings.Lines(output) {
		fmt.Fprintf(&events, `{"Time":"2026-11-21T15:18:19Z","Action":"output","Package":%q,"Output":%q}`+"\n", pkg, line)
	}
	return events.String()
}

var outputs = []struct {
	name, text string
	proof      proof.Proof
	line       string // that shows it; "" when the proof is Unknown
}{
	{name: "nothing"},
	{name: "no test runner", text: "All checks passed!\n"},

	{"mix: all excluded", "3 tests, 0 failures, 1 skipped, 2 excluded\n", proof.NoneRan, "3 tests, 0 failures, 1 skipped, 2 excluded"},
	{"mix: doctests ran", "2 doctests, 3 tests, 0 failures, 3 excluded\n", proof.Unknown, ""},
	{"mix: no file", "There are no tests to run\n", proof.NoneRan, "There are no tests to run"},

	{"go: no test files", goNoFile, proof.NoneRan, "?   \texample.com/x/c\t[no test files]"},
	{"go: nothing but empty packages", goNoFile + goNoTest, proof.NoneRan, "?   \texample.com/x/c\t[no test files]"},
	{"go: no tests to run", goNoTest, proof.NoneRan, "ok  \texample.com/x/d\t0.003s [no tests to run]"},
	{"go: no tests to run, with coverage", "ok  \tx\t0.003s\tcoverage: [no statements] [no tests to run]\n", proof.NoneRan, "ok  \tx\t0.003s\tcoverage: [no statements] [no tests to run]"},
	{"go: in the directory of the package", "testing: warning: no tests to run\nPASS\ncoverage: 0.0% of statements\nok  \tx\t0.002s\n", proof.NoneRan, "testing: warning: no tests to run"},
	{"go: without tests, with coverage", "\tx\t\tcoverage: 0.0% of statements\n", proof.NoneRan, "\tx\t\tcoverage: 0.0% of statements"},
	{"go: cached", goCached + goNoFile, proof.AllCached, "ok  \texample.com/x/b\t(cached)"},
	{"go: cached, with coverage", "ok  \tx\t(cached)\tcoverage: 61.0% of statements\n", proof.AllCached, "ok  \tx\t(cached)\tcoverage: 61.0% of statements"},
	{"go: cached, and verbose", "=== RUN   TestA\n--- PASS: TestA (0.00s)\nPASS\n" + goCached, proof.AllCached, "ok  \texample.com/x/b\t(cached)"},
	{"go: some cached", goNoFile + goCached + goRan, proof.SomeCached, "ok  \texample.com/x/b\t(cached)"},
	{name: "go: some packages without tests", text: goNoFile + goNoTest + goRan},
	{name: "go: a package with tests behind one without", text: "testing: warning: no tests to run\nPASS\n" + goNoTest + goRan},
	{name: "go: with coverage", text: "ok  \tx\t0.003s\tcoverage: 61.0% of statements\n\ty\t\tcoverage: 0.0% of statements\n"},
	{"go: nothing builds", goBroken, proof.NoneRan, "FAIL\texample.com/x/f [build failed]"},
	{"go: no such package", "FAIL\t./nope/... [setup failed]\nFAIL\n", proof.NoneRan, "FAIL\t./nope/... [setup failed]"},
	{"go -json: cached", `{"Action":"start","Package":"x"}` + "\n" + `{"Action":"output","Package":"x","Output":"ok  \tx\t(cached)\n"}` + "\n", proof.AllCached, "ok  \tx\t(cached)"},
	{"go -json: no tests", `{"Time":"2026-11-21T15:18:19Z","Action":"output","Package":"x","Output":"?   \tx\t[no test files]\n"}` + "\n", proof.NoneRan, "?   \tx\t[no test files]"},
	{name: "go -json: ran", text: `{"Time":"2026-11-21T15:18:19Z","Action":"output","Package":"x","Output":"ok  \tx\t0.002s\n"}` + "\n" + goNoFile},
	{name: "JSON of another tool", text: `{"level":"info","Output":"ok  \tx\t(cached)\n"}` + "\n"},
	{name: "a broken event", text: `{"Action":"output","Output":"ok  \tx\t(cached)` + "\n"},
	{"gotestsum: cached", "✓  internal/a (cached)\n∅  cmd/x\n\nDONE 12 tests in 0.345s\n", proof.AllCached, "✓  internal/a (cached)"},
	{"gotestsum: some cached", "✓  a (12ms)\nPASS b (cached) (coverage: 3.0% of statements)\n", proof.SomeCached, "PASS b (cached) (coverage: 3.0% of statements)"},
	{"gotestsum: none", "∅  cmd/x\n\nDONE 0 tests in 0.345s\n", proof.NoneRan, "DONE 0 tests in 0.345s"},

	{"gotestsum: all skipped", "✓  a (12ms)\nPASS b\n\nDONE 3 tests, 3 skipped in 0.345s\n", proof.NoneRan, "DONE 3 tests, 3 skipped in 0.345s"},
	{name: "gotestsum: some skipped", text: "✓  a (12ms)\n\nDONE 3 tests, 2 skipped in 0.345s\n" + goNoFile},
	{name: "gotestsum: run again", text: "✖  a (12ms)\n\nDONE 2 runs, 3 tests, 1 failure in 0.345s\n"},

	{"go -v: all skipped", goSkips + "PASS\n" + goRan, proof.NoneRan, "--- SKIP: TestA (0.00s)"},
	{"go -v: all skipped, with coverage", goSkips + "PASS\ncoverage: 12.5% of statements\nok  \tx\t0.003s\tcoverage: 12.5% of statements\n", proof.NoneRan, "--- SKIP: TestA (0.00s)"},
	{"go -v: all skipped in every package", goSkips + goRan + goSkips + goRan + goNoFile, proof.NoneRan, "--- SKIP: TestA (0.00s)"},
	{"go -v: all subtests skipped", goFrame + "    --- SKIP: TestB/x (0.00s)\n    --- SKIP: TestB/y/z (0.00s)\nPASS\n" + goRan, proof.NoneRan, "--- SKIP: TestB/x (0.00s)"},
	{"go -v: all subtests of subtests skipped", goFrame + "    --- PASS: TestB/x (0.00s)\n        --- SKIP: TestB/x/y (0.00s)\nPASS\n" + goRan, proof.NoneRan, "--- SKIP: TestB/x/y (0.00s)"},
	{"go -v: a test binary alone", goSkips + "PASS\n", proof.NoneRan, "--- SKIP: TestA (0.00s)"},
	{name: "go -v: some skipped", text: goSkips + "--- PASS: TestC (0.00s)\nPASS\n" + goRan + goNoFile},
	{name: "go -v: some subtests skipped", text: goFrame + "    --- SKIP: TestB/x (0.00s)\n    --- PASS: TestB/y (0.00s)\nPASS\n" + goRan + goNoFile},
	{name: "go -v: all skipped in one of two packages", text: goSkips + "PASS\n" + goRan + "--- PASS: TestC (0.00s)\nPASS\n" + goRan},
	{name: "go -v: all skipped behind a package that is not verbose", text: goRan + goSkips + "PASS\n" + goRan},
	{name: "go -v: all skipped before a package that is not verbose", text: goSkips + "PASS\n" + goRan + goRan},
	{name: "go -v: a name that only begins alike", text: "--- PASS: TestB (0.00s)\n--- SKIP: TestB2/x (0.00s)\nPASS\n" + goRan + goNoFile},
	{name: "go -v: a test binary alone that ran", text: goSkips + "--- PASS: TestC (0.00s)\nPASS\n" + goNoFile},
	{name: "go -v: all skipped, and a benchmark", text: goSkips + "BenchmarkSum-8   \t  100000\t     12.5 ns/op\nPASS\n" + goRan + goNoFile},
	{name: "go -v: a skip in a test's own log", text: "    a_test.go:3: --- SKIP: TestA (0.00s)\n" + goRan},
	{"go -json: all skipped", goEvents("x", goSkips) + goEvents("x", goRan), proof.NoneRan, "--- SKIP: TestA (0.00s)"},
	{"go -json: all skipped in packages beside each other", goEvents("x", goSkips) + goEvents("y", goSkips) + goEvents("x", goRan) + goEvents("y", goRan),
		proof.NoneRan, "--- SKIP: TestA (0.00s)"},
	{name: "go -json: ran in one of the packages beside each other", text: goEvents("x", "--- PASS: TestC (0.00s)\n") + goEvents("y", goSkips) +
		goEvents("y", goRan) + goEvents("x", goRan)},

	{"pytest: only collected", "collected 3 items\n\n<Module a.py>\n\n========== 3 tests collected in 0.01s ==========\n", proof.NoneRan, "========== 3 tests collected in 0.01s =========="},
	{"pytest: only collected, quiet", "a.py::test_a\n\n1 test collected in 0.01s\n", proof.NoneRan, "1 test collected in 0.01s"},
	{"pytest: only collected, some deselected", "2/5 tests collected (3 deselected), 1 warning in 61.50s (0:01:01)\n", proof.NoneRan, "2/5 tests collected (3 deselected), 1 warning in 61.50s (0:01:01)"},
	{"pytest: nothing collected", "no tests collected (5 deselected) in 0.01s\n", proof.NoneRan, "no tests collected (5 deselected) in 0.01s"},
	{name: "pytest: collected, then ran", text: "3 tests collected in 0.01s\n\n..s\n2 passed, 1 skipped in 0.03s\n"},
	{name: "a log about collecting", text: "3 tests collected in the directory\nlog: 3 tests collected in 0.01s\n"},
	{"pytest: none", "collected 0 items\n\n============================ no tests ran in 0.01s =============================\n", proof.NoneRan, "collected 0 items"},
	{"pytest: none, verbose", "collecting ... collected 0 items\n", proof.NoneRan, "collecting ... collected 0 items"},
	{"pytest: none, quiet", "no tests ran in 0.01s\n", proof.NoneRan, "no tests ran in 0.01s"},
	{"pytest: all deselected", "======================= 12 deselected in 0.03s =======================\n", proof.NoneRan, "======================= 12 deselected in 0.03s ======================="},
	{"pytest: all skipped", "2 skipped in 61.50s (0:01:01)\n", proof.NoneRan, "2 skipped in 61.50s (0:01:01)"},
	{"pytest: not collected", "=== 1 warning, 1 error in 0.05s ===\n", proof.NoneRan, "=== 1 warning, 1 error in 0.05s ==="},
	{"pytest: in colours", "\x1b[33m========== \x1b[33m\x1b[1m3 skipped\x1b[0m\x1b[33m in 0.01s\x1b[0m\x1b[33m ==========\x1b[0m\n", proof.NoneRan, "========== 3 skipped in 0.01s =========="},
	{name: "pytest: ran", text: "collected 3 items\n\n======= 2 passed, 1 skipped, 4 deselected in 0.03s =======\n"},
	{name: "pytest: expected to fail", text: "1 xfailed in 0.03s\n"},
	{name: "pytest: quiet", text: "..\n2 passed in 0.03s\n"},
	{name: "a linter that counts", text: "0 errors, 3 warnings in 0.12s\n12 files in 0.30s\n"},

	{"unittest: none", "\n" + unittestRule + "Ran 0 tests in 0.000s\n\nOK\n", proof.NoneRan, "Ran 0 tests in 0.000s"},
	{"unittest: none, newer", "\n" + unittestRule + "Ran 0 tests in 0.000s\n\nNO TESTS RAN\n", proof.NoneRan, "Ran 0 tests in 0.000s"},
	{"unittest: all skipped", "s\n" + unittestRule + "Ran 1 test in 0.000s\n\nOK (skipped=1)\n", proof.NoneRan, "OK (skipped=1)"},
	{"unittest: all skipped, one dot elsewhere", ".\nmore\nss\n" + unittestRule + "Ran 2 tests in 0.000s\n\nOK (skipped=2)\n", proof.NoneRan, "OK (skipped=2)"},
	{name: "unittest: a class skipped beside a test", text: ".s\n" + unittestRule + "Ran 1 test in 0.000s\n\nOK (skipped=1)\n"},
	{name: "unittest: a class skipped beside an expected failure", text: "xs\n" + unittestRule + "Ran 1 test in 0.000s\n\nOK (skipped=1, expected failures=1)\n"},
	{name: "unittest: a class skipped beside a test, by name", text: "test_a (t.A.test_a) ... ok\nsetUpClass (t.B) ... skipped 'no'\n\n" + unittestRule + "Ran 1 test in 0.000s\n\nOK (skipped=1)\n"},
	{"unittest: all skipped, by name", "test_a (t.A.test_a) ... skipped 'ok'\n\n" + unittestRule + "Ran 1 test in 0.000s\n\nOK (skipped=1)\n", proof.NoneRan, "OK (skipped=1)"},
	{name: "unittest: some skipped", text: "s.\n" + unittestRule + "Ran 2 tests in 0.000s\n\nOK (skipped=1, expected failures=1)\n"},
	{name: "unittest: ran", text: "." + unittestRule + "Ran 1 test in 0.000s\n\nOK\n" + goNoFile},
	{name: "unittest: cut off at the end", text: "Ran 3 tests in 0.000s\n" + goNoFile},
	{name: "unittest: twice", text: "Ran 3 tests in 0.000s\nRan 1 test in 0.000s\n\nOK (skipped=1)\n"},

	{"jest: none found", "No tests found, exiting with code 0\n", proof.NoneRan, "No tests found, exiting with code 0"},
	{"jest: none related", "No tests found related to files changed since last commit.\n", proof.NoneRan, "No tests found related to files changed since last commit."},
	{"jest: none", "Test Suites: 1 failed, 1 total\nTests:       0 total\n", proof.NoneRan, "Tests:       0 total"},
	{"jest: all skipped", "Test Suites: 1 skipped, 0 of 1 total\nTests:       3 skipped, 3 total\n", proof.NoneRan, "Tests:       3 skipped, 3 total"},
	{name: "jest: ran", text: "PASS src/a.test.js\n\nTests:       1 skipped, 3 passed, 4 total\n"},
	{name: "a table of another tool", text: "Tests: 5 total\n"},
	{"vitest: none found", "\nNo test files found, exiting with code 0\n", proof.NoneRan, "No test files found, exiting with code 0"},
	{"vitest: all skipped", " Test Files  1 skipped (1)\n      Tests  3 skipped (3)\n", proof.NoneRan, "      Tests  3 skipped (3)"},
	{"vitest: no tests", " Test Files  1 failed (1)\n      Tests  no tests\n", proof.NoneRan, "      Tests  no tests"},
	{name: "vitest: ran", text: "      Tests  1 skipped | 2 passed (3)\n"},
	{"mocha: none", "\n\n  0 passing (2ms)\n\n", proof.NoneRan, "  0 passing (2ms)"},
	{"mocha: all pending", "\n  0 passing (2ms)\n  3 pending\n", proof.NoneRan, "  0 passing (2ms)"},
	{name: "mocha: ran", text: "\n  12 passing (1s)\n  1 pending\n"},
	{name: "mocha: of two workspaces one is empty", text: "  0 passing (2ms)\n  1 passing (4ms)\n"},
	{"playwright: all skipped", "Running 3 tests using 1 worker\n\n  3 skipped\n", proof.NoneRan, "  3 skipped"},
	{"playwright: only listed", "Listing tests:\n  a.spec.ts:3:5 › adds\nTotal: 1 test in 1 file\n", proof.NoneRan, "Total: 1 test in 1 file"},
	{name: "another tool's list", text: "Listing tests:\n  a\n"},
	{name: "another tool's sum", text: "Total: 12 tests in 3 files\n"},
	{name: "playwright: some skipped", text: "Running 3 tests using 2 workers, shard 1 of 2\n\n  1 skipped\n  2 passed (1.2s)\n"},
	{name: "another tool's skips", text: "  12 files\n  3 skipped\n"},
	{name: "playwright: ran", text: "  3 passed (2.3s)\n" + goNoFile},
	{"node: none", "TAP version 13\n1..0\n# tests 0\n# pass 0\n# fail 0\n", proof.NoneRan, "1..0"},
	{"node: all skipped", "TAP version 13\nok 1 - a # SKIP\n1..1\n# tests 1\n# pass 0\n# fail 0\n# skipped 1\n", proof.NoneRan, "ok 1 - a # SKIP"},
	{name: "node: ran", text: "ok 1 - a\nok 2 - b # SKIP\n1..2\n# tests 2\n# pass 1\n# fail 0\n"},
	{"node: all of a suite skipped", "TAP version 13\nok 1 - suite\n1..1\n# tests 1\n# suites 1\n# pass 0\n# fail 0\n# skipped 1\n", proof.NoneRan, "# pass 0"},
	{"bats: all skipped", "1..2\nok 1 adds # skip no reason\nok 2 # skip\n", proof.NoneRan, "ok 1 adds # skip no reason"},
	{name: "bats: still to do", text: "1..2\nok 1 adds # TODO\nok 2 # skip\n"},
	{name: "bats: an issue in a name", text: "1..2\nok 1 handles #12\nok 2 # skip\n"},
	{name: "bats: an escaped sign", text: "1..2\nok 1 reads \\# skip\nok 2 # skip\n"},
	{name: "bats: ran", text: "1..2\nok 1 adds\nok 2 # skip\n" + goNoFile},
	{"deno: none", "ok | 0 passed | 0 failed (2ms)\n", proof.NoneRan, "ok | 0 passed | 0 failed (2ms)"},
	{name: "deno: ran", text: "ok | 2 passed (3 steps) | 0 failed (2ms)\n"},

	{"cargo: none", cargoNone, proof.NoneRan, "running 0 tests"},
	{"cargo: all ignored", "running 2 tests\n\ntest result: ok. 0 passed; 0 failed; 2 ignored; 0 measured; 0 filtered out; finished in 0.00s\n", proof.NoneRan, "test result: ok. 0 passed; 0 failed; 2 ignored; 0 measured; 0 filtered out; finished in 0.00s"},
	{name: "cargo: no doc tests", text: cargoRan + "   Doc-tests x\n\n" + cargoNone},
	{"cargo: only listed", "t::a: test\n\n1 test, 0 benchmarks\n", proof.NoneRan, "1 test, 0 benchmarks"},
	{"nextest: none", "    Starting 0 tests across 0 binaries\n     Summary [   0.001s] 0 tests run: 0 passed, 0 skipped\n", proof.NoneRan, "     Summary [   0.001s] 0 tests run: 0 passed, 0 skipped"},
	{name: "nextest: ran", text: "     Summary [   0.001s] 2 tests run: 2 passed, 0 skipped\n" + cargoNone},

	{"rspec: none", "No examples found.\n\n0 examples, 0 failures\n", proof.NoneRan, "No examples found."},
	{"rspec: all pending", "2 examples, 0 failures, 2 pending\n", proof.NoneRan, "2 examples, 0 failures, 2 pending"},
	{"rspec: not loaded", "0 examples, 0 failures, 1 error occurred outside of examples\n", proof.NoneRan, "0 examples, 0 failures, 1 error occurred outside of examples"},
	{name: "rspec: ran", text: "3 examples, 0 failures, 2 pending\n"},
	{"minitest: none", "0 runs, 0 assertions, 0 failures, 0 errors, 0 skips\n", proof.NoneRan, "0 runs, 0 assertions, 0 failures, 0 errors, 0 skips"},
	{name: "test-unit: ran", text: "1 tests, 1 assertions, 0 failures, 0 errors, 0 pendings, 0 omissions, 0 notifications\n"},
	{"phpunit: none", "No tests executed!\n", proof.NoneRan, "No tests executed!"},
	{name: "phpunit: ran", text: "OK (2 tests, 3 assertions)\n" + goNoFile},
	{"phpunit: all skipped", "OK, but some tests were skipped!\nTests: 3, Assertions: 0, Skipped: 2, Incomplete: 1.\n", proof.NoneRan, "Tests: 3, Assertions: 0, Skipped: 2, Incomplete: 1."},
	{"phpunit: only listed", "Available tests:\n - ATest::testA\n", proof.NoneRan, "Available tests:"},
	{name: "phpunit: some skipped", text: "OK, but some tests were skipped!\nTests: 3, Assertions: 4, Skipped: 2.\n" + goNoFile},
	{"junit console launcher: all skipped", "[         3 tests found           ]\n[         3 tests skipped         ]\n[         0 tests successful      ]\n[         0 tests failed          ]\n",
		proof.NoneRan, "[         0 tests successful      ]"},
	{name: "junit console launcher: ran", text: "[         3 tests successful      ]\n[         0 tests failed          ]\n" + goNoFile},
	{"junit console: none", "OK (0 tests)\n", proof.NoneRan, "OK (0 tests)"},

	{"dotnet: filtered out", "No test matches the given testcase filter `Name=x` in /src/bin/X.dll\n", proof.NoneRan, "No test matches the given testcase filter `Name=x` in /src/bin/X.dll"},
	{"dotnet: only listed", "The following Tests are available:\n    X.A\n", proof.NoneRan, "The following Tests are available:"},
	{"dotnet: all skipped", "Skipped! - Failed:     0, Passed:     0, Skipped:     3, Total:     3, Duration: 3 ms - X.dll (net8.0)\n", proof.NoneRan, "Skipped! - Failed:     0, Passed:     0, Skipped:     3, Total:     3, Duration: 3 ms - X.dll (net8.0)"},
	{"dotnet: none", "Test summary: total: 0, failed: 0, succeeded: 0, skipped: 0, duration: 0.2s\n", proof.NoneRan, "Test summary: total: 0, failed: 0, succeeded: 0, skipped: 0, duration: 0.2s"},
	{name: "dotnet: one of two", text: "No test is available in /src/bin/Y.dll. Make sure that …\nPassed!  - Failed:     0, Passed:    12, Skipped:     0, Total:    12, Duration: 3 ms - X.dll (net8.0)\n"},

	{"maven: none", "[INFO] Tests run: 0, Failures: 0, Errors: 0, Skipped: 0\n", proof.NoneRan, "[INFO] Tests run: 0, Failures: 0, Errors: 0, Skipped: 0"},
	{"maven: all skipped", "[WARNING] Tests run: 2, Failures: 0, Errors: 0, Skipped: 2, Time elapsed: 0.01 s -- in XTest\n", proof.NoneRan, "[WARNING] Tests run: 2, Failures: 0, Errors: 0, Skipped: 2, Time elapsed: 0.01 s -- in XTest"},
	{"maven: no tests", "[INFO] No tests to run.\n", proof.NoneRan, "[INFO] No tests to run."},
	{"maven: skipped by the settings", "[INFO] Tests are skipped.\n", proof.NoneRan, "[INFO] Tests are skipped."},
	{name: "maven: one module without tests", text: "[INFO] No tests to run.\n[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 1\n"},
	{"gradle: no source", "> Task :compileTestJava NO-SOURCE\n> Task :test NO-SOURCE\n", proof.NoneRan, "> Task :test NO-SOURCE"},
	{"gradle: up to date", "> Task :app:test UP-TO-DATE\n", proof.AllCached, "> Task :app:test UP-TO-DATE"},
	{"gradle: some from the cache", "> Task :a:test FROM-CACHE\n> Task :b:test\n", proof.SomeCached, "> Task :a:test FROM-CACHE"},
	{name: "gradle: ran", text: "> Task :compileTestJava UP-TO-DATE\n> Task :testClasses UP-TO-DATE\n> Task :test\n> Task :lib:test NO-SOURCE\n"},
	{name: "gradle: other tasks", text: "> Task :packageDebugAndroidTest UP-TO-DATE\n> Task :testClasses UP-TO-DATE\n"},
	{"bazel: cached", "//a:b_test          (cached) PASSED in 2.8s\n\nExecuted 0 out of 1 test: 1 test passes.\n", proof.AllCached, "//a:b_test          (cached) PASSED in 2.8s"},
	{"bazel: some cached", "//a:b_test   (cached) PASSED in 2.8s\n//a:c_test   PASSED in 0.1s\n\nExecuted 1 out of 2 tests: 2 tests pass.\n", proof.SomeCached, "//a:b_test   (cached) PASSED in 2.8s"},
	{"ctest: none", "No tests were found!!!\n", proof.NoneRan, "No tests were found!!!"},
	{"ctest: all skipped", ctestSkip + ctestSkip + "\n100% tests passed, 0 tests failed out of 2\n", proof.NoneRan, "100% tests passed, 0 tests failed out of 2"},
	{name: "ctest: some skipped", text: ctestSkip + "2/2 Test #2: b ................   Passed    0.00 sec\n\n100% tests passed, 0 tests failed out of 2\n"},
	{name: "ctest: two runs", text: ctestSkip + "\n100% tests passed, 0 tests failed out of 1\n\n100% tests passed, 0 tests failed out of 1\n"},
	{name: "ctest: ran", text: "100% tests passed, 0 tests failed out of 12\n" + goNoFile},
	{"googletest: none", "[==========] Running 0 tests from 0 test suites.\n[  PASSED  ] 0 tests.\n", proof.NoneRan, "[  PASSED  ] 0 tests."},
	{"googletest: all skipped", "[==========] 2 tests from 1 test suite ran. (0 ms total)\n[  PASSED  ] 0 tests.\n[  SKIPPED ] 2 tests, listed below:\n", proof.NoneRan, "[  PASSED  ] 0 tests."},
	{name: "googletest: ran", text: "[  PASSED  ] 3 tests.\n" + goNoFile},

	{name: "words in a test's own log", text: "    sum_test.go:9: ok  \tx\t(cached)\n    x: no tests to run\nlog: no tests ran in 0.01s\n"},
	{name: "words in a file's name", text: "src/no test files/collected 0 items\nexamples/no_tests_ran_in_0.01s.txt\n"},
	{name: "a sentence", text: "There is a package where [no test files] exist, and go says (cached).\nThe suite has 0 passing tests so far.\n"},
	{name: "a result line in a frame", text: "| ok  \tx\t(cached) |\n> no tests ran in 0.01s\n"},
	{name: "a line that is too long", text: "ok  \t" + strings.Repeat("x", 5000) + "\t(cached)\n"},
	{"what a terminal would obey", "> Task :\x1b\u0085:test NO-SOURCE\n", proof.NoneRan, "> Task :\ufffd\ufffd:test NO-SOURCE"},
	{"carriage returns", "collecting ... \rcollected 0 items\r\n", proof.NoneRan, "collected 0 items"},
	{"a long name is cut", "ok  \t" + strings.Repeat("x", 500) + "\t(cached)\n", proof.AllCached, "ok  \t" + strings.Repeat("x", 195) + "…"},
}

func TestReadOutput(t *testing.T) {
	for _, c := range outputs {
		t.Run(c.name, func(t *testing.T) {
			got := proof.ReadOutput([]byte(c.text), []string{"make", "test"}, false, false)
			if want := (proof.Output{Proof: c.proof, Line: c.line}); got != want {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	}
}

// TestReadOutputOfBuilds: the words of a build tool about missing tests count only if the command asks for tests.
func TestReadOutputOfBuilds(t *testing.T) {
	for _, c := range []struct {
		command string
		proof   proof.Proof
	}{
		{"mvn test", proof.NoneRan},
		{"./gradlew :app:integrationTest", proof.NoneRan},
		{"mvn package", proof.Unknown},
		{"mvn package -DskipTests", proof.Unknown},
		{"mvn package -Dmaven.test.skip=true", proof.Unknown},
	} {
		for _, text := range []string{"[INFO] Tests are skipped.\n", "[INFO] No tests to run.\n", "> Task :test NO-SOURCE\n", "> Task :test SKIPPED\n"} {
			if got := proof.ReadOutput([]byte(text), strings.Fields(c.command), false, false); got.Proof != c.proof {
				t.Errorf("%s: %q gives %+v", c.command, text, got)
			}
		}
	}
}

// TestReadCutOutput: a cut output is a finding only if the missing part could not change that.
func TestReadCutOutput(t *testing.T) {
	for _, c := range []struct {
		text  string
		proof proof.Proof
	}{
		{goNoFile, proof.Unknown},
		{goNoTest + goNoFile, proof.Unknown},
		{goCached, proof.SomeCached},
		{goCached + goRan, proof.SomeCached},
		{cargoNone, proof.Unknown},
		{"=== no tests ran in 0.01s ===\n", proof.NoneRan},
		{"  0 passing (2ms)\n", proof.NoneRan},
		{"  0 passing (2ms)\n  1 passing (2ms)\n", proof.Unknown},
		{"Executed 0 out of 3 tests: 3 tests pass.\n", proof.AllCached},
	} {
		if got := proof.ReadOutput([]byte(c.text), nil, true, false); got.Proof != c.proof {
			t.Errorf("%q: %+v", c.text, got)
		}
	}
}

// TestReadOutputOfControls: a control must have failed in a test.
func TestReadOutputOfControls(t *testing.T) {
	for _, c := range []struct {
		name, text string
		cut        bool
		proof      proof.Proof
	}{
		{name: "a test failed", text: "--- FAIL: TestSum (0.00s)\n    sum_test.go:9: 3\n" + goFailed},
		{name: "a test failed beside a package without tests", text: goNoFile + goCached + goFailed},
		{name: "a test failed, and another package did not build", text: goBroken + goFailed},
		{name: "nothing is known of tests", text: "sh: expected 3, got 2\n"},
		{name: "did not build", text: goBroken, proof: proof.NoneRan},
		{name: "did not build, and other packages are fine", text: goRan + goBroken, proof: proof.NoneRan},
		{name: "did not build, and what failed may be cut off", text: goRan + goBroken, cut: true},
		{name: "no test files", text: goNoFile, proof: proof.NoneRan},
		{name: "only cached results", text: goCached, proof: proof.AllCached},
		{name: "pytest: no tests", text: "=== no tests ran in 0.01s ===\n", proof: proof.NoneRan},
		{name: "pytest: not collected", text: "=== 1 error in 0.01s ===\n", proof: proof.NoneRan},
		{name: "pytest: a test failed", text: "=== 1 failed, 2 passed, 1 error in 0.01s ===\n"},
		{name: "cargo: did not build", text: "error: could not compile `x` (test \"b\") due to 1 previous error\n", proof: proof.NoneRan},
		{name: "cargo: a library that must not build", text: "error: could not compile `x` (lib) due to 1 previous error\n"},
		{name: "cargo: a test failed", text: "test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n" + goBroken},
		{name: "jest: none", text: "No tests found, exiting with code 1\n", proof: proof.NoneRan},
		{name: "mocha: failing", text: "  0 passing (2ms)\n  1 failing\n"},
	} {
		if got := proof.ReadOutput([]byte(c.text), []string{"red"}, c.cut, true); got.Proof != c.proof {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

// TestDecideByOutput: only the output of deciding records counts.
func TestDecideByOutput(t *testing.T) {
	tested := wanted
	tested.TestReport = "out.xml"
	for _, c := range []struct {
		name      string
		criterion contract.Criterion
		records   []string // exit code and standard output
		reason    proof.Reason
		cached    bool
	}{
		{"ran", wanted, []string{"0 " + goRan}, proof.Passed, false},
		{"none ran", wanted, []string{"0 " + goNoFile}, proof.Vacuous, false},
		{"cached", wanted, []string{"0 " + goCached}, proof.Vacuous, false},
		{"some cached", wanted, []string{"0 " + goCached + goRan}, proof.Passed, true},
		{"none ran at first", wanted, []string{"0 " + goNoFile, "0 " + goRan}, proof.Passed, false},
		{"cached at last", wanted, []string{"0 " + goRan, "0 " + goCached}, proof.Vacuous, false},
		{"failed", wanted, []string{"1 " + goNoFile}, proof.FailedReason, false},
		{"too often", wanted, []string{"0 a", "0 b", "0 c", "0 " + goNoFile}, proof.TooManyAttempts, false},
		{"none ran, beside a test report", tested, []string{"0 " + goNoFile}, proof.Vacuous, false},
		{"ran, beside a test report", tested, []string{"0 " + goNoFile + goRan}, proof.Passed, false},
		{"a test report does not say when", tested, []string{"0 " + goCached}, proof.Vacuous, false},
		{"control", control, []string{"1 " + goFailed}, proof.Passed, false},
		{"control that ran none", control, []string{"1 " + goBroken}, proof.Vacuous, false},
		{"control with cached results", control, []string{"1 " + goCached + goFailed}, proof.Passed, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := proof.New(proof.Config{TaskID: "T-1", Criteria: []contract.Criterion{c.criterion}})
			s := l.Stream("log")
			for _, r := range c.records {
				code, text, _ := strings.Cut(r, " ")
				s.Add(parsed(t, c.criterion.Run, code, text))
			}
			d := l.Decide(0, "", everything)
			if d.Reason != c.reason || (d.Cached != nil) != c.cached {
				t.Errorf("%q, cached %v", d.Reason, d.Cached)
			}
		})
	}
}

// parsed is a record as it is read from a log.
func parsed(t *testing.T, argv []string, code, stdout string) (record *feedback.Record) {
	t.Helper()
	words, err := json.Marshal(argv)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(stdout)
	if err != nil {
		t.Fatal(err)
	}
	line := fmt.Sprintf(`{"command":%s,"exit_code":%s,"stdout_tail":%s}`, words, code, text)
	_, errs := feedback.ReadLog(strings.NewReader(line), input.DefaultLimits(), func(r *feedback.Record) { record = r })
	if errs.Any() {
		t.Fatal(errs.All())
	}
	return record
}

// FuzzReadOutput: lines are bounded, and there is no finding if a result shows that a test ran.
func FuzzReadOutput(f *testing.F) {
	for _, c := range outputs {
		f.Add(c.text, false, false)
	}
	f.Add(goBroken, true, true)
	f.Fuzz(func(t *testing.T, text string, cut, control bool) {
		text = strings.ToValidUTF8(text, "\ufffd") // like the output in a record
		got := proof.ReadOutput([]byte(text), []string{"test"}, cut, control)
		if !utf8.ValidString(got.Line) || len(got.Line) > 250 || strings.ContainsAny(got.Line, "\n\x1b") || (got.Proof == proof.Unknown) != (got.Line == "") {
			t.Errorf("%+v", got)
		}
		ran := "\n\n" + goRan + goRan // the first may be about tests in the text that skipped themselves
		if control {
			ran = "\n\n" + goFailed
		}
		with := proof.ReadOutput([]byte(text+ran), []string{"test"}, cut, control)
		if with.Proof != proof.Unknown && with.Proof != proof.SomeCached {
			t.Errorf("with a test that ran: %+v", with)
		}
	})
}

// BenchmarkReadOutput reads what go test -v and pytest -v print, which is looked at for the records that decide.
func BenchmarkReadOutput(b *testing.B) {
	text := strings.Repeat("=== RUN   TestStore\n    store_test.go:9: 3 passed\n--- PASS: TestStore (0.00s)\ntests/test_sum.py::test_sum PASSED  [ 50%]\n", 8000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if got := proof.ReadOutput([]byte(text), nil, false, false); got.Proof != proof.Unknown {
			b.Fatal(got)
		}
	}
}

package proof

import (
	"strings"
	"testing"
)

// TestSummary compares what a runner says with what an exit code of 0 claims: an attack beside the honest run that looks like it.
func TestSummary(t *testing.T) {
	const (
		fails  = "===== 1 failed, 2 passed in 0.42s =====\n"
		passes = "===== 3 passed in 0.10s =====\n"
	)
	for _, c := range []struct {
		argv, stdout, stderr string
		failure              string
		silent               bool
	}{
		{"pytest", fails, "", "1 failed", false},
		{"pytest", fails + passes, "", "", false},
		{"pytest", fails, passes, "1 failed", false}, // printed by a test
		{"pytest", passes, fails, "", false},         // of a run that a test looks at
		{"pytest", passes, "FAILED (failures=1)\n", "", false},
		{"pytest", "===== 2 passed, 1 error in 0.42s =====\n", "", "1 error", false},
		{"pytest", "===== 2 passed, 1 xfailed, 1 xpassed, 2 warnings, 1 rerun in 0.42s =====\n", "", "", false},
		{"pytest", "test_failed_login FAILED again\nexpected 1 failed\n" + passes, "", "", false},
		{"pytest", "\x1b]0;pytest\x07\x1b[31m===== \x1b[1m1 failed\x1b[0m, \x1b[32m2 passed\x1b[0m in 0.42s =====\x1b[0m\n", "", "1 failed", false},
		{"pytest", "\x1b(B\x1b[38:5:1m===== 1 failed in 0.42s =====\n", "", "1 failed", false},
		{"pytest", "collected 3 items\n", "", "", true},
		{"./venv/bin/pytest -x", "collected 3 items\n", "", "", true},
		{"python3 -m pytest", "collected 3 items\n", "", "", true},
		{"pytest --collect-only", "a.py::b\n", "", "", false},
		{"pytest -q -q", "...\n", "", "", false},
		{"pytest -p no:terminal", "x\n", "", "", false},
		{"pytest -q", "x\n", "", "", true},
		{"pytest -q", "1 failed, 1 passed in 0.1s\n", "", "1 failed", false},
		{"pytest", "", "", "", false},
		{"python -m unittest", "", "Ran 2 tests in 0.1s\n\nFAILED (failures=1)\n", "FAILED (failures=1)", false},
		{"python -m unittest", "OK\n", "Ran 2 tests in 0.1s\n\nFAILED (errors=1)\n", "FAILED (errors=1)", false},
		{"python -m unittest", "FAILED (failures=1)\n", "Ran 2 tests in 0.1s\n\nOK\n", "", false},
		{"python -m unittest -q", "", "x\n", "", true},
		{"npx jest", "", "Test Suites: 1 failed, 1 passed, 2 total\nTests:       3 passed, 3 total\n", "1 failed", false},
		{"npx jest", "", "Test Suites: 1 failed, 2 total\nTests: 1 passed, 1 total\nTest Suites: 2 passed, 2 total\nTests: 3 passed, 3 total\n", "", false},
		{"npx jest --reporters=default", "", "Tests:       1 failed, 3 total\n", "1 failed", false},
		{"npx jest --reporters=jest-junit", "", "x\n", "", false},
		{"vitest run", " Test Files  1 failed | 1 passed (2)\n      Tests  3 passed (3)\n", "", "1 failed", false},
		{"vitest run --reporter=verbose", "      Tests  1 failed | 3 passed (4)\n", "", "1 failed", false},
		{"vitest run", " Test Files  1 passed (1)\n      Tests  3 passed | 1 skipped (4)\n", "", "", false},
		{"mocha -R spec", "  2 passing (1s)\n  1 failing\n", "", "1 failing", false},
		{"node --test --test-reporter=spec", "ℹ pass 1\nℹ fail 1\n", "", "fail 1", false},
		{"node --test", "# pass 1\n# fail 0\n", "", "", false},
		{"rspec --format progress", "3 examples, 1 failure\n", "", "1 failure", false},
		{"rspec", "3 examples, 0 failures, 1 error occurred outside of examples\n", "", "1 error", false},
		{"rspec", "3 examples, 0 failures, 1 pending\n", "", "", false},
		{"phpunit --testdox", "Tests: 3, Assertions: 3, Errors: 1.\n", "", "Errors: 1", false},
		{"phpunit --list-tests", "Available tests:\n", "", "", false},
		{"go test -v ./...", "--- FAIL: TestA (0.00s)\nFAIL\nok  \ta.b/c\t0.01s\n", "", "FAIL", false},
		{"go test -v ./...", "--- FAIL: TestA (0.00s)\nFAIL\ncoverage: 10.0% of statements\ntidied\nok  \ta.b/c\t0.01s\n", "", "FAIL", false},
		{"go test -json ./...", event("FAIL\\n") + event(`ok  \ta.b/c\t0.01s\n`), "", "FAIL", false},
		{"go test -json ./...", event("PASS\\n") + event(`ok  \ta.b/c\t0.01s\n`), "", "", false},
		{"go test -v ./...", "FAIL\nPASS\ntidied\nok  \ta.b/c\t0.01s\n", "", "", false},      // of a run that a test looks at
		{"go test -v ./...", "PASS\nok  \ta.b/c\t0.01s\nok  \ta.b/d\t0.01s\n", "", "", true}, // a TestMain without m.Run
		{"go test -v ./...", "PASS\nok  \ta.b/c\t0.01s\n?   \ta.b/d\t[no test files]\n", "", "", false},
		{"go test ./...", "ok  \ta.b/c\t0.01s\nok  \ta.b/d\t0.01s\n", "", "", false},
		{"bash|-c|go test ./... || go test ./...", "--- FAIL: TestA (0.00s)\nFAIL\nFAIL\ta.b/c\t0.01s\nok  \ta.b/d\t0.01s\nFAIL\nok  \ta.b/c\t0.01s\n", "", "", false},
		{"bash|-c|go test ./... || go test ./...", "FAIL\ta.b/c [build failed]\nFAIL\nok  \ta.b/c\t0.01s\n", "", "", false},
		{"bash|-c|go test ./... || go test ./...", "FAIL\ta.b/c [build failed]\n?   \ta.b/d\t[no test files]\nFAIL\nok  \ta.b/c\t0.01s\n", "", "", false},
		{"bash|-c|go test -cover ./... || go test ./...", "\ta.b/d\t\tcoverage: 0.0% of statements\nFAIL\nok  \ta.b/c\t0.01s\n", "", "", false},
		{"bash|-c|go test -v ./... | tee log", "ok  \ta.b/d\t0.01s\n--- FAIL: TestA (0.00s)\n\ta.go:1: b\nFAIL\nok  \ta.b/c\t0.01s\n", "", "FAIL", false},
		{"cargo test", "running 3 tests\n", "", "", true}, // code that ends the process
		{"cargo test", "running 3 tests\ntest result: ok. 3 passed; 0 failed\nrunning 1 test\ntest a ... ok\n", "", "", true},
		{"cargo test", "running 3 tests\ntest result: ok. 3 passed; 0 failed\n", "", "", false},
		{"cargo test", "test a ... ok\ntest result: ok. 3 passed; 0 failed\n", "", "", false}, // its begin is cut
		{"cargo test --no-run", "Finished\n", "", "", false},
		{"bash|-c|pytest 2>&1 | tee log", fails, "", "1 failed", false},
		{"bash|-c|npm ci && npx jest || true", "", "Tests:       1 failed, 3 total\n", "1 failed", false},
		{"bash|-c|pytest || pytest --lf", fails + passes, "", "", false},
		{"bash|-c|pytest broken; test $? = 1", fails, "", "", false},
		{"bash|-c|pytest broken | cat; test ${PIPESTATUS[0]} = 1", fails, "", "", false},
		{"sh run.sh pytest", fails, "", "", false},
		{"bash|-c|! pytest broken", fails, "", "", false},
		{"bash|-c|pytest > log", "done\n", "", "", false},
		{"bash|-c|echo pytest", fails, "", "", false},
		{"npm test", "Tests:       1 failed, 3 total\n", "", "", false},
		{"pytest-watch", fails, "", "", false},
	} {
		argv := strings.Split(c.argv, "|")
		if len(argv) < 3 || argv[1] != "-c" {
			argv = strings.Fields(c.argv)
		} else {
			argv = strings.SplitN(c.argv, "|", 3)
		}
		failure, silent := summary([]byte(c.stdout), []byte(c.stderr), argv)
		if silent != c.silent || (failure == "") != (c.failure == "") || !strings.Contains(failure, c.failure) {
			t.Errorf("%s: %q %q: %q, silent %v; want %q, %v", c.argv, c.stdout, c.stderr, failure, silent, c.failure, c.silent)
		}
	}
}

// event is an output event of go test -json.
func event(output string) string {
	return `{"Time":"2026-01-01T00:00:00Z","Action":"output","Package":"a.b/c","Output":"` + output + `"}` + "\n"
}

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

		dotnetFails  = "Failed!  - Failed:     1, Passed:     2, Skipped:     0, Total:     3, Duration: 5 ms - A.dll (net8.0)\n"
		dotnetPasses = "Passed!  - Failed:     0, Passed:     3, Skipped:     0, Total:     3, Duration: 5 ms - B.dll (net8.0)\n"
		cargoFails   = "running 1 test\ntest result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n"
		cargoPasses  = "running 1 test\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n"
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
		{"bash|-c|pytest broken && exit 1 || exit 0", fails, "", "", false},
		{"bash|-c|pytest broken && { exit 2; }; true", fails, "", "", false},
		{"bash|-c|pytest && exit 0; exit 0", fails, "", "1 failed", false},

		{"dotnet test", dotnetFails, "", "Failed!", false},
		{"dotnet test", dotnetFails + dotnetPasses, "", "Failed!", false}, // two assemblies
		{"bash|-c|dotnet test || dotnet test", dotnetFails + dotnetPasses, "", "", false},
		{"dotnet test", dotnetPasses, "", "", false},
		{"dotnet build", dotnetFails, "", "", false},
		{"dotnet test", "Test Run Failed.\nTotal tests: 3\n", "", "Test Run Failed.", false},
		{"dotnet test", "Test run summary: Failed!\n  total: 3\n", "", "Failed!", false},
		{"./mvnw -B verify", "[ERROR] Tests run: 3, Failures: 0, Errors: 1, Skipped: 0\n[INFO] Tests run: 9, Failures: 0, Errors: 0, Skipped: 0\n", "", "Errors: 1", false},
		{"mvn test", "[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.1 s <<< FAILURE! - in A\n" +
			"[WARNING] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0, Flakes: 1\n", "", "", false},
		{"./gradlew test", "5 tests completed, 1 failed\n\nThere were failing tests. See the report at: file:///r/index.html\n", "", "There were failing", false},
		{"./gradlew test", "5 tests completed, 1 failed\n\nBUILD SUCCESSFUL in 2s\n", "", "", false}, // a plugin ran it again
		{"mix test", "2 doctests, 1 property, 3 tests, 2 failures, 1 excluded\n", "", "2 failures", false},
		{"mix test", "1 doctest, 3 tests, 0 failures\n", "", "", false},
		{"mix test", "3 tests, 0 failures, 3 invalid\n", "", "3 invalid", false}, // setup_all failed
		{"bundle exec rake test", "3 runs, 5 assertions, 1 failures, 0 errors, 0 skips\n", "", "1 failures", false},
		{"bin/rails test", "3 runs, 5 assertions, 0 failures, 1 errors, 0 skips\n", "", "1 errors", false},
		{"ruby -Itest test/a_test.rb", "3 tests, 5 assertions, 0 failures, 0 errors, 0 pendings, 0 omissions\n", "", "", false},
		{"ruby a.rb", "3 runs, 5 assertions, 1 failures, 0 errors, 0 skips\n", "", "", false},
		{"php artisan test", "  Tests:    1 failed, 2 passed (3 assertions)\n", "", "1 failed", false},
		{"composer test", "FAILURES!\nTests: 3, Assertions: 3, Failures: 1.\n", "", "Failures: 1", false},
		{"cargo test --no-fail-fast", cargoFails + cargoPasses, "", "1 failed", false}, // two test binaries
		{"bash|-c|cargo test || cargo test", cargoFails + cargoPasses, "", "", false},
		{"cargo nextest run", "", "     Summary [   0.005s] 3 tests run: 2 passed, 1 failed, 0 skipped\n", "1 failed", false},
		{"cargo nextest run", "", "     Summary [   0.005s] 3 tests run: 3 passed (1 flaky), 0 skipped\n", "", false},
		{"go test ./...", "--- FAIL: TestA (0.00s)\nFAIL\nFAIL\ta.b/c\t0.01s\nFAIL\n", "", "FAIL", false},
		{"go test -v ./...", "FAIL\ta.b/c\t0.01s\nFAIL\nPASS\nok  \ta.b/d\t0.01s\n", "", "", false}, // the first two printed by a test
		{"npm test", "Tests:       1 failed, 3 total\n", "", "1 failed", false},
		{"pnpm run test:unit", "Tests:       1 failed, 3 total\nTests:       3 passed, 3 total\n", "", "", false},
		{"npm run lint", "Tests:       1 failed, 3 total\n", "", "", false},
		{"bash|-c|pytest; test -f report.xml", fails, "", "1 failed", false},
		{"npx playwright test", "Running 3 tests using 1 worker\n\n  1 failed\n    a.spec.ts:3:1 › a\n  2 passed (1.2s)\n", "", "1 failed", false},
		{"npm test", "Running 3 tests using 1 worker\n  1 failed\nRunning 3 tests using 1 worker\n  1 flaky\n  3 passed (1.2s)\n", "", "", false},
		{"npx mocha", "  1 failed\n  2 passing (1s)\n", "", "", false}, // printed by a test
		{"npx cypress run", "  2 passing (1s)\n    ✖  1 of 2 failed (50%)                     00:03        3        2        1\n", "", "1 of 2 failed", false},
		{"npx ava", "  1 test failed\n", "", "1 test failed", false},
		{"npx ava", "  2 tests failed\n  3 tests passed\n", "", "", false},
		{"bun test", "", " 2 pass\n 1 fail\n", "1 fail", false},
		{"bun test", "", " 2 pass\n 0 fail\n", "", false},
		{"node --test", "ℹ pass 2\nℹ fail 0\nℹ cancelled 1\n", "", "cancelled 1", false},
		{"deno test -A", "FAILED | 2 passed | 1 failed (10ms)\n", "", "FAILED", false},
		{"npx karma start --single-run", "TOTAL: 1 FAILED, 2 SUCCESS\n", "", "1 FAILED", false},
		{"prove -r t", "Files=1, Tests=3\nResult: FAIL\n", "", "Result: FAIL", false},
		{"make test", "1..2\nnot ok 1 a\nnot ok 2 b\n", "", "not ok 1 a", false},
		{"make test", "1..2\nok 1 a\nnot ok 2 - b\n1..1\nok 1 - b\n", "", "", false}, // which ran again
		{"make test", "not ok 1\nok 2\n1..2\n", "", "not ok 1", false},
		{"make test", "not ok 1 a # TODO\nok 2 a\n", "", "", false},
		{"bash|-c|bats t || true", "1..2\nok 1 a\nnot ok 2 b\n", "", "not ok 2 b", false},
		{"npm test", "not ok 1 a\n", "Tests:       3 passed, 3 total\n", "", false}, // a parser of TAP
		{"bun test", "not ok 1 a\n", " 2 pass\n 0 fail\n", "", false},
		{"mvn -q test", "not ok 1 a\n", "", "", false},
		{"cargo test", "running 3 tests\nnot ok 1 a\n", "", "", true},
		{"ctest", "50% tests passed, 1 tests failed out of 2\n", "", "1 tests failed", false},
		{"bazel test //...", "//a:b  FAILED in 1.0s\nExecuted 2 out of 2 tests: 1 test passes and 1 fails locally.\n", "", "FAILED", false},
		{"ginkgo -r", "FAIL! -- 2 Passed | 1 Failed | 0 Pending | 0 Skipped\nSUCCESS! -- 3 Passed | 0 Failed | 0 Pending\n", "", "1 Failed", false},
		{"swift test", "\t Executed 3 tests, with 1 failure (0 unexpected) in 0.1 (0.1) seconds\n", "", "1 failure", false},
		{"sbt test", "[error] Failed: Total 3, Failed 1, Errors 0, Passed 2\n", "", "Failed 1", false},
		{"make check", fails, "", "1 failed", false},
		{"make lint", fails, "", "", false},
		{"tox -e py312", fails, "", "1 failed", false},
		{"python manage.py test", "", "Ran 2 tests in 0.1s\n\nFAILED (failures=1)\n", "FAILED (failures=1)", false},
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

// TestReportAdvice: the variable of jest-junit has FILE in its name, which is not a place for the path.
func TestReportAdvice(t *testing.T) {
	for command, want := range map[string]string{
		"uv run pytest":  "add --junitxml=e/r.xml to its words",
		"npx jest":       "JEST_JUNIT_OUTPUT_FILE=e/r.xml",
		"npx vitest run": "--outputFile=e/r.xml to",
		"go test ./...":  "go test -json ./... > e/r.xml, run by bash -c, or gotestsum --junitfile e/r.xml",
		"make check":     "let the command write e/r.xml as JUnit XML",
	} {
		if got := ReportAdvice(strings.Fields(command), "e/r.xml"); !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
}

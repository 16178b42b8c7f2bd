package verify_test

import (
	"path/filepath"
	"testing"
)

// TestFindingTexts wants some findings of cases to say what a reader has to know.
func TestFindingTexts(t *testing.T) {
	for _, c := range []struct{ path, code, text string }{
		{"cases/rules/passed.excused.txtar", "rule.failed", `the rule "no-print" is broken (excused until 2026-12-31: ticket 13)`},
		{"cases/acceptance/failed.tests-failed.txtar", "acceptance.tests_failed", `"test" (go test ./...) exited with 0, and its test report says that 1 of 2 tests failed: adds: 3 is not 4`},
		{"cases/acceptance/failed.test-named.txtar", "acceptance.failed", `"unit" (pytest) failed 1 of 2 tests: tests/test_sum.py:12 test_adds: assert 3 == 4`},
		{"cases/acceptance/failed.tests-named.txtar", "acceptance.failed", `exit code 1; failed: "src/sum test.ts adds"; src/sum.test.ts:12 subtracts`},
		{"cases/acceptance/failed.test-printed.txtar", "acceptance.failed", `"unit" (pytest) failed: exit code 1: tests/test_sum.py test_adds: E   assert 3 == 4`},
		{"cases/acceptance/failed.test-printed.txtar", "acceptance.failed", `exit code 1; failed: tests/test_sum.py test_adds`},
		{"cases/cross/failed.job-red.txtar", "cross.missing", "no run shows what the tests of the base say about the new code: old_tests: no record of it: " +
			`the job "cross (old_tests)" failed in its step "Install closeout"`},
		{"cases/acceptance/failed.error-printed.txtar", "acceptance.failed", `"build" (make) failed: exit code 2: src/sum.c:12:5: error: expected ';'`},
		{"cases/acceptance/passed.test-run-again.txtar", "acceptance.flaky", `1 test that failed and then passed, the first is "sum.adds"`},
		{"attacks/12-rule-rows/failed.ignore-without-a-day.txtar", "rule.expired", "none, and the exception ends on 2026-06-30"},
		{"attacks/11-proves-nothing/failed.go-subtests-skip-themselves.txtar", "acceptance.vacuous", `the output says "--- SKIP: TestSum/small (0.00s)"`},
	} {
		found, judged := false, readCase(t, filepath.Join(root, c.path))
		for _, f := range judged.files(t).judge().Findings {
			found = found || f.Code == c.code && (f.Actual == c.text || f.Message == c.text)
		}
		if !found {
			t.Errorf("%s: no %s with %q", c.path, c.code, c.text)
		}
	}
}

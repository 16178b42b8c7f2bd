package verify_test

import (
	"path/filepath"
	"testing"
)

// TestFindingTexts wants some findings of cases to say what a reader has to know.
func TestFindingTexts(t *testing.T) {
	for _, c := range []struct{ path, code, text string }{
		{"cases/rules/passed.excused.txtar", "rule.failed", `the rule "no-print" is broken (excused until 2026-12-31: ticket 13)`},
		{"cases/acceptance/failed.tests-failed.txtar", "acceptance.tests_failed", `1 failure, the first is "sum.adds"`},
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

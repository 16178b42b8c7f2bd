package verify_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify/report"
)

// TestCrossOfReport wants the report to say of each case what the tests of the base show, in counts and words.
func TestCrossOfReport(t *testing.T) {
	for name, want := range map[string]report.Cross{
		"passed.old-tests-pass":    {Outcome: "passed", Level: "bound", Cases: report.CrossCases{Base: 2, Passed: 2}, Shown: "2 of 2 passed"},
		"passed.no-test-edited":    {Outcome: "not_needed", Level: "absent", Shown: "no test was edited"},
		"passed.merge-group":       {Outcome: "not_needed", Level: "absent", Shown: "each pull request of the merge group had its own run"},
		"review.fails-on-the-base": {Outcome: "incomparable", Level: "bound", Cases: report.CrossCases{Base: 2, Passed: 2}, Shown: "2 of 2 passed"},
		"passed.gone":              {Outcome: "passed", Level: "bound", Cases: report.CrossCases{Base: 2, Passed: 2}, Shown: "2 of 2 passed"},
		"failed.base-missing":      {Outcome: "missing", Level: "absent", Shown: "not recorded: base: no record of it"},
		"failed.not-recorded": {Outcome: "missing", Level: "absent", Shown: "not recorded: " +
			"base: its evidence is bound, and it must be recorded: the workflow did not supply the log's digest; " +
			"old_tests: its evidence is bound, and it must be recorded: the workflow did not supply the log's digest"},
		"failed.unreadable-head-report": {Outcome: "missing", Level: "absent", Shown: "not recorded: the head has no test report"},
		"failed.not-run-default":        {Outcome: "failed", Level: "bound", Cases: report.CrossCases{Base: 2, Passed: 1, NotRun: 1}, Shown: "1 of 2 did not run"},
		"review.several-merge-bases":    {Outcome: "incomparable", Level: "absent", Shown: "cannot be compared: there are several merge bases"},
		"review.incomparable-not-asked": {Outcome: "incomparable", Level: "bound", Cases: report.CrossCases{Base: 2, NotRun: 2}, Shown: "2 of 2 do not load"},
		"review.go-not-built":           {Outcome: "incomparable", Level: "bound", Cases: report.CrossCases{Base: 4, Passed: 1, NotRun: 3}, Shown: "3 of 4 do not load"},
		"review.go-panics": {Outcome: "failed", Level: "bound", Cases: report.CrossCases{Base: 3, Passed: 1, Failed: 1, NotRun: 1},
			Shown: "1 of 3 fail, 1 of 3 did not run after a panic"},
		"review.go-panics-elsewhere": {Outcome: "incomparable", Level: "bound", Cases: report.CrossCases{Base: 3, Passed: 1, NotRun: 2},
			Shown: "2 of 3 did not run after a panic"},
		"failed.go-panics-and-skips": {Outcome: "failed", Level: "bound", Cases: report.CrossCases{Base: 3, Failed: 1, NotRun: 2},
			Shown: "1 of 3 fail, 1 of 3 did not run after a panic, 1 of 3 did not run"},
		"failed.one-module-and-not-run": {Outcome: "failed", Level: "bound", Cases: report.CrossCases{Base: 4, Passed: 1, NotRun: 3}, Shown: "2 of 4 do not load, 1 of 4 did not run"},
		"failed.broken-on-the-base":     {Outcome: "failed", Level: "bound", Cases: report.CrossCases{Base: 2, Passed: 1, NotRun: 1}, Shown: "1 of 2 did not run"},
		"review.no-trees":               {Outcome: "missing", Level: "absent", Shown: "not recorded: nothing names the trees to run them on"},
		"passed.base-always":            {Outcome: "passed", Level: "bound", Cases: report.CrossCases{Base: 2, Passed: 2}, Shown: "2 of 2 passed"},
		"failed.fails-at-the-head":      {Outcome: "failed", Level: "bound", Cases: report.CrossCases{Base: 2, Passed: 1, Failed: 1}, Shown: "1 of 2 fail"},
		"failed.dropped-block": {Outcome: "failed", Level: "bound", Cases: report.CrossCases{Base: 2, Passed: 1, Failed: 1},
			Shown: "1 of 2 fail, 1 of them is gone now: tests/test_sum.py:4 test_zero"},
	} {
		c := readCase(t, filepath.Join(root, "cases", "cross", name+".txtar"))
		want.Criterion, want.Tree = "unit", "old_tests"
		if r := judgeBundle(t, &c); !slices.Equal(r.Cross, []report.Cross{want}) {
			t.Errorf("%s: got %+v, want %+v", name, r.Cross, want)
		}
	}
	for name, want := range map[string]report.Cross{
		"passed.new-tests": {Outcome: "passed", Level: "bound", Cases: report.CrossCases{Base: 3, Passed: 2, Failed: 1}, Shown: "1 of 3 fail without the change, as they should"},
		"failed.new-tests-block": {Outcome: "failed", Level: "bound", Cases: report.CrossCases{Base: 3, Passed: 3},
			Shown: "none of 3 fails, so none needs the change"},
		"passed.new-tests-not-loaded": {Outcome: "incomparable", Level: "bound", Cases: report.CrossCases{Base: 3, NotRun: 3},
			Shown: "cannot be compared: tests of the head do not load on the code of the base"},
	} {
		c := readCase(t, filepath.Join(root, "cases", "cross", name+".txtar"))
		want.Criterion, want.Tree = "unit", "new_tests"
		if r := judgeBundle(t, &c); len(r.Cross) != 2 || r.Cross[1] != want {
			t.Errorf("%s: got %+v, want %+v", name, r.Cross, want)
		}
	}
	plain := readCase(t, filepath.Join(root, "cases", "approval", "passed.approved.txtar"))
	if r := judgeBundle(t, &plain); r.Cross != nil {
		t.Errorf("a contract without tests: %+v", r.Cross)
	}
}

// TestCrossOfBrokenBase wants no word against the new code where tests do not load on the base itself, and else the line that says why
// they do not load.
func TestCrossOfBrokenBase(t *testing.T) {
	for name, want := range map[string]string{
		"review.go-not-built-on-the-base": "on the base itself",
		"review.go-not-built":             "cannot be compared",

		"review.go-not-built-names-the-line": "; example.com/shop does not load: ./sum_test.go:9:2: undefined: Total",
		"review.go-panics":                   "; example.com/shop ended before all of its tests ran: panic: assignment to entry in nil map",
		"review.module-names-the-line":       "; tests/test_sum.py does not load: ImportError: cannot import name 'total' from 'sum'",
		"review.no-report-names-the-line":    "; old_tests: E SyntaxError: invalid syntax (test_sum.py, line 3)",
		"passed.unedited-on-the-base":        "leaves it as it was",
	} {
		c := readCase(t, filepath.Join(root, "cases", "cross", name+".txtar"))
		for _, f := range judgeBundle(t, &c).Findings {
			if f.Code == "cross.incomparable" && !strings.Contains(f.Message, want) {
				t.Errorf("%s: %s", name, f.Message)
			}
		}
	}
}

// Package results reads test reports and coverage reports.
package results

// TestReport is what a test report says was run. A case is counted once: as failed, as skipped, or as neither. What ran is
// Tests - Skipped, and that is the number to hold against min_tests.
type TestReport struct {
	Tests   int64 // test cases, skipped ones included; no suites, but subtests count
	Failed  int64
	Skipped int64
	Flaky   int64 // cases that failed and then passed in the same report
	Broken  int64 // failures of no case: of a suite or a package, or only counted in the attributes of a suite

	FirstFailed string // the name of the first case, suite or package that failed; "" when none did or it has no name
	FirstFlaky  string
}

// Failures is how much of the report says that something failed and did not pass when it was run again.
func (r *TestReport) Failures() int64 { return r.Failed + r.Broken }

// Ran is how many cases were run to their end.
func (r *TestReport) Ran() int64 { return r.Tests - r.Skipped }

package evidence

// TestReport is what a test report says was run. A case is counted once: as failed, as skipped, or as neither. What ran is
// Tests - Skipped, and that is the number to hold against min_tests.
type TestReport struct {
	Tests   int64 // test cases, skipped ones included; no suites, but subtests count
	Failed  int64
	Skipped int64
}

// add counts one case; one that failed was not skipped, whatever else it says.
func (r *TestReport) add(failed, skipped bool) {
	r.Tests++
	switch {
	case failed:
		r.Failed++
	case skipped:
		r.Skipped++
	}
}

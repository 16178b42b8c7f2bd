package evidence

// TestReport is what a test report says was run.
type TestReport struct {
	Tests   int64 // test cases, without suites
	Failed  int64
	Skipped int64
}

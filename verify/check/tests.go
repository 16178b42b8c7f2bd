package check

import (
	"github.com/closeout-gate/closeout/verify/contract"
)

// The codes of findings about a criterion's test report.
const (
	CodeVacuous     = "acceptance.vacuous"
	CodeTestsFailed = "acceptance.tests_failed"
)

// TestsReason is the code of the finding that a criterion's test report calls for; "" when the report is as it must be, or
// the criterion names none. In the report of a negative control failures are what is expected.
func (in *Inputs) TestsReason(c *contract.Criterion) string {
	if c.TestReport == "" {
		return ""
	}
	switch file := in.Tests[c.TestReport]; {
	case file == nil || file.Report == nil:
		return CodeVacuous
	case !c.ExpectFail && file.Report.Failures() > 0:
		return CodeTestsFailed
	case file.Report.Ran() < c.MinTests:
		return CodeVacuous
	}
	return ""
}

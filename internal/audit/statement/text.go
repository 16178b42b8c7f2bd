package statement

import (
	"github.com/closeout-gate/closeout/verify/report"
)

// Text is the statement, or the predicate alone.
func Text(predicate bool, r *report.Report, sum string, o Options) ([]byte, error) {
	if predicate {
		summary, err := Summary(r, o.Repository)
		if err != nil {
			return nil, err
		}
		return report.CanonicalSummary(summary)
	}
	s, err := New(r, sum, o)
	if err != nil {
		return nil, err
	}
	return report.CanonicalStatement(s)
}

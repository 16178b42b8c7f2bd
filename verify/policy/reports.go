package policy

import (
	"github.com/closeout-gate/closeout/verify/glob"
)

// written is a report that a command of a contract writes. A change that contains one could pass it off as the output of the
// command.
type written struct {
	path, because string
	Clause
}

// writtenReports are the reports of contracts that the change did not write, by folded path. A coverage report with a
// coverage.criterion is not among them: the record of that command says which report it wrote, and the repository may
// contain the report.
func (p *Policy) writtenReports() map[string]written {
	reports := map[string]written{}
	add := func(path, because string, by Clause) {
		if folded := glob.Fold(path); path != "" && reports[folded].path == "" {
			reports[folded] = written{path, because, by}
		}
	}
	for i := range p.Sources {
		s := &p.Sources[i]
		if s.HeadOnly() {
			continue
		}
		for _, c := range s.Contract.Criteria {
			add(c.TestReport, "it is the test report of the criterion "+c.ID, Clause{i, c.Pos})
		}
		if s.Contract.Rules.Run != nil {
			add(s.Contract.Rules.Report, "it is the rule report of the contract", Clause{i, s.Contract.Rules.Pos})
		}
		if coverage := s.Contract.Coverage; coverage != nil && coverage.Criterion.Value == "" {
			add(coverage.Report, "it is the coverage report of the contract, which names no coverage.criterion", Clause{i, coverage.Pos})
		}
	}
	return reports
}

package checks

import (
	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/input"
)

// LimitsCheck checks that every input was read to its end.
var LimitsCheck = &check.Check{
	ID:    "limits",
	Title: "No input is larger than the gate reads",
	Codes: check.CodesWith(input.Block, "limit.exceeded"),
	Scope: check.ScopeChange | check.ScopeGroup | check.ScopeMember | check.ScopePast,
	Run:   runLimits,
}

func runLimits(p *check.Pass) {
	for _, problem := range p.Problems {
		e := problem.Error
		if e.Limit == "" {
			continue
		}
		p.Report(check.Finding{
			Code: "limit.exceeded", Message: e.Message, Input: problem.Kind, Path: problem.Path, Pos: e.Pos,
			Expected: e.Expected, Actual: e.Found, Fix: e.Fix, Identity: []string{e.Limit},
		})
	}
}

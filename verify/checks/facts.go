package checks

import (
	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/evidence"
)

// Facts asks whether what the collector wrote down can be read.
var Facts = &check.Check{
	ID:    "facts",
	Title: "The facts that the decision rests on are known",
	Codes: []check.Code{
		{Name: "facts.malformed", Severity: evidence.Block},
		{Name: "facts.unavailable", Severity: evidence.Unknown},
	},
	Run: func(p *check.Pass) { reportProblems(p, "facts.malformed", check.Facts) },
}

package checks

import (
	"fmt"
	"slices"

	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/policy"
)

// CoverageCheck checks that the tests cover as much as the contract requires.
var CoverageCheck = &check.Check{
	ID:    "coverage",
	Title: "Coverage is above its floor and did not drop",
	Codes: slices.Concat(
		check.CodesWith(input.Block, "coverage.missing", "coverage.malformed", "coverage.below_floor", "coverage.regression"),
		check.CodesWith(input.Warn, "coverage.minor_regression"),
	),
	Also:  []string{"facts.unavailable"},
	Scope: check.ScopeChange | check.ScopeGroup | check.ScopeEvidence,
	Asked: func(in *check.Inputs) bool {
		return in.State[check.Coverage] != check.Missing || (in.Policy != nil && in.Policy.Coverage != nil)
	},
	Run: runCoverage,
}

// defaultMaxDrop is one point: a larger drop blocks, also where no contract declares coverage.
const defaultMaxDrop = input.Whole / 100

func runCoverage(p *check.Pass) {
	p.ReportProblems("coverage.malformed", check.Coverage)
	if p.State[check.Coverage] == check.Missing {
		p.Report(check.Finding{
			Code: "coverage.missing", Message: "the contract declares coverage, and there is no coverage report", Input: check.Coverage,
			Path: p.Policy.Coverage.Report, Expected: "the file " + p.Policy.Coverage.Report, Actual: "no such file",
			Fix: "let the test command write its coverage there",
		})
	}
	if p.Coverage == nil {
		return
	}
	var rule contract.CoverageRule // of no contract
	if p.Policy != nil && p.Policy.Coverage != nil {
		rule = *p.Policy.Coverage
	}
	if current := p.Coverage.Report.Current; rule.Floor != nil && current < *rule.Floor {
		floor := percent(*rule.Floor)
		p.Report(check.Finding{
			Code: "coverage.below_floor", Message: "coverage is below its floor", Input: check.Coverage, Path: p.Coverage.Path,
			Pos: p.Coverage.Report.Pos, Expected: "at least " + floor, Actual: percent(current),
			Fix: "test what the change adds", Identity: []string{points(current), floor},
		})
	}
	reportDrop(p, rule.MaxDrop)
}

// percent writes a ratio with two decimals, rounded down.
func percent(r input.Ratio) string {
	sign := ""
	if r < 0 {
		r, sign = -r, "-"
	}
	points := r.BasisPoints()
	return fmt.Sprintf("%s%d.%02d %%", sign, points/100, points%100)
}

// reportDrop compares with the value before. The report's own value for that counts only where there is no better source:
// the change could write anything there.
func reportDrop(p *check.Pass, declared *input.Ratio) {
	previous := previousCoverage(p)
	if previous == nil {
		if declared != nil {
			p.Report(check.Finding{
				Code: "facts.unavailable", Message: "cannot determine the coverage before the change", Input: check.Coverage, Path: p.Coverage.Path,
				Expected: "the coverage of the base", Actual: "no trusted input names it",
				Fix:      "provide the coverage report of the base; a person may remove max_drop from the contract",
				Identity: []string{"previous coverage"},
			})
		}
		return
	}
	current, limit := p.Coverage.Report.Current, defaultMaxDrop
	drop := *previous - current
	if drop <= 0 {
		return
	}
	if declared != nil {
		limit = *declared
	}
	f := check.Finding{
		Code: "coverage.minor_regression", Message: "coverage dropped slightly", Input: check.Coverage, Path: p.Coverage.Path,
		Pos: p.Coverage.Report.Pos, Expected: "no drop from " + percent(*previous),
		Actual: fmt.Sprintf("%s, a drop of %s", percent(current), percent(drop)),
		Fix:    "test what the change adds", Identity: []string{points(*previous), points(current)},
	}
	if drop > limit {
		f.Code, f.Message = "coverage.regression", "coverage dropped by more than "+percent(limit)
	}
	p.Report(f)
}

// previousCoverage is the value of the base; nil when no trusted input names it.
func previousCoverage(p *check.Pass) *input.Ratio {
	if p.Facts != nil && p.Facts.BaseCoverage != nil {
		return &p.Facts.BaseCoverage.Current
	}
	operatorOnly := p.Facts == nil // an operator supplied all contracts, as in a bare bundle
	if p.Policy != nil {
		operatorOnly = !slices.ContainsFunc(p.Policy.Sources, func(s policy.Source) bool { return s.Trust != facts.TrustOperator })
	}
	if operatorOnly {
		return p.Coverage.Report.Previous
	}
	return nil
}

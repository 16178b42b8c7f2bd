// Package checks contains the gate's checks: a file and a page of documentation for each.
package checks

import (
	"embed"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/report"
)

// All lists the checks in the order in which they run and are reported; Scope of each says what it judges. Only Override
// runs after all others, because it depends on what they found.
var All = []*check.Check{
	AcceptanceCheck,
	ApprovalCheck,
	BudgetCheck,
	ContractCheck,
	CoverageCheck,
	CrossCheck,
	DiffCheck,
	DiffRulesCheck,
	EvidenceCheck,
	FactsCheck,
	FeedbackCheck,
	GroupCheck,
	LimitsCheck,
	OverrideCheck,
	RulesCheck,
	ScopeCheck,
	SubjectCheck,
}

// CodeUnavailable is the code of a finding about a fact that the collector could not get.
const CodeUnavailable = "facts.unavailable"

// CodeNotApplicable is the code of the only finding about a pull request that applies_to leaves out.
const CodeNotApplicable = report.CodeNotApplicable

// GateCheck is the gate itself. It does not run: its codes are for runs that cannot judge, or have nothing to judge.
var GateCheck = &check.Check{
	ID:    "gate",
	Title: "The gate can do its work",
	Codes: slices.Concat(
		check.CodesWith(input.Block, "usage.invalid", "gate.internal"),
		check.CodesWith(input.Info, CodeNotApplicable),
	),
}

// Documented are all checks that have a page, in the order of a report.
var Documented = append(slices.Clone(All), GateCheck)

//go:embed *.md
var pages embed.FS

// Doc returns the page of a check; "" when there is none, which a test refuses.
func Doc(id string) string {
	page, _ := pages.ReadFile(id + ".md") // nil when there is none
	return string(page)
}

// ByCode finds the check that documents a finding code.
func ByCode(code string) *check.Check {
	i := slices.IndexFunc(Documented, func(c *check.Check) bool {
		return slices.ContainsFunc(c.Codes, func(k check.Code) bool { return k.Name == code })
	})
	if i < 0 {
		return nil
	}
	return Documented[i]
}

// Section returns the part of a check's page that is about one code, without its heading; "" when there is none.
func Section(code string) string {
	c := ByCode(code)
	if c == nil {
		return ""
	}
	section, _ := SectionOf(Doc(c.ID), code)
	return strings.TrimSpace(section)
}

// SectionOf returns the part of a page that is about one code, without its heading; false when there is none.
func SectionOf(page, code string) (string, bool) {
	_, rest, found := strings.Cut(page, "\n## "+code+"\n")
	section, _, _ := strings.Cut(rest, "\n## ")
	return section, found
}

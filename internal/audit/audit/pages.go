package audit

import (
	"embed"

	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/input"
)

// page documents the codes of an audit, as the pages of the gate's checks do theirs.
var page = &check.Check{
	ID: "audit", Title: "What was merged is what was decided",
	Codes: []check.Code{
		{Name: "audit.missing", Severity: input.Block},
		{Name: "audit.gap", Severity: input.Block},
		{Name: "audit.direct_push", Severity: input.Block},
		{Name: "audit.not_green", Severity: input.Block},
		{Name: "audit.unbound", Severity: input.Block},
		{Name: "audit.contradicted", Severity: input.Block},
		{Name: "audit.not_judged", Severity: input.Block},
		{Name: "audit.log_broken", Severity: input.Block},
		{Name: "audit.omitted", Severity: input.Unknown},
		{Name: "audit.withdrawn", Severity: input.Unknown},
		{Name: "audit.after_merge", Severity: input.Unknown},
		{Name: "audit.not_replayable", Severity: input.Unknown},
		{Name: "audit.replay_unknown", Severity: input.Unknown},
		{Name: "audit.unavailable", Severity: input.Unknown},
		{Name: "audit.observed", Severity: input.Warn},
		{Name: "audit.self_override", Severity: input.Warn},
		{Name: "audit.partly_bound", Severity: input.Warn},
		{Name: "audit.operator_contract", Severity: input.Warn},
		{Name: "audit.contract_loosened", Severity: input.Warn},
		{Name: "audit.overridden", Severity: input.Info},
		{Name: "audit.pending", Severity: input.Info},
	},
}

// Pages lists the pages of documentation.
var Pages = []*check.Check{page}

//go:embed *.md
var docs embed.FS

// Doc returns the page with an ID; "" when there is none.
func Doc(id string) string {
	text, _ := docs.ReadFile(id + ".md") // nil when there is none
	return string(text)
}

// severityOf is the severity of each code. That of a finding may differ where its page says so.
var severityOf = func() map[string]input.Severity {
	all := map[string]input.Severity{}
	for _, c := range page.Codes {
		all[c.Name] = c.Severity
	}
	return all
}()

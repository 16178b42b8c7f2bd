package audit

import (
	"embed"

	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/diag"
)

// page documents the codes of an audit, as the pages of the gate's checks do theirs.
var page = &check.Check{
	ID: "audit", Title: "What was merged is what was decided",
	Codes: []check.Code{
		{Name: "audit.missing", Severity: diag.Block},
		{Name: "audit.gap", Severity: diag.Block},
		{Name: "audit.direct_push", Severity: diag.Block},
		{Name: "audit.not_green", Severity: diag.Block},
		{Name: "audit.unbound", Severity: diag.Block},
		{Name: "audit.contradicted", Severity: diag.Block},
		{Name: "audit.not_judged", Severity: diag.Block},
		{Name: "audit.log_broken", Severity: diag.Block},
		{Name: "audit.omitted", Severity: diag.Unknown},
		{Name: "audit.withdrawn", Severity: diag.Unknown},
		{Name: "audit.after_merge", Severity: diag.Unknown},
		{Name: "audit.not_replayable", Severity: diag.Unknown},
		{Name: "audit.replay_unknown", Severity: diag.Unknown},
		{Name: "audit.unavailable", Severity: diag.Unknown},
		{Name: "audit.observed", Severity: diag.Warn},
		{Name: "audit.self_override", Severity: diag.Warn},
		{Name: "audit.partly_bound", Severity: diag.Warn},
		{Name: "audit.operator_contract", Severity: diag.Warn},
		{Name: "audit.contract_loosened", Severity: diag.Warn},
		{Name: "audit.overridden", Severity: diag.Info},
		{Name: "audit.pending", Severity: diag.Info},
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
var severityOf = func() map[string]diag.Severity {
	all := map[string]diag.Severity{}
	for _, c := range page.Codes {
		all[c.Name] = c.Severity
	}
	return all
}()

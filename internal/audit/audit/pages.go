package audit

import (
	"embed"
	"slices"

	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/input"
)

// page documents the codes of an audit, as the pages of the gate's checks do theirs.
var page = &check.Check{
	ID: "audit", Title: "What was merged is what was decided",
	Codes: slices.Concat(
		check.CodesWith(input.Block,
			"audit.missing", "audit.gap", "audit.direct_push", "audit.not_green", "audit.unbound", "audit.contradicted",
			"audit.not_judged", "audit.log_broken",
		),
		check.CodesWith(input.Unknown,
			"audit.omitted", "audit.withdrawn", "audit.after_merge", "audit.not_replayable", "audit.replay_unknown",
			"audit.unavailable",
		),
		check.CodesWith(input.Warn,
			"audit.observed", "audit.self_override", "audit.partly_bound", "audit.operator_contract",
			"audit.contract_loosened",
		),
		check.CodesWith(input.Info, "audit.overridden", "audit.pending"),
	),
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
var severityOf = check.CodesOf(Pages)

package audit

import (
	"cmp"
	"embed"
	"encoding/binary"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/report"
)

// MaxFindings is how many findings a result lists. Counts are computed before the cut.
const MaxFindings = 1000

// about is what a finding is about besides its commit.
type about struct {
	path     string
	identity []string // what tells it from others of the same code, commit and path
}

// finding makes a finding with the severity of its code.
func finding(code, message string, a about, expected, actual, fix string) report.AuditFinding {
	f := report.AuditFinding{
		Code: code, Severity: string(severityOf[code]), Message: message, Path: a.path, Expected: expected, Actual: actual, Fix: fix,
	}
	f.Fingerprint = strings.Join(a.identity, "\x00") // until its commit is known
	return f
}

// as sets another severity than the usual one of the code.
func as(severity input.Severity, f report.AuditFinding) report.AuditFinding {
	f.Severity = string(severity)
	return f
}

// seal computes the fingerprint of a finding that is complete.
func seal(f *report.AuditFinding) {
	var text []byte
	for _, part := range []string{"closeout.audit/v1", f.Code, f.Commit, f.Path, f.Fingerprint} {
		text = append(binary.AppendUvarint(text, uint64(len(part))), part...)
	}
	f.Fingerprint = input.Digest(text)
}

// order sorts findings by severity, code, then from the newest commit to the oldest; those without a commit come first.
func order(list []report.AuditFinding, line *Line) {
	at := func(f *report.AuditFinding) int {
		if f.Commit == "" {
			return -1
		}
		i, _ := line.At(f.Commit)
		return i
	}
	input.SortStable(list, func(a, b report.AuditFinding) int {
		return cmp.Or(
			cmp.Compare(input.Severity(a.Severity).Rank(), input.Severity(b.Severity).Rank()), cmp.Compare(a.Code, b.Code),
			cmp.Compare(at(&a), at(&b)), cmp.Compare(seq(&a), seq(&b)), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Message, b.Message),
			cmp.Compare(a.Actual, b.Actual),
		)
	})
}

func seq(f *report.AuditFinding) int64 {
	if f.Seq == nil {
		return -1
	}
	return *f.Seq
}

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

package audit

import (
	"cmp"
	"encoding/binary"
	"strings"

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

package present

import (
	"fmt"
	"io"
	"strings"

	"github.com/closeout-gate/closeout/verify/report"
)

// LintFormats are the formats of [WriteLint]. The first is the default.
var LintFormats = []string{"text", "json", "github"}

// WriteLint writes what closeout lint found: one line a finding and a summary line as text, workflow commands for the format
// github, or the document itself for json. Only the text and the commands are neutralised.
func WriteLint(w io.Writer, l *report.Lint, format string, o Options) error {
	if format == "json" {
		data, err := report.CanonicalLint(l)
		if err == nil {
			_, err = w.Write(data)
		}
		return err
	}
	var b strings.Builder
	r := &report.Report{
		Findings: l.Findings, FindingsOmitted: l.FindingsOmitted, Counts: report.Counts{Block: l.Counts.Block, Warn: l.Counts.Warn, Info: l.Counts.Info},
	}
	if format == "github" {
		writeAnnotations(&b, r, "error", []string{block}, maxAnnotations)
		writeAnnotations(&b, r, "warning", []string{warn}, maxAnnotations)
		writeAnnotations(&b, r, "notice", []string{info}, maxAnnotations)
	} else if !o.Quiet {
		textFindings(&b, painter{on: o.Color}, r)
	}
	text := "lint: no findings"
	if l.Counts != (report.LintCounts{}) {
		text = fmt.Sprintf("lint: %d block, %d warn, %d info", l.Counts.Block, l.Counts.Warn, l.Counts.Info)
	}
	if l.Rollout {
		text += "; the gate only observes yet: lint again when it is enforced, for owners, controls and overrides"
	}
	b.WriteString(text + "\n")
	_, err := io.WriteString(w, b.String())
	return err
}

package output

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/diag"
	"github.com/closeout-gate/closeout/verify/report"
)

// agentItems is how many findings the agent gets at once; the counts say how many there are.
const agentItems = 50

// writeAgent writes what the coding agent has to fix: each finding as location, expected, actual and allowed fix, the
// criteria that have not passed, and how to check again. It leaves out what only a person may do: it shows no override field
// and no finding of the override check, and an overridden report looks like a passed one.
func writeAgent(w io.Writer, r *report.Report, _ Options) error {
	var b strings.Builder
	if r.Passed {
		b.WriteString("closeout: passed. Nothing is left to do.\n")
	} else {
		fmt.Fprintf(&b, "closeout: %s; %s.", Neutral(r.Verdict), criteriaWords(r))
		if r.Verdict == report.Review {
			b.WriteString(" Some facts are unavailable; this is not a pass.")
		}
		b.WriteString("\n")
		for _, p := range r.PullRequests { // an overridden one is not to be fixed
			if p.Verdict == report.Failed || p.Verdict == report.Review {
				fmt.Fprintf(&b, "In the merge group: %s is %s.\n", pullName(p.Number), Neutral(p.Verdict))
			}
		}
		agentList(&b, r)
		agentCriteria(&b, r)
		b.WriteString("\nHow to check again:\n")
		if isUsage(r) { // the records are still valid
			b.WriteString("- Fix the arguments, then run the gate again.\n")
		} else {
			b.WriteString(agentRecheck)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

const agentRecheck = `- Finish all edits first: an edit makes earlier records stale. Then run every acceptance command of the contract once
  more and have it recorded. Records, reports and the contract are never written or edited by hand.
- Run the gate again with the arguments of this run. It is done when the first line says "closeout: passed".
`

// agentList writes the findings to fix: block and unknown, then warn. Info requires nothing.
func agentList(b *strings.Builder, r *report.Report) {
	items := slices.DeleteFunc(ofSeverity(r, block, unknown, warn), func(f report.Finding) bool {
		return strings.HasPrefix(f.Code, "override.")
	})
	for i, f := range items[:min(len(items), agentItems)] {
		agentItem(b, i+1, f)
	}
	left := max(len(items)-agentItems, 0) + r.FindingsOmitted
	if left > 0 {
		fmt.Fprintf(b, "\n… and %s: fix these first.\n", diag.Plural(int64(left), "more finding"))
	}
}

var agentWords = map[string]string{
	block: "must be fixed", unknown: "could not be checked", warn: "should be fixed",
}

func agentItem(b *strings.Builder, n int, f report.Finding) {
	fix, _, _ := strings.Cut(f.Fix, report.PersonMay) // only what the agent may do
	fmt.Fprintf(b, "\n%d. %s (%s): %s%s\n", n, line(f.Code), agentWords[severityOf(f)], line(f.Message), marks(f))
	for _, part := range [][2]string{
		{"location", place(f.Location)}, {"expected", f.Expected}, {"actual", f.Actual}, {"allowed fix", fix},
	} {
		if part[1] != "" {
			fmt.Fprintf(b, "   %-12s %s\n", part[0]+":", line(part[1]))
		}
	}
}

func agentCriteria(b *strings.Builder, r *report.Report) {
	if passedCriteria(r) == len(r.Acceptance) {
		return
	}
	b.WriteString("\nCriteria that have not passed:\n")
	left := 0
	for _, a := range r.Acceptance {
		switch {
		case a.Outcome == report.OutcomePassed:
		case left >= agentItems:
			left++
		default:
			left++
			fmt.Fprintf(b, "- %s (%s): %s\n", line(a.ID), line(a.Outcome), line(criterionCommand(a)))
		}
	}
	if left > agentItems {
		fmt.Fprintf(b, "- … and %d more\n", left-agentItems)
	}
}

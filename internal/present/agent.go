package present

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/report"
)

// agentItems is how many findings the agent gets at once; the counts say how many there are.
const agentItems = 50

// agentTails is how many of them show all lines of their output; the others show the first error.
const agentTails = 10

// writeAgent writes what the coding agent has to fix: each finding with all that explains it, the allowed fix and the command that
// proves it, the criteria that have not passed, and how to check everything. It leaves out what only a person may do: it shows no override field
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
		b.WriteString("\nTo check everything:\n")
		if isUsage(r) { // the records are still valid
			b.WriteString("- Fix the arguments, then run the gate again.\n")
		} else {
			fmt.Fprintf(&b, "- Finish and commit all edits, then run: %s --format agent\n", runCommand(r, ""))
			b.WriteString("  It records every command of the contract and judges again. A later edit makes the records stale.\n")
			if isRemote(r) {
				b.WriteString("- Push when it passes: this verdict is that of a workflow, which records and judges again.\n")
			}
			b.WriteString("- Never write or edit records, reports or the contract by hand.\n" +
				"- It is done when the first line says \"closeout: passed\".\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// agentList writes the findings to fix: block and unknown, then warn. Info requires nothing.
func agentList(b *strings.Builder, r *report.Report) {
	items := slices.DeleteFunc(withoutEffects(ofSeverity(r, block, unknown, warn)), func(f report.Finding) bool {
		return strings.HasPrefix(f.Code, "override.")
	})
	for i, f := range items[:min(len(items), agentItems)] {
		agentItem(b, r, i+1, f)
	}
	left := max(len(items)-agentItems, 0) + r.FindingsOmitted
	if left > 0 {
		fmt.Fprintf(b, "\n… and %s: fix these first.\n", input.Plural(left, "more finding"))
	}
}

var agentWords = map[string]string{
	block: "must be fixed", unknown: "could not be checked", warn: "should be fixed",
}

func agentItem(b *strings.Builder, r *report.Report, n int, f report.Finding) {
	fix, _, _ := strings.Cut(f.Fix, report.PersonMay) // only what the agent may do
	fmt.Fprintf(b, "\n%d. %s (%s): %s%s\n", n, Line(f.Code), agentWords[SeverityOf(f)], Line(f.Message), marks(f))
	part := func(name, text string) {
		if text != "" {
			fmt.Fprintf(b, "   %-12s %s\n", name+":", Line(text))
		}
	}
	part("location", place(f.Location))
	part("contract", clauseOf(f))
	part("expected", f.Expected)
	part("actual", f.Actual)
	if f.Output != nil {
		part("first error", f.Output.Error)
		if n <= agentTails {
			part("output", "the "+tailTitle(f.Output))
			plainTail(b, f, "   | ")
		}
	}
	part("allowed fix", fix)
	part("what of it", undo(r, f))
	if id := recordedAs(f); id != "" && SeverityOf(f) == block {
		part("prove it", runCommand(r, id))
	}
}

// recordedAs is what run calls the command that proves the fix of a finding: the id of a criterion, or "rules"; "" for none.
func recordedAs(f report.Finding) string {
	if f.Criterion == "" && f.Location.Input == "rules" && strings.HasPrefix(f.Code, "rule.") {
		return "rules"
	}
	return f.Criterion
}

// undo says what of a file a fix reverts. It names no command: one that is typed at the wrong moment takes a person's work along.
func undo(r *report.Report, f report.Finding) string {
	i := slices.IndexFunc(r.Files, func(file report.File) bool { return file.Path == f.Location.Path })
	switch {
	case !strings.HasPrefix(f.Fix, "revert this file") || i < 0:
		return ""
	case r.Files[i].Status == "added":
		return "the commits must not add it; where it was there before you came, it stays on disk"
	case r.Subject.MergeBaseSHA == nil:
		return ""
	}
	return fmt.Sprintf("only what the commits since the merge base %.12s change in it", *r.Subject.MergeBaseSHA)
}

func agentCriteria(b *strings.Builder, r *report.Report) {
	for i, shown := range crossLines(r) {
		if i == 0 {
			b.WriteString("\n")
		}
		b.WriteString(Line(shown) + "\n")
	}
	if passedCriteria(r) == requiredCriteria(r) {
		return
	}
	b.WriteString("\nCriteria that have not passed:\n")
	left := 0
	for _, a := range r.Acceptance {
		switch {
		case a.Outcome == report.OutcomePassed, a.Outcome == report.OutcomeNotRequired:
		case left >= agentItems:
			left++
		default:
			left++
			fmt.Fprintf(b, "- %s (%s): %s\n", Line(a.ID), Line(a.Outcome), Line(criterionCommand(a)))
		}
	}
	if left > agentItems {
		fmt.Fprintf(b, "- … and %d more\n", left-agentItems)
	}
}

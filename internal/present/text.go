package present

import (
	"fmt"
	"io"
	"strings"

	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/report"
)

// textCriteria is the maximum number of criteria in the text; the summary counts all.
const textCriteria = 50

// The colours of words, as ANSI sequences.
const (
	red    = "\x1b[1;31m"
	yellow = "\x1b[1;33m"
	green  = "\x1b[1;32m"
	blue   = "\x1b[1;34m"
	bold   = "\x1b[1m"
	reset  = "\x1b[0m"
)

var colours = map[string]string{
	block: red, unknown: yellow, warn: yellow, info: blue,
	report.Failed: red, report.Review: yellow, report.Overridden: yellow, report.Passed: green,
}

// painter colours single words, so that no colour continues after a cut line.
type painter struct{ on bool }

func (p painter) word(w string) string {
	colour := colours[w]
	if !p.on || colour == "" {
		return Neutral(w)
	}
	return colour + w + reset
}

// writeText writes the report for a developer at a terminal or in a log: the findings, one line each with the output of the
// command below it, grouped by severity, the criteria, a summary line, and what to do next.
func writeText(w io.Writer, r *report.Report, o Options) error {
	var b strings.Builder
	p := painter{on: o.Color}
	if !o.Quiet {
		textFindings(&b, p, r)
		textCriteriaList(&b, r)
		if o := r.Override; o != nil {
			fmt.Fprintf(&b, "overridden by %s at %s with the label %s, for head %s: %s\n\n",
				Line(o.Who()), Line(o.At), Line(o.Label), Line(o.HeadSHA), Line(o.Why()))
		}
		if len(r.PullRequests) > 0 {
			b.WriteString(input.Plural(len(r.PullRequests), "pull request") + " in the merge group\n")
			for i := range r.PullRequests {
				b.WriteString("  " + pullLine(&r.PullRequests[i]) + "\n")
			}
			b.WriteString("\n")
		}
	}
	b.WriteString(p.word(r.Verdict) + summaryTail(r) + "\n")
	if !o.Quiet {
		textNext(&b, r)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// textFindings writes the findings of each severity, those with most effect first, followed by an empty line.
func textFindings(b *strings.Builder, p painter, r *report.Report) {
	for _, severity := range severities {
		list := inFixOrder(ofSeverity(r, severity))
		for _, f := range list {
			b.WriteString(textFinding(p, f) + "\n")
			plainTail(b, f, "    | ")
		}
		if len(list) > 0 {
			b.WriteString("\n")
		}
	}
	if r.FindingsOmitted > 0 {
		fmt.Fprintf(b, "… and %s that the report counts but does not list\n\n",
			input.Plural(r.FindingsOmitted, "more finding"))
	}
}

// textFinding is "path:line:column: severity code: message (contract: path:line) → fix".
func textFinding(p painter, f report.Finding) string {
	var b strings.Builder
	if at := place(f.Location); at != "" {
		b.WriteString(Line(at) + ": ")
	}
	message := f.Message
	if strings.HasSuffix(f.Code, ".malformed") { // the messages of other findings contain what was found and expected
		mark := "; "
		for _, part := range [][2]string{{"found ", f.Actual}, {"expected ", f.Expected}} {
			if !strings.Contains(f.Message, part[1]) {
				message, mark = message+mark+part[0]+part[1], ", "
			}
		}
	}
	b.WriteString(p.word(SeverityOf(f)) + " " + Line(f.Code) + ": " + Line(message) + marks(f))
	if clause := clauseOf(f); clause != "" {
		b.WriteString(" (contract: " + Line(clause) + ")")
	}
	if f.Fix != "" && !f.Overridden {
		b.WriteString(" → " + Line(f.Fix))
	}
	return b.String()
}

// textCriteriaList writes the criteria as a table without lines: outcome, id, level, command.
func textCriteriaList(b *strings.Builder, r *report.Report) {
	b.WriteString(criteriaWords(r) + "\n")
	list := r.Acceptance[:min(len(r.Acceptance), textCriteria)]
	width := 0
	for _, a := range list {
		width = max(width, len([]rune(Line(a.ID))))
	}
	for _, a := range list {
		fmt.Fprintf(b, "  %-7s  %-*s  %-8s  %s\n", Line(a.Outcome), width, Line(a.ID), Line(a.Level), Line(criterionCommand(a)))
	}
	if left := len(r.Acceptance) - len(list); left > 0 {
		fmt.Fprintf(b, "  … and %d more\n", left)
	}
	for _, shown := range crossLines(r) {
		b.WriteString("  " + Line(shown) + "\n")
	}
	b.WriteString("\n")
}

// textNext writes the steps, each an item of a list.
func textNext(b *strings.Builder, r *report.Report) {
	steps := nextSteps(r)
	if override := overrideLine(r); override != "" {
		steps = append(steps, "Or a person who may override ("+overrideWho(r)+") can comment\n      "+override+"\n    "+
			overrideSteps(r, Line(r.Settings.Override.Label)))
	}
	if never := overrideNever(r); never != "" {
		steps = append(steps, never)
	}
	for _, approval := range r.Approvals {
		steps = append(steps, "For the reviewer: the contract requires this approval: "+Line(approval))
	}
	if len(steps) == 0 {
		return
	}
	b.WriteString("\nwhat to do next\n")
	for _, step := range steps {
		b.WriteString("  - " + step + "\n")
	}
}

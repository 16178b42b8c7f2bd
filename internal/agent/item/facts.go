package item

import (
	"fmt"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/report"
)

// FactsOf are the findings of a report that keep an item open, in the order of the report, [] for none. The texts are neutral
// and short, and without what only a person may do.
func FactsOf(r *report.Report) []Fact {
	facts := []Fact{}
	for i := range r.Findings {
		f := &r.Findings[i]
		if !Severe(f.Severity) || f.Overridden {
			continue
		}
		at := f.Location
		if at.Input == "feedback" || strings.HasPrefix(at.Path, "../") {
			at = report.Location{} // a log or contract that the agent does not have
		}
		facts = append(facts, Fact{
			Code: Text(f.Code), Severity: f.Severity, Message: Text(f.Message), Path: Text(at.Path), Line: at.Line,
			Expected: Text(f.Expected), Actual: Text(f.Actual), Fix: Text(f.Fix),
			Fingerprint: f.Fingerprint,
		})
		if f.Output != nil { // its last lines, which the record has redacted
			fact := &facts[len(facts)-1]
			for _, line := range f.Output.Lines[max(len(f.Output.Lines)-maxTail, 0):] {
				fact.Tail = append(fact.Tail, input.Neutral(Cut(line, maxLines)))
			}
		}
	}
	return facts
}

// OpenOf are the fingerprints of those findings, sorted and each once.
func OpenOf(r *report.Report) []string {
	list := []string{}
	for i := range r.Findings {
		if f := &r.Findings[i]; Severe(f.Severity) && !f.Overridden && !slices.Contains(list, f.Fingerprint) {
			list = append(list, f.Fingerprint)
		}
	}
	input.SortStable(list, strings.Compare)
	return list
}

// The most that an agent is shown of one text, and of what a command printed.
const (
	maxText  = 1000 // bytes
	maxTail  = 40   // lines
	maxLines = 300  // bytes of a line
)

// Text prepares a text of a report for an agent: on one line, neutral, short, without what only a person may do.
func Text(s string) string {
	s, _, _ = strings.Cut(s, report.PersonMay)
	return input.Neutral(Cut(s, maxText))
}

// Cut shortens a text to at most the given number of bytes, at the end of a character.
func Cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most-len("…")], "") + "…"
}

// WasThere is what an agent does about a file that it should not have committed, and that was there before.
const WasThere = "it was there before you came: take it out of your commits, and leave it on disk as it is"

// Leave gives the findings that ask to undo a change of a person's file a fix that leaves it on disk.
func Leave(facts []Fact, person map[string]bool) []Fact {
	for i := range facts {
		if facts[i].Undoes() && person[facts[i].Path] {
			facts[i].Fix = WasThere
		}
	}
	return facts
}

// Undoes reports whether a finding asks to undo a change of a file.
func (f *Fact) Undoes() bool {
	return f.Path != "" && strings.HasPrefix(f.Fix, "revert this file")
}

// place is where the finding is; "" where it has no path.
func (f *Fact) place() string {
	if f.Line > 0 {
		return fmt.Sprintf("%s:%d", f.Path, f.Line)
	}
	return f.Path
}

// Several lists the first ten.
func Several(list []string) string {
	if more := len(list) - 10; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(list[:10], ", "), more)
	}
	return strings.Join(list, ", ")
}

// MaxFacts is how many facts are printed.
const MaxFacts = 10

// WriteFacts writes the first facts: what is wrong, and what may be done about it.
func WriteFacts(t *strings.Builder, facts []Fact) {
	for i, f := range facts[:min(len(facts), MaxFacts)] {
		fmt.Fprintf(t, "\n%d. %s: %s\n", i+1, f.Code, f.Message)
		for _, part := range [][2]string{
			{"location", f.place()}, {"expected", f.Expected}, {"actual", f.Actual}, {"fix", f.Fix},
		} {
			if part[1] != "" {
				fmt.Fprintf(t, "   %-9s %s\n", part[0]+":", part[1])
			}
		}
		for _, line := range f.Tail {
			t.WriteString("   | " + line + "\n")
		}
	}
	if left := len(facts) - MaxFacts; left > 0 {
		fmt.Fprintf(t, "\n… and %s\n", input.Plural(left, "more fact"))
	}
}

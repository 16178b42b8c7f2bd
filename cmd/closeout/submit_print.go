package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/closeout-gate/closeout/internal/agent/item"
	"github.com/closeout-gate/closeout/verify/input"
)

// submitSchema names the form of what submit prints as JSON.
const submitSchema = "closeout.submit/v1"

// submissionJSON prints a submission for programs. Outcome is "" where nothing was judged.
func submissionJSON(b *board, s *submission, std stdio) error {
	v := struct {
		Schema       string      `json:"schema"`
		Item         string      `json:"item"`
		Outcome      string      `json:"outcome"` // PASS, FAIL, REVIEW or STUCK
		Verdict      string      `json:"verdict"`
		Tries        int         `json:"tries"`
		Of           int         `json:"of"`
		Head         string      `json:"head,omitempty"`
		Bundle       string      `json:"bundle,omitempty"`
		ReportSHA256 string      `json:"report_sha256,omitempty"`
		Reason       string      `json:"reason,omitempty"`
		Facts        []item.Fact `json:"facts"`
		Unguarded    []string    `json:"unguarded"`
		Guard        string      `json:"guard"`
		Remaining    int         `json:"remaining"`
	}{
		Schema: submitSchema, Item: s.item.ID, Tries: s.item.Tries, Of: s.item.MaxAttempts, Facts: append([]item.Fact{}, s.facts...),
		Unguarded: []string{}, Guard: b.plan.Guard, Remaining: b.state.Count(item.Todo),
	}
	if e := s.event; e != nil {
		v.Outcome = strings.Replace(string(e.Outcome), string(item.Todo), "FAIL", 1)
		v.Verdict, v.Head, v.Bundle, v.ReportSHA256, v.Reason = e.Verdict, e.Head, e.Bundle, e.ReportSHA256, e.Reason
		v.Unguarded = append(v.Unguarded, e.Unguarded...)
	}
	return writeJSON(std, v)
}

// maxFacts is how many facts are printed.
const maxFacts = 10

// printSubmission prints a submission for people and agents.
func printSubmission(b *board, s *submission, std stdio) error {
	var t strings.Builder
	t.WriteString(outcomeLine(b, s))
	writeFacts(&t, s.facts)
	if s.event != nil && s.event.Outcome == item.Todo {
		fmt.Fprintf(&t, "\nChange the code, commit, and submit again; or say in %s why it cannot be done, after a first line %s\n", item.BlockedFile, s.item.ID)
	}
	fmt.Fprintf(&t, "\nremaining: %d of %s open\n", b.state.Count(item.Todo), input.Plural(int64(len(b.state.Items)), "item"))
	_, err := io.WriteString(std.out, t.String())
	return err
}

func outcomeLine(b *board, s *submission) string {
	id := s.item.ID
	switch e := s.event; {
	case e == nil:
		return id + ": not judged, no try\n"
	case e.Outcome == item.Pass:
		return id + ": PASS\n" + fenceLine(b, e)
	case e.Outcome == item.Todo:
		return fmt.Sprintf("%s: FAIL, try %d of %d\n", id, s.item.Tries, s.item.MaxAttempts)
	default:
		return fmt.Sprintf("%s: %s: %s\n", id, e.Outcome, e.Reason)
	}
}

// fenceLine says how much a PASS of this machine is worth.
func fenceLine(b *board, e *item.Event) string {
	text := "proven on this machine; the gate in CI decides\n"
	switch {
	case b.plan.Guard == item.GuardNone:
		text += "the items that passed before were not proven again (guard: none)\n"
	case len(e.Unguarded) > 0:
		text += "not proven again, because they passed elsewhere: " + strings.Join(e.Unguarded, ", ") + "\n"
	}
	return text
}

// writeFacts writes the first facts: what is wrong, and what may be done about it.
func writeFacts(t *strings.Builder, facts []item.Fact) {
	for i, f := range facts[:min(len(facts), maxFacts)] {
		fmt.Fprintf(t, "\n%d. %s: %s\n", i+1, f.Code, f.Message)
		place := f.Path
		if f.Line > 0 {
			place += fmt.Sprintf(":%d", f.Line)
		}
		for _, part := range [][2]string{{"location", place}, {"expected", f.Expected}, {"actual", f.Actual}, {"fix", f.Fix}} {
			if part[1] != "" {
				fmt.Fprintf(t, "   %-9s %s\n", part[0]+":", part[1])
			}
		}
		for _, line := range f.Tail {
			t.WriteString("   | " + line + "\n")
		}
	}
	if left := len(facts) - maxFacts; left > 0 {
		fmt.Fprintf(t, "\n… and %s\n", input.Plural(int64(left), "more fact"))
	}
}

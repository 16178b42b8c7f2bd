package board

import (
	"fmt"
	"io"
	"strings"

	"github.com/closeout-gate/closeout/internal/agent/item"
	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/internal/run"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/report"
)

// ExitOf is the exit code for items: all passed, or only what a person decides is left, or neither.
func ExitOf(passed, review bool) int {
	switch {
	case passed:
		return run.ExitPassed
	case review:
		return run.ExitReview
	}
	return run.ExitFailed
}

// Submission is the result of a submission.
type Submission struct {
	Item   *item.Standing // after it
	Event  *item.Event    // nil when nothing was judged: the facts say why
	Facts  []item.Fact
	Report *report.Report // nil when nothing was judged, and for a blocked item
}

// submitSchema names the form of what submit prints as JSON.
const submitSchema = "closeout.submit/v1"

// SubmissionJSON prints a submission for programs. Outcome is "" where nothing was judged.
func SubmissionJSON(b *Board, s *Submission, std console.Streams) error {
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
		Schema: submitSchema, Item: s.Item.ID, Tries: s.Item.Tries, Of: s.Item.MaxAttempts, Facts: append([]item.Fact{}, s.Facts...),
		Unguarded: []string{}, Guard: b.Plan.Guard, Remaining: b.State.Count(item.Todo),
	}
	if e := s.Event; e != nil {
		v.Outcome = strings.Replace(string(e.Outcome), string(item.Todo), "FAIL", 1)
		v.Verdict, v.Head, v.Bundle, v.ReportSHA256, v.Reason = e.Verdict, e.Head, e.Bundle, e.ReportSHA256, e.Reason
		v.Unguarded = append(v.Unguarded, e.Unguarded...)
	}
	return console.WriteJSON(std, v)
}

// PrintSubmission prints a submission for people and agents.
func PrintSubmission(b *Board, s *Submission, std console.Streams) error {
	var t strings.Builder
	id := s.Item.ID
	switch e := s.Event; {
	case e == nil:
		t.WriteString(id + ": not judged, no try\n")
	case e.Outcome == item.Pass:
		t.WriteString(id + ": PASS\n" + b.Plan.Worth(e))
	case e.Outcome == item.Todo:
		fmt.Fprintf(&t, "%s: FAIL, try %d of %d\n", id, s.Item.Tries, s.Item.MaxAttempts)
	default:
		fmt.Fprintf(&t, "%s: %s: %s\n", id, e.Outcome, e.Reason)
	}
	item.WriteFacts(&t, s.Facts)
	if s.Event != nil && s.Event.Outcome == item.Todo {
		fmt.Fprintf(&t, "\nChange the code, commit, and submit again; or say in %s why it cannot be done, after a first line %s\n", item.BlockedFile, s.Item.ID)
	}
	fmt.Fprintf(&t, "\nremaining: %d of %s open\n", b.State.Count(item.Todo), input.Plural(len(b.State.Items), "item"))
	_, err := io.WriteString(std.Out, t.String())
	return err
}

package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/closeout-gate/closeout/internal/agent/board"
	"github.com/closeout-gate/closeout/internal/agent/item"
	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/verify/input"
)

// submitSchema names the form of what submit prints as JSON.
const submitSchema = "closeout.submit/v1"

// submissionJSON prints a submission for programs. Outcome is "" where nothing was judged.
func submissionJSON(b *board.Board, s *submission, std console.Streams) error {
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
		Unguarded: []string{}, Guard: b.Plan.Guard, Remaining: b.State.Count(item.Todo),
	}
	if e := s.event; e != nil {
		v.Outcome = strings.Replace(string(e.Outcome), string(item.Todo), "FAIL", 1)
		v.Verdict, v.Head, v.Bundle, v.ReportSHA256, v.Reason = e.Verdict, e.Head, e.Bundle, e.ReportSHA256, e.Reason
		v.Unguarded = append(v.Unguarded, e.Unguarded...)
	}
	return console.WriteJSON(std, v)
}

// printSubmission prints a submission for people and agents.
func printSubmission(b *board.Board, s *submission, std console.Streams) error {
	var t strings.Builder
	t.WriteString(outcomeLine(b, s))
	item.WriteFacts(&t, s.facts)
	if s.event != nil && s.event.Outcome == item.Todo {
		fmt.Fprintf(&t, "\nChange the code, commit, and submit again; or say in %s why it cannot be done, after a first line %s\n", item.BlockedFile, s.item.ID)
	}
	fmt.Fprintf(&t, "\nremaining: %d of %s open\n", b.State.Count(item.Todo), input.Plural(int64(len(b.State.Items)), "item"))
	_, err := io.WriteString(std.Out, t.String())
	return err
}

func outcomeLine(b *board.Board, s *submission) string {
	id := s.item.ID
	switch e := s.event; {
	case e == nil:
		return id + ": not judged, no try\n"
	case e.Outcome == item.Pass:
		return id + ": PASS\n" + b.Plan.Worth(e)
	case e.Outcome == item.Todo:
		return fmt.Sprintf("%s: FAIL, try %d of %d\n", id, s.item.Tries, s.item.MaxAttempts)
	default:
		return fmt.Sprintf("%s: %s: %s\n", id, e.Outcome, e.Reason)
	}
}

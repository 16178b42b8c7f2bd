package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/agent/board"
	"github.com/closeout-gate/closeout/internal/agent/item"
	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/internal/testkit/stricttest"
)

// TestSubmitSchema wants what submit prints as JSON to match its schema: of each outcome, and where nothing was judged.
func TestSubmitSchema(t *testing.T) {
	compiled, err := stricttest.Compile("submit")
	if err != nil {
		t.Fatal(err)
	}
	plan := &item.Plan{Guard: item.GuardAll, Items: []item.Item{{ID: "T-1", MaxAttempts: 3}}}
	state := item.NewState(plan)
	b := &board.Board{Plan: plan, State: state}
	list := []board.Submission{{Item: state.Items[0], Facts: []item.Fact{{Code: "a", Severity: "block", Path: "p", Line: 1, Tail: []string{"x"}}}}}
	for _, outcome := range []item.Name{item.Todo, item.Pass, item.Review, item.Stuck} {
		e := &item.Event{Outcome: outcome, Verdict: "failed", Head: "h", Bundle: "b", ReportSHA256: strings.Repeat("0", 64), Reason: "r", Unguarded: []string{"T-0"}}
		list = append(list, board.Submission{Item: state.Items[0], Event: e})
	}
	all := board.Renewal{
		Schema: "closeout.submit_all/v1", Head: "h", Renewed: []string{"T-1"}, NotInHead: []string{"T-2"}, Facts: list[0].Facts,
		Opened: []board.Opened{{Item: "T-3", State: item.Todo, Facts: list[0].Facts}},
	}
	for i := range len(list) + 1 {
		var out bytes.Buffer
		std := console.Streams{In: strings.NewReader(""), Out: &out, Err: &out}
		if i == len(list) {
			err = console.WriteJSON(std, &all)
		} else {
			err = board.SubmissionJSON(b, &list[i], std)
		}
		if err != nil {
			t.Fatal(err)
		}
		var document any
		if err := json.Unmarshal(out.Bytes(), &document); err != nil {
			t.Fatal(err)
		}
		if err := compiled.Validate(document); err != nil {
			t.Errorf("%v\n%s", err, out.Bytes())
		}
	}
}

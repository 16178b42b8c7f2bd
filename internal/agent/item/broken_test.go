package item

import "testing"

// No verdict makes PASS while an item that passed before is broken, whatever the event says.
func TestBrokenNeverPasses(t *testing.T) {
	plan := &Plan{Items: []Item{{ID: "a", MaxAttempts: 2}}}
	claim := Event{N: 1, Event: EventClaimed, Item: "a", Worktree: "w", Start: "s"}
	judged := func(n int64, outcome Name, broken ...string) Event {
		return Event{N: n, Event: EventJudged, Item: "a", Verdict: "passed", Outcome: outcome, Broken: broken}
	}
	if s, err := Fold(plan, []Event{claim, judged(2, Pass)}, nil); err != nil || s.Find("a").State != Pass {
		t.Errorf("nothing is broken: %v", err)
	}
	if _, err := Fold(plan, []Event{claim, judged(2, Pass, "b")}, nil); err == nil {
		t.Error("PASS although b is broken")
	}
	s, err := Fold(plan, []Event{claim, judged(2, Todo, "b")}, nil)
	if err != nil || s.Find("a").Tries != 1 || s.Find("a").Pass != nil {
		t.Errorf("%v %+v", err, s)
	}
	s, err = Fold(plan, []Event{claim, judged(2, Todo, "b"), judged(3, Stuck, "b")}, nil)
	if err != nil || s.Find("a").State != Stuck {
		t.Errorf("%v %+v", err, s)
	}
}

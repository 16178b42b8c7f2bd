package item

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// tries makes failed verdicts of words such as "t1:a,b": the code tree, and the findings.
func tries(words string) (list []Event) {
	for _, word := range strings.Fields(words) {
		tree, open, _ := strings.Cut(word, ":")
		list = append(list, Event{Event: EventJudged, Tree: tree, Verdict: "failed", Outcome: Todo, Open: strings.Split(open, ","), Tests: 5})
	}
	return list
}

func TestProgress(t *testing.T) {
	for _, c := range []struct {
		tries string
		after int
		code  string
		text  string
		again bool
	}{
		{"1:a", 0, "", "", false},
		{"1:a,b 2:a", 0, "", "", false},
		{"1:a,b,c 2:a,b", 0, "", "", false},
		{"1:a 1:a", 0, CodeSameTree, "try 2 left the code as it was after try 1", false},
		{"1:a 1:b", 0, CodeSameTree, "try 2 left the code as it was after try 1", false},
		{"1:a 2:a", 0, CodeSameFindings, "tries 1 to 2 left the same 1 finding", false},
		{"1:x 2:a,b 3:a,b 4:a,b", 0, CodeSameFindings, "tries 2 to 4 left the same 2 findings", true},
		{"1:a 2:b 1:c", 0, CodeOscillation, "try 3 came back to the code of try 1", false},
		{"1:a,b 2:b 3:a,b", 0, CodeOscillation, "try 3 came back to the 2 findings of try 1", false},
		{"1:a 2:b 3:c", 2, CodeNoBest, "tries 2 to 3 left no fewer findings than try 1, which left 1 finding", false},
		{"1:a 2:b 3:c", 3, "", "", false},
		{"1:a 2:b 3:c 4:d", 0, CodeNoBest, "tries 2 to 4 left no fewer findings than try 1, which left 1 finding", false},
		{"1:a 2:b 3:c 4:d 5:e", 0, CodeNoBest, "tries 2 to 5 left no fewer findings than try 1, which left 1 finding", true},
		{"1:a,b,c 2:b,c 3:c 4:d,e 5:d", 3, "", "", false},
		{"1:a,b 1:a,b 2:b", 0, "", "", false},
		{"1:a,b 1:a,b 2:b 2:b", 0, CodeSameTree, "try 4 left the code as it was after try 3", false},
		{"1:a,b 1:a,b 2:b 2:b 3:b", 0, CodeSameFindings, "tries 3 to 5 left the same 1 finding", true},
		{"1:a,b 1:b", 0, "", "", false},
	} {
		p := ProgressOf(tries(c.tries), c.after)
		if p.Reason != c.code || p.Text != c.text || p.Again != c.again || p.Slide {
			t.Errorf("%s: %+v", c.tries, p)
		}
	}
	slide := tries("1:a,b 2:b")
	slide[1].Tests = 4
	if !ProgressOf(slide, 0).Slide {
		t.Error("fewer findings and fewer tests are no slide")
	}
	slide[1].Open = slide[0].Open
	if ProgressOf(slide, 0).Slide {
		t.Error("fewer tests alone are a slide")
	}
}

// TestStuck: a first stall makes a nudge, a second one ends the item, and so do the tries.
func TestStuck(t *testing.T) {
	for _, c := range []struct {
		tries    string
		most     int
		attempts int
		want     string
	}{
		{"1:a", 9, 9, ""},
		{"1:a", 1, 9, CodeTries},
		{"1:a", 9, 1, CodeTries},
		{"1:a 1:a", 9, 9, ""},
		{"1:a 1:a 1:a", 9, 9, CodeSameTree},
		{"1:a 1:a 2:a", 3, 3, CodeSameFindings},
		{"1:a 2:b 3:c", 3, 9, CodeTries},
	} {
		list := tries(c.tries)
		last := len(list) - 1
		it := &Standing{Item: Item{ID: "T", MaxAttempts: c.most}, Judged: list[:last:last], Tries: last}
		code, reason := it.Stuck(list[last], c.attempts)
		if code != c.want || (reason == "") != (code == "") {
			t.Errorf("%s of %d: %q, %q", c.tries, c.most, code, reason)
		}
		for _, verdict := range []string{"passed", "review"} {
			e := list[last]
			if e.Verdict = verdict; true {
				if code, _ := it.Stuck(e, c.attempts); code != "" {
					t.Errorf("%s: %s is %s", c.tries, verdict, code)
				}
			}
		}
	}
	it := &Standing{Judged: tries("1:a 1:a")}
	if got := it.Nudge(); !strings.HasPrefix(got, "try 2 left the code as it was") || !strings.Contains(got, BlockedFile) {
		t.Errorf("nudge %q", got)
	}
	it.Judged = append(it.Judged, tries("2:b")...)
	if got := it.Nudge(); got != "" {
		t.Errorf("after other code and other findings: %q", got)
	}
}

// TestProgressProperties plays random tries.
func TestProgressProperties(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		var words []string
		for range 1 + random.IntN(8) {
			open := []string{"a", "b", "c", "d"}[:1+random.IntN(4)]
			words = append(words, fmt.Sprintf("%d:%s", random.IntN(6), strings.Join(open, ",")))
		}
		list, after := tries(strings.Join(words, " ")), 2+random.IntN(4)
		stalls := 0
		for i := range list {
			p := ProgressOf(list[:i+1], after)
			better := len(list[i].Open) < len(slices.MinFunc(list[:max(i, 1)], func(a, b Event) int { return len(a.Open) - len(b.Open) }).Open)
			switch {
			case better:
				stalls = 0
			case p.Reason != "":
				stalls++
			}
			if p.Again != (p.Reason != "" && stalls > 1) || (p.Text == "") != (p.Reason == "") {
				t.Fatalf("%v, %d: %+v", words[:i+1], after, p)
			}
			if better && p.Reason != "" {
				t.Fatalf("%v: a new best is %+v", words[:i+1], p)
			}
		}
	}
}

// TestSpent: a try costs what it may cost until its cost is known.
func TestSpent(t *testing.T) {
	micro := func(n int64) *int64 { return &n }
	plan := &Plan{Items: []Item{{ID: "T", MaxAttempts: 3}}}
	events := []Event{
		{Event: EventAttempt, Item: "T", Try: 1, Budget: micro(100)},
		{Event: EventEnded, Item: "T", Try: 1, Cost: micro(30)},
		{Event: EventAttempt, Item: "T", Try: 2, Budget: micro(100)},
		{Event: EventEnded, Item: "T", Try: 2},
		{Event: EventStopped, Item: "T", Try: 2, Code: "signal"},
		{Event: EventAttempt, Item: "T", Try: 2, Budget: micro(150)},
		{Event: EventEnded, Item: "T", Try: 2, Cost: micro(70)},
		{Event: EventAttempt, Item: "T", Try: 3},
	}
	for i, want := range []struct {
		cost, spent int64
	}{{0, 100}, {30, 30}, {30, 100}, {30, 100}, {30, 100}, {30, 150}, {100, 170}, {100, 170}} {
		events[i].N = int64(i + 1)
		s, err := Fold(plan, events[:i+1], nil)
		if err != nil {
			t.Fatal(err)
		}
		if it := s.Find("T"); s.Cost != want.cost || s.Spent != want.spent || it.Open != (i != 4) {
			t.Errorf("after event %d: cost %d, spent %d, %+v", i+1, s.Cost, s.Spent, it)
		}
	}
}

package item

import (
	"fmt"
	"slices"
)

// Why an item is stuck although its tries are not used up, or are.
const (
	CodeTries        = "tries"         // as many tries failed as there may be
	CodeSameTree     = "same_tree"     // a try changed no code
	CodeSameFindings = "same_findings" // a try left the findings of the one before it
	CodeOscillation  = "oscillation"   // a try came back to the code or to the findings of an earlier one
	CodeNoBest       = "no_best"       // too many tries in a row left no fewer findings than an earlier one
)

// DefaultStallAfter is how many tries in a row may leave no fewer findings, where no contract says it.
const DefaultStallAfter = 3

// Progress is what the verdicts about an item say about its way. Neither time nor output counts.
type Progress struct {
	Open   int    // findings after the last try
	Reason string // why the last try is a stall; "" when it is none
	Text   string // what that reason was seen in
	Again  bool   // an earlier try was a stall as well, and none since left fewer findings than all before it
	Slide  bool   // fewer findings than after the try before it, and fewer tests ran
}

// ProgressOf looks at the failed tries of an item, in order. stallAfter is 0 for the default.
func ProgressOf(tries []Event, stallAfter int) (p Progress) {
	if len(tries) == 0 {
		return p
	}
	if stallAfter == 0 {
		stallAfter = DefaultStallAfter
	}
	best := 0
	for i := range tries {
		p.Again = p.Again || p.Reason != ""
		p.Reason, p.Text = stalled(tries[:i+1], best, stallAfter)
		if len(tries[i].Open) < len(tries[best].Open) {
			best, p.Again, p.Reason, p.Text = i, false, "", ""
		}
	}
	p.Again = p.Again && p.Reason != ""
	last := tries[len(tries)-1]
	p.Open = len(last.Open)
	if len(tries) > 1 {
		before := tries[len(tries)-2]
		p.Slide = len(last.Open) < len(before.Open) && last.Tests < before.Tests
	}
	return p
}

// stalled says why the last of some tries is a stall. best is the first one with the fewest findings.
func stalled(tries []Event, best, stallAfter int) (code, text string) {
	last := len(tries) - 1
	if last == 0 {
		return "", ""
	}
	now, same := tries[last], last
	for same > 0 && slices.Equal(tries[same-1].Open, now.Open) {
		same--
	}
	switch {
	case now.Tree == tries[last-1].Tree:
		return CodeSameTree, fmt.Sprintf("try %d left the code as it was after try %d", last+1, last)
	case same < last:
		return CodeSameFindings, fmt.Sprintf("tries %d to %d left the same %s", same+1, last+1, findings(now))
	}
	for i := last - 2; i >= 0; i-- {
		switch earlier := tries[i]; {
		case earlier.Tree == now.Tree:
			return CodeOscillation, fmt.Sprintf("try %d came back to the code of try %d", last+1, i+1)
		case slices.Equal(earlier.Open, now.Open):
			return CodeOscillation, fmt.Sprintf("try %d came back to the %s of try %d", last+1, findings(now), i+1)
		}
	}
	if last-best >= stallAfter {
		return CodeNoBest, fmt.Sprintf("tries %d to %d left no fewer findings than try %d, which left %s", best+2, last+1, best+1, findings(tries[best]))
	}
	return "", ""
}

func findings(e Event) string {
	if len(e.Open) == 1 {
		return "1 finding"
	}
	return fmt.Sprintf("%d findings", len(e.Open))
}

// Nudge is what the next try is told when the last one was a stall; "" otherwise.
func (it *Standing) Nudge() string {
	p := ProgressOf(it.Judged, it.StallAfter)
	if p.Reason == "" {
		return ""
	}
	return p.Text + ": take another way, or write into " + BlockedFile + " why it cannot be done"
}

// Attempts is how many tries may fail, where a loop allows a number of them; 0 leaves it to the contracts.
func (it *Standing) Attempts(allowed int) int {
	if allowed == 0 {
		return it.MaxAttempts
	}
	return min(allowed, it.MaxAttempts)
}

// Stuck says whether a verdict, which is not yet one of the item, makes it STUCK, and why: the code is "" when it does not. A
// first stall only makes a nudge. A loop allows a number of attempts.
func (it *Standing) Stuck(e Event, allowed int) (code, reason string) {
	if e.Code = ""; After(e, 0, 2) != Todo {
		return "", ""
	}
	if p := ProgressOf(append(slices.Clip(it.Judged), e), it.StallAfter); p.Again {
		return p.Reason, p.Text + ", and an earlier try was a stall as well"
	}
	if tries := it.Tries + 1; tries >= it.Attempts(allowed) {
		return CodeTries, fmt.Sprintf("%d of %d tries failed", tries, tries)
	}
	return "", ""
}

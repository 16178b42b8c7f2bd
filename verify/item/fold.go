package item

import "fmt"

// Proof reports why the report of an event about a verdict does not prove it; nil when it does.
type Proof func(Event) error

// Fold applies events in order. An event that is impossible after those before it is an error, which names its number.
// An event about a verdict that proof refuses is listed in Ignored and changes nothing.
func Fold(p *Plan, events []Event, proof Proof) (*State, error) {
	s := &State{Plan: p, Next: 1, byID: make(map[string]*Standing, len(p.Items))}
	for i, it := range p.Items {
		st := &Standing{Item: it, N: i + 1, State: Todo}
		s.Items, s.byID[it.ID] = append(s.Items, st), st
	}
	for _, e := range events {
		if e.N != s.Next {
			return nil, fmt.Errorf("event %d follows event %d", e.N, s.Next-1)
		}
		s.Next++
		if e.Event == EventJudged && proof != nil {
			if err := proof(e); err != nil {
				s.Ignored = append(s.Ignored, Ignored{e, err})
				continue
			}
		}
		if err := s.apply(e); err != nil {
			return nil, fmt.Errorf("event %d (%s): %w", e.N, e.Event, err)
		}
	}
	return s, nil
}

// apply is the only place where a state changes.
func (s *State) apply(e Event) error {
	if e.Cost != nil {
		s.Cost += *e.Cost
	}
	if e.Event == EventScanned || e.Event == EventStopped && e.Item == "" {
		return nil
	}
	it := s.byID[e.Item]
	if it == nil {
		return fmt.Errorf("the plan has no item %q", e.Item)
	}
	switch e.Event {
	case EventClaimed:
		return it.claim(e, s.Claimed(e.Worktree))
	case EventReleased:
		it.Worktree, it.Start, it.Open, it.Unjudged = "", "", false, 0
	case EventReopened:
		if it.State != Stuck && it.State != Review {
			return fmt.Errorf("%s is %s: only a STUCK or REVIEW item gets new tries", it.ID, it.State)
		}
		it.State, it.Tries, it.Judged, it.Because, it.Unjudged = Todo, 0, nil, "", 0
	case EventAttempt:
		it.Open, it.Unjudged = true, it.Unjudged+1
		s.hold(e.Budget)
	case EventEnded:
		if e.Cost != nil {
			it.Cost += *e.Cost
			s.Spent, s.held = s.Spent-s.held+*e.Cost, 0
		}
	case EventStopped:
		if e.Try > 0 {
			it.Open, it.Unjudged = false, max(it.Unjudged-1, 0)
		}
	case EventJudged:
		return it.judge(e)
	default:
		return fmt.Errorf("unknown event %q", e.Event)
	}
	return nil
}

// hold counts what is left of a budget as spent, until the cost of the try is known: the loop may end before that.
func (s *State) hold(budget *int64) {
	s.held = 0
	if budget != nil {
		s.held = max(*budget-s.Spent, 0)
	}
	s.Spent += s.held
}

func (it *Standing) claim(e Event, has *Standing) error {
	switch {
	case it.State.Locked():
		return fmt.Errorf("%s is %s", it.ID, it.State)
	case it.Worktree != "" && it.Worktree != e.Worktree:
		return fmt.Errorf("%s is claimed by another work tree", it.ID)
	case has != nil && has != it:
		return fmt.Errorf("the work tree claims %s already", has.ID)
	}
	it.Worktree, it.Start = e.Worktree, e.Start
	return nil
}

// judge applies a verdict. The state after it is computed again, and must be what the event says.
func (it *Standing) judge(e Event) error {
	if it.State.Locked() {
		return fmt.Errorf("%s is %s", it.ID, it.State)
	}
	after := After(e, it.Tries, it.MaxAttempts)
	if after != e.Outcome {
		return fmt.Errorf("the verdict %q after %d tries makes %s, the event says %s", e.Verdict, it.Tries, after, e.Outcome)
	}
	if e.Verdict != verdictReview {
		it.Tries++
	}
	last := e
	it.State, it.Last, it.Judged, it.Open = after, &last, append(it.Judged, e), false
	it.Unjudged = 0
	switch after {
	case Pass:
		it.Pass = &last
	case Review, Stuck:
		it.Because = e.Reason
	}
	if after.Locked() {
		it.Worktree = ""
	}
	return nil
}

// The verdicts that matter here, as the report names them.
const (
	verdictPassed = "passed"
	verdictReview = "review"
)

// CodeBlocked is the code of a verdict that counts as REVIEW because the agent said why the item cannot be done.
const CodeBlocked = "blocked"

// After is the state after a verdict: tries are those before it. Its code is one of the stall reasons, [CodeBlocked], or "".
// Only the verdict passed makes PASS, and only where the items that passed before still hold: an override belongs to CI.
func After(e Event, tries, most int) Name {
	switch {
	case e.Verdict == verdictPassed && len(e.Broken) == 0:
		return Pass
	case e.Code == CodeBlocked, e.Verdict == verdictReview:
		return Review
	case e.Code != "", tries+1 >= most:
		return Stuck
	}
	return Todo
}

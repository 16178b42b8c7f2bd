package item

import (
	"errors"
	"fmt"
)

// Proof reports why the report of an event about a verdict does not prove it; nil when it does.
type Proof func(Event) error

// NewState is the state before all events.
func NewState(p *Plan) *State {
	s := &State{Plan: p, Next: 1, byID: make(map[string]*Standing, len(p.Items)), claims: map[string]*Standing{}}
	list := make([]Standing, len(p.Items))
	for i := range p.Items {
		list[i] = Standing{Item: p.Items[i], State: Todo}
		s.Items, s.byID[p.Items[i].ID] = append(s.Items, &list[i]), &list[i]
	}
	return s
}

// Add applies the next event. An event that is impossible after those before it is an error, which names its number, and
// changes nothing. An event about a verdict that proof refuses is listed in Ignored, and changes no item.
func (s *State) Add(e *Event, proof Proof) error {
	if e.N != s.Next {
		return fmt.Errorf("event %d follows event %d", e.N, s.Next-1)
	}
	it := s.byID[e.Item]
	if judges := e.Event == EventJudged || e.Event == EventRenewed; judges && it != nil && proof != nil {
		err := proof(*e)
		if err == nil && e.Outcome == Pass && e.ContractSHA256 != it.ContractSHA256 {
			err = errors.New("it is about another contract than the plan's")
		}
		if err != nil {
			s.Ignored, s.Next = append(s.Ignored, Ignored{*e, err}), s.Next+1
			if e.Event == EventJudged {
				it.Verdicts++
			}
			return nil
		}
	}
	if err := s.Check(e); err != nil {
		return fmt.Errorf("event %d (%s): %w", e.N, e.Event, err)
	}
	s.Next++
	s.apply(it, e)
	return nil
}

// MostMoney is the largest amount that is believed, in millionths of a US dollar: a million.
const MostMoney = 1e12

// Check says why an event is impossible now, whatever its number is; nil when it is possible.
func (s *State) Check(e *Event) error {
	it := s.byID[e.Item]
	for _, amount := range []*int64{e.Cost, e.Budget} {
		if amount != nil && (*amount < 0 || *amount > MostMoney) {
			return fmt.Errorf("%d millionths of a dollar are no amount from 0 to a million dollars", *amount)
		}
	}
	switch {
	case e.Event == EventScanned, e.Event == EventStopped && e.Item == "":
		return nil
	case it == nil:
		return fmt.Errorf("the plan has no item %q", e.Item)
	}
	switch e.Event {
	case EventReleased, EventAttempt, EventEnded, EventStopped:
		return nil
	case EventClaimed:
		return it.canClaim(e)
	case EventReopened:
		if it.State != Stuck && it.State != Review && it.State != Accepted {
			return fmt.Errorf("%s is %s: only a STUCK, REVIEW or ACCEPTED item gets new tries", it.ID, it.State)
		}
		return nil
	case EventAccepted:
		if it.State != Stuck && it.State != Review {
			return fmt.Errorf("%s is %s: only a STUCK or REVIEW item is accepted", it.ID, it.State)
		}
		return nil
	case EventRenewed, EventBroken:
		after := (e.Event == EventRenewed && e.Outcome == Pass) || (e.Event == EventBroken && (e.Outcome == Todo || e.Outcome == Review))
		if it.State != Pass || !after {
			return fmt.Errorf("%s is %s, and the event says %s", it.ID, it.State, e.Outcome)
		}
		return nil
	case EventJudged:
		return it.canJudge(e)
	}
	return fmt.Errorf("unknown event %q", e.Event)
}

// apply is the only place where a state changes.
func (s *State) apply(it *Standing, e *Event) {
	if e.Cost != nil {
		s.Cost += *e.Cost
	}
	if it == nil {
		return
	}
	switch e.Event {
	case EventClaimed:
		s.claim(it, e)
	case EventReleased: // the start stays, see [State.StartOf]
		s.release(it)
		it.Open = false
	case EventReopened:
		it.State, it.Tries, it.Judged, it.Because = Todo, 0, nil, ""
	case EventAccepted:
		it.State, it.Because = Accepted, e.Reason+" ("+e.By+")"
	case EventRenewed:
		renewed := *e
		it.Renewed = &renewed
	case EventBroken:
		broken := *e
		it.State, it.Because, it.Tries, it.Judged = e.Outcome, e.Reason, 0, nil
		it.Pass, it.Renewed, it.Last = nil, nil, &broken
	case EventAttempt:
		it.Open = true
		s.held = 0 // what is left of a budget counts as spent until the cost of the try is known: the loop may end before that
		if e.Budget != nil {
			s.held = max(*e.Budget-s.Spent, 0)
		}
		s.Spent += s.held
	case EventEnded:
		s.MS += e.MS
		if e.Cost != nil {
			it.Cost += *e.Cost
			s.Spent, s.held = s.Spent-s.held+*e.Cost, 0
		}
	case EventStopped:
		if e.Try > 0 {
			it.Open = false
		}
	case EventJudged:
		s.judge(it, e)
	}
}

func (it *Standing) canClaim(e *Event) error {
	switch {
	case it.State.Locked():
		return fmt.Errorf("%s is %s", it.ID, it.State)
	case it.Worktree != "" && it.Worktree != e.Worktree:
		return fmt.Errorf("%s is claimed by another work tree", it.ID)
	case e.Worktree == "" || e.Start == "":
		return fmt.Errorf("the claim of %s names no work tree or no start", it.ID)
	}
	return nil
}

// claim gives an item to a work tree, which has one at a time.
func (s *State) claim(it *Standing, e *Event) {
	if has := s.claims[e.Worktree]; has != nil {
		s.release(has)
	}
	it.Worktree, it.Start, it.Claimed, it.passes = e.Worktree, e.Start, e.N, s.passes
	it.Root, it.Hold, it.At = e.Root, e.Hold, e.At
	s.claims[e.Worktree] = it
}

func (s *State) release(it *Standing) {
	delete(s.claims, it.Worktree)
	it.Worktree = ""
}

// StartOf is where the changes of an item start if it is claimed at head: where they started before, unless an item passed
// since, whose changes would count twice. Else a release would hide what was committed for the item. isBefore reports whether a
// commit is an ancestor of head.
func (s *State) StartOf(it *Standing, head string, isBefore func(commit string) bool) string {
	if it.Start != "" && it.passes == s.passes && isBefore(it.Start) {
		return it.Start
	}
	return head
}

// canJudge checks that the state after a verdict is one that the verdict can make. How many tries there may be is not asked:
// a later plan may say another number.
func (it *Standing) canJudge(e *Event) error {
	if it.State.Locked() {
		return fmt.Errorf("%s is %s", it.ID, it.State)
	}
	after := After(*e, 0, 2)
	if after != e.Outcome && (after != Todo || e.Outcome != Stuck) {
		return fmt.Errorf("the verdict %q makes %s, the event says %s", e.Verdict, after, e.Outcome)
	}
	return nil
}

// judge applies a verdict.
func (s *State) judge(it *Standing, e *Event) {
	if e.Outcome != Review {
		it.Tries++
	}
	it.Judged = append(it.Judged, *e)
	it.State, it.Last, it.Open = e.Outcome, &it.Judged[len(it.Judged)-1], false
	it.Verdicts++
	switch it.State {
	case Pass:
		it.Pass = it.Last
		s.passes++
	case Review, Stuck:
		it.Because = e.Reason
	}
	if it.State.Locked() {
		s.release(it)
	}
}

// The verdicts that matter here, as the report names them.
const (
	verdictPassed = "passed"
	verdictReview = "review"
)

// The codes of a verdict that counts as REVIEW.
const (
	CodeBlocked = "blocked" // the agent said why the item cannot be done
	CodeUnknown = "unknown" // it cannot be known whether the items that passed before still hold
)

// After is the state after a verdict: tries are those before it. Its code is one of the stall reasons, one of REVIEW, or "".
// Only the verdict passed makes PASS, and only where the items that passed before still hold: an override belongs to CI.
func After(e Event, tries, most int) Name {
	switch {
	case e.Code == CodeBlocked, e.Code == CodeUnknown, e.Verdict == verdictReview:
		return Review
	case e.Verdict == verdictPassed && len(e.Broken) == 0:
		return Pass
	case e.Code != "", tries+1 >= most:
		return Stuck
	}
	return Todo
}

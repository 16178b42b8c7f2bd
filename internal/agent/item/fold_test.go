package item_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/agent/item"
)

// fake is the contract of each item, and the digest of each report that proves a PASS.
var fake = strings.Repeat("a", 64)

func planOf(n int) *item.Plan {
	p := &item.Plan{Schema: item.PlanSchema, Base: "base", Guard: item.GuardAll}
	for i := range n {
		p.Items = append(p.Items, item.Item{ID: fmt.Sprintf("T-%d", i+1), ContractSHA256: fake, MaxAttempts: 3})
	}
	return p
}

// proof accepts what has the digest of a report, and nothing else.
func proof(e item.Event) error {
	if e.Outcome == item.Pass && e.ReportSHA256 != fake {
		return errors.New("no such report")
	}
	return nil
}

// randomEvent is one that may be possible or not.
func randomEvent(r *rand.Rand, s *item.State) item.Event {
	it := s.Items[r.IntN(len(s.Items))]
	e := item.Event{
		Event: []string{
			item.EventClaimed, item.EventClaimed, item.EventReleased, item.EventReopened, item.EventAttempt, item.EventEnded, item.EventJudged,
			item.EventJudged, item.EventJudged, item.EventStopped, item.EventScanned, item.EventAccepted, item.EventRenewed, item.EventBroken, "other",
		}[r.IntN(15)],
		Item: it.ID, Worktree: []string{"w1", "w2", "w3"}[r.IntN(3)], Start: fmt.Sprint("c", r.IntN(5)), Tree: fmt.Sprint("t", r.IntN(3)),
		Verdict: []string{"passed", "failed", "failed", "review", "overridden"}[r.IntN(5)], ContractSHA256: fake,
	}
	if r.IntN(4) == 0 {
		e.Code = []string{item.CodeBlocked, item.CodeTries, item.CodeSameTree}[r.IntN(3)]
	}
	if r.IntN(8) == 0 {
		e.Broken = []string{"T-1"}
	}
	e.Outcome = item.After(e, it.Tries, it.MaxAttempts)
	if r.IntN(10) == 0 {
		e.Outcome = []item.Name{item.Todo, item.Pass, item.Review, item.Stuck}[r.IntN(4)]
	}
	if e.Event == item.EventRenewed || e.Event == item.EventBroken {
		e.Verdict, e.Outcome = "passed", []item.Name{item.Todo, item.Pass, item.Review}[r.IntN(3)]
	}
	if r.IntN(6) > 0 {
		e.ReportSHA256 = fake
	}
	return e
}

// snapshot is what may not change by itself.
type snapshot struct {
	state       item.Name
	tries       int
	hasWorktree bool
}

func look(s *item.State) (todo int, all []snapshot) {
	for _, it := range s.Items {
		if it.State == item.Todo {
			todo++
		}
		all = append(all, snapshot{it.State, it.Tries, it.Worktree != ""})
	}
	return todo, all
}

// TestFoldProperties drives random events, possible and impossible ones, and holds each step against the rules.
func TestFoldProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	reached := map[item.Name]int{}
	for range 400 {
		s := item.NewState(planOf(4))
		var log []item.Event
		for range 60 {
			e := randomEvent(r, s)
			e.N = s.Next
			before, were := look(s)
			next, ignored := s.Next, len(s.Ignored)
			err := s.Add(&e, proof)
			after, are := look(s)
			if err != nil {
				if s.Next != next || !slices.Equal(were, are) {
					t.Fatalf("%+v is refused (%v), and changed something", e, err)
				}
				continue
			}
			log = append(log, e)
			checkStep(t, e, s, before, after, were, are, len(s.Ignored) > ignored)
		}
		for _, it := range s.Items {
			reached[it.State]++
		}
		checkPrefixes(t, log, s)
	}
	if len(reached) != 5 {
		t.Errorf("not every state was reached: %v", reached)
	}
}

func checkStep(t *testing.T, e item.Event, s *item.State, before, after int, were, are []snapshot, ignored bool) {
	t.Helper()
	opens := e.Event == item.EventReopened || e.Event == item.EventBroken
	if after > before && !opens {
		t.Fatalf("%+v: %d items were left, now %d", e, before, after)
	}
	claims := map[string]string{}
	for i, it := range s.Items {
		was, is := were[i], are[i]
		mine := it.ID == e.Item && e.Event == item.EventJudged && !ignored
		switch {
		case was.state == item.Pass && is != was && e.Event != item.EventBroken:
			t.Fatalf("%+v changes %s, which is PASS", e, it.ID)
		case is.state == item.Pass && was.state != item.Pass && (!mine || e.Verdict != "passed" || e.ReportSHA256 != fake || len(e.Broken) > 0):
			t.Fatalf("%+v makes %s PASS", e, it.ID)
		case is.state == item.Accepted && was.state != item.Accepted && (e.Event != item.EventAccepted || was.state == item.Pass || was.state == item.Todo):
			t.Fatalf("%+v accepts %s, which is %s", e, it.ID, was.state)
		case it.Renewed != nil && (is.state != item.Pass || it.Renewed.ReportSHA256 != fake):
			t.Fatalf("%+v: %s is %s, and renewed without proof", e, it.ID, is.state)
		case was.state.Locked() && is.state != was.state && !opens && e.Event != item.EventAccepted:
			t.Fatalf("%+v unlocks %s", e, it.ID)
		case mine && is.state != item.Review && is.tries != was.tries+1, mine && is.state == item.Review && is.tries != was.tries:
			t.Fatalf("%+v makes %d tries of %d", e, is.tries, was.tries)
		case !mine && is.tries != was.tries && !opens:
			t.Fatalf("%+v changes the tries of %s", e, it.ID)
		case is.state.Locked() && it.Worktree != "":
			t.Fatalf("%+v: %s is %s and claimed", e, it.ID, it.State)
		case it.Worktree != "" && claims[it.Worktree] != "":
			t.Fatalf("%+v: %s claims %s and %s", e, it.Worktree, it.ID, claims[it.Worktree])
		case it.Worktree != "" && s.Claimed(it.Worktree) != it:
			t.Fatalf("%+v: the claim of %s is not found", e, it.ID)
		}
		claims[it.Worktree] = it.ID
	}
}

// checkPrefixes folds what a process that is killed leaves, and continues from there.
func checkPrefixes(t *testing.T, log []item.Event, whole *item.State) {
	t.Helper()
	for n := 0; n <= len(log); n += 7 {
		s, err := item.Fold(planOf(4), log[:n], proof)
		if err != nil {
			t.Fatalf("the first %d events: %v", n, err)
		}
		for i := n; i < len(log); i++ {
			if err := s.Add(&log[i], proof); err != nil {
				t.Fatalf("event %d after the first %d: %v", i+1, n, err)
			}
		}
		_, want := look(whole)
		if _, got := look(s); !slices.Equal(got, want) {
			t.Fatalf("from event %d on: %v, in one go %v", n, got, want)
		}
	}
}

// TestForgedEvents changes a log as a person could who can write it.
func TestForgedEvents(t *testing.T) {
	claim := item.Event{N: 1, Event: item.EventClaimed, Item: "T-1", Worktree: "w", Start: "c"}
	pass := item.Event{N: 2, Event: item.EventJudged, Item: "T-1", Verdict: "passed", Outcome: item.Pass, ReportSHA256: fake, ContractSHA256: fake}
	planted, other, failed := pass, pass, pass
	planted.ReportSHA256, other.ContractSHA256, failed.Verdict = strings.Repeat("b", 64), strings.Repeat("b", 64), "failed"
	again := pass
	again.N = 3
	for name, c := range map[string]struct {
		log  []item.Event
		want item.Name // of T-1; "" where the log is refused
		ign  int
	}{
		"as written":                   {[]item.Event{claim, pass}, item.Pass, 0},
		"a PASS without its report":    {[]item.Event{claim, planted}, item.Todo, 1},
		"a PASS by another contract":   {[]item.Event{claim, other}, item.Todo, 1},
		"a PASS by a failed verdict":   {[]item.Event{claim, failed}, "", 0},
		"a line twice":                 {[]item.Event{claim, claim}, "", 0},
		"a line lost":                  {[]item.Event{pass}, "", 0},
		"the same number twice":        {[]item.Event{claim, pass, pass}, "", 0},
		"a verdict on a locked item":   {[]item.Event{claim, pass, again}, "", 0},
		"in another order":             {[]item.Event{pass, claim}, "", 0},
		"an item that is in no plan":   {[]item.Event{{N: 1, Event: item.EventClaimed, Item: "T-9", Worktree: "w", Start: "c"}}, "", 0},
		"an event that has no name":    {[]item.Event{{N: 1, Item: "T-1"}}, "", 0},
		"a PASS that a person accepts": {[]item.Event{claim, pass, {N: 3, Event: item.EventAccepted, Item: "T-1", Reason: "x"}}, "", 0},
		"renewed without its report":   {[]item.Event{claim, pass, {N: 3, Event: item.EventRenewed, Item: "T-1", Outcome: item.Pass}}, item.Pass, 1},
		"renewed by another contract":  {[]item.Event{claim, pass, {N: 3, Event: item.EventRenewed, Item: "T-1", Outcome: item.Pass, ReportSHA256: fake}}, item.Pass, 1},
		"what did not pass is renewed": {[]item.Event{claim, {N: 2, Event: item.EventRenewed, Item: "T-1", Outcome: item.Pass, ReportSHA256: fake, ContractSHA256: fake}}, "", 0},
		"a PASS that does not hold":    {[]item.Event{claim, pass, {N: 3, Event: item.EventBroken, Item: "T-1", Outcome: item.Todo}}, item.Todo, 0},
		"broken, and yet a PASS":       {[]item.Event{claim, pass, {N: 3, Event: item.EventBroken, Item: "T-1", Outcome: item.Pass}}, "", 0},
		"a PASS that is reopened":      {[]item.Event{claim, pass, {N: 3, Event: item.EventReopened, Item: "T-1", Reason: "x"}}, "", 0},
		"a claim without a work tree":  {[]item.Event{{N: 1, Event: item.EventClaimed, Item: "T-1", Start: "c"}}, "", 0},
	} {
		s, err := item.Fold(planOf(2), c.log, proof)
		switch {
		case (err == nil) != (c.want != ""):
			t.Errorf("%s: %v", name, err)
		case err == nil && (s.Items[0].State != c.want || len(s.Ignored) != c.ign):
			t.Errorf("%s: %s, ignored %v", name, s.Items[0].State, s.Ignored)
		}
	}
}

// TestStartOf wants the start of an item to stay over a release, and to move once another item passed.
func TestStartOf(t *testing.T) {
	s := item.NewState(planOf(2))
	add := func(e item.Event) {
		t.Helper()
		e.N = s.Next
		if err := s.Add(&e, nil); err != nil {
			t.Fatal(err)
		}
	}
	all := func(string) bool { return true }
	one := s.Items[0]
	if got := s.StartOf(one, "c1", all); got != "c1" {
		t.Errorf("first %s", got)
	}
	add(item.Event{Event: item.EventClaimed, Item: "T-1", Worktree: "w", Start: "c1"})
	add(item.Event{Event: item.EventReleased, Item: "T-1"})
	if got := s.StartOf(one, "c2", all); got != "c1" {
		t.Errorf("after a release %s: what was committed for the item is hidden", got)
	}
	if got := s.StartOf(one, "c2", func(string) bool { return false }); got != "c2" {
		t.Errorf("in another history %s", got)
	}
	add(item.Event{Event: item.EventClaimed, Item: "T-2", Worktree: "w", Start: "c1"})
	add(item.Event{Event: item.EventJudged, Item: "T-2", Verdict: "passed", Outcome: item.Pass})
	if got := s.StartOf(one, "c3", all); got != "c3" {
		t.Errorf("after another PASS %s: its changes would count twice", got)
	}
}

// TestHolding wants a PASS to hold at its own tree, and at one that a later PASS proved.
func TestHolding(t *testing.T) {
	s := item.NewState(planOf(3))
	for i, tree := range []string{"t1", "t2", "t3"} {
		e := item.Event{N: s.Next, Event: item.EventJudged, Item: s.Items[i].ID, Verdict: "passed", Outcome: item.Pass, Tree: tree}
		if i == 2 {
			e.Unguarded = []string{"T-1"}
		}
		if err := s.Add(&e, nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ tree, guard, want string }{
		{"t1", "all", "T-1"}, {"t2", "all", "T-1 T-2"}, {"t3", "all", "T-2 T-3"}, {"t2", "none", "T-2"}, {"t4", "all", ""},
	} {
		s.Plan.Guard = c.guard
		var got []string
		holds := s.HoldingAt(c.tree)
		for _, it := range s.Items {
			if holds(it) {
				got = append(got, it.ID)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s with guard %s: %v holding, expected %s", c.tree, c.guard, got, c.want)
		}
	}
}

// TestDone wants each doubt to keep a status from being done.
func TestDone(t *testing.T) {
	var uncommitted []string
	for name, c := range map[string]struct {
		change       func(*item.Status)
		done, review bool
	}{
		"all":         {func(*item.Status) {}, true, false},
		"todo":        {func(s *item.Status) { s.Items[0].State = item.Todo }, false, false},
		"stuck":       {func(s *item.Status) { s.Items[0].State, s.Items[1].State = item.Stuck, item.Review }, false, false},
		"review":      {func(s *item.Status) { s.Items[0].State = item.Review }, false, true},
		"accepted":    {func(s *item.Status) { s.Items[0].State = item.Accepted }, false, true},
		"not holds":   {func(s *item.Status) { s.Items[0].Holding = false }, false, false},
		"claimed":     {func(s *item.Status) { s.Items[0].Worktree = "w" }, false, false},
		"blocked":     {func(s *item.Status) { s.Blocked = []string{"x"} }, false, false},
		"drift":       {func(s *item.Status) { s.Drift = []string{"x"} }, false, false},
		"ignored":     {func(s *item.Status) { s.Ignored = []string{"x"} }, false, false},
		"differs":     {func(s *item.Status) { s.Differs = []string{"x"} }, false, false},
		"both kinds":  {func(s *item.Status) { s.Items[0].State, s.Items[1].Holding = item.Review, false }, false, false},
		"uncommitted": {func(s *item.Status) { uncommitted = []string{"x"} }, false, false},
	} {
		row := item.StatusItem{ID: "T-1", State: item.Pass, Holding: true}
		s := &item.Status{Items: []item.StatusItem{row, row}}
		uncommitted = nil
		c.change(s)
		s.Conclude(nil, nil, uncommitted)
		if done, review := s.Done(); done != c.done || review != c.review {
			t.Errorf("%s: done %t, review %t", name, done, review)
		}
	}
}

// sameEvent compares without telling an empty list from none, which JSON does not either.
func sameEvent(a, b item.Event) bool {
	for _, e := range []*item.Event{&a, &b} {
		for _, list := range []*[]string{&e.Open, &e.Broken, &e.Unguarded} {
			if len(*list) == 0 {
				*list = nil
			}
		}
	}
	return reflect.DeepEqual(a, b)
}

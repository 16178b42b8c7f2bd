// Package loop runs an agent again and again: a fresh process for each try, the facts of the last verdict on its standard
// input, and a verdict after each. It is impure: it starts processes and reads clocks. It judges nothing.
package loop

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/closeout-gate/closeout/internal/agent/item"
	"github.com/closeout-gate/closeout/internal/agent/session"
	"github.com/closeout-gate/closeout/internal/record"
)

// Work is what a loop works at: `item next` and `item submit`.
type Work interface {
	// State folds the events.
	State() (*item.State, error)
	// Beat notes that the loop is at work, so that its claim does not count as given up.
	Beat()
	// Next claims the item with the id, or the first open one, and tells what to do; nil when no item is left to claim.
	Next(id string) (*item.Handout, error)
	// Waiting says why items that are open are not handed out.
	Waiting() []string
	// Prompt is a handout as next prints it.
	Prompt(*item.Handout) string
	// Commit commits what git sees, if there is anything.
	Commit(message string) error
	// Submit records, judges and locks the claimed item, as one of at most so many attempts; 0 leaves it to the contracts. Where
	// the command itself submitted HEAD since an event, there is no second verdict. The item is nil when nothing was judged, as
	// where files are uncommitted: the facts say why. The error is session.ErrLocked while another work tree submits.
	Submit(id string, since int64, attempts int) (*item.Standing, []item.Fact, error)
	// Append writes an event.
	Append(item.Event) error
	// TryDir is the absolute directory of the next verdict about an item, and exists.
	TryDir(id string) (string, error)
}

// Loop is how to work. All fields but those that say otherwise are required.
type Loop struct {
	Work        Work
	Root        string        // of the work tree
	Path        string        // of the program
	Argv        []string      // with placeholders
	Env         []string      // of the command
	Task        string        // "" works at all items
	Attempts    int           // 0 leaves it to the contracts
	Timeout     time.Duration // of a try
	Grace       time.Duration // between asking the command to end and ending it
	Deadline    time.Duration // of the loop
	Budget      *int64        // what all tries together may cost, in millionths of a US dollar; nil for any amount
	Costs       []Cost        // where the cost of a try is found, which is their sum; nil when it is not asked for
	Commit      bool          // commit what the command leaves uncommitted
	StopOnStuck bool
	StopFile    string           // that stops the loop when it exists
	Signals     <-chan os.Signal // that stop the loop
	Tell        func(string)

	Now   func() time.Time
	After func(time.Duration) <-chan time.Time
	Start func(*record.Process) (*record.Outcome, error)

	until time.Time
}

// Why a loop ends.
const (
	CodeDone       = "done"         // no item is open, or that of --task has a verdict
	CodeWaiting    = "waiting"      // items are open, and other work trees have them, or they wait for those
	CodeBudget     = "budget"       // the budget is spent
	CodeCost       = "cost_unread"  // the cost of a try is unknown, and there is a budget
	CodeDeadline   = "deadline"     // the time is over
	CodeStopFile   = "stop_file"    // there is a file that says so
	CodeSignal     = "signal"       // a signal came
	CodeStuck      = "stuck"        // an item is STUCK, and that is to end the loop
	CodeUnjudged   = "unjudged"     // no try left anything that can be judged
	CodeLeft       = "left_running" // processes of the command cannot be ended
	CodeNotStarted = "not_started"  // there was no process
	CodeFailed     = "failed"       // closeout itself cannot go on
)

// end is an end of the loop, with its reason.
type end struct {
	code, reason string
	try          int // that it interrupted, which does not count; 0 for none
}

func (e *end) Error() string { return e.reason }

// Run works until nothing is left to hand out, or something ends it early; the code says which. An error means that the end
// could not be written down.
func (l *Loop) Run() (code string, err error) {
	l.until = l.Now().Add(l.Deadline)
	id := ""
	for err == nil {
		id, err = l.next()
	}
	stop := &end{code: CodeFailed, reason: err.Error()}
	errors.As(err, &stop)
	l.Tell("stopped (loop." + stop.code + "): " + stop.reason)
	return stop.code, l.Work.Append(item.Event{Event: item.EventStopped, Item: id, Try: stop.try, Code: stop.code, Reason: stop.reason})
}

// next works at the next item, and names it. The error is the end of the loop.
func (l *Loop) next() (id string, err error) {
	h, err := l.Work.Next(l.Task)
	switch {
	case err != nil:
		return l.Task, err
	case h == nil:
		return l.Task, l.nothing()
	}
	if err = l.item(h.Item); err == nil && l.Task != "" {
		err = &end{code: CodeDone, reason: h.Item + " has a verdict"}
	}
	return h.Item, err
}

// nothing says why nothing is handed out.
func (l *Loop) nothing() error {
	waiting := l.Work.Waiting()
	s, err := l.Work.State()
	if err != nil {
		return err
	}
	it := s.Find(l.Task)
	switch {
	case it != nil && it.State.Locked():
		return &end{code: CodeDone, reason: l.Task + " has a verdict already"}
	case it != nil && len(waiting) == 0:
		return &end{code: CodeWaiting, reason: "another work tree has claimed " + l.Task}
	case it == nil && s.Count(item.Todo) == 0:
		return &end{code: CodeDone, reason: "no item is open"}
	case len(waiting) == 0:
		waiting = []string{"other work trees have the items that are open"}
	}
	return &end{code: CodeWaiting, reason: strings.Join(waiting[:min(len(waiting), maxFacts)], "; ")}
}

// item works at an item until it is locked.
func (l *Loop) item(id string) error {
	note, unjudged := "", 0 // tries in a row
	for first := true; ; first = false {
		s, err := l.Work.State()
		if err != nil {
			return err
		}
		it := s.Find(id)
		switch {
		case it == nil:
			return fmt.Errorf("the plan has no item %q any more", id)
		case it.State == item.Stuck && l.StopOnStuck:
			return &end{code: CodeStuck, reason: it.ID + " is STUCK: " + it.Because}
		case it.State.Locked():
			return nil
		case first && it.Open, unjudged == 0 && it.Tries >= it.Attempts(l.Attempts): // a loop was killed, or had more tries
			l.Tell(id + ": judging what the last try left")
			note, err = l.judge(id, s.Next)
		default:
			note, err = l.try(s, it, unjudged, note)
		}
		switch {
		case err != nil:
			return err
		case note == "":
			unjudged = 0
		default:
			unjudged++
		}
	}
}

// mustStop says why no further try is made; nil when it may.
func (l *Loop) mustStop(s *item.State, it *item.Standing, unjudged int) *end {
	if stop := l.interrupted(); stop != nil {
		return stop
	}
	switch most := it.Attempts(l.Attempts); {
	case l.Budget != nil && s.Spent >= *l.Budget:
		known := ""
		if s.Spent > s.Cost {
			known = fmt.Sprintf(", of which %s are known: a try without a known cost counts as all that was left", Dollars(s.Cost))
		}
		return &end{code: CodeBudget, reason: fmt.Sprintf("%s of %s are spent%s; to go on, give a larger --budget-usd", Dollars(s.Spent), Dollars(*l.Budget), known)}
	case unjudged > 0 && unjudged+it.Tries >= most:
		return &end{code: CodeUnjudged, reason: fmt.Sprintf("%s: %d of %d tries left what cannot be judged: see what is uncommitted", it.ID, unjudged, most)}
	}
	return nil
}

// interrupted says why the loop must end now; nil when it need not.
func (l *Loop) interrupted() *end {
	select {
	case sig := <-l.Signals:
		return &end{code: CodeSignal, reason: "the loop received a signal: " + sig.String()}
	default:
	}
	if _, err := os.Lstat(l.StopFile); !errors.Is(err, fs.ErrNotExist) { // it is there, or cannot be looked for
		return &end{code: CodeStopFile, reason: l.StopFile + " exists: the person who made it takes it away to go on"}
	}
	if !l.Now().Before(l.until) {
		return &end{code: CodeDeadline, reason: fmt.Sprintf("the %s of --deadline are over", l.Deadline)}
	}
	return nil
}

// judge submits what a try left, which has the events from since on. The note says why it was not judged; "" when it was.
func (l *Loop) judge(id string, since int64) (note string, err error) {
	note = "the last try was not judged"
	if l.Commit {
		if err := l.Work.Commit("closeout item loop: " + id); err != nil {
			note += "; it cannot be committed: " + strings.Join(strings.Fields(err.Error()), " ")
		}
	}
	for {
		it, facts, err := l.Work.Submit(id, since, l.Attempts)
		if err == nil && it != nil {
			l.tellVerdict(it, facts)
			return "", nil
		}
		if err == nil {
			for _, f := range facts {
				note += "; " + f.Message + ": " + f.Actual + " → " + f.Fix
			}
			l.Tell(id + ": " + note)
			return note, nil
		}
		if stop := l.interrupted(); stop != nil { // by what ended the submission, or while another work tree submits
			return "", stop
		}
		if !errors.Is(err, session.ErrLocked) {
			return "", err
		}
	}
}

// maxFacts is how many facts of a verdict are told.
const maxFacts = 5

// tellVerdict says how a try ended.
func (l *Loop) tellVerdict(it *item.Standing, facts []item.Fact) {
	e := it.Last
	text := fmt.Sprintf("%s: try %d: %s", it.ID, e.Try, strings.Replace(string(e.Outcome), string(item.Todo), "FAIL", 1))
	if e.Reason != "" {
		text += " (" + e.Reason + ")"
	}
	if e.Outcome == item.Todo || e.Outcome == item.Stuck {
		p := item.ProgressOf(it.Judged, it.StallAfter)
		text += fmt.Sprintf("; open findings %d", p.Open)
		if p.Slide {
			text += "; fewer findings, but fewer tests ran"
		}
		if p.Reason != "" && e.Outcome == item.Todo {
			text += "; " + p.Reason + ": " + p.Text
		}
	}
	l.Tell(text)
	for _, f := range facts[:min(len(facts), maxFacts)] {
		l.Tell("  " + strings.TrimSpace(f.Code+" "+f.Path) + ": " + f.Message)
	}
	if more := len(facts) - maxFacts; more > 0 {
		l.Tell(fmt.Sprintf("  and %d more", more))
	}
}

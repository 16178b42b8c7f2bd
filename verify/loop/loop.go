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

	"github.com/closeout-gate/closeout/verify/item"
	"github.com/closeout-gate/closeout/verify/record"
)

// Work is what a loop works at. The methods are those of next and submit.
type Work interface {
	// State folds the events.
	State() (*item.State, error)
	// Next claims an item, that with the id or else the first, and tells what to do; nil when nothing is left to hand out.
	Next(id string) (*item.Handout, error)
	// Prompt is a handout as next prints it.
	Prompt(*item.Handout) string
	// Commit commits what git sees, if there is anything.
	Commit(message string) error
	// Submit records, judges and locks the claimed item. stuck is asked about the event before it is appended: a code makes a
	// failed item STUCK, with that code and reason. The event is nil when nothing was judged, as where files are uncommitted;
	// the facts say why.
	Submit(id string, stuck func(item.Event) (code, reason string)) (*item.Event, []item.Fact, error)
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

// Why a loop ends before everything has a verdict.
const (
	CodeDone       = "done"         // nothing is left to hand out
	CodeBudget     = "budget"       // the budget is spent
	CodeCost       = "cost_unread"  // the cost of a try is unknown, and there is a budget
	CodeDeadline   = "deadline"     // the time is over
	CodeStopFile   = "stop_file"    // there is a file that says so
	CodeSignal     = "signal"       // a signal came
	CodeStuck      = "stuck"        // an item is STUCK, and that is to end the loop
	CodeUnjudged   = "unjudged"     // no try left anything that can be judged
	CodeLeft       = "left_running" // processes of the command cannot be ended
	CodeNotStarted = "not_started"  // there was no process
)

// end is an end of the loop, with its reason.
type end struct {
	code, reason string
	try          int // that it interrupted, which does not count; 0 for none
}

// Run works until nothing is left to hand out, or something ends it early; the code says which.
func (l *Loop) Run() (code string, err error) {
	l.until = l.Now().Add(l.Deadline)
	for {
		h, err := l.Work.Next(l.Task)
		if err != nil {
			return "", err
		}
		if h == nil {
			return l.end(&end{code: CodeDone, reason: "nothing is left to hand out"}, "")
		}
		stop, err := l.item(h.Item)
		if stop != nil {
			code, ended := l.end(stop, h.Item)
			return code, errors.Join(err, ended)
		}
		if err != nil {
			return "", err
		}
		if l.Task != "" {
			return l.end(&end{code: CodeDone, reason: h.Item + " has a verdict"}, "")
		}
	}
}

// end writes down why the loop ends.
func (l *Loop) end(stop *end, id string) (string, error) {
	l.Tell("stopped (loop." + stop.code + "): " + stop.reason)
	return stop.code, l.Work.Append(item.Event{Event: item.EventStopped, Item: id, Try: stop.try, Code: stop.code, Reason: stop.reason})
}

// item works at an item until it is locked.
func (l *Loop) item(id string) (stop *end, err error) {
	_, it, err := l.standing(id)
	if err != nil {
		return nil, err
	}
	note := ""
	switch {
	case it.Open:
		l.Tell(fmt.Sprintf("%s: a try ended without a verdict: judging what it left", id))
		note, stop, err = l.resume(it)
	case it.State == item.Todo && it.Tries >= l.attempts(it): // an earlier loop had more tries
		note, stop, err = l.judge(it)
	}
	if stop != nil || err != nil {
		return stop, err
	}
	for {
		s, it, err := l.standing(id)
		if err != nil {
			return nil, err
		}
		if it.State.Locked() {
			return l.locked(it), nil
		}
		if stop := l.mustStop(s, it); stop != nil {
			return stop, nil
		}
		if note, stop, err = l.try(s, it, note); stop != nil || err != nil {
			return stop, err
		}
	}
}

func (l *Loop) standing(id string) (*item.State, *item.Standing, error) {
	s, err := l.Work.State()
	if err != nil {
		return nil, nil, err
	}
	if it := s.Find(id); it != nil {
		return s, it, nil
	}
	return nil, nil, fmt.Errorf("the plan has no item %q", id)
}

// attempts is how many tries of an item may fail.
func (l *Loop) attempts(it *item.Standing) int {
	if l.Attempts == 0 {
		return it.MaxAttempts
	}
	return min(l.Attempts, it.MaxAttempts)
}

// resume judges what a try left whose loop ended before the verdict. Its processes may still be there.
func (l *Loop) resume(it *item.Standing) (note string, stop *end, err error) {
	dir, err := l.Work.TryDir(it.ID)
	if err != nil {
		return "", nil, err
	}
	if err := record.EndMarked(mark(dir)); err != nil {
		return "", &end{code: CodeLeft, reason: err.Error()}, nil
	}
	return l.judge(it)
}

// locked ends the loop at an item without a pass, if that is wanted.
func (l *Loop) locked(it *item.Standing) *end {
	if it.State == item.Stuck && l.StopOnStuck {
		return &end{code: CodeStuck, reason: it.ID + " is STUCK: " + it.Because}
	}
	return nil
}

// mustStop says why no further try is made; nil when it may.
func (l *Loop) mustStop(s *item.State, it *item.Standing) *end {
	select {
	case sig := <-l.Signals:
		return &end{code: CodeSignal, reason: fmt.Sprint(sig)}
	default:
	}
	left := l.until.Sub(l.Now())
	switch {
	case l.stopFile():
		return l.because(CodeStopFile)
	case left <= 0:
		return l.because(CodeDeadline)
	case l.Budget != nil && s.Spent >= *l.Budget:
		return &end{code: CodeBudget, reason: l.spent(s)}
	case it.Unjudged+it.Tries >= l.attempts(it):
		return &end{code: CodeUnjudged, reason: fmt.Sprintf("%s: %d of %d tries left what cannot be judged: see what is uncommitted", it.ID, it.Unjudged, l.attempts(it))}
	}
	return nil
}

// because is an end whose reason is known by its code.
func (l *Loop) because(code string) *end {
	return &end{code: code, reason: map[string]string{
		CodeStopFile: l.StopFile + " exists: remove it to go on",
		CodeDeadline: fmt.Sprintf("the %s of --deadline are over", l.Deadline),
		CodeSignal:   "a signal came",
	}[code]}
}

// spent says how the budget was used up.
func (l *Loop) spent(s *item.State) string {
	if s.Spent > s.Cost {
		return fmt.Sprintf("%s are known to be spent, and a try without a known cost counts as the rest of %s: to go on, give a larger --budget-usd", Dollars(s.Cost), Dollars(*l.Budget))
	}
	return fmt.Sprintf("%s of %s are spent: to go on, give a larger --budget-usd", Dollars(s.Spent), Dollars(*l.Budget))
}

// stopFile reports whether the file is there, or cannot be looked for.
func (l *Loop) stopFile() bool {
	_, err := os.Lstat(l.StopFile)
	return !errors.Is(err, fs.ErrNotExist)
}

// judge submits what a try left.
func (l *Loop) judge(it *item.Standing) (note string, stop *end, err error) {
	if l.Commit {
		if err := l.Work.Commit("closeout loop: " + it.ID); err != nil {
			l.Tell("cannot commit: " + err.Error()) // the facts of the submission say what is left
		}
	}
	before := *it // the submission may change the item
	e, facts, err := l.Work.Submit(it.ID, func(e item.Event) (string, string) { return before.Stuck(e, l.attempts(&before)) })
	if err != nil {
		select {
		case sig := <-l.Signals: // that ended the submission, after which the try still waits for its verdict
			return "", &end{code: CodeSignal, reason: fmt.Sprint(sig)}, nil
		default:
			return "", nil, err
		}
	}
	if e != nil {
		l.Tell(verdict(&before, *e))
		for _, f := range facts[:min(len(facts), maxFacts)] {
			l.Tell("  " + f.Code + ": " + f.Message)
		}
		return "", nil, nil
	}
	note = "the last try was not judged"
	for _, f := range facts {
		note += "; " + f.Message + ": " + f.Actual + " → " + f.Fix
	}
	l.Tell(it.ID + ": " + note)
	return note, nil, nil
}

// maxFacts is how many facts of a verdict are told.
const maxFacts = 5

// verdict says what a try came to.
func verdict(it *item.Standing, e item.Event) string {
	text := fmt.Sprintf("%s: try %d: %s", it.ID, it.Tries+1, strings.Replace(string(e.Outcome), string(item.Todo), "FAIL", 1))
	if e.Reason != "" {
		text += " (" + e.Reason + ")"
	}
	if e.Outcome == item.Pass || e.Outcome == item.Review {
		return text
	}
	p := item.ProgressOf(append(it.Judged[:len(it.Judged):len(it.Judged)], e), it.StallAfter)
	text += fmt.Sprintf("; open findings %d, fewest %d, progress %d.%02d %%", p.Open, p.Best, p.Points/100, p.Points%100)
	if p.Slide {
		text += "; fewer findings, but fewer tests ran"
	}
	if p.Reason != "" {
		text += "; " + p.Reason + ": " + p.Text
	}
	return text
}

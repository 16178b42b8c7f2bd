package loop

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/closeout-gate/closeout/internal/agent/item"
	"github.com/closeout-gate/closeout/internal/record"
)

// The files of a try.
const (
	promptFile = "prompt.md"
	outFile    = "agent.out"
	errFile    = "agent.err"
)

// MostOutput is how many bytes of each output of the command are kept, at most: those at the end.
const MostOutput = 64 << 20

// try runs the command once, if it may, and judges what it left. The notes say what the last try, and this one, left undone.
func (l *Loop) try(s *item.State, it *item.Standing, unjudged int, note string) (string, error) {
	if stop := l.mustStop(s, it, unjudged); stop != nil {
		return "", stop
	}
	t := &try{Loop: l, item: it.ID, since: s.Next, spent: s.Spent}
	h, err := l.Work.Next(it.ID)
	if err == nil && h == nil {
		err = fmt.Errorf("%s is not handed out", it.ID)
	}
	if err == nil {
		t.dir, err = l.Work.TryDir(it.ID)
	}
	if err != nil {
		return "", err
	}
	h.Of, h.Nudge, t.number = it.Attempts(l.Attempts), strings.Trim(h.Nudge+"; "+note, "; "), h.Try
	name := filepath.Join(t.dir, promptFile)
	err = os.WriteFile(name, []byte(l.Work.Prompt(h)), 0o600)
	if err == nil {
		t.prompt, err = os.Open(name)
	}
	if err == nil {
		t.out, err = createTail(filepath.Join(t.dir, outFile), MostOutput)
	}
	if err == nil {
		t.errs, err = createTail(filepath.Join(t.dir, errFile), MostOutput)
	}
	if err != nil { // what is open ends with the process
		return "", err
	}
	defer func() {
		t.prompt.Close() // it is only read
		t.out.file.Close()
		t.errs.file.Close()
	}()
	l.Tell(fmt.Sprintf("%s: try %d of %d: the output goes to %s", t.item, h.Try, h.Of, t.out.file.Name()))
	unread, err := t.run()
	if err != nil {
		return "", err
	}
	if note, err = l.judge(t.item, t.since); err == nil && unread != nil {
		err = unread
	}
	return note, err
}

// try is one run of the command.
type try struct {
	*Loop
	dir, item string
	number    int
	since     int64 // the number of its first event
	spent     int64 // at its start
	prompt    *os.File
	out, errs *tailFile
}

// run runs the command to its end, between two events. The first error ends the loop after the verdict, the second one now.
func (t *try) run() (unread, err error) {
	left := ""
	if t.Budget != nil {
		left = strings.TrimPrefix(Dollars(max(*t.Budget-t.spent, 0)), "$")
	}
	values := strings.NewReplacer("{prompt_file}", t.prompt.Name(), "{item}", t.item, "{try}", strconv.Itoa(t.number), "{budget_left}", left)
	words := slices.Clone(t.Argv)
	for i := range words {
		words[i] = values.Replace(words[i])
	}
	if err := t.Work.Append(item.Event{Event: item.EventAttempt, Item: t.item, Try: t.number, Budget: t.Budget}); err != nil {
		return nil, err
	}
	done, signals, watched := make(chan bool), make(chan os.Signal, 1), make(chan *end)
	go func() { watched <- t.watch(done, signals) }()
	outcome, err := t.Start(&record.Process{
		Path: t.Path, Argv: words, Dir: t.Root, Env: append(slices.Clip(t.Env), "CLOSEOUT_ITEM="+t.item, "PWD="+t.Root), Stdin: t.prompt,
		Stdout: t.out, Stderr: t.errs, Timeout: t.Timeout, Grace: t.Grace, Signals: signals, After: t.After,
	})
	close(done)
	stop := <-watched
	if err != nil {
		nothing := int64(0)
		err = &end{CodeNotStarted, "the command cannot be started: " + err.Error(), t.number}
		return nil, errors.Join(err, t.Work.Append(item.Event{Event: item.EventEnded, Item: t.item, Try: t.number, Cost: &nothing}))
	}
	cost, unread := t.cost(outcome)
	t.tell(outcome, cost, unread)
	if err := t.Work.Append(item.Event{
		Event: item.EventEnded, Item: t.item, Try: t.number, Exit: outcome.Exit, MS: outcome.Took.Milliseconds(), Cost: cost,
		LeftBehind: outcome.LeftRunning, Reason: outcome.Problem,
	}); err != nil {
		return nil, err
	}
	switch {
	case stop != nil:
		stop.try = t.number
		return nil, stop
	case outcome.Left != nil:
		return nil, &end{code: CodeLeft, reason: outcome.Left.Error()}
	case t.Budget != nil && cost == nil:
		return &end{code: CodeCost, reason: fmt.Sprintf("the cost of %s, try %d, cannot be read: %v; it counts as all that was left of the budget", t.item, t.number, unread)}, nil
	}
	return nil, nil
}

// poll is how often to look whether the loop must end, while a command runs.
const poll = 100 * time.Millisecond

// beatEach is after how many polls the loop notes that it is at work: a minute.
const beatEach = 600

// watch asks the command to end when the loop must. It returns why; nil when the command was done before.
func (t *try) watch(done <-chan bool, signals chan<- os.Signal) *end {
	for beats := 0; ; beats++ {
		if beats%beatEach == 0 {
			t.Work.Beat()
		}
		select {
		case <-done:
			return nil
		case <-t.After(poll):
			if stop := t.interrupted(); stop != nil {
				signals <- syscall.SIGTERM
				return stop
			}
		}
	}
}

// cost reads what the try has cost; nil when that is unknown, as of a command that was killed, or not asked for.
func (t *try) cost(o *record.Outcome) (*int64, error) {
	switch {
	case t.Costs == nil:
		return nil, nil
	case o.Exit == nil || o.Signal != 0:
		return nil, errors.New("the command was ended")
	case t.out.err != nil:
		return nil, t.out.err
	}
	output, err := t.out.read()
	if err != nil {
		return nil, err
	}
	total, err := sumCosts(t.Costs, output, t.out.cut)
	if err != nil {
		return nil, err
	}
	return &total, nil
}

// tell says how the command ended.
func (t *try) tell(o *record.Outcome, cost *int64, unread error) {
	text := fmt.Sprintf("%s: try %d ended after %s", t.item, t.number, o.Took.Round(time.Millisecond))
	if o.Exit != nil {
		text += fmt.Sprintf(" with exit code %d", *o.Exit)
	}
	if o.Problem != "" {
		text += ", " + o.Problem
	}
	switch {
	case cost != nil:
		text += ", cost " + Dollars(*cost)
	case unread != nil:
		text += ", cost unknown: " + unread.Error()
	}
	t.Tell(text)
}

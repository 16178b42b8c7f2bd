package loop

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/closeout-gate/closeout/verify/item"
	"github.com/closeout-gate/closeout/verify/record"
)

// The files of a try.
const (
	promptFile = "prompt.md"
	outFile    = "agent.out"
	errFile    = "agent.err"
)

// MostOutput is how many bytes of each output of the command are kept, at most: those at the end.
const MostOutput = 64 << 20

// mark is a variable in the environment of all processes of a try, by which a later loop finds them.
func mark(dir string) string { return "CLOSEOUT_TRY=" + dir }

// try runs the command once, and judges what it left. note is what the last try left undone.
func (l *Loop) try(s *item.State, it *item.Standing, note string) (string, *end, error) {
	h, err := l.Work.Next(it.ID)
	if err == nil && h == nil {
		err = fmt.Errorf("%s is not handed out", it.ID)
	}
	if err != nil {
		return "", nil, err
	}
	h.Of = l.attempts(it)
	h.Nudge = strings.TrimPrefix(h.Nudge+"; "+note, "; ")
	h.Nudge = strings.TrimSuffix(h.Nudge, "; ")
	dir, err := l.Work.TryDir(it.ID)
	if err != nil {
		return "", nil, err
	}
	t := &try{Loop: l, dir: dir, item: it.ID, number: h.Try, budget: s.Spent}
	if err := t.open(l.Work.Prompt(h)); err != nil {
		return "", nil, err
	}
	defer t.close()
	stop, err := t.run()
	if err != nil || stop != nil && stop.code != CodeCost {
		return "", stop, err
	}
	if stop != nil && !t.outcome.TimedOut {
		return "", stop, nil
	}
	note, ended, err := l.judge(it)
	return note, cmp.Or(ended, stop), err
}

// try is one run of the command.
type try struct {
	*Loop
	dir, item string
	number    int
	budget    int64 // what may be spent already
	prompt    *os.File
	out, errs *tailFile
	outcome   *record.Outcome
}

// open writes the prompt and opens the files for the output.
func (t *try) open(prompt string) (err error) {
	name := filepath.Join(t.dir, promptFile)
	if err := os.WriteFile(name, []byte(prompt), 0o600); err != nil {
		return err
	}
	if t.prompt, err = os.Open(name); err != nil {
		return err
	}
	if t.out, err = createTail(filepath.Join(t.dir, outFile), MostOutput); err != nil {
		return errors.Join(err, t.prompt.Close())
	}
	if t.errs, err = createTail(filepath.Join(t.dir, errFile), MostOutput); err != nil {
		return errors.Join(err, t.prompt.Close(), t.out.file.Close())
	}
	return nil
}

func (t *try) close() {
	t.prompt.Close() // it is only read
	t.out.file.Close()
	t.errs.file.Close()
}

// run runs the command to its end, between two events. An end of the loop that interrupted it has the number of the try.
func (t *try) run() (*end, error) {
	if err := t.Work.Append(item.Event{Event: item.EventAttempt, Item: t.item, Try: t.number, Budget: t.Budget}); err != nil {
		return nil, err
	}
	done, signals := make(chan bool), make(chan os.Signal, 1)
	watched := make(chan *end)
	go func() { watched <- t.watch(done, signals) }()
	outcome, err := t.Start(&record.Process{
		Path: t.Path, Argv: t.words(), Dir: t.Root, Env: append(slices.Clip(t.Env), "CLOSEOUT_ITEM="+t.item, mark(t.dir), "PWD="+t.Root), Stdin: t.prompt,
		Stdout: t.out, Stderr: t.errs, Timeout: t.Timeout, Grace: t.Grace, Signals: signals, After: t.After, Tied: true,
	})
	close(done)
	stop := <-watched
	if err != nil {
		nothing := int64(0)
		err = fmt.Errorf("the command cannot be started: %w", err)
		return &end{CodeNotStarted, err.Error(), t.number}, errors.Join(err, t.Work.Append(item.Event{Event: item.EventEnded, Item: t.item, Try: t.number, Cost: &nothing}))
	}
	t.outcome = outcome
	cost, unread := t.cost()
	t.tell(cost, unread)
	if err := t.Work.Append(item.Event{
		Event: item.EventEnded, Item: t.item, Try: t.number, Exit: outcome.Exit, MS: outcome.Took.Milliseconds(), Cost: cost,
		LeftBehind: outcome.LeftRunning, Reason: outcome.Problem,
	}); err != nil {
		return nil, err
	}
	switch {
	case stop != nil:
		stop.try = t.number
		return stop, nil
	case outcome.Left != nil:
		return &end{code: CodeLeft, reason: outcome.Left.Error()}, nil
	case t.Budget != nil && cost == nil:
		return &end{code: CodeCost, reason: fmt.Sprintf("the cost of %s, try %d, cannot be read: %v; it counts as all that was left of the budget", t.item, t.number, unread)}, nil
	}
	return nil, nil
}

// stopPoll is how often the file that stops the loop is looked for while a command runs.
const stopPoll = time.Second

// watch asks the command to end when the loop must. It returns why; nil when the command was done before.
func (t *try) watch(done <-chan bool, signals chan<- os.Signal) *end {
	over, poll := t.After(t.until.Sub(t.Now())), t.After(stopPoll)
	for {
		var stop *end
		select {
		case <-done:
			return nil
		case sig := <-t.Signals:
			stop = &end{code: CodeSignal, reason: fmt.Sprint(sig)}
		case <-over:
			stop = t.because(CodeDeadline)
		case <-poll:
			if poll = t.After(stopPoll); !t.stopFile() {
				continue
			}
			stop = t.because(CodeStopFile)
		}
		signals <- syscall.SIGTERM
		return stop
	}
}

// cost reads what the try has cost; nil when that is unknown, as of a command that was killed, or not asked for.
func (t *try) cost() (*int64, error) {
	switch {
	case t.Costs == nil:
		return nil, nil
	case t.outcome.Exit == nil || t.outcome.Signal != 0:
		return nil, errors.New("the command was ended")
	case t.out.err != nil:
		return nil, t.out.err
	}
	output, err := t.out.read()
	if err != nil {
		return nil, err
	}
	total, err := read(t.Costs, output, t.out.cut)
	if err != nil {
		return nil, err
	}
	return &total, nil
}

// tell says how the command ended.
func (t *try) tell(cost *int64, unread error) {
	text := fmt.Sprintf("%s: try %d ended after %s", t.item, t.number, t.outcome.Took.Round(time.Millisecond))
	if t.outcome.Exit != nil {
		text += fmt.Sprintf(" with exit code %d", *t.outcome.Exit)
	}
	if t.outcome.Problem != "" {
		text += ", " + t.outcome.Problem
	}
	switch {
	case cost != nil:
		text += ", cost " + Dollars(*cost)
	case unread != nil:
		text += ", cost unknown: " + unread.Error()
	}
	t.Tell(text)
}

// words are those of the command, with the placeholders replaced.
func (t *try) words() []string {
	left := ""
	if t.Budget != nil {
		left = strings.TrimPrefix(Dollars(max(*t.Budget-t.budget, 0)), "$")
	}
	values := strings.NewReplacer("{prompt_file}", t.prompt.Name(), "{item}", t.item, "{try}", strconv.Itoa(t.number), "{budget_left}", left)
	words := slices.Clone(t.Argv)
	for i := range words {
		words[i] = values.Replace(words[i])
	}
	return words
}

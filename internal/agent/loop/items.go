package loop

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/closeout-gate/closeout/internal/agent/board"
	"github.com/closeout-gate/closeout/internal/agent/item"
	"github.com/closeout-gate/closeout/internal/agent/session"
	"github.com/closeout-gate/closeout/internal/record"
	"github.com/closeout-gate/closeout/internal/record/system"
	"github.com/closeout-gate/closeout/verify/input"
)

// submitWait is how long a loop waits for the submission of another work tree, before it looks whether it must end.
const submitWait = time.Second

// placeholder is what looks like one in a word of the command.
var placeholder = input.Lazily(`\{[a-z_]+\}`)

// Check refuses a loop that cannot be carried out.
func (l *Loop) Check() error {
	switch {
	case runtime.GOOS == "windows":
		return errors.New("loop is not available on Windows, where commands cannot be recorded: use WSL")
	case l.Budget != nil && l.Costs == nil:
		return errors.New("--budget-usd requires --cost: a loop that does not know what is spent cannot stop")
	case l.Attempts < 0:
		return fmt.Errorf("--attempts cannot be %d: expected 1 or more", l.Attempts)
	case l.Timeout <= 0 || l.Deadline <= 0:
		return fmt.Errorf("--timeout %s and --deadline %s must both be more than 0", l.Timeout, l.Deadline)
	}
	for i, word := range l.Argv {
		for _, name := range placeholder().FindAllString(word, -1) {
			switch {
			case i == 0 || !slices.Contains([]string{"{item}", "{try}", "{prompt_file}", "{budget_left}"}, name):
				return fmt.Errorf("%s in the word %s is not replaced: "+
					"expected {item}, {try}, {prompt_file} or {budget_left}, after the program", name, input.Quote(word))
			case name == "{budget_left}" && l.Budget == nil:
				return errors.New("{budget_left} requires --budget-usd and --cost")
			}
		}
	}
	return nil
}

// Stuck asks, before the event about a verdict is appended, whether it makes an item that failed STUCK: a code does.
type Stuck func(*item.Standing, item.Event) (code, reason string)

// Items lets a loop work at the items of a board.
type Items struct {
	Board *board.Board
	// Judge records, judges and locks the claimed item. The item is nil when nothing was judged: the facts say why.
	Judge  func(id string, stuck Stuck) (*item.Standing, []item.Fact, error)
	Out    io.Writer
	person []string // what differed from HEAD before the loop began, and no agent left: it is not committed
}

// Run works at the items of the board. Signals that notify asks for stop it. The code says why it ended.
func (w *Items) Run(l *Loop, notify func(chan<- os.Signal)) (code string, err error) {
	if l.Task != "" {
		if _, err := w.Board.Find(l.Task); err != nil {
			return "", err
		}
	}
	unlock, err := w.alone()
	if err != nil {
		return "", err
	}
	defer unlock() // the lock ends with the process at the latest
	if err := w.prepare(l); err != nil {
		return "", err
	}
	signals := make(chan os.Signal, 8)
	notify(signals)
	defer signal.Stop(signals)
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // as record does
	l.Signals = signals
	code, err = l.Run()
	_ = w.remember(false) // then the next loop knows less
	return code, err
}

// alone makes this the only loop in the work tree, and ends what an earlier one left running that was killed: the variable is in
// the environment of all that a loop starts.
func (w *Items) alone() (unlock func() error, err error) {
	name := "loop-" + w.Board.Worktree + ".lock"
	unlock, err = w.Board.Store.Lock(name, 0)
	if errors.Is(err, session.ErrLocked) {
		return nil, fmt.Errorf("another loop works in this work tree: wait for its end, or end it: %w", err)
	}
	if err == nil {
		lock := w.Board.Store.Path(name)
		err = errors.Join(os.Setenv("CLOSEOUT_LOOP", lock), system.EndMarked("CLOSEOUT_LOOP="+lock))
	}
	return unlock, err
}

// prepare finds the program, and fills in what the loop needs.
func (w *Items) prepare(l *Loop) (err error) {
	if l.Root, err = record.Find(w.Board.Root); err != nil {
		return err
	}
	if l.Path, err = findProgram(l.Argv[0], l.Root); err != nil {
		return err
	}
	l.Work = w
	err = w.remember(true)
	switch {
	case !l.Commit: // nothing is taken for the agent's
	case err != nil:
		return fmt.Errorf("what differs from HEAD before CMD runs cannot be remembered, "+
			"and --commit would commit it: %w", err)
	case len(w.person) > 0 && !w.Board.Plan.Checkout:
		return fmt.Errorf("the work tree differs from HEAD before CMD runs, and --commit leaves that alone: %s: "+
			"commit or ignore it, or let commands run in a fresh work tree (closeout item scan --checkout)",
			item.Several(w.person))
	}
	l.Env = append(system.ChildEnv(os.Environ()), "CLOSEOUT_STATE="+w.Board.Store.Dir)
	l.Grace, l.StopFile = record.DefaultGrace, w.Board.Store.Path("stop")
	l.Tell = func(text string) { fmt.Fprintln(w.Out, text) }
	l.Now, l.After, l.Start = time.Now, time.After, (*record.Process).Run
	return nil
}

// findProgram finds the program of a command, and refuses one that the agent could edit.
func findProgram(name, root string) (path string, err error) {
	if strings.Contains(name, "/") {
		path, err = filepath.Abs(name)
	} else if path, err = system.LookPath(name, root, root, os.Environ()); err == nil && path == "" {
		err = fmt.Errorf("there is no program %s in PATH", input.Quote(name))
	}
	if err != nil {
		return "", err
	}
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	for _, program := range []string{path, self} {
		if planted, err := system.InTree(root, program); err != nil {
			return "", fmt.Errorf("the program %s: %w", input.Quote(program), input.Reason(err))
		} else if planted {
			return "", fmt.Errorf("the program %s is in the work tree, where the agent can edit it: use one from outside",
				input.Quote(program))
		}
	}
	return path, nil
}

// remember finds what belongs to the person when the loop begins, and what the tries left when it ends. A try that was killed
// left the rest.
func (w *Items) remember(begins bool) error {
	paths, _, err := w.Board.Differing()
	if err != nil {
		return err
	}
	head, err := w.Board.Git.Resolve("HEAD")
	if err != nil {
		return err
	}
	known, err := w.Board.Store.Before(w.Board.Worktree)
	if err != nil {
		return err
	}
	now := &session.Before{Start: head, Head: head}
	killed := slices.ContainsFunc(w.Board.State.Items, func(it *item.Standing) bool {
		return it.Open && it.Worktree == w.Board.Worktree
	})
	switch {
	case known == nil && !killed:
		now.Person = paths
	case known != nil:
		*now = *known
		if now.Agents = session.Without(paths, known.Person); begins && !killed {
			now.Agents = session.Without(now.Agents, session.Without(now.Agents, known.Agents))
			now.Person = session.Without(paths, known.Agents)
		}
	}
	w.person = now.Person
	return w.Board.Store.SetBefore(w.Board.Worktree, now, false)
}

func (w *Items) Beat() { w.Board.Store.Beat(w.Board.Worktree) }

func (w *Items) Waiting() []string { return w.Board.Waiting() }

func (w *Items) State() (*item.State, error) {
	err := w.Board.Read()
	return w.Board.State, err
}

func (w *Items) Next(id string) (*item.Handout, error) {
	if err := w.Board.Read(); err != nil {
		return nil, err
	}
	if it := w.Board.State.Find(id); it != nil && it.State.Locked() {
		return nil, nil
	}
	return w.Board.Next(id)
}

func (w *Items) Prompt(h *item.Handout) string { return h.Text() }

func (w *Items) Append(e item.Event) error { return w.Board.Append(e) }

func (w *Items) TryDir(id string) (string, error) {
	dir := w.Board.Store.Path(w.Board.TryOf(w.Board.State.Find(id)))
	return dir, os.MkdirAll(dir, 0o700)
}

func (w *Items) Commit(message string) error {
	paths, git, err := w.Board.Differing()
	if err != nil {
		return err
	}
	leave := session.Without(paths, session.Without(paths, w.person)) // git refuses to exclude what it ignores
	return git.Commit(w.Board.Plan.Evidence, message, "closeout item loop", leave)
}

func (w *Items) Submit(id string, since int64, attempts int) (it *item.Standing, facts []item.Fact, err error) {
	err = w.Board.Locked(submitWait, func() error {
		if it, facts, err = w.own(id, since); it != nil || err != nil {
			return err
		}
		it, facts, err = w.Judge(id, func(it *item.Standing, e item.Event) (string, string) { return it.Stuck(e, attempts) })
		return err
	})
	if it != nil && it.State == item.Pass {
		fmt.Fprint(w.Out, w.Board.Plan.Worth(it.Last))
	}
	return it, facts, err
}

// own is the item when the command itself submitted it, and that verdict is about HEAD or locked it; nil otherwise.
func (w *Items) own(id string, since int64) (*item.Standing, []item.Fact, error) {
	it := w.Board.State.Find(id)
	if it == nil || it.Last == nil || it.Last.N < since {
		return nil, nil, nil
	}
	head, err := w.Board.Git.Resolve("HEAD")
	if anotherHead := it.Last.Head != head; err != nil || (anotherHead && !it.State.Locked()) {
		return nil, nil, err
	}
	facts, err := w.Board.LastFacts(it)
	return it, facts, err
}

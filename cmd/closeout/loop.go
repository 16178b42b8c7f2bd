package main

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/closeout-gate/closeout/internal/agent/item"
	"github.com/closeout-gate/closeout/internal/agent/loop"
	"github.com/closeout-gate/closeout/internal/agent/session"
	"github.com/closeout-gate/closeout/internal/record"
	"github.com/closeout-gate/closeout/verify/input"
)

const loopLong = `loop works at one item after the other: it runs CMD anew for each try, with what to do and the facts of the last
verdict on its standard input, and then submits what CMD committed. An item is done when its verdict is PASS, REVIEW when a
person must decide, and STUCK when its tries are used up or make no progress. What CMD prints or returns decides nothing.

In the words of CMD, {item}, {try}, {prompt_file} and {budget_left} are replaced; CLOSEOUT_ITEM is set. The output of CMD goes
to the state folder, up to 64 MiB of each stream. When CMD ends, everything that it left running is ended.

loop ends early when the budget is spent, when the cost of a try cannot be read although there is a budget, at the deadline,
when there is a file "stop" in the state folder, and by SIGINT, SIGTERM, SIGHUP or SIGQUIT. Called again, it goes on; a try that it interrupted
does not count, and one that it could not end itself is judged first. It never resets, stashes, pushes or merges.

What passes here is proven on this machine. The gate in CI judges the change again, and it decides.

Exit codes: 0 all items PASS, 1 an item is open or STUCK, 2 wrong call or environment, 3 only REVIEW is left, 4 ended early.`

// exitEarly means that calling loop again goes on.
const exitEarly = 4

// submitWait is how long a loop waits for the submission of another work tree, before it looks whether it must end.
const submitWait = time.Second

type loopFlags struct {
	loop          loop.Loop
	state, budget string
	costs, prices []string
}

func newLoop(std stdio) *cobra.Command {
	f := &loopFlags{}
	c := &cobra.Command{
		Use: "loop [flags] -- CMD ARG...", Short: "Run an agent again and again until every item has a verdict", Long: loopLong,
		Example: "  closeout item loop --state /tmp/try-it --attempts 1 -- true\n" +
			"  closeout item loop --budget-usd 20 --cost json:/total_cost_usd -- claude -p --output-format json --max-budget-usd '{budget_left}'",
		RunE: func(c *cobra.Command, args []string) error {
			if c.ArgsLenAtDash() != 0 || len(args) == 0 {
				return errors.New("there is no command, or something before it that is no flag: write it after --, as in closeout item loop -- claude -p")
			}
			f.loop.Argv = args
			return f.run(std)
		},
	}
	flags := c.Flags()
	flags.SetInterspersed(false)
	flags.StringVar(&f.loop.Task, "task", "", "work at the item with this `id` only")
	flags.IntVar(&f.loop.Attempts, "attempts", 0, "how many tries of an item may fail, if its contracts do not allow fewer (default theirs)")
	flags.DurationVar(&f.loop.Timeout, "timeout", 30*time.Minute, "end a try after this time; what it left is judged all the same")
	flags.DurationVar(&f.loop.Deadline, "deadline", 8*time.Hour, "end the try and the loop after this time; a verdict that is being made is finished")
	flags.StringVar(&f.budget, "budget-usd", "", "start no try when all tries together have cost this `amount`; needs --cost")
	flags.StringArrayVar(&f.costs, "cost", nil, "the `place` of a try's cost: json:POINTER into the last JSON value that CMD prints, or jsonl:POINTER, the sum over all lines; repeatable")
	flags.StringArrayVar(&f.prices, "price-per-mtok", nil, "the `dollars` of a million tokens, if --cost counts tokens; one for each --cost")
	flags.BoolVar(&f.loop.Commit, "commit", false, "commit what CMD leaves uncommitted, but for what differed before, as author \"closeout item loop\"")
	flags.BoolVar(&f.loop.StopOnStuck, "stop-on-stuck", false, "end the loop at the first item that is STUCK")
	addState(flags, &f.state)
	refuseTwice(flags)
	return c
}

// placeholder is what looks like one in a word of the command.
var placeholder = regexp.MustCompile(`\{[a-z_]+\}`)

// check refuses a call that cannot be carried out.
func (f *loopFlags) check() (err error) {
	l := &f.loop
	if l.Costs, err = loop.ParseCosts(f.costs, f.prices); err != nil {
		return err
	}
	if f.budget != "" {
		amount, err := loop.ParseDollars(f.budget)
		if err != nil {
			return fmt.Errorf("--budget-usd %q is no amount: %w", f.budget, err)
		}
		l.Budget = &amount
	}
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
		for _, name := range placeholder.FindAllString(word, -1) {
			switch {
			case i == 0 || !slices.Contains([]string{"{item}", "{try}", "{prompt_file}", "{budget_left}"}, name):
				return fmt.Errorf("%s in the word %s is not replaced: expected {item}, {try}, {prompt_file} or {budget_left}, after the program", name, input.Quote(word))
			case name == "{budget_left}" && l.Budget == nil:
				return errors.New("{budget_left} requires --budget-usd and --cost")
			}
		}
	}
	return nil
}

func (f *loopFlags) run(std stdio) error {
	if err := f.check(); err != nil {
		return err
	}
	record.Hide()
	b, err := openBoard(f.state, std)
	if err != nil {
		return err
	}
	defer b.git.Close()
	if f.loop.Task != "" {
		if _, err := b.find(f.loop.Task); err != nil {
			return err
		}
	}
	unlock, err := f.alone(b)
	if err != nil {
		return err
	}
	defer unlock() // the lock ends with the process at the latest
	if err := f.prepare(b, std); err != nil {
		return err
	}
	signals := make(chan os.Signal, 8)
	notify(signals)
	defer signal.Stop(signals)
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // as record does
	f.loop.Signals = signals
	code, err := f.loop.Run()
	_ = f.loop.Work.(*boardWork).remember(false) // then the next loop knows less
	if err != nil {
		return err
	}
	status, err := f.exit(b, code)
	if err != nil {
		return err
	}
	return endWith(status)
}

// alone makes this the only loop in the work tree, and ends what an earlier one left running that was killed: the variable is in
// the environment of all that a loop starts.
func (f *loopFlags) alone(b *board) (unlock func() error, err error) {
	name := "loop-" + b.worktree + ".lock"
	unlock, err = b.store.Lock(name, 0)
	if errors.Is(err, session.ErrLocked) {
		return nil, fmt.Errorf("another loop works in this work tree: wait for its end, or end it: %w", err)
	}
	if err == nil {
		err = errors.Join(os.Setenv("CLOSEOUT_LOOP", b.store.Path(name)), record.EndMarked("CLOSEOUT_LOOP="+b.store.Path(name)))
	}
	return unlock, err
}

// prepare finds the program, and fills in what the loop needs.
func (f *loopFlags) prepare(b *board, std stdio) (err error) {
	l := &f.loop
	if l.Root, err = record.Find(b.root); err != nil {
		return err
	}
	if l.Path, err = findProgram(l.Argv[0], l.Root); err != nil {
		return err
	}
	w := &boardWork{board: b, std: std}
	l.Work = w
	err = w.remember(true)
	switch {
	case !l.Commit: // nothing is taken for the agent's
	case err != nil:
		return fmt.Errorf("what differs from HEAD before CMD runs cannot be remembered, and --commit would commit it: %w", err)
	case len(w.person) > 0 && !b.plan.Checkout:
		return fmt.Errorf("the work tree differs from HEAD before CMD runs, and --commit leaves that alone: %s: commit or ignore it, "+
			"or let commands run in a fresh work tree (closeout item scan --checkout)", several(w.person))
	}
	l.Env = append(record.ChildEnv(os.Environ()), "CLOSEOUT_STATE="+b.store.Dir)
	l.Grace, l.StopFile = record.DefaultGrace, b.store.Path("stop")
	l.Tell = func(text string) { fmt.Fprintln(std.out, text) }
	l.Now, l.After, l.Start = time.Now, time.After, (*record.Process).Run
	return nil
}

// findProgram finds the program of a command, and refuses one that the agent could edit.
func findProgram(name, root string) (path string, err error) {
	if strings.Contains(name, "/") {
		path, err = filepath.Abs(name)
	} else if path, err = record.LookPath(name, root, root, os.Environ()); err == nil && path == "" {
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
		if planted, err := record.InTree(root, program); err != nil {
			return "", fmt.Errorf("the program %s: %w", input.Quote(program), input.Reason(err))
		} else if planted {
			return "", fmt.Errorf("the program %s is in the work tree, where the agent can edit it: use one from outside", input.Quote(program))
		}
	}
	return path, nil
}

// exit is that of status, of one item when only that was worked at.
func (f *loopFlags) exit(b *board, code string) (int, error) {
	switch code {
	case loop.CodeFailed, loop.CodeNotStarted:
		return exitUsage, nil
	case loop.CodeDone, loop.CodeStuck:
	default:
		return exitEarly, nil
	}
	var status int
	if it := b.state.Find(f.loop.Task); it != nil {
		status = exitOf(it.State == item.Pass, it.State == item.Review)
	} else {
		s, err := (&statusFlags{}).status(b)
		if err != nil {
			return exitUsage, err
		}
		status = exitOf(s.Done())
	}
	if status == exitFailed {
		f.loop.Tell("closeout item status says what is open")
	}
	return status, nil
}

// boardWork lets a loop work at the items.
type boardWork struct {
	*board
	std    stdio
	person []string // what differed from HEAD before the loop began, and no agent left: it is not committed
}

// differing are the paths at which the work tree differs from HEAD.
func (w *boardWork) differing() ([]string, *record.Git, error) {
	root, err := record.Find(w.root)
	if err != nil {
		return nil, nil, err
	}
	git, err := record.OpenGit(root, os.Environ())
	if err != nil {
		return nil, nil, err
	}
	paths, err := git.Differing(w.plan.Evidence)
	return paths, git, err
}

// remember finds what belongs to the person when the loop begins, and what the tries left when it ends. A try that was killed
// left the rest.
func (w *boardWork) remember(begins bool) error {
	paths, _, err := w.differing()
	if err != nil {
		return err
	}
	head, err := w.git.Resolve("HEAD")
	if err != nil {
		return err
	}
	known, err := w.store.Before(w.worktree)
	if err != nil {
		return err
	}
	now := &session.Before{Start: head, Head: head}
	killed := slices.ContainsFunc(w.state.Items, func(it *item.Standing) bool { return it.Open && it.Worktree == w.worktree })
	switch {
	case known == nil && !killed:
		now.Person = paths
	case known != nil:
		*now = *known
		if now.Agents = without(paths, known.Person); begins && !killed {
			now.Agents = without(now.Agents, without(now.Agents, known.Agents))
			now.Person = without(paths, known.Agents)
		}
	}
	w.person = now.Person
	return w.store.SetBefore(w.worktree, now, false)
}

func (w *boardWork) State() (*item.State, error) {
	err := w.read()
	return w.state, err
}

func (w *boardWork) Next(id string) (*item.Handout, error) {
	if err := w.read(); err != nil {
		return nil, err
	}
	if it := w.state.Find(id); it != nil && it.State.Locked() {
		return nil, nil
	}
	return w.next(id)
}

func (w *boardWork) Prompt(h *item.Handout) string { return h.Text() }

func (w *boardWork) Append(e item.Event) error { return w.append(e) }

func (w *boardWork) TryDir(id string) (string, error) {
	dir := w.store.Path(w.tryOf(w.state.Find(id)))
	return dir, os.MkdirAll(dir, 0o700)
}

// tryOf is the directory of the next verdict about an item, relative to the state folder.
func (b *board) tryOf(it *item.Standing) string { return session.Try(it.ID, it.Verdicts+1) }

func (w *boardWork) Commit(message string) error {
	paths, git, err := w.differing()
	if err != nil {
		return err
	}
	leave := without(paths, without(paths, w.person)) // git refuses to exclude what it ignores
	return git.Commit(w.plan.Evidence, message, "closeout item loop", leave)
}

func (w *boardWork) Submit(id string, since int64, attempts int) (it *item.Standing, facts []item.Fact, err error) {
	err = w.locked(submitWait, func() error {
		if it, facts, err = w.own(id, since); it != nil || err != nil {
			return err
		}
		done, err := w.submit(id, func(it *item.Standing, e item.Event) (string, string) { return it.Stuck(e, attempts) }, w.std)
		if err != nil {
			return err
		}
		if facts = done.facts; done.event != nil {
			it = done.item
		}
		return nil
	})
	if it != nil && it.State == item.Pass {
		fmt.Fprint(w.std.out, fenceLine(w.board, it.Last))
	}
	return it, facts, err
}

// own is the item when the command itself submitted it, and that verdict is about HEAD or locked it; nil otherwise.
func (w *boardWork) own(id string, since int64) (*item.Standing, []item.Fact, error) {
	it := w.state.Find(id)
	if it == nil || it.Last == nil || it.Last.N < since {
		return nil, nil, nil
	}
	head, err := w.git.Resolve("HEAD")
	if err != nil || it.Last.Head != head && !it.State.Locked() {
		return nil, nil, err
	}
	facts, err := w.lastFacts(it)
	return it, facts, err
}

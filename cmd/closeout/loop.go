package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/closeout-gate/closeout/internal/agent/board"
	"github.com/closeout-gate/closeout/internal/agent/item"
	"github.com/closeout-gate/closeout/internal/agent/loop"
	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/internal/record/system"
	"github.com/closeout-gate/closeout/internal/run"
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

type loopFlags struct {
	loop          loop.Loop
	state, budget string
	costs, prices []string
}

func newLoop(std console.Streams) *cobra.Command {
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
	return c
}

func (f *loopFlags) run(std console.Streams) (err error) {
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
	if err := l.Check(); err != nil {
		return err
	}
	system.Hide()
	b, err := board.Open(f.state, std.Err)
	if err != nil {
		return err
	}
	defer b.Git.Close()
	w := &loop.Items{Board: b, Out: std.Out}
	w.Judge = func(id string, stuck loop.Stuck) (*item.Standing, []item.Fact, error) {
		done, err := board.Submit(b, id, stuck, std)
		switch {
		case err != nil:
			return nil, nil, err
		case done.Event == nil:
			return nil, done.Facts, nil
		}
		return done.Item, done.Facts, nil
	}
	code, err := w.Run(l, run.Notify)
	if err != nil {
		return err
	}
	status, err := f.exitStatus(b, code)
	if err != nil {
		return err
	}
	return run.EndWith(status)
}

// exitStatus is the exit status of `item status`, for one item where the loop worked only at that one.
func (f *loopFlags) exitStatus(b *board.Board, code string) (int, error) {
	switch code {
	case loop.CodeFailed, loop.CodeNotStarted:
		return run.ExitUsage, nil
	case loop.CodeDone, loop.CodeStuck, loop.CodeWaiting:
	default:
		return exitEarly, nil
	}
	var status int
	if it := b.State.Find(f.loop.Task); it != nil {
		status = board.ExitOf(it.State == item.Pass, it.State == item.Review)
	} else {
		s, err := b.Status(false)
		if err != nil {
			return run.ExitUsage, err
		}
		status = board.ExitOf(s.Done())
	}
	if status == run.ExitFailed {
		f.loop.Tell("closeout item status says what is open")
	}
	return status, nil
}

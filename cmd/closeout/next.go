package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/closeout-gate/closeout/internal/agent/board"
	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/internal/run"
)

const nextLong = `next claims an item for this work tree and prints what to do: goal, scope, the commands that must pass, and what the last
verdict found. It is the prompt for an agent. The item that this work tree has already is printed again.

A claim is held while its work tree is there and something happens in it: a commit, a submission, a hook of an agent, or loop at
work. After 2 hours without, and where the work tree is gone, next takes it back. An item is not handed out while one that
another work tree has may touch the same path, where the items differ in allowed_files: next says which one it waits for.

Without a plan, next pins the task contracts of the base, as closeout item scan does.

Exit codes: 0 an item is printed, 1 no item is left to claim, 2 wrong call or environment.`

type nextFlags struct {
	state, format string
	list          bool
	hold, overlap bool
}

func newNext(std console.Streams) *cobra.Command {
	f := &nextFlags{}
	c := &cobra.Command{
		Use: "next [ITEM]", Short: "Take an item, and print what to do", Long: nextLong, Args: oneWord("ITEM"),
		Example: "  closeout item next > prompt.md\n  closeout item next T-142 --format json\n  closeout item next --list --format json",
		RunE:    func(_ *cobra.Command, args []string) error { return f.run(strings.Join(args, ""), std) },
	}
	flags := c.Flags()
	flags.StringVar(&f.format, "format", "text", "`format` of the output: text, json")
	flags.BoolVar(&f.list, "list", false, "claim nothing: print the ids of the items that are open; json is the list of a matrix")
	flags.BoolVar(&f.hold, "hold", false, "keep the claim until it is submitted or released, however long nothing happens")
	flags.BoolVar(&f.overlap, "overlap", false, "take also an item that may touch a path of one that another work tree has")
	addState(flags, &f.state)
	return c
}

func (f *nextFlags) run(id string, std console.Streams) error {
	if err := textOrJSON(f.format); err != nil {
		return err
	}
	if f.list && id != "" {
		return errors.New("--list takes no ITEM")
	}
	if f.list {
		return f.printOpen(std)
	}
	h, why, err := board.Hand(f.state, id, f.hold, f.overlap, std.Err)
	switch {
	case err != nil:
		return err
	case h == nil:
		std.Tell("item next", "no item is left to claim: %s", why)
		return run.Exit{Code: run.ExitFailed}
	case f.format == "json":
		return console.WriteJSON(std, h)
	}
	_, err = io.WriteString(std.Out, h.Text())
	return err
}

// printOpen prints the ids of the items that are open.
func (f *nextFlags) printOpen(std console.Streams) error {
	open, err := board.Todo(f.state, std.Err)
	switch {
	case err != nil:
		return err
	case f.format == "json":
		err = console.WriteJSON(std, open)
	case len(open) > 0:
		_, err = fmt.Fprintln(std.Out, strings.Join(open, "\n"))
	}
	if err == nil && len(open) == 0 {
		return run.Exit{Code: run.ExitFailed}
	}
	return err
}

func textOrJSON(format string) error {
	if format != "text" && format != "json" {
		return fmt.Errorf("--format is %q: expected text or json", format)
	}
	return nil
}

const releaseLong = `release gives the claim of an item back, so that another work tree can take it. From an active work tree,
it takes the claim only with --reason. With --reason, an item that is STUCK, REVIEW or ACCEPTED gets new tries; the reason goes
into the log. An item that is PASS stays PASS.

Exit codes: 0 done, 2 wrong call, or nothing to release.`

func newRelease(std console.Streams) *cobra.Command {
	return withReason(board.Release, std, "`why` another work tree loses the item, or it gets new tries, for the log", &cobra.Command{
		Use: "release ITEM", Short: "Give an item back, or give a STUCK or REVIEW one new tries", Long: releaseLong,
		Example: "  closeout item release T-142\n  closeout item release T-142 --reason 'the test server is back'",
	})
}

// withReason completes a command that does something to an item for a reason.
func withReason(do func(stateDir, id, reason string, tell io.Writer) error, std console.Streams, why string, c *cobra.Command) *cobra.Command {
	state, reason := "", ""
	c.Args = func(c *cobra.Command, args []string) error {
		if len(args) != 1 {
			return fmt.Errorf("%s requires one ITEM, found %d: closeout item status --format csv lists all", c.Name(), len(args))
		}
		return nil
	}
	c.RunE = func(_ *cobra.Command, args []string) error {
		return do(state, args[0], strings.TrimSpace(reason), std.Err)
	}
	c.Flags().StringVar(&reason, "reason", "", why)
	addState(c.Flags(), &state)
	return c
}

const acceptLong = `accept notes that a person has looked at an item that is REVIEW or STUCK, and leaves it as it is: its state becomes ACCEPTED, which ends
it for next and loop. Name and reason go into the log.

It is no PASS, and status exits with 3 where one is ACCEPTED: the agent could run this command too. The gate in CI
does not know it: there, a person overrides.

Exit codes: 0 done, 2 wrong call, or another state.`

func newAccept(std console.Streams) *cobra.Command {
	return withReason(board.Accept, std, "`why` it may stay as it is, for the log", &cobra.Command{
		Use: "accept ITEM --reason TEXT", Short: "Leave a STUCK or REVIEW item as it is, for a reason", Long: acceptLong,
		Example: "  closeout item accept T-142 --reason 'the generator is replaced next week'",
	})
}

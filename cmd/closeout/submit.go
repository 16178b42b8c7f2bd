package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/closeout-gate/closeout/internal/agent/board"
	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/internal/record/system"
	"github.com/closeout-gate/closeout/internal/run"
)

const submitLong = `submit runs and records everything that an item requires, judges the item's changes, and keeps the verdict.

The item is the one that this work tree claims, or ITEM, which is claimed if it is free. The contracts are those of the
pinned base and of the item, and the changes are those from the commit where the item was claimed to HEAD. The log and the bundle
go to the state folder; logs in the work tree do not count. Only a verdict "passed" that a replay of the bundle gives again
makes the item PASS, and only if the items that passed before still hold. There is no flag that changes a verdict.

Commands run with the PATH of closeout item scan, so that no program that is put before another one later counts.

With --all, every item that passed is proven again for HEAD, wherever it passed: all their commands run in a fresh work tree, equal
ones once. Each PASS is renewed for HEAD, or the item is open again with the finding that broke it. So it is the one command
after the branches of several work trees were merged.

Uncommitted files do not count as a try: they are listed, and nothing runs. Where .closeout/evidence/blocked.md begins with the id of the
item, nothing runs either, and the item is REVIEW with the text of that file.

What passes here is proven on this machine. The gate in CI judges the change again, and it decides.

Exit codes: 0 PASS, with --all each of them is renewed, 1 FAIL, STUCK or open again, 2 wrong call or environment, 3 REVIEW, 128+n after signal n.`

type submitFlags struct {
	all           bool
	wait          time.Duration
	state, format string
}

func newSubmit(std console.Streams) *cobra.Command {
	f := &submitFlags{}
	c := &cobra.Command{
		Use: "submit [ITEM]", Short: "Run what the item requires, judge it, and keep the verdict", Long: submitLong, Args: oneWord("ITEM"),
		Example: "  closeout item submit\n  closeout item submit T-142 --format json\n  closeout item submit --all",
		RunE:    func(_ *cobra.Command, args []string) error { return f.run(strings.Join(args, ""), std) },
	}
	flags := c.Flags()
	flags.BoolVar(&f.all, "all", false, "prove again, for HEAD and in a fresh work tree, every item that passed, wherever it passed")
	flags.DurationVar(&f.wait, "wait", 0, "wait up to this long for another submission to end")
	addState(flags, &f.state)
	flags.StringVar(&f.format, "format", "text", "`format` of the output: text, json")
	return c
}

func (f *submitFlags) run(id string, std console.Streams) error {
	if f.wait < 0 {
		return fmt.Errorf("a wait cannot be %s: expected 0 or more", f.wait)
	}
	if err := textOrJSON(f.format); err != nil {
		return err
	}
	if f.all && id != "" {
		return errors.New("--all takes no ITEM: it proves every item again that passed")
	}
	system.Hide()
	b, err := board.Open(f.state, std.Err)
	if err != nil {
		return err
	}
	defer b.Git.Close()
	if f.all {
		return f.runAll(b, std)
	}
	var done *board.Submission
	err = b.Locked(f.wait, func() (err error) {
		done, err = board.Submit(b, id, nil, std)
		return err
	})
	if err != nil {
		return err
	}
	write := board.PrintSubmission
	if f.format == "json" {
		write = board.SubmissionJSON
	}
	if err := write(b, done, std); err != nil {
		return err
	}
	return run.EndWith(done.Status())
}

// runAll proves everything again that passed.
func (f *submitFlags) runAll(b *board.Board, std console.Streams) error {
	var done *board.Renewal
	err := b.Locked(f.wait, func() (err error) {
		done, err = board.SubmitAll(b, std)
		return err
	})
	switch {
	case err != nil:
		return err
	case f.format == "json":
		err = console.WriteJSON(std, done)
	default:
		err = board.PrintRenewal(b, done, std)
	}
	if err != nil {
		return err
	}
	return run.EndWith(done.Status())
}

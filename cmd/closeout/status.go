package main

import (
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/closeout-gate/closeout/internal/agent/board"
	"github.com/closeout-gate/closeout/internal/agent/item"
	"github.com/closeout-gate/closeout/internal/present"
	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/internal/run"
	"github.com/closeout-gate/closeout/verify/input"
)

const statusLong = `status counts the items by state. An item that is PASS stays PASS; it is holding while it is also proven for the code of HEAD, by
its own submission or by a later one that proved it again.

It says what is not as it was pinned (drift), which lines of the log nothing proves and which therefore do not count, which
commits belong to no item, and where the state folder is. Its last lines say what is missing: items that are open; claimed; orphaned,
because the claim has no activity any more; uncommitted files; and items that passed at commits which are not in HEAD.

Once no item is open, and with --replay, it also says what the gate blocks in everything that leads from the base to HEAD,
as far as that needs no evidence: a PASS is about the commits of its item, and not about those between two items.

With --replay, the bundle of each PASS is judged again, and must give the same report, byte for byte.

Exit codes: 0 all are PASS and holding, none is claimed, and the work tree is as HEAD; 1 something is missing, or there are drift,
ignored lines, other reports or what the gate blocks; 2 wrong call or environment; 3 only REVIEW and ACCEPTED are left. Where nothing was scanned: 0, with a word about it; 2 with --state. With --to: 0 when the file is written.`

type statusFlags struct {
	state, format, to string
	force, replay     bool
}

func newStatus(std console.Streams) *cobra.Command {
	f := &statusFlags{}
	c := &cobra.Command{
		Use: "status", Short: "Show how many items passed, and whether they still hold", Long: statusLong, Args: noWords(""),
		Example: "  closeout item status\n  closeout item status --format csv --to results.csv\n  closeout item status --replay",
		RunE:    func(*cobra.Command, []string) error { return f.run(std) },
	}
	flags := c.Flags()
	flags.StringVar(&f.format, "format", item.StatusFormats[0], "`format` of the output: "+strings.Join(item.StatusFormats, ", ")+"; csv has a row for each item")
	flags.StringVar(&f.to, "to", "", "write to this new `file`")
	flags.BoolVar(&f.force, "force", false, "with --to: also over a file that is there")
	flags.BoolVar(&f.replay, "replay", false, "judge the bundle of each PASS again")
	addState(flags, &f.state)
	return c
}

func (f *statusFlags) run(std console.Streams) error {
	if err := input.OneOf("--format is", f.format, item.StatusFormats); err != nil {
		return err
	}
	b, err := board.Pinned(f.state, std.Err)
	if none := (*board.NoItems)(nil); errors.As(err, &none) && f.state == "" && f.to == "" {
		std.Tell("item status", "%v", none) // there is nothing that could be open
		return nil
	}
	if err != nil {
		return err
	}
	defer b.Git.Close()
	b.TellPath("status")
	s, err := b.Status(f.replay)
	if err != nil {
		return err
	}
	if f.format == "json" {
		s.Vetoes = b.Store.Vetoes()
	}
	if f.to != "" {
		return b.WriteStatus(s, f.to, f.format, f.force)
	}
	kind := map[string]present.Stream{"json": present.JSON, "csv": present.Commands}[f.format] // the others are Plain
	err = console.Print(std.Out, kind, false, func(w io.Writer, _ bool) error { return item.WriteStatus(w, s, f.format) })
	if err != nil {
		return err
	}
	return run.EndWith(board.ExitOf(s.Done()))
}

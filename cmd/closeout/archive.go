package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/closeout-gate/closeout/internal/audit/archive"
	"github.com/closeout-gate/closeout/internal/audit/clone"
	"github.com/closeout-gate/closeout/internal/audit/find"
	"github.com/closeout-gate/closeout/internal/collect"
	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/internal/run"
	"github.com/closeout-gate/closeout/verify/input"
)

const archiveLong = `archive keeps decisions on an append-only branch of the same repository, closeout-archive. Each commit that reached
the audited branch has an entry there, with the bundle that its decision was made from.

closeout archive add writes what git fast-import turns into the next commit of that branch; closeout audit shows from a clone
that nothing was changed or removed.

See docs/later.md.`

func newArchive(std console.Streams) *cobra.Command {
	c := &cobra.Command{
		Use: "archive", Short: "Keep the gate's decisions on an append-only branch", Long: archiveLong,
		Example: "  closeout archive add --found found --state state.json > stream",
	}
	return group(c, newArchiveAdd(std), newArchiveFind(std), newArchiveWithdraw(std))
}

// refused ends a command whose call is right, and whose input is not.
func refused(std console.Streams, err error) error {
	std.Tell("", "%v", err)
	return run.Exit{Code: run.ExitFailed}
}

// unknowable ends a command for which the clone lacks something.
func unknowable(std console.Streams, err error) error {
	text := err.Error()
	if fix := collect.FixOf(err); fix != "" {
		text += "\n" + fix
	}
	std.Tell("", "%s", text)
	return run.Exit{Code: run.ExitReview}
}

const archiveAddLong = `add prints a stream for git fast-import: one commit on the branch closeout-archive, with the new entries. It prints nothing
when nothing is new. It runs no program, and reads no clock and no network: the same input gives the same commit.

--found takes entries that closeout archive find made. --state is the file state.json of the archive as it is now. Without
it the stream makes the first commit of the archive.

Exit codes: 0 the stream is printed, or nothing is new; 1 the input is refused: a file differs from its digest, the state
is malformed, the entries do not follow those of the archive; 2 wrong call or environment.`

type archiveAddFlags struct {
	found, state string
	keep         archive.Keep
}

func newArchiveAdd(std console.Streams) *cobra.Command {
	f := &archiveAddFlags{}
	c := &cobra.Command{
		Use: "add", Short: "Write the commit that adds entries to the archive", Long: archiveAddLong, Args: noWords(""),
		Example: "  closeout archive add --found found --state state.json > stream",
		RunE:    func(*cobra.Command, []string) error { return f.run(std) },
	}
	flags := c.Flags()
	flags.StringVar(&f.found, "found", "", "add the entries in this `directory`, which closeout archive find made")
	flags.StringVar(&f.state, "state", "", "the `file` state.json of the archive (default: there is no archive yet)")
	flags.Int64Var(&f.keep.MaxFile, "max-file", archive.DefaultMaxFile, "leave out larger files of a bundle, in `bytes`; the entry lists them")
	flags.StringVar(&f.keep.What, "keep", archive.KeepAll, "`what` of a bundle is kept: all, or report (no logs, no test reports; it cannot be replayed)")
	return c
}

func (f *archiveAddFlags) run(std console.Streams) error {
	keeps := []string{archive.KeepAll, archive.KeepReport}
	switch {
	case f.found == "":
		return errors.New("--found is missing: name the directory that closeout archive find made")
	case !slices.Contains(keeps, f.keep.What):
		return fmt.Errorf("--keep is %q%s expected all or report", f.keep.What, input.DidYouMean(f.keep.What, keeps, ""))
	case f.keep.MaxFile < 1:
		return fmt.Errorf("--max-file cannot be %d: expected at least 1", f.keep.MaxFile)
	}
	var state *archive.State
	if f.state != "" {
		var err error
		if state, err = find.State(f.state); err != nil {
			return refuseArchiveErrors(std, err)
		}
	}
	entries, err := find.Open(f.found)
	if err != nil {
		return refuseArchiveErrors(std, err)
	}
	defer entries.Close()
	positions, staleRepairs, err := entries.Found.New(state)
	if err != nil {
		return refused(std, err)
	}
	if staleRepairs > 0 {
		std.Tell("", "%s left out: the archive has grown since they were made; run closeout archive find again", input.Plural(staleRepairs, "repair"))
	}
	if len(positions) == 0 {
		return nil
	}
	a := &archive.Addition{State: state, Found: entries.Found, New: positions, Keep: f.keep, Open: entries.Open}
	if err := a.Write(console.Bare(std.Out)); err != nil {
		return refused(std, err)
	}
	return nil
}

// refuseArchiveErrors ends the command with 1 where a file has errors; any other error ends it with 2.
func refuseArchiveErrors(std console.Streams, err error) error {
	if _, wrong := errors.AsType[*find.ArchiveErrors](err); wrong {
		return refused(std, err)
	}
	return err
}

const archiveWithdrawLong = `withdraw prints a stream for git fast-import: one commit that removes the bundle of an entry from the archive and adds an
entry that says so, with the reason. The entry itself stays.

The archive must be intact, which is looked at first. The removed files are still in the history of the branch; docs/later.md
says how to remove them there.

Exit codes: 0 the stream is printed; 1 the archive is not intact, or has no such bundle; 2 wrong call or environment; 3
objects are missing in the clone.`

type archiveWithdrawFlags struct{ ref, repo, reason string }

func newArchiveWithdraw(std console.Streams) *cobra.Command {
	f := &archiveWithdrawFlags{}
	c := &cobra.Command{
		Use: "withdraw SEQ", Short: "Write the commit that removes the bundle of an entry", Long: archiveWithdrawLong,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("withdraw requires one SEQ, found %d: the number of an entry, such as 123", len(args))
			}
			return nil
		},
		Example: "  closeout archive withdraw 123 --reason 'the log contains a password' | git fast-import --quiet --done",
		RunE:    func(_ *cobra.Command, args []string) error { return f.run(args[0], std) },
	}
	flags := c.Flags()
	flags.StringVar(&f.reason, "reason", "", "`why` the bundle is removed: one line, which everyone can read")
	flags.StringVar(&f.ref, "ref", "", "the branch or `commit` of the archive (default origin/closeout-archive, else closeout-archive)")
	addRepo(flags, &f.repo, "")
	return c
}

func (f *archiveWithdrawFlags) run(word string, std console.Streams) error {
	seq, err := strconv.ParseInt(word, 10, 64)
	if err != nil || seq < 0 {
		return fmt.Errorf("SEQ is %q: expected the number of an entry, such as 123", word)
	}
	if !archive.IsReason(f.reason) {
		return errors.New("--reason must be a text of one line with at most 1000 bytes: say why the bundle is removed")
	}
	git, err := clone.Open(cmp.Or(f.repo, "."))
	if err != nil {
		return err
	}
	defer git.Close()
	d, err := git.Withdrawal(f.ref, seq)
	switch {
	case err == nil:
		d.Reason = f.reason
		return d.Write(console.Bare(std.Out))
	case collect.Unknowable(err):
		return unknowable(std, err)
	case errors.Is(err, clone.ErrNoBundle):
		return refused(std, err)
	}
	return err
}

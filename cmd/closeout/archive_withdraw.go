package main

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/closeout-gate/closeout/internal/audit/archive"
	"github.com/closeout-gate/closeout/internal/audit/clone"
	"github.com/closeout-gate/closeout/internal/collect"
	"github.com/closeout-gate/closeout/internal/present/console"
)

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

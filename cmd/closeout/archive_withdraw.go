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
)

const archiveWithdrawLong = `withdraw prints a stream for git fast-import: one commit that removes the bundle of an entry from the archive and adds an
entry that says so, with the reason. The entry itself stays.

The archive must be intact, which is looked at first. The removed files are still in the history of the branch; docs/archive.md
says how to remove them there.

Exit codes: 0 the stream is printed; 1 the archive is not intact, or has no such bundle; 2 wrong call or environment; 3
objects are missing in the clone.`

type archiveWithdrawFlags struct{ ref, repo, reason string }

func newArchiveWithdraw(std stdio) *cobra.Command {
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
	flags.StringVar(&f.repo, "repo", "", "the git repository: its `directory`, one inside it, or a bare one (default the enclosing one)")
	refuseTwice(flags)
	return c
}

func (f *archiveWithdrawFlags) run(word string, std stdio) error {
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
	d, err := withdrawal(git, f.ref, seq)
	switch {
	case err == nil:
		d.Reason = f.reason
		return d.Write(bare(std.out))
	case collect.Unknowable(err):
		return unknowable(std, err)
	case errors.Is(err, errNoBundle):
		return refused(std, err)
	}
	return err
}

// errNoBundle says that there is nothing to withdraw.
var errNoBundle = errors.New("nothing can be withdrawn")

// withdrawal checks the archive and finds the entry.
func withdrawal(git *clone.Clone, ref string, seq int64) (*archive.Withdrawal, error) {
	a, err := git.Archive(ref)
	if err != nil {
		return nil, err
	}
	d := &archive.Withdrawal{Commit: a.Commit, Date: a.Date}
	check, err := a.Check(clone.ArchiveCheck{Visit: func(it *archive.Item) error {
		if it.Entry != nil && it.Entry.Seq == seq && len(it.Files) > 0 {
			d.Entry = it.Entry
		}
		return nil
	}})
	if err != nil {
		return nil, err
	}
	if len(check.Problems) > 0 {
		return nil, fmt.Errorf("%w: the archive is not intact; closeout audit shows why", errNoBundle)
	}
	if d.Entry == nil {
		return nil, fmt.Errorf("%w: the archive has %d entries, and none with the number %d that has a bundle", errNoBundle, check.Size, seq)
	}
	data, err := a.File(archive.StateFile)
	if err == nil {
		d.State, _ = archive.ReadState(data) // it was read before
	}
	return d, err
}

package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/closeout-gate/closeout/internal/audit/archive"
	"github.com/closeout-gate/closeout/internal/audit/find"
	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/verify/input"
)

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

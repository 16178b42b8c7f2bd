package main

import (
	"github.com/spf13/cobra"

	"github.com/closeout-gate/closeout/internal/collect"
	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/internal/run"
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

package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

const archiveLong = `archive keeps decisions: on a branch of the same repository, closeout-archive, which only grows. Each commit that reached
the audited branch has an entry there, with the bundle that its decision was made from.

closeout archive add writes what git fast-import turns into the next commit of that branch; closeout archive verify shows
from a clone that nothing was changed or removed.

See docs/archive.md.`

func newArchive(std stdio) *cobra.Command {
	c := &cobra.Command{
		Use: "archive", Short: "Keep the gate's decisions on an append-only branch", Long: archiveLong,
		Example: "  closeout archive verify\n  closeout archive add --found found --state state.json > stream",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(c, args[0])
			}
			return nil
		},
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newArchiveAdd(std), newArchiveFind(std), newArchiveVerify(std), newArchiveWithdraw(std))
	return c
}

// refused ends a command whose call is right, and whose input is not.
func refused(std stdio, err error) error {
	fmt.Fprintln(std.err, "closeout:", err)
	return exit{exitFailed}
}

package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/internal/start"
)

const backtestLong = `backtest judges the last merges of the default branch by what needs no evidence: scope, protected files and diff rules. It says
how many would pass, ask a person or be blocked, apart for people and for bots, and what to paste into the contract to let
them through. With --all it lists codes, files, authors and merges.

It reads the clone alone, with the contract of the work tree or, without one, the one that closeout init would write. It
writes nothing. A merge is a commit on the line of first parents: a merge commit, or one commit of a squash, a rebase or
a push. What is in directories that are gone today is left out, and so are authors whom applies_to leaves out.

Exit codes: 0 the result is printed, whatever it says; 2 wrong call or environment; 3 no merge could be judged.`

func newBacktest(std console.Streams) *cobra.Command {
	f := &start.Backtest{}
	c := &cobra.Command{
		Use: "backtest", Short: "Show which of your last merges the contract would have blocked", Long: backtestLong, Args: noWords("--branch"),
		Example: "  closeout backtest\n  closeout backtest --last 1000 --format markdown",
		RunE:    func(*cobra.Command, []string) error { return f.Run(std) },
	}
	flags := c.Flags()
	flags.IntVar(&f.Last, "last", 200, fmt.Sprintf("how many merges are judged, up to %d", start.MaxLast))
	flags.BoolVar(&f.All, "all", false, "text: list codes, files, authors and merges too")
	flags.StringVar(&f.Branch, "branch", "", "judge the merges of this `branch` or commit (default the default branch)")
	flags.StringVar(&f.ContractFile, "contract-file", "", "judge with the contract in this `file` (default .closeout/scope_contract.json or .yaml of the work tree, else what init would write)")
	addRepo(flags, &f.Repo, "")
	flags.StringVar(&f.Format, "format", "text", "what to print: text, json or markdown")
	return c
}

package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/internal/run"
	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/input"
)

const collectLong = `collect writes a bundle: a directory with every input of one decision. Nothing is judged.

The contracts come from the base's tip, the changes from the comparison of the merge base with the head. closeout
verify DIR judges the bundle later, on any machine, and closeout replay DIR shows that a report is its result.

Exit codes: 0 the bundle is written, also when a fact is unavailable, which its facts.json says; 2 wrong call or
environment.`

func newCollect(std console.Streams) *cobra.Command {
	f := &run.Verification{Settings: verify.Settings{Limits: input.DefaultLimits()}}
	c := &cobra.Command{
		Use: "collect", Short: "Write a bundle from two commits", Long: collectLong, Args: noWords("--base"),
		Example: "  closeout collect --base origin/main --bundle bundle",
		RunE:    func(c *cobra.Command, _ []string) error { return collectInputs(f, c, std) },
	}
	defineInputs(f, c)
	return c
}

func collectInputs(f *run.Verification, c *cobra.Command, std console.Streams) error {
	if f.Trees.Base == "" || f.Bundle == "" {
		return errors.New("collect requires --base and --bundle: see closeout collect --help")
	}
	if err := errors.Join(f.Settings.Check(), checkTrees(&f.Trees, c.Flags())); err != nil {
		return err
	}
	found, err := f.Find(nil, std)
	if err != nil {
		return err
	}
	for _, path := range found.Paths {
		fmt.Fprintln(std.Out, path)
	}
	return nil
}

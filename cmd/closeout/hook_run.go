package main

import "github.com/spf13/cobra"

func newHookRun(std stdio) *cobra.Command {
	c := &cobra.Command{
		Use: "run", Short: "Answer one call of an agent's hook", Args: noWords(""),
		RunE: func(*cobra.Command, []string) error { return nil },
	}
	return c
}

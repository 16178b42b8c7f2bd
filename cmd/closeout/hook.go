package main

import (
	"github.com/spf13/cobra"

	"github.com/closeout-gate/closeout/internal/present/console"
)

const hookLong = `hook stands beside the agent: its hooks ask closeout before a write, after a tool, at the start and at the end.

It is the first of three fences and only advice: an agent's hooks can be switched off, time out, or see only some tools.
What binds is the gate in CI.

hook install writes the calls into the settings of agents, hook doctor tries them, and hook remove takes them out again.
hook run is what the agent's settings call; it reads the payload from standard input and answers in the agent's own form.`

func newHook(std console.Streams) *cobra.Command {
	c := &cobra.Command{
		Use: "hook", Short: "Stop a coding agent's wrong writes while it works", Long: hookLong,
		Example: "  closeout hook install\n  closeout hook doctor",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(c, args[0])
			}
			return nil
		},
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newHookInstall(std), newHookRemove(std), newHookDoctor(std), newHookRun(std))
	return c
}

package main

import (
	"github.com/spf13/cobra"

	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/internal/run"
)

const hookDoctorLong = `hook doctor tries the installed hooks, as the agent would call them: a write to .git/config must be denied, and one to an
allowed file must pass without a word.

It also finds what makes a fence dead: a program that is missing, is another one, or lies in the work tree; settings that the
agent does not read, or that switch hooks off; a hook at the wrong event, without the tools that it must see, or without time.

Without --agent it looks at those that a hook is installed for.

Exit codes: 0 the fences stand; 1 one is dead, or none is there; 2 wrong call or environment.`

func newHookDoctor(std console.Streams) *cobra.Command {
	h := newHookSettings(std)
	c := &cobra.Command{
		Use: "doctor", Short: "Try the installed hooks", Long: hookDoctorLong, Args: noWords(""),
		RunE: func(*cobra.Command, []string) error {
			dead, err := h.Doctor()
			if err == nil && dead > 0 {
				return run.Exit{Code: run.ExitFailed}
			}
			return err
		},
	}
	c.Flags().StringArrayVar(&h.Agents, "agent", nil, agentsHelp)
	return c
}

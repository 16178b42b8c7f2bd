package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/closeout-gate/closeout/internal/agent/fence"
	"github.com/closeout-gate/closeout/internal/present"
	"github.com/closeout-gate/closeout/internal/present/console"
)

const hookLong = `hook stands beside the agent: its hooks ask closeout before a write, after a tool, at the start and at the end.

It is the first of three fences and only advice: an agent's hooks can be switched off, time out, or see only some tools.
What binds is the gate in CI.

hook install writes the calls into the settings of agents, hook doctor tries them, hook show prints what they answered, and
hook remove takes them out again.
hook run is what the agent's settings call; it reads the payload from standard input and answers in the agent's own form.`

func newHook(std console.Streams) *cobra.Command {
	c := &cobra.Command{
		Use: "hook", Short: "Stop a coding agent's wrong writes while it works", Long: hookLong,
		Example: "  closeout hook install\n  closeout hook doctor",
	}
	return group(c, newHookInstall(std), newHookRemove(std), newHookDoctor(std), newHookShow(std), newHookRun(std))
}

const hookShowLong = `hook show prints what the hooks answered in this repository: which calls they denied (deny), what they told (note, told), when
they saw an agent repeat itself (nudge), when they held its end (block) or let it go unproven (stop_gave_in), and when they failed
or gave up. Calls about which they said nothing are only counted.

--session takes the id that the agent gives its session, or the name that hook show prints.

Exit codes: 0 done, also where there is nothing to print; 2 wrong call or environment.`

func newHookShow(std console.Streams) *cobra.Command {
	state, session := "", ""
	c := &cobra.Command{
		Use: "show", Short: "Print what the hooks answered, and when they held an agent", Long: hookShowLong, Args: noWords(""),
		Example: "  closeout hook show\n  closeout hook show --session 0b5e3a9c-6f1d-4f0a-9d8f-2f1c5c7a1e44",
		RunE: func(*cobra.Command, []string) error {
			return console.Print(std.Out, present.Plain, false, func(w io.Writer, _ bool) error { return fence.Show(state, session, w) })
		},
	}
	c.Flags().StringVar(&session, "session", "", "only that `session`")
	addState(c.Flags(), &state)
	return c
}

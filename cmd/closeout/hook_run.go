package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/closeout-gate/closeout/internal/agent/fence"
	"github.com/closeout-gate/closeout/internal/agent/hook"
	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/internal/run"
)

const hookRunLong = `hook run answers one call of an agent's hook: the payload comes on standard input, the answer is in the agent's own form.

Before a tool, it denies a write that the contract of the base branch does not allow, joined with that of the item that this
work tree has claimed. After a tool, it tells the agent which files changed that the contract does not allow, and when the agent
repeats itself. At the end, it refuses to end while the item is not proven. At the start, it says what is to be proven.

The installed command says which agent calls, and when (--agent, --event), and the payload cannot say otherwise. In a command
without them, of an older version, the payload says it.

Exit codes are the agent's protocol: 2 denies, 1 denies a commit (git), 0 is everything else, also a wrong call. When closeout itself
fails, the agent goes on, unless --fail closed says otherwise.`

func newHookRun(std console.Streams) *cobra.Command {
	f := &fence.Flags{}
	wrong := func(err error) error {
		std.Tell("hook run", "%v", err)
		return run.Exit{Code: 0} // 2 would deny
	}
	c := &cobra.Command{
		Use: "run", Short: "Answer one call of an agent's hook", Long: hookRunLong,
		Example: "  closeout hook run < payload.json\n  closeout hook run --agent git",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return wrong(fmt.Errorf("it takes no word, and found %q", args[0]))
			}
			return nil
		},
		RunE: func(*cobra.Command, []string) error {
			if err := f.Check(); err != nil {
				return wrong(err)
			}
			answer := f.Run(std.In)
			io.WriteString(console.Bare(std.Out), answer.Stdout)
			fmt.Fprint(std.Err, answer.Stderr)
			if answer.Exit != 0 {
				return run.Exit{Code: answer.Exit}
			}
			return nil
		},
	}
	flags := c.Flags()
	flags.StringVar(&f.Agent, "agent", "", "the `agent` that calls; else the payload says it: "+strings.Join(hook.Agents, ", "))
	flags.StringVar(&f.Event, "event", "", "the `event` at which it calls; else the payload says it: "+strings.Join(hook.Events, ", "))
	flags.StringVar(&f.Stop, "stop", fence.StopClaimed, "when the agent may not stop: claimed, always or off")
	flags.StringVar(&f.Fail, "fail", fence.FailOpen, "what happens to a tool when closeout itself fails: open or closed")
	c.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return wrong(err) })
	return c
}

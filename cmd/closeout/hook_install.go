package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/closeout-gate/closeout/internal/agent/fence"
	"github.com/closeout-gate/closeout/internal/agent/hook"
	"github.com/closeout-gate/closeout/internal/present/console"
)

const hookInstallLong = `hook install writes the hooks into the settings of agents: claude, codex, copilot, gemini, cursor, or the pre-commit hook of git.

Without --agent it takes the agents whose directory exists: .claude, .codex, .github/hooks, .gemini, .cursor. What others wrote stays byte
for byte; a file that cannot be edited so is refused, and then nothing is written. A second call changes nothing. --dry-run prints
the lines that would change.

Exit codes: 0 the hooks are there; 2 wrong call or environment.`

const hookRemoveLong = `hook remove takes the hooks out of the settings again. What others wrote stays, and a file that install made is deleted.

Without --agent and --scope it looks into all settings of this repository.

Exit codes: 0 no hook is left; 2 wrong call or environment.`

var agentsHelp = "an `agent`, several times: " + strings.Join(hook.Agents, ", ")

func newHookInstall(std console.Streams) *cobra.Command {
	h := newHookSettings(std)
	c := &cobra.Command{
		Use: "install", Short: "Write the hooks into the settings of agents", Long: hookInstallLong, Args: noWords(""),
		Example: "  closeout hook install --dry-run\n  closeout hook install --agent claude --scope local",
	}
	flags := c.Flags()
	flags.StringArrayVar(&h.Agents, "agent", nil, agentsHelp)
	scope := flags.String("scope", "project", "whose settings: project (committed), local (only here, Claude Code alone) or user")
	flags.StringVar(&h.Choice.Stop, "stop", fence.StopClaimed, "when the agent may not stop: claimed, always or off")
	flags.StringVar(&h.Choice.Fail, "fail", fence.FailOpen, "what happens to a tool when closeout itself fails: open or closed")
	flags.BoolVar(&h.DryRun, "dry-run", false, "print what would change, and write nothing")
	c.RunE = func(*cobra.Command, []string) error { return h.Install(*scope) }
	return c
}

func newHookRemove(std console.Streams) *cobra.Command {
	h := newHookSettings(std)
	c := &cobra.Command{
		Use: "remove", Short: "Take the hooks out of the settings of agents", Long: hookRemoveLong, Args: noWords(""),
		RunE: func(*cobra.Command, []string) error { return h.Remove() },
	}
	c.Flags().StringArrayVar(&h.Agents, "agent", hook.Agents, agentsHelp)
	c.Flags().StringArrayVar(&h.Scopes, "scope", fence.Scopes[:2], "whose settings, several times: project, local or user")
	return c
}

func newHookSettings(std console.Streams) *fence.Settings {
	return &fence.Settings{
		Tell: func(format string, args ...any) { fmt.Fprintf(std.Out, format+"\n", args...) },
	}
}

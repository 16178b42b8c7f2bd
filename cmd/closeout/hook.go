package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/closeout-gate/closeout/internal/agent/fence"
	"github.com/closeout-gate/closeout/internal/agent/hook"
	"github.com/closeout-gate/closeout/internal/present"
	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/internal/run"
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

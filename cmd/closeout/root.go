package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/closeout-gate/closeout/internal/present"
	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/internal/run"
	"github.com/closeout-gate/closeout/verify/input"
)

// execute is the whole program.
func execute(args []string, std console.Streams) int {
	std, flush := std.Neutral()
	defer flush() // an error has no reader any more
	root := newRoot(std)
	root.SetArgs(joinFromContract(args))
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) { // the flags of a call are read twice
		root.SetOut(completed{std.Out})
	} else {
		refuseTwice(root)
	}
	err := run.Caught(root.Execute)
	if err == nil {
		return run.ExitPassed
	}
	if code, decided := errors.AsType[run.Exit](err); decided {
		return code.Code
	}
	return refuse(args, err, std)
}

const rootLong = `closeout decides whether a coding agent's pull request is really done.

In a repository, closeout init writes a contract, once. Then, for each change, closeout run runs what the contract
requires, judges the change, and says what to do next.

Exit codes: 0 passed or overridden, 1 failed, 2 wrong call or environment, 3 a fact is unknown.`

func newRoot(std console.Streams) *cobra.Command {
	version := false
	root := &cobra.Command{
		Use: "closeout", Short: "The close-out gate for coding agents", Long: rootLong,
		Example:       "  closeout init\n  closeout run\n  closeout explain scope.forbidden",
		SilenceErrors: true, SilenceUsage: true,
		Args: onlyCommands,
		RunE: func(c *cobra.Command, _ []string) error {
			if version {
				return printVersion(std.Out)
			}
			return c.Help()
		},
	}
	root.Flags().BoolVarP(&version, "version", "v", false, "print the version")
	root.PersistentFlags().Var(console.ColorOf(std.Out), "color", "colour the text: auto, always or never")
	root.SetFlagErrorFunc(wrongFlag)
	root.SetHelpCommand(newHelp())
	root.SetHelpFunc(help)
	root.SetIn(std.In)
	root.SetOut(std.Out)
	root.SetErr(std.Err)
	addGroup(root, "The gate:", newInit(std), newRun(std), newVerify(std), newExplain(std), newLint(std),
		newBacktest(std), newShow(std), newDiff(std))
	addGroup(root, "Beside an agent:", newHook(std), newItem(std))
	addGroup(root, "Later:", newAudit(std), newArchive(std), newReplay(std), newStatement(std))
	for _, c := range []*cobra.Command{newAction(std), newCollect(std), newRecord(std), newSchema(std), newVersion(std)} {
		c.Hidden = true // parts, for workflows and other tools
		root.AddCommand(c)
	}
	rules := newDiff(std)
	rules.Use = "rules"
	for _, c := range append(newItem(std).Commands(), rules) { // their names before version 0.2.0
		c.Hidden, c.Annotations = true, map[string]string{oldName: "yes"}
		root.AddCommand(c)
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	return root
}

// oldName annotates a command that has another name now, and keeps the old one for a version.
const oldName = "old name"

// newItem groups the commands about items.
func newItem(std console.Streams) *cobra.Command {
	c := &cobra.Command{
		Use: "item", Short: "Hand task contracts to an agent one at a time, and lock each by a verdict",
		Long:    "item hands task contracts to an agent, one at a time, and locks each by the verdict of the gate. docs/reference/items.md describes it.",
		Example: "  closeout item scan\n  closeout item next\n  closeout item submit",
	}
	return group(c, newScan(std), newNext(std), newSubmit(std), newStatus(std), newRelease(std), newAccept(std), newLoop(std))
}

// group makes a command one that only has others below it.
func group(c *cobra.Command, below ...*cobra.Command) *cobra.Command {
	c.Args, c.RunE = onlyCommands, func(c *cobra.Command, _ []string) error { return c.Help() }
	c.AddCommand(below...)
	return c
}

// addGroup adds commands that the help lists together, with the groups in the order of the calls.
func addGroup(root *cobra.Command, title string, commands ...*cobra.Command) {
	root.AddGroup(&cobra.Group{ID: title, Title: title})
	for _, c := range commands {
		c.GroupID = title
		root.AddCommand(c)
	}
}

// help shows what a command does, then how to call it.
func help(c *cobra.Command, _ []string) {
	text := strings.TrimRight(cmp.Or(c.Long, c.Short), " \n") + "\n\n"
	w, usage := c.OutOrStdout(), usageOf(c)
	s := console.DisplayOf(w)
	_ = console.Show(w, false, func(w io.Writer) error { // a help that has no reader is no error
		_, err := io.WriteString(w, present.Page(text, s.Width, false)+usage)
		return err
	})
}

// usageOf is how to call a command. The flags that set limits are many and seldom used: one line represents them.
func usageOf(c *cobra.Command) string {
	allowTwice(c.Flags())
	allowTwice(c.InheritedFlags())
	var limits []*pflag.Flag
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if _, ok := f.Value.(limitFlag); ok && !f.Hidden {
			limits = append(limits, f)
		}
	})
	for _, f := range limits {
		f.Hidden = true
		defer func() { f.Hidden = false }()
	}
	usage := c.UsageString()
	if len(limits) > 0 {
		usage += fmt.Sprintf("\n%d more flags, --%s to --%s, set limits: docs/reference/limits.md lists them.\n", len(limits), limits[0].Name, limits[len(limits)-1].Name)
	}
	return usage
}

// completed is where completions go. The script of a shell reads their last line, such as ":4", which nothing may
// change.
type completed struct{ io.Writer }

var directive = input.Lazily(`^:[0-9]+\n$`)

func (c completed) Write(p []byte) (int, error) {
	if directive().Match(p) {
		return console.Bare(c.Writer).Write(p)
	}
	return c.Writer.Write(p)
}

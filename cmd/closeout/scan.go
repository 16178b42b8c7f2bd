package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/closeout-gate/closeout/internal/agent/board"
	"github.com/closeout-gate/closeout/internal/agent/item"
	"github.com/closeout-gate/closeout/internal/present/console"
)

const scanLong = `scan pins the items that an agent works at, one after the other, and how they are judged. An item is a task contract.

Without a LIST, the items are the task contracts of the base (.closeout/tasks). With a LIST and a --template, scan makes a task
contract for each line of the list, or for each row of a CSV file when --col names the column with the items. In the
template, {{item}} and {{col:NAME}} stand for the item and for another column: in texts, in single words of commands, and in
patterns, where an item matches only itself.

Later changes of list, template, base or PATH change nothing: closeout item status says what differs. To pin something else, name
another state folder.

The plan is in the state folder, outside of the repository: --state, else $CLOSEOUT_STATE, else a folder in
$XDG_STATE_HOME/closeout or ~/.local/state/closeout.

Exit codes: 0 pinned, 2 wrong call, list, template or contract: then nothing is written.`

func newScan(std console.Streams) *cobra.Command {
	f, state := &board.Scan{}, ""
	c := &cobra.Command{
		Use: "scan [LIST]", Short: "Fix the list of items (task contracts), and how they are judged", Long: scanLong, Args: oneWord("LIST"),
		Example: "  closeout item scan\n  closeout item scan functions.txt --template item.yaml\n  closeout item scan people.csv --col email --template item.yaml",
	}
	flags := c.Flags()
	f.Given = func(name string) bool { return flags.Changed(name) }
	c.RunE = func(_ *cobra.Command, args []string) error {
		f.List = strings.Join(args, "")
		switch {
		case f.Guard != item.GuardAll && f.Guard != item.GuardNone:
			return fmt.Errorf("--guard is %q: expected all or none", f.Guard)
		case f.List != "" && f.Template == "":
			return errors.New("a LIST requires the contract of its items: --template FILE")
		case f.List == "" && f.Write:
			return errors.New("--write writes the contracts of a LIST: name one")
		case f.List == "" && (f.Template != "" || f.Column != ""):
			return errors.New("--template and --col require a LIST")
		}
		return f.Run(state, std.Err)
	}
	flags.StringVar(&f.Template, "template", "", "the `file` with the contract of each item of the list, with {{item}} in it")
	flags.StringVar(&f.Column, "col", "", "the list is CSV with a header, and this is the `name` of the column with the items")
	flags.StringVar(&f.Base, "base", "", "the `commit` whose contracts count, usually the base branch")
	flags.StringVar(&f.Guard, "guard", item.GuardAll, "which items that passed before each submission proves again: all or none")
	flags.BoolVar(&f.Checkout, "checkout", false, "run the commands in a fresh work tree, where nothing that git ignores can help")
	flags.BoolVar(&f.Write, "write", false, "write the contracts of the LIST to .closeout/tasks of the work tree, for a person to merge, and pin nothing")
	addState(flags, &state)
	return c
}

// addState adds the flag that names the state folder.
func addState(flags *pflag.FlagSet, to *string) {
	flags.StringVar(to, "state", "", "the state `folder`, outside of the repository (default $CLOSEOUT_STATE, else one in ~/.local/state/closeout)")
}

package main

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/closeout-gate/closeout/verify/input"
)

// unknownCommand is the error for a word that is not the name of a command below another one.
func unknownCommand(above *cobra.Command, word string) error {
	if err := wasRemoved(above, word); err != nil {
		return err
	}
	var names []string
	for _, c := range above.Commands() {
		if c.Annotations[oldName] == "" {
			names = append(names, c.Name())
		}
	}
	path := above.CommandPath()
	name := strings.TrimPrefix(strings.TrimPrefix(path, above.Root().Name())+" "+word, " ")
	return fmt.Errorf("unknown command %q%s see %s --help", name, input.DidYouMean(word, names, ""), path)
}

// onlyCommands refuses a word that is not the name of a command below.
func onlyCommands(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return unknownCommand(c, args[0])
	}
	return nil
}

// newHelp is the command help, which refuses a word that is not a command.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND]", Short: "Help about any command", Example: "  closeout help verify",
		RunE: func(c *cobra.Command, args []string) error {
			root := c.Root()
			target, rest, err := root.Find(args)
			if len(args) > 0 && (err != nil || target == root || len(rest) > 0) {
				return unknownCommand(target, args[len(args)-max(len(rest), 1)])
			}
			target.InitDefaultHelpFlag()
			return target.Help()
		},
	}
}

// wrongFlag adds to an error about a flag which one may have been meant, and where the flags are described.
func wrongFlag(c *cobra.Command, err error) error {
	what, cause, isValue := strings.Cut(err.Error(), " flag: ")
	switch {
	case !isValue && strings.HasPrefix(what, "flag needs an argument"):
		return fmt.Errorf("%w: write the value after it; see %s --help", err, c.CommandPath())
	case strings.HasPrefix(cause, "time: "):
		return errors.New(what + " flag: expected a number and a unit, such as 90s or 10m")
	case strings.HasPrefix(cause, "strconv.ParseBool"):
		return errors.New(what + " flag: expected true or false, or the flag alone")
	case strings.HasPrefix(cause, "strconv."):
		return errors.New(what + " flag: expected a number without unit")
	}
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return err
	}
	if gone := wasRemoved(c, "--"+unknown.GetSpecifiedName()); gone != nil {
		return gone
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	word := cmp.Or(unknown.GetSpecifiedShortnames(), unknown.GetSpecifiedName()) // -format is read as -f, -o, ...
	return fmt.Errorf("%w%s see %s --help", err, input.DidYouMean(word, names, "--"), c.CommandPath())
}

package main

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/closeout-gate/closeout/verify/diag"
)

// didYouMean stands between what is wrong and what was expected: a colon, or a question with the known name that is nearest to
// a word. before is what is written before such a name, such as "--".
func didYouMean(word string, known []string, before string) string {
	near := diag.Nearest(word, known)
	if near == "" {
		return ":"
	}
	return fmt.Sprintf(" (did you mean %q?):", before+near)
}

// unknownCommand is the error for a word that is not the name of a command.
func unknownCommand(root *cobra.Command, word string) error {
	var names []string
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() || c.Name() == "help" {
			names = append(names, c.Name())
		}
	}
	return fmt.Errorf("unknown command %q%s see closeout --help", word, didYouMean(word, names, ""))
}

// wrongFlag adds to an error about a flag which one may have been meant, and where the flags are described.
func wrongFlag(c *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return err
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	word := cmp.Or(unknown.GetSpecifiedShortnames(), unknown.GetSpecifiedName()) // -format is read as -f, -o, ...
	return fmt.Errorf("%w%s see %s --help", err, didYouMean(word, names, "--"), c.CommandPath())
}

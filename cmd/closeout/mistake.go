package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/closeout-gate/closeout/internal/run"
	"github.com/closeout-gate/closeout/verify/report"
)

// oneBundle refuses more than one BUNDLE, which is most often a pattern that the shell replaced by the files it matches.
func oneBundle(c *cobra.Command, args []string) error {
	if len(args) < 2 {
		return nil
	}
	return fmt.Errorf("%s takes one BUNDLE, and found %d words: name one directory, and put a pattern into quotes", c.CommandPath(), len(args))
}

// noWords refuses words that belong to no flag. flag is the one that takes a branch, if there is one.
func noWords(flag string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		switch {
		case len(args) == 0:
			return nil
		case flag != "" && run.Resolves(args[0]):
			return fmt.Errorf("%s takes no word, and found %q: write %s %s %s", c.CommandPath(), args[0], c.CommandPath(), flag, args[0])
		}
		return fmt.Errorf("%s takes no word, and found %q: leave it out; see %s --help", c.CommandPath(), args[0], c.CommandPath())
	}
}

// oneWord refuses a second word.
func oneWord(name string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < 2 {
			return nil
		}
		return fmt.Errorf("%s takes one %s, and found %d words: write %s %s", c.CommandPath(), name, len(args), c.CommandPath(), args[0])
	}
}

// oneReport requires the name of a report.
func oneReport(c *cobra.Command, args []string) error {
	if len(args) == 1 {
		return nil
	}
	return fmt.Errorf("%s requires one REPORT, found %d: name a %s, a directory that contains one, or - for standard input", c.Name(), len(args), report.FileName)
}

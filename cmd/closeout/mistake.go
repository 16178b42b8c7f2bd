package main

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/closeout-gate/closeout/internal/run"
	"github.com/closeout-gate/closeout/verify/input"
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

// removed are the commands and flags that an older version had, after the command that had them, and what to use
// instead.
var removed = map[string]string{
	"archive add --branch":     fromFind,
	"archive add --commit":     fromFind,
	"archive add --date":       fromFind,
	"archive add --decision":   fromFind,
	"archive add --gap":        fromFind,
	"archive add --origin":     fromFind,
	"archive add --parent":     fromFind,
	"archive add --repairs":    fromFind,
	"archive add --repo":       fromFind,
	"archive verify":           "closeout audit shows whether the archive only grew",
	"audit --since-checkpoint": "name the id of a commit of the archive that you kept: closeout audit --since COMMIT",
	"audit --link-base":        "copy the ids of the page; --format csv lists a line for each commit",
	"audit --replay":           "leave it out: every decision is judged again",
	"canary":                   "closeout lint names what a contract cannot refuse",
	"item scan --add":          "scan the longer list into another state folder: closeout item scan LIST --template FILE --state FOLDER",
	"item scan --fence":        "docs/reference/items.md says what keeps an agent from the state folder; no result names it any more",
	"item scan --reason":       "write it where the team reads it; a plan is not pinned again",
	"item scan --repin":        "scan into another state folder: closeout item scan --state FOLDER",
	"reopen":                   "closeout item release ITEM --reason WHY gives new tries",
}

// fromFind says how entries are made.
const fromFind = "closeout archive find makes the entries that --found takes"

// wasRemoved is the error for a word that an older version knew; nil for any other. The commands about items had names
// of their own.
func wasRemoved(c *cobra.Command, word string) error {
	name := strings.TrimPrefix(strings.TrimPrefix(c.CommandPath()+" "+word, c.Root().Name()), " ")
	instead, known := removed[name]
	if !known {
		instead, known = removed["item "+name]
	}
	if old, below := strings.CutPrefix(name, "item "); !known && below {
		instead, known = removed[old]
	}
	if !known {
		return nil
	}
	return fmt.Errorf("closeout %s was removed: %s; see docs/upgrading.md", name, instead)
}

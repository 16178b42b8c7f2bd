package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/closeout-gate/closeout/verify/report"
)

// once refuses a second value of a flag that has one. Of two values the last one would silently win.
type once struct {
	pflag.Value
	given bool
}

func (o *once) Set(value string) error {
	if o.given {
		return fmt.Errorf("the flag was given before, with %q: give it once", o.Value.String())
	}
	o.given = true
	return o.Value.Set(value)
}

// refuseTwice lets each flag of a command, and of those below it, be given once, unless it takes a list.
func refuseTwice(c *cobra.Command) {
	for _, flags := range []*pflag.FlagSet{c.Flags(), c.PersistentFlags()} {
		flags.VisitAll(func(f *pflag.Flag) {
			if _, isOnce := f.Value.(*once); !isOnce && !isList(f.Value) {
				f.Value = &once{Value: f.Value}
			}
		})
	}
	for _, below := range c.Commands() {
		refuseTwice(below)
	}
}

// isList reports whether a flag has as many values as it is given.
func isList(v pflag.Value) bool {
	switch v.(type) {
	case pflag.SliceValue, *taskList:
		return true
	}
	return false
}

// taskList is a flag that names tasks: repeatable, and one a line, as a workflow passes them on. A task named twice is one.
type taskList []string

func (l *taskList) Set(value string) error {
	for line := range strings.Lines(value) {
		if id := strings.TrimSpace(line); id != "" && !slices.Contains(*l, id) {
			*l = append(*l, id)
		}
	}
	return nil
}

func (l *taskList) String() string { return strings.Join(*l, ",") }

// Type is what the help calls the value.
func (l *taskList) Type() string { return "id" }

// allowTwice undoes [refuseTwice] for the help, which is written by the types of the flags.
func allowTwice(flags *pflag.FlagSet) {
	flags.VisitAll(func(f *pflag.Flag) {
		if o, ok := f.Value.(*once); ok {
			f.Value = o.Value
		}
	})
}

// reportDir lets --output-dir name the directory of the report, which has its own name there. Programs that came before closeout had
// the flag, and --task-id.
type reportDir struct{ report *string }

func (d reportDir) String() string { return "" }

// Set sets the path of the report.
func (d reportDir) Set(dir string) error {
	*d.report = filepath.Join(dir, report.FileName)
	return nil
}

// Type is what the help calls the value.
func (d reportDir) Type() string { return "directory" }

// addOldNames adds flags under the names that programs before closeout had. The help does not show them.
func addOldNames(flags *pflag.FlagSet, tasks *[]string, reportPath *string) {
	flags.Var((*taskList)(tasks), "task-id", "as --task")
	flags.Var(reportDir{reportPath}, "output-dir", "as --report, with the name verification_report.json")
	for _, name := range []string{"task-id", "output-dir"} {
		flags.Lookup(name).Hidden = true
	}
}

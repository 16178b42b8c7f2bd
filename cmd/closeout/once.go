package main

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// onceFlags say what is judged and where the report goes. Of two values the last one would silently win.
var onceFlags = []string{"contract-file", "contract", "task", "facts", "coverage", "base-tests", "base", "head", "repo", "bundle", "mode", "report", "found", "state", "ref"}

// once refuses a second value of a flag.
type once struct {
	pflag.Value
	given bool
}

func (o *once) Set(value string) error {
	if o.given {
		return errors.New("it is given twice: give one value")
	}
	o.given = true
	return o.Value.Set(value)
}

// refuseTwice lets those of the flags be given once.
func refuseTwice(flags *pflag.FlagSet) {
	for _, name := range onceFlags {
		f := flags.Lookup(name)
		if f == nil {
			continue
		}
		if _, several := f.Value.(*taskList); !several {
			f.Value = &once{Value: f.Value}
		}
	}
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

// allowTwice undoes [refuseTwice] for a completion, for which the flags of a call are read twice.
func allowTwice(c *cobra.Command) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if o, ok := f.Value.(*once); ok {
			f.Value = o.Value
		}
	})
	for _, below := range c.Commands() {
		allowTwice(below)
	}
}

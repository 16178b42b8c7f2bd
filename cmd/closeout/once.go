package main

import (
	"errors"

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
		if f := flags.Lookup(name); f != nil {
			f.Value = &once{Value: f.Value}
		}
	}
}

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

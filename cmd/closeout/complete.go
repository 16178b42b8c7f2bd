package main

import (
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/verify/input"
)

// isCompletion reports whether a shell asks for a completion, for which the flags of a call are read twice.
func isCompletion(args []string) bool {
	return len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd)
}

// completed is where completions go. The script of a shell reads their last line, such as ":4", which nothing may change.
type completed struct{ io.Writer }

var directive = input.Lazily(`^:[0-9]+\n$`)

func (c completed) Write(p []byte) (int, error) {
	if directive().Match(p) {
		return console.Bare(c.Writer).Write(p)
	}
	return c.Writer.Write(p)
}

package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/internal/start"
)

const initLong = `init writes the first contract of a repository: the standing contract .closeout/scope_contract.yaml, lines for
.gitignore, and .github/workflows/closeout.yml in observe mode.

It reads the files of the commit HEAD and runs nothing. It takes the test commands from go.mod, package.json,
pyproject.toml, Cargo.toml and others, the allowed files from what is tracked, and the linters from their configuration. Where
the test runner writes a report, it also names the paths of tests, so that those of the base judge the code of a change.

A file that exists is kept. Without a test command, nothing is written: name one with --test.

Exit codes: 0 the files are written or exist; 2 wrong call or environment, or no test command was found.`

func newInit(std console.Streams) *cobra.Command {
	f := &start.Init{Tell: func(format string, args ...any) { fmt.Fprintf(std.Out, format+"\n", args...) }}
	c := &cobra.Command{
		Use: "init", Short: "Write the contract and the workflow that a repository begins with", Long: initLong, Args: noWords(""),
		Example: "  closeout init --dry-run\n  closeout init --test 'make check'",
		RunE:    func(*cobra.Command, []string) error { return f.Run() },
	}
	c.Flags().BoolVar(&f.JSON, "json", false, "write the contract as JSON, without the comments")
	c.Flags().Bool("yaml", true, "write the contract as YAML, with comments")
	c.Flags().Lookup("yaml").Hidden = true // what init does without it
	c.Flags().BoolVar(&f.DryRun, "dry-run", false, "print the files, and write nothing")
	c.Flags().StringVar(&f.Test, "test", "", "the `COMMAND` that proves a change, instead of those that are found; split into words without a shell")
	c.Flags().BoolVar(&f.Solo, "solo", false, "the repository has one maintainer, who may override as author")
	return c
}

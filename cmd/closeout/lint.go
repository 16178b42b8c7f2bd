package main

import (
	"cmp"
	"io"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"

	"github.com/closeout-gate/closeout/internal/collect"
	"github.com/closeout-gate/closeout/internal/lint"
	"github.com/closeout-gate/closeout/internal/present"
	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/internal/run"
	"github.com/closeout-gate/closeout/internal/start"
	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/input"
)

const lintLong = `lint looks for mistakes in contracts and workflows: patterns that match nothing, commands that cannot
fail, a workflow that can be skipped. It judges no change, runs nothing, and needs no token and no network.

It reads the files of the work tree, or with --base those of a commit.

Exit codes: 0 nothing blocks, 1 a finding blocks (with --strict also a warning), 2 wrong call or environment.`

type lintFlags struct {
	repo, base, contract, format string
	path, strict                 bool
}

func newLint(std console.Streams) *cobra.Command {
	f := &lintFlags{}
	c := &cobra.Command{
		Use: "lint", Short: "Find mistakes in contracts and workflows", Long: lintLong, Args: noWords(""),
		Example: "  closeout lint\n  closeout lint --base origin/main --strict",
		RunE:    func(*cobra.Command, []string) error { return f.run(std) },
	}
	flags := c.Flags()
	flags.StringVar(&f.repo, "repo", "", "the git repository: its `directory`, or one inside it (default the enclosing one)")
	flags.StringVar(&f.base, "base", "", "lint the files of this `commit`, not those of the work tree")
	flags.StringVar(&f.contract, "contract", "", "lint this `file` in place of the standing contract")
	flags.BoolVar(&f.path, "path", false, "also look for programs in PATH")
	flags.BoolVar(&f.strict, "strict", false, "fail on warnings too")
	flags.StringVar(&f.format, "format", present.LintFormats[0], "`format` of the output: "+strings.Join(present.LintFormats, ", "))
	return c
}

func (f *lintFlags) run(std console.Streams) error {
	if err := input.OneOf("--format is", f.format, present.LintFormats); err != nil {
		return err
	}
	git, err := collect.OpenGit(cmp.Or(f.repo, "."), input.DefaultLimits())
	if err != nil {
		return err
	}
	defer git.Close()
	in, err := git.ToLint(f.base)
	if err == nil && f.contract != "" {
		in.Contract, err = start.ContractAt(f.contract)
	}
	if err != nil {
		return err
	}
	if f.path {
		in.Program = func(name string) bool {
			_, err := exec.LookPath(name)
			return err == nil
		}
	}
	in.Today = run.Today()
	r := lint.Report(lint.Run(in), verify.Version)
	r.Rollout = lint.Rollout(in)
	kind := present.Plain
	switch f.format {
	case "json":
		kind = present.JSON
	case "github":
		kind = present.Commands
	}
	err = console.Print(std.Out, kind, f.format == "text", func(w io.Writer, color bool) error {
		return present.WriteLint(w, r, f.format, present.Options{Color: color})
	})
	if err != nil {
		return err
	}
	if r.Counts.Block > 0 || (f.strict && r.Counts.Warn > 0) {
		return run.Exit{Code: run.ExitFailed}
	}
	return nil
}

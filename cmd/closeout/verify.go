package main

import (
	"errors"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/closeout-gate/closeout/internal/collect"
	"github.com/closeout-gate/closeout/internal/present"
	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/internal/run"
	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/input"
)

const verifyLong = `verify judges the inputs of one task and writes verification_report.json.

With a BUNDLE, a directory with the inputs under their well-known names (scope_contract.json,
feedback_record.jsonl, rule_report.json, pr.diff or changes.json, ...), it requires nothing else.

With --base, in a git repository, it compares two commits itself and takes the contracts from the base; git is not
required. Without either, name the inputs one by one. Feedback logs and rule reports are read from the evidence
directory, .closeout/evidence, unless they are named.

Exit codes: 0 passed or overridden, 1 failed, 2 wrong call or environment, 3 a fact is unknown.`

func newVerify(std console.Streams) *cobra.Command {
	f := &run.Verification{Settings: verify.Settings{Limits: input.DefaultLimits()}}
	c := &cobra.Command{
		Use: "verify [BUNDLE]", Short: "Judge a change by results that were recorded before, and run nothing", Long: verifyLong,
		Example: `  closeout verify testdata/example
  closeout verify --base origin/main
  closeout verify testdata/example --format markdown --report -
  closeout verify --contract-file scope_contract.json --feedback 'logs/*.jsonl' --rules rules.json --diff pr.diff`,
		Args: oneBundle,
		RunE: func(c *cobra.Command, args []string) error {
			var given []string
			for _, name := range inputFlags {
				if c.Flags().Changed(name) {
					given = append(given, "--"+name)
				}
			}
			return f.Run(args, given, checkTrees(&f.Trees, c.Flags()), std)
		},
	}
	defineInputs(f, c)
	flags := c.Flags()
	flags.StringVar(&f.Files.Facts, "facts", "", "facts.json")
	flags.StringVar(&f.Report, "report", "", "write the report to this `file`; - is standard output (default verification_report.json in the bundle, else here)")
	addPrinting(flags, &f.Format, &f.Quiet)
	addOldNames(flags, &f.Settings.Tasks, &f.Report)
	return c
}

// defineInputs defines the flags of every command that collects inputs.
func defineInputs(f *run.Verification, c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&f.Trees.Base, "base", "", "judge the changes from this `commit`, usually the base branch, to --head")
	flags.StringVar(&f.Trees.Head, "head", "HEAD", "the `commit` that is judged, with --base")
	addRepo(flags, &f.Trees.Repo, ", with --base")
	flags.StringVar(&f.Trees.Contract, "contract", "", "`path` of the standing contract at the base (default .closeout/scope_contract.json or .yaml), with --base")
	flags.StringVar(&f.Files.ContractFile, "contract-file", "", "read the scope contract from this `file`; the caller vouches for it")
	flags.Var((*taskList)(&f.Settings.Tasks), "task", "judge the task with this `id`; repeatable")
	flags.StringArrayVar(&f.Files.Feedback, "feedback", nil, "feedback log, a path or glob; repeatable (default "+collect.DefaultFeedback+")")
	flags.StringArrayVar(&f.Settings.Digests, "feedback-sha256", nil, "sha256 of a log that the workflow passes on, or `stream=sha256`; only such logs count; repeatable")
	flags.StringArrayVar(&f.Files.Rules, "rules", nil, "rule report, a path or glob; repeatable (default "+collect.DefaultRules+")")
	flags.StringArrayVar(&f.Files.Diff, "diff", nil, "the change: a unified diff, a changes.json, or one of each, which must agree; repeatable; beside --base a unified diff only")
	flags.StringVar(&f.Files.Coverage, "coverage", "", "coverage report")
	flags.StringVar(&f.Files.BaseTests, "base-tests", "", "`directory` with the test reports of the base, which are compared with those of the head, with --base")
	flags.StringVar(&f.Bundle, "bundle", "", "copy every input into this new `directory`, with --base")
	addSettings(flags, &f.Settings)
}

// addSettings adds the flags that say how to judge, wherever the inputs are from.
func addSettings(flags *pflag.FlagSet, s *verify.Settings) {
	flags.BoolVar(&s.Strict, "strict", false, "make every warning block")
	flags.StringVar(&s.Mode, "mode", "", "enforce, or observe: the same verdict, but exit 0 (default enforce)")
	for _, limit := range input.AllLimits {
		flags.Var(limitFlag{&s.Limits, limit}, strings.TrimPrefix(limit.Flag, "--"), limit.What)
	}
}

// addPrinting adds the flags that say how a report is printed.
func addPrinting(flags *pflag.FlagSet, format *string, quiet *bool) {
	flags.StringVar(format, "format", "text", "what to print: "+strings.Join(present.FormatNames(), ", "))
	flags.BoolVar(quiet, "quiet", false, "print only the summary line")
}

// limitFlag is a limit as a flag.
type limitFlag struct {
	limits *input.Limits
	limit  input.Limit
}

func (l limitFlag) String() string {
	if l.limits == nil {
		return "" // the zero value that the flags package compares defaults with
	}
	return strconv.FormatInt(l.limit.Get(l.limits), 10)
}

func (l limitFlag) Set(text string) error {
	value, err := strconv.ParseInt(text, 0, 64)
	if err != nil {
		return errors.New("expected a number, without unit")
	}
	l.limit.Set(l.limits, value)
	return nil
}

// Type is what the help calls the value.
func (l limitFlag) Type() string { return "int" }

// inputFlags name inputs one by one; beside a BUNDLE, which contains them all, they are refused.
var inputFlags = []string{
	"contract-file", "task", "task-id", "feedback", "feedback-sha256", "rules", "diff", "facts", "coverage", "base-tests", "base", "head", "repo", "contract", "bundle",
}

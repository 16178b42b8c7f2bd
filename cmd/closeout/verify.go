package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/closeout-gate/closeout/internal/collect"
	"github.com/closeout-gate/closeout/internal/present"
	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/internal/run"
	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/report"
)

// verifyFlags are the flags of verify.
type verifyFlags struct {
	files    collect.Options
	trees    run.Trees
	bundle   string
	settings verify.Settings
	report   string
	format   string
	quiet    bool
}

const verifyLong = `verify judges the inputs of one task and writes verification_report.json.

With a BUNDLE, a directory with the inputs under their well-known names (scope_contract.json,
feedback_record.jsonl, rule_report.json, pr.diff or changes.json, ...), it requires nothing else.

With --base, in a git repository, it compares two commits itself and takes the contracts from the base; git is not
required. Without either, name the inputs one by one. Feedback logs and rule reports are read from the evidence
directory, .closeout/evidence, unless they are named.

Exit codes: 0 passed or overridden, 1 failed, 2 wrong call or environment, 3 a fact is unknown.`

func newVerify(std console.Streams) *cobra.Command {
	f := &verifyFlags{settings: verify.Settings{Limits: input.DefaultLimits()}}
	c := &cobra.Command{
		Use: "verify [BUNDLE]", Short: "Judge a change by results that were recorded before, and run nothing", Long: verifyLong,
		Example: `  closeout verify testdata/example
  closeout verify --base origin/main
  closeout verify testdata/example --format markdown --report -
  closeout verify --contract-file scope_contract.json --feedback 'logs/*.jsonl' --rules rules.json --diff pr.diff`,
		Args: oneBundle,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args, std) },
	}
	f.define(c)
	return c
}

func (f *verifyFlags) define(c *cobra.Command) {
	f.defineInputs(c)
	flags := c.Flags()
	flags.StringVar(&f.files.Facts, "facts", "", "facts.json")
	flags.StringVar(&f.report, "report", "", "write the report to this `file`; - is standard output (default verification_report.json in the bundle, else here)")
	flags.StringVar(&f.format, "format", "text", "what to print: "+run.FormatNames())
	flags.BoolVar(&f.quiet, "quiet", false, "print only the summary line")
	refuseTwice(flags)
}

// defineInputs defines the flags of every command that collects inputs.
func (f *verifyFlags) defineInputs(c *cobra.Command) {
	flags := c.Flags()
	defineTrees(&f.trees, flags)
	flags.StringVar(&f.files.ContractFile, "contract-file", "", "read the scope contract from this `file`; the caller vouches for it")
	flags.StringVar(&f.settings.Task, "task", "", "judge the task with this `id`")
	flags.StringArrayVar(&f.files.Feedback, "feedback", nil, "feedback log, a path or glob; repeatable (default "+collect.DefaultFeedback+")")
	flags.StringArrayVar(&f.settings.Digests, "feedback-sha256", nil, "sha256 of a log that the workflow passes on, or `stream=sha256`; only such logs count; repeatable")
	flags.StringArrayVar(&f.files.Rules, "rules", nil, "rule report, a path or glob; repeatable (default "+collect.DefaultRules+")")
	flags.StringArrayVar(&f.files.Diff, "diff", nil, "the change: a unified diff, a changes.json, or one of each, which must agree; repeatable; beside --base a unified diff only")
	flags.StringVar(&f.files.Coverage, "coverage", "", "coverage report")
	flags.StringVar(&f.files.BaseTests, "base-tests", "", "`directory` with the test reports of the base, which are compared with those of the head, with --base")
	flags.StringVar(&f.bundle, "bundle", "", "copy every input into this new `directory`, with --base")
	flags.BoolVar(&f.settings.Strict, "strict", false, "make every warning block")
	flags.StringVar(&f.settings.Mode, "mode", "", "enforce, or observe: the same verdict, but exit 0 (default enforce)")
	for _, limit := range input.AllLimits {
		flags.Var(limitFlag{&f.settings.Limits, limit}, strings.TrimPrefix(limit.Flag, "--"), limit.What)
	}
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

func (f *verifyFlags) run(c *cobra.Command, args []string, std console.Streams) error {
	target := f.target(args)
	old, watch, err := f.begin(target, args, std)
	if err != nil {
		return err
	}
	defer watch.Stop()
	format, err := f.check(c, args)
	if err != nil {
		return err
	}
	found, err := f.find(c, args, std)
	if err != nil {
		return err
	}
	if found.Contains(target) {
		return run.OverInput(target)
	}
	r, err := run.JudgeAndWrite(found.Bundle, target, watch, std)
	if err != nil {
		return err
	}
	if len(args) == 1 {
		run.TellReplaced(old, r, target, std)
	}
	if err := run.IntoBundle(r, f.bundle, target, std); err != nil {
		return err
	}
	if err := run.Present(format, r, target, f.quiet, std); err != nil {
		fmt.Fprintln(std.Err, "closeout: the result cannot be printed:", input.Reason(err))
		return run.Exit{Code: run.ExitUsage} // the report is written, and stays
	}
	return run.Ended(r)
}

// target is where the report goes: the named path, else its own name in the bundle or here.
func (f *verifyFlags) target(args []string) string {
	if f.report == "" && f.bundle != "" {
		return filepath.Join(f.bundle, report.FileName)
	}
	return run.ReportPath(f.report, args)
}

// begin removes an older report, unless its path is that of an input. A bundle that is
// still to be written contains none: its directory must be empty.
func (f *verifyFlags) begin(target string, args []string, std console.Streams) (*collect.Stale, *run.Watch, error) {
	options := f.files
	if here, err := os.Getwd(); err == nil {
		options.Root = here
	}
	over := options.NamesFile(target)
	if len(args) == 1 {
		bundle, err := collect.Bundle(args[0])
		over = over || err == nil && bundle.Contains(target)
	}
	switch {
	case target == run.ToStdout:
	case over:
		return nil, nil, run.OverInput(target)
	case f.report == "" && f.bundle != "":
		return nil, run.ReportOnSignal(target, f.settings, std), nil
	}
	return run.Begin(target, f.settings, std)
}

// inputFlags name inputs one by one; beside a BUNDLE, which contains them all, they are refused.
var inputFlags = []string{
	"contract-file", "task", "feedback", "feedback-sha256", "rules", "diff", "facts", "coverage", "base-tests", "base", "head", "repo", "contract", "bundle",
}

// check refuses a call that cannot be carried out.
func (f *verifyFlags) check(c *cobra.Command, args []string) (present.Format, error) {
	format, err := run.FormatNamed(f.format)
	if err != nil {
		return format, err
	}
	if err := f.settings.Check(); err != nil {
		return format, err
	}
	var given []string
	for _, name := range inputFlags {
		if c.Flags().Changed(name) {
			given = append(given, "--"+name)
		}
	}
	switch {
	case len(args) == 1 && len(given) > 0:
		return format, fmt.Errorf("%s cannot be given beside a BUNDLE, which contains its inputs under their names; if %q is no BUNDLE, put the pattern before it into quotes", strings.Join(given, ", "), args[0])
	case len(args) == 0 && len(given) == 0:
		return format, fmt.Errorf("nothing to judge: name a BUNDLE, --base, or the inputs; in a repository, write closeout verify --base %s (see closeout verify --help)", cmp.Or(run.UsualBase(), "BRANCH"))
	}
	return format, checkTrees(&f.trees, c.Flags())
}

// find lists the inputs, of which nothing is judged yet, and adds the settings.
func (f *verifyFlags) find(c *cobra.Command, args []string, std console.Streams) (found *collect.Found, err error) {
	settings := f.settings
	if len(args) == 1 {
		if found, err = collect.Bundle(args[0]); err != nil { // which is judged on the day that its facts name
			return nil, run.NotABundle("closeout verify", args[0], err)
		}
		tellNoInputs(args[0], found, std)
	} else {
		settings.Today = run.Today()
		f.files.Settings = settings
		if f.files.Root, err = os.Getwd(); err != nil {
			return nil, err
		}
		if f.trees.Base == "" {
			found, err = collect.Files(f.files)
		} else {
			found, err = f.trees.Collect(f.files, f.bundle)
		}
	}
	if err != nil {
		return nil, err
	}
	settings.Notes = found.Settings.Notes
	found.Settings = settings
	return found, nil
}

package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/closeout-gate/closeout/internal/collect"
	"github.com/closeout-gate/closeout/internal/present"
	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/internal/record"
	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/policy"
	"github.com/closeout-gate/closeout/verify/report"
)

const runLong = `run records everything that the contract of the base branch requires, and judges the change.

It removes the logs and reports of the last run, runs and records the command that writes the rule report, each criterion
and negative control, and those of the task contract, and then judges as verify --base does. The output of the commands is
shown in GitHub Actions and with --verbose; otherwise, the end of the output of each command that failed.

The base is --base; in GitHub Actions that of the event; else origin/HEAD, origin/main, origin/master, main, master, trunk or
develop, the first that exists.

With --record-only it does not judge: it sets the step output feedback_sha256 for the job that judges.

Exit codes: 0 passed or overridden, 1 failed, 2 wrong call or environment, 3 a fact is unknown, 128+n after signal n.
With --record-only: 0 whatever failed, 125 if nothing can be supplied to the gate: the recorder failed, or a command
tampered with the log or the step.`

// runFlags are what run is asked to do.
type runFlags struct {
	base, contract, contractFile, baseTests string
	setup, rules, stream                    string
	only, cross                             []string
	timeout                                 time.Duration
	recordOnly, verbose, quiet              bool
	report, format, bundle                  string
	settings                                verify.Settings
	told                                    func(*subject, *report.Report) // about a change that was judged
}

func newRun(std console.Streams) *cobra.Command {
	f := &runFlags{settings: verify.Settings{Limits: input.DefaultLimits()}}
	f.told = func(s *subject, r *report.Report) { tellPersons(s, r, std) }
	c := &cobra.Command{
		Use: "run", Short: "Run the commands that the contract requires, and judge your change", Long: runLong, Args: noWords("--base"),
		Example: "  closeout run\n  closeout run --format agent\n  closeout run --only unit --verbose",
		RunE: func(*cobra.Command, []string) error {
			err := f.run(std)
			if f.recordOnly {
				return runFailed(err, std)
			}
			return err
		},
	}
	defineRun(f, c)
	return c
}

func defineRun(f *runFlags, c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&f.base, "base", "", "judge the changes from this `commit`, usually the base branch, to HEAD; its contract counts")
	flags.StringVar(&f.contract, "contract", "", "`path` of the standing contract at the base (default .closeout/scope_contract.json or .yaml)")
	flags.StringVar(&f.contractFile, "contract-file", "", "read the standing contract from this `file`; the caller vouches for it")
	flags.StringVar(&f.settings.Task, "task", "", "the task with this `id` (default the only task contract that the change adds)")
	flags.StringVar(&f.setup, "setup", "", "run this Bash `script` first, which must succeed and is not recorded")
	flags.StringVar(&f.rules, "rules", "", "the Bash `script` that writes the rule report, if the contract does not name a command for it")
	flags.StringArrayVar(&f.only, "only", nil, "record only the criterion with this `id`, or rules; repeatable")
	flags.StringArrayVar(&f.cross, "cross", nil, "also run the tests of the base on this `tree`, base or old_tests, or on none (default both); with --record-only on this tree alone; repeatable")
	flags.DurationVar(&f.timeout, "timeout", 0, "end each command after this time, such as 10m")
	flags.BoolVar(&f.recordOnly, "record-only", false, "record for the job that judges: set the step output feedback_sha256")
	flags.StringVar(&f.stream, "stream", "", "with --record-only in a matrix: the `name` of this leg; the step output is feedback_sha256_NAME")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "show the output of the commands")
	flags.StringVar(&f.report, "report", "", "write the report to this `file`; - is standard output (default verification_report.json)")
	flags.StringVar(&f.baseTests, "base-tests", "", "`directory` with the test reports of the base, which are compared with those of the head")
	flags.StringVar(&f.bundle, "bundle", "", "copy every input into this new `directory`")
	flags.StringVar(&f.format, "format", "text", "what to print: "+formatNames())
	flags.BoolVar(&f.quiet, "quiet", false, "print only the summary line")
	flags.BoolVar(&f.settings.Strict, "strict", false, "make every warning block")
	flags.StringVar(&f.settings.Mode, "mode", "", "enforce, or observe: the same verdict, but exit 0 (default enforce)")
	for _, limit := range input.AllLimits {
		flags.Var(limitFlag{&f.settings.Limits, limit}, strings.TrimPrefix(limit.Flag, "--"), limit.What)
	}
	refuseTwice(flags)
}

// runFailed is [recordFailed] for run.
func runFailed(err error, std console.Streams) error {
	var code exit
	if err == nil || errors.As(err, &code) {
		return err
	}
	fmt.Fprintln(std.Err, "closeout run:", err)
	return exit{record.StatusFailed}
}

// check refuses a call that cannot be carried out.
func (f *runFlags) check() (present.Format, error) {
	format, err := formatNamed(f.format)
	switch {
	case err != nil:
		return format, err
	case f.contract != "" && f.contractFile != "":
		return format, errors.New("--contract names a file of the base, --contract-file one on disk: give one of them")
	case f.timeout < 0:
		return format, fmt.Errorf("a timeout cannot be %s: expected more than 0", f.timeout)
	case f.stream != "" && !f.recordOnly:
		return format, errors.New("--stream requires --record-only: it names what this job supplies to the job that judges")
	case f.stream != "" && (!contract.ValidTaskID(f.stream) || strings.Contains(f.stream, ".")):
		return format, fmt.Errorf("%q cannot be the name of a step output: expected letters, digits, underscores and hyphens", f.stream)
	}
	if err := f.checkCross(); err != nil {
		return format, err
	}
	return format, f.settings.Check()
}

func (f *runFlags) run(std console.Streams) (err error) {
	format, err := f.check()
	if err != nil {
		return err
	}
	target := reportPath(f.report, nil)
	if err := f.removeReport(target); err != nil {
		return err
	}
	record.Hide()
	s, err := f.open(std)
	if err != nil {
		return err
	}
	defer s.git.Close()
	defer func() { err = finish(err, s.putBack) }() // what is judged is what was recorded
	s.show = newProgress(std, f.verbose || console.InActions())
	status, logs := 0, f.crossLogs(s, std)
	if !f.crossOnly() {
		status, err = f.record(s, std)
	}
	if err == nil && status < record.StatusFailed {
		ended, failed := f.recordCross(s, logs, std)
		status, err = max(status, ended), failed
	}
	switch {
	case err != nil:
		return err
	case f.recordOnly:
		return endWith(status)
	}
	err = f.judge(s, target, format, std)
	s.show.showFailed(nil) // what no report could show
	s.endTrial(std)
	if status > record.StatusSignal {
		fmt.Fprintln(std.Err, "closeout run: a signal ended it, so the commands after that were not run")
		return exit{status}
	}
	return err
}

// removeReport removes the report of an earlier run, which could pass for that of this one.
func (f *runFlags) removeReport(target string) error {
	if f.recordOnly || target == toStdout {
		return nil
	}
	here, err := os.Getwd()
	if err != nil {
		return err
	}
	if (collect.Options{Root: here, ContractFile: f.contractFile, BaseTests: f.baseTests}).NamesFile(target) {
		return overInput(target)
	}
	_, err = collect.RemoveStale(target)
	return err
}

// record runs and records the plan. The status is that of [record.Recorder.FromPlan], and with --record-only what to exit with.
func (f *runFlags) record(s *subject, std console.Streams) (status int, err error) {
	policies := s.policies(f.recordOnly, std)
	if len(policies) == 0 {
		if f.recordOnly {
			return 0, errors.New("nothing was recorded")
		}
		return 0, nil // the report says the same
	}
	r, err := s.recorder(s.root, policies[0].EvidenceDir, std)
	if err != nil {
		return 0, err
	}
	p, err := f.plan(s, policies, r)
	if err != nil {
		return 0, err
	}
	status, err = s.follow(r, p)
	if err != nil || f.recordOnly {
		s.show.showFailed(nil)
	}
	if err != nil || !f.recordOnly {
		return status, err
	}
	if err := s.putBack(); err != nil {
		return 0, err
	}
	if status > 1 {
		fmt.Fprintln(std.Err, "closeout run: nothing is supplied to the gate, because a record is incomplete or a command tampered with it, or a signal came")
		return status, nil
	}
	return 0, f.supply("feedback_sha256", p, r.Watch, std) // the gate judges what failed
}

// plan lists what is recorded, and removes what the last run left.
func (f *runFlags) plan(s *subject, policies []*policy.Policy, r *record.Recorder) (*record.Plan, error) {
	p := &record.Plan{Timeout: f.timeout}
	if p.AddPolicy(policies, f.rules, r.Log) {
		s.show.say("the contract names the command for rules, so the script of --rules is not run")
	}
	reports := reportsOf(p, policies[0], r)
	if err := f.choose(p, s.show); err != nil {
		return nil, err
	}
	if p.Setup = f.setupCommand(); p.Setup != nil {
		s.show.count++
	}
	r.LogsAway = f.recordOnly
	if err := prepare(r, p.Logs(), reports); err != nil {
		return nil, err
	}
	tree, differs, err := r.Look()
	if err == nil && differs && s.trial != "" {
		s.options.WorkTree = tree // the contract itself need not be committed for a trial
	}
	return p, err
}

// setupCommand prepares the commands of one work tree; nil for none.
func (f *runFlags) setupCommand() []string {
	if f.setup == "" {
		return nil
	}
	return []string{"bash", "-eo", "pipefail", "-c", f.setup}
}

// choose keeps what --only names.
func (f *runFlags) choose(p *record.Plan, show *progress) error {
	all := p.Names()
	for _, id := range f.only {
		if !slices.Contains(all, id) {
			return fmt.Errorf("--only %q names no criterion of the contracts: expected one of %s", id, strings.Join(all, ", "))
		}
	}
	if len(f.only) > 0 {
		p.Only(f.only)
	}
	show.count = len(p.Names())
	if left := len(all) - show.count; left > 0 {
		show.say(fmt.Sprintf("--only leaves out %s, whose evidence will be missing: run without it at the end", input.Plural(int64(left), "command")))
	}
	return nil
}

// supply sets the step output with a name, and prints it.
func (f *runFlags) supply(name string, p *record.Plan, w *record.Watch, std console.Streams) error {
	prefix := ""
	if f.stream != "" {
		name, prefix = name+"_"+f.stream, f.stream+"/"
	}
	value := p.Digests(w, prefix)
	if err := w.SetOutput(name, value); err != nil {
		return fmt.Errorf("the step output cannot be set: %w", err)
	}
	fmt.Fprintln(std.Out, value)
	return nil
}

// judge judges what was recorded, with the contracts and changes that were read before anything ran.
func (f *runFlags) judge(s *subject, target string, format present.Format, std console.Streams) error {
	watch := reportOnSignal(target, f.settings, std, s.putBack)
	defer watch.stop()
	found, err := s.gather(f.bundle)
	if err != nil {
		return err
	}
	if found.Contains(target) {
		return overInput(target)
	}
	r, err := judgeAndWrite(found.Bundle, target, watch, std)
	if err != nil {
		return err
	}
	if err := intoBundle(r, f.bundle, target, std); err != nil {
		return err
	}
	if f.quiet || format.Kind != present.Plain {
		s.show.showFailed(nil)
	} else {
		s.show.showFailed(r)
	}
	if err := presentReport(format, r, target, f.quiet, std); err != nil {
		fmt.Fprintln(std.Err, "closeout: the result cannot be printed:", input.Reason(err))
		return exit{exitUsage}
	}
	f.told(s, r)
	return ended(r)
}

package main

import (
	"github.com/spf13/cobra"

	"github.com/closeout-gate/closeout/internal/agent/board"
	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/internal/run"
	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/input"
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

func newRun(std console.Streams) *cobra.Command {
	f := &run.Call{Settings: verify.Settings{Limits: input.DefaultLimits()}}
	f.Told = func(s *run.Work, r *report.Report) { board.TellPersons(s, r, std) }
	c := &cobra.Command{
		Use: "run", Short: "Run the commands that the contract requires, and judge your change", Long: runLong, Args: noWords("--base"),
		Example: "  closeout run\n  closeout run --format agent\n  closeout run --only unit --verbose",
		RunE: func(*cobra.Command, []string) error {
			err := f.Run(std)
			if f.RecordOnly {
				return recordFailed("run", err, std)
			}
			return err
		},
	}
	flags := c.Flags()
	flags.StringVar(&f.Base, "base", "", "judge the changes from this `commit`, usually the base branch, to HEAD; its contract counts")
	flags.StringVar(&f.Contract, "contract", "", "`path` of the standing contract at the base (default .closeout/scope_contract.json or .yaml)")
	flags.StringVar(&f.ContractFile, "contract-file", "", "read the standing contract from this `file`; the caller vouches for it")
	flags.Var((*taskList)(&f.Settings.Tasks), "task", "the task with this `id`; repeatable (default the tasks whose contracts the change adds, and those of its trailers Closeout-Task)")
	flags.StringVar(&f.Setup, "setup", "", "run this Bash `script` first, which must succeed and is not recorded")
	flags.StringVar(&f.Rules, "rules", "", "the Bash `script` that writes the rule report, if the contract does not name a command for it")
	flags.StringArrayVar(&f.Only, "only", nil, "record only the criterion with this `id`, or rules; repeatable")
	flags.BoolVar(&f.All, "all", false, "also run the criteria that the change does not require (when)")
	flags.StringArrayVar(&f.Cross, "cross", nil, "also run the tests on this `tree`, base, old_tests or new_tests, or on none (default those that the contract asks for); with --record-only on this tree alone; repeatable")
	flags.DurationVar(&f.Timeout, "timeout", 0, "end each command after this time, such as 10m")
	flags.BoolVar(&f.RecordOnly, "record-only", false, "record for the job that judges: set the step output feedback_sha256")
	flags.StringVar(&f.Stream, "stream", "", "with --record-only in a matrix: the `name` of this leg; the step output is feedback_sha256_NAME")
	flags.BoolVarP(&f.Verbose, "verbose", "v", false, "show the output of the commands")
	flags.StringVar(&f.Report, "report", "", "write the report to this `file`; - is standard output (default verification_report.json)")
	addOldNames(flags, &f.Settings.Tasks, &f.Report)
	flags.StringVar(&f.BaseTests, "base-tests", "", "`directory` with the test reports of the base, which are compared with those of the head")
	flags.StringVar(&f.Bundle, "bundle", "", "copy every input into this new `directory`")
	addPrinting(flags, &f.Format, &f.Quiet)
	addSettings(flags, &f.Settings)
	return c
}

package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/internal/record"
	"github.com/closeout-gate/closeout/internal/run"
)

const recordLong = `record runs a command and appends what happened to the feedback log, as one line.

The command's output and its exit status are passed on unchanged. The record contains the exit code, a digest of each
whole output stream, the redacted end of each, and the code tree before and after, which binds it to exactly this code.
The command's words are recorded unchanged: do not put a secret there.

With --record-only, closeout run records every criterion and negative control of the contract. With --exclusive, record
prints the sha256 of the log, and sets the step output feedback_sha256 when GITHUB_OUTPUT is set. Such a log must be new,
and the recorder alone writes it: a command that changes it is tampering, which the log then records.

Exit codes: the command's own; 128+n after signal n; 124 timeout; 125 the recorder failed; 126, 127 the command could not
be started.`

func newRecord(std console.Streams) *cobra.Command {
	f := &run.RecordCall{}
	c := &cobra.Command{
		Use: "record [flags] -- CMD ARG...", Short: "Run a command and record it", Long: recordLong,
		Example: "  closeout record -- go test ./...",
		RunE:    func(_ *cobra.Command, args []string) error { return recordFailed("record", f.Run(args, std), std) },
	}
	c.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return recordFailed("record", wrongFlag(c, err), std) })
	flags := c.Flags()
	flags.SetInterspersed(false) // what follows the command's name is the command's
	flags.StringVar(&f.Command.Task, "task", "", "the `id` of the task that the command is run for")
	flags.StringVar(&f.Command.Criterion, "criterion", "", "the `id` of the criterion, for people: the gate matches command and directory")
	flags.StringVar(&f.Cwd, "cwd", ".", "run the command in this `directory`")
	flags.DurationVar(&f.Command.Timeout, "timeout", 0, "end the command after this time, such as 10m")
	flags.StringVar(&f.Log, "log", "", "append to this `file` (default "+record.FileName+" in the evidence directory)")
	flags.StringVar(&f.EvidenceDir, "evidence-dir", "", "the evidence `directory`, relative to the repository's root, which the code tree excludes (default the contract's, or .closeout/evidence)")
	flags.StringArrayVar(&f.Produces, "produces", nil, "a report `file` that the command writes; repeatable")
	flags.StringVar(&f.Stdout, "produces-stdout", "", "a report `file` that gets the standard output of the command, unredacted")
	flags.StringArrayVar(&f.FromContract, "from-contract", nil, "run all criteria of the contract in this `file`; without a file, those of .closeout/scope_contract.json and of the task; repeatable, for task contracts beside it")
	flags.Lookup("from-contract").NoOptDefVal = run.OwnContracts
	flags.StringVar(&f.Setup, "setup", "", "with --from-contract: run this Bash `script` first, which must succeed and is not recorded")
	flags.StringVar(&f.Rules, "rules", "", "with --from-contract: the Bash `script` that writes the rule report, if the contract does not name a command for it")
	for _, name := range []string{"from-contract", "setup", "rules"} { // now closeout run --record-only
		flags.Lookup(name).Hidden = true
	}
	flags.BoolVar(&f.Exclusive, "exclusive", false, "the log must be new, nothing else may write it, and its sha256 becomes a step output")
	flags.BoolVar(&f.NoTree, "no-tree", false, "record without code trees: such a record is bound to no code")
	flags.IntVar(&f.Tail, "tail-bytes", record.DefaultTail, "how much of the end of each output stream is kept")
	return c
}

// joinFromContract lets --from-contract take its file from the next word, which a flag whose value may be absent cannot.
func joinFromContract(args []string) []string {
	if len(args) == 0 || args[0] != "record" {
		return args
	}
	var joined []string
	for i := 0; i < len(args); i++ {
		if args[i] == "--" {
			return append(joined, args[i:]...)
		}
		if args[i] == "--from-contract" && i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") {
			joined = append(joined, args[i]+"="+args[i+1])
			i++
			continue
		}
		joined = append(joined, args[i])
	}
	return joined
}

// recordFailed turns an error of a command that records into an exit status that the gate does not use.
func recordFailed(command string, err error, std console.Streams) error {
	if _, ended := errors.AsType[run.Exit](err); err == nil || ended {
		return err
	}
	std.Tell(command, "%v", err)
	return run.Exit{Code: record.StatusFailed}
}

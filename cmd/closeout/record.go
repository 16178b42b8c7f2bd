package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/internal/record"
	"github.com/closeout-gate/closeout/verify"
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

// recordFlags are what record is asked to do.
type recordFlags struct {
	command      record.Command
	cwd          string
	log          string
	evidenceDir  string
	produces     []string
	stdout       string
	fromContract []string
	setup, rules string
	exclusive    bool
	noTree       bool
	tail         int
}

func newRecord(std console.Streams) *cobra.Command {
	f := &recordFlags{}
	c := &cobra.Command{
		Use: "record [flags] -- CMD ARG...", Short: "Run a command and record it", Long: recordLong,
		Example: "  closeout record -- go test ./...",
		RunE:    func(_ *cobra.Command, args []string) error { return recordFailed(f.run(args, std), std) },
	}
	c.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return recordFailed(wrongFlag(c, err), std) })
	defineRecord(f, c)
	return c
}

func defineRecord(f *recordFlags, c *cobra.Command) {
	flags := c.Flags()
	flags.SetInterspersed(false) // what follows the command's name is the command's
	flags.StringVar(&f.command.Task, "task", "", "the `id` of the task that the command is run for")
	flags.StringVar(&f.command.Criterion, "criterion", "", "the `id` of the criterion, for people: the gate matches command and directory")
	flags.StringVar(&f.cwd, "cwd", ".", "run the command in this `directory`")
	flags.DurationVar(&f.command.Timeout, "timeout", 0, "end the command after this time, such as 10m")
	flags.StringVar(&f.log, "log", "", "append to this `file` (default "+record.FileName+" in the evidence directory)")
	flags.StringVar(&f.evidenceDir, "evidence-dir", "", "the evidence `directory`, relative to the repository's root, which the code tree excludes (default the contract's, or .closeout/evidence)")
	flags.StringArrayVar(&f.produces, "produces", nil, "a report `file` that the command writes; repeatable")
	flags.StringVar(&f.stdout, "produces-stdout", "", "a report `file` that gets the standard output of the command, unredacted")
	flags.StringArrayVar(&f.fromContract, "from-contract", nil, "run all criteria of the contract in this `file`; without a file, those of .closeout/scope_contract.json and of the task; repeatable, for task contracts beside it")
	flags.Lookup("from-contract").NoOptDefVal = ownContracts
	flags.StringVar(&f.setup, "setup", "", "with --from-contract: run this Bash `script` first, which must succeed and is not recorded")
	flags.StringVar(&f.rules, "rules", "", "with --from-contract: the Bash `script` that writes the rule report, if the contract does not name a command for it")
	for _, name := range []string{"from-contract", "setup", "rules"} { // now closeout run --record-only
		flags.Lookup(name).Hidden = true
	}
	flags.BoolVar(&f.exclusive, "exclusive", false, "the log must be new, nothing else may write it, and its sha256 becomes a step output")
	flags.BoolVar(&f.noTree, "no-tree", false, "record without code trees: such a record is bound to no code")
	flags.IntVar(&f.tail, "tail-bytes", record.DefaultTail, "how much of the end of each output stream is kept")
}

// ownContracts means --from-contract without a file.
const ownContracts = "the repository's own"

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

// recordFailed turns an error of recording into its exit status: those of the gate mean something else.
func recordFailed(err error, std console.Streams) error {
	var code exit
	if err == nil || errors.As(err, &code) {
		return err
	}
	fmt.Fprintln(std.Err, "closeout record:", err)
	return exit{record.StatusFailed}
}

func (f *recordFlags) run(args []string, std console.Streams) error {
	if err := f.check(args); err != nil {
		return err
	}
	record.Hide()
	r, contracts, err := f.open(std)
	if err != nil {
		return err
	}
	signals := make(chan os.Signal, 8)
	notify(signals)
	defer signal.Stop(signals)
	r.Signals = signals
	// The command is recorded even when its output has no reader any more. Ignoring the signal would be inherited.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	if contracts != nil {
		return f.runContracts(r, contracts, std)
	}
	f.command.Argv = args
	return f.runCommand(r, std)
}

// notify asks for the signals that end a run. One that the caller ignores, as nohup does, stays ignored.
func notify(signals chan<- os.Signal) {
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		if !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
}

// runCommand records one command.
func (f *recordFlags) runCommand(r *record.Recorder, std console.Streams) (err error) {
	if f.exclusive {
		if err := r.MoveAside(f.command.Produces); err != nil {
			return err
		}
		defer func() { err = finish(err, r.PutBack) }()
		if r.Watch, err = record.NewWatch(r.Root, []string{r.Log}, r.Env); err != nil {
			return err
		}
	}
	result, err := r.Run(f.command)
	if err != nil {
		return err
	}
	if (result.Exit == nil || result.Problem != nil) && result.Why != "" {
		fmt.Fprintln(std.Err, "closeout record:", result.Why)
	}
	if r.Watch != nil {
		if err := r.PutBack(); err != nil {
			return err
		}
		if err := handOver(r.Watch, []string{r.Log}, r.Watch.Digest(r.Log), std); err != nil {
			return err
		}
	}
	return endWith(result.Status)
}

func endWith(status int) error {
	if status == 0 {
		return nil
	}
	return exit{status}
}

// check refuses a call that cannot be carried out.
func (f *recordFlags) check(args []string) error {
	switch {
	case f.fromContract == nil && len(args) == 0:
		return errors.New("there is no command: write closeout record -- go test ./..., or closeout run --record-only for those of the contract")
	case f.fromContract == nil && (f.setup != "" || f.rules != ""):
		return errors.New("--setup and --rules require --from-contract")
	case f.fromContract != nil && len(args) > 0:
		return errors.New("a command cannot be given beside --from-contract, which runs those of the contract: leave one of them out")
	case f.fromContract != nil && (f.command.Criterion != "" || f.cwd != "." || len(f.produces) > 0 || f.stdout != ""):
		return errors.New("--criterion, --cwd, --produces and --produces-stdout cannot be given beside --from-contract: the contract's criteria declare them")
	case f.command.Timeout < 0:
		return fmt.Errorf("a timeout cannot be %s: expected more than 0", f.command.Timeout)
	case f.tail < 0 || f.tail > record.LargestTail:
		return fmt.Errorf("--tail-bytes cannot be %d: expected 0 to %d", f.tail, record.LargestTail)
	}
	return verify.CheckTask(f.command.Task)
}

// open finds the repository and reads the contracts, nil when there are none to run.
func (f *recordFlags) open(std console.Streams) (*record.Recorder, *contracts, error) {
	here, err := os.Getwd()
	if err != nil {
		return nil, nil, err
	}
	if here, err = filepath.EvalSymlinks(here); err != nil {
		return nil, nil, err
	}
	r := &record.Recorder{Env: os.Environ(), Tail: f.tail, Grace: record.DefaultGrace}
	r.Tell = func(text string) { fmt.Fprintln(std.Err, "closeout record:", text) }
	r.Stdout, r.Stderr, r.Commands = console.Outputs(std, console.InActions())
	if err := f.openRepository(r, here); err != nil {
		return nil, nil, err
	}
	list, err := f.readContracts(r.Root, std)
	if err != nil {
		return nil, nil, err
	}
	return r, list, f.paths(r, here, list)
}

func (f *recordFlags) openRepository(r *record.Recorder, here string) (err error) {
	r.Root, err = record.Find(here)
	switch {
	case f.noTree && errors.Is(err, fs.ErrNotExist):
		r.Root = here
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%q is not in a git repository: record in one, or record without trees (--no-tree)", here)
	case err != nil || f.noTree:
		return err
	}
	r.Git, err = record.OpenGit(r.Root, r.Env)
	return err
}

// paths turns the paths of the call, which are relative to the current directory, into those of the repository.
func (f *recordFlags) paths(r *record.Recorder, here string, list *contracts) (err error) {
	switch {
	case f.evidenceDir != "":
		r.Evidence = f.evidenceDir
	case list != nil:
		r.Evidence = record.EvidenceDir(list.first)
	default:
		r.Evidence = record.EvidenceDir(nil)
	}
	r.Evidence = filepath.ToSlash(filepath.Clean(r.Evidence))
	if r.Evidence == "." || !filepath.IsLocal(r.Evidence) {
		return fmt.Errorf("the evidence directory cannot be %q: expected a directory below the repository's root", r.Evidence)
	}
	r.Log = filepath.Join(r.Root, r.Evidence, record.FileName)
	if f.log != "" {
		r.Log = absolute(here, f.log)
	}
	if f.command.Cwd, err = inRepository(r.Root, here, f.cwd); err != nil {
		return err
	}
	if f.stdout != "" {
		f.produces = append(f.produces, f.stdout)
		if f.command.Stdout, err = inRepository(r.Root, here, f.stdout); err != nil {
			return err
		}
	}
	for _, path := range f.produces {
		if path, err = inRepository(r.Root, here, path); err != nil {
			return err
		}
		f.command.Produces = append(f.command.Produces, path)
	}
	if standing := record.Standing(r.Root); len(f.produces) > 0 && standing != nil && standing.Coverage != nil {
		f.command.Coverage = standing.Coverage.Report
	}
	return nil
}

func absolute(here, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(here, path)
}

// inRepository names a path as the repository does. Symlinks are kept: a contract names a directory by its path.
func inRepository(root, here, path string) (string, error) {
	rel, err := filepath.Rel(root, absolute(here, path))
	if err != nil || !filepath.IsLocal(rel) {
		return "", fmt.Errorf("%q is not in the repository %q", path, root)
	}
	return filepath.ToSlash(rel), nil
}

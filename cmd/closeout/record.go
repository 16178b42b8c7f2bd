package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/closeout-gate/closeout/verify/evidence"
	"github.com/closeout-gate/closeout/verify/record"
)

const recordLong = `record runs a command and appends what happened to the feedback log, as one line.

The command's output is passed on as it is, and so is its exit status. The record holds the exit code, a digest of each
whole output stream, the redacted end of each, and the code tree before and after, which binds it to exactly this code.
The command's words are recorded as they are: put no secret there.

With --from-contract it runs every acceptance criterion and negative control of a contract instead, prints the log's
sha256, and sets the step output feedback_sha256 when GITHUB_OUTPUT is there.

Exit codes: the command's own; 128+n after signal n; 124 timeout; 125 the recorder failed; 126, 127 the command could not
be started. With --from-contract: 0 when every command ended as expected, else 1.`

// recordFlags are what record is asked to do.
type recordFlags struct {
	command      record.Command
	cwd          string
	log          string
	evidenceDir  string
	produces     []string
	fromContract string
	noTree       bool
	tail         int
}

func newRecord(std stdio) *cobra.Command {
	f := &recordFlags{}
	c := &cobra.Command{
		Use: "record [flags] -- CMD ARG...", Short: "Run a command and record it", Long: recordLong,
		Example: "  closeout record -- go test ./...\n  closeout record --from-contract",
		RunE:    func(_ *cobra.Command, args []string) error { return recordFailed(f.run(args, std), std) },
	}
	c.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return recordFailed(err, std) })
	f.define(c)
	return c
}

func (f *recordFlags) define(c *cobra.Command) {
	flags := c.Flags()
	flags.SetInterspersed(false) // what follows the command's name is the command's
	flags.StringVar(&f.command.Task, "task", "", "the `id` of the task that the command is run for")
	flags.StringVar(&f.command.Criterion, "criterion", "", "the `id` of the criterion, for people: the gate goes by command and folder")
	flags.StringVar(&f.cwd, "cwd", ".", "run the command in this `folder`")
	flags.DurationVar(&f.command.Timeout, "timeout", 0, "end the command after this time, such as 10m")
	flags.StringVar(&f.log, "log", "", "append to this `file` (default "+record.FileName+" in the evidence folder)")
	flags.StringVar(&f.evidenceDir, "evidence-dir", "", "the evidence `folder`, relative to the repository's root, that the code tree leaves out (default the contract's, or .closeout/evidence)")
	flags.StringArrayVar(&f.produces, "produces", nil, "a report `file` that the command writes; repeatable")
	flags.StringVar(&f.fromContract, "from-contract", "", "run all criteria of the contract in this `file`; without a file, those of .closeout/scope_contract.json and of the task")
	flags.Lookup("from-contract").NoOptDefVal = ownContracts
	flags.BoolVar(&f.noTree, "no-tree", false, "record without code trees: such a record is bound to no code")
	flags.IntVar(&f.tail, "tail-bytes", record.DefaultTail, "how much of the end of each output stream is kept")
}

// ownContracts stands for --from-contract without a file.
const ownContracts = "the repository's own"

// joinFromContract lets --from-contract take its file from the next word, which a flag whose value may be absent cannot.
func joinFromContract(args []string) []string {
	if len(args) == 0 || args[0] != "record" {
		return args
	}
	for i, arg := range args {
		if arg == "--" {
			break
		}
		if arg == "--from-contract" && i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") {
			return slices.Concat(args[:i], []string{arg + "=" + args[i+1]}, args[i+2:])
		}
	}
	return args
}

// recordFailed turns what went wrong with recording into its exit status: those of the gate mean something else.
func recordFailed(err error, std stdio) error {
	var code exit
	if err == nil || errors.As(err, &code) {
		return err
	}
	fmt.Fprintln(std.err, "closeout record:", err)
	return exit{record.StatusFailed}
}

func (f *recordFlags) run(args []string, std stdio) error {
	if err := f.check(args); err != nil {
		return err
	}
	r, contract, err := f.open(std)
	if err != nil {
		return err
	}
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	r.Signals = signals
	// When nobody reads our output any more, the command still is recorded. Ignoring the signal would be inherited.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	if contract != nil {
		return f.runContract(r, contract, std)
	}
	f.command.Argv = args
	result, err := r.Run(f.command)
	if err != nil {
		return err
	}
	if result.Exit == nil || result.Problem != nil {
		fmt.Fprintln(std.err, "closeout record:", result.Why)
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
	case f.fromContract == "" && len(args) == 0:
		return errors.New("there is no command: write it behind --, or name a contract with --from-contract")
	case f.fromContract != "" && len(args) > 0:
		return errors.New("a command cannot be given beside --from-contract")
	case f.fromContract != "" && (f.command.Criterion != "" || f.cwd != "." || len(f.produces) > 0):
		return errors.New("--criterion, --cwd and --produces cannot be given beside --from-contract: its criteria say that")
	case f.command.Task != "" && !evidence.ValidTaskID(f.command.Task):
		return fmt.Errorf("%q is not a task id: expected at most 64 letters, digits, dots, underscores and hyphens, and no two dots in a row", f.command.Task)
	case f.command.Timeout < 0:
		return fmt.Errorf("a timeout cannot be %s: expected more than 0", f.command.Timeout)
	case f.tail < 0 || f.tail > record.LargestTail:
		return fmt.Errorf("--tail-bytes cannot be %d: expected 0 to %d", f.tail, record.LargestTail)
	}
	return nil
}

// open finds the repository and reads the contract, nil when there is none to run.
func (f *recordFlags) open(std stdio) (*record.Recorder, *evidence.Contract, error) {
	here, err := os.Getwd()
	if err != nil {
		return nil, nil, err
	}
	if here, err = filepath.EvalSymlinks(here); err != nil {
		return nil, nil, err
	}
	r := &record.Recorder{Env: os.Environ(), Stdout: std.out, Stderr: std.err, Tail: f.tail, Grace: record.DefaultGrace}
	if err := f.openRepository(r, here); err != nil {
		return nil, nil, err
	}
	contract, err := f.readContract(r.Root, std)
	if err != nil {
		return nil, nil, err
	}
	if name := filepath.Base(f.fromContract); contract != nil && f.command.Task == "" && strings.TrimSuffix(name, filepath.Ext(name)) == contract.TaskID.Value {
		f.command.Task = contract.TaskID.Value // a task's contract is called as its task_id; records of a standing one are good for any task
	}
	return r, contract, f.paths(r, here, contract)
}

// readContract reads the contract whose criteria are to be run; nil when a command was given.
func (f *recordFlags) readContract(root string, std stdio) (*evidence.Contract, error) {
	switch f.fromContract {
	case "":
		return nil, nil
	case ownContracts:
		return record.ReadContracts(root, f.command.Task, std.err)
	default:
		return record.ReadContract(f.fromContract, std.err)
	}
}

func (f *recordFlags) openRepository(r *record.Recorder, here string) (err error) {
	r.Root, err = record.Find(here)
	switch {
	case f.noTree && errors.Is(err, fs.ErrNotExist):
		r.Root = here
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%q lies in no git repository: record in one, or record without trees (--no-tree)", here)
	case err != nil || f.noTree:
		return err
	}
	r.Git, err = record.OpenGit(r.Root, r.Env)
	return err
}

// paths turns the paths of the call, which are relative to the current folder, into those of the repository.
func (f *recordFlags) paths(r *record.Recorder, here string, contract *evidence.Contract) (err error) {
	if r.Evidence = f.evidenceDir; r.Evidence == "" {
		r.Evidence = record.EvidenceDir(contract)
	}
	r.Evidence = filepath.ToSlash(filepath.Clean(r.Evidence))
	if r.Evidence == "." || !filepath.IsLocal(r.Evidence) {
		return fmt.Errorf("the evidence folder cannot be %q: expected a folder below the repository's root", r.Evidence)
	}
	r.Log = filepath.Join(r.Root, r.Evidence, record.FileName)
	if f.log != "" {
		r.Log = absolute(here, f.log)
	}
	if f.command.Cwd, err = inRepository(r.Root, here, f.cwd); err != nil {
		return err
	}
	for _, path := range f.produces {
		if path, err = inRepository(r.Root, here, path); err != nil {
			return err
		}
		f.command.Produces = append(f.command.Produces, path)
	}
	return nil
}

func absolute(here, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(here, path)
}

// inRepository names a path as the repository does. Links are kept: a contract names a folder as it is called.
func inRepository(root, here, path string) (string, error) {
	rel, err := filepath.Rel(root, absolute(here, path))
	if err != nil || !filepath.IsLocal(rel) {
		return "", fmt.Errorf("%q does not lie in the repository %q", path, root)
	}
	return filepath.ToSlash(rel), nil
}

// runContract records all criteria and hands the log's digest over.
func (f *recordFlags) runContract(r *record.Recorder, contract *evidence.Contract, std stdio) error {
	output := os.Getenv("GITHUB_OUTPUT")
	if output != "" {
		if err := refuseForeign(r); err != nil {
			return err
		}
	}
	status, err := r.FromContract(contract, f.command, func(c evidence.Criterion, result *record.Result, met bool) {
		tell(c, result, met, std)
	})
	if err != nil {
		return err
	}
	digest, err := r.Digest()
	if err != nil {
		return fmt.Errorf("the log's digest cannot be taken: %w", err)
	}
	fmt.Fprintf(std.out, "%s  %s\n", digest, r.Log)
	if output != "" {
		if err := appendTo(output, "feedback_sha256="+digest+"\n"); err != nil {
			return fmt.Errorf("the step output cannot be set: %w", err)
		}
	}
	return endWith(status)
}

// refuseForeign refuses a log that was there before: handing over its digest would vouch for records that came with the
// change, which this run did not make.
func refuseForeign(r *record.Recorder) error {
	empty, err := r.Empty()
	if err != nil {
		return err
	}
	if !empty {
		return fmt.Errorf("the log %q holds records already, and its digest would vouch for them: name a new log with --log, such as one in RUNNER_TEMP", r.Log)
	}
	return nil
}

// tell says how a criterion ended.
func tell(c evidence.Criterion, result *record.Result, met bool, std stdio) {
	how := fmt.Sprintf("status %d", result.Status)
	if result.Exit != nil {
		how = fmt.Sprintf("exit code %d", *result.Exit)
	}
	word := "as expected"
	if !met {
		word = "not as expected"
	}
	fmt.Fprintf(std.err, "closeout record: %s: %s, %s (%s)\n", c.ID, how, word, strings.Join(c.Run, " "))
	if result.Exit == nil || result.Problem != nil {
		fmt.Fprintf(std.err, "closeout record: %s: %s\n", c.ID, result.Why)
	}
}

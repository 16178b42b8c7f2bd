package run

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/internal/record"
	"github.com/closeout-gate/closeout/internal/record/system"
	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/policy"
)

// RecordCall are what record is asked to do.
type RecordCall struct {
	Command      record.Command
	Cwd          string
	Log          string
	EvidenceDir  string
	Produces     []string
	Stdout       string
	FromContract []string
	Setup, Rules string
	Exclusive    bool
	NoTree       bool
	Tail         int
}

// OwnContracts means --from-contract without a file.
const OwnContracts = "the repository's own"

func (f *RecordCall) Run(args []string, std console.Streams) error {
	if err := f.check(args); err != nil {
		return err
	}
	system.Hide()
	r, contracts, err := f.open(std)
	if err != nil {
		return err
	}
	signals := make(chan os.Signal, 8)
	Notify(signals)
	defer signal.Stop(signals)
	r.Signals = signals
	// The command is recorded even when its output has no reader any more. Ignoring the signal would be inherited.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	if contracts != nil {
		return f.runContracts(r, contracts, std)
	}
	f.Command.Argv = args
	return f.runCommand(r, std)
}

// Notify asks for the signals that end a run. One that the caller ignores, as nohup does, stays ignored.
func Notify(signals chan<- os.Signal) {
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		if !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
}

// runCommand records one command.
func (f *RecordCall) runCommand(r *record.Recorder, std console.Streams) (err error) {
	if f.Exclusive {
		if err := r.MoveAside(f.Command.Produces); err != nil {
			return err
		}
		defer func() { err = Finish(err, r.PutBack) }()
		if r.Watch, err = record.NewWatch(r.Root, []string{r.Log}, r.Env); err != nil {
			return err
		}
	}
	result, err := r.Run(f.Command)
	if err != nil {
		return err
	}
	if (result.Exit == nil || result.Problem != nil) && result.Why != "" {
		std.Tell("record", "%v", result.Why)
	}
	if r.Watch != nil {
		if err := r.PutBack(); err != nil {
			return err
		}
		if err := handOver(r.Watch, []string{r.Log}, r.Watch.Digest(r.Log), std); err != nil {
			return err
		}
	}
	return EndWith(result.Status)
}

// check refuses a call that cannot be carried out.
func (f *RecordCall) check(args []string) error {
	switch {
	case f.FromContract == nil && len(args) == 0:
		return errors.New("there is no command: write closeout record -- go test ./..., or closeout run --record-only for those of the contract")
	case f.FromContract == nil && (f.Setup != "" || f.Rules != ""):
		return errors.New("--setup and --rules require --from-contract")
	case f.FromContract != nil && len(args) > 0:
		return errors.New("a command cannot be given beside --from-contract, which runs those of the contract: leave one of them out")
	case f.FromContract != nil && (f.Command.Criterion != "" || f.Cwd != "." || len(f.Produces) > 0 || f.Stdout != ""):
		return errors.New("--criterion, --cwd, --produces and --produces-stdout cannot be given beside --from-contract: the contract's criteria declare them")
	case f.Command.Timeout < 0:
		return fmt.Errorf("a timeout cannot be %s: expected more than 0", f.Command.Timeout)
	case f.Tail < 0 || f.Tail > record.LargestTail:
		return fmt.Errorf("--tail-bytes cannot be %d: expected 0 to %d", f.Tail, record.LargestTail)
	}
	return verify.CheckTask(f.Command.Task)
}

// open finds the repository and reads the contracts, nil when there are none to run.
func (f *RecordCall) open(std console.Streams) (*record.Recorder, *contracts, error) {
	here, err := os.Getwd()
	if err != nil {
		return nil, nil, err
	}
	if here, err = filepath.EvalSymlinks(here); err != nil {
		return nil, nil, err
	}
	r := &record.Recorder{Env: os.Environ(), Tail: f.Tail, Grace: record.DefaultGrace}
	r.Tell = func(text string) { std.Tell("record", "%v", text) }
	r.Stdout, r.Stderr, r.Commands = console.Outputs(std, console.InActions())
	r.Root, err = record.Find(here)
	switch {
	case f.NoTree && errors.Is(err, fs.ErrNotExist):
		r.Root, err = here, nil
	case errors.Is(err, fs.ErrNotExist):
		err = fmt.Errorf("%q is not in a git repository: record in one, or record without trees (--no-tree)", here)
	case err == nil && !f.NoTree:
		r.Git, err = record.OpenGit(r.Root, r.Env)
	}
	if err != nil {
		return nil, nil, err
	}
	list, err := f.readContracts(r.Root, std)
	if err != nil {
		return nil, nil, err
	}
	return r, list, f.paths(r, here, list)
}

// paths turns the paths of the call, which are relative to the current directory, into those of the repository.
func (f *RecordCall) paths(r *record.Recorder, here string, list *contracts) (err error) {
	var standing *contract.Contract
	if list != nil {
		standing = list.first
	}
	r.Evidence = filepath.ToSlash(filepath.Clean(cmp.Or(f.EvidenceDir, policy.EvidenceDirOf(standing))))
	if r.Evidence == "." || !filepath.IsLocal(r.Evidence) {
		return fmt.Errorf("the evidence directory cannot be %q: expected a directory below the repository's root", r.Evidence)
	}
	r.Log = filepath.Join(r.Root, r.Evidence, record.FileName)
	if f.Log != "" {
		r.Log = absolute(here, f.Log)
	}
	if f.Command.Cwd, err = inRepository(r.Root, here, f.Cwd); err != nil {
		return err
	}
	if f.Stdout != "" {
		f.Produces = append(f.Produces, f.Stdout)
		if f.Command.Stdout, err = inRepository(r.Root, here, f.Stdout); err != nil {
			return err
		}
	}
	for _, path := range f.Produces {
		if path, err = inRepository(r.Root, here, path); err != nil {
			return err
		}
		f.Command.Produces = append(f.Command.Produces, path)
	}
	if standing := record.Standing(r.Root); len(f.Produces) > 0 && standing != nil && standing.Coverage != nil {
		f.Command.Coverage = standing.Coverage.Report
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

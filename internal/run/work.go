package run

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/closeout-gate/closeout/internal/collect"
	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/internal/record"
	"github.com/closeout-gate/closeout/verify/policy"
)

// Work is what run and submit record and judge, and the hook judges. All of it is read from git before anything runs.
type Work struct {
	Root     string
	Path     []string // PATH for commands, as a plan has it; nil for that of this process
	Git      *collect.Git
	Options  collect.Options
	trial    string // the contract of the work tree that is tried, relative to the root; "" when the base has one
	same     bool   // the base is HEAD, so that nothing is changed
	Show     *Progress
	Compared *collect.Comparison
	Standing *collect.Contracts   // of the base, or the operator's
	Each     []*collect.Contracts // with the task contracts, of which the change may add several
	Judged   *collect.Contracts   // as the gate joins them
	Recorder *record.Recorder     // nil before one is needed
}

// NewRecorder makes the recorder of a work tree, whose progress s shows.
func (s *Work) NewRecorder(root, evidence string, std console.Streams) (*record.Recorder, error) {
	show := s.Show
	r := &record.Recorder{
		Root: root, Evidence: evidence, Log: filepath.Join(root, filepath.FromSlash(evidence), record.FileName),
		Env: withPath(s.Path, root), Tail: record.DefaultTail, Grace: record.DefaultGrace, Stdout: io.Discard, Stderr: io.Discard,
	}
	r.Tell = show.Say
	if show.passOn {
		// Standard output is for the report. In one writer, the lines that switch workflow commands off and on stay in order.
		both := &console.Together{To: console.Bare(std.Err)}
		r.Stdout, r.Stderr = both, both
		if console.InActions() && !console.IsFile(both.To) {
			r.Commands = both
		}
	}
	s.Recorder = r
	var err error
	r.Git, err = record.OpenGit(root, r.Env)
	return r, err
}

// PutBack puts back what the recorder moved aside, if there is one.
func (s *Work) PutBack() error {
	if s.Recorder == nil {
		return nil
	}
	return s.Recorder.PutBack()
}

// ReportsOf are the reports that the commands of a plan write.
func ReportsOf(p *record.Plan, first *policy.Policy, r *record.Recorder) []string {
	reports := p.Reports(r.Evidence)
	if first.Coverage != nil {
		reports = append(reports, first.Coverage.Report)
	}
	return reports
}

// Prepare moves tracked evidence aside, removes that of an earlier run, and watches the logs of this one. The caller puts back.
func Prepare(r *record.Recorder, logs, reports []string) (err error) {
	if err := r.MoveAside(reports); err != nil {
		return err
	}
	others, err := record.Clean(r.Root, r.Evidence, reports)
	if err != nil {
		return err
	}
	for _, log := range others {
		r.Tell(fmt.Sprintf("run does not write the log %q, so it stays, and the gate reads it: remove it if it is of an earlier run", log))
	}
	r.Watch, err = record.NewWatch(r.Root, logs, r.Env)
	return err
}

// Follow runs and records a plan. A signal that would end this process ends the command, and what follows is not run.
func (s *Work) Follow(r *record.Recorder, p *record.Plan) (status int, err error) {
	signals := make(chan os.Signal, 8)
	Notify(signals)
	defer signal.Stop(signals)
	r.Signals = signals
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // as record does
	status, err = r.FromPlan(p, s.Show)
	s.Show.end()
	return status, err
}

// Gather collects what was recorded, with the contracts and changes that were read before anything ran. A bundle is a new
// directory for a copy of it, "" for none.
func (s *Work) Gather(bundle string) (*collect.Found, error) {
	found, err := collect.Gather(s.Compared, s.Judged, s.Options)
	if err == nil && bundle != "" {
		found, err = collect.WriteBundle(bundle, found)
	}
	if err != nil {
		return nil, err
	}
	settings := s.Options.Settings
	settings.Notes = found.Settings.Notes
	found.Settings = settings
	return found, nil
}

// withPath is this process's environment with the PATH of a plan, for commands in the work tree at root. Without one it
// is unchanged.
func withPath(path []string, root string) []string {
	env := os.Environ()
	if path == nil {
		return env
	}
	var list []string
	for _, entry := range path {
		if !filepath.IsAbs(entry) {
			entry = filepath.Join(root, entry)
		}
		list = append(list, entry)
	}
	env = slices.DeleteFunc(env, func(v string) bool { return strings.HasPrefix(v, "PATH=") })
	return append(env, "PATH="+strings.Join(list, string(filepath.ListSeparator)))
}

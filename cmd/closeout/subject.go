package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/closeout-gate/closeout/internal/agent/item"
	"github.com/closeout-gate/closeout/internal/agent/session"
	"github.com/closeout-gate/closeout/internal/collect"
	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/internal/record"
	"github.com/closeout-gate/closeout/verify/policy"
	"github.com/closeout-gate/closeout/verify/report"
)

// subject is what run and submit record and judge, and the hook judges. All of it is read from git before anything runs.
type subject struct {
	root     string
	path     []string // PATH for commands, as a plan has it; nil for that of this process
	git      *collect.Git
	options  collect.Options
	trial    string // the contract of the work tree that is tried, relative to the root; "" when the base has one
	same     bool   // the base is HEAD, so that nothing is changed
	show     *progress
	compared *collect.Comparison
	standing *collect.Contracts   // of the base, or the operator's
	each     []*collect.Contracts // with the task contracts, of which the change may add several
	judged   *collect.Contracts   // as the gate joins them
	r        *record.Recorder     // nil before one is needed
}

// recorder makes the recorder of a work tree, whose progress s shows.
func (s *subject) recorder(root, evidence string, std console.Streams) (*record.Recorder, error) {
	show := s.show
	r := &record.Recorder{
		Root: root, Evidence: evidence, Log: filepath.Join(root, filepath.FromSlash(evidence), record.FileName),
		Env: withPath(s.path, root), Tail: record.DefaultTail, Grace: record.DefaultGrace, Stdout: io.Discard, Stderr: io.Discard,
	}
	r.Tell = show.say
	if show.passOn {
		// Standard output is for the report. In one writer, the lines that switch workflow commands off and on stay in order.
		both := &console.Together{To: console.Bare(std.Err)}
		r.Stdout, r.Stderr = both, both
		if console.InActions() && !console.IsFile(both.To) {
			r.Commands = both
		}
	}
	s.r = r
	var err error
	r.Git, err = record.OpenGit(root, r.Env)
	return r, err
}

// putBack puts back what the recorder moved aside, if there is one.
func (s *subject) putBack() error {
	if s.r == nil {
		return nil
	}
	return s.r.PutBack()
}

// finish does what must be done at the end whatever the error is. Its own error is printed, so it replaces an exit code.
func finish(err error, do func() error) error {
	failed, code := do(), exit{}
	switch {
	case failed == nil:
		return err
	case errors.As(err, &code):
		return failed
	}
	return errors.Join(err, failed)
}

// reportsOf are the reports that the commands of a plan write.
func reportsOf(p *record.Plan, first *policy.Policy, r *record.Recorder) []string {
	reports := p.Reports(r.Evidence)
	if first.Coverage != nil {
		reports = append(reports, first.Coverage.Report)
	}
	return reports
}

// prepare moves tracked evidence aside, removes that of an earlier run, and watches the logs of this one. The caller puts back.
func prepare(r *record.Recorder, logs, reports []string) (err error) {
	if err := r.MoveAside(reports); err != nil {
		return err
	}
	if _, err := record.Clean(r.Root, r.Evidence, reports); err != nil {
		return err
	}
	r.Watch, err = record.NewWatch(r.Root, logs, r.Env)
	return err
}

// follow runs and records a plan. A signal that would end this process ends the command, and what follows is not run.
func (s *subject) follow(r *record.Recorder, p *record.Plan) (status int, err error) {
	signals := make(chan os.Signal, 8)
	notify(signals)
	defer signal.Stop(signals)
	r.Signals = signals
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // as record does
	status, err = r.FromPlan(p, s.show)
	s.show.end()
	return status, err
}

// gather collects what was recorded, with the contracts and changes that were read before anything ran. A bundle is a new
// directory for a copy of it, "" for none.
func (s *subject) gather(bundle string) (*collect.Found, error) {
	found, err := collect.Gather(s.compared, s.judged, s.options)
	if err == nil && bundle != "" {
		found, err = collect.WriteBundle(bundle, found)
	}
	if err != nil {
		return nil, err
	}
	settings := s.options.Settings
	settings.Notes = found.Settings.Notes
	found.Settings = settings
	return found, nil
}

// tellPersons says which of the paths that the commits should not change were on disk before the agent came: a report does not
// know.
func tellPersons(s *subject, r *report.Report, std console.Streams) {
	store, err := session.Find("", s.root, s.git.CommonDir())
	if err != nil {
		return
	}
	var list []string
	for _, fact := range item.Leave(item.FactsOf(r), store.Persons(s.root)) {
		if fact.Fix == item.WasThere && !slices.Contains(list, fact.Path) {
			list = append(list, fact.Path)
		}
	}
	if len(list) > 0 {
		fmt.Fprintf(std.Err, "closeout run: do not revert %s: %s\n", item.Several(list), item.WasThere)
	}
}

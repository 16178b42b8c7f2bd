// Package run runs the gate: it records what the contracts require, judges the change, and writes the report.
package run

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/closeout-gate/closeout/internal/collect"
	"github.com/closeout-gate/closeout/internal/present"
	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/internal/record"
	"github.com/closeout-gate/closeout/internal/record/system"
	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/policy"
	"github.com/closeout-gate/closeout/verify/report"
)

// Call are what run is asked to do.
type Call struct {
	Base, Contract, ContractFile, BaseTests string
	Setup, Rules, Stream                    string
	Only, Cross                             []string
	Timeout                                 time.Duration
	RecordOnly, Verbose, Quiet, All         bool
	Report, Format, Bundle                  string
	Settings                                verify.Settings
	Told                                    func(*Work, *report.Report) // about a change that was judged
}

// check refuses a call that cannot be carried out.
func (f *Call) check() (present.Format, error) {
	format, err := present.FormatNamed(f.Format)
	switch {
	case err != nil:
		return format, err
	case f.Contract != "" && f.ContractFile != "":
		return format, errors.New("--contract names a file of the base, --contract-file one on disk: give one of them")
	case f.Timeout < 0:
		return format, fmt.Errorf("a timeout cannot be %s: expected more than 0", f.Timeout)
	case f.Stream != "" && !f.RecordOnly:
		return format, errors.New("--stream requires --record-only: it names what this job supplies to the job that judges")
	case f.Stream != "" && (!contract.ValidTaskID(f.Stream) || strings.Contains(f.Stream, ".")):
		return format, fmt.Errorf("%q cannot be the name of a step output: expected letters, digits, underscores and hyphens", f.Stream)
	}
	for _, name := range f.Cross {
		switch {
		case name == noCross && len(f.Cross) > 1:
			return format, fmt.Errorf("--cross %s leaves out all trees: name no other one beside it", noCross)
		case name != noCross && !slices.Contains(CrossTrees, name):
			return format, fmt.Errorf("--cross %q is no tree: expected %s or %s", name, strings.Join(CrossTrees, ", "), noCross)
		}
	}
	return format, f.Settings.Check()
}

func (f *Call) Run(std console.Streams) (err error) {
	format, err := f.check()
	if err != nil {
		return err
	}
	target := ReportPath(f.Report, nil)
	if err := f.removeReport(target); err != nil {
		return err
	}
	system.Hide()
	s, err := f.open(std)
	if err != nil {
		return err
	}
	defer s.Git.Close()
	defer func() { err = Finish(err, s.PutBack) }() // what is judged is what was recorded
	s.Show = NewProgress(std, f.Verbose || console.InActions())
	policies := f.required(s, s.Policies(f.RecordOnly, std))
	status, logs := 0, f.crossLogs(s, policies)
	if !f.crossOnly() {
		status, err = f.record(s, policies, std)
	}
	if err == nil && status < record.StatusFailed {
		ended, failed := f.recordCross(s, policies, logs, std)
		status, err = max(status, ended), failed
	}
	switch {
	case err != nil:
		return err
	case f.RecordOnly:
		return EndWith(status)
	}
	err = f.judge(s, target, format, std)
	s.Show.showFailed(nil) // what no report could show
	switch {               // findings about a change that adds the gate itself ask to revert it
	case s.trial == "", s.Judged.Policy == nil: // the report says what is wrong with the contract
	case s.same:
		std.Tell("run", "this was a trial of %s: its commands ran, and there was no change to judge. Commit it, merge it into the base branch, and the gate uses it", s.trial)
	default:
		std.Tell("run", "this was a trial. Do not revert %s, its controls and its workflow, where findings ask for that: let a person review and merge them, and the gate uses them", s.trial)
	}
	if status > record.StatusSignal {
		std.Tell("run", "a signal ended it, so the commands after that were not run")
		return Exit{status}
	}
	return err
}

// required leaves the criteria out that the change does not require, unless the call asks for them.
func (f *Call) required(s *Work, policies []*policy.Policy) []*policy.Policy {
	if f.All || len(f.Only) > 0 || s.trial != "" {
		return policies
	}
	for i, p := range policies {
		if !p.HasWhen() {
			continue
		}
		with, err := collect.WithArguments(p, s.Compared.Objects, s.Compared.Base)
		if err != nil {
			continue // what it would protect is not known, so that all are required
		}
		policies[i] = with.For(s.Compared.Changes, s.Compared.Changes != nil)
		for _, c := range policies[i].NotRequired {
			s.Show.Say(c.ID + " is not run: the change touches nothing that requires it (--all runs it)")
		}
	}
	return policies
}

// removeReport removes the report of an earlier run, which could pass for that of this one.
func (f *Call) removeReport(target string) error {
	if f.RecordOnly || target == ToStdout {
		return nil
	}
	here, err := os.Getwd()
	if err != nil {
		return err
	}
	if (collect.Options{Root: here, ContractFile: f.ContractFile, BaseTests: f.BaseTests}).NamesFile(target) {
		return OverInput(target)
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o777); err != nil {
		return fmt.Errorf("the report %q cannot be written: %w", target, input.Reason(err))
	}
	_, err = collect.RemoveStale(target)
	return err
}

// record runs and records the plan. The status is that of [record.Recorder.FromPlan], and with --record-only what to exit with.
func (f *Call) record(s *Work, policies []*policy.Policy, std console.Streams) (status int, err error) {
	if len(policies) == 0 {
		if f.RecordOnly {
			return 0, errors.New("nothing was recorded")
		}
		return 0, nil // the report says the same
	}
	r, err := s.NewRecorder(s.Root, policies[0].EvidenceDir, std)
	if err != nil {
		return 0, err
	}
	p, err := f.plan(s, policies, r)
	if err != nil {
		return 0, err
	}
	status, err = s.Follow(r, p)
	if err != nil || f.RecordOnly {
		s.Show.showFailed(nil)
	}
	if err != nil || !f.RecordOnly {
		return status, err
	}
	if err := s.PutBack(); err != nil {
		return 0, err
	}
	if status > 1 {
		std.Tell("run", "nothing is supplied to the gate, because a record is incomplete or a command tampered with it, or a signal came")
		return status, nil
	}
	return 0, f.supply("feedback_sha256", p, r.Watch, std) // the gate judges what failed
}

// plan lists what is recorded, and removes what the last run left.
func (f *Call) plan(s *Work, policies []*policy.Policy, r *record.Recorder) (*record.Plan, error) {
	p := &record.Plan{Timeout: f.Timeout}
	if p.AddPolicy(policies, f.Rules, r.Log) {
		s.Show.Say("the contract names the command for rules, so the script of --rules is not run")
	}
	reports := ReportsOf(p, policies[0], r)
	if err := f.choose(p, s.Show); err != nil {
		return nil, err
	}
	if p.Setup = setupCommand(f.Setup); len(p.Streams) == 0 {
		p.Setup = nil
	}
	if p.Setup != nil {
		s.Show.Count++
	}
	r.LogsAway = f.RecordOnly
	if err := Prepare(r, p.Logs(), reports); err != nil {
		return nil, err
	}
	tree, differs, err := r.Look()
	if err == nil && differs && s.trial != "" {
		s.Options.WorkTree = tree // the contract itself need not be committed for a trial
	}
	return p, err
}

// setupCommand runs a script that prepares a work tree; nil for none.
func setupCommand(script string) []string {
	if script == "" {
		return nil
	}
	return []string{"bash", "-eo", "pipefail", "-c", script}
}

// choose keeps what --only names.
func (f *Call) choose(p *record.Plan, show *Progress) error {
	all := p.Names()
	for _, id := range f.Only {
		if !slices.Contains(all, id) {
			return fmt.Errorf("--only %q names no criterion of the contracts: expected one of %s", id, strings.Join(all, ", "))
		}
	}
	if len(f.Only) > 0 {
		p.Only(f.Only)
	}
	show.Count = len(p.Names())
	if left := len(all) - show.Count; left > 0 {
		show.Say(fmt.Sprintf("--only leaves out %s, whose evidence will be missing: run without it at the end", input.Plural(left, "command")))
	}
	return nil
}

// supply sets the step output with a name, and prints it.
func (f *Call) supply(name string, p *record.Plan, w *record.Watch, std console.Streams) error {
	prefix := ""
	if f.Stream != "" {
		name, prefix = name+"_"+f.Stream, f.Stream+"/"
	}
	value := p.Digests(w, prefix)
	if err := w.SetOutput(name, value); err != nil {
		return fmt.Errorf("the step output cannot be set: %w", err)
	}
	fmt.Fprintln(std.Out, value)
	return nil
}

// judge judges what was recorded, with the contracts and changes that were read before anything ran.
func (f *Call) judge(s *Work, target string, format present.Format, std console.Streams) error {
	watch := ReportOnSignal(target, f.Settings, std, s.PutBack)
	defer watch.Stop()
	found, err := s.Gather(f.Bundle)
	if err != nil {
		return err
	}
	if found.Contains(target) {
		return OverInput(target)
	}
	r, err := JudgeAndWrite(found.Bundle, target, watch, std)
	if err != nil {
		return err
	}
	if err := IntoBundle(r, f.Bundle, target, std); err != nil {
		return err
	}
	if f.Quiet || format.Kind != present.Plain {
		s.Show.showFailed(nil)
	} else {
		s.Show.showFailed(r)
	}
	if err := printBeside(format, r, target, f.Quiet, std); err != nil {
		return err
	}
	f.Told(s, r)
	return Ended(r)
}

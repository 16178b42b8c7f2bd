// Package action is one run of the gate as a GitHub action: inputs from INPUT_*, results as outputs, summary, annotations, comment and check run.
package action

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/sethvargo/go-githubactions"

	"github.com/closeout-gate/closeout/internal/collect"
	"github.com/closeout-gate/closeout/internal/github"
	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/internal/run"
	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/report"
)

// Action is one run in a workflow.
type Action struct {
	Gha       *githubactions.Action
	Std       console.Streams
	workspace string
	settings  verify.Settings
	report    string      // path in the workspace
	sarif     string      // where the findings go as SARIF; "" for nowhere
	bundle    string      // directory of the bundle that was written; "" for none
	written   bool        // whether the report is there
	github    *github.Run // nil when GitHub is not asked
}

// Run judges and shows the result on every surface. On any error the step fails, and there is a report.
func (a *Action) Run() error {
	a.settings = verify.Settings{Limits: input.DefaultLimits()}
	var r *report.Report
	err := run.Caught(func() (err error) {
		r, err = a.judge()
		return err
	})
	judged := err == nil
	if !judged {
		r, err = a.failed(err)
	}
	for _, surface := range []func(*report.Report) error{a.show, a.outputs} {
		shown := run.Caught(func() error { return surface(r) })
		if shown == nil {
			continue
		}
		r, err = a.failed(errors.Join(err, shown)) // the step fails, so no later surface may be green
		if judged {
			err = errors.Join(err, run.IntoBundle(r, a.bundle, a.report, a.Std))
		}
	}
	a.comment(r)
	a.checkRun(r)
	if err != nil {
		return err
	}
	return run.Ended(r)
}

// failed writes the report of a run that failed in the place of any other, at the default place when the wanted one is
// refused, and returns it with all errors.
func (a *Action) failed(err error) (*report.Report, error) {
	r := verify.Failure(verify.CodeUsage, err.Error(), "correct the workflow as the message says; action.yml lists the inputs", a.settings)
	a.written = false
	if a.report == "" {
		return r, err
	}
	wrong := run.WriteReport(r, a.report, a.Std)
	a.written = wrong == nil
	return r, errors.Join(err, wrong)
}

// judge reads the inputs, judges and writes the report.
func (a *Action) judge() (*report.Report, error) {
	if err := a.place(); err != nil {
		return nil, err
	}
	options := collect.Options{
		Root: a.workspace, Confined: true,
		ContractFile: a.input("contract_file"), Feedback: a.list("feedback"), Rules: a.list("rules"),
		Diff: a.list("diff"), Coverage: a.input("coverage"), Facts: a.input("facts"), BaseTests: a.input("base_tests"),
	}
	overInput := a.sarifOverInput(func(path string) bool {
		_, err := os.Lstat(path) // a new file may be written beside inputs that a pattern finds
		return err == nil && options.NamesFile(path)
	})
	if options.NamesFile(a.report) {
		return nil, a.overInput()
	}
	if overInput != nil {
		return nil, overInput
	}
	_, watch, err := run.Begin(a.report, a.settings, a.Std)
	if err != nil {
		return nil, err
	}
	defer watch.Stop()
	if err := a.readSettings(); err != nil {
		return nil, err
	}
	found, err := a.collect(options)
	if err != nil {
		return nil, err
	}
	if found.Contains(a.report) {
		return nil, a.overInput()
	}
	if err := a.sarifOverInput(found.Contains); err != nil {
		return nil, err
	}
	a.settings.Notes = found.Settings.Notes
	found.Settings = a.settings
	r, err := run.JudgeAndWrite(found.Bundle, a.report, watch, a.Std)
	if err != nil {
		return nil, err
	}
	a.written = true
	return r, run.IntoBundle(r, a.bundle, a.report, a.Std)
}

// collect finds the inputs: in the workspace alone, or from GitHub as well.
func (a *Action) collect(options collect.Options) (*collect.Found, error) {
	if !a.asksGitHub() {
		if a.input("bundle") != "" || a.input("contract") != "" {
			return nil, errors.New("the inputs bundle and contract require a token: they are about what is collected from GitHub")
		}
		if err := refusedEvent(a.Gha.Getenv("GITHUB_EVENT_NAME")); err != nil {
			return nil, err
		}
		return collect.Files(options)
	}
	run, err := a.openRun(options)
	if err != nil {
		return nil, err
	}
	a.github = run
	ctx, cancel := context.WithTimeout(context.Background(), collectTime)
	defer cancel()
	found, err := run.Collect(ctx)
	if err != nil {
		return nil, err
	}
	if a.input("bundle") == "" {
		return found, nil
	}
	if a.bundle, err = inWorkspace(a.workspace, "bundle", a.input("bundle")); err != nil {
		return nil, err
	}
	return collect.WriteBundle(a.bundle, found)
}

// collectTime bounds all questions to GitHub in one run; the client's own patience is shorter.
const collectTime = 5 * time.Minute

// openRun reads the event and makes the client. Every error is one of usage.
func (a *Action) openRun(files collect.Options) (*github.Run, error) {
	files.Contract, files.Settings = a.input("contract"), a.settings
	files.Settings.Today = run.Today()
	var payload []byte
	if file := a.Gha.Getenv("GITHUB_EVENT_PATH"); file != "" {
		var err error
		if payload, err = run.ReadEventFile(file); err != nil {
			return nil, fmt.Errorf("the event's payload (GITHUB_EVENT_PATH) cannot be read: %w", input.Reason(err))
		}
	}
	return github.NewRun(github.Options{
		EventName: a.Gha.Getenv("GITHUB_EVENT_NAME"), Attempt: a.Gha.Getenv("GITHUB_RUN_ATTEMPT"), RunID: a.Gha.Getenv("GITHUB_RUN_ID"),
		Runner: a.Gha.Getenv("RUNNER_NAME"), Payload: payload, Repository: a.Gha.Getenv("GITHUB_REPOSITORY"),
		APIURL: a.input("api_url"), RunnerAPI: a.Gha.Getenv("GITHUB_API_URL"), Token: a.input("token"), Version: verify.Version, Files: files,
		Progress: func(stage string) { fmt.Fprintln(a.Std.Err, "closeout:", stage) },
	})
}

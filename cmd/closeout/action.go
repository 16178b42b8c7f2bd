package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"

	"github.com/sethvargo/go-githubactions"
	"github.com/spf13/cobra"

	"github.com/closeout-gate/closeout/internal/collect"
	"github.com/closeout-gate/closeout/internal/github"
	"github.com/closeout-gate/closeout/internal/present"
	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/internal/run"
	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/report"
)

const actionLong = `action is what the container runs on GitHub: it takes the inputs of action.yml from INPUT_*, reads the pull
request with the token, judges it with the files of the workspace, and writes the report, the step's outputs, the job
summary and annotations. Without a token it judges only the files, as verify does.

Exit codes: 0 passed or overridden, 1 failed, 2 wrong inputs or environment, 3 a fact is unknown.`

func newAction(std console.Streams) *cobra.Command {
	return &cobra.Command{
		Use: "action", Short: "Run as a GitHub action", Long: actionLong, Args: noWords(""),
		Example: "  INPUT_CONTRACT_FILE=scope_contract.json INPUT_DIFF=pr.diff GITHUB_WORKSPACE=$PWD closeout action",
		RunE: func(*cobra.Command, []string) error {
			return (&action{gha: githubactions.New(githubactions.WithWriter(console.Bare(std.Out))), std: std}).run()
		},
	}
}

// action is one run in a workflow.
type action struct {
	gha       *githubactions.Action
	std       console.Streams
	workspace string
	settings  verify.Settings
	report    string      // path in the workspace
	sarif     string      // where the findings go as SARIF; "" for nowhere
	bundle    string      // directory of the bundle that was written; "" for none
	written   bool        // whether the report is there
	github    *github.Run // nil when GitHub is not asked
}

// run judges and shows the result on every surface. On any error the step fails, and there is a report.
func (a *action) run() error {
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
			err = errors.Join(err, run.IntoBundle(r, a.bundle, a.report, a.std))
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
func (a *action) failed(err error) (*report.Report, error) {
	r := verify.Failure(verify.CodeUsage, err.Error(), "correct the workflow as the message says; action.yml lists the inputs", a.settings)
	a.written = false
	if a.report == "" {
		return r, err
	}
	wrong := run.WriteReport(r, a.report, a.std)
	a.written = wrong == nil
	return r, errors.Join(err, wrong)
}

// judge reads the inputs, judges and writes the report.
func (a *action) judge() (*report.Report, error) {
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
	_, watch, err := run.Begin(a.report, a.settings, a.std)
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
	r, err := run.JudgeAndWrite(found.Bundle, a.report, watch, a.std)
	if err != nil {
		return nil, err
	}
	a.written = true
	return r, run.IntoBundle(r, a.bundle, a.report, a.std)
}

// sarifOverInput refuses the path of an input for the SARIF file: none is written then.
func (a *action) sarifOverInput(isInput func(string) bool) error {
	if a.sarif == "" || !isInput(a.sarif) {
		return nil
	}
	a.sarif = ""
	return fmt.Errorf("the SARIF file cannot be written over the input %q: name another path", a.input("sarif"))
}

// overInput refuses the report's path; the failing report goes to the default one.
func (a *action) overInput() error {
	refused := run.OverInput(a.input("report"))
	a.report = filepath.Join(a.workspace, report.FileName)
	return refused
}

// collect finds the inputs: in the workspace alone, or from GitHub as well.
func (a *action) collect(options collect.Options) (*collect.Found, error) {
	if !a.asksGitHub() {
		if a.input("bundle") != "" || a.input("contract") != "" {
			return nil, errors.New("the inputs bundle and contract require a token: they are about what is collected from GitHub")
		}
		if err := refusedEvent(a.gha.Getenv("GITHUB_EVENT_NAME")); err != nil {
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

// place finds the workspace and the report's path in it.
func (a *action) place() error {
	a.workspace = a.gha.Getenv("GITHUB_WORKSPACE")
	if a.workspace == "" {
		return errors.New("GITHUB_WORKSPACE is not set: action runs in a workflow; on a command line use closeout verify")
	}
	workspace, err := filepath.Abs(a.workspace)
	if err != nil {
		return err
	}
	a.workspace = workspace
	a.report = filepath.Join(a.workspace, report.FileName)
	name := a.input("report")
	if name == "" {
		name = report.FileName
	}
	path, err := inWorkspace(a.workspace, "report", name)
	if err != nil {
		return err
	}
	if err := a.overRunners("report", name, path); err != nil {
		return err
	}
	a.report = path
	return a.placeSARIF()
}

// overRunners refuses to write over a file of the runner.
func (a *action) overRunners(what, name, path string) error {
	for _, file := range []string{"GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_ENV", "GITHUB_PATH", "GITHUB_STATE", "GITHUB_EVENT_PATH"} {
		if own := a.gha.Getenv(file); own != "" && collect.SameFile(own, path) {
			return fmt.Errorf("the %s %q cannot be written over the runner's own file %s: name another path", what, name, file)
		}
	}
	return nil
}

// placeSARIF finds where the findings go as SARIF.
func (a *action) placeSARIF() error {
	name := a.input("sarif")
	if name == "" {
		return nil
	}
	path, err := inWorkspace(a.workspace, "SARIF file", name)
	if err == nil && collect.SameFile(path, a.report) {
		err = fmt.Errorf("the SARIF file %q cannot be written over the report: name another path", name)
	}
	if err == nil {
		err = a.overRunners("SARIF file", name, path)
	}
	if err == nil {
		a.sarif = path
	}
	return err
}

// inWorkspace gives the path of an output, which may not be outside the workspace, nor behind a symlink. The
// runner translates absolute paths of the host, so one inside the workspace is fine.
func inWorkspace(workspace, what, name string) (string, error) {
	inside := filepath.FromSlash(name)
	if filepath.IsAbs(inside) {
		var err error
		if inside, err = filepath.Rel(workspace, inside); err != nil {
			return "", err
		}
	}
	outside := fmt.Errorf("the %s %q is outside the workspace: name a path inside it", what, name)
	if !filepath.IsLocal(inside) {
		return "", outside
	}
	if strings.ContainsFunc(inside, unicode.IsControl) {
		return "", fmt.Errorf("the name of the %s %q contains a control character: name another path", what, name)
	}
	if dir := filepath.Dir(filepath.Join(workspace, inside)); dir != workspace {
		real, err := filepath.EvalSymlinks(dir)
		root, errRoot := filepath.EvalSymlinks(workspace)
		if err != nil || errRoot != nil {
			return "", fmt.Errorf("the directory of the %s %q cannot be used: %w", what, name, input.Reason(errors.Join(err, errRoot)))
		}
		if real != filepath.Join(root, filepath.Dir(inside)) {
			return "", fmt.Errorf("the %s %q is behind a symlink: name a path without one", what, name)
		}
	}
	return filepath.Join(workspace, inside), nil
}

func (a *action) input(name string) string { return a.gha.GetInput(name) }

// list is an input with one value a line.
func (a *action) list(name string) []string {
	var list []string
	for line := range strings.Lines(a.input(name)) {
		if line = strings.TrimSpace(line); line != "" {
			list = append(list, line)
		}
	}
	return list
}

func (a *action) readSettings() error {
	strict, err := a.flag("strict")
	if err != nil {
		return err
	}
	a.settings.Strict, a.settings.Mode, a.settings.Task = strict, a.input("mode"), a.input("task")
	a.settings.Digests, a.settings.Event = a.list("feedback_sha256"), a.unaskedEvent()
	return a.settings.Check()
}

// flag reads a boolean as in YAML's core schema.
func (a *action) flag(name string) (bool, error) {
	switch v := a.input(name); v {
	case "", "false", "False", "FALSE":
		return false, nil
	case "true", "True", "TRUE":
		return true, nil
	default:
		return false, fmt.Errorf("the input %s is %q: expected true or false", name, v)
	}
}

// show writes annotations into the log, the job summary, and the findings as SARIF.
func (a *action) show(r *report.Report) error {
	docs := present.Options{Docs: run.Explanation}
	annotations, _ := present.ByName("github")
	err := annotations.Write(console.Bare(a.std.Out), r, docs)
	return errors.Join(err, a.summary(r, docs), a.writeSARIF(r, docs))
}

// writeSARIF writes the findings into a file for code scanning, when the workflow names one.
func (a *action) writeSARIF(r *report.Report, o present.Options) error {
	if a.sarif == "" {
		return nil
	}
	var b bytes.Buffer
	format, _ := present.ByName("sarif")
	if err := format.Write(&b, r, o); err != nil {
		return err
	}
	return collect.WriteOther("SARIF file", a.sarif, b.Bytes())
}

func (a *action) summary(r *report.Report, o present.Options) error {
	file := a.gha.Getenv("GITHUB_STEP_SUMMARY")
	if file == "" {
		return nil
	}
	var b strings.Builder
	markdown, _ := present.ByName("markdown")
	if err := markdown.Write(&b, r, o); err != nil {
		return err
	}
	return appendTo(file, b.String())
}

// outputs writes GITHUB_OUTPUT itself: the delimiter must be one that no value can contain, as a random one is.
func (a *action) outputs(r *report.Report) error {
	file := a.gha.Getenv("GITHUB_OUTPUT")
	if file == "" {
		return nil
	}
	values := [][2]string{
		{"verdict", r.Verdict},
		{"passed", strconv.FormatBool(r.Passed)},
		{"block_count", strconv.Itoa(r.Counts.Block)},
		{"warn_count", strconv.Itoa(r.Counts.Warn)},
	}
	if rel, err := filepath.Rel(a.workspace, a.report); a.written && err == nil {
		values = append(values, [2]string{"report", filepath.ToSlash(rel)}, [2]string{"report_sha256", run.FileSHA256(a.report)})
	}
	var b strings.Builder
	for _, out := range values {
		delimiter := "closeout_" + rand.Text()
		fmt.Fprintf(&b, "%s<<%s\n%s\n%s\n", out[0], delimiter, out[1], delimiter)
	}
	return appendTo(file, b.String())
}

// appendTo adds to a file that the runner gave.
func appendTo(file, text string) error {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

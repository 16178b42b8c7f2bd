package action

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/closeout-gate/closeout/internal/collect"
	"github.com/closeout-gate/closeout/internal/github"
	"github.com/closeout-gate/closeout/internal/run"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/report"
)

// sarifOverInput refuses the path of an input for the SARIF file: none is written then.
func (a *Action) sarifOverInput(isInput func(string) bool) error {
	if a.sarif == "" || !isInput(a.sarif) {
		return nil
	}
	a.sarif = ""
	return fmt.Errorf("the SARIF file cannot be written over the input %q: name another path", a.input("sarif"))
}

// overInput refuses the report's path; the failing report goes to the default one.
func (a *Action) overInput() error {
	refused := run.OverInput(a.input("report"))
	a.report = filepath.Join(a.workspace, report.FileName)
	return refused
}

// place finds the workspace and the report's path in it.
func (a *Action) place() error {
	a.workspace = a.Gha.Getenv("GITHUB_WORKSPACE")
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
func (a *Action) overRunners(what, name, path string) error {
	for _, file := range []string{"GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_ENV", "GITHUB_PATH", "GITHUB_STATE", "GITHUB_EVENT_PATH"} {
		if own := a.Gha.Getenv(file); own != "" && collect.SameFile(own, path) {
			return fmt.Errorf("the %s %q cannot be written over the runner's own file %s: name another path", what, name, file)
		}
	}
	return nil
}

// placeSARIF finds where the findings go as SARIF.
func (a *Action) placeSARIF() error {
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

func (a *Action) input(name string) string { return a.Gha.GetInput(name) }

// list is an input with one value a line.
func (a *Action) list(name string) []string {
	var list []string
	for line := range strings.Lines(a.input(name)) {
		if line = strings.TrimSpace(line); line != "" {
			list = append(list, line)
		}
	}
	return list
}

func (a *Action) readSettings() error {
	strict, err := a.flag("strict")
	if err != nil {
		return err
	}
	a.settings.Strict, a.settings.Mode, a.settings.Tasks = strict, a.input("mode"), a.list("task")
	a.settings.Digests, a.settings.Event = a.list("feedback_sha256"), a.eventOfPull()
	return a.settings.Check()
}

// flag reads a boolean as in YAML's core schema.
func (a *Action) flag(name string) (bool, error) {
	switch v := a.input(name); v {
	case "", "false", "False", "FALSE":
		return false, nil
	case "true", "True", "TRUE":
		return true, nil
	default:
		return false, fmt.Errorf("the input %s is %q: expected true or false", name, v)
	}
}

// asksGitHub reports whether the action collects from GitHub. Without a token, or with facts that were
// collected elsewhere, it judges only files.
func (a *Action) asksGitHub() bool { return a.input("token") != "" && a.input("facts") == "" }

// pullEvents are the events whose check appears on a pull request, or decides about its merge.
var pullEvents = []string{
	"pull_request", "pull_request_review", "pull_request_review_comment", "merge_group",
}

// eventOfPull is the event of the job when it is about a pull request and GitHub is not asked about it; "" otherwise. An
// empty token or a facts file must not lower the evidence level. The name is the runner's, the payload is not needed.
func (a *Action) eventOfPull() string {
	name := a.Gha.Getenv("GITHUB_EVENT_NAME")
	if a.asksGitHub() || !slices.Contains(pullEvents, name) {
		return ""
	}
	return name
}

// refusedEvent refuses, without a token too, the events for which there is no sound answer.
func refusedEvent(name string) error {
	switch name {
	case "pull_request_target", "workflow_run":
		_, err := github.ParseEvent(name, nil)
		return err
	}
	return nil
}

package verify

import (
	"slices"

	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/report"
)

// The codes of findings that no check reports: the call is invalid, or the gate failed.
const (
	CodeUsage    = "usage.invalid"
	CodeInternal = "gate.internal"
)

// Failure is the report of a run that judged nothing: the task is unknown and the verdict failed.
func Failure(code, message, fix string, settings Settings) *report.Report {
	f := check.Finding{Code: code, Message: message, Expected: "a valid call", Actual: message, Fix: fix, Identity: []string{message}}
	mode := settings.Mode
	if mode != Observe {
		mode = Enforce // the settings of an invalid call may contain anything
	}
	task, tasks := namedTasks(settings.Tasks)
	r := &report.Report{
		Schema: report.Schema, Verdict: report.Failed, Mode: mode, Strict: settings.Strict,
		Settings: report.Settings{EvidenceMin: string(input.Claimed), Task: task, Tasks: tasks, Limits: reportLimits(&settings.Limits)},
		Findings: []report.Finding{{
			Code: f.Code, Severity: string(input.Block), Message: check.Valid(f.Message), Expected: f.Expected, Actual: check.Valid(f.Actual), Fix: f.Fix,
			Fingerprint: f.Fingerprint(), Times: 1,
		}},
		Counts: report.Counts{Block: 1},
		Tool:   report.Tool{Name: "closeout", Version: Version},
	}
	r.OverrideCode = bound{}.code([]string{r.Findings[0].Fingerprint})
	return r
}

// ExitCode is what a command ends with for a verdict. Observe never fails a job for what it saw, but for a gate that
// failed itself.
func ExitCode(r *report.Report) int {
	switch {
	case slices.ContainsFunc(r.Findings, func(f report.Finding) bool { return f.Code == CodeInternal }):
		return 2
	case r.Mode == Observe, r.Passed:
		return 0
	case r.Verdict == report.Review:
		return 3
	default:
		return 1
	}
}

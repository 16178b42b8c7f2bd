package main

import (
	"context"

	"github.com/closeout-gate/closeout/internal/github"
	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/report"
)

// conclusions turn a verdict into that of a check run. A neutral one counts as a success, so only an observed run gets it.
var conclusions = map[string]string{
	report.Passed: "success", report.Overridden: "success", report.Failed: "failure", report.Review: "action_required",
}

// checkRun adds a check run with the result to the head, when the workflow names one. A check run that
// cannot be written changes no verdict: the job is the check.
func (a *action) checkRun(r *report.Report) {
	name := a.input("check_run")
	if name == "" || a.github == nil {
		return
	}
	run := github.CheckRun{Name: name, HeadSHA: a.github.Event.HeadSHA, Conclusion: conclusions[r.Verdict], Title: "Close-out gate: " + r.Verdict}
	if r.Subject.HeadSHA != nil {
		run.HeadSHA = *r.Subject.HeadSHA
	}
	if r.Mode == verify.Observe {
		run.Conclusion, run.Title = "neutral", run.Title+" (observed only)"
	}
	a.write(r, "check run", func(ctx context.Context, markdown string) error {
		run.Summary = markdown
		return a.github.Client.Check(ctx, run)
	})
}

package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/canary"
	"github.com/closeout-gate/closeout/verify/checks"
	"github.com/closeout-gate/closeout/verify/output"
	"github.com/closeout-gate/closeout/verify/report"
)

const canaryLong = `canary makes counter-checks: it breaks copies of the inputs of a decision in memory, judges each, and says which
ones the gate refused. A copy that is let through is named with the line of the contract that allows it.

BUNDLE contains the inputs and their verification_report.json, which must be the one that closeout replay computes. No
file is written. That all copies are refused says that this contract can say no to these mistakes; it does not say that
the gate has no errors.

Exit codes: 0 all were refused, 1 one was let through, 2 wrong call, 3 nothing could be tried.`

func newCanary(std stdio) *cobra.Command {
	var format string
	c := &cobra.Command{
		Use: "canary BUNDLE", Short: "Break copies of the inputs, and see whether they are refused", Long: canaryLong,
		Example: "  closeout verify testdata/example; closeout canary testdata/example",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("canary requires one BUNDLE, found %d: name a directory that contains the inputs and the %s", len(args), report.FileName)
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return counterCheck(args[0], format, std) },
	}
	c.Flags().StringVar(&format, "format", output.CanaryFormats[0], "`format` of the output: "+strings.Join(output.CanaryFormats, ", "))
	refuseTwice(c.Flags())
	return c
}

// counterCheck makes the counter-checks of a bundle, and prints them.
func counterCheck(dir, format string, std stdio) error {
	if !slices.Contains(output.CanaryFormats, format) {
		return fmt.Errorf("--format is %q%s expected one of %s", format, didYouMean(format, output.CanaryFormats, ""), strings.Join(output.CanaryFormats, ", "))
	}
	b, r, err := unbroken(dir)
	if err != nil {
		return err
	}
	found := canary.Run(b, r, canary.Options{})
	kind := output.Plain
	if format == "json" {
		kind = output.JSON
	}
	err = printAs(std.out, kind, false, func(w io.Writer, _ bool) error { return output.WriteCanary(w, found, format) })
	switch {
	case err != nil:
		return err
	case len(found.LetThrough) > 0:
		return exit{exitFailed}
	case found.Tried == 0:
		return exit{exitReview}
	}
	return nil
}

// unbroken judges a bundle again, and refuses one whose report is another.
func unbroken(dir string) (*verify.Bundle, *report.Report, error) {
	result, err := judgeAgain("closeout canary", dir, nil)
	if err != nil {
		return nil, nil, err
	}
	if !result.Same() {
		return nil, nil, fmt.Errorf("the bundle %q gives another report than its %s: closeout replay %s shows the difference", dir, report.FileName, dir)
	}
	return result.found.Bundle, result.After, nil
}

// counterCheckTime is how long the action makes counter-checks: the decision was made, and the job should end.
const counterCheckTime = 2 * time.Second

// counterCheck tells, after everything else, which broken copies of the inputs the gate refuses. Whatever happens here
// changes neither the report nor how the step ends.
func (a *action) counterCheck(r *report.Report) {
	leftOut := func(f report.Finding) bool { return f.Code == checks.CodeNotApplicable }
	if a.bundleJudged == nil || !r.Passed || slices.ContainsFunc(r.Findings, leftOut) { // for whom the contract is not, each run would warn
		return
	}
	err := caught(func() error {
		end := time.Now().Add(counterCheckTime)
		found := canary.Run(a.bundleJudged, r, canary.Options{Bytes: canary.ActionBytes, Stop: func() bool { return time.Now().After(end) }})
		fmt.Fprintln(a.std.out, "counter-checks: "+output.CanarySummary(found))
		for _, n := range found.NotTried {
			fmt.Fprintln(a.std.out, "counter-checks: not tried: "+n.Mutation+": "+n.Why)
		}
		for _, text := range output.CanaryWarnings(found) {
			a.gha.Warningf("%s", text)
		}
		file := a.gha.Getenv("GITHUB_STEP_SUMMARY")
		if file == "" {
			return nil
		}
		return appendTo(file, output.CanaryMarkdown(found))
	})
	if err != nil {
		a.gha.Warningf("%s", "the counter-checks were not made or shown: "+output.Neutral(err.Error()))
	}
}

package main

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/sethvargo/go-githubactions"

	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/report"
)

// TestCounterCheckPanics wants a panic in the counter-checks to become a warning: the decision was made.
func TestCounterCheckPanics(t *testing.T) {
	var out bytes.Buffer
	b := &verify.Bundle{Inputs: []verify.Input{{Kind: check.Contract, Name: "c.json", Open: func() (io.ReadCloser, error) { panic("no file") }}}}
	task := "T-1"
	r := &report.Report{Verdict: report.Passed, Passed: true, TaskID: &task}
	a := &action{gha: githubactions.New(githubactions.WithWriter(&out)), std: stdio{nil, &out, &out}, bundleJudged: b}
	a.counterCheck(r)
	if !strings.Contains(out.String(), "::warning::the counter-checks were not made or shown: internal error: no file") {
		t.Error(out.String())
	}
	out.Reset()
	r.Passed = false
	if a.counterCheck(r); out.Len() > 0 {
		t.Errorf("a change that failed: %s", &out)
	}
}

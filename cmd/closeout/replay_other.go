package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/closeout-gate/closeout/verify/diag"
	"github.com/closeout-gate/closeout/verify/report"
)

// maxDifferences is how many differences between two decisions are printed.
const maxDifferences = 20

// decisionsDiffer lists the differences between two decisions, the first of them.
func decisionsDiffer(before, after *report.Report) []string {
	old, again := decisionOf(before), decisionOf(after)
	var lines []string
	for _, line := range slices.Sorted(maps.Keys(old)) {
		if !again[line] {
			lines = append(lines, "only in the report: "+line)
		}
	}
	for _, line := range slices.Sorted(maps.Keys(again)) {
		if !old[line] {
			lines = append(lines, "only computed: "+line)
		}
	}
	if more := len(lines) - maxDifferences; more > 0 {
		lines = append(lines[:maxDifferences], fmt.Sprintf("and %d more differences", more))
	}
	return lines
}

// decisionOf lists what a report decides, a line each, without its messages. Another version may have other messages and
// fingerprints, and list more about each criterion.
func decisionOf(r *report.Report) map[string]bool {
	d := map[string]bool{}
	add := func(what string, values ...string) {
		for i, v := range values {
			values[i] = diag.QuotePath(v)
		}
		d[what+" "+strings.Join(values, " ")] = true
	}
	add("verdict", r.Verdict, "passed", strconv.FormatBool(r.Passed))
	add("task", or(r.TaskID))
	if len(r.PullRequests) == 0 { // in a group, each pull request has its own
		add("overridden by", or(r.OverriddenBy))
	}
	s := &r.Subject
	add("subject", or(s.Repository), number(s.PullRequest), or(s.BaseSHA), or(s.MergeBaseSHA), or(s.HeadSHA), or(s.CodeTree), or(s.ChangesFrom))
	for _, in := range r.Inputs {
		add("input", in.Kind, in.Path, in.SHA256)
	}
	for _, f := range r.Findings {
		add("finding", f.Code, f.Severity, f.Location.Path)
	}
	addOverride(add, "override", r.Override)
	for _, p := range r.PullRequests {
		add("pull request", strconv.FormatInt(p.Number, 10), or(p.HeadSHA), p.Verdict)
		addOverride(add, "override of "+strconv.FormatInt(p.Number, 10), p.Override)
	}
	return d
}

// addOverride adds the person who overrode.
func addOverride(add func(string, ...string), what string, o *report.Override) {
	if o != nil {
		add(what, o.Actor, o.At, o.HeadSHA)
	}
}

func or(s *string) string {
	if s == nil {
		return "null"
	}
	return strconv.Quote(*s)
}

func number(n *int64) string {
	if n == nil {
		return "null"
	}
	return strconv.FormatInt(*n, 10)
}

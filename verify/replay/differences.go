package replay

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/closeout-gate/closeout/verify/input"
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
	return input.First(lines, maxDifferences)
}

// decisionOf lists what a report decides, a line each, without its messages. Another version may have other messages and
// fingerprints, and list more about each criterion.
func decisionOf(r *report.Report) map[string]bool {
	d := map[string]bool{}
	add := func(what string, values ...string) {
		for i, v := range values {
			values[i] = input.QuotePath(v)
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

// addOverride adds the person who overrode, and why.
func addOverride(add func(string, ...string), what string, o *report.Override) {
	if o != nil {
		add(what, o.Actor, o.ActorID, o.At, o.HeadSHA, o.Who(), o.Why())
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

// whatDiffers names the first input that differs, else the first field. Where an input differs, much else follows from it.
func whatDiffers(before, after *report.Report, again []byte) string {
	if line := inputDiffers(before.Inputs, after.Inputs); line != "" {
		return line
	}
	old, err := report.Canonical(before)
	if err == nil {
		if d := report.FirstDifference(old, again); d != nil {
			return fmt.Sprintf("%s: the report has %s, computed is %s", d.Where, d.In, d.And)
		}
	}
	return "the values are the same, but the file is not in canonical form (RFC 8785), or has more keys"
}

// inputDiffers compares the lists of inputs, which are sorted by kind and path; "" when they are equal.
func inputDiffers(old, again []report.Input) string {
	for i := range max(len(old), len(again)) {
		switch {
		case i < len(old) && i < len(again) && old[i].Kind == again[i].Kind && old[i].Path == again[i].Path:
			if old[i].SHA256 != again[i].SHA256 {
				return fmt.Sprintf("the input %s: the report was made from sha256 %.12s…, the bundle contains %.12s…", again[i].Path, old[i].SHA256, again[i].SHA256)
			}
		case i >= len(again) || (i < len(old) && slices.IndexFunc(again, old[i].SameFile) < 0):
			return fmt.Sprintf("the input %s is missing in the bundle", old[i].Path)
		default:
			return fmt.Sprintf("the input %s is not in the report", again[i].Path)
		}
	}
	return ""
}

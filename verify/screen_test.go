package verify_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/checks"
	"github.com/closeout-gate/closeout/verify/report"
)

// evidenceKinds are the inputs that Screen does not read.
var evidenceKinds = []check.Kind{check.Feedback, check.Rules, check.Coverage, check.Tests}

// screened reports whether a finding of Judge is one that Screen must report too: one of a check that judges the past, not
// about evidence.
func screened(f report.Finding) bool {
	judges := slices.ContainsFunc(check.For(checks.All, check.ScopePast), func(c *check.Check) bool {
		return slices.ContainsFunc(c.Codes, func(k check.Code) bool { return k.Name == f.Code })
	})
	// Screen asks neither who may override nor which commands must run.
	asked := f.Code != "contract.unanchored" && !strings.HasPrefix(f.Message, "override.never names")
	return judges && asked && !slices.Contains(evidenceKinds, check.Kind(f.Location.Input))
}

// blocks lists what blocks of the findings that Screen must report.
func blocks(findings []report.Finding) []string {
	var list []string
	for _, f := range findings {
		if f.Severity == "block" && screened(f) {
			list = append(list, fmt.Sprintf("%s %+v: %s (%s → %s) %s", f.Code, f.Location, f.Message, f.Actual, f.Expected, f.Fingerprint))
		}
	}
	return list
}

// TestScreenIsTheGate screens every case, and wants what the gate blocks by the same checks: no more, and no less. Of what is
// unknown the gate may join more.
func TestScreenIsTheGate(t *testing.T) {
	compared := 0
	for _, corpus := range corpora {
		for _, c := range findCases(t, corpus) {
			files := c.files(t)
			r := files.judge()
			exempt := slices.ContainsFunc(r.Findings, func(f report.Finding) bool { return f.Code == checks.CodeNotApplicable })
			byBot := strings.Contains(c.path, "/bots/")
			if r.PullRequests != nil || r.FindingsOmitted > 0 || exempt || byBot {
				continue // Screen knows no merge groups and no account that opened a pull request, and of many findings it lists others
			}
			compared++
			s := verify.Screen(files.bundle())
			if got, want := blocks(s.Findings), blocks(r.Findings); !slices.Equal(got, want) {
				t.Errorf("%s:\n got %s\nwant %s", c.path, strings.Join(got, "\n     "), strings.Join(want, "\n     "))
			}
			unjudged := func(f report.Finding) bool { return f.Severity == "unknown" && strings.HasPrefix(f.Code, "diff.") }
			if slices.ContainsFunc(r.Findings, unjudged) && s.Verdict == report.Passed {
				t.Errorf("%s: what is unknown passes", c.path)
			}
		}
	}
	if compared < 200 {
		t.Errorf("only %d cases were compared", compared)
	}
}

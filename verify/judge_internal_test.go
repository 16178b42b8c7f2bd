package verify

import (
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/checks"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/report"
)

// TestUnjudgedInputsBlock removes all checks: an input that is needed and was not judged must block without them.
func TestUnjudgedInputsBlock(t *testing.T) {
	defer func(all []*check.Check) { checks.All = all }(checks.All)
	checks.All = nil
	for scope, needs := range map[check.Scope][]check.Kind{
		check.ScopeChange: {check.Contract, check.Feedback, check.Changes, check.Rules}, check.ScopeMember: {check.Contract, check.Changes},
	} {
		l := newLoader(&Bundle{}, scope)
		for missing := len(needs); missing >= 0; missing-- {
			j := decide(l.candidate, nil)
			want := report.Failed
			if missing == 0 {
				want = report.Passed
			}
			if j.verdict != want || len(j.findings) != missing || missing > 0 && (j.findings[0].Code != CodeInternal || j.checks[0].ID != checks.GateCheck.ID) {
				t.Errorf("scope %d with %d missing: got %s, %+v", scope, missing, j.verdict, j.findings)
			}
			if missing > 0 {
				l.State[needs[missing-1]] = check.Usable
			}
		}
	}
}

// TestPanicBesideTheLogs lets the diff break, which is read on a goroutine of its own: the panic must come out where
// the gate can write a report.
func TestPanicBesideTheLogs(t *testing.T) {
	defer func() {
		if p := recover(); p != "broken" {
			t.Errorf("got %v", p)
		}
	}()
	Judge(&Bundle{
		Inputs:   []Input{{Kind: check.Diff, Name: "pr.diff", Open: func() (io.ReadCloser, error) { panic("broken") }}},
		Settings: Settings{Limits: input.DefaultLimits()},
	})
}

// TestNamesAreKnownBeforeTheStreams asks for what the report calls an input. Logs and changes are read side by side and
// both ask, so no answer may write: two writes at once to a map end the process without a report.
func TestNamesAreKnownBeforeTheStreams(t *testing.T) {
	const text = `{"schema": "closeout.facts/v1", "files": [{"file": "pr.diff", "path": "out/pr.diff"}]}`
	open := func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }
	l := newLoader(&Bundle{
		Inputs: []Input{{Kind: check.Facts, Name: "facts.json", Open: open}}, Settings: Settings{Limits: input.DefaultLimits()},
	}, check.ScopeChange)
	l.readFacts()
	before := len(l.paths)
	if got := l.display("pr.diff"); got != "out/pr.diff" || before != 1 || len(l.paths) != before {
		t.Errorf("got %q, %d names before, %d after", got, before, len(l.paths))
	}
}

// TestTooManyInputsOfOneKind wants the limit to drop the kind that exceeds it, and no other: with the contracts, stricter
// rules about overrides would disappear.
func TestTooManyInputsOfOneKind(t *testing.T) {
	limits := input.DefaultLimits()
	limits.Inputs = 1
	var inputs []Input
	for _, kind := range []check.Kind{check.Feedback, check.Contract, check.Facts} {
		inputs = append(inputs, Input{Kind: kind, Name: "a"}, Input{Kind: kind, Name: "b"})
	}
	l := newLoader(&Bundle{Inputs: inputs, Settings: Settings{Limits: limits}}, check.ScopeChange)
	l.boundInputs()
	if logs, contracts, facts := l.inputsOf(check.Feedback), l.inputsOf(check.Contract), l.inputsOf(check.Facts); len(logs) != 0 || len(contracts) != 2 || len(facts) != 2 {
		t.Errorf("%d logs, %d contracts and %d facts are left", len(logs), len(contracts), len(facts))
	}
	if len(l.Problems) != 1 || l.Problems[0].Kind != check.Feedback || l.State[check.Feedback] != check.Malformed {
		t.Errorf("got %+v", l.Problems)
	}
}

// TestWholeFileIsHashed stops parsing early, by itself and by a panic: the digest is that of the whole file, and nothing
// is read after stream has returned.
func TestWholeFileIsHashed(t *testing.T) {
	text := strings.Repeat("x", 3*blockSize)
	for _, consume := range []func(io.Reader){func(io.Reader) {}, func(io.Reader) { panic("enough") }} {
		r := strings.NewReader(text)
		func() {
			defer func() { recover() }()
			got := stream(Input{Open: func() (io.ReadCloser, error) { return io.NopCloser(r), nil }}, consume)
			if got.bytes != int64(len(text)) {
				t.Errorf("%d bytes were hashed", got.bytes)
			}
		}()
		if r.Len() != 0 {
			t.Errorf("%d bytes were not read", r.Len())
		}
	}
}

// TestUnknownIsNotLetThrough gives a report an override that cannot be: while something is unknown, it changes nothing.
func TestUnknownIsNotLetThrough(t *testing.T) {
	for unknown, want := range map[int]string{0: report.Overridden, 1: report.Failed} {
		if got := verdictOf(&report.Counts{Block: 1, Unknown: unknown}, &report.Override{}); got != want {
			t.Errorf("with %d unknown: %s", unknown, got)
		}
	}
}

func TestStrict(t *testing.T) {
	for code, want := range map[string]input.Severity{"acceptance.flaky": input.Block, "override.refused": input.Warn} {
		c := &check.Check{ID: "c", Codes: []check.Code{{Name: code, Severity: input.Warn}}, Run: func(p *check.Pass) { p.Report(check.Finding{Code: code}) }}
		found := check.Run([]*check.Check{c}, nil, &check.Inputs{Strict: true})[0].Findings
		if got := found.List(); len(got) != 1 || got[0].Severity != want {
			t.Errorf("%s is %+v", code, got)
		}
	}
}

// TestFindingsAreOrdered wants one order whatever the order of the checks: severity, code, path, line, and then whatever
// tells two findings apart.
func TestFindingsAreOrdered(t *testing.T) {
	at := func(severity, code, path string, line, column int, message, print string) report.Finding {
		return report.Finding{Severity: severity, Code: code, Location: report.Location{Path: path, Line: line, Column: column}, Message: message, Fingerprint: print}
	}
	want := []report.Finding{
		at("block", "a.a", "", 9, 9, "z", "9"), at("block", "a.a", "p", 1, 2, "z", "9"), at("block", "a.a", "p", 2, 1, "z", "9"),
		at("block", "a.a", "p", 2, 2, "y", "9"), at("block", "a.a", "p", 2, 2, "z", "1"), at("block", "a.a", "p", 2, 2, "z", "2"),
		at("block", "b.a", "", 0, 0, "a", "1"), at("unknown", "a.a", "", 0, 0, "a", "1"), at("warn", "a.a", "", 0, 0, "a", "1"), at("info", "a.a", "", 0, 0, "a", "1"),
	}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortFunc(got, compareFindings)
	if !slices.Equal(got, want) {
		t.Errorf("got %+v", got)
	}
}

// TestExitCode: a gate that failed itself is no verdict, and must not look like one where it only observes.
func TestExitCode(t *testing.T) {
	for _, c := range []struct {
		mode, code, verdict string
		want                int
	}{
		{Enforce, CodeUsage, report.Failed, 1}, {Observe, CodeUsage, report.Failed, 0},
		{Enforce, CodeUsage, report.Review, 3}, {Observe, CodeUsage, report.Review, 0},
		{Enforce, CodeInternal, report.Failed, 2}, {Observe, CodeInternal, report.Failed, 2},
	} {
		r := Failure(c.code, "why", "fix", Settings{Mode: c.mode})
		if r.Verdict = c.verdict; ExitCode(r) != c.want {
			t.Errorf("%+v: got %d", c, ExitCode(r))
		}
	}
}

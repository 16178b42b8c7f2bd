package proof_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify/feedback"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/proof"
)

// TestDecideWithSuppliedDigests has two logs whose digests the workflow supplied.
func TestDecideWithSuppliedDigests(t *testing.T) {
	for _, c := range []struct {
		name, logs string
		reason     proof.Reason
		level      input.Level
		flaky      bool
	}{
		{name: "a pass", logs: "0b|0b", level: input.Recorded},
		{name: "a dirty failure", logs: "1d|0b", reason: proof.Conflict, level: input.Claimed},
		{name: "a stale failure", logs: "0b|1s", reason: proof.Conflict, level: input.Claimed},
		{name: "a failure without trees", logs: "1|0b", reason: proof.Conflict, level: input.Claimed},
		{name: "a dirty null exit", logs: "nulld|0b", reason: proof.NullExit, level: input.Claimed},
		{name: "a dirty failure in both", logs: "1d|1d", reason: proof.FailedReason, level: input.Claimed},
		{name: "a dirty failure behind a pass of the same log", logs: "0b 1d|", reason: proof.FailedReason, level: input.Claimed},
		{name: "a dirty failure before a pass of the same log", logs: "1d 0b|0b", level: input.Recorded, flaky: true},
		{name: "a dirty failure before a dirty pass of the same log", logs: "0b 1d 0d|0b", level: input.Recorded, flaky: true},
		{name: "three dirty failures before a pass", logs: "1d 1d 1d 0b|", reason: proof.TooManyAttempts, level: input.Recorded, flaky: true},
		{name: "two stale failures before a pass", logs: "1s 1s 0b|", level: input.Recorded, flaky: true},
		{name: "three dirty passes before a pass", logs: "0d 0d 0d 0b|", level: input.Recorded},
		{name: "a dirty pass", logs: "0d|0b", level: input.Recorded},
		{name: "a stale pass behind a failure", logs: "1b 0s|0b", reason: proof.Conflict, level: input.Recorded},
	} {
		t.Run(c.name, func(t *testing.T) {
			both := []proof.Trust{{Counts: true, Recorded: true}, {Counts: true, Recorded: true}}
			d := streams(t, strings.Split(c.logs, "|")...).Decide(0, input.Recorded, both)
			if d.Reason != c.reason || d.Level != c.level || (d.Flaky != nil) != c.flaky {
				t.Errorf("got %q at %s, flaky %v", d.Reason, d.Level, d.Flaky != nil)
			}
		})
	}
}

func TestFits(t *testing.T) {
	for _, c := range []struct {
		file, produced string
		want           bool
	}{
		{"a/b.json", "a/b.json", true},
		{"logs/linux/a/b.json", "a/b.json", true},
		{"logs/linux/a/b.json", "b.json", true},
		{"a/b.json", "x/a/b.json", false},
		{"a/xb.json", "b.json", false},
		{"xa/b.json", "a/b.json", false},
		{"b.json", "a/b.json", true},
		{"b.json", "a/xb.json", false},
		{"b.json", "", false},
		{"a/b.json", "a", false},
	} {
		if got := proof.Fits(c.file, c.produced); got != c.want {
			t.Errorf("%q and %q: got %v", c.file, c.produced, got)
		}
	}
}

// TestVouchForTooManyReports: above the limits no record confirms a report.
func TestVouchForTooManyReports(t *testing.T) {
	report := proof.Companion{Path: "r.json", SHA256: strings.Repeat("a", 64)}
	for _, c := range []struct {
		commands int
		path     string
		want     input.Level
	}{
		{10_000, "r.json", input.Bound},
		{10_001, "r.json", input.Claimed},
		{20_000, "other.json", input.Bound},
		{10, strings.Repeat("x/", 1<<20) + "r.json", input.Claimed},
	} {
		l := proof.New(proof.Config{AcceptedTrees: []string{headTree}, Companions: []proof.Companion{report}})
		s := l.Stream("log")
		for i := range c.commands {
			r := record(t, i+1, "0b")
			r.Argv = []string{"lint", fmt.Sprint(i)}
			r.Produced = []feedback.Produced{{Path: c.path, SHA256: report.SHA256}}
			if i == 0 {
				r.Produced[0].Path = "r.json"
			}
			s.Add(r)
		}
		if v := l.Vouch(&report, everything[:1]); v.Level != c.want || (c.want == input.Claimed) != (v.Denied == proof.DeniedMany) {
			t.Errorf("%d commands: got %+v, expected %s", c.commands, v, c.want)
		}
	}
}

package replay_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/collect"
	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/replay"
	"github.com/closeout-gate/closeout/verify/report"
)

// example is the bundle of the example, opened anew.
func example(t *testing.T) *verify.Bundle {
	t.Helper()
	found, err := collect.Bundle("../../testdata/example")
	if err != nil {
		t.Fatal(err)
	}
	return found.Bundle
}

// written is the report that this version gives for the example.
func written(t *testing.T) []byte {
	t.Helper()
	b := example(t)
	b.Settings = verify.Settings{Limits: input.DefaultLimits()}
	data, err := report.Canonical(verify.Judge(b))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestRun(t *testing.T) {
	honest := written(t)
	version := `"version":"` + verify.Version + `"`
	for name, c := range map[string]struct {
		old, new string
		other    bool
		want     string // in the differences; "" for the same
	}{
		"same":                      {},
		"a message":                 {`"closeout.verification_report/v1"`, `"closeout.verification_report/v1" `, false, "canonical form"},
		"the task":                  {`"task_id":"`, `"task_id":"x`, false, "task_id"},
		"another version":           {version, `"version":"0.0.9"`, true, ""},
		"another version that lies": {version + `},"verdict":"`, `"version":"0.0.9"},"verdict":"x`, true, "verdict"},
	} {
		t.Run(name, func(t *testing.T) {
			text := bytes.Replace(honest, []byte(c.old), []byte(c.new), 1)
			if c.old != "" && bytes.Equal(text, honest) {
				t.Fatalf("the report contains no %s", c.old)
			}
			before, err := report.Read(text)
			if err != nil {
				t.Fatal(err)
			}
			got, err := replay.Run(text, before, example(t))
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.Join(got.Differences, "\n")
			if got.OtherVersion != c.other || got.Same() != (c.want == "") || !strings.Contains(lines, c.want) {
				t.Errorf("other version %v, differences %q", got.OtherVersion, lines)
			}
		})
	}
}

// TestBounded wants a replay that ends: no limit may be raised much.
func TestBounded(t *testing.T) {
	for _, limit := range input.AllLimits {
		defaults := input.DefaultLimits()
		for times, want := range map[int64]bool{1: true, 16: true, 17: false} {
			r, err := report.Read(written(t))
			if err != nil {
				t.Fatal(err)
			}
			r.Settings.Limits[limit.Key()] = times * limit.Get(&defaults)
			if got := replay.Bounded(r); got != want {
				t.Errorf("%d times %s: %v", times, limit.Key(), got)
			}
		}
	}
}

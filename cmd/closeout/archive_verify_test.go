package main

import (
	"errors"
	"testing"

	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/collect"
	rerun "github.com/closeout-gate/closeout/verify/replay"
	"github.com/closeout-gate/closeout/verify/report"
	"github.com/closeout-gate/closeout/verify/strict"
)

// TestReplayArchivedEnds wants no replay of a report that raises a limit without measure: an archive may be of anyone.
func TestReplayArchivedEnds(t *testing.T) {
	t.Parallel()
	for raised, want := range map[int64]error{1: nil, 16: nil, 17: rerun.ErrUnbounded} {
		found, err := collect.Bundle("../../testdata/example")
		if err != nil {
			t.Fatal(err)
		}
		found.Settings = verify.Settings{Limits: strict.DefaultLimits()}
		found.Settings.Limits.DiffBytes *= raised
		text, err := report.Canonical(verify.Judge(found.Bundle))
		if err != nil {
			t.Fatal(err)
		}
		if differences, err := replayArchived(found, text); !errors.Is(err, want) || len(differences) > 0 {
			t.Errorf("%d times: %v, differences %q, expected %v", raised, err, differences, want)
		}
	}
}

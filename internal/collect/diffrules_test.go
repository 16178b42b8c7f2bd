package collect

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/reports"
)

// TestMarshalRows wants rows to be left out until the judge accepts the file, and none of a rule that found little.
func TestMarshalRows(t *testing.T) {
	d := &reports.Diff{Schema: reports.DiffSchema, Rules: []reports.DiffRow{
		{ID: "closeout/z", Severity: input.Block, File: "f", Detail: "the one that matters"},
		{ID: "closeout/b", Severity: input.Warn, Passed: true},
	}}
	for i := range 1000 {
		d.Rules = append(d.Rules, reports.DiffRow{ID: "closeout/a", Severity: input.Warn, File: fmt.Sprintf("f%04d", i), Detail: "d"})
	}
	for _, limit := range []int64{1 << 20, 10_000, 1000} {
		data, err := marshalRows(d, limit)
		if err != nil || int64(len(data)) > limit {
			t.Fatalf("%d bytes, %v", len(data), err)
		}
		read, errs := reports.ParseDiff(data, input.DefaultLimits())
		if errs.Any() || !strings.Contains(string(data), "f0000") || !strings.Contains(string(data), "the one that matters") || (limit == 1<<20) != (len(read.Rules) == len(d.Rules)) || (limit == 1<<20) == strings.Contains(string(data), "too many to list") {
			t.Errorf("limit %d: %v, %d rows", limit, errs.All(), len(read.Rules))
		}
	}
}

// entryLost is a repository of which only the blobs can be read.
type entryLost struct{ Lost }

func (entryLost) Blob(string, int64) ([]byte, error) { return []byte("package a\n"), nil }

// TestRowsOfLostFiles wants a fact that is unavailable where a file cannot be read, and nothing where the changes are unknown.
func TestRowsOfLostFiles(t *testing.T) {
	lost := Lost{Err: errors.New("gone")}
	changes := []change.Change{{Path: "a_test.go", Status: change.Added, OldMode: change.NoMode, NewMode: change.Regular, NewID: "1"}}
	c := &Comparison{Objects: lost, Changes: changes}
	c.RunRules()
	if len(c.Unavailable) != 1 || c.Unavailable[0].What != facts.WantedDiffRules || c.ruleRows() != nil {
		t.Errorf("got %+v", c.Unavailable)
	}
	c = &Comparison{Objects: lost}
	c.RunRules()
	if c.Unavailable != nil || c.ruleRows() != nil {
		t.Errorf("got %+v", c.Unavailable)
	}
	c = &Comparison{Objects: entryLost{lost}, Changes: []change.Change{}}
	c.RunRules()
	if c.Unavailable != nil || len(c.ruleRows()) != 1 {
		t.Errorf("an empty change: %+v", c.Unavailable)
	}
}

package feedback

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify/input"
)

func TestReadLogLineLimit(t *testing.T) {
	a := rec(``)
	limits := input.DefaultLimits()
	limits.RecordBytes = int64(len(a))
	for _, c := range []struct {
		log     string
		long    []int // lines
		records int
	}{
		{a + "\n" + a + "\r\n" + a, nil, 3},
		{a + "\r", nil, 1},
		{a + " \n" + a, []int{1}, 1},
		{a + " \r\n" + a, []int{1}, 1},
		{a + "\n" + a + " ", []int{2}, 1},
		{a + "\r\r\n" + a, []int{1}, 1},
		{strings.Repeat("x", 3*logBlock) + "\n" + a + "\n" + strings.Repeat(" ", 2*logBlock), []int{1, 3}, 1},
	} {
		records, lines, errs := readLog(strings.NewReader(c.log), limits)
		var long []int
		for _, e := range errs {
			if long = append(long, e.Pos.Line); e.Limit != input.FlagRecordBytes || e.Pos.Column != 1 {
				t.Errorf("%.60q: %+v", c.log, e)
			}
		}
		if !slices.Equal(long, c.long) || len(records) != c.records || lines != int64(len(long)+c.records) {
			t.Errorf("%.60q: long lines %v, %d records of %d lines; want %v, %d", c.log, long, len(records), lines, c.long, c.records)
		}
	}
}

func TestReadLogSizeLimit(t *testing.T) {
	a := rec(``) + "\n"
	for _, c := range []struct {
		log            string
		limit          int
		records, lines int
		at             string // of the limit error
	}{
		{a + a, 2 * len(a), 2, 2, ""},
		{a + a, 2*len(a) - 1, 2, 2, "3:1"},
		{a + a, 2*len(a) - 2, 1, 2, "2:1"},
		{a + a, len(a), 1, 2, "2:1"},
		{a + a, 0, 0, 1, "1:1"},
		{a + "  " + a, len(a) + 1, 1, 1, "2:1"},
		{"", 0, 0, 0, ""},
	} {
		limits := input.DefaultLimits()
		limits.LogBytes = int64(c.limit)
		records, lines, errs := readLog(strings.NewReader(c.log), limits)
		at := ""
		for _, e := range errs {
			at += fmt.Sprintf("%d:%d", e.Pos.Line, e.Pos.Column)
			if e.Limit != input.FlagLogBytes {
				t.Errorf("limit %d: %+v", c.limit, e)
			}
		}
		if len(records) != c.records || lines != int64(c.lines) || at != c.at {
			t.Errorf("%d bytes, limit %d: %d records of %d lines, error at %q; want %d of %d, %q", len(c.log), c.limit, len(records), lines, at, c.records, c.lines, c.at)
		}
	}
	limits := input.DefaultLimits()
	limits.LogBytes = math.MaxInt64
	if records, _, errs := readLog(strings.NewReader(a), limits); len(records) != 1 || len(errs) > 0 {
		t.Errorf("without a limit: %d records, %v", len(records), errs)
	}
}

// A line that is too long is not kept, and the log is too long in the middle of it.
func TestReadLogBothLimits(t *testing.T) {
	limits := input.DefaultLimits()
	limits.RecordBytes, limits.LogBytes = 10, 100
	_, lines, errs := readLog(strings.NewReader(strings.Repeat("x", 200)), limits)
	if lines != 1 || len(errs) != 2 || errs[0].Limit != input.FlagRecordBytes || errs[1].Limit != input.FlagLogBytes {
		t.Errorf("%d lines, %+v", lines, errs)
	}
}

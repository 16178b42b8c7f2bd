package linediff

import "testing"

// TestMostLines holds that no limit lets more lines through than 32 bits can number; a file of so many is too large to
// make here.
func TestMostLines(t *testing.T) {
	generous := Limits{Lines: 1 << 60}
	if reason := generous.tooMany(mostLines, mostLines); reason != "" {
		t.Error(reason)
	}
	if generous.tooMany(mostLines+1, 0) == "" || generous.tooMany(0, mostLines+1) == "" {
		t.Error("more lines than can be numbered are compared")
	}
}

// TestWork holds that files of usual size get a work in proportion, and none more than seconds.
func TestWork(t *testing.T) {
	for _, c := range []struct {
		limits Limits
		lines  int
		want   int64
	}{
		{Limits{}, 0, 1 << 20}, {Limits{}, 1024, 1 << 20}, {Limits{}, 2048, 1 << 21}, {Limits{}, 1 << 17, 1 << 27}, {Limits{}, 1 << 21, 1 << 27},
		{Limits{Work: 5}, 1 << 21, 5},
	} {
		if got := c.limits.work(c.lines); got != c.want {
			t.Errorf("%d lines: %d steps, want %d", c.lines, got, c.want)
		}
	}
}

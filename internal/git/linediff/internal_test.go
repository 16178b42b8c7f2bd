package linediff

import (
	"slices"
	"strings"
	"testing"
)

// TestMostLines checks that no limit lets more lines through than 32 bits can number; a file of so many is too large to
// make here.
func TestMostLines(t *testing.T) {
	generous := Limits{Lines: 1 << 60}
	if generous.tooMany(mostLines, mostLines) {
		t.Error("lines that can be numbered are not compared")
	}
	if !generous.tooMany(mostLines+1, 0) || !generous.tooMany(0, mostLines+1) {
		t.Error("more lines than can be numbered are compared")
	}
}

// TestWork checks that files of usual size get a work in proportion, and none more than seconds.
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

// sides makes what is searched of two texts, a letter a line.
func sides(before, after string) (a, b *side) {
	lines := func(text string) []byte { return []byte(strings.Join(strings.Split(text, ""), "\n") + "\n") }
	a, b = &side{text: lines(before)}, &side{text: lines(after)}
	a.split()
	b.split()
	return a, b
}

// TestWorkIsBounded checks that a search takes no step more than it may, but for those along one run of the same, and
// that it does not call a script shortest after it ran out of steps. Behind letters that are turned round each of many
// paths finds a long run of the same.
func TestWorkIsBounded(t *testing.T) {
	const letters, run = "abcdefghijklmnopqrstuvwxyz", 300
	turned := []byte(letters)
	slices.Reverse(turned)
	same := strings.Repeat("=", run)
	before, after := letters+same+letters, string(turned)+same+string(turned)
	least := 0
	for work := int64(20_000); work > 0; work -= 7 {
		s := newSearch(sides(before, after))
		s.left = work
		s.solve(box{0, len(s.a.ids), 0, len(s.b.ids)}, work)
		if s.left < -run-2 {
			t.Fatalf("work %d: %d steps more", work, -s.left)
		}
		marked := len(s.a.side.changedLines()) + len(s.b.side.changedLines())
		if least == 0 {
			least = marked
		}
		if s.minimal && marked != least {
			t.Fatalf("work %d: a shortest script of %d lines, there is one of %d", work, marked, least)
		}
	}
}

// TestFarthestWasReached checks that a search which ends early divides where it came to, not where an earlier one was.
func TestFarthestWasReached(t *testing.T) {
	for _, c := range []struct {
		before, after string
		x, y          int
	}{
		{"xabcdefghyz", "abcdefghzyx", 9, 8},
		{"abcdefghzyx", "xabcdefghyz", 8, 9},
	} {
		s := newSearch(sides(c.before, c.after))
		for _, f := range []*front{s.forward, s.backward} {
			for i := range f.at {
				f.at[i] = 10
			}
		}
		s.left = 100
		in := box{0, len(s.a.ids), 0, len(s.b.ids)}
		if x, y, best := s.divide(in, 2); best || x != c.x || y != c.y {
			t.Errorf("%s to %s: divided at %d, %d (best: %v), want %d, %d", c.before, c.after, x, y, best, c.x, c.y)
		}
	}
}

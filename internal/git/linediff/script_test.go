package linediff_test

import (
	"bytes"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/git/linediff"
)

// whole gives back the bytes of a line.
func whole(l linediff.Line) []byte {
	if l.NoNewline {
		return l.Text
	}
	return append(bytes.Clone(l.Text), '\n')
}

// apply takes the removed lines out of a text and puts the added ones in at their numbers.
func apply(before []byte, r linediff.Result) ([]byte, error) {
	var after []byte
	removed, added, number := r.Removed, r.Added, 1
	add := func() {
		for len(added) > 0 && added[0].Number == number {
			after = append(after, whole(added[0])...)
			added = added[1:]
			number++
		}
	}
	for i, line := range lines(before) {
		if len(removed) > 0 && removed[0].Number == i+1 {
			if got := whole(removed[0]); !bytes.Equal(got, line) {
				return nil, fmt.Errorf("line %d is %q, the script removes %q", i+1, line, got)
			}
			removed = removed[1:]
			continue
		}
		add()
		after = append(after, line...)
		number++
	}
	add()
	if len(removed) > 0 || len(added) > 0 {
		return nil, fmt.Errorf("the script goes on: %d removed, %d added", len(removed), len(added))
	}
	return after, nil
}

// lines splits a text after each \n.
func lines(text []byte) [][]byte {
	if len(text) == 0 {
		return nil
	}
	return bytes.SplitAfter(text, []byte("\n"))[:bytes.Count(text, []byte("\n"))+unended(text)]
}

func unended(text []byte) int {
	if len(text) > 0 && text[len(text)-1] != '\n' {
		return 1
	}
	return 0
}

// check checks that a result leads from one text to the other, both ways, and returns its length.
func check(t testing.TB, before, after []byte, limits linediff.Limits) (length int, minimal bool) {
	t.Helper()
	r := linediff.Diff(before, after, limits)
	if r.State != linediff.Text {
		t.Fatalf("state %q", r.State)
	}
	if got, err := apply(before, r); err != nil || !bytes.Equal(got, after) {
		t.Fatalf("%.300q to %.300q: the script makes %.300q, %v", before, after, got, err)
	}
	back := linediff.Result{Removed: r.Added, Added: r.Removed}
	if got, err := apply(after, back); err != nil || !bytes.Equal(got, before) {
		t.Fatalf("%.300q back to %.300q: the script makes %.300q, %v", after, before, got, err)
	}
	return len(r.Removed) + len(r.Added), r.Minimal
}

// shortest is the length of a shortest script, by the table that everybody can check.
func shortest(before, after []byte) int {
	a, b := lines(before), lines(after)
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j := range b {
			up := row[j+1]
			if bytes.Equal(a[i], b[j]) {
				row[j+1] = diagonal
			} else {
				row[j+1] = 1 + min(up, row[j])
			}
			diagonal = up
		}
	}
	return row[len(b)]
}

// randomLines are up to n lines of few different ones.
func randomLines(r *rand.Rand, n, kinds int) []byte {
	var b strings.Builder
	for range r.Intn(n + 1) {
		fmt.Fprintf(&b, "%d\n", r.Intn(kinds))
	}
	return []byte(strings.TrimSuffix(b.String(), []string{"", "\n"}[r.Intn(2)]))
}

// TestShortest checks that a script is a shortest one when it says so, that it says so when the work suffices, and that
// it is a script in any case.
func TestShortest(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	longer := 0
	for range 10_000 {
		kinds := 1 + r.Intn(8)
		before, after := randomLines(r, 40, kinds), randomLines(r, 40, kinds)
		want := shortest(before, after)
		if got, minimal := check(t, before, after, linediff.Limits{}); got != want || !minimal {
			t.Fatalf("%q to %q: %d lines (minimal: %v), want %d", before, after, got, minimal, want)
		}
		got, minimal := check(t, before, after, linediff.Limits{Work: 1 + r.Int63n(500)})
		if got < want || minimal && got != want {
			t.Fatalf("%q to %q with little work: %d lines (minimal: %v), want %d", before, after, got, minimal, want)
		}
		if got > want {
			longer++
		}
	}
	if longer == 0 {
		t.Error("the work never ran out")
	}
}

// TestLittleWork checks that a script which need not be a shortest one is close to it nevertheless.
func TestLittleWork(t *testing.T) {
	before := program(20_000)
	after := edited(before, 4000, 1)
	shortest, minimal := check(t, before, after, linediff.Limits{})
	if !minimal {
		t.Fatal("the usual work did not suffice")
	}
	for _, work := range []int64{1 << 20, 1 << 21, 1 << 22} {
		got, minimal := check(t, before, after, linediff.Limits{Work: work})
		if minimal || got > shortest+shortest/50 {
			t.Errorf("with %d steps: %d lines instead of %d, minimal: %v", work, got, shortest, minimal)
		}
	}
}

// TestSetAside checks that lines of one side only cost no search, however many there are.
func TestSetAside(t *testing.T) {
	short := program(1000)
	var long []byte
	for i, line := range lines(short) {
		long = append(fmt.Appendf(long, "only here %d\n", i), line...)
	}
	for _, c := range [][2][]byte{{short, long}, {long, short}} {
		if length, minimal := check(t, c[0], c[1], linediff.Limits{Work: 1}); length != 1000 || !minimal {
			t.Errorf("%d lines, minimal: %v", length, minimal)
		}
	}
}

// TestLargeInsertion checks that a search which is too short to cross a large insertion keeps what is the same before
// it and behind it: it comes from both ends.
func TestLargeInsertion(t *testing.T) {
	all := lines(program(16_000))
	head, tail := bytes.Join(all[:8000], nil), bytes.Join(all[8000:], nil)
	before := append(bytes.Clone(head), tail...)
	after := bytes.Join([][]byte{edited(head, 400, 1), shuffled(before, 2)[:60_000], []byte("\n"), edited(tail, 400, 2)}, nil)
	shortest, _ := check(t, before, after, linediff.Limits{})
	for _, c := range [][2][]byte{{before, after}, {after, before}} {
		got, minimal := check(t, c[0], c[1], linediff.Limits{Work: 1 << 20})
		if minimal || got > shortest+shortest/10 {
			t.Errorf("%d lines instead of %d, minimal: %v", got, shortest, minimal)
		}
	}
}

package linediff_test

import (
	"bytes"
	"fmt"
	"math/rand"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/git/linediff"
)

// numbered are n lines, each a text that make gives for its place.
func numbered(n int, make func(i int) string) []byte {
	var b bytes.Buffer
	for i := range n {
		b.WriteString(make(i))
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// shuffled are the lines of a text in another order.
func shuffled(text []byte, seed int64) []byte {
	all := slices.Clone(lines(text))
	rand.New(rand.NewSource(seed)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return bytes.Join(all, nil)
}

// random are n lines of some different ones.
func random(n, kinds int, seed int64) []byte {
	r := rand.New(rand.NewSource(seed))
	return numbered(n, func(int) string { return fmt.Sprint("line ", r.Intn(kinds)) })
}

// program is a text like a program's: half of its lines occur often.
func program(n int) []byte {
	return numbered(n, func(i int) string {
		shape := []string{"func f%d() error {", "\tif err := call(%d); err != nil {", "\t\treturn err", "\t}", "\tx := %d", "\treturn nil", "}", ""}[i%8]
		return strings.Replace(shape, "%d", strconv.Itoa(i/20), 1)
	})
}

// pairs are what is measured: a large file with usual edits, and files made to be slow.
var pairs = []struct {
	name string
	make func() (before, after []byte)
}{
	{"edits=1000/lines=100k", func() (before, after []byte) {
		before = program(100_000)
		return before, edited(before, 1000, 1)
	}},
	{"equal/lines=1M", func() (before, after []byte) {
		before = random(1_000_000, 1_000_000, 1)
		return before, bytes.Clone(before)
	}},
	{"created/lines=1M", func() (before, after []byte) { return nil, random(1_000_000, 1_000_000, 1) }},
	{"others/lines=1M", func() (before, after []byte) {
		return numbered(1_000_000, func(i int) string { return fmt.Sprint("old line ", i) }),
			numbered(1_000_000, func(i int) string { return fmt.Sprint("new line ", i) })
	}},
	{"shuffled/lines=1M", func() (before, after []byte) {
		before = numbered(1_000_000, func(i int) string { return fmt.Sprint("line ", i) })
		return before, shuffled(before, 1)
	}},
	{"reversed/lines=1M", func() (before, after []byte) {
		return numbered(1_000_000, func(i int) string { return fmt.Sprint("line ", i) }),
			numbered(1_000_000, func(i int) string { return fmt.Sprint("line ", 999_999-i) })
	}},
	{"random/kinds=2/lines=1M", func() (before, after []byte) { return random(1_000_000, 2, 1), random(1_000_000, 2, 2) }},
	{"random/kinds=1000/lines=1M", func() (before, after []byte) { return random(1_000_000, 1000, 1), random(1_000_000, 1000, 2) }},
	{"random/kinds=1000/lines=10k", func() (before, after []byte) { return random(10_000, 1000, 1), random(10_000, 1000, 2) }},
	{"periods/lines=1M", func() (before, after []byte) {
		return numbered(1_000_000, func(i int) string { return fmt.Sprint(i%1000 == 0) }),
			numbered(1_000_000, func(i int) string { return fmt.Sprint(i%1001 == 0) })
	}},
	{"edits=50k/kinds=1000/lines=1M", func() (before, after []byte) {
		before = random(1_000_000, 1000, 1)
		return before, edited(before, 50_000, 1)
	}},
	{"blocks/lines=1M", func() (before, after []byte) { // a lot of the same between two parts in another order
		same, head, tail := random(980_000, 1, 1), random(10_000, 10_000, 2), random(10_000, 10_000, 3)
		return bytes.Join([][]byte{head, same, tail}, nil), bytes.Join([][]byte{shuffled(head, 4), same, shuffled(tail, 5)}, nil)
	}},
}

// edited changes a text in so many places: a line removed, added, replaced, repeated or moved.
func edited(text []byte, edits int, seed int64) []byte {
	r := rand.New(rand.NewSource(seed))
	all := lines(text)
	out := make([][]byte, 0, len(all)+edits)
	var moved []byte
	for i, line := range all {
		if r.Intn(len(all)) >= edits {
			out = append(out, line)
			continue
		}
		switch r.Intn(6) {
		case 0:
		case 1:
			out = append(out, line, fmt.Appendf(nil, "\tadded(%d)\n", i))
		case 2:
			out = append(out, fmt.Appendf(nil, "\treplaced(%d)\n", i))
		case 3:
			out = append(out, line, line)
		case 4:
			out = append(out, line, []byte("\t}\n"))
		case 5:
			out = append(out, moved)
			moved = line
		}
	}
	return bytes.Join(out, nil)
}

// BenchmarkDiff also says how many lines the script has.
func BenchmarkDiff(b *testing.B) {
	for _, p := range pairs {
		b.Run(p.name, func(b *testing.B) {
			before, after := p.make()
			b.SetBytes(int64(len(before) + len(after)))
			b.ReportAllocs()
			for b.Loop() {
				r := linediff.Diff(before, after, linediff.Limits{})
				b.ReportMetric(float64(len(r.Removed)+len(r.Added)), "lines")
			}
		})
	}
}

package collect

import (
	"bytes"
	"slices"

	"github.com/closeout-gate/closeout/internal/git/linediff"
)

// mergeLines merges two versions of a text with a common past. clean is false where both changed the same or adjacent
// lines in different ways, which only a person can merge, and for what is not text.
func mergeLines(base, ours, theirs []byte) (merged []byte, clean bool) {
	a, b := linediff.Diff(base, ours, linediff.Limits{}), linediff.Diff(base, theirs, linediff.Limits{})
	if a.State != linediff.Text || b.State != linediff.Text {
		return nil, false
	}
	hunks, clean := joinHunks(a.Hunks(), b.Hunks())
	if !clean {
		return nil, false
	}
	return applyHunks(base, hunks), true
}

// behind is the first line of the old version behind a hunk.
func behind(h linediff.Hunk) int { return h.From + len(h.Removed) }

// joinHunks puts the changes of two sides in order, one that both made once. ok is false where two of them meet.
func joinHunks(a, b []linediff.Hunk) (joined []linediff.Hunk, ok bool) {
	isSame := func(x, y linediff.Line) bool { return bytes.Equal(x.Text, y.Text) && x.NoNewline == y.NoNewline }
	for len(a) > 0 && len(b) > 0 {
		switch {
		case behind(a[0]) < b[0].From:
			joined, a = append(joined, a[0]), a[1:]
		case behind(b[0]) < a[0].From:
			joined, b = append(joined, b[0]), b[1:]
		case a[0].From == b[0].From && behind(a[0]) == behind(b[0]) && slices.EqualFunc(a[0].Added, b[0].Added, isSame):
			joined, a, b = append(joined, a[0]), a[1:], b[1:]
		default:
			return nil, false
		}
	}
	return slices.Concat(joined, a, b), true
}

func applyHunks(text []byte, hunks []linediff.Hunk) []byte {
	lines := bytes.SplitAfter(text, []byte("\n"))
	var out []byte
	next := 1
	for _, h := range hunks {
		out = append(out, bytes.Join(lines[next-1:h.From-1], nil)...)
		for _, line := range h.Added {
			if out = append(out, line.Text...); !line.NoNewline {
				out = append(out, '\n')
			}
		}
		next = behind(h)
	}
	return append(out, bytes.Join(lines[next-1:], nil)...)
}

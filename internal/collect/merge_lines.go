package collect

import (
	"bytes"
	"slices"

	"github.com/closeout-gate/closeout/internal/git/linediff"
)

// hunk replaces the lines of an old version from one number up to another, exclusive, by others.
type hunk struct {
	from, to int
	lines    [][]byte // each with its line end
}

// mergeLines merges two versions of a text with a common past. clean is false where both changed the same or adjacent
// lines in different ways, which only a person can merge, and for what is not text.
func mergeLines(base, ours, theirs []byte) (merged []byte, clean bool) {
	a, b := linediff.Diff(base, ours, linediff.Limits{}), linediff.Diff(base, theirs, linediff.Limits{})
	if a.State != linediff.Text || b.State != linediff.Text {
		return nil, false
	}
	hunks, clean := joinHunks(hunksOf(a), hunksOf(b))
	if !clean {
		return nil, false
	}
	return applyHunks(base, hunks), true
}

// hunksOf joins the removed and added lines of a difference.
func hunksOf(r linediff.Result) []hunk {
	var hunks []hunk
	shift := 0 // how many lines later the same line is in the new version
	for removed, added := r.Removed, r.Added; len(removed)+len(added) > 0; {
		var h hunk
		if len(removed) > 0 {
			h.from = removed[0].Number
		}
		if len(added) > 0 && (len(removed) == 0 || added[0].Number-shift < h.from) {
			h.from = added[0].Number - shift
		}
		h.to = h.from
		for len(removed) > 0 && removed[0].Number == h.to {
			h.to, removed = h.to+1, removed[1:]
		}
		for len(added) > 0 && added[0].Number == h.from+shift+len(h.lines) {
			h.lines, added = append(h.lines, ended(added[0])), added[1:]
		}
		shift += len(h.lines) - (h.to - h.from)
		hunks = append(hunks, h)
	}
	return hunks
}

// ended is a line with its end.
func ended(l linediff.Line) []byte {
	if l.NoNewline {
		return l.Text
	}
	return append(slices.Clone(l.Text), '\n')
}

// joinHunks puts the changes of two sides in order, one that both made once. ok is false where two of them meet.
func joinHunks(a, b []hunk) (joined []hunk, ok bool) {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].to < b[0].from:
			joined, a = append(joined, a[0]), a[1:]
		case b[0].to < a[0].from:
			joined, b = append(joined, b[0]), b[1:]
		case a[0].from == b[0].from && a[0].to == b[0].to && slices.EqualFunc(a[0].lines, b[0].lines, bytes.Equal):
			joined, a, b = append(joined, a[0]), a[1:], b[1:]
		default:
			return nil, false
		}
	}
	return slices.Concat(joined, a, b), true
}

func applyHunks(text []byte, hunks []hunk) []byte {
	lines := bytes.SplitAfter(text, []byte("\n"))
	var out []byte
	next := 1
	for _, h := range hunks {
		out = append(out, bytes.Join(lines[next-1:h.from-1], nil)...)
		out = append(out, bytes.Join(h.lines, nil)...)
		next = h.to
	}
	return append(out, bytes.Join(lines[next-1:], nil)...)
}

// Package linediff tells which lines two versions of a file do not share: the lines that a change removed and those
// that it added, with their numbers.
//
// What both versions begin and end with is cut off, lines that only one of them holds are set aside, and what is left is
// compared by the algorithm of Myers, "An O(ND) Difference Algorithm and Its Variations" (1986), in linear space. So
// the script is a shortest one, unless the work ran out: a hostile file can ask for any amount of it. Then the script
// is longer, never wrong: the lines that it does not name are the same on both sides, in the same order. The same bytes
// and limits give the same script on every machine.
package linediff

import (
	"bytes"
	"cmp"
)

// State says what is known of a file's lines. Only of a Text are they known; that a file of another state has no added
// lines must not be concluded.
type State string

// The states of a file.
const (
	Text     State = "text"
	Binary   State = "binary"
	TooLarge State = "too_large"
)

// Line is one line of a file. Lines end at \n and nowhere else: a carriage return is a part of the text.
type Line struct {
	Number    int    // from 1
	Text      []byte // without the \n; a part of what was given to Diff
	NoNewline bool   // it is the file's last line and no \n ends it
}

// Result is a difference. Both lists are in the order of the lines, and nil in any other state than Text.
type Result struct {
	State   State
	Minimal bool   // no script is shorter; false when the work ran out before that was certain
	Removed []Line // lines of the old version
	Added   []Line // lines of the new version
}

// Hunk is a place where lines were replaced: adjacent lines of both versions. One of the lists may be empty.
type Hunk struct {
	From           int // the number of the first line in the old version, removed or not
	Removed, Added []Line
}

// Hunks joins the removed and added lines that lie at one place.
func (r *Result) Hunks() []Hunk {
	var hunks []Hunk
	removed, added, shift := r.Removed, r.Added, 0 // how many lines later the same line is in the new version
	for len(removed)+len(added) > 0 {
		at := 0
		if len(removed) > 0 {
			at = removed[0].Number
		}
		if len(added) > 0 && (len(removed) == 0 || added[0].Number-shift < at) {
			at = added[0].Number - shift
		}
		old, new := 0, 0
		for old < len(removed) && removed[old].Number == at+old {
			old++
		}
		for new < len(added) && added[new].Number == at+shift+new {
			new++
		}
		hunks = append(hunks, Hunk{at, removed[:old], added[:new]})
		removed, added, shift = removed[old:], added[new:], shift+new-old
	}
	return hunks
}

// Limits bounds what is compared. A zero is the default.
type Limits struct {
	Bytes int64 // of each version: 64 MiB
	Lines int   // of each version, between the first and the last difference: 1,048,576
	Work  int64 // steps of the search, a few nanoseconds each: 1,024 a line, at least 2^20 and at most 2^27
}

const (
	defaultBytes = 64 << 20
	defaultLines = 1 << 20
	mostLines    = 1 << 28 // line numbers and diagonals of both versions fit in 32 bits
	workPerLine  = 1 << 10
	leastWork    = 1 << 20
	mostWork     = 1 << 27
)

// tooMany reports whether a version has more lines to compare than the limit.
func (l Limits) tooMany(oldLines, newLines int) bool {
	return max(oldLines, newLines) > min(cmp.Or(l.Lines, defaultLines), mostLines)
}

// work is the number of steps that the search may take.
func (l Limits) work(lines int) int64 {
	if l.Work != 0 {
		return l.Work
	}
	return min(max(workPerLine*int64(lines), leastWork), mostWork)
}

// Diff compares two versions of a file. A version that is nil or empty has no lines, as when the file was created or
// deleted. A file is Binary when one of its versions has a NUL among its first 8,000 bytes, as for git; attributes are
// not asked.
func Diff(before, after []byte, limits Limits) Result {
	if int64(max(len(before), len(after))) > cmp.Or(limits.Bytes, defaultBytes) {
		return Result{State: TooLarge}
	}
	if isBinary(before) || isBinary(after) {
		return Result{State: Binary}
	}
	a, b := cut(before, after)
	if limits.tooMany(countLines(a.text), countLines(b.text)) {
		return Result{State: TooLarge}
	}
	a.split()
	b.split()
	return Result{State: Text, Minimal: compare(a, b, limits), Removed: a.changedLines(), Added: b.changedLines()}
}

func isBinary(text []byte) bool {
	return bytes.IndexByte(text[:min(len(text), 8000)], 0) >= 0
}

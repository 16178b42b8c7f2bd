package change

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/closeout-gate/closeout/verify/input"
)

// hunk is the rest of a hunk while its lines are read.
type hunk struct {
	at       input.Pos // of its first line, the one with @@
	old, new int       // lines that must still come of either side; below 0 when too many came
	last     byte      // how the line before began; 0 when that was no line of a file
	ended    bool      // whether a file without newline at its end ended here
}

// noNewline follows the last line of a file that does not end in a newline.
const noNewline = `\ No newline at end of file`

// How a line of a hunk counts, by its first byte: 1 is a line of the old file, 2 of the new one, 3 of both, 0 none. With
// diff.suppressBlankEmpty git prints an empty line of both files without its blank.
var lineSides = [256]byte{'-': 1, '+': 2, ' ': 3, '\n': 3}

func (d *diffReader) hunkList(s *section) bool {
	for {
		line, ok := d.peek()
		if s.hunks > 0 && (!ok || !bytes.HasPrefix(line, []byte("@@"))) {
			return true
		}
		h, ok := d.hunkHeader(s)
		if !ok || !d.hunkBody(h) || !d.hunkEnd(s, h) {
			return false
		}
		s.hunks++
	}
}

const hunkSyntax = "@@ -START[,COUNT] +START[,COUNT] @@"

// hunkHeader reads `@@ -START,COUNT +START,COUNT @@` and whatever git adds about the place.
func (d *diffReader) hunkHeader(s *section) (*hunk, bool) {
	h := &hunk{at: d.pos(1)}
	value, ok := d.take("@@ -")
	if !ok {
		return nil, d.failLine("a hunk must begin here", hunkSyntax)
	}
	oldStart, old, rest, ok := hunkSpan(value, " +")
	var newStart, new int
	if ok {
		newStart, new, rest, ok = hunkSpan(rest, " @@")
	}
	if !ok || (len(rest) > 0 && rest[0] != ' ') {
		return nil, d.failValue("@@ -", value, 0, "this is no header of a hunk", hunkSyntax)
	}
	if problem := s.place(oldStart, old, newStart, new); problem != "" {
		return nil, d.failValue("", append([]byte("@@ -"), value...), 0, problem,
			"hunks in ascending order, with as many lines between two of them in the old file as in the new one")
	}
	h.old, h.new = old, new
	return h, true
}

// hunkSpan reads `START,COUNT` or `START`, which means a count of 1, up to and with end.
func hunkSpan(text []byte, end string) (start, count int, rest []byte, ok bool) {
	text, rest, ok = bytes.Cut(text, []byte(end))
	if !ok {
		return 0, 0, nil, false
	}
	first, second, counted := bytes.Cut(text, []byte(","))
	start, ok = number(first)
	count = 1
	if ok && counted {
		count, ok = number(second)
	}
	return start, count, rest, ok
}

// place compares the numbers of a hunk with the section and the hunks before it, and reports what is wrong with them. A
// side of no lines is given the number of the line before it.
func (s *section) place(oldStart, old, newStart, new int) string {
	if (old > 0 && oldStart == 0) || (new > 0 && newStart == 0) || old+new == 0 {
		return "these lines cannot exist"
	}
	if old == 0 {
		oldStart++
	}
	if new == 0 {
		newStart++
	}
	switch {
	case oldStart < s.oldNext || newStart < s.newNext:
		return "the hunk overlaps the one before it, or comes before it"
	case oldStart-s.oldNext != newStart-s.newNext:
		return "the places in the old and in the new file do not agree"
	case s.ended:
		return "a hunk follows the end of the file"
	case s.kind == sectionAdd && (old > 0 || newStart != 1 || s.hunks > 0):
		return "a new file must be one hunk from line 1 on without old lines"
	case s.kind == sectionDelete && (new > 0 || oldStart != 1 || s.hunks > 0):
		return "a deleted file must be one hunk from line 1 on without new lines"
	}
	s.oldNext, s.newNext = oldStart+old, newStart+new
	return ""
}

// hunkBody passes over the lines of a hunk.
func (d *diffReader) hunkBody(h *hunk) bool {
	start, total, markers := d.line, h.old+h.new, 0
	for h.old|h.new > 0 {
		d.wholeLines(h)
		rest := d.buf[d.start:d.end]
		switch {
		case h.old|h.new <= 0:
		case bytes.IndexByte(rest, '\n') < 0 && d.fill():
		case len(rest) > 0 && rest[0] == '\\':
			if !d.marker(h) {
				return false
			}
			markers++
		case !d.oddLine(h):
			return false
		}
	}
	if h.old < 0 || h.new < 0 {
		return d.fail(input.Pos{Line: d.line - 1, Column: 1}, "the hunk has more lines than its header says",
			"a line that begins with "+input.Quote(string(h.last)), "the lines that line "+strconv.Itoa(h.at.Line)+" counts, no more", makeDiff)
	}
	// A line of context counts on both sides, any other on one.
	if passed := d.line - start - markers; 2*passed == total {
		return d.fail(h.at, "the hunk changes nothing", "lines of context alone", "a line with + or -", makeDiff)
	}
	return true
}

// wholeLines passes over lines of the hunk as long as they lie in the buffer and are plain. All time goes here.
func (d *diffReader) wholeLines(h *hunk) {
	text := d.buf[d.start:d.end]
	old, new, last, at, lines := h.old, h.new, h.last, 0, 0
	longest := int(min(d.limits.DiffLineBytes, diffBlock))
	for old|new > 0 {
		n := bytes.IndexByte(text[at:], '\n')
		if n < 0 || n > longest {
			break
		}
		sides := lineSides[text[at]]
		if sides == 0 {
			break
		}
		last = text[at]
		old -= int(sides & 1)
		new -= int(sides >> 1)
		at += n + 1
		lines++
	}
	h.old, h.new, h.last = old, new, last
	d.start += at
	d.line += lines
}

// oddLine passes over a line that is longer than the buffer, and reports any other.
func (d *diffReader) oddLine(h *hunk) bool {
	if d.start == d.end {
		return d.cutHunk(h)
	}
	first := d.buf[d.start]
	sides := lineSides[first]
	if sides == 0 {
		line, _ := d.peek()
		if bytes.HasPrefix(line, []byte(sectionStart)) || bytes.HasPrefix(line, []byte("@@ ")) {
			return d.cutHunk(h)
		}
		return d.failLine("this is no line of a hunk", `a line that begins with a blank, +, - or \`)
	}
	at := d.pos(1)
	n, ended := d.skip()
	if n > d.limits.DiffLineBytes {
		d.stop(input.OverLimitAt(at, "the length of a line in bytes", d.limits.DiffLineBytes, input.FlagDiffLineBytes))
		return false
	}
	if !ended {
		return d.fail(at, "the diff ends in the middle of a line", "the end", "a newline at the end", makeDiff)
	}
	h.last = first
	h.old -= int(sides & 1)
	h.new -= int(sides >> 1)
	return true
}

func (d *diffReader) cutHunk(h *hunk) bool {
	line, _ := d.peek()
	return d.fail(d.pos(1), "the hunk of line "+strconv.Itoa(h.at.Line)+" ends too early", input.Excerpt(line),
		fmt.Sprintf("%d more lines of the old and %d of the new file", h.old, h.new), makeDiff)
}

// marker reads the word about the missing newline. It follows the last line of a side.
func (d *diffReader) marker(h *hunk) bool {
	if line, _ := d.peek(); string(line) != noNewline || d.brokenLine(line) != "" {
		return d.failLine("this is no line of a hunk", input.Quote(noNewline))
	}
	sides := lineSides[h.last]
	if sides == 0 || (sides&1 != 0 && h.old > 0) || (sides&2 != 0 && h.new > 0) {
		return d.failLine("only the last line of a file can lack its newline", "more lines of the hunk of line "+strconv.Itoa(h.at.Line))
	}
	h.last, h.ended = 0, true
	d.skip()
	return true
}

// hunkEnd reads the word about the missing newline behind a whole hunk, and remembers that the file ends here.
func (d *diffReader) hunkEnd(s *section, h *hunk) bool {
	if line, _ := d.peek(); bytes.HasPrefix(line, []byte(`\`)) && !d.marker(h) {
		return false
	}
	s.ended = h.ended
	return true
}

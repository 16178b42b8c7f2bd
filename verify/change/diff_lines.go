package change

import (
	"bytes"
	"io"

	"github.com/closeout-gate/closeout/verify/input"
)

const (
	// diffBlock is the size of the one buffer that a diff passes through.
	diffBlock = 128 << 10
	// maxHeaderLine bounds every line that is not a line of a hunk. Git's longest contains two paths of 4,096 bytes,
	// each byte as four characters.
	maxHeaderLine = 64 << 10
)

// lineReader hands out the lines of a text of any size from one buffer.
type lineReader struct {
	src        io.Reader
	buf        []byte
	start, end int   // what is read and not yet passed: buf[start:end]
	line       int   // the number of the line of buf[start]
	total      int64 // bytes read
	limit      int64 // bytes that may be read
	done       bool  // nothing more can be read
	broken     bool  // an error or a limit ended the text, not its end
	errs       *input.Errors
}

func newLineReader(r io.Reader, limit int64) *lineReader {
	return &lineReader{src: r, buf: make([]byte, diffBlock), line: 1, limit: limit, errs: &input.Errors{}}
}

// pos is a column of the line that comes next.
func (r *lineReader) pos(column int) input.Pos { return input.Pos{Line: r.line, Column: column} }

// stop ends the text with an error.
func (r *lineReader) stop(e input.Error) {
	if !r.broken {
		r.errs.Add(e)
	}
	r.done, r.broken = true, true
	r.start, r.end = 0, 0
}

// fill reads more behind what is there. It reports whether anything came; a full buffer takes nothing.
func (r *lineReader) fill() bool {
	if r.start > 0 {
		r.end = copy(r.buf, r.buf[r.start:r.end])
		r.start = 0
	}
	if r.done || r.end == len(r.buf) {
		return false
	}
	n, err := io.ReadAtLeast(r.src, r.buf[r.end:], 1)
	r.end += n
	r.total += int64(n)
	switch {
	case r.total > r.limit:
		r.stop(input.OverLimitAt(r.pos(1), "the size of the diff in bytes", r.limit, input.FlagDiffBytes))
		return false
	case err == io.EOF:
		r.done = true
	case err != nil:
		e := input.Unreadable("the input", err)
		e.Pos = r.pos(1)
		r.stop(e)
		return false
	}
	return n > 0
}

// peek returns the line that comes next, without its newline, and false at the end. Of a line longer than
// maxHeaderLine it returns one byte more than that. The slice is good until the next call of peek.
func (r *lineReader) peek() ([]byte, bool) {
	for {
		rest := r.buf[r.start:r.end]
		if n := bytes.IndexByte(rest, '\n'); n >= 0 {
			return rest[:min(n, maxHeaderLine+1)], true
		}
		if len(rest) > maxHeaderLine {
			return rest[:maxHeaderLine+1], true
		}
		if !r.fill() {
			rest = r.buf[r.start:r.end]
			return rest, len(rest) > 0
		}
	}
}

// skip passes over the rest of the line. It returns how many bytes that were, and whether a newline ended them.
func (r *lineReader) skip() (int64, bool) {
	var passed int64
	for {
		rest := r.buf[r.start:r.end]
		if n := bytes.IndexByte(rest, '\n'); n >= 0 {
			r.start += n + 1
			r.line++
			return passed + int64(n), true
		}
		passed += int64(len(rest))
		r.start = r.end
		if !r.fill() {
			return passed, false
		}
	}
}

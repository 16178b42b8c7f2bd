// Package feedback reads feedback logs: one record of a command on each line.
package feedback

import (
	"bytes"
	"errors"
	"io"
	"math"

	"github.com/closeout-gate/closeout/verify/input"
)

// ReadLog streams a feedback log (JSON Lines, one [Record] per line) and calls visit for each valid record, in order.
//
// Lines end in LF or CRLF; the last one may have no line end. Blank lines are skipped. A malformed line is not visited; its
// errors are added to errs, and reading continues with the next line. A line over limits.RecordBytes is an error and is
// skipped without being kept. A log over limits.LogBytes or limits.LogLines, or a failing r, is an error that ends reading;
// the line that it cuts is not visited. ReadLog reads at most one byte more than limits.LogBytes, and keeps only the longest
// line and one block in memory.
//
// It returns the number of lines that are not blank, including malformed ones. An empty log is not an error here.
func ReadLog(r io.Reader, limits input.Limits, visit func(*Record)) (lines int64, errs *input.Errors) {
	return NewLogs(limits).Read(r, func(rec *Record) bool { visit(rec); return true })
}

// Logs reads several logs, which share the limits.
type Logs struct {
	limits input.Limits
	bytes  int64 // that may still be read; the same for lines
	lines  int64
	weight int64
	full   bool
	buf    []byte
}

// NewLogs returns a reader of logs.
func NewLogs(limits input.Limits) *Logs {
	return &Logs{limits: limits, bytes: min(limits.LogBytes, math.MaxInt64-1), lines: limits.LogLines, weight: 1, buf: make([]byte, logBlock)}
}

// Weigh sets how many times each line counts, because it is read that many times.
func (l *Logs) Weigh(times int) { l.weight = int64(max(times, 1)) }

// keysOfLine is how many keys that are not part of the format are as much work as a line.
const keysOfLine = 4

// Read is [ReadLog] for one more log. visit returns false when its memory limit is reached: that is an error, and nothing
// more is read from any log.
func (l *Logs) Read(r io.Reader, visit func(*Record) bool) (lines int64, errs *input.Errors) {
	errs = &input.Errors{}
	if l.full {
		errs.Add(l.tooManyIDs(input.Pos{}))
		return 0, errs
	}
	in := &logLines{r: io.LimitReader(r, l.bytes+1), most: l.bytes, limit: l.limits.LogBytes, longest: l.limits.RecordBytes, buf: l.buf}
	p := &logParser{errs: errs, depth: min(l.limits.Depth, maxLogDepth)}
	for line, state := in.next(); state != logEnd; line, state = in.next() {
		blank := spaceEnd(line, 0) == len(line)
		at := input.Pos{Line: in.number, Column: 1}
		if in.done && len(line) == 0 && state == logLine {
			break // nothing follows the last line end
		}
		if !l.affords(1, at, errs) {
			break
		}
		if blank && state == logLine {
			continue
		}
		if !blank || state == logLong {
			lines++
		}
		switch {
		case state == logCut:
			errs.Add(in.whyCut(at))
		case state == logLong:
			p.keys = 0
			p.addLimit(input.OverLimitAt(at, "the length of this line in bytes", l.limits.RecordBytes, input.FlagRecordBytes))
		case p.parse(line, in.number):
			l.full = !visit(&p.rec)
		}
		if l.full {
			errs.Add(l.tooManyIDs(at))
		}
		if l.full || !l.affords(p.keys/keysOfLine, at, errs) {
			break
		}
	}
	l.bytes -= min(in.total, l.bytes)
	l.buf = in.buf
	return lines, errs
}

// affords counts lines; it returns false and adds an error when there are too many.
func (l *Logs) affords(lines int64, at input.Pos, errs *input.Errors) bool {
	if l.lines -= l.weight * lines; l.lines < 0 {
		errs.Add(input.OverLimitAt(at, "the number of lines of all logs together", l.limits.LogLines, input.FlagLogLines))
	}
	return l.lines >= 0
}

// tooManyIDs is the error of logs that exceed the memory limit.
func (l *Logs) tooManyIDs(at input.Pos) input.Error {
	return input.OverLimitAt(at, "the number of command ids of all logs together, with other things kept in memory,", l.limits.LogIDs, input.FlagLogIDs)
}

// logBlock is how much is read at once: a block stays in the CPU cache while its lines are parsed.
const logBlock = 256 << 10

// logState is what next found.
type logState int

const (
	logLine logState = iota // a line
	logLong                 // a line over the limit, which is skipped
	logCut                  // the rest of a log that is too long or cannot be read
	logEnd
)

// logLines splits a stream into lines. It reuses the memory of one block, so a line is valid only until the next call.
type logLines struct {
	r          io.Reader
	most       int64 // bytes that the log may have; r returns at most one more
	limit      int64 // bytes that all logs together may have
	longest    int64 // bytes that a line may have, without its end
	buf        []byte
	start, end int // of the bytes in buf that were not yet returned
	total      int64
	number     int   // of the line that next returned, from 1
	failed     error // why fill added nothing; io.EOF at the end
	done       bool  // everything was returned
}

// next returns the next line without its end.
func (l *logLines) next() ([]byte, logState) {
	if l.done {
		return nil, logEnd
	}
	l.number++
	for searched := 0; ; {
		if n := bytes.IndexByte(l.buf[l.start+searched:l.end], '\n'); n >= 0 {
			return l.take(searched+n, 1)
		}
		searched = l.end - l.start
		// One byte more than the limit may be the CR of a line that is just not too long.
		if int64(searched)-1 > l.longest {
			return nil, l.skip()
		}
		if !l.fill() {
			return l.last()
		}
	}
}

// take returns the next n bytes as a line and skips its end.
func (l *logLines) take(n, end int) ([]byte, logState) {
	line := bytes.TrimSuffix(l.buf[l.start:l.start+n], []byte("\r"))
	l.start += n + end
	if int64(len(line)) > l.longest {
		return nil, logLong
	}
	return line, logLine
}

// last returns the bytes after the last line end, an empty line if there are none.
func (l *logLines) last() ([]byte, logState) {
	l.done = true
	if l.failed != io.EOF || l.total > l.most {
		return l.buf[l.start:l.end], logCut
	}
	return l.take(l.end-l.start, 0)
}

// skip skips the rest of a line that is too long.
func (l *logLines) skip() logState {
	for {
		if n := bytes.IndexByte(l.buf[l.start:l.end], '\n'); n >= 0 {
			l.start += n + 1
			return logLong
		}
		l.start = l.end
		if !l.fill() {
			return logLong
		}
	}
}

// fill reads more bytes into the buffer, which it enlarges when it is full; false when there are none.
func (l *logLines) fill() bool {
	if l.failed != nil {
		return false
	}
	rest := l.buf[l.start:l.end]
	if len(rest) == len(l.buf) {
		// By half, but not far above the limit of a line.
		need := max(l.longest-int64(len(l.buf)), 0) + logBlock
		l.buf = make([]byte, int64(len(l.buf))+min(int64(len(l.buf)/2), need))
		copy(l.buf, rest)
	} else if l.start > 0 {
		copy(l.buf, rest)
	}
	l.start, l.end = 0, len(rest)
	n, err := io.ReadAtLeast(l.r, l.buf[l.end:min(l.end+logBlock, len(l.buf))], 1)
	l.end += n
	l.total += int64(n)
	l.failed = err
	return n > 0
}

// whyCut is the error for a log that was cut. It names only the innermost cause: the outer ones contain paths of this
// machine.
func (l *logLines) whyCut(at input.Pos) input.Error {
	if l.failed == io.EOF {
		return input.OverLimitAt(at, "the size of all logs together in bytes", l.limit, input.FlagLogBytes)
	}
	cause := l.failed
	for inner := errors.Unwrap(cause); inner != nil; inner = errors.Unwrap(cause) {
		cause = inner
	}
	return input.Error{
		Pos: at, Message: "the log cannot be read beyond this line: " + input.Clip(cause.Error()), Found: "a read error",
		Expected: "a readable file", Fix: "check the file and the disk it is on, then run again",
	}
}

package record

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"

	"github.com/closeout-gate/closeout/internal/record/system"
	"github.com/closeout-gate/closeout/verify/feedback"
	"github.com/closeout-gate/closeout/verify/input"
)

// appendRecord numbers an entry and appends it to the log under a lock, for which concurrent recorders wait. The line is
// written at once and synced to disk.
func appendRecord(root, path string, e *entry) (err error) {
	f, err := openLog(root, path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	size, last, err := lastSeq(f)
	if err != nil {
		return fmt.Errorf("the log %q cannot be continued: %w", path, err)
	}
	e.Seq = last + 1
	line, err := e.line()
	if err != nil {
		return err
	}
	return writeLine(f, line, size)
}

// writeLine appends a line to a log of the given size. Half a line would stop every later recorder.
func writeLine(f *os.File, line []byte, size int64) error {
	if _, err := f.Write(line); err != nil {
		return errors.Join(err, f.Truncate(size))
	}
	return f.Sync()
}

// probe checks whether the log can be continued, before a command runs for nothing. It leaves no new file: where git does not
// ignore the log, a file would change the code tree.
func probe(root, path string) (err error) {
	at, err := placeOf(root, path)
	if err != nil {
		return err
	}
	if there, err := at.writable(); err != nil || !there {
		return err
	}
	f, err := openLog(root, path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if _, _, err = lastSeq(f); err != nil {
		return fmt.Errorf("the log %q cannot be continued: %w", path, err)
	}
	return nil
}

// lastSeq returns the size of the log and the number of its last record, 0 when it is empty.
func lastSeq(f *os.File) (size, seq int64, err error) {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return 0, 0, err
	}
	line, err := lastLine(f, info.Size())
	if err != nil {
		return 0, 0, err
	}
	var last *int64
	limits := input.DefaultLimits()
	_, errs := feedback.ReadLog(bytes.NewReader(line), limits, func(r *feedback.Record) { last = r.Seq })
	switch list := errs.All(); {
	case len(list) > 0:
		return 0, 0, fmt.Errorf("its last line is not a record: %s", list[0].Message)
	case last == nil:
		return 0, 0, errors.New("its last line has no seq, so it was not written by a recorder: use another log")
	case *last == math.MaxInt64:
		return 0, 0, errors.New("its last line has the maximum seq")
	}
	return info.Size(), *last, nil
}

// lastLine reads the last line of a file that is not empty, without its end. A recorder that crashes while it writes leaves a
// line without an end: that is an error, so that a person notices it.
func lastLine(f io.ReaderAt, size int64) ([]byte, error) {
	most := input.DefaultLimits().RecordBytes + 2
	for length := int64(64 << 10); ; length *= 4 {
		length = min(length, size, most)
		block := make([]byte, length)
		if _, err := f.ReadAt(block, size-length); err != nil {
			return nil, err
		}
		line, ended := bytes.CutSuffix(block, []byte("\n"))
		if !ended {
			return nil, errors.New("its last line is incomplete, perhaps after a crash: inspect it and complete it, or name a new log with --log")
		}
		if start := bytes.LastIndexByte(line, '\n'); start >= 0 || length == size {
			return line[start+1:], nil
		}
		if length == most {
			return nil, errors.New("its last line is longer than a record may be")
		}
	}
}

// openLog opens the log for reading and appending and locks it. It creates the log and its directories if necessary.
func openLog(root, path string) (*os.File, error) {
	at, err := placeOf(root, path)
	if err != nil {
		return nil, err
	}
	dir, err := at.parent(create)
	if err != nil {
		return nil, err
	}
	defer dir.Close() // nothing was written to it
	f, err := openLocked(dir, at.name())
	if err != nil {
		return nil, fmt.Errorf("the log %q: %w", path, err)
	}
	return f, nil
}

// openLocked opens or creates a log, and locks it. While it waits for the lock, another recorder may replace the file.
func openLocked(dir *os.Root, name string) (*os.File, error) {
	for {
		f, err := dir.OpenFile(name, logMode|os.O_CREATE|os.O_EXCL, 0o644)
		if errors.Is(err, fs.ErrExist) {
			f, err = openRegular(dir, name, logMode)
		}
		if errors.Is(err, fs.ErrNotExist) {
			continue // it was removed in between
		}
		if err != nil {
			return nil, reason(err)
		}
		if err := system.Lock(f); err != nil {
			return nil, errors.Join(fmt.Errorf("locking it: %w", err), f.Close())
		}
		opened, err := f.Stat()
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		if now, err := dir.Lstat(name); err == nil && os.SameFile(now, opened) {
			return f, nil
		}
		f.Close() // nothing was written to it
	}
}

const logMode = os.O_RDWR | os.O_APPEND

package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/closeout-gate/closeout/verify/evidence"
)

// appendRecord gives an entry its number and writes it as the last line of the log, while it holds the lock: recorders
// that run beside each other wait. The line is written at once and is on the disk afterwards.
func appendRecord(root, path string, e *entry) (err error) {
	f, err := openLog(root, path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := lock(f); err != nil {
		return fmt.Errorf("locking the log %q: %w", path, err)
	}
	size, last, err := lastSeq(f)
	if err != nil {
		return fmt.Errorf("the log %q cannot be continued: %w", path, err)
	}
	e.Seq = last + 1
	line, err := e.line()
	if err != nil {
		return err
	}
	if _, err := f.Write(line); err != nil {
		return errors.Join(err, f.Truncate(size)) // half of a line would stop every later recorder
	}
	return f.Sync()
}

// lastSeq returns the log's size and the number of its last record, 0 when it is empty.
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
	limits := evidence.DefaultLimits()
	_, errs := evidence.ReadLog(bytes.NewReader(line), limits, func(r *evidence.Record) { last = r.Seq })
	switch list := errs.All(); {
	case len(list) > 0:
		return 0, 0, fmt.Errorf("its last line is no record: %s", list[0].Message)
	case last == nil:
		return 0, 0, errors.New("its last line has no seq, so no other recorder wrote it: name another log")
	case *last == math.MaxInt64:
		return 0, 0, errors.New("its last line has the largest seq there is")
	}
	return info.Size(), *last, nil
}

// lastLine reads the last line of a file that is not empty, without its end. A last line without an end is what a
// recorder left that crashed while it wrote: it must be seen, not continued.
func lastLine(f io.ReaderAt, size int64) ([]byte, error) {
	most := evidence.DefaultLimits().RecordBytes + 2
	for length := int64(64 << 10); ; length *= 4 {
		length = min(length, size, most)
		block := make([]byte, length)
		if _, err := f.ReadAt(block, size-length); err != nil {
			return nil, err
		}
		line, ended := bytes.CutSuffix(block, []byte("\n"))
		if !ended {
			return nil, errors.New("its last line has no end, as after a crash: look at it, then complete or remove that line")
		}
		if start := bytes.LastIndexByte(line, '\n'); start >= 0 || length == size {
			return line[start+1:], nil
		}
		if length == most {
			return nil, errors.New("its last line is longer than a record may be")
		}
	}
}

// openLog opens the log for reading and appending, and makes it and its folders when they are not there. In the work
// tree no link is followed: the change under test could have planted one.
func openLog(root, path string) (*os.File, error) {
	base, rel := filepath.Dir(path), filepath.Base(path)
	if inside, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(inside) {
		base, rel = root, inside
	} else if err := os.MkdirAll(base, 0o755); err != nil {
		return nil, err
	}
	dir, err := os.OpenRoot(base)
	if err != nil {
		return nil, err
	}
	defer func() { dir.Close() }() // the last one opened; nothing was written to it
	parts := strings.Split(rel, string(filepath.Separator))
	for _, name := range parts[:len(parts)-1] {
		sub, err := enter(dir, name)
		if err != nil {
			return nil, fmt.Errorf("the folder %q of the log %q: %w", name, path, err)
		}
		dir.Close()
		dir = sub
	}
	f, err := openRegular(dir, parts[len(parts)-1])
	if err != nil {
		return nil, fmt.Errorf("the log %q: %w", path, err)
	}
	return f, nil
}

// enter opens a folder, which it makes when it is not there.
func enter(dir *os.Root, name string) (*os.Root, error) {
	if err := dir.Mkdir(name, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, reason(err)
	}
	info, err := dir.Lstat(name)
	if err != nil {
		return nil, reason(err)
	}
	if !info.IsDir() {
		return nil, errors.New("is a link or a file: a folder is needed")
	}
	sub, err := dir.OpenRoot(name)
	if err != nil {
		return nil, reason(err)
	}
	if opened, err := sub.Stat("."); err != nil || !os.SameFile(info, opened) {
		return nil, errors.Join(errors.New("was replaced just now"), sub.Close())
	}
	return sub, nil
}

// openRegular opens a file for reading and appending, which it makes when it is not there.
func openRegular(dir *os.Root, name string) (*os.File, error) {
	const how = os.O_RDWR | os.O_APPEND
	f, err := dir.OpenFile(name, how|os.O_CREATE|os.O_EXCL, 0o644)
	if err == nil {
		return f, nil
	}
	if !errors.Is(err, fs.ErrExist) {
		return nil, reason(err)
	}
	info, err := dir.Lstat(name)
	if err != nil {
		return nil, reason(err)
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("is a link or a special file: a regular file is needed")
	}
	if f, err = dir.OpenFile(name, how, 0); err != nil {
		return nil, reason(err)
	}
	if opened, err := f.Stat(); err != nil || !os.SameFile(info, opened) {
		return nil, errors.Join(errors.New("was replaced just now"), f.Close())
	}
	return f, nil
}

// Digest is the sha256 of the log, in hexadecimal, taken while no recorder writes.
func (r *Recorder) Digest() (digest string, err error) {
	f, err := openLog(r.Root, r.Log)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := lock(f); err != nil {
		return "", err
	}
	return sumOf(f)
}

// Empty reports whether the log holds nothing yet. It makes the log when it is not there.
func (r *Recorder) Empty() (empty bool, err error) {
	f, err := openLog(r.Root, r.Log)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	return err == nil && info.Size() == 0, err
}

// digestBelow is the sha256 of a regular file below the root, in hexadecimal. A link that leads out of it is an error.
func digestBelow(root, path string) (digest string, err error) {
	f, err := os.OpenInRoot(root, filepath.FromSlash(path))
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return "", errors.Join(err, errors.New("it is not a regular file"))
	}
	return sumOf(f)
}

func sumOf(r io.Reader) (string, error) {
	sum := sha256.New()
	if _, err := io.Copy(sum, r); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

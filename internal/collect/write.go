package collect

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/report"
)

// Stale is a report of an earlier run.
type Stale struct {
	Verdict string
	SHA256  string
}

// RemoveStale removes an older report, so that it cannot pass for the result of a run that writes none, and returns it; nil
// when there was none. A symlink is removed and not followed, and so is an empty file. Anything else that is not a report
// stays, and is an error.
func RemoveStale(path string) (*Stale, error) {
	t, err := openTarget(path, false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // no directory, no report
	}
	if err != nil {
		return nil, fmt.Errorf("the report %q cannot be removed: %w", path, input.Reason(err))
	}
	defer t.dir.Close()
	old, err := t.replaceable()
	if err != nil {
		return nil, fmt.Errorf("the report %q cannot be written: %w", path, input.Reason(err))
	}
	if err := t.dir.Remove(t.name); err != nil && !errors.Is(err, fs.ErrNotExist) { // another run may have been faster
		return nil, fmt.Errorf("the old report %q cannot be removed: %w", path, input.Reason(err))
	}
	return old, nil
}

// errForeign says what is in the place of a report.
var errForeign = errors.New("the existing file is not a report of closeout: name another path")

// replaceable refuses a target that is something else than a report, a symlink or an empty file, and returns the report.
func (t *target) replaceable() (*Stale, error) {
	info, err := t.dir.Lstat(t.name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case info.Mode()&fs.ModeSymlink != 0, info.Mode().IsRegular() && info.Size() == 0:
		return nil, nil
	case info.IsDir():
		return nil, errors.New("it is a directory: name another path")
	case !info.Mode().IsRegular():
		return nil, errors.New("it is not a regular file: name another path")
	}
	f, err := t.dir.OpenFile(t.name, readOnly, 0)
	if err != nil {
		return nil, err
	}
	old, err := readStale(f)
	return old, errors.Join(err, f.Close())
}

// maxStale is how large a report can be: one of 200,000 changed files with long names is a tenth of it.
const maxStale = 1 << 30

// readStale reads what a report decided.
func readStale(f io.Reader) (*Stale, error) {
	sum := sha256.New()
	text := io.TeeReader(io.LimitReader(f, maxStale), sum)
	verdict, ok := report.ReadVerdict(text)
	if ok {
		_, err := io.Copy(io.Discard, text)
		ok = err == nil
	}
	if !ok {
		return nil, errForeign
	}
	return &Stale{Verdict: verdict, SHA256: hex.EncodeToString(sum.Sum(nil))}, nil
}

// Write writes a report at once or not at all: into a temporary file beside it, which then takes its name. It replaces
// what [RemoveStale] removes and nothing else, and follows no symlink. The directories that it needs are made.
func Write(path string, data []byte) error {
	return write("report", path, data, true, func(t *target) error {
		_, err := t.replaceable()
		return err
	})
}

// WriteOther writes another file in the same way, over any regular file, whose permissions stay.
func WriteOther(what, path string, data []byte) error {
	return write(what, path, data, false, func(t *target) error {
		info, err := t.dir.Lstat(t.name)
		if err == nil && info.Mode()&fs.ModeSymlink == 0 && !info.Mode().IsRegular() {
			return errors.New("it is not a regular file: name another path")
		}
		return nil
	})
}

func write(what, path string, data []byte, make bool, check func(*target) error) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("the %s %q cannot be written: %w", what, path, input.Reason(err))
		}
	}()
	t, err := openTarget(path, make)
	if err != nil {
		return err
	}
	defer t.dir.Close()
	if err := check(t); err != nil {
		return err
	}
	mode := fs.FileMode(0o644)
	if info, err := t.dir.Lstat(t.name); err == nil && info.Mode().IsRegular() {
		mode = info.Mode().Perm()
	}
	temp := ".closeout-" + rand.Text()
	err = t.fill(temp, data, mode)
	if err == nil {
		err = t.dir.Rename(temp, t.name)
	}
	if err != nil {
		_ = t.dir.Remove(temp) // it may not be there, and the error is the first one
	}
	return err
}

// fill writes all data, so that it is on the disk before the file gets its name.
func (t *target) fill(name string, data []byte, mode fs.FileMode) error {
	f, err := t.dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

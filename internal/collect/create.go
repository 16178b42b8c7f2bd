package collect

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/closeout-gate/closeout/verify/input"
)

// Create writes a file that does not exist, and the directories that it needs: completely or not at all. It follows no symlink,
// and what has the name already stays, whatever it is: the error is then fs.ErrExist.
func Create(path string, data []byte) error {
	return write("file", path, data, true, func(t *target) error {
		switch _, err := t.dir.Lstat(t.name); {
		case err == nil:
			return fs.ErrExist
		case !errors.Is(err, fs.ErrNotExist):
			return err
		}
		return nil
	})
}

// Exists reports whether something has a name, also a symlink that leads nowhere. No symlink is followed: one in the place of a
// directory is an error.
func Exists(path string) (bool, error) {
	t, err := openTarget(path, false)
	if err == nil {
		_, err = t.dir.Lstat(t.name)
		err = errors.Join(err, t.dir.Close())
	}
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return err == nil, nil
	}
	return false, fmt.Errorf("%q cannot be read: %w", path, input.Reason(err))
}

// ReadRegular reads a regular file of at most limit bytes; nil when there is none. It follows no symlink.
func ReadRegular(path string, limit int64) ([]byte, error) {
	t, err := openTarget(path, false)
	if err != nil {
		return nil, fmt.Errorf("%q cannot be read: %w", path, input.Reason(err))
	}
	data, err := t.read(limit)
	if err = errors.Join(err, t.dir.Close()); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%q cannot be read: %w", path, input.Reason(err))
	}
	return data, nil
}

func (t *target) read(limit int64) ([]byte, error) {
	info, err := t.dir.Lstat(t.name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("it is not a regular file")
	case info.Size() > limit:
		return nil, fmt.Errorf("it has %d bytes, and at most %d are read", info.Size(), limit)
	}
	f, err := t.dir.OpenFile(t.name, readOnly, 0)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, limit))
	return data, errors.Join(err, f.Close())
}

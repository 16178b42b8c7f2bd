package collect

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// RemoveStale removes an older report, so that it cannot speak for a run that does not get as far as writing one. A
// path that is a symlink or a folder is refused.
func RemoveStale(path string) error {
	if err := replaceable(path); err != nil {
		return err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) { // another run may have been faster
		return fmt.Errorf("the old report %q cannot be removed: %w", path, Reason(err))
	}
	return nil
}

// replaceable refuses a path at which something else than a regular file is.
func replaceable(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("the report %q cannot be looked at: %w", path, Reason(err))
	case info.Mode()&fs.ModeSymlink != 0:
		return fmt.Errorf("the report %q is a symlink: name a path that is none", path)
	case !info.Mode().IsRegular():
		return fmt.Errorf("the report %q is not a regular file: name another path", path)
	}
	return nil
}

// Write writes a file at once or not at all: into a temporary file beside it, which then takes its name. It never
// writes through a symlink.
func Write(path string, data []byte) error {
	if err := replaceable(path); err != nil {
		return err
	}
	temp, err := os.CreateTemp(filepath.Dir(path), ".closeout-*")
	if err != nil {
		return fmt.Errorf("the report %q cannot be written: %w", path, Reason(err))
	}
	if err := fill(temp, data); err != nil {
		return fmt.Errorf("the report %q cannot be written: %w", path, errors.Join(Reason(err), os.Remove(temp.Name())))
	}
	if err := os.Rename(temp.Name(), path); err != nil {
		return fmt.Errorf("the report %q cannot be put in place: %w", path, errors.Join(err, os.Remove(temp.Name())))
	}
	return nil
}

// fill writes all data, so that it is on the disk before the file gets its name.
func fill(f *os.File, data []byte) error {
	_, err := f.Write(data)
	if err == nil {
		err = f.Chmod(0o644)
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

const stepOutput = "GITHUB_OUTPUT"

// stepFiles are the variables that name the files with which a step communicates with the workflow. A command does not get
// them, but it can find the files.
var stepFiles = []string{stepOutput, "GITHUB_ENV", "GITHUB_PATH", "GITHUB_STATE", "GITHUB_STEP_SUMMARY"}

// stepFile is such a file, and its content when we last wrote to it.
type stepFile struct {
	name  string
	path  string // as in the environment
	real  string // without links, if the file existed
	there fs.FileInfo
	own   []byte
}

func newStepFile(name, path string) (*stepFile, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	f := &stepFile{name: name, path: path, real: path}
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if f.real, err = filepath.EvalSymlinks(path); err != nil {
		return nil, fmt.Errorf("%s: %w", name, reason(err))
	}
	return f, f.remember()
}

// remember stores the current state of the file as the expected one.
func (f *stepFile) remember() (err error) {
	if f.there, err = os.Lstat(f.real); err == nil && f.there.Mode().IsRegular() {
		f.own, err = os.ReadFile(f.real)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", f.name, reason(err))
	}
	return nil
}

// compare describes how the file differs from its expected state, "" when it does not. A file that is not regular, such as a
// terminal, cannot be compared.
func (f *stepFile) compare() string {
	now, err := os.Lstat(f.real)
	switch {
	case f.there == nil && errors.Is(err, fs.ErrNotExist):
		return ""
	case f.there == nil:
		return "the file was created"
	case err != nil:
		return "the file was removed"
	}
	// A new file, such as a pipe, can have the inode number of a removed one, and opening a pipe would block.
	same := os.SameFile(now, f.there) && now.Mode().Type() == f.there.Mode().Type()
	if real, err := filepath.EvalSymlinks(f.path); err != nil || real != f.real || !same {
		return "the file was replaced"
	}
	if !f.there.Mode().IsRegular() {
		return ""
	}
	file, err := os.Open(f.real)
	if err != nil {
		return "reading the file: " + reason(err).Error()
	}
	defer file.Close() // it is only read
	return compareWith(file, f.own)
}

// putBack restores the expected content of the file.
func (f *stepFile) putBack() (err error) {
	dir, err := os.OpenRoot(filepath.Dir(f.real))
	if err != nil {
		return reason(err)
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	if f.there == nil {
		return dir.RemoveAll(filepath.Base(f.real))
	}
	if err := replace(dir, filepath.Base(f.real), f.own); err != nil {
		return err
	}
	return f.remember()
}

// appendText appends text to the file.
func (f *stepFile) appendText(text string) (err error) {
	mode := os.O_APPEND | os.O_WRONLY
	if f.there == nil {
		mode |= os.O_CREATE | os.O_EXCL
	}
	file, err := os.OpenFile(f.real, mode, 0o644)
	if err != nil {
		return fmt.Errorf("%s: %w", f.name, reason(err))
	}
	_, err = file.WriteString(text)
	if err := errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("%s: %w", f.name, reason(err))
	}
	return f.remember()
}

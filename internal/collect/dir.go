// Package collect is the impure half: it collects the inputs of a decision, and writes reports and bundles. [Bundle], [Files] and
// [Trees] find inputs in a bundle, by their names, and from two commits; what they find is judged elsewhere.
package collect

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/report"
	"github.com/closeout-gate/closeout/verify/reports"
)

// Found is what was collected: the inputs of a decision, and the files behind them.
type Found struct {
	*verify.Bundle
	Paths []string // of the inputs, absolute or relative to the working directory
	Dirs  []string // that contain nothing but inputs, and names that only inputs have

	// What [Found.Add] added, for [WriteBundle]; nil otherwise.
	compared    *Comparison
	facts       *facts.Facts
	testReports []string
	evidenceDir string
	baseTests   func(name string) (verify.Opener, error) // nil when the operator supplies no reports of the base
	names       map[string]*reports.TestNames            // of the test reports of the head that were read
}

// Contains reports whether a path names one of the inputs, or could, so that no report is written over it.
func (f *Found) Contains(path string) bool {
	return slices.ContainsFunc(f.Paths, func(input string) bool { return Overwrites(path, input) }) ||
		slices.ContainsFunc(f.Dirs, func(dir string) bool { return isInside(dir, path) })
}

// isInside reports whether a path lies below a directory, by its text.
func isInside(dir, path string) bool {
	absDir, errDir := filepath.Abs(dir)
	absPath, errPath := filepath.Abs(path)
	if errDir != nil || errPath != nil {
		return false
	}
	_, inside := below(absDir, absPath)
	return inside
}

// below is a path relative to a directory, with slashes; false where it leads out of it.
func below(dir, path string) (string, bool) {
	relative, err := filepath.Rel(dir, path)
	return filepath.ToSlash(relative), err == nil && filepath.IsLocal(relative)
}

// Overwrites reports whether writing to a path overwrites an input. A symlink is replaced and not followed, so what
// it points to is safe.
func Overwrites(path, input string) bool { return sameFile(path, input, os.Lstat) }

// SameFile reports whether two paths name one file: by their text, or because both exist and are the same.
func SameFile(a, b string) bool { return sameFile(a, b, os.Stat) }

// sameFile is SameFile, with how to look at the first path.
func sameFile(a, b string, look func(string) (os.FileInfo, error)) bool {
	absA, errA := filepath.Abs(a)
	absB, errB := filepath.Abs(b)
	if errA == nil && errB == nil && absA == absB {
		return true
	}
	infoA, errA := look(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}

// Bundle finds the inputs of a bundle. Files with other names are ignored. Nothing outside the directory is read, not even
// through a symlink. The error says why the directory cannot be listed.
func Bundle(dir string) (*Found, error) {
	root, err := OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("the bundle %q cannot be opened: %w", dir, input.Reason(err))
	}
	return bundleOf(onDisk{root.FS().(readable), root}, dir)
}

// BundleFrom finds the inputs of a bundle whose files are known: how to open each, by its path. dir is what the bundle is
// called.
func BundleFrom(files map[string]verify.Opener, dir string) (*Found, error) {
	return bundleOf(inObjects(files), dir)
}

// bundleOf finds the inputs of a bundle, which is called dir.
func bundleOf(fsys fs.FS, dir string) (*Found, error) {
	b, err := verify.Open(fsys)
	if err != nil {
		return nil, err
	}
	f := &Found{Bundle: b}
	for _, in := range b.Inputs {
		f.Paths = append(f.Paths, filepath.Join(dir, filepath.FromSlash(in.Name)))
	}
	for _, name := range verify.BundleNames() {
		f.Dirs = append(f.Dirs, filepath.Join(dir, name)) // also those that do not exist: a report would become an input
	}
	return f, nil
}

// readOnly opens a file without waiting: opening a pipe would otherwise wait for a writer.
const readOnly = os.O_RDONLY | syscall.O_NONBLOCK

var errDirectory = errors.New("it is a directory")

// regular refuses everything but regular files: a device or a pipe has no end and no digest.
func regular(f *os.File, err error) (fs.File, error) {
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case info.IsDir():
		err = errDirectory
	case !info.Mode().IsRegular():
		err = errors.New("it is not a regular file")
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// OpenFile opens a regular file.
func OpenFile(name string) (fs.File, error) { return regular(os.OpenFile(name, readOnly, 0)) }

// OpenIn opens a regular file below a directory, named with slashes. No link leads out of it.
func OpenIn(root *os.Root, name string) (fs.File, error) {
	return regular(root.OpenFile(filepath.FromSlash(name), readOnly, 0))
}

func bytesOpener(data []byte) verify.Opener {
	return func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }
}

// MaxReport is how large a report may be to be read, in bytes: larger than one about a change within the default limits.
const MaxReport = 256 << 20

// Report reads the report of a bundle.
func Report(dir string) ([]byte, error) {
	root, err := OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return readReport(OpenIn(root, report.FileName))
}

// ReportFile reads a report: a regular file.
func ReportFile(name string) ([]byte, error) { return readReport(OpenFile(name)) }

func readReport(f fs.File, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > MaxReport {
		return nil, errReportLarge
	}
	return ReportFrom(f)
}

var errReportLarge = fmt.Errorf("it is larger than %d bytes, the most that a report can have", MaxReport)

// ReportFrom reads a report from a stream, up to [MaxReport] bytes.
func ReportFrom(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxReport+1))
	if err == nil && len(data) > MaxReport {
		err = errReportLarge
	}
	return data, err
}

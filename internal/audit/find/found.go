package find

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/closeout-gate/closeout/internal/audit/archive"
	"github.com/closeout-gate/closeout/internal/collect"
	"github.com/closeout-gate/closeout/verify/input"
)

// Input is what archive add reads: entries, and the files of their bundles.
type Input struct {
	Found *archive.Found
	root  *os.Root
}

// Open opens a file of the bundle of an entry. No link is followed to the outside.
func (in *Input) Open(position int, name string) (io.ReadCloser, error) {
	return collect.OpenIn(in.root, path.Join(strconv.Itoa(position), archive.BundleDir, name))
}

// Close closes the directory.
func (in *Input) Close() error { return in.root.Close() }

// Open opens the directory that archive find made. Only its index is read.
func Open(dir string) (*Input, error) {
	root, err := collect.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("the directory %q cannot be opened: %w", dir, input.Reason(err))
	}
	name := filepath.ToSlash(filepath.Join(dir, archive.IndexFile))
	data, err := readAtMost(archive.MaxFoundBytes)(collect.OpenIn(root, archive.IndexFile))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%q cannot be read: %w", name, input.Reason(err)), root.Close())
	}
	found, errs := archive.ReadFound(data)
	if errs.Any() {
		return nil, errors.Join(&ArchiveErrors{name, errs}, root.Close())
	}
	return &Input{found, root}, nil
}

// State reads state.json from a file.
func State(file string) (*archive.State, error) {
	data, err := readAtMost(archive.MaxStateBytes)(collect.OpenFile(file))
	if err != nil {
		return nil, fmt.Errorf("the state %q cannot be read: %w", file, input.Reason(err))
	}
	state, errs := archive.ReadState(data)
	if errs.Any() {
		return nil, &ArchiveErrors{filepath.ToSlash(file), errs}
	}
	return state, nil
}

// readAtMost reads a file of a bounded size.
func readAtMost(limit int64) func(io.ReadCloser, error) ([]byte, error) {
	return func(f io.ReadCloser, err error) ([]byte, error) {
		if err != nil {
			return nil, err
		}
		defer f.Close()
		data, err := io.ReadAll(io.LimitReader(f, limit+1))
		if err == nil && int64(len(data)) > limit {
			err = fmt.Errorf("it is larger than %d bytes", limit)
		}
		return data, err
	}
}

// ArchiveErrors are the errors of a file of an archive.
type ArchiveErrors struct {
	Name string
	Errs *input.Errors
}

func (e *ArchiveErrors) Error() string {
	var lines []string
	for _, one := range e.Errs.All() {
		lines = append(lines, one.In(e.Name).Error())
	}
	return strings.Join(lines, "\n")
}

package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/closeout-gate/closeout/verify/check"
)

// Clean removes the logs and the reports of an earlier run from the evidence directory, and nothing else: every log at any
// depth, which the gate would read, and of reports, which are relative to the root, those that are in the directory. What composed
// trees have there stays: see [Cross.Clean]. No link is followed; one in the place of a log or report is removed itself. It
// returns what it removed, relative to the root.
func Clean(root, evidence string, reports []string) (removed []string, err error) {
	at, err := placeOf(root, filepath.Join(root, filepath.FromSlash(evidence), FileName))
	if err != nil {
		return nil, err
	}
	dir, err := at.parent(fail)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer dir.Close() // nothing is written through it
	err = fs.WalkDir(dir.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		whole := path.Join(evidence, name)
		switch {
		case err != nil:
			return fmt.Errorf("%q: %w", whole, reason(err))
		case name == check.CrossDir && entry.IsDir():
			return fs.SkipDir
		case path.Base(name) != FileName && !slices.Contains(reports, whole), !entry.Type().IsRegular() && entry.Type()&fs.ModeSymlink == 0:
			return nil
		}
		removed = append(removed, whole)
		return removeFile(dir, name)
	})
	if err != nil {
		return removed, fmt.Errorf("the evidence of an earlier run cannot be removed: %w", err)
	}
	return removed, nil
}

// removeFile removes a file without following a link to it.
func removeFile(dir *os.Root, name string) error {
	if err := dir.Remove(filepath.FromSlash(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%q: %w", name, reason(err))
	}
	return nil
}

// Reports are the files that the commands of a plan write, and the default rule report.
func (p *Plan) Reports(evidence string) []string {
	list := []string{path.Join(evidence, RulesFile)}
	for _, s := range p.Streams {
		for _, step := range s.Steps {
			for _, report := range step.Command.Produces {
				if !slices.Contains(list, report) {
					list = append(list, report)
				}
			}
		}
	}
	return list
}

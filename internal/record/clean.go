package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/policy"
)

// Clean removes what an earlier run wrote to the evidence directory: its logs, at the places that a [Plan] has for
// them, and the reports there, whose paths are relative to the root. Another log is of a person or of another tool: it
// stays, and is one of others, because the gate reads it. Evidence of composed trees stays too: see [Cross.Clean]. No
// link is followed; one in the place of a log or report is removed itself.
func Clean(root, evidence string, reports []string) (others []string, err error) {
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
		file := path.Join(evidence, name)
		switch {
		case err != nil:
			return fmt.Errorf("%q: %w", file, reason(err))
		case name == check.CrossDir && entry.IsDir():
			return fs.SkipDir
		case !entry.Type().IsRegular() && entry.Type()&fs.ModeSymlink == 0:
			return nil
		case isPlanned(name), slices.Contains(reports, file):
			return removeFile(dir, name)
		case path.Base(name) == FileName:
			others = append(others, file)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("the evidence of an earlier run cannot be removed: %w", err)
	}
	return others, nil
}

// isPlanned reports whether a path of the evidence directory is that of a log of [Plan.AddPolicy], for whatever task.
func isPlanned(name string) bool {
	task, found := strings.CutPrefix(path.Dir(name), streamTask+"/")
	ofTask := found && !strings.Contains(task, "/")
	return path.Base(name) == FileName && (ofTask || path.Dir(name) == streamRules || name == FileName)
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
	list := []string{path.Join(evidence, policy.DefaultRules)}
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

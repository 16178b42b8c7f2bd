package collect

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/input"
)

// place is where a bundle is: a directory, or the objects of a repository. Paths are relative to the bundle, with slashes.
type place interface {
	// existing opens a file that exists; nil when there is none of that name. A file that exists but cannot be opened is an
	// unreadable input, not a missing one.
	existing(name string) verify.Opener
	// listed gives the files below a directory with one of the extensions, sorted; none when there is no such directory.
	listed(dir string, extensions []string) ([]string, error)
	// names gives the names in a directory, sorted; none when there is no such directory.
	names(dir string) ([]string, error)
}

// onDisk is a bundle in a directory.
type onDisk struct{ root *os.Root }

func (d onDisk) existing(name string) verify.Opener { return existing(d.root, name) }

func (d onDisk) listed(dir string, extensions []string) ([]string, error) {
	return listed(d.root, dir, extensions)
}

func (d onDisk) names(dir string) ([]string, error) {
	entries, err := fs.ReadDir(d.root.FS(), dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, err
}

// inObjects is a bundle whose files are known: how to open each, by its path.
type inObjects map[string]verify.Opener

func (o inObjects) existing(name string) verify.Opener { return o[name] }

func (o inObjects) listed(dir string, extensions []string) ([]string, error) {
	var names []string
	for name := range o {
		if strings.HasPrefix(name, dir+"/") && slices.Contains(extensions, path.Ext(name)) {
			names = append(names, name)
		}
	}
	input.SortStable(names, func(a, b string) int { // as a directory is walked
		return cmp.Compare(strings.ReplaceAll(a, "/", "\x00"), strings.ReplaceAll(b, "/", "\x00"))
	})
	return names, nil
}

func (o inObjects) names(dir string) ([]string, error) {
	var names []string
	for name := range o {
		if below, ok := strings.CutPrefix(name, dir+"/"); ok {
			first, _, _ := strings.Cut(below, "/")
			names = append(names, first)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

package lint

import (
	"path"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/input"
)

// dirMode is the mode of a directory.
const dirMode change.Mode = "040000"

// tree is the tracked files in the order of their bytes, so that everything below a directory is one range.
type tree struct {
	*Input
	paths []string
	modes []change.Mode
}

func newTree(in *Input) *tree {
	byPath := func(a, b File) int { return strings.Compare(a.Path, b.Path) }
	files := in.Files
	if !slices.IsSortedFunc(files, byPath) {
		files = slices.Clone(files)
		input.SortStable(files, byPath)
	}
	t := &tree{Input: in, paths: make([]string, len(files)), modes: make([]change.Mode, len(files))}
	for i, f := range files {
		t.paths[i], t.modes[i] = f.Path, f.Mode
	}
	return t
}

// rangeIn is the range of the files below a directory; all of them for "".
func (t *tree) rangeIn(dir string) (from, to int) {
	if dir == "" {
		return 0, len(t.paths)
	}
	from, _ = slices.BinarySearch(t.paths, dir+"/")
	to, _ = slices.BinarySearch(t.paths, dir+"0") // the character after the slash
	return from, to
}

// tracked gives the mode of a path that git tracks, also that of a directory.
func (t *tree) tracked(path string) (change.Mode, bool) {
	if i, found := slices.BinarySearch(t.paths, path); found {
		return t.modes[i], true
	}
	from, to := t.rangeIn(path)
	return dirMode, path == "." || path == "" || from < to
}

// mode is tracked, also for a path that git does not track.
func (t *tree) mode(path string) (change.Mode, bool) {
	if mode, ok := t.tracked(path); ok || t.Stat == nil {
		return mode, ok
	}
	return t.Stat(path)
}

func (t *tree) exists(path string) bool {
	_, ok := t.mode(path)
	return ok
}

// children lists the names in a directory, sorted.
func (t *tree) children(dir string) []string {
	prefix := dir + "/"
	if dir == "" {
		prefix = ""
	}
	var names []string
	from, to := t.rangeIn(dir)
	for from < to {
		name, _, isDir := strings.Cut(t.paths[from][len(prefix):], "/")
		names = append(names, name)
		from++
		if isDir {
			_, from = t.rangeIn(prefix + name)
		}
	}
	return sorted(names)
}

// names lists the files of a directory, also those that git does not track.
func (t *tree) names(dir string) []string {
	var names []string
	for _, name := range t.children(dir) {
		if mode, _ := t.tracked(dir + "/" + name); mode != dirMode {
			names = append(names, name)
		}
	}
	if t.List != nil {
		names = append(names, t.List(dir)...)
	}
	return sorted(names)
}

// opaque reports whether a path is below a symlink or submodule, whose files git does not list.
func (t *tree) opaque(p string) bool {
	for at := p; at != "." && at != "/"; at = path.Dir(at) {
		if i, found := slices.BinarySearch(t.paths, at); found && t.modes[i].Special() {
			return true
		}
	}
	return false
}

// nearest returns the tracked path, also of a directory, that a misspelt path most likely means; "" when there is none. It
// corrects one name after the other.
func (t *tree) nearest(p string) string {
	at := ""
	for part := range strings.SplitSeq(p, "/") {
		next := path.Join(at, part)
		if _, ok := t.tracked(next); !ok {
			near := closest(part, t.children(at))
			if near == "" {
				return ""
			}
			next = path.Join(at, near)
		}
		at = next
	}
	return at
}

// maxNames is how many names are compared with a misspelt one.
const maxNames = 5000

// closest returns the name that differs least from a misspelt one; "" when none is similar.
func closest(name string, names []string) string {
	var near []string
	for _, other := range names {
		if max(len(name)-len(other), len(other)-len(name)) <= (len(name)+1)/3 && len(near) < maxNames {
			near = append(near, other)
		}
	}
	return input.Nearest(name, near)
}

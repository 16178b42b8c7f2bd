package record

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// How many paths a record names, and how much of one.
const (
	maxChanged     = 20
	maxChangedPath = 512
	maxTold        = 5
)

// differing lists the paths that differ between two snapshots, each of which says how a path differs from HEAD.
func differing(before, after map[string]string) []string {
	paths := map[string]bool{}
	for path, how := range before {
		paths[path] = after[path] != how
	}
	for path, how := range after {
		paths[path] = before[path] != how
	}
	maps.DeleteFunc(paths, func(_ string, differs bool) bool { return !differs })
	return slices.Sorted(maps.Keys(paths))
}

// changed notes paths in the record, and says at once what it is about them.
func (r *Recorder) changed(e *entry, what string, paths []string) {
	if len(paths) == 0 {
		return
	}
	e.Changed = nil
	for _, path := range paths[:min(len(paths), maxChanged)] {
		path = strings.ToValidUTF8(path, "\ufffd")
		if len(path) > maxChangedPath {
			path = strings.ToValidUTF8(path[:maxChangedPath], "") + "…"
		}
		e.Changed = append(e.Changed, path)
	}
	r.tell(what + ": " + someOf(e.Changed, len(paths)))
}

// someOf lists the first of some paths for people.
func someOf(paths []string, all int) string {
	var list []string
	for _, path := range paths[:min(len(paths), maxTold)] {
		list = append(list, fmt.Sprintf("%q", path))
	}
	text := strings.Join(list, ", ")
	if more := all - len(list); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// tell says something to the person who records, each text once.
func (r *Recorder) tell(text string) {
	if r.Tell != nil && !r.told[text] {
		if r.told == nil {
			r.told = map[string]bool{}
		}
		r.told[text] = true
		r.Tell(text)
	}
}

package record

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Limits of the paths in a record and in a message.
const (
	maxChanged     = 20
	maxChangedPath = 512
	maxShown       = 5
)

// differing lists the paths that differ between two snapshots, which map each path to its difference from HEAD.
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

// changed adds paths to the record, and reports them to the user.
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

// someOf lists the first of some paths for a message.
func someOf(paths []string, all int) string {
	var list []string
	for _, path := range paths[:min(len(paths), maxShown)] {
		list = append(list, fmt.Sprintf("%q", path))
	}
	text := strings.Join(list, ", ")
	if more := all - len(list); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// tell reports something to the user, each text once.
func (r *Recorder) tell(text string) {
	if r.Tell != nil && !r.reported[text] {
		if r.reported == nil {
			r.reported = map[string]bool{}
		}
		r.reported[text] = true
		r.Tell(text)
	}
}

package session

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
)

// maxFollowed is how many links are followed on one path.
const maxFollowed = 40

// Followed is where a write to a path ends up: links are followed as the system does, also one that leads to nothing.
func Followed(path string) string {
	sep := string(filepath.Separator)
	volume := filepath.VolumeName(path)
	at, steps := volume+sep, strings.Split(path[len(volume):], sep)
	for links := 0; len(steps) > 0; {
		step := steps[0]
		steps = steps[1:]
		switch step {
		case "", ".":
			continue
		case "..":
			at = filepath.Dir(at)
			continue
		}
		next := filepath.Join(at, step)
		target, err := os.Readlink(next)
		if err != nil || links == maxFollowed {
			at = next
			continue
		}
		links++
		if filepath.IsAbs(target) {
			at = filepath.VolumeName(target) + sep
			target = target[len(filepath.VolumeName(target)):]
		}
		steps = append(strings.Split(target, sep), steps...)
	}
	return at
}

// Inside reports whether a path is a directory or below it. Both may be spelled in several ways.
func Inside(dir, path string) bool {
	dir = Followed(cmp.Or(dir, string(filepath.Separator)))
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

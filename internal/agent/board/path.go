package board

import (
	"path/filepath"

	"github.com/closeout-gate/closeout/internal/agent/session"
	"github.com/closeout-gate/closeout/internal/run"
)

// pinPath is the PATH that a plan keeps. An entry below the work tree becomes relative to the work tree, because
// commands run in other work trees too; it stays where nothing is there yet, because a virtual environment may make it
// later. Elsewhere, directories that are not there are left out, because an agent might make them, and so are empty
// entries, which would find what the change plants.
func pinPath(value, root string) (list []string, left int, err error) {
	list, root = []string{}, session.Followed(root)
	for _, entry := range filepath.SplitList(value) {
		if filepath.Clean(entry) == "." {
			left++
			continue
		}
		if entry, err = filepath.Abs(entry); err != nil {
			return nil, 0, err
		}
		rel, err := filepath.Rel(root, session.Followed(entry))
		if err != nil || !filepath.IsLocal(rel) { // a link in the work tree, which the change can turn
			rel, err = filepath.Rel(root, filepath.Join(session.Followed(filepath.Dir(entry)), filepath.Base(entry)))
		}
		switch {
		case err == nil && filepath.IsLocal(rel):
			list = append(list, rel)
		case run.IsDirectory(entry):
			list = append(list, entry)
		}
	}
	return list, left, nil
}

// TellPath says what is wrong with the PATH of the plan.
func (b *Board) TellPath(command string) {
	if b.Plan.Path == nil {
		b.say("%s: the plan is of an older version and has no PATH, "+
			"so commands run with that of the call; "+
			"to pin one, scan into another state folder: closeout item scan --state FOLDER", command)
	}
	for _, entry := range b.Plan.Path {
		if filepath.IsAbs(entry) && !run.IsDirectory(entry) {
			b.say("%s: %q is in the PATH that scan pinned, and is no directory any more; "+
				"if a command needs it, pin another PATH in another state folder: closeout item scan --state FOLDER",
				command, entry)
		}
	}
}

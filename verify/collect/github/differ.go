package github

import (
	"fmt"

	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/collect"
	"github.com/closeout-gate/closeout/verify/strict"
)

// differ walks two trees side by side; directories with equal ids are not entered. A directory at many paths is read once and
// entered at each of them, so the number of calls does not bound the cost of a walk.
type differ struct {
	trees   *trees
	limits  strict.Limits
	changes []change.Change
	seen    int64 // entries that were compared
	bytes   int64 // of the paths of changed files and directories
}

// check refuses a walk that costs more than the limits allow, which are those of a comparison on disk.
func (d *differ) check() error {
	changes, entries, pathBytes := collect.TreeLimits(d.limits)
	if len(d.changes) <= changes && d.seen <= entries && d.bytes <= pathBytes {
		return nil
	}
	return &failure{
		text: fmt.Sprintf("the change has more than %d files, %d bytes of their paths or %d entries of directories", changes, pathBytes, entries),
		fix:  "split the pull request", limit: strict.FlagTreeEntries,
	}
}

// dirs compares two directories at a path; "" means that there is none.
func (d *differ) dirs(prefix, oldID, newID string) error {
	if oldID == newID {
		return nil
	}
	d.bytes += int64(len(prefix))
	before, err := d.entries(oldID)
	if err != nil {
		return err
	}
	after, err := d.entries(newID)
	if err != nil {
		return err
	}
	names := map[string]bool{}
	for name := range before {
		names[name] = true
	}
	for name := range after {
		names[name] = true
	}
	d.seen += int64(len(before) + len(after))
	for name := range names {
		if err := d.check(); err != nil {
			return err
		}
		if err := d.pair(prefix+name, before[name], after[name]); err != nil {
			return err
		}
	}
	return nil
}

// entries lists a directory by name.
func (d *differ) entries(id string) (map[string]*entry, error) {
	if id == "" {
		return nil, nil
	}
	list, err := d.trees.deep(id)
	if err != nil {
		return nil, err
	}
	byName := make(map[string]*entry, len(list))
	for i := range list {
		byName[list[i].name] = &list[i]
	}
	return byName, nil
}

// pair compares what is at a path on both sides; nil is nothing. A directory on one side and a file on the other are an
// addition of one and a deletion of the other.
func (d *differ) pair(path string, before, after *entry) error {
	oldDir, before := split(before)
	newDir, after := split(after)
	if err := d.dirs(path+"/", oldDir, newDir); err != nil {
		return err
	}
	if before == nil && after == nil || before != nil && after != nil && *before == *after {
		return nil
	}
	d.bytes += int64(len(path))
	if change := changeOf(path, before, after); change.OldMode != change.NewMode || change.OldID != change.NewID {
		d.changes = append(d.changes, change)
	}
	return nil
}

// split tells a directory, by its id, from anything else.
func split(e *entry) (dir string, other *entry) {
	if e != nil && e.class() == dirClass {
		return e.id, nil
	}
	return "", e
}

func changeOf(path string, before, after *entry) change.Change {
	c := change.Change{Path: path, OldMode: change.NoMode, NewMode: change.NoMode}
	if before != nil {
		c.OldMode, c.OldID = before.gateMode(), before.id
	}
	if after != nil {
		c.NewMode, c.NewID = after.gateMode(), after.id
	}
	switch {
	case before == nil:
		c.Status = change.Added
	case after == nil:
		c.Status = change.Deleted
	case before.class() != after.class():
		c.Status = change.TypeChanged
	case before.id == after.id:
		c.Status = change.ModeChanged
	default:
		c.Status = change.Modified
	}
	return c
}

// gateMode maps the modes of old repositories (100664, …) to the two that git still distinguishes.
func (e entry) gateMode() change.Mode {
	switch e.class() {
	case symlinkClass:
		return change.Symlink
	case submoduleClass:
		return change.Submodule
	}
	if len(e.mode) == 6 && (e.mode[3]-'0')&1 == 1 {
		return change.Executable
	}
	return change.Regular
}

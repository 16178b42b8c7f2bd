package github

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/google/go-github/v62/github"

	"github.com/closeout-gate/closeout/verify/diag"
	"github.com/closeout-gate/closeout/verify/strict"
)

// These bound the walk through a repository that is too large to be listed at once: the calls, and the entries that are
// remembered.
const (
	maxTreeCalls = 300
	maxListed    = 1_000_000
)

// entry is one line of a tree object.
type entry struct {
	name string
	mode string // octal as in the object, without leading zeros
	id   string
}

const dirMode = "40000"

// class is what an entry is; a change from one class to another is no mere modification.
type class string

const (
	dirClass       class = "directory"
	fileClass      class = "file"
	symlinkClass   class = "symlink"
	submoduleClass class = "submodule"
)

func (e entry) class() class {
	switch e.mode {
	case dirMode:
		return dirClass
	case "120000":
		return symlinkClass
	case "160000":
		return submoduleClass
	}
	return fileClass
}

// trees reads tree objects and remembers them by id, so that a directory that two commits share is read once.
type trees struct {
	ctx    context.Context
	client *Client
	known  map[string][]entry
	calls  int
	listed int // entries that were read
}

// deep gives the entries of a tree, and reads everything below it in the same call. GitHub cuts such a listing at about
// 100,000 entries; then the complete directories are kept, and this one is read alone.
func (t *trees) deep(id string) ([]entry, error) {
	if entries, known := t.known[id]; known {
		return entries, nil
	}
	if err := t.read(id, true); err != nil {
		return nil, err
	}
	return t.flat(id)
}

// flat gives the entries of a tree and reads no other.
func (t *trees) flat(id string) ([]entry, error) {
	if entries, known := t.known[id]; known {
		return entries, nil
	}
	if err := t.read(id, false); err != nil {
		return nil, err
	}
	entries, known := t.known[id]
	if !known {
		return nil, &failure{text: "GitHub lists the directory " + id + " only in part", fix: "check the repository out"}
	}
	return entries, nil
}

func (t *trees) read(id string, recursive bool) error {
	if t.calls++; t.calls > maxTreeCalls {
		return &failure{text: fmt.Sprintf("the trees need more than %d calls", maxTreeCalls), fix: "check the repository out"}
	}
	query := ""
	if recursive {
		query = "?recursive=1"
	}
	var listing github.Tree
	if _, err := t.client.get(t.ctx, t.client.path("git/trees/%s", id)+query, &listing); err != nil {
		return err
	}
	if t.listed += len(listing.Entries); t.listed > maxListed {
		return &failure{text: fmt.Sprintf("the trees have more than %d entries", maxListed), fix: "check the repository out", limit: strict.FlagTreeEntries}
	}
	return t.keep(id, &listing, recursive)
}

// keep splits a listing into directories and compares each with the id that its parent gives it. A directory that does not
// have its id is an error, unless the listing was cut: then it may be the incomplete one.
func (t *trees) keep(id string, listing *github.Tree, recursive bool) error {
	dirs, ids, err := takeApart(id, listing, recursive)
	if err != nil {
		return err
	}
	for at, want := range ids {
		entries, err := inGitsOrder(dirs[at])
		if err != nil {
			return fmt.Errorf("tree %s: %w", want, err)
		}
		data, err := write(entries)
		if err != nil {
			return fmt.Errorf("tree %s: %w", want, err)
		}
		if hashOf(want, "tree", data) == want {
			t.known[want] = entries
		} else if !listing.GetTruncated() {
			return &failure{
				text: fmt.Sprintf("tree %s: what GitHub lists has another id; a name that is not UTF-8 does that", want),
				fix:  "check the repository out: its objects contain names as they are",
			}
		}
	}
	return nil
}

// takeApart gives the entries of each directory by its path, and the id of each directory that is listed completely.
func takeApart(id string, listing *github.Tree, recursive bool) (dirs map[string][]entry, ids map[string]string, err error) {
	dirs, ids = map[string][]entry{}, map[string]string{"": id}
	for _, e := range listing.Entries {
		full := e.GetPath()
		dir, name := path.Split(full)
		item := entry{name: name, mode: strings.TrimLeft(e.GetMode(), "0"), id: e.GetSHA()}
		if name == "" || !objectID().MatchString(item.id) || len(item.id) != len(id) {
			return nil, nil, fmt.Errorf("tree %s: the entry %q has the id %q", id, cut(full, 80), cut(item.id, 80))
		}
		dir = strings.TrimSuffix(dir, "/")
		dirs[dir] = append(dirs[dir], item)
		if recursive && item.class() == dirClass {
			ids[full] = item.id
		}
	}
	return dirs, ids, nil
}

// inGitsOrder sorts as git does, where the name of a directory ends in a slash. A name that appears twice is an error.
func inGitsOrder(entries []entry) ([]entry, error) {
	key := func(e entry) string {
		if e.class() == dirClass {
			return e.name + "/"
		}
		return e.name
	}
	diag.SortStable(entries, func(a, b entry) int { return cmp.Compare(key(a), key(b)) })
	seen := make(map[string]bool, len(entries))
	for _, e := range entries {
		if seen[e.name] {
			return nil, fmt.Errorf("the name %q appears twice", e.name)
		}
		seen[e.name] = true
	}
	return entries, nil
}

// write makes the content of a tree object.
func write(entries []entry) ([]byte, error) {
	var data []byte
	for _, e := range entries {
		raw, err := hex.DecodeString(e.id)
		if err != nil {
			return nil, errors.New("an id is not hexadecimal")
		}
		data = append(append(append(data, e.mode+" "+e.name...), 0), raw...)
	}
	return data, nil
}

// without gives the id that a tree has once the entry at a path is taken out, and directories that this leaves empty with it;
// "" when nothing is left. Where the path does not exist, the tree keeps its id.
func (t *trees) without(id string, at []string) (string, error) {
	entries, err := t.flat(id)
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(entries, func(e entry) bool { return e.name == at[0] })
	if i < 0 || len(at) > 1 && entries[i].class() != dirClass {
		return id, nil
	}
	left := ""
	if len(at) > 1 {
		if left, err = t.without(entries[i].id, at[1:]); err != nil || left == entries[i].id {
			return id, err
		}
	}
	entries = slices.Clone(entries)
	if left == "" {
		entries = slices.Delete(entries, i, i+1)
	} else {
		entries[i].id = left
	}
	if len(entries) == 0 {
		return "", nil
	}
	data, err := write(entries)
	if err != nil {
		return "", err
	}
	return hashOf(id, "tree", data), nil
}

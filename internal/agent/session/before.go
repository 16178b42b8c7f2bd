package session

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"

	"github.com/closeout-gate/closeout/internal/agent/item"
	"github.com/closeout-gate/closeout/internal/collect"
)

// Before is what a work tree had when its claim or HEAD was first seen by the hook. That belongs to the person, whatever
// happens to it later. It is kept by work tree, so that a second session does not take the first one's edits for the person's.
type Before struct {
	Claim  string   `json:"claim,omitempty"`  // the item, its start, and the number of the event; "" for none
	Start  string   `json:"start"`            // HEAD when this claim was first seen
	Head   string   `json:"head"`             // HEAD at the last look
	Person []string `json:"person,omitempty"` // what differed from HEAD then, and no agent is known to have changed
	Agents []string `json:"agents,omitempty"` // the other paths that differed at the last look
}

func beforeFile(worktree string) string { return filepath.Join("before", worktree+".json") }

// Before reads what is remembered about a work tree; nil when that is nothing, or is damaged.
func (s *Store) Before(worktree string) (*Before, error) {
	b, err := readJSON[Before](s, beforeFile(worktree))
	if b != nil && b.Start == "" {
		return nil, errors.New("it names no commit")
	}
	return b, err
}

// CanRemember reports whether what is known about a work tree could be written.
func (s *Store) CanRemember() bool {
	dir := filepath.Dir(s.Path(beforeFile("")))
	if os.MkdirAll(dir, 0o700) != nil {
		return false
	}
	f, err := os.CreateTemp(dir, "try-*")
	if err != nil {
		return false
	}
	return errors.Join(f.Close(), os.Remove(f.Name())) == nil
}

// SetBefore remembers what is known about a work tree. Of two processes that see it first, the one that wrote first is right,
// since the other one may have looked after a tool: that one gets fs.ErrExist.
func (s *Store) SetBefore(worktree string, b *Before, first bool) error {
	data, err := json.Marshal(b)
	if err != nil {
		return err
	}
	if !first {
		return s.write(beforeFile(worktree), data)
	}
	path := s.Path(beforeFile(worktree))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return s.unwritable(err)
	}
	return collect.Create(path, data)
}

// Persons are the paths of a work tree that a person had changed before the agent came, as facts name them; none where the
// hook has not seen it.
func (s *Store) Persons(root string) map[string]bool {
	person := map[string]bool{}
	if known, err := s.Before(Key(root)); err == nil && known != nil {
		for _, p := range known.Person {
			person[item.Text(p)] = true
		}
	}
	return person
}

// Without are the paths of a list that another one does not have.
func Without(list, other []string) (rest []string) {
	has := SetOf(other)
	for _, p := range list {
		if !has[p] {
			rest = append(rest, p)
		}
	}
	return rest
}

// SetOf makes a list a set.
func SetOf(list []string) map[string]bool {
	set := make(map[string]bool, len(list))
	for _, p := range list {
		set[p] = true
	}
	return set
}

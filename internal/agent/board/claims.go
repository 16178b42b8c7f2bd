package board

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/closeout-gate/closeout/internal/agent/item"
	"github.com/closeout-gate/closeout/internal/agent/session"
	"github.com/closeout-gate/closeout/internal/git"
	"github.com/closeout-gate/closeout/internal/record"
	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/glob"
	"github.com/closeout-gate/closeout/verify/input"
)

// lease is how long a claim is held without a hook event, a commit, a submission or a heartbeat of loop in its work tree.
const lease = 2 * time.Hour

// orphaned says why the claim of an item has no activity any more; "" when it has, and where there is no claim.
func (b *Board) orphaned(it *item.Standing) string {
	if it.Worktree == "" || it.Hold || it.Worktree == b.Worktree {
		return ""
	}
	last, err := time.Parse(time.RFC3339, it.At)
	if err != nil {
		last = time.Time{}
	}
	if beaten := b.Store.Beaten(it.Worktree); beaten.After(last) {
		last = beaten
	}
	if it.Root != "" { // else the claim is older than this version
		moved, gone := b.movedIn(it)
		if gone {
			return "its work tree is gone"
		}
		if moved.After(last) {
			last = moved
		}
	}
	if time.Since(last) > lease {
		return fmt.Sprintf("nothing happened in its work tree for %.0f hours", lease.Hours())
	}
	return ""
}

// movedIn is when HEAD last moved in the work tree that claimed an item, and whether it is gone: nothing is there any more, or no work
// tree of this repository. One that cannot be read is there, and the zero time.
func (b *Board) movedIn(it *item.Standing) (moved time.Time, gone bool) {
	repo, err := git.Open(it.Root)
	if err != nil {
		var none *git.NotARepository
		return moved, errors.As(err, &none)
	}
	defer repo.Close()
	if session.Key(repo.Root()) != it.Worktree || session.Key(repo.CommonDir()) != session.Key(b.Git.CommonDir()) {
		return moved, true
	}
	return repo.Moved(), false
}

// takeBack releases the claims without activity.
func (b *Board) takeBack() error {
	for _, it := range b.State.Items {
		holder := it.Worktree
		if b.orphaned(it) == "" {
			continue
		}
		err := b.Store.Update(b.State, b.proof, func() (*item.Event, error) {
			why := b.orphaned(it) // it may have come back, or have been released meanwhile
			if why == "" || it.Worktree != holder {
				return nil, nil
			}
			b.say("next: %s is free again: %s", it.ID, why)
			return &item.Event{Event: item.EventReleased, Item: it.ID, Code: item.ReasonOrphaned, Reason: why}, nil
		})
		if err == nil && it.Worktree == "" {
			err = b.Store.SetClaim(holder, nil)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// wait is why an item is not handed out.
type wait struct {
	of   *item.Standing // that another work tree has claimed; nil for none
	path string         // that both may touch
}

// waitOf says which item keeps another one from being handed out.
func (b *Board) waitOf(it *item.Standing) (w wait, err error) {
	if b.Overlap || !b.Plan.Zones {
		return w, nil
	}
	if w, known := b.waits[it.ID]; known {
		return w, nil
	}
	for _, other := range b.State.Items {
		if other.Worktree == "" || other.Worktree == b.Worktree {
			continue
		}
		if w.path, err = b.overlap(it, other); err != nil {
			return w, err
		}
		if w.path != "" {
			w.of = other
			break
		}
	}
	if b.waits == nil {
		b.waits = map[string]wait{}
	}
	b.waits[it.ID] = w
	return w, nil
}

// Waiting says which items wait for which others, as far as was looked.
func (b *Board) Waiting() (list []string) {
	for _, it := range b.State.Items {
		if w := b.waits[it.ID]; w.of != nil && it.Worktree == "" {
			list = append(list, fmt.Sprintf("%s waits for %s, which another work tree has: both may touch %s (--overlap ignores it)",
				it.ID, w.of.ID, input.QuotePath(w.path)))
		}
	}
	return list
}

// zone is what an item may touch.
type zone struct {
	patterns []contract.Pattern
	set      *glob.Set
	tracked  []string // the paths of HEAD that it and the standing contract allow
}

// zoneOf is the zone of an item. It is found once, because each item is compared with all that are claimed.
func (b *Board) zoneOf(it *item.Standing) (*zone, error) {
	if z, known := b.zones[it.ID]; known {
		return z, nil
	}
	p, err := b.PolicyOf(&it.Item)
	if err != nil {
		return nil, err
	}
	if b.tracked == nil {
		head, err := b.Git.Resolve("HEAD")
		if err != nil {
			return nil, err
		}
		if b.tracked, err = b.Git.Tracked(head); err != nil {
			return nil, err
		}
	}
	z := &zone{patterns: p.Sources[len(p.Sources)-1].Contract.AllowedFiles}
	z.set = setOf(z.patterns)
	standing := setOf(p.Sources[0].Contract.AllowedFiles)
	for i := range b.tracked {
		if path := b.tracked[i].Path; z.set.Match(path) && standing.Match(path) {
			z.tracked = append(z.tracked, path)
		}
	}
	if b.zones == nil {
		b.zones = map[string]*zone{}
	}
	b.zones[it.ID] = z
	return z, nil
}

// overlap is a path or a pattern that two items may touch; "" for none. Where it is not sure, they overlap.
func (b *Board) overlap(x, y *item.Standing) (string, error) {
	one, err := b.zoneOf(x)
	if err != nil {
		return "", err
	}
	other, err := b.zoneOf(y)
	if err != nil {
		return "", err
	}
	for _, path := range one.tracked {
		if other.set.Match(path) {
			return path, nil
		}
	}
	for _, a := range one.patterns {
		for _, c := range other.patterns {
			if meet(a.Glob, c.Glob) {
				return c.Value, nil
			}
		}
	}
	return "", nil
}

func setOf(list []contract.Pattern) *glob.Set {
	var globs []glob.Pattern
	for _, p := range list {
		globs = append(globs, p.Glob)
	}
	return glob.Compile(globs)
}

// meet reports whether a path may match both patterns.
func meet(a, b glob.Pattern) bool {
	one, isOne := a.Literal()
	other, isOther := b.Literal()
	switch {
	case isOne:
		return glob.Compile([]glob.Pattern{b}).Match(one)
	case isOther:
		return glob.Compile([]glob.Pattern{a}).Match(other)
	}
	one, other = begin(a), begin(b)
	return strings.HasPrefix(one, other) || strings.HasPrefix(other, one)
}

// begin is what every path begins with that matches a pattern.
func begin(p glob.Pattern) string {
	text := p.String()
	if i := strings.IndexAny(text, `*?[{\`); i >= 0 {
		return text[:i]
	}
	return text
}

// Differing are the paths at which the work tree differs from HEAD.
func (b *Board) Differing() ([]string, *record.Git, error) {
	root, err := record.Find(b.Root)
	if err != nil {
		return nil, nil, err
	}
	git, err := record.OpenGit(root, os.Environ())
	if err != nil {
		return nil, nil, err
	}
	paths, err := git.Differing(b.Plan.Evidence)
	return paths, git, err
}

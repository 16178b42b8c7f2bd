package board

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/closeout-gate/closeout/internal/agent/item"
)

// Hand claims the item with the id, or the first open one, and tells what to do; why says why no item is left to claim.
// hold and overlap are as in [Board].
func Hand(stateDir, id string, hold, overlap bool, tell io.Writer) (h *item.Handout, why string, err error) {
	b, err := find(stateDir, tell)
	if err != nil {
		return nil, "", err
	}
	defer b.Git.Close()
	if b.load() != nil { // perhaps because of events that nothing proves
		b.proof = b.Store.Proof
		if err := b.load(); err != nil {
			return nil, "", err
		}
	}
	b.Hold, b.Overlap = hold, overlap
	h, err = b.Next(id)
	switch waiting := b.Waiting(); {
	case h == nil && err == nil:
		why = strings.Join(append(waiting, b.whyNot(id)), "; ")
	case id == "":
		for _, text := range waiting {
			b.say("next: %s", text)
		}
	}
	return h, why, err
}

// Todo are the ids of the items that are open. It claims none.
func Todo(stateDir string, tell io.Writer) ([]string, error) {
	b, err := Open(stateDir, tell)
	if err != nil {
		return nil, err
	}
	open := []string{}
	for _, it := range b.State.Items {
		if it.State == item.Todo {
			open = append(open, it.ID)
		}
	}
	return open, b.Git.Close()
}

// whyNot says why the item with the id, or where id is "" any item, cannot be handed out.
func (b *Board) whyNot(id string) string {
	if it := b.State.Find(id); it != nil && it.State.Locked() {
		return fmt.Sprintf("%s is %s", id, it.State)
	} else if it != nil && it.Worktree == "" {
		return id + " is open"
	} else if it != nil {
		return id + " is claimed by another work tree; closeout item release " + id + " --reason WHY takes it from there"
	}
	claimed := 0
	for _, it := range b.State.Items {
		if it.Worktree != "" {
			claimed++
		}
	}
	s := b.State
	return fmt.Sprintf("%d PASS, %d TODO, %d REVIEW, %d STUCK; %d of them claimed by other work trees",
		s.Count(item.Pass), s.Count(item.Todo), s.Count(item.Review), s.Count(item.Stuck), claimed)
}

// Release gives an item back, or gives a locked one new tries for a reason.
func Release(stateDir, id, reason string, tell io.Writer) error {
	b, err := Pinned(stateDir, tell)
	if err != nil {
		return err
	}
	defer b.Git.Close()
	it, err := b.Find(id)
	if err != nil {
		return err
	}
	holder, e := it.Worktree, item.Event{Event: item.EventReleased, Item: id, Reason: reason}
	switch {
	case it.State == item.Pass:
		return fmt.Errorf("%s is PASS: an item that passed is not released", id)
	case it.State.Locked() && reason == "":
		return fmt.Errorf("%s is %s: to give it new tries, say why with --reason", id, it.State)
	case it.State.Locked():
		e.Event = item.EventReopened
	case holder != "" && holder != b.Worktree && reason == "" && b.orphaned(it) == "":
		return fmt.Errorf("%s is claimed by an active work tree: to take it from there, say why with --reason", id)
	case holder == "":
		return fmt.Errorf("%s is TODO, and no work tree has it: there is nothing to release", id)
	}
	if err := b.Append(e); err != nil {
		return err
	}
	b.say("release: %s is TODO again", id)
	if holder == "" {
		return nil
	}
	return b.Store.SetClaim(holder, nil)
}

// Accept lets an item that is REVIEW or STUCK stay so, for a reason. It writes an event and no verdict: the agent could run
// the command too.
func Accept(stateDir, id, reason string, tell io.Writer) error {
	b, err := Pinned(stateDir, tell)
	if err != nil {
		return err
	}
	defer b.Git.Close()
	if _, err := b.Find(id); err != nil {
		return err
	}
	if reason == "" {
		return fmt.Errorf("to accept %s, say why with --reason", id)
	}
	_, git, err := b.Differing()
	if err != nil {
		return err
	}
	by := cmp.Or(git.Person(), "unknown")
	if err := b.Append(item.Event{Event: item.EventAccepted, Item: id, Reason: reason, By: by}); err != nil {
		return err
	}
	b.say("accept: %s is ACCEPTED, which is no PASS; the gate in CI does not know it", id)
	return nil
}

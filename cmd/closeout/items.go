package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/closeout-gate/closeout/verify/collect"
	"github.com/closeout-gate/closeout/verify/item"
	"github.com/closeout-gate/closeout/verify/policy"
	"github.com/closeout-gate/closeout/verify/session"
	"github.com/closeout-gate/closeout/verify/strict"
)

// board is the state of the items, as the commands beside an agent see it.
type board struct {
	store    *session.Store
	plan     *item.Plan
	state    *item.State
	root     string // of the work tree
	worktree string // its key
	git      *collect.Git
}

// openBoard finds the repository and the state folder, and folds the events. Without a plan it pins the task contracts of
// the base. The caller closes git.
func openBoard(stateDir string, std stdio) (*board, error) {
	git, err := collect.OpenGit(".", strict.DefaultLimits())
	if err != nil {
		return nil, err
	}
	b := &board{git: git, root: git.Root(), worktree: session.Key(git.Root())}
	if b.root == "" {
		err = errors.New("items need a work tree, and this repository has none")
	}
	if err == nil {
		b.store, err = session.Find(stateDir, b.root, git.CommonDir())
	}
	if err == nil {
		err = b.load(std)
	}
	if err != nil {
		return nil, errors.Join(err, git.Close())
	}
	return b, nil
}

// load reads the plan, or makes one, and folds the events.
func (b *board) load(std stdio) error {
	p, err := b.store.Plan()
	if errors.Is(err, fs.ErrNotExist) {
		p, err = b.pinTasks(std)
	}
	if err != nil {
		return err
	}
	b.plan = p
	return b.fold()
}

// fold folds all events.
func (b *board) fold() error {
	events, _, err := b.store.Events()
	if err != nil {
		return err
	}
	b.state, err = item.Fold(b.plan, events, b.store.Proof)
	return err
}

// locked does something that no other submission may do at the same time, with the newest state.
func (b *board) locked(wait time.Duration, do func() error) (err error) {
	unlock, err := b.store.Lock(session.LockSubmit, wait)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if err := b.fold(); err != nil {
		return err
	}
	return do()
}

// appendWait is how long an event waits for those that other processes append.
const appendWait = 10 * time.Second

// append adds an event, if it is possible after those that are there, and applies it to the state.
func (b *board) append(e item.Event) (err error) {
	unlock, err := b.store.Lock(session.LockEvents, appendWait)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if err := b.fold(); err != nil {
		return err
	}
	if _, err := b.store.Append(b.state, e); err != nil {
		return err
	}
	return b.fold()
}

// next claims an item, that with the id or else the first, and tells what to do; nil when nothing is left to hand out.
func (b *board) next(id string) (*item.Handout, error) {
	it := b.state.Claimed(b.worktree)
	for _, other := range b.state.Items {
		if it == nil && id == "" && other.State == item.Todo && other.Worktree == "" || id != "" && other.ID == id {
			it = other
		}
	}
	if it == nil {
		return nil, nil
	}
	if it.Worktree != b.worktree {
		head, err := b.git.Resolve("HEAD")
		if err != nil {
			return nil, err
		}
		if err := b.append(item.Event{Event: item.EventClaimed, Item: it.ID, Worktree: b.worktree, Start: head}); err != nil {
			return nil, err
		}
		if err := b.store.SetClaim(b.worktree, &session.Claim{Item: it.ID, Base: b.plan.Base, Start: head}); err != nil {
			return nil, err
		}
		it = b.state.Find(it.ID)
	}
	return &item.Handout{Schema: item.HandoutSchema, Item: it.ID, Try: it.Tries + 1, Of: it.MaxAttempts, Goal: it.Goal, BlockedFile: item.BlockedFile}, nil
}

// pinTasks makes a plan of the task contracts of the base.
func (b *board) pinTasks(std stdio) (*item.Plan, error) {
	name, _, err := baseName(b.git, "", "scan")
	if err != nil {
		return nil, err
	}
	base, err := b.git.Resolve(name)
	if err != nil {
		return nil, wrongCommit("base", name, b.git, err)
	}
	p := &item.Plan{Schema: item.PlanSchema, Base: base, BaseName: name, Guard: item.GuardAll, Fence: "none"}
	names, err := b.git.Names(base, policy.TasksDir)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		p.Items = append(p.Items, item.Item{ID: strings.TrimSuffix(name, path.Ext(name)), Given: true, MaxAttempts: 3})
	}
	if len(p.Items) == 0 {
		return nil, fmt.Errorf("the base (%.12s) has no task contracts in %s, and nothing was scanned: see closeout scan --help", base, policy.TasksDir)
	}
	return p, b.store.WritePlan(p)
}

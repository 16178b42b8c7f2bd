package board

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/internal/agent/item"
	"github.com/closeout-gate/closeout/internal/collect"
	"github.com/closeout-gate/closeout/internal/run"
	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/policy"
	"github.com/closeout-gate/closeout/verify/report"
)

// WriteStatus writes a file with the results. The list and the template stay as they are.
func (b *Board) WriteStatus(s *item.Status, to, format string, force bool) error {
	place, err := b.place(to)
	if err != nil {
		return err
	}
	if place == b.Plan.ListPath || place == b.Plan.Template {
		return fmt.Errorf("--to %q is what was scanned: name another file", to)
	}
	if _, err := os.Lstat(to); !force && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("--to %q is there already: name another file, or replace it with --force", to)
	}
	var data bytes.Buffer
	if err := item.WriteStatus(&data, s, format); err != nil {
		return err
	}
	return collect.WriteOther("file", to, data.Bytes())
}

// Status is the status at HEAD. With replay, the bundle of each PASS is judged again.
func (b *Board) Status(replay bool) (*item.Status, error) {
	head, err := b.Git.Resolve("HEAD")
	if err != nil {
		return nil, err
	}
	tree, err := b.Git.CodeTree(head, b.Plan.Evidence)
	if err != nil {
		return nil, err
	}
	s := b.State.StatusAt(tree)
	s.Head, s.StateFolder, s.Replayed, s.Drift = head, b.Store.Dir, replay, b.drift()
	s.Unclaimed = b.unclaimed(head)
	if replay {
		s.Differs = b.replayAll()
	}
	if replay || s.Counts[item.Todo] == 0 {
		// By the standing contract and without evidence, in all that leads from the base: each verdict is about one
		// item, and what was committed between two items, or for one that is STUCK, is in no PASS.
		facts, err := b.screen(head)
		if err != nil {
			s.Blocked = []string{err.Error()}
		}
		for _, fact := range facts {
			s.Blocked = append(s.Blocked, strings.TrimSpace(fact.Code+" "+fact.Path)+": "+fact.Message+" → "+fact.Fix)
		}
	}
	return s, b.conclude(s, head)
}

// conclude says what is missing.
func (b *Board) conclude(s *item.Status, head string) error {
	uncommitted, _, err := b.Differing()
	if err != nil {
		return err
	}
	if b.Plan.Checkout { // then what was there before the agent came may stay
		persons := b.Store.Persons(b.Root)
		uncommitted = slices.DeleteFunc(uncommitted, func(path string) bool { return persons[item.Text(path)] })
	}
	orphaned, absent := map[string]bool{}, map[string]bool{}
	asked := 0
	for i, it := range b.State.Items {
		if why := b.orphaned(it); why != "" {
			orphaned[it.ID], s.Items[i].Because = true, why
		}
		if it.Pass != nil && !s.Items[i].Holding && asked < mostAbsent {
			asked++
			contained, there := b.stands(it, head)
			absent[it.ID] = !contained && !there
		}
	}
	s.Conclude(orphaned, absent, uncommitted)
	return nil
}

// mostAbsent is how many items that do not hold are looked for in HEAD.
const mostAbsent = 100

// stands tells of an item that passed whether at least one path that it changed is in a commit other than it was before, and else
// whether the commit contains the one that was judged: a squash or a rebase makes other commits, and a merge may drop a change.
func (b *Board) stands(it *item.Standing, head string) (contained, there bool) {
	changes, err := b.Git.Changes(it.Start, it.Pass.Head)
	for i := range changes {
		mode, id, _, err := b.Git.Entry(head, changes[i].Path)
		oldMode, oldID, _, failed := b.Git.Entry(it.Start, changes[i].Path)
		if err == nil && failed == nil && (mode != oldMode || id != oldID) {
			return true, true
		}
	}
	contained = b.Contains(head, it.Pass.Head) || (it.Renewed != nil && b.Contains(head, it.Renewed.Head))
	return contained, err == nil && len(changes) == 0
}

// screen finds what the gate blocks in what leads from the base to a commit.
func (b *Board) screen(head string) ([]item.Fact, error) {
	bases, err := b.Git.MergeBases(b.Plan.Base, head)
	if err == nil && slices.Contains(bases, head) {
		return nil, nil // nothing leads there
	}
	if err == nil && len(bases) == 0 {
		err = errors.New("it has nothing in common with HEAD")
	}
	if err != nil {
		return nil, fmt.Errorf("the base %.12s: %w", b.Plan.Base, err)
	}
	limits := input.DefaultLimits()
	o := collect.Options{Settings: verify.Settings{Limits: limits}, Parsed: b.Parsed}
	standing, err := collect.StandingAt(b.Git, b.Plan.Base, o)
	if err != nil {
		return nil, err
	}
	found, err := b.Git.Screen(&collect.Merge{Commit: head, Parent: bases[0]}, standing, limits)
	if err != nil {
		return nil, err
	}
	return item.Leave(item.FactsOf(&report.Report{Findings: found.Findings}), b.Store.Persons(b.Root)), nil
}

// drift lists what is not as it was pinned.
func (b *Board) drift() []string {
	p, list := b.Plan, []string{}
	for _, file := range []struct{ what, place, digest string }{
		{"list", p.ListPath, p.ListSHA256}, {"template", p.Template, p.TemplateID},
	} {
		if file.place == "" {
			continue
		}
		if _, now, err := b.readPlace(file.place, item.MaxList); err != nil {
			list = append(list, fmt.Sprintf("the %s: %v", file.what, err))
		} else if now != file.digest {
			list = append(list, fmt.Sprintf("the %s %q is not as it was pinned", file.what, file.place))
		}
	}
	if now, err := b.Git.Resolve(p.BaseName); err != nil {
		list = append(list, fmt.Sprintf("the base %q: %v", p.BaseName, err))
	} else if now != p.Base && b.contractsDiffer(now) {
		list = append(list, fmt.Sprintf("the contracts of the base %s are not those that were pinned (%.12s, now %.12s)",
			p.BaseName, p.Base, now))
	}
	return list
}

// contractsDiffer reports whether another commit has other contracts than the base.
func (b *Board) contractsDiffer(now string) bool {
	names := []string{policy.TasksDir}
	for _, extension := range policy.ContractExtensions {
		names = append(names, policy.StandingContract+extension)
	}
	return slices.ContainsFunc(names, func(name string) bool {
		_, before, _, err := b.Git.Entry(b.Plan.Base, name)
		_, after, _, other := b.Git.Entry(now, name)
		return err != nil || other != nil || before != after
	})
}

// unclaimed are the commits since the base that belong to no item that passed in this work tree, nor to the claimed one, as
// ranges for git log.
func (b *Board) unclaimed(head string) []string {
	var passed []*item.Standing
	for _, it := range b.State.Items {
		if it.Pass != nil && it.Pass.Worktree == b.Worktree {
			passed = append(passed, it)
		}
	}
	input.SortStable(passed, func(x, y *item.Standing) int { return cmp.Compare(x.Pass.N, y.Pass.N) })
	from, ranges := b.Plan.Base, []string{}
	upTo := func(to string) {
		if !b.Contains(from, to) { // also where the history was rewritten
			ranges = append(ranges, fmt.Sprintf("%.12s..%.12s", from, to))
		}
	}
	for _, it := range passed {
		upTo(it.Start)
		from = it.Pass.Head
	}
	if it := b.State.Claimed(b.Worktree); it != nil {
		head = it.Start
	}
	upTo(head)
	return ranges
}

// replayAll judges the bundle of each PASS again.
func (b *Board) replayAll() []string {
	differs := []string{}
	for _, it := range b.State.Items {
		if it.Pass == nil {
			continue
		}
		again, err := run.JudgeAgain("closeout item status", b.Store.Path(it.Pass.Bundle), b.Parsed)
		switch {
		case err != nil:
			differs = append(differs, fmt.Sprintf("%s: %v", it.ID, input.Reason(err)))
		case len(again.Differences) > 0:
			differs = append(differs, it.ID+": "+strings.Join(again.Differences, "; "))
		}
	}
	return differs
}

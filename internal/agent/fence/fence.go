// Package fence stands between an agent and a repository: it answers the calls of the agent's hooks, and writes and tries the settings
// that make the agent call. It is impure: it reads files, clocks and the environment, and starts git. Rules and forms are those of
// package hook.
package fence

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/internal/agent/hook"
	"github.com/closeout-gate/closeout/internal/agent/session"
	"github.com/closeout-gate/closeout/internal/collect"
	"github.com/closeout-gate/closeout/internal/run"
	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/policy"
)

// fence is a repository with the contracts that count in it, as the gate reads them.
type fence struct {
	hook.Fence
	run.Work
	store *session.Store // nil when there is no state folder
	claim *session.Claim // nil when the work tree has none
	since []string       // the commits that the changes start from

	before *session.Before // nil when it is not known what belongs to the person
	person map[string]bool // the paths that differed before
	late   bool            // the hook sees the work tree for the first time when the agent stops

	looked bool // what is not committed is counted
}

// errNoContract says that a repository is none of ours.
var errNoContract = errors.New("the base has no contract")

// openFence reads the contracts of the repository at root: those of the claimed item, or of the default base.
func openFence(root string) (f *fence, err error) {
	limits := input.DefaultLimits()
	git, err := collect.OpenGit(root, limits)
	if err != nil {
		return nil, err
	}
	f = &fence{Work: run.Work{Root: git.Root(), Git: git}}
	if f.Root == "" {
		return nil, errors.New("the repository has no work tree")
	}
	f.Options = collect.Options{Root: f.Root, Settings: verify.Settings{Limits: limits, Today: run.Today()}}
	if f.store, err = session.Find("", f.Root, git.CommonDir()); err == nil {
		if f.claim, err = f.store.Claim(session.Key(f.Root)); err != nil {
			return f, fmt.Errorf("the claim of this work tree cannot be read: %w; closeout item next writes it anew",
				input.Reason(err))
		}
	}
	if err := f.compare(); err != nil {
		return f, err
	}
	return f, f.read()
}

// compare finds the changes that count.
func (f *fence) compare() error {
	base, err := "", error(nil)
	if f.claim == nil {
		if base, err = f.Git.FirstRef(run.Bases...); err == nil && base == "" {
			err = errNoContract
		}
	} else {
		base = f.claim.Start
	}
	if err == nil {
		base, err = f.Git.Resolve(base)
	}
	if err != nil {
		return err
	}
	head, err := f.Git.Resolve("HEAD")
	if err != nil {
		return err
	}
	if f.claim == nil {
		f.Compared = collect.Compare(f.Git, base, head)
		f.since = f.Compared.MergeBases
		return nil
	}
	f.Compared = collect.Since(f.Git, base, head)
	if f.since = f.Compared.MergeBases; !slices.Contains(f.since, base) {
		f.since = append(slices.Clone(f.since), base)
	}
	f.Options.ContractsAt, f.Options.Settings.Tasks = f.claim.Base, []string{f.claim.Item}
	if f.claim.Contract != "" {
		f.Options.TaskFiles = []string{f.store.Path(f.claim.Contract)}
	}
	return nil
}

// read reads the contracts, and counts what the change contains already.
func (f *fence) read() (err error) {
	if f.Standing, err = collect.ReadStanding(f.Compared, f.Options); err != nil {
		return err
	}
	if f.Standing.Count() == 0 && len(f.Standing.Unavailable) == 0 {
		return errNoContract
	}
	if f.Judged, err = f.Standing.WithTask(f.Compared, f.Options); err != nil {
		return err
	}
	if f.Policy, err = f.Judged.Ready(f.Compared); err != nil {
		return err
	}
	f.Off = map[string]bool{}
	for i := range f.Compared.Changes {
		f.count(&f.Compared.Changes[i])
	}
	return nil
}

// count notes a change that uses up the violation budget.
func (f *fence) count(c *change.Change) {
	if r := f.Policy.Classify(c); r.Class == policy.ClassOffScope && !r.Contract && r.Severity == input.Block {
		f.Off[c.Path] = true
	}
}

// changes are what a path would be that gets a mode, or is deleted (NoMode): one for each commit that the changes start from; none
// when it would be no change.
func (f *fence) changes(rel string, mode change.Mode) (list []change.Change, err error) {
	for _, commit := range f.since {
		c := change.Change{Path: rel, Status: change.Added, OldMode: change.NoMode, NewMode: mode}
		old, _, found, err := f.Git.Entry(commit, rel)
		if err != nil {
			return nil, err
		}
		if found = found && old != collect.DirMode; found {
			c.OldMode, c.Status = old, change.Modified
		}
		switch {
		case mode == change.NoMode && !found:
			continue
		case mode == change.NoMode:
			c.Status = change.Deleted
		case found && old != mode && (old.Special() || mode.Special()):
			c.Status = change.TypeChanged
		}
		list = append(list, c)
	}
	return list, nil
}

// modeOf is the mode of a path after a tool has written or deleted it, as far as it is known before.
func (f *fence) modeOf(rel string, deleted bool) change.Mode {
	info, err := os.Lstat(filepath.Join(f.Root, rel))
	switch {
	case deleted:
		return change.NoMode
	case err == nil && info.Mode().IsRegular() && info.Mode()&0o100 != 0:
		return change.Executable
	}
	return change.Regular
}

// rule rules on a path of the repository that is to get a mode; nil for no opinion.
func (f *fence) rule(rel string, mode change.Mode) (worst *hook.Ruling, err error) {
	for name := range strings.SplitSeq(strings.ToLower(rel), "/") {
		if name == ".git" {
			return &hook.Ruling{Code: hook.CodeGitDir, Path: rel, Why: "is git's own", Deny: true}, nil
		}
	}
	list, err := f.changes(rel, mode)
	if err != nil {
		return nil, err
	}
	for _, c := range list {
		fence := f.Fence
		addsTask := func(other change.Change) bool { return policy.AddsTask(&other) }
		// The only task contract that a change adds is the contract of its task.
		if f.claim == nil && addsTask(c) && !slices.ContainsFunc(f.Compared.Changes, addsTask) {
			fence.Policy = f.Policy.WithAddedTasks([]string{rel})
		}
		if r := fence.Rule(c); r != nil && (worst == nil || (r.Deny && !worst.Deny)) {
			worst = r
		}
	}
	return worst, nil
}

// fences opens repositories, each once.
type fences struct {
	opened map[string]opened
}

type opened struct {
	*fence
	err error
}

func (all fences) open(root string) opened {
	root = session.Followed(root)
	o, known := all.opened[root]
	if !known {
		o.fence, o.err = openFence(root)
		all.opened[root] = o
	}
	return o
}

// enclosing finds the repository that a path is in: the outermost one with a contract, since a tool may have made an inner one. But a
// work tree inside of that of the same repository stands for itself. It returns the path in it, or that of the inner repository that
// the path is in, which is all that a commit has of it. The fence is nil when no repository encloses the path.
func (all fences) enclosing(path string) (found *fence, rel string, inner bool, err error) {
	root, last, target := "", "", path // of what was found, of the last repository, what counts
	for at := path; ; at = filepath.Dir(at) {
		if _, none := os.Lstat(filepath.Join(at, ".git")); none == nil {
			o := all.open(at)
			if o.err == nil && (found == nil || !o.linkedBelow(at, found, root)) {
				if root, found, err = at, o.fence, nil; last != "" {
					target = last
				}
			} else if found == nil {
				err = o.err
			}
			if o.err == nil || errors.Is(o.err, errNoContract) {
				last = at
			}
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	if found == nil {
		return nil, "", false, err
	}
	rel, err = filepath.Rel(root, target)
	return found, filepath.ToSlash(rel), target != path, err
}

// sameRepository reports whether two work trees are of one repository.
func (f *fence) sameRepository(other *fence) bool { return f.Git.CommonDir() == other.Git.CommonDir() }

// linkedBelow reports whether a work tree below is another one of this repository, which has nothing in its place.
func (f *fence) linkedBelow(at string, inner *fence, root string) bool {
	rel, err := filepath.Rel(at, root)
	if err != nil || !f.sameRepository(inner) {
		return false
	}
	_, _, tracked, err := f.Git.Entry(f.Compared.Head, filepath.ToSlash(rel))
	return err == nil && !tracked
}

// spellings are the absolute paths that a touched path may mean: as the system follows links, also before "..", and the last link
// itself, which a tool may replace. A relative one starts from each of the directories.
func spellings(t hook.Touch, dirs []string) (list []string) {
	home, _ := os.UserHomeDir()
	name := filepath.FromSlash(t.Path)
	starts := []string{""}
	if !filepath.IsAbs(name) {
		if starts = dirs; t.Dir != "" {
			starts = nil
			for _, dir := range dirs {
				starts = append(starts, under(dir, filepath.FromSlash(t.Dir)))
			}
		}
	}
	for _, start := range starts {
		list = append(list, under(start, name))
	}
	if rest, ok := strings.CutPrefix(name, "~"+string(filepath.Separator)); ok && home != "" {
		list = append(list, under(home, rest))
	}
	var all []string
	for _, p := range list {
		for _, p := range []string{filepath.Clean(p), p} {
			all = append(all, session.Followed(p))
			if dir, name := filepath.Split(p); filepath.IsLocal(name) && name != "." {
				all = append(all, filepath.Join(session.Followed(dir), name))
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// under joins without cleaning: what ".." means depends on links.
func under(dir, name string) string {
	if dir == "" || filepath.IsAbs(name) {
		return name
	}
	return dir + string(filepath.Separator) + name
}

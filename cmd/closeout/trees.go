package main

import (
	"cmp"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/spf13/pflag"

	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/collect"
	"github.com/closeout-gate/closeout/verify/facts"
)

// treesMemory is what a comparison of large trees may take before memory is collected often: less time spent, and still
// less than a build beside it takes.
const treesMemory = 88 << 20

// treeFlags name two commits of a repository, whose difference is what is judged.
type treeFlags struct {
	repo, base, head, contract string
}

func (t *treeFlags) define(flags *pflag.FlagSet) {
	flags.StringVar(&t.base, "base", "", "judge what leads from this `commit`, usually the base branch, to --head")
	flags.StringVar(&t.head, "head", "HEAD", "the `commit` that is judged, with --base")
	flags.StringVar(&t.repo, "repo", "", "the git repository, any `folder` in it, or a bare one (default the enclosing one), with --base")
	flags.StringVar(&t.contract, "contract", "", "`path` of the standing contract at the base (default .closeout/scope_contract.json or .yaml), with --base")
}

// treeNames are flags that mean nothing without --base.
var treeNames = []string{"head", "repo", "contract"}

// check refuses flags that do not go together.
func (t *treeFlags) check(flags *pflag.FlagSet) error {
	if t.base == "" {
		for _, name := range append(treeNames, "base", "bundle") {
			if flags.Changed(name) {
				return fmt.Errorf("--%s needs --base, the commit to compare with", name)
			}
		}
		return nil
	}
	switch {
	case flags.Changed("facts"):
		return errors.New("--facts cannot be given beside --base, which collects the facts itself")
	case flags.Changed("contract") && flags.Changed("contract-file"):
		return errors.New("--contract names a file of the base, --contract-file one on disk: give one of them")
	}
	return nil
}

// gather collects the inputs from two commits and the files that options name. done closes the repository, from which a
// bundle is still written.
func (t *treeFlags) gather(options collect.Options, s verify.Settings) (found *collect.Found, done func() error, err error) {
	debug.SetMemoryLimit(treesMemory)
	commits := collect.Commits{Contract: t.contract, Limit: s.Limits}
	commits.Facts.Subject.ChangesFrom = "git"
	commits.Facts.Settings = settingsFacts(s)
	commits.Facts.Digests = s.Digests
	git, err := t.open(&commits, cmp.Or(t.repo, "."))
	if err != nil {
		return nil, nil, err
	}
	done = func() error { return nil }
	if git != nil {
		done = git.Close
		if root := git.Root(); root != "" {
			options.Names = root
		}
	}
	found, err = collect.Gather(commits, options)
	return found, done, err
}

// settingsFacts writes down what a decision is called with, and on which day.
func settingsFacts(s verify.Settings) facts.Settings {
	return facts.Settings{Mode: s.Mode, Strict: s.Strict, Task: s.Task, Today: today()}
}

// today is the day with which the ends of exceptions are compared.
func today() string { return time.Now().UTC().Format(time.DateOnly) }

// open opens the repository and finds the two commits. What the repository does not hold is not the caller's mistake:
// then there is nothing to ask, and the facts say why.
func (t *treeFlags) open(commits *collect.Commits, dir string) (*collect.Git, error) {
	git, err := collect.OpenGit(dir, commits.Limit)
	if err == nil {
		commits.Objects = git
		if commits.Base, err = git.Resolve(t.base); err == nil {
			commits.Head, err = git.Resolve(t.head)
		}
	}
	if err == nil || !collect.Unknowable(err) {
		return git, err
	}
	commits.Objects = collect.Lost{Err: err}
	return git, nil
}

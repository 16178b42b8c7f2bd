package main

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/pflag"

	"github.com/closeout-gate/closeout/internal/collect"
	"github.com/closeout-gate/closeout/verify/input"
)

// treeFlags name two commits of a repository, whose difference is what is judged.
type treeFlags struct {
	repo, base, head, contract string
}

func defineTrees(t *treeFlags, flags *pflag.FlagSet) {
	flags.StringVar(&t.base, "base", "", "judge the changes from this `commit`, usually the base branch, to --head")
	flags.StringVar(&t.head, "head", "HEAD", "the `commit` that is judged, with --base")
	flags.StringVar(&t.repo, "repo", "", "the git repository: its `directory`, one inside it, or a bare one (default the enclosing one), with --base")
	flags.StringVar(&t.contract, "contract", "", "`path` of the standing contract at the base (default .closeout/scope_contract.json or .yaml), with --base")
}

// treeNames are flags that require --base.
var treeNames = []string{"head", "repo", "contract"}

// checkTrees refuses flags that do not go together.
func checkTrees(t *treeFlags, flags *pflag.FlagSet) error {
	if t.base == "" && flags.Changed("base") {
		return fmt.Errorf("--base is empty: name the commit to compare with, such as --base %s", cmp.Or(usualBase(), "main"))
	}
	if t.base == "" {
		for _, name := range append(treeNames, "bundle", "base-tests") {
			if flags.Changed(name) {
				return fmt.Errorf("--%s requires --base, the commit to compare with", name)
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

// today is the day with which the last days of exceptions are compared.
func today() string { return time.Now().UTC().Format(time.DateOnly) }

// collect collects the inputs from two commits and the files that the options name, and writes them into a bundle if there
// is to be one.
func (t *treeFlags) collect(o collect.Options, bundle string) (*collect.Found, error) {
	o.Contract = t.contract
	var objects collect.Objects
	git, base, head, err := t.open(o.Settings.Limits)
	if git != nil {
		defer git.Close()
		o.Names, objects = git.Root(), git
	}
	if err != nil {
		if !collect.Unknowable(err) {
			return nil, err
		}
		objects = collect.Lost{Err: err}
	}
	found, err := collect.Trees(objects, base, head, o)
	if err != nil || bundle == "" {
		return found, err
	}
	return collect.WriteBundle(bundle, found)
}

// open opens the repository and finds the two commits.
func (t *treeFlags) open(limits input.Limits) (git *collect.Git, base, head string, err error) {
	if git, err = collect.OpenGit(cmp.Or(t.repo, "."), limits); err != nil {
		return nil, "", "", err
	}
	if base, err = git.Resolve(t.base); err != nil {
		return git, "", "", wrongCommit("base", t.base, git, err)
	}
	if head, err = git.Resolve(t.head); err != nil {
		err = wrongCommit("head", t.head, git, err)
	}
	return git, base, head, err
}

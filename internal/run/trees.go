package run

import (
	"cmp"
	"time"

	"github.com/closeout-gate/closeout/internal/collect"
	"github.com/closeout-gate/closeout/verify/input"
)

// Trees name two commits of a repository, whose difference is what is judged.
type Trees struct {
	Repo, Base, Head, Contract string
}

// Today is the day with which the last days of exceptions are compared.
func Today() string { return time.Now().UTC().Format(time.DateOnly) }

// Collect collects the inputs from two commits and the files that the options name, and writes them into a bundle if there
// is to be one.
func (t *Trees) Collect(o collect.Options, bundle string) (*collect.Found, error) {
	o.Contract = t.Contract
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
func (t *Trees) open(limits input.Limits) (git *collect.Git, base, head string, err error) {
	if git, err = collect.OpenGit(cmp.Or(t.Repo, "."), limits); err != nil {
		return nil, "", "", err
	}
	base, head, err = t.resolve(git)
	return git, base, head, err
}

// resolve finds the two commits.
func (t *Trees) resolve(git *collect.Git) (base, head string, err error) {
	if base, err = git.Resolve(t.Base); err != nil {
		return "", "", WrongCommit("base", t.Base, git, err)
	}
	if head, err = git.Resolve(t.Head); err != nil {
		return base, "", WrongCommit("head", t.Head, git, err)
	}
	return base, head, nil
}

package run

import (
	"cmp"
	"time"

	"github.com/closeout-gate/closeout/internal/collect"
	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/reports"
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

// DiffRules runs the rules over two commits. What the repository does not contain ends in an exit code of its own.
func DiffRules(f *Trees, std console.Streams) (*reports.Diff, error) {
	unknown := func(err error) error {
		text := err.Error()
		if fix := collect.FixOf(err); fix != "" {
			text += " → " + fix
		}
		std.Tell("diff", "%s", text)
		return Exit{Code: ExitReview}
	}
	git, err := collect.OpenGit(cmp.Or(f.Repo, "."), input.DefaultLimits())
	if err != nil {
		return nil, err
	}
	defer git.Close()
	why := ""
	if f.Base, why, err = BaseName(git, f.Base, "diff"); err != nil {
		return nil, err
	}
	base, head, err := f.resolve(git)
	switch {
	case err != nil && collect.Unknowable(err):
		return nil, unknown(err)
	case err != nil:
		return nil, err
	}
	std.Tell("diff", "the base%s is %s (%.12s)", why, shortRef(f.Base), base)
	compared := collect.Compare(git, base, head)
	for _, u := range compared.Unavailable {
		if compared.Changes == nil {
			return nil, unknown(u.Err())
		}
	}
	found, err := compared.DiffRules()
	if err != nil {
		return nil, unknown(err)
	}
	return found, nil
}

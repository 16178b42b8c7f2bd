// Package clone reads a clone for an archive and an audit: without git, and without asking anyone.
package clone

import (
	"errors"
	"fmt"
	"slices"

	"github.com/closeout-gate/closeout/internal/collect"
	"github.com/closeout-gate/closeout/internal/git"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/policy"
)

// Clone is a repository on disk, with what an archive and an audit ask of it.
type Clone struct {
	*collect.Git
	repo *git.Repo
}

// Open opens the repository that encloses a directory.
func Open(dir string) (*Clone, error) {
	g, err := collect.OpenGit(dir, input.DefaultLimits())
	if err != nil {
		return nil, err
	}
	return &Clone{g, g.Repo()}, nil
}

// ErrNotOnLine says that a branch does not lead to a commit by first parents.
var ErrNotOnLine = errors.New("the history of the branch does not contain the commit")

// Step is a commit on the line of first parents of a branch.
type Step struct {
	Commit, Parent string // Parent is "" for a first commit
	Date           int64  // of the committer, in seconds
	Subject        string // the first line of the message
}

// Step reads one commit, named by its whole id.
func (g *Clone) Step(commit string) (Step, error) {
	id, err := g.repo.ParseID(commit)
	if err != nil {
		return Step{}, err
	}
	info, err := g.repo.Commit(id)
	if err != nil {
		return Step{}, collect.Fixed(err)
	}
	step := Step{Commit: commit, Date: info.Date, Subject: info.Subject}
	if len(info.Parents) > 0 {
		step.Parent = info.Parents[0].String()
	}
	return step, nil
}

// Line lists the commits of the line of first parents that lead to a tip, the oldest first: those after a commit, or
// all when it is "". A commit that is not on the line is an error, and so is a commit that was not fetched.
func (g *Clone) Line(tip, after string) ([]Step, error) {
	return g.line(tip, after, func(Step) (bool, error) { return true, nil })
}

// ContractLine lists the last commits of the line of first parents since which each has a contract; the tip alone when
// it has none.
func (g *Clone) ContractLine(tip string) ([]Step, error) {
	return g.line(tip, "", func(s Step) (bool, error) {
		found, err := g.hasContract(s.Commit)
		return found || s.Commit == tip, err
	})
}

// hasContract reports whether a commit has a standing contract at its default path.
func (g *Clone) hasContract(commit string) (bool, error) {
	for _, extension := range policy.ContractExtensions {
		_, _, found, err := g.Entry(commit, policy.StandingContract+extension)
		if found || err != nil {
			return found, err
		}
	}
	return false, nil
}

// line walks from the tip as long as more says so.
func (g *Clone) line(tip, after string, more func(Step) (bool, error)) ([]Step, error) {
	var list []Step
	for at := tip; at != after; {
		step, err := g.Step(at)
		if err != nil {
			return nil, err
		}
		wanted, err := more(step)
		if err != nil {
			return nil, err
		}
		if !wanted {
			break
		}
		list = append(list, step)
		if step.Parent == "" && after != "" {
			return nil, fmt.Errorf("%w: expected %s among the first parents of %s", ErrNotOnLine, after, tip)
		}
		if at = step.Parent; at == "" {
			break
		}
	}
	slices.Reverse(list)
	return list, nil
}

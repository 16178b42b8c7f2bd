// Package clone reads a clone for an archive and an audit: without git, and without asking anyone.
package clone

import (
	"github.com/closeout-gate/closeout/internal/collect"
	"github.com/closeout-gate/closeout/internal/git"
	"github.com/closeout-gate/closeout/verify/input"
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

package clone

import (
	"errors"

	"github.com/closeout-gate/closeout/internal/audit/archive"
	"github.com/closeout-gate/closeout/internal/git"
)

// past is what is wrong with the commits of an archive's branch, to be noted once all entries are known.
type past struct {
	wrong    []func(*archive.Checker)
	touched  []func(*archive.Checker) // paths that a commit changed or removed
	complete bool
}

// refuse notes a commit that no archive has.
func (p *past) refuse(commit, message, expected, actual string) {
	p.wrong = append(p.wrong, func(c *archive.Checker) { c.Wrong(commit, message, expected, actual) })
}

// history walks the commits of the branch, back to one of them or to the first: each must only add files below decisions/. A shallow
// clone ends it.
func (a *Archive) history(since string) (*past, error) {
	p := &past{}
	id, err := a.git.repo.ParseID(a.Commit)
	if err != nil {
		return nil, err
	}
	young := git.CommitInfo{}
	for {
		info, err := a.git.repo.Commit(id)
		if missing := (*git.MissingObject)(nil); errors.As(err, &missing) && missing.Shallow && young.ID != (git.ID{}) {
			return p, nil
		}
		if err != nil {
			return nil, archiveFixed(err)
		}
		if young.ID != (git.ID{}) {
			if err := a.onlyAdds(p, young, info); err != nil {
				return nil, err
			}
		}
		if info.ID.String() == since {
			p.complete = true
			return p, nil
		}
		if len(info.Parents) > 1 {
			p.refuse(info.ID.String(), "is a merge", "a commit that closeout archive add makes", "two parents")
		}
		if len(info.Parents) == 0 {
			p.complete = true
			if since != "" {
				p.refuse(a.Commit, "does not follow the one that you kept", "a branch that only grew since "+since, "another branch")
			}
			return p, nil
		}
		young, id = info, info.Parents[0]
	}
}

// onlyAdds compares the entries of a commit with the entries of its parent.
func (a *Archive) onlyAdds(p *past, young, old git.CommitInfo) error {
	var trees [2]git.Entry
	for i, tree := range []git.ID{old.Tree, young.Tree} {
		found, err := a.git.repo.Pick(tree, archive.Decisions)
		if err != nil {
			return archiveFixed(err)
		}
		trees[i] = found[0]
	}
	lost := func(path string, removed bool) {
		if len(p.touched) < archive.MaxProblems {
			p.touched = append(p.touched, func(c *archive.Checker) { c.Touched(young.ID.String(), path, removed) })
		}
	}
	switch before, now := trees[0], trees[1]; {
	case before.ID.IsZero(), before.ID == now.ID && before.Mode == now.Mode:
		return nil
	case before.Mode != git.ModeTree || now.Mode != git.ModeTree:
		lost(archive.Decisions, now.ID.IsZero())
		return nil
	default:
		return archiveFixed(a.git.repo.Kept(before.ID, now.ID, archive.Decisions+"/", lost))
	}
}

package collect

import (
	"errors"

	"github.com/closeout-gate/closeout/verify/archive"
	"github.com/closeout-gate/closeout/verify/collect/gitobj"
)

// past is the commits of an archive's branch, the newest first.
type past struct {
	commits  []pastCommit
	marks    []archive.Mark // the checkpoints of the earlier ones
	wrong    []wrongCommit
	complete bool
}

// pastCommit is a commit of the branch, and its tree.
type pastCommit struct{ id, tree gitobj.ID }

// wrongCommit is an earlier commit that no archive has.
type wrongCommit struct{ id, message, actual string }

// history walks the commits of the branch. A shallow clone ends it.
func (a *Archive) history() (*past, error) {
	p := &past{}
	id, err := a.git.repo.ParseID(a.Commit)
	if err != nil {
		return nil, err
	}
	for {
		info, err := a.git.repo.Commit(id)
		if missing := (*gitobj.MissingObject)(nil); errors.As(err, &missing) && missing.Shallow && len(p.commits) > 0 {
			return p, nil
		}
		if err != nil {
			return nil, archiveFixed(err)
		}
		p.commits = append(p.commits, pastCommit{info.ID, info.Tree})
		if err := a.mark(p, info, len(p.commits) > 1); err != nil {
			return nil, err
		}
		if len(info.Parents) == 0 {
			p.complete = true
			return p, nil
		}
		id = info.Parents[0]
	}
}

// mark notes the checkpoint of a commit. The present one is compared elsewhere.
func (a *Archive) mark(p *past, info gitobj.CommitInfo, earlier bool) error {
	if len(info.Parents) > 1 {
		p.wrong = append(p.wrong, wrongCommit{info.ID.String(), "is a merge", "two parents"})
	}
	if !earlier {
		return nil
	}
	entries, err := a.git.repo.Tree(info.Tree)
	if err != nil {
		return archiveFixed(err)
	}
	for _, e := range entries {
		if e.Name != archive.CheckpointFile {
			continue
		}
		data, err := a.git.regularBlob(e, archive.MaxCheckpointBytes)
		if err != nil {
			return err
		}
		if c, err := archive.ReadCheckpoint(data); err == nil {
			if n := len(p.marks); n > 0 && p.marks[n-1].Checkpoint.Origin == c.Origin {
				c.Origin = p.marks[n-1].Checkpoint.Origin // one text for all of them
			}
			p.marks = append(p.marks, archive.Mark{Checkpoint: c, From: info.ID.String()})
			return nil
		}
	}
	p.wrong = append(p.wrong, wrongCommit{info.ID.String(), "has no checkpoint that can be read", "none"})
	return nil
}

// blame finds the commits that changed or removed what was there. It only explains problems, so it is not asked of an archive that
// has none.
func (a *Archive) blame(c *archive.Checker, p *past) error {
	for i := range len(p.commits) - 1 {
		changes, err := a.git.repo.Compare(p.commits[i+1].tree, p.commits[i].tree)
		if err != nil {
			if large := (*gitobj.TooLarge)(nil); errors.As(err, &large) {
				continue
			}
			return archiveFixed(err)
		}
		for _, ch := range changes {
			if !ch.OldID.IsZero() {
				c.Touched(p.commits[i].id.String(), ch.Path, ch.NewID.IsZero())
			}
		}
	}
	return nil
}

package clone

import (
	"errors"
	"fmt"

	"github.com/closeout-gate/closeout/internal/audit/archive"
)

// ErrNoBundle says that there is nothing to withdraw.
var ErrNoBundle = errors.New("nothing can be withdrawn")

// Withdrawal checks the archive, and finds the entry whose bundle is withdrawn. The reason is left to the caller.
func (g *Clone) Withdrawal(ref string, seq int64) (*archive.Withdrawal, error) {
	a, err := g.Archive(ref)
	if err != nil {
		return nil, err
	}
	d := &archive.Withdrawal{Commit: a.Commit, Date: a.Date}
	check, err := a.Check(ArchiveCheck{Visit: func(it *archive.Item) error {
		if it.Entry != nil && it.Entry.Seq == seq && len(it.Files) > 0 {
			d.Entry = it.Entry
		}
		return nil
	}})
	if err != nil {
		return nil, err
	}
	if len(check.Problems) > 0 {
		return nil, fmt.Errorf("%w: the archive is not intact; closeout audit shows why", ErrNoBundle)
	}
	if d.Entry == nil {
		return nil, fmt.Errorf("%w: the archive has %d entries, and none with the number %d that has a bundle", ErrNoBundle, check.Size, seq)
	}
	data, err := a.File(archive.StateFile)
	if err == nil {
		d.State, _ = archive.ReadState(data) // it was read before
	}
	return d, err
}

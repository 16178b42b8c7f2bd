package collect

import (
	"errors"
	"slices"

	"github.com/closeout-gate/closeout/internal/rules"
	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/facts"
)

// Comparison is what differs between two commits: the change that leads from a base to a head.
type Comparison struct {
	Objects     Objects
	Base, Head  string          // commit ids
	MergeBases  []string        // sorted
	Changes     []change.Change // nil when they are unavailable
	Unavailable []facts.Unavailable

	reports []rules.TestReports
	rows    []byte // diff_rules.json; nil before [Comparison.RunRules], and when it is unavailable
}

// errUnrelated is for a head that has nothing in common with the base: its changes cannot be told from the content of the
// base.
var errUnrelated = &fixable{
	err: errors.New("base and head have no common ancestor"),
	fix: "name the branch that the change was made from as the base, or fetch the whole history (fetch-depth: 0)",
}

// Compare lists the changes between the merge bases of two commits and the head.
func Compare(objects Objects, base, head string) *Comparison { return compare(objects, base, head) }

// Since is [Compare] for work that starts at a commit, which the head should contain. Where it does not, because the history was
// rewritten, what differs from the start is changed as well: else what an older commit does not contain could be undone unseen.
func Since(objects Objects, start, head string) *Comparison {
	return compare(objects, start, head, start)
}

// compare is [Compare] with commits that the head is compared with beside the merge bases.
func compare(objects Objects, base, head string, more ...string) *Comparison {
	c := &Comparison{Objects: objects, Base: base, Head: head}
	bases, err := objects.MergeBases(base, head)
	if err == nil && len(bases) == 0 {
		err = errUnrelated
	}
	c.MergeBases = bases
	for _, commit := range more {
		if !slices.Contains(bases, commit) {
			bases = append(slices.Clone(bases), commit)
		}
	}
	lists := make([][]change.Change, len(bases))
	for i := 0; err == nil && i < len(bases); i++ {
		lists[i], err = objects.Changes(bases[i], head)
	}
	if err != nil {
		c.lacks("", err)
		return c
	}
	c.Changes = append([]change.Change{}, union(lists)...)
	keys := keyFinder{objects: objects}
	for i := range c.Changes {
		c.findKeys(&keys, &c.Changes[i], bases)
	}
	c.findEffects(bases)
	c.findGone()
	return c
}

func (c *Comparison) lacks(about string, err error) {
	c.Unavailable = append(c.Unavailable, unavailable(facts.WantedChanges, about, err))
}

// findGone notes which of the files that the change leaves in place the tip of the base no longer contains. Git may merge
// the edit of such a file into another path.
func (c *Comparison) findGone() {
	if slices.Equal(c.MergeBases, []string{c.Base}) {
		return
	}
	for i := range c.Changes {
		changed := &c.Changes[i]
		if changed.Status == change.Added || changed.Status == change.Deleted {
			continue
		}
		mode, _, found, err := c.Objects.Entry(c.Base, changed.Path)
		if err != nil {
			c.lacks(changed.Path, err)
			return // the others would fail for the same reason
		}
		changed.BaseGone = !found || mode == DirMode
	}
}

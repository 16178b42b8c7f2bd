package github

import (
	"slices"

	"github.com/closeout-gate/closeout/verify/facts"
)

// maxUpdates is how many merges are looked at: without a checkout each takes calls.
const maxUpdates = 20

// findUpdates marks the merges that GitHub made for one of the given people and that hold nothing of their own. Nothing
// turns on those of other people.
func (p *Pull) findUpdates(people []account, clean func(commit string, parents []string) bool) {
	if clean == nil {
		return
	}
	looked := 0
	for i := range p.Live.Commits {
		c := &p.Live.Commits[i]
		author := facts.Account{Login: c.Author, ID: c.AuthorID}
		theirs := slices.ContainsFunc(people, func(a account) bool { return a.who().Is(author) })
		if c.Committer != "web-flow" || !c.Verified || len(c.Parents) != 2 || !theirs || looked == maxUpdates {
			continue
		}
		looked++
		c.CleanMerge = clean(c.SHA, c.Parents)
	}
}

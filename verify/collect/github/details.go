package github

import (
	"cmp"
	"context"
	"slices"
)

// Wants says what the contract makes matter.
type Wants struct {
	Override  func(label string) bool // whether a label could override; nil for none
	Approvals bool                    // whether any touched file may need an approval
	Teams     []string                // slugs of teams of the repository's owner whose members may override
	Event     *Event                  // that started the run; nil for none that a list could hold
	SameHead  bool                    // whether it matters which other pull requests have the same head
	// CleanMerge reports whether a merge holds what its two parents bring, and nothing else; nil when nobody can tell.
	CleanMerge func(commit string, parents []string) bool
}

// Details adds commits and comments, and what an override or approvals turn on: label events and the people behind them
// only when a label that could override is on the pull request, reviews only when approvals are asked for. What nobody
// needs is left nil without being called unavailable.
func (c *Client) Details(ctx context.Context, p *Pull, w Wants) {
	if p.Live == nil {
		return
	}
	if w.Override == nil {
		w.Override = func(string) bool { return false }
	}
	c.commits(ctx, p, w)
	c.comments(ctx, p)
	var asked []account
	if slices.ContainsFunc(p.Live.Labels, w.Override) {
		asked = append(asked, c.labelEvents(ctx, p, w)...)
	}
	if w.Approvals {
		asked = append(asked, c.reviews(ctx, p)...)
	}
	c.people(ctx, p, asked, w.Teams)
	if w.SameHead {
		c.sameHead(ctx, p)
	}
	p.findUpdates(asked, w.CleanMerge)
}

// sortedByID sorts by number, not by text, and drops what two pages both hold.
func sortedByID[T any](list []T, id func(T) int64) []T {
	slices.SortStableFunc(list, func(a, b T) int { return cmp.Compare(id(a), id(b)) })
	return slices.CompactFunc(list, func(a, b T) bool { return id(a) == id(b) })
}

package github

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/closeout-gate/closeout/verify/facts"
)

var reviewStates = []string{"APPROVED", "CHANGES_REQUESTED", "COMMENTED", "DISMISSED", "PENDING"}

// reviews returns who approves this head, those who belong to the repository first: on a public one anybody may approve,
// and a crowd must not push out who counts.
func (c *Client) reviews(ctx context.Context, p *Pull) []account {
	list, err := all[pullReview](ctx, c, c.path("pulls/%d/reviews", p.Live.Number), 0)
	for _, r := range list {
		if r.ID <= 0 || !slices.Contains(reviewStates, r.State) || r.CommitID != "" && !objectID().MatchString(r.CommitID) {
			err = fmt.Errorf("a review has the id %d, the state %q and the commit %q", r.ID, cut(r.State, 80), cut(r.CommitID, 80))
		}
	}
	if err != nil {
		p.lacks(c.unknown(facts.WantedReviews, err, needPulls))
		return nil
	}
	p.Live.Reviews = []facts.Review{}
	var insiders, outsiders []account
	for _, r := range sortedByID(list, func(r pullReview) int64 { return r.ID }) {
		p.Live.Reviews = append(p.Live.Reviews, facts.Review{
			ID: digits(r.ID), Author: r.User.login(), AuthorID: r.User.id(), State: r.State, CommitID: r.CommitID, SubmittedAt: stampOrNone(r.SubmittedAt),
		})
		switch {
		case r.User == nil || r.State != "APPROVED" || r.CommitID != p.Live.HeadSHA:
		case r.insider():
			insiders = append(insiders, *r.User)
		default:
			outsiders = append(outsiders, *r.User)
		}
	}
	return append(insiders, outsiders...)
}

func stampOrNone(t *time.Time) string {
	if t == nil {
		return ""
	}
	return stamp(*t)
}

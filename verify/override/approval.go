package override

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/closeout-gate/closeout/verify/facts"
)

// Approved says whether so many people approve this head, which lets everything pass that needs as many: who may approve does not
// differ from file to file.
func Approved(rule *Rule, f *facts.Facts, people int64) Answer {
	pr := f.Live()
	switch {
	case pr == nil:
		return Answer{State: Unknown, Why: "no facts from GitHub", Missing: Missing{Kind: facts.WantedPullRequest}}
	case pr.Reviews == nil || lacks(f, facts.WantedReviews):
		return Answer{State: Unknown, Why: "the reviews are unavailable", Missing: Missing{Kind: facts.WantedReviews}}
	}
	if rule == nil {
		rule = NewRule() // the contract cannot be trusted, and that blocks
	}
	best := Answer{Why: "no review approves this head", Do: rule.Who() + " who did not contribute to the pull request can approve it"}
	var by []facts.Person
	for _, r := range deciding(pr.Reviews) {
		answer := Answer{
			Why: fmt.Sprintf("%s approved another head, %s", r.Author, cmp.Or(r.CommitID, "which is unknown")), Do: r.Author + " can look at it again",
		}
		if r.CommitID == pr.HeadSHA {
			answer = rule.Qualified(f, facts.Account{Login: r.Author, ID: r.AuthorID}, "approve it")
		}
		if answer.State == Yes {
			who := person(f, facts.Account{Login: r.Author, ID: r.AuthorID})
			if !slices.ContainsFunc(by, func(p facts.Person) bool { return p.ID == who.ID }) {
				by = append(by, who)
			}
			if int64(len(by)) >= people {
				answer.Why = r.Author + " approved this head"
				return answer
			}
		} else if best.State != Unknown {
			best = answer
		}
	}
	if len(by) > 0 && best.State != Unknown {
		best = no(fmt.Sprintf("%d of %d people approved this head", len(by), people), rule.Who()+" who did not contribute to the pull request can approve it too")
	}
	return best
}

// deciding returns the approvals that are in effect: the newest review of each person that is not a comment, if it approves.
// Comments decide nothing. A dismissed review, or a later one that requests changes, ends an approval.
func deciding(reviews []facts.Review) []facts.Review {
	// Reviewers are told apart by their ids, unless one of them has none.
	byLogin := slices.ContainsFunc(reviews, func(r facts.Review) bool { return r.AuthorID == "" && r.Author != "" })
	place := map[string]int{} // in newest, by who reviewed
	var newest []facts.Review
	for _, r := range reviews {
		if r.State == "COMMENTED" || r.State == "PENDING" {
			continue
		}
		key := r.AuthorID
		if byLogin || key == "" {
			key = facts.FoldLogin(r.Author)
		}
		i, seen := place[key]
		switch {
		case !seen:
			place[key] = len(newest)
			newest = append(newest, r)
		case Newer(r.ID, newest[i].ID):
			newest[i] = r
		}
	}
	return slices.DeleteFunc(newest, func(r facts.Review) bool { return r.State != "APPROVED" })
}

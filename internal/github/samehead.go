package github

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/go-github/v62/github"

	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/input"
)

// sameHead lists the other open pull requests with the same head. GitHub shares commits with the forks, so the
// list contains pull requests from forks too.
func (c *Client) sameHead(ctx context.Context, p *Pull) {
	list, err := all[livePull](ctx, c, c.path("commits/%s/pulls", p.Live.HeadSHA), 0)
	if err == nil {
		err = p.checkPeers(list)
	}
	if err != nil {
		c.lacks(p, facts.WantedSameHead, "", err)
		return
	}
	p.Live.SameHead = []facts.Peer{}
	for i := range list {
		if other := &list[i]; other.GetState() == "open" && other.GetHead().GetSHA() == p.Live.HeadSHA && !p.isSelf(other) {
			peer := facts.Peer{
				Number: int64(other.GetNumber()), Author: other.author().Login, AuthorID: other.author().id(), AuthorType: other.author().Type,
				AuthorApps: other.apps(), Fork: !p.isHere(other),
			}
			if p.isInto(other) {
				peer.BaseBranch = other.GetBase().GetRef()
			}
			p.Live.SameHead = append(p.Live.SameHead, peer)
		}
	}
	input.SortStable(p.Live.SameHead, func(a, b facts.Peer) int { return cmp.Compare(a.Number, b.Number) })
}

// checkPeers requires that the list contains the pull request itself: a list without it may be incomplete. GitHub does not
// always list a pull request that comes from a fork.
func (p *Pull) checkPeers(list []livePull) error {
	self := false
	for i := range list {
		other := &list[i]
		if other.GetNumber() <= 0 || other.GetState() == "" || other.GetHead().GetSHA() == "" {
			return errors.New("GitHub lists a pull request without number, state or head")
		}
		self = self || p.isSelf(other)
	}
	if !self && p.own && p.Live.State == "open" {
		return fmt.Errorf("GitHub lists the pull requests of the commit %s without number %d, whose head it is", p.Live.HeadSHA, p.Live.Number)
	}
	return nil
}

// isSelf reports whether another answer is about this pull request.
func (p *Pull) isSelf(other *livePull) bool {
	return int64(other.GetNumber()) == p.Live.Number && p.isInto(other)
}

// isInto reports whether the base of a pull request is in this repository.
func (p *Pull) isInto(other *livePull) bool {
	repo := other.GetBase().GetRepo()
	if repo.GetID() > 0 {
		return digits(repo.GetID()) == p.Subject.RepositoryID
	}
	return strings.EqualFold(repo.GetFullName(), p.Subject.Repository)
}

// isHere reports whether only a person who may push here can have opened a pull request with that branch.
func (p *Pull) isHere(other *livePull) bool {
	return p.isInto(other) && sameRepository(other.GetHead().GetRepo(), other.GetBase().GetRepo())
}

// sameRepository reports whether the branch of a head is where its base is, or at least in no fork.
func sameRepository(head, base *github.Repository) bool {
	if head == nil {
		return false // the fork is deleted
	}
	return head.GetID() == base.GetID() || (head.Fork != nil && !head.GetFork())
}

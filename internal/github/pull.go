package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/google/go-github/v62/github"

	"github.com/closeout-gate/closeout/verify/facts"
)

// Pull is what is known about one pull request. Each step of the collection adds to it.
type Pull struct {
	// Subject contains the repository, the pull request, its branches, the tip of the base branch and the live head. The
	// merge base and the code trees are added by [collect.Facts].
	Subject facts.Subject
	// Live is the pull request as it is now; nil when it could not be read.
	Live *facts.PullRequest
	// People are the accounts that matter for overrides and approvals, by login; nil before Details.
	People      []facts.Person
	Unavailable []facts.Unavailable
	// TestMerge is the commit in which GitHub merged head and base to see whether they merge; "" when there is none. Its
	// parents may be older ones: ask Objects.IsMergeOf before its tree is accepted.
	TestMerge string

	counted counts
	own     bool // the head's branch is in this repository
	copilot bool // the author is Copilot
}

// counts are the lengths of lists as the pull request tells them; nil where it does not.
type counts struct{ commits, comments *int }

// short says how a list is shorter than the pull request's own count; "" when it is not. It may have grown since.
func short(what string, counted *int, listed int) string {
	if counted == nil || *counted <= listed {
		return ""
	}
	return fmt.Sprintf("GitHub counts %d %s of the pull request, but lists %d", *counted, what, listed)
}

// GitHub is the part of the facts that only GitHub can tell.
func (p *Pull) GitHub() *facts.GitHub { return &facts.GitHub{PullRequest: p.Live, People: p.People} }

func (p *Pull) lacks(u facts.Unavailable) { p.Unavailable = append(p.Unavailable, u) }

// lacks notes why something about a pull request is unavailable.
func (c *Client) lacks(p *Pull, what facts.Wanted, about string, err error) {
	p.lacks(c.unknown(what, about, err))
}

// Pull reads a pull request and the tip of the branch that it wants to change.
//
// The tip is read from its ref, not from the pull request, which names the tip as it was when the head was last pushed: a
// contract that was made stricter since would not apply.
func (c *Client) Pull(ctx context.Context, number int64) *Pull {
	p := c.live(ctx, number)
	if p.Live == nil {
		return p
	}
	tip, err := c.branchTip(ctx, p.Subject.BaseBranch)
	if err != nil {
		c.lacks(p, facts.WantedSubject, p.Subject.BaseBranch, err)
	}
	p.Subject.BaseSHA = tip
	return p
}

// Member reads a pull request of a merge group. It is judged by the group's base, not by the current tip of the branch.
func (c *Client) Member(ctx context.Context, number int64, g *Group) *Pull {
	p := c.live(ctx, number)
	p.Subject.BaseSHA, p.Subject.BaseBranch, p.TestMerge = g.Subject.BaseSHA, g.Subject.BaseBranch, ""
	return p
}

// live reads a pull request alone; its Live is nil when the pull request is unavailable.
func (c *Client) live(ctx context.Context, number int64) *Pull {
	p := &Pull{Subject: facts.Subject{Repository: c.owner + "/" + c.name, PullRequest: number}}
	var live livePull
	_, err := c.get(ctx, c.path("pulls/%d", number), &live)
	if err == nil {
		err = errors.Join(checkPull(&live.PullRequest, number), c.checkRepository(live.GetBase().GetRepo()))
	}
	if err != nil {
		c.lacks(p, facts.WantedPullRequest, "", err)
		return p
	}
	p.describe(&live)
	// Everything else is asked for under the name that the repository has now: after it was renamed, each call would be
	// redirected, and no comment could be written.
	if names := repositorySyntax().FindStringSubmatch(p.Subject.Repository); names != nil {
		c.owner, c.name = names[1], names[2]
	}
	return p
}

// checkRepository refuses another repository that has the name since the event.
func (c *Client) checkRepository(repo *github.Repository) error {
	if id := digits(repo.GetID()); c.id != "" && id != c.id {
		return fmt.Errorf("the repository %s has the id %s, and the event's has %s: it is another one", cut(repo.GetFullName(), 80), id, c.id)
	}
	return nil
}

// checkPull refuses an answer that is not about this pull request, or without what everything else is built on.
func checkPull(live *github.PullRequest, number int64) error {
	repo := live.GetBase().GetRepo()
	switch {
	case int64(live.GetNumber()) != number:
		return fmt.Errorf("GitHub answered with pull request %d instead of %d", live.GetNumber(), number)
	case live.GetState() != "open" && live.GetState() != "closed":
		return fmt.Errorf("the pull request's state is %q: expected open or closed", cut(live.GetState(), 80))
	case live.GetBase().GetRef() == "" || repo.GetID() <= 0 || !repositorySyntax().MatchString(repo.GetFullName()):
		return errors.New("GitHub's answer does not say which branch the pull request is for")
	case live.ChangedFiles == nil || live.GetChangedFiles() < 0:
		return errors.New("GitHub's answer does not say how many files the pull request changes")
	}
	return errors.Join(checkID("the pull request's head", live.GetHead().GetSHA()), checkID("the pull request's base", live.GetBase().GetSHA()))
}

func (p *Pull) describe(live *livePull) {
	base, repo := live.GetBase(), live.GetBase().GetRepo()
	p.Subject.Repository, p.Subject.RepositoryID = repo.GetFullName(), digits(repo.GetID())
	p.Subject.BaseBranch, p.Subject.DefaultBranch, p.Subject.HeadSHA = base.GetRef(), repo.GetDefaultBranch(), live.GetHead().GetSHA()
	if isObjectID(live.GetMergeCommitSHA()) && !live.GetMerged() {
		p.TestMerge = live.GetMergeCommitSHA()
	}
	p.Live = &facts.PullRequest{
		Number: int64(live.GetNumber()), State: live.GetState(), Merged: live.GetMerged(), Draft: live.GetDraft(),
		Author: live.author().Login, AuthorID: live.author().id(), AuthorType: live.author().Type, AuthorApps: live.apps(), BaseBranch: base.GetRef(), BaseSHA: base.GetSHA(), HeadSHA: live.GetHead().GetSHA(),
		ChangedFiles: int64(live.GetChangedFiles()), Labels: []string{}, AskedBy: live.askers(),
	}
	p.copilot = live.isCopilot()
	p.counted = counts{live.Commits, live.Comments}
	p.own = sameRepository(live.GetHead().GetRepo(), repo)
	for _, label := range live.Labels {
		if strings.TrimSpace(label.GetName()) != "" {
			p.Live.Labels = append(p.Live.Labels, label.GetName())
		}
	}
}

// BranchTip gives the commit that a branch of the repository points to. The error has a method Fix.
func (c *Client) BranchTip(ctx context.Context, branch string) (string, error) {
	tip, err := c.branchTip(ctx, branch)
	if err != nil {
		return "", c.fail(err, needContents)
	}
	return tip, nil
}

// branchTip reads the ref itself: a tag of the same name is another ref. Servers that imitate GitHub's API may not
// have that call; there the branch is read, whose name cannot mean a tag either.
func (c *Client) branchTip(ctx context.Context, branch string) (string, error) {
	segments := strings.Split(branch, "/")
	for i, s := range segments {
		segments[i] = url.PathEscape(s)
	}
	escaped := strings.Join(segments, "/")
	var ref github.Reference
	_, err := c.get(ctx, c.path("git/ref/heads/")+escaped, &ref)
	if status(err) == http.StatusNotFound {
		if tip, found := c.tipByBranch(ctx, branch, escaped); found {
			return tip, nil
		}
	}
	if err != nil {
		return "", err
	}
	if ref.GetRef() != "refs/heads/"+branch || ref.GetObject().GetType() != "commit" {
		return "", fmt.Errorf("GitHub answered with %q instead of the branch %q", cut(ref.GetRef(), 80), cut(branch, 80))
	}
	id := ref.GetObject().GetSHA()
	if err := checkID("the tip of the base branch", id); err != nil {
		return "", err
	}
	return id, nil
}

func (c *Client) tipByBranch(ctx context.Context, branch, escaped string) (tip string, found bool) {
	var answer github.Branch
	_, err := c.get(ctx, c.path("branches/")+escaped, &answer)
	tip = answer.GetCommit().GetSHA()
	return tip, err == nil && answer.GetName() == branch && isObjectID(tip)
}

// ReadHeadAgain looks where the head is now. It is the last step before judging: after a push between the first read and
// this one, what was collected is not what would be merged. A label that was removed meanwhile no longer counts; one that was
// added causes a run of its own.
func (c *Client) ReadHeadAgain(ctx context.Context, p *Pull) {
	if p.Live == nil {
		return
	}
	var live github.PullRequest
	_, err := c.get(ctx, c.path("pulls/%d", p.Live.Number), &live)
	if err == nil {
		err = checkPull(&live, p.Live.Number)
	}
	if now := live.GetBase().GetRef(); err == nil && now != p.Live.BaseBranch {
		err = fmt.Errorf("the pull request was moved from the branch %q to %q while it was read", cut(p.Live.BaseBranch, 80), cut(now, 80))
	}
	if err != nil {
		c.lacks(p, facts.WantedPullRequest, "the head, read again at the end", err)
		return
	}
	p.Live.LastHeadSHA = live.GetHead().GetSHA()
	p.Live.Labels = slices.DeleteFunc(p.Live.Labels, func(name string) bool {
		return !slices.ContainsFunc(live.Labels, func(l *github.Label) bool { return l.GetName() == name })
	})
}

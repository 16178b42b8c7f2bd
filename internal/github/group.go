package github

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/google/go-github/v62/github"

	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/input"
)

// Group is a merge group: pull requests that the merge queue wants to merge together.
type Group struct {
	Subject     facts.Subject // the group's head against the group's base
	Numbers     []int64       // the pull requests that are known to be in it, sorted; complete unless Unavailable says otherwise
	Unavailable []facts.Unavailable
}

// queueRef is how the queue names its branches: gh-readonly-queue/<base branch>/pr-<number>-<base commit>.
var queueRef = input.Lazily(`^refs/heads/gh-readonly-queue/(.+)/pr-([1-9][0-9]{0,15})-[0-9a-f]{40,64}$`)

// Group finds the pull requests of a merge group. The payload names none and has no labels: the branch's name gives the
// last one, and the commits between base and head the others. Each commit must be explained by a pull request of this
// base branch, else the list may be incomplete:
//
//   - GitHub says which pull requests contain the commit; or
//   - it merges the head of one of those; or
//   - it is the only one, and the name of the branch says whose it is (a squash).
//
// [Client.Member] reads each of the pull requests.
func (c *Client) Group(ctx context.Context, e *Event) *Group {
	g := &Group{Subject: facts.Subject{
		Repository: e.Repository, RepositoryID: e.RepositoryID, DefaultBranch: e.DefaultBranch,
		BaseBranch: e.BaseBranch, BaseSHA: e.BaseSHA, HeadSHA: e.HeadSHA,
	}}
	numbers, err := c.groupNumbers(ctx, e)
	g.Numbers = numbers
	if err != nil {
		g.Unavailable = append(g.Unavailable, c.unknown(facts.WantedPullRequests, "", err))
	}
	return g
}

func (c *Client) groupNumbers(ctx context.Context, e *Event) ([]int64, error) {
	named, err := numberOfRef(e)
	if err != nil {
		return nil, err
	}
	known := map[int64]bool{named: true}
	commits, err := c.groupCommits(ctx, e)
	if err == nil {
		err = c.explain(ctx, e, commits, known)
	}
	return slices.Sorted(maps.Keys(known)), err
}

func numberOfRef(e *Event) (int64, error) {
	parts := queueRef().FindStringSubmatch(e.HeadRef)
	if parts == nil || parts[1] != e.BaseBranch {
		return 0, fmt.Errorf("the group's branch is %q: expected refs/heads/gh-readonly-queue/%s/pr-…", cut(e.HeadRef, 120), e.BaseBranch)
	}
	return strconv.ParseInt(parts[2], 10, 64)
}

// groupCommits lists the commits from the group's base to its head, all of them.
func (c *Client) groupCommits(ctx context.Context, e *Event) ([]*github.RepositoryCommit, error) {
	var list []*github.RepositoryCommit
	for page := 1; ; page++ {
		var answer github.CommitsComparison
		path := c.path("compare/%s...%s", e.BaseSHA, e.HeadSHA) + fmt.Sprintf("?per_page=%d&page=%d", perPage, page)
		if _, err := c.get(ctx, path, &answer); err != nil {
			return nil, c.fail(err, needContents)
		}
		if answer.GetMergeBaseCommit().GetSHA() != e.BaseSHA {
			return nil, errors.New("the group does not start from its base")
		}
		list = append(list, answer.Commits...)
		total := answer.GetTotalCommits()
		switch {
		case total > maxCommits:
			return nil, &failure{text: fmt.Sprintf("the group has %d commits: at most %d are read", total, maxCommits), fix: "let the merge queue build smaller groups"}
		case len(list) == total && total > 0:
			return list, nil
		case len(answer.Commits) < perPage:
			return nil, fmt.Errorf("GitHub counts %d commits in the group, but lists %d", total, len(list))
		}
	}
}

// explain adds the pull requests behind the commits to known.
func (c *Client) explain(ctx context.Context, e *Event, commits []*github.RepositoryCommit, known map[int64]bool) error {
	inGroup, heads := map[string]bool{}, map[string]bool{}
	for _, commit := range commits {
		inGroup[commit.GetSHA()] = true
	}
	var unexplained []*github.RepositoryCommit
	for _, commit := range commits {
		pulls, err := c.pullsWith(ctx, e, commit.GetSHA(), inGroup)
		if err != nil {
			return err
		}
		for _, pull := range pulls {
			known[int64(pull.GetNumber())], heads[pull.GetHead().GetSHA()] = true, true
		}
		if len(pulls) == 0 {
			unexplained = append(unexplained, commit)
		}
	}
	for _, commit := range unexplained {
		if len(commits) == 1 || (len(commit.Parents) == 2 && heads[commit.Parents[1].GetSHA()]) {
			continue
		}
		return &failure{
			text: "no open pull request of " + e.BaseBranch + " is known to contain commit " + commit.GetSHA() + " of the group",
			fix:  "queue the pull requests of this group again, one at a time; with merge commits the gate can tell them apart in any group",
		}
	}
	return nil
}

// pullsWith asks which open pull requests of the base branch contain a commit. Of several, those whose head is in the group
// count: a pull request that is stacked on another contains the same commits without being merged.
func (c *Client) pullsWith(ctx context.Context, e *Event, sha string, inGroup map[string]bool) ([]github.PullRequest, error) {
	list, err := all[github.PullRequest](ctx, c, c.path("commits/%s/pulls", sha), 0)
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(p github.PullRequest) bool {
		return p.GetState() != "open" || p.GetBase().GetRef() != e.BaseBranch || p.GetNumber() <= 0 ||
			!strings.EqualFold(p.GetBase().GetRepo().GetFullName(), e.Repository)
	})
	there := slices.DeleteFunc(slices.Clone(list), func(p github.PullRequest) bool { return !inGroup[p.GetHead().GetSHA()] })
	if len(there) > 0 {
		return there, nil
	}
	return list, nil
}

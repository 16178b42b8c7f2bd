package github

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/google/go-github/v62/github"
)

// actionsBot is the account behind the token of every job.
const actionsBot = "github-actions[bot]"

// Marker begins the one comment that the gate keeps on a pull request. A page does not show it.
const Marker = "<!-- closeout: verification report -->"

// Note is the one comment that the gate keeps on a pull request.
type Note struct {
	Number int64
	Marker string // what the comment's text begins with; a comment of another account does not count, whatever it begins with
	Author string // login that the token writes as; "" finds out
	Body   string // the whole text, marker included; "" deletes the comment
	// OnlyIfThere changes an existing comment and writes no new one: good news is no reason to write.
	OnlyIfThere bool
}

// Put brings the comment into the wanted state: there is one afterwards, or none when Body is "". A comment with that
// text already stays, and further ones of the same author, as two jobs at once leave them, are deleted.
//
// The error has a method Fix. It is for a warning: a comment that cannot be written changes no verdict.
func (c *Client) Put(ctx context.Context, n Note) error {
	if err := c.put(ctx, n); err != nil {
		return c.fail(err, "pull-requests: write")
	}
	return nil
}

func (c *Client) put(ctx context.Context, n Note) error {
	if n.Marker == "" || (n.Body != "" && !strings.HasPrefix(n.Body, n.Marker)) {
		return errors.New("the comment does not begin with its marker")
	}
	if n.Author == "" {
		author, err := c.ownLogin(ctx)
		if err != nil {
			return err
		}
		n.Author = author
	}
	own, err := c.own(ctx, n)
	if err != nil {
		return err
	}
	switch {
	case n.Body == "":
		return c.remove(ctx, own)
	case len(own) == 0 && n.OnlyIfThere:
		return nil
	case len(own) == 0:
		return c.write(ctx, http.MethodPost, c.path("issues/%d/comments", n.Number), n.Body)
	case own[0].Body != n.Body:
		err = c.write(ctx, http.MethodPatch, c.path("issues/comments/%d", own[0].ID), n.Body)
	}
	return errors.Join(err, c.remove(ctx, own[1:]))
}

// ownLogin asks whose token this is. The job's own token may not ask, and that identifies it.
func (c *Client) ownLogin(ctx context.Context) (string, error) {
	var user account
	_, err := c.get(ctx, "user", &user)
	if status(err) == http.StatusForbidden {
		return actionsBot, nil
	}
	if err == nil && user.Login == "" {
		err = errors.New("GitHub does not say whose token this is")
	}
	return user.Login, err
}

// own lists the gate's comments, the oldest first.
func (c *Client) own(ctx context.Context, n Note) ([]issueComment, error) {
	list, err := all[issueComment](ctx, c, c.path("issues/%d/comments", n.Number), 0)
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(i issueComment) bool {
		return i.ID <= 0 || !strings.EqualFold(i.User.login(), n.Author) || !strings.HasPrefix(i.Body, n.Marker)
	})
	return sortedByID(list, func(i issueComment) int64 { return i.ID }), nil
}

func (c *Client) write(ctx context.Context, method, path, body string) error {
	_, err := c.do(ctx, method, path, &github.IssueComment{Body: &body}, nil)
	return err
}

func (c *Client) remove(ctx context.Context, comments []issueComment) error {
	for _, comment := range comments {
		_, err := c.do(ctx, http.MethodDelete, c.path("issues/comments/%d", comment.ID), nil, nil)
		if err != nil && status(err) != http.StatusNotFound {
			return err
		}
	}
	return nil
}

// CheckRun is a check run beside the job that the gate runs in.
type CheckRun struct {
	Name       string
	HeadSHA    string
	Conclusion string // success, failure, neutral or action_required
	Title      string
	Summary    string // Markdown, at most 65,535 characters
}

// Check adds a check run to a commit. The error has a method Fix. It is for a warning: the job's own result is what counts.
func (c *Client) Check(ctx context.Context, r CheckRun) error {
	completed := "completed"
	_, err := c.do(ctx, http.MethodPost, c.path("check-runs"), &github.CreateCheckRunOptions{
		Name: r.Name, HeadSHA: r.HeadSHA, Status: &completed, Conclusion: &r.Conclusion,
		Output: &github.CheckRunOutput{Title: &r.Title, Summary: &r.Summary},
	}, nil)
	if err != nil {
		return c.fail(err, "checks: write")
	}
	return nil
}

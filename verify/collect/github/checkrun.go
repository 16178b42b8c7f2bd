package github

import (
	"context"
	"net/http"

	"github.com/google/go-github/v62/github"
)

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
	req, err := c.hub.NewRequest(http.MethodPost, c.path("check-runs"), &github.CreateCheckRunOptions{
		Name: r.Name, HeadSHA: r.HeadSHA, Status: &completed, Conclusion: &r.Conclusion,
		Output: &github.CheckRunOutput{Title: &r.Title, Summary: &r.Summary},
	})
	if err == nil {
		_, err = c.hub.Do(ctx, req, nil)
	}
	if err != nil {
		return c.fail(err, "checks: write")
	}
	return nil
}

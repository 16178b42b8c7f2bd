package github

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"unicode"

	"github.com/google/go-github/v62/github"

	"github.com/closeout-gate/closeout/verify/facts"
)

// The permissions that calls need, as a workflow writes them.
const (
	needPulls    = "pull-requests: read"
	needIssues   = "issues: read"
	needContents = "contents: read"
	needMetadata = "metadata: read"
	needMembers  = "members: read"
)

const maxErrorText = 300 // bytes of an error that go into the facts

// failure is an error with what would help, as collect.Objects requires.
type failure struct {
	text, fix string
}

func (e *failure) Error() string { return e.text }

// Fix says what would help; "" when that is unknown.
func (e *failure) Fix() string { return e.fix }

// Failed reports whether an error says that GitHub did not answer, or refused to.
func Failed(err error) bool { return errors.As(err, new(*failure)) }

// fail explains why a call failed and what would help. permission is the one that the call needs.
func (c *Client) fail(err error, permission string) *failure {
	var known *failure
	if errors.As(err, &known) {
		return known
	}
	return &failure{text: c.clean(c.describe(err)), fix: fixFor(err, permission)}
}

// needs are the permissions for what takes another one than needPulls.
var needs = map[facts.Wanted]string{
	facts.WantedComments: needIssues, facts.WantedLabelEvents: needIssues, facts.WantedJobs: needActions,
	facts.WantedPeople: needMetadata, facts.WantedTeams: needMembers, facts.WantedSubject: needContents,
}

// unknown tells why a fact is unavailable.
func (c *Client) unknown(what facts.Wanted, about string, err error) facts.Unavailable {
	f := c.fail(err, cmp.Or(needs[what], needPulls))
	return facts.Unavailable{What: what, About: about, Error: f.text, Fix: f.fix}
}

// describe names the call by its path, without the host, so that equal failures have equal texts.
func (c *Client) describe(err error) string {
	var refused *github.ErrorResponse
	if errors.As(err, &refused) && refused.Response != nil && refused.Response.Request != nil {
		text := fmt.Sprintf("%s: HTTP %d", c.call(refused.Response.Request.Method, refused.Response.Request.URL), refused.Response.StatusCode)
		if refused.Message != "" {
			text += ": " + refused.Message
		}
		return text
	}
	var failed *url.Error
	if errors.As(err, &failed) {
		if u, bad := url.Parse(failed.URL); bad == nil {
			return c.call(strings.ToUpper(failed.Op), u) + ": " + failed.Err.Error()
		}
		return failed.Err.Error()
	}
	return err.Error()
}

func (c *Client) call(method string, u *url.URL) string {
	return method + " /" + strings.TrimPrefix(u.EscapedPath(), c.base)
}

// clean makes a text safe to print: without the token, on one line, not long.
func (c *Client) clean(text string) string {
	if c.token != "" {
		text = strings.ReplaceAll(text, c.token, "[token]")
	}
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
	return cut(strings.TrimSpace(text), maxErrorText)
}

// cut shortens a text to a number of bytes, without breaking a character.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "") + "…"
}

func fixFor(err error, permission string) string {
	var gone *unanswered
	if errors.As(err, &gone) {
		if gone.limited {
			return "wait until the limit ends, then run the job again"
		}
		if !gone.reached {
			return "check the network of the runner: the address of the API, name resolution, proxy (HTTPS_PROXY) and certificates; then run the job again"
		}
		return "run the job again; if that does not help, check GitHub's status and the network of the runner"
	}
	switch status(err) {
	case http.StatusUnauthorized:
		return "pass a valid token: the job's own is github.token"
	case http.StatusForbidden:
		return grant(permission)
	case http.StatusNotFound:
		return grant(permission) + "; GitHub also answers 404 when the resource no longer exists"
	case http.StatusGone:
		return "use a newer version of closeout: GitHub no longer answers this call"
	}
	return "run the job again"
}

func grant(permission string) string {
	switch permission {
	case needMembers:
		return "pass a token that can read the teams of the organisation, such as that of a GitHub App with members: read; the job's own token cannot. Or name users instead of teams"
	case needMetadata:
		return "pass a token that can read this repository"
	}
	return "give the job the permission " + permission
}

// status is the HTTP status of a refusal; 0 for other errors.
func status(err error) int {
	var refused *github.ErrorResponse
	if errors.As(err, &refused) && refused.Response != nil {
		return refused.Response.StatusCode
	}
	return 0
}

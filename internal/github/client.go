// Package github collects what GitHub knows about a pull request, and is the only code that talks to GitHub.
//
// A [Run] collects the inputs of one decision, in this order: the commits ([Client.Pull], or [Client.Group] and
// [Client.Member]), what differs between them, the contracts, the details that the contracts make matter
// ([Client.Details]), and last where the head is now ([Client.ReadHeadAgain]). Commits, trees and files come from git: a step of
// the workflow fetched them ([Fetch]).
//
// Nothing is judged here. What is unavailable is listed as [facts.Unavailable] with what would help; it never becomes an
// empty list. Every list is read to its end or is unavailable.
package github

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/google/go-github/v62/github"

	"github.com/closeout-gate/closeout/verify/input"
)

// Config says which repository is asked, where, and with whose rights.
type Config struct {
	API        *url.URL // from [APIURL]
	Token      string   // "" asks without one, which public repositories allow sixty times an hour
	Repository string   // owner/name
	// RepositoryID is the id of the repository that is meant; another one of the same name is refused. "" accepts any.
	RepositoryID string
	Version      string                               // of this program, for the User-Agent
	Waits        func(wait time.Duration, why string) // is told each long wait; may be nil

	// For tests; the zero values are the real thing.
	Clock   Clock
	Timeout time.Duration // of one attempt
}

// Client talks to one repository. It is not safe for concurrent use.
type Client struct {
	rest        *github.Client
	wire        *transport
	owner, name string
	id          string // of the repository; "" for any
	token       string
	base        string // path of the API's root, with a slash at its end
}

var repositorySyntax = input.Lazily(`^([A-Za-z0-9._-]+)/([A-Za-z0-9._-]+)$`)

// New makes a client. The error is one of usage.
//
// HTTPS_PROXY and NO_PROXY are obeyed, because runners behind a proxy have no other way out; a proxy that an earlier step
// planted sees where a request goes but cannot read it, as long as the certificates that the process trusts are not
// planted as well.
func New(c Config) (*Client, error) {
	names := repositorySyntax().FindStringSubmatch(c.Repository)
	if names == nil || names[2] == "." || names[2] == ".." {
		return nil, fmt.Errorf("%q is not a repository: expected owner/name, as in GITHUB_REPOSITORY", c.Repository)
	}
	if c.API == nil {
		return nil, errors.New("no API address was given")
	}
	if strings.ContainsFunc(c.Token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, errors.New("the token contains characters that a token cannot contain: pass the secret alone, without quotes or line breaks")
	}
	if c.Timeout == 0 {
		c.Timeout = attemptTimeout
	}
	api := *c.API
	api.Path = strings.TrimSuffix(api.Path, "/") + "/"
	next := http.DefaultTransport.(*http.Transport).Clone()
	next.MaxResponseHeaderBytes = 1 << 20
	wire := &transport{
		next: next, api: &api, token: c.Token, clock: c.Clock.orReal(), timeout: c.Timeout, connect: connectTimeout, left: reachPatience,
	}
	rest := github.NewClient(&http.Client{CheckRedirect: stay(&api), Transport: wire})
	rest.BaseURL, rest.UserAgent = &api, "closeout/"+c.Version
	client := &Client{rest: rest, wire: wire, owner: names[1], name: names[2], id: c.RepositoryID, token: c.Token, base: api.Path}
	if c.Waits != nil {
		wire.waits = func(wait time.Duration, why string) { c.Waits(wait, client.clean(why)) }
	}
	return client, nil
}

// Is reports whether a repository is the client's, which may have had another name. id is "" when it is unknown.
func (c *Client) Is(repository, id string) bool {
	return strings.EqualFold(repository, c.owner+"/"+c.name) || (id != "" && id == c.id)
}

// APIURL decides which API is asked. wanted is what the workflow's author wrote, runner what the runner says
// (GITHUB_API_URL); either may be "". Another host than the runner's is accepted only on the loopback interface, so that
// a token cannot be sent elsewhere, and plain http only there.
func APIURL(wanted, runner string) (*url.URL, error) {
	if runner == "" {
		runner = "https://api.github.com"
	}
	own, err := parseAPI(runner)
	if err != nil {
		return nil, fmt.Errorf("GITHUB_API_URL: %w", err)
	}
	if wanted == "" {
		return own, nil
	}
	u, err := parseAPI(wanted)
	if err != nil {
		return nil, fmt.Errorf("api_url: %w", err)
	}
	if !sameHost(u, own) && !loopback(u.Hostname()) {
		return nil, fmt.Errorf("api_url: the token would go to %q, but the runner belongs to %q: leave api_url out", u.Host, own.Host)
	}
	return u, nil
}

func parseAPI(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil {
		return nil, errors.New("this is not a URL: expected one such as https://api.github.com")
	}
	switch {
	case u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.Opaque != "":
		return nil, fmt.Errorf("%q: expected scheme, host and path alone, as in https://api.github.com", u.Redacted())
	case u.Scheme == "https", u.Scheme == "http" && loopback(u.Hostname()):
		return u, nil
	}
	return nil, fmt.Errorf("%q: expected https, which keeps the token secret on the way", u.Redacted())
}

// loopback accepts addresses and the one name that always means them.
func loopback(host string) bool {
	return host == "localhost" || net.ParseIP(host).IsLoopback()
}

// path gives a path below the repository; each argument is one escaped segment.
func (c *Client) path(format string, segments ...any) string {
	for i, s := range segments {
		if text, ok := s.(string); ok {
			segments[i] = url.PathEscape(text)
		}
	}
	return "repos/" + c.owner + "/" + c.name + "/" + fmt.Sprintf(format, segments...)
}

// get reads one answer into v.
func (c *Client) get(ctx context.Context, path string, v any) (*github.Response, error) {
	return c.do(ctx, http.MethodGet, path, nil, v)
}

// do sends a body, which may be nil, and reads the answer into v, if that is not nil.
func (c *Client) do(ctx context.Context, method, path string, body, v any) (*github.Response, error) {
	req, err := c.rest.NewRequest(method, path, body)
	if err != nil {
		return nil, err
	}
	return c.rest.Do(ctx, req, v)
}

const (
	perPage  = 100
	maxPages = 100
)

// all reads every page of a list, up to a number of items when limit is not 0. The list continues while the Link header
// says so, and after every full page, so that a lost header does not cut it. A list that ends on an earlier page than it
// announced became shorter while it was read, and an entry in the middle may be missing.
func all[T any](ctx context.Context, c *Client, path string, limit int) ([]T, error) {
	list, announced := []T{}, 0
	for page := 1; page <= maxPages; page++ {
		var items []T
		resp, err := c.get(ctx, fmt.Sprintf("%s?per_page=%d&page=%d", path, perPage, page), &items)
		if err != nil {
			return nil, err
		}
		list = append(list, items...)
		announced = max(announced, resp.LastPage)
		if limit > 0 && len(list) >= limit {
			return list, nil
		}
		if resp.NextPage == 0 && len(items) < perPage {
			if page < announced {
				return nil, fmt.Errorf("the list became shorter while it was read: it ended on page %d of %d", page, announced)
			}
			return list, nil
		}
	}
	return nil, fmt.Errorf("the list has more than %d entries", maxPages*perPage)
}

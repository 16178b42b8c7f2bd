package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/facts"
)

// threadsQuery reads a hundred threads. Only GitHub's GraphQL API knows who resolved one.
const threadsQuery = `query($owner:String!,$name:String!,$number:Int!,$after:String){repository(owner:$owner,name:$name){` +
	`pullRequest(number:$number){reviewThreads(first:100,after:$after){pageInfo{hasNextPage endCursor} nodes{isResolved path line ` +
	`resolvedBy{login databaseId} comments(first:1){nodes{author{__typename login ... on User{databaseId} ... on Bot{databaseId}}}}}}}}}`

// maxThreadPages bounds the queries of one pull request.
const maxThreadPages = 10

// actor is an account as the GraphQL API names it; a bot has no [bot] in its login there.
type actor struct {
	Type  string `json:"__typename"`
	Login string `json:"login"`
	ID    int64  `json:"databaseId"`
}

func (a *actor) who() facts.Account {
	if a == nil {
		return facts.Account{}
	}
	who := facts.Account{Login: a.Login}
	if a.ID > 0 {
		who.ID = digits(a.ID)
	}
	if a.Type == "Bot" && !strings.HasSuffix(who.Login, "[bot]") {
		who.Login += "[bot]"
	}
	return who
}

type threadsAnswer struct {
	Errors []struct{ Message string }
	Data   struct {
		Repository struct {
			PullRequest *struct {
				ReviewThreads struct {
					PageInfo struct {
						HasNextPage bool
						EndCursor   string
					}
					Nodes []thread
				}
			}
		}
	}
}

type thread struct {
	IsResolved bool
	Path       string
	Line       int64
	ResolvedBy *actor
	Comments   struct {
		Nodes []struct {
			Author *actor
			Body   string
		}
	}
}

// signs are what may stand before a marker in Markdown, and before the text of a marker.
const signs = " \t>#*_-"

// isMarked reports whether a line of the comment that opened the thread begins with a marker; true where there is no marker to look for.
func (t *thread) isMarked(markers []string) bool {
	for line := range strings.Lines(t.Comments.Nodes[0].Body) {
		line = strings.TrimLeft(line, signs)
		if slices.ContainsFunc(markers, func(m string) bool { return strings.HasPrefix(line, strings.TrimLeft(m, signs)) }) {
			return true
		}
	}
	return markers == nil
}

// threads keeps the resolved threads that some accounts opened, and that a marker marks.
func (c *Client) threads(ctx context.Context, p *Pull, logins, markers []string) {
	list, after, query := []facts.Thread{}, "", threadsQuery
	if markers != nil { // else the texts, which may be long, are not asked for
		query = strings.Replace(query, "nodes{author", "nodes{body author", 1)
	}
	for range maxThreadPages {
		var answer threadsAnswer
		err := c.query(ctx, query, map[string]any{"owner": c.owner, "name": c.name, "number": p.Live.Number, "after": cursor(after)}, &answer)
		pull := answer.Data.Repository.PullRequest
		switch {
		case err != nil:
		case len(answer.Errors) > 0:
			err = errors.New("the threads: " + answer.Errors[0].Message)
		case pull == nil:
			err = errors.New("the threads: GitHub answered without the pull request")
		}
		if err != nil {
			c.lacks(p, facts.WantedThreads, "", err)
			return
		}
		for _, t := range pull.ReviewThreads.Nodes {
			if len(t.Comments.Nodes) == 0 || !t.IsResolved || !t.isMarked(markers) {
				continue
			}
			opener := t.Comments.Nodes[0].Author.who()
			if !slices.ContainsFunc(logins, func(login string) bool { return facts.FoldLogin(login) == facts.FoldLogin(opener.Login) }) {
				continue
			}
			by := t.ResolvedBy.who()
			list = append(list, facts.Thread{
				OpenedBy: opener.Login, OpenedByID: opener.ID, ResolvedBy: by.Login, ResolvedByID: by.ID, Path: t.Path, Line: max(t.Line, 0),
			})
		}
		if after = pull.ReviewThreads.PageInfo.EndCursor; !pull.ReviewThreads.PageInfo.HasNextPage || after == "" {
			p.Live.Threads = list
			return
		}
	}
	err := fmt.Errorf("the pull request has more than %d threads", maxThreadPages*perPage)
	c.lacks(p, facts.WantedThreads, "", err)
}

// cursor is null for the first page.
func cursor(after string) any {
	if after == "" {
		return nil
	}
	return after
}

// query asks the GraphQL API, which has its own address beside the REST API: /graphql, or /api/graphql beside /api/v3.
func (c *Client) query(ctx context.Context, text string, variables map[string]any, v any) error {
	at := "graphql"
	if strings.HasSuffix(c.base, "/v3/") {
		at = "../graphql"
	}
	_, err := c.do(ctx, http.MethodPost, at, map[string]any{"query": text, "variables": variables}, v)
	return err
}

package fakehub

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
)

// graphql answers the one query about threads, a hundred at a time.
func (h *Hub) graphql(w http.ResponseWriter, r *http.Request) {
	var sent struct {
		Query     string
		Variables struct {
			Owner, Name string
			Number      int
			After       *string
		}
	}
	if json.NewDecoder(r.Body).Decode(&sent) != nil || !strings.Contains(sent.Query, "reviewThreads(first:100,after:$after)") {
		refuse(w, http.StatusBadRequest, "Problems parsing JSON")
		return
	}
	p := h.Pulls[sent.Variables.Number]
	if p == nil || sent.Variables.Owner != h.Owner || sent.Variables.Name != h.Name {
		reply(w, http.StatusOK, map[string]any{"errors": []any{map[string]any{"message": "Could not resolve to a PullRequest"}}})
		return
	}
	from := 0
	if sent.Variables.After != nil {
		from, _ = strconv.Atoi(*sent.Variables.After)
	}
	to := min(from+100, len(p.Threads))
	nodes := []any{}
	for _, t := range p.Threads[from:to] {
		if strings.HasSuffix(t.Resolver, "[bot]") {
			t.Resolver = ""
		}
		comment := map[string]any{"author": h.actor(t.Opener)}
		if strings.Contains(sent.Query, "nodes{body author{") {
			comment["body"] = t.Body
		}
		nodes = append(nodes, map[string]any{
			"isResolved": t.Resolved, "path": t.Path, "line": t.Line, "resolvedBy": h.actor(t.Resolver),
			"comments": map[string]any{"nodes": []any{comment}},
		})
	}
	threads := map[string]any{"pageInfo": map[string]any{"hasNextPage": to < len(p.Threads), "endCursor": strconv.Itoa(to)}, "nodes": nodes}
	reply(w, http.StatusOK, map[string]any{"data": map[string]any{"repository": map[string]any{"pullRequest": map[string]any{"reviewThreads": threads}}}})
}

// actor is an account as GraphQL shows it.
func (h *Hub) actor(login string) any {
	if login == "" {
		return nil
	}
	a := h.account(login)
	return map[string]any{"__typename": a["type"], "login": strings.TrimSuffix(login, "[bot]"), "databaseId": a["id"]}
}

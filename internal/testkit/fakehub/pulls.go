package fakehub

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

const someTime = "2026-11-21T10:00:00Z"

// withPull finds the pull request that a path names.
func (h *Hub) withPull(serve func(http.ResponseWriter, *http.Request, int, *Pull)) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(r.PathValue("number"))
		if h.Pulls[n] == nil {
			refuse(w, http.StatusNotFound, "Not Found")
			return
		}
		serve(w, r, n, h.Pulls[n])
	}
}

func (h *Hub) pull(w http.ResponseWriter, _ *http.Request, n int, p *Pull) {
	reply(w, http.StatusOK, h.describe(n, p))
}

// ends are the tips of base and head, as they are now.
func (h *Hub) ends(p *Pull) (from, to string) {
	return h.commitID("refs/heads/" + p.Base), h.commitID(p.Head)
}

func (h *Hub) describe(n int, p *Pull) map[string]any {
	v := shape("rest.pull-request.default")
	repo := v["base"].(map[string]any)["repo"].(map[string]any)
	repo["id"], repo["full_name"], repo["default_branch"] = h.ID, h.Owner+"/"+h.Name, h.DefaultBranch
	base, head := v["base"].(map[string]any), v["head"].(map[string]any)
	from, to := h.ends(p)
	base["ref"], base["sha"], head["sha"] = p.Base, from, to
	if p.OldBase != "" {
		base["sha"] = h.commitID(p.OldBase)
	}
	v["number"], v["state"], v["merged"], v["draft"] = n, cmp.Or(p.State, "open"), p.Merged, p.Draft
	v["user"], v["merge_commit_sha"] = h.account(p.Author), nil
	if p.TestMerge != "" {
		v["merge_commit_sha"] = h.commitID(p.TestMerge)
	}
	v["merged_at"] = nil
	if p.Merged {
		v["state"], v["merged_at"] = "closed", cmp.Or(p.MergedAt, someTime)
		if n := len(p.Landed); n > 0 {
			v["merge_commit_sha"] = h.commitID(p.Landed[n-1])
		}
	}
	v["changed_files"] = cmp.Or(p.Count, len(h.listFiles(p, from, to)))
	v["commits"], v["comments"] = cmp.Or(p.Commits, len(h.commitsOf(p))), cmp.Or(p.Talk, len(p.Comments))
	v["performed_via_github_app"] = appOf(p.App)
	head["repo"] = repo
	if p.Fork {
		head["repo"] = map[string]any{"id": 77, "full_name": "somebody/" + h.Name, "fork": true}
	}
	labels := []map[string]any{}
	for _, name := range p.Labels {
		labels = append(labels, map[string]any{"name": name, "color": "99dd88"})
	}
	v["labels"] = labels
	assignees := []map[string]any{}
	for _, login := range p.Assignees {
		assignees = append(assignees, h.account(login))
	}
	v["assignees"] = assignees
	return v
}

func (h *Hub) commits(w http.ResponseWriter, r *http.Request, _ int, p *Pull) {
	ids := h.commitsOf(p)
	page(w, r, h.list(ids[:min(len(ids), 250)]), asIs)
}

// commitsOf are the commits of a pull request.
func (h *Hub) commitsOf(p *Pull) []string {
	from, to := h.ends(p)
	return strings.Fields(h.fixed("rev-list", "--reverse", "--topo-order", from+".."+to))
}

func (h *Hub) files(w http.ResponseWriter, r *http.Request, _ int, p *Pull) {
	from, to := h.ends(p)
	files := h.listFiles(p, from, to)
	page(w, r, files[:min(len(files), 3000)], asIs)
}

var statuses = map[byte]string{'A': "added", 'D': "removed", 'M': "modified", 'T': "changed", 'R': "renamed", 'C': "copied"}

// listFiles compares the head with the merge base, renames detected.
func (h *Hub) listFiles(p *Pull, from, to string) []map[string]any {
	if p.Files != nil {
		return p.Files
	}
	base := strings.TrimSpace(h.fixed("merge-base", from, to))
	f := strings.Split(h.fixed("diff-tree", "-r", "-z", "-M", "--name-status", base, to), "\x00")
	list := []map[string]any{}
	for i := 0; i+1 < len(f); {
		file := shape("rest.pulls-files.default")
		file["status"], file["filename"] = statuses[f[i][0]], f[i+1]
		i += 2
		if file["status"] == "renamed" {
			file["previous_filename"], file["filename"] = file["filename"], f[i]
			i++
		}
		list = append(list, file)
	}
	return list
}

func (h *Hub) reviews(w http.ResponseWriter, r *http.Request, _ int, p *Pull) {
	page(w, r, p.Reviews, func(review Review) map[string]any {
		v := map[string]any{"id": review.ID, "user": h.account(review.Author), "state": review.State, "body": "", "author_association": cmp.Or(review.Association, "NONE")}
		if review.Commit != "" {
			v["commit_id"] = h.commitID(review.Commit)
		}
		if review.State != "PENDING" {
			v["submitted_at"] = cmp.Or(review.At, someTime)
		}
		return v
	})
}

func (h *Hub) pullsOf(w http.ResponseWriter, r *http.Request) {
	sha, list := r.PathValue("sha"), []map[string]any{}
	for _, n := range h.numbers() {
		p := h.Pulls[n]
		from, to := h.ends(p)
		ids := strings.Fields(h.fixed("rev-list", from+".."+to))
		landed := p.Merged && slices.ContainsFunc(p.Landed, func(name string) bool { return h.commitID(name) == sha })
		if landed || slices.Contains(ids, sha) {
			list = append(list, h.describe(n, p))
		}
	}
	page(w, r, list, asIs)
}

func (h *Hub) numbers() []int {
	var numbers []int
	for n := range h.Pulls {
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	return numbers
}

func (h *Hub) events(w http.ResponseWriter, r *http.Request, _ int, p *Pull) {
	page(w, r, p.Events, func(e Event) map[string]any {
		v := shape("derived.issue-events.labeled-only")
		v["id"], v["event"], v["actor"], v["created_at"] = e.ID, e.Name, h.account(e.Actor), cmp.Or(e.At, someTime)
		v["label"] = map[string]any{"name": e.Label, "color": "99dd88"}
		if e.Label == "" {
			delete(v, "label")
		}
		v["performed_via_github_app"] = appOf(e.App)
		if e.Intent != nil {
			v["intent"] = e.Intent
		}
		return v
	})
}

func appOf(slug string) any {
	if slug == "" {
		return nil
	}
	return map[string]any{"id": 1, "slug": slug, "name": slug}
}

func (h *Hub) comments(w http.ResponseWriter, r *http.Request, _ int, p *Pull) {
	page(w, r, p.Comments, h.showComment)
}

func (h *Hub) showComment(c *Comment) map[string]any {
	v := shape("rest.issue-comments.default")
	created := cmp.Or(c.Created, someTime)
	v["id"], v["user"], v["body"], v["created_at"], v["updated_at"] = c.ID, h.account(c.Author), c.Body, created, cmp.Or(c.Updated, created)
	v["performed_via_github_app"] = appOf(c.App)
	if c.Association != "" {
		v["author_association"] = c.Association
	}
	return v
}

// comment writes a comment as the account of the token.
func (h *Hub) comment(w http.ResponseWriter, r *http.Request, _ int, p *Pull) {
	body, ok := bodyOf(w, r)
	if !ok {
		return
	}
	h.lastID++
	c := &Comment{ID: 1000000 + h.lastID, Author: cmp.Or(h.TokenLogin, "github-actions[bot]"), Body: body}
	p.Comments = append(p.Comments, c)
	reply(w, http.StatusCreated, h.showComment(c))
}

func bodyOf(w http.ResponseWriter, r *http.Request) (string, bool) {
	var sent struct{ Body string }
	if json.NewDecoder(r.Body).Decode(&sent) != nil || sent.Body == "" || len(sent.Body) > 65536 {
		refuse(w, http.StatusUnprocessableEntity, "Validation Failed")
		return "", false
	}
	return sent.Body, true
}

func (h *Hub) editComment(w http.ResponseWriter, r *http.Request) {
	body, ok := bodyOf(w, r)
	if !ok {
		return
	}
	p, i := h.findComment(r)
	if p == nil {
		refuse(w, http.StatusNotFound, "Not Found")
		return
	}
	p.Comments[i].Body = body
	reply(w, http.StatusOK, h.showComment(p.Comments[i]))
}

func (h *Hub) deleteComment(w http.ResponseWriter, r *http.Request) {
	p, i := h.findComment(r)
	if p == nil {
		refuse(w, http.StatusNotFound, "Not Found")
		return
	}
	p.Comments = slices.Delete(p.Comments, i, i+1)
	w.WriteHeader(http.StatusNoContent)
}

func (h *Hub) findComment(r *http.Request) (*Pull, int) {
	for _, n := range h.numbers() {
		p := h.Pulls[n]
		i := slices.IndexFunc(p.Comments, func(c *Comment) bool { return strconv.FormatInt(c.ID, 10) == r.PathValue("id") })
		if i >= 0 {
			return p, i
		}
	}
	return nil, 0
}

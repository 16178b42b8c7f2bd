package fakehub

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// Run is a workflow run.
type Run struct {
	ID               int64
	Attempt          int64  // 0 is 1
	Event            string // "" is pull_request
	Path             string // "" is .github/workflows/closeout.yml
	Head             string // any name of a commit that git knows
	Status           string // "" is completed
	Conclusion       string // "" is success
	Started, Updated string // "" is a time of no importance
	Created          string // "" is Started
	Repository       string // "" is the hub's
	Earlier          []*Run // earlier attempts
	Artifacts        []*Artifact
	Jobs             []Job
}

// Job is a job of a run's newest attempt.
type Job struct {
	Name, Conclusion string // Conclusion "" is one that has not ended
	Runner           string
	Attempt          int64 // in which it ran; 0 is the run's newest
	Run              int64 // what the list says of its run; 0 is the run's
	Steps            []Step
}

// Step is a step of a job.
type Step struct{ Name, Conclusion string }

// Artifact is what a run uploaded.
type Artifact struct {
	ID      int64
	Name    string // "" is closeout-bundle
	Data    []byte // a zip
	Size    int64  // what the list claims; 0 is the length of Data
	Expired bool   // its address is gone
	Digest  string // "" is that of Data; - leaves it out
	Created string // "" is a time of no importance
	Head    string // what the list says of its run; "" is the run's
	Run     int64  // what the list says of its run; 0 is the run's
	To      string // where the download leads; "" is this server under another name
}

func (h *Hub) showRun(r *Run) map[string]any {
	started := cmp.Or(r.Started, someTime)
	return map[string]any{
		"id": r.ID, "run_attempt": max(r.Attempt, 1), "event": cmp.Or(r.Event, "pull_request"), "path": cmp.Or(r.Path, ".github/workflows/closeout.yml"),
		"name": "closeout", "head_sha": h.commitID(r.Head), "head_branch": "topic", "status": cmp.Or(r.Status, "completed"), "conclusion": cmp.Or(r.Conclusion, "success"),
		"created_at": cmp.Or(r.Created, started), "run_started_at": started, "updated_at": cmp.Or(r.Updated, started), "pull_requests": []any{},
		"repository": map[string]any{"id": h.ID, "full_name": cmp.Or(r.Repository, h.Owner+"/"+h.Name)},
	}
}

// runs lists the runs that the query names, the newest first.
func (h *Hub) runs(w http.ResponseWriter, r *http.Request) {
	q, list := r.URL.Query(), []*Run{}
	for _, run := range h.Runs {
		created := cmp.Or(run.Created, run.Started, someTime)
		head, event := q.Get("head_sha"), q.Get("event")
		if (head == "" || h.commitID(run.Head) == head) && (event == "" || cmp.Or(run.Event, "pull_request") == event) && created <= cmp.Or(strings.TrimPrefix(q.Get("created"), "<="), "9") {
			list = append(list, run)
		}
	}
	slices.SortFunc(list, func(a, b *Run) int { return cmp.Compare(b.ID, a.ID) })
	wrap(w, r, "workflow_runs", list, h.showRun)
}

// wrap answers with a page of a list that is the value of a key.
func wrap[T any](w http.ResponseWriter, r *http.Request, key string, list []T, show func(T) map[string]any) {
	size, at := min(number(r, "per_page", 30), 100), number(r, "page", 1)
	shown := []map[string]any{}
	for _, item := range list[min((at-1)*size, len(list)):min(at*size, len(list))] {
		shown = append(shown, show(item))
	}
	reply(w, http.StatusOK, map[string]any{"total_count": len(list), key: shown})
}

func (h *Hub) run(r *http.Request) *Run {
	for _, run := range h.Runs {
		if strconv.FormatInt(run.ID, 10) == r.PathValue("id") {
			return run
		}
	}
	return nil
}

func (h *Hub) attempt(w http.ResponseWriter, r *http.Request) {
	if run := h.run(r); run != nil {
		for _, attempt := range append([]*Run{run}, run.Earlier...) {
			if strconv.FormatInt(max(attempt.Attempt, 1), 10) == r.PathValue("attempt") {
				reply(w, http.StatusOK, h.showRun(attempt))
				return
			}
		}
	}
	refuse(w, http.StatusNotFound, "Not Found")
}

// jobs lists the jobs of the newest attempt.
func (h *Hub) jobs(w http.ResponseWriter, r *http.Request) {
	run := h.run(r)
	if run == nil || strconv.FormatInt(max(run.Attempt, 1), 10) != r.PathValue("attempt") {
		refuse(w, http.StatusNotFound, "Not Found")
		return
	}
	nullable := func(text string) any {
		if text == "" {
			return nil
		}
		return text
	}
	status := func(conclusion string) string {
		if conclusion == "" {
			return "in_progress"
		}
		return "completed"
	}
	wrap(w, r, "jobs", run.Jobs, func(j Job) map[string]any {
		steps := []map[string]any{}
		for i, s := range j.Steps {
			steps = append(steps, map[string]any{"name": s.Name, "number": i + 1, "status": status(s.Conclusion), "conclusion": nullable(s.Conclusion)})
		}
		return map[string]any{
			"id": 1, "run_id": cmp.Or(j.Run, run.ID), "run_attempt": cmp.Or(j.Attempt, max(run.Attempt, 1)), "name": j.Name, "status": status(j.Conclusion),
			"conclusion": nullable(j.Conclusion), "runner_name": nullable(j.Runner), "steps": steps,
		}
	})
}

func (h *Hub) artifacts(w http.ResponseWriter, r *http.Request) {
	run := h.run(r)
	if run == nil {
		refuse(w, http.StatusNotFound, "Not Found")
		return
	}
	list := slices.DeleteFunc(slices.Clone(run.Artifacts), func(a *Artifact) bool {
		name := r.URL.Query().Get("name")
		return name != "" && cmp.Or(a.Name, "closeout-bundle") != name
	})
	wrap(w, r, "artifacts", list, func(a *Artifact) map[string]any {
		sum := sha256.Sum256(a.Data)
		shown := map[string]any{
			"id": a.ID, "name": cmp.Or(a.Name, "closeout-bundle"), "size_in_bytes": cmp.Or(a.Size, int64(len(a.Data))), "expired": a.Expired,
			"created_at": cmp.Or(a.Created, someTime), "digest": cmp.Or(a.Digest, "sha256:"+hex.EncodeToString(sum[:])),
			"workflow_run": map[string]any{"id": cmp.Or(a.Run, run.ID), "repository_id": h.ID, "head_sha": h.commitID(cmp.Or(a.Head, run.Head))},
		}
		if a.Digest == "-" {
			delete(shown, "digest")
		}
		return shown
	})
}

func (h *Hub) artifact(r *http.Request) *Artifact {
	for _, run := range h.Runs {
		for _, a := range run.Artifacts {
			if strconv.FormatInt(a.ID, 10) == r.PathValue("id") {
				return a
			}
		}
	}
	return nil
}

// zip leads to where an artifact is stored: on another host.
func (h *Hub) zip(w http.ResponseWriter, r *http.Request) {
	a := h.artifact(r)
	switch {
	case a == nil:
		refuse(w, http.StatusNotFound, "Not Found")
	case a.Expired:
		refuse(w, http.StatusGone, "Artifact has expired")
	default:
		_, port, err := net.SplitHostPort(r.Host)
		if err != nil {
			panic(err) // tests serve on a port
		}
		http.Redirect(w, r, cmp.Or(a.To, fmt.Sprintf("http://localhost:%s/storage/%d?sig=secret", port, a.ID)), http.StatusFound)
	}
}

// storage is the other host. It refuses a request that has a token.
func (h *Hub) storage(w http.ResponseWriter, r *http.Request) {
	a := h.artifact(r)
	switch {
	case r.Header.Get("Authorization") != "" || !strings.HasPrefix(r.Host, "localhost:"):
		h.calls = append(h.calls, "the storage was shown a token")
		refuse(w, http.StatusBadRequest, "a token")
	case a == nil || r.URL.Query().Get("sig") != "secret":
		refuse(w, http.StatusForbidden, "no signature")
	default:
		w.Header().Set("Content-Type", "application/zip")
		_, _ = w.Write(a.Data)
	}
}

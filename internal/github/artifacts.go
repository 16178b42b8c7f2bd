package github

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/closeout-gate/closeout/verify/input"
)

const needActions = "actions: read"

// MergedPull is a pull request as commits/{sha}/pulls lists it.
type MergedPull struct {
	Number      int64      `json:"number"`
	MergedAt    *time.Time `json:"merged_at"`
	MergeCommit string     `json:"merge_commit_sha"`
	Head        struct {
		SHA string `json:"sha"`
	} `json:"head"`
	Base struct {
		Ref  string `json:"ref"`
		Repo struct {
			ID       int64  `json:"id"`
			FullName string `json:"full_name"`
		} `json:"repo"`
	} `json:"base"`
}

// namedPull is how GitHub names the pull request in the first line of a merge or a squash.
var namedPull = input.Lazily(`^Merge pull request #([1-9][0-9]{0,9}) from |\(#([1-9][0-9]{0,9})\)$`)

// MergedPulls lists the pull requests that were merged into a branch of this repository and contain a commit, by number. GitHub lists
// open ones, and those of forks and other branches, beside them. It may know only some time after a merge what contains a commit: then
// the one that the commit names is read itself, and must have been merged as this commit.
func (c *Client) MergedPulls(ctx context.Context, commit, subject, branch string) ([]MergedPull, error) {
	list, err := all[MergedPull](ctx, c, c.path("commits/%s/pulls", commit), 0)
	if m := namedPull().FindStringSubmatch(subject); m != nil && err == nil && len(list) == 0 {
		var named MergedPull
		if _, err = c.get(ctx, c.path("pulls/%s", m[1]+m[2]), &named); status(err) == http.StatusNotFound {
			err = nil // the token may list pull requests, so there is none of this number
		}
		if named.MergeCommit == commit {
			list = append(list, named)
		}
	}
	if err != nil {
		return nil, c.fail(err, needPulls)
	}
	list = slices.DeleteFunc(list, func(p MergedPull) bool {
		return p.MergedAt == nil || p.Base.Ref != branch || !strings.EqualFold(p.Base.Repo.FullName, c.owner+"/"+c.name)
	})
	for _, p := range list {
		if err := errors.Join(checkID("the merge commit of a pull request", p.MergeCommit), checkID("the head of a pull request", p.Head.SHA)); err != nil {
			return nil, c.fail(err, needPulls)
		}
	}
	input.SortStable(list, func(a, b MergedPull) int { return cmp.Compare(a.Number, b.Number) })
	return list, nil
}

// WorkflowRun is an attempt of a run.
type WorkflowRun struct {
	ID         int64     `json:"id"`
	Attempt    int64     `json:"run_attempt"`
	Event      string    `json:"event"`
	Path       string    `json:"path"`
	HeadSHA    string    `json:"head_sha"`
	Status     string    `json:"status"`
	Conclusion string    `json:"conclusion"`
	Started    time.Time `json:"run_started_at"`
	Updated    time.Time `json:"updated_at"`
	Repository struct {
		FullName string `json:"full_name"`
	} `json:"repository"`
	Elsewhere bool `json:"-"` // the workflow is in another repository
}

// Undecided reports whether a run without an artifact may have ended, or not, without a decision: then an older one was the last.
func (r *WorkflowRun) Undecided(before time.Time) bool {
	return r.Status != "completed" || r.Updated.After(before) || slices.Contains([]string{"cancelled", "skipped", "action_required", "stale"}, r.Conclusion)
}

// WorkflowDir is where a repository has its workflows.
const WorkflowDir = ".github/workflows/"

const maxRuns = 1000 // that GitHub lists

// GateRuns lists the runs of the gate's workflow that one event started for a head, as they were at a time: the newest attempt that
// had started then. The newest run is the first. A workflow of another repository is one that rules require, so that no change can
// replace it: where there are such runs, the others do not count.
func (c *Client) GateRuns(ctx context.Context, workflow, event, head string, before time.Time) ([]WorkflowRun, error) {
	query := url.Values{"head_sha": {head}, "event": {event}, "created": {"<=" + stamp(before)}}
	list, err := wrapped[WorkflowRun](ctx, c, c.path("actions/runs")+"?"+query.Encode(), "workflow_runs")
	if err != nil {
		return nil, c.fail(err, needActions)
	}
	var runs []WorkflowRun
	for _, run := range list {
		own, elsewhere := c.isGate(workflow, run.Path)
		if (!own && !elsewhere) || run.Event != event || run.HeadSHA != head || run.ID <= 0 || run.Attempt < 1 || len(run.Path) > 512 ||
			!strings.EqualFold(run.Repository.FullName, c.owner+"/"+c.name) {
			continue
		}
		if run, err = c.attemptBefore(ctx, run, before); err != nil {
			return nil, c.fail(err, needActions)
		}
		if run.Elsewhere = elsewhere; !run.Started.After(before) {
			runs = append(runs, run)
		}
	}
	if slices.ContainsFunc(runs, func(r WorkflowRun) bool { return r.Elsewhere }) {
		runs = slices.DeleteFunc(runs, func(r WorkflowRun) bool { return !r.Elsewhere })
	}
	input.SortStable(runs, func(a, b WorkflowRun) int { return cmp.Or(b.Started.Compare(a.Started), cmp.Compare(b.ID, a.ID)) })
	return runs, nil
}

// HasQueue asks whether any run was ever started by a merge queue.
func (c *Client) HasQueue(ctx context.Context) (bool, error) {
	var answer struct {
		Total *int `json:"total_count"`
	}
	_, err := c.get(ctx, c.path("actions/runs")+"?event=merge_group&per_page=1", &answer)
	if err == nil && answer.Total == nil {
		err = errors.New("GitHub does not say how many runs there are")
	}
	if err != nil {
		return false, c.fail(err, needActions)
	}
	return *answer.Total > 0, nil
}

// isGate reports whether a run's path names the gate's workflow: in this repository, or in another one. A ref may follow the path.
// It is not part of a file name, since workflows end with .yml or .yaml: a change could add closeout.yml@x.yml.
func (c *Client) isGate(workflow, path string) (own, elsewhere bool) {
	file, ref, _ := strings.Cut(path, "@")
	if lower := strings.ToLower(ref); strings.HasSuffix(lower, ".yml") || strings.HasSuffix(lower, ".yaml") {
		return false, false
	}
	want := WorkflowDir + workflow
	if file == want {
		return true, false
	}
	repository, found := strings.CutSuffix(file, "/"+want)
	if !found || !repositorySyntax().MatchString(repository) {
		return false, false
	}
	own = strings.EqualFold(repository, c.owner+"/"+c.name)
	return own, !own
}

// attemptBefore is the newest attempt of a run that had started at a time; the first one when none had.
func (c *Client) attemptBefore(ctx context.Context, run WorkflowRun, before time.Time) (WorkflowRun, error) {
	for run.Started.After(before) && run.Attempt > 1 {
		var older WorkflowRun
		if _, err := c.get(ctx, c.path("actions/runs/%s/attempts/%s", digits(run.ID), digits(run.Attempt-1)), &older); err != nil {
			return run, err
		}
		if older.ID != run.ID || older.Attempt != run.Attempt-1 || older.HeadSHA != run.HeadSHA || older.Path != run.Path || older.Event != run.Event {
			return run, fmt.Errorf("GitHub answered with another run than attempt %d of %d", run.Attempt-1, run.ID)
		}
		run = older
	}
	return run, nil
}

// Artifact is a file that a run uploaded.
type Artifact struct {
	ID      int64     `json:"id"`
	Name    string    `json:"name"`
	Bytes   int64     `json:"size_in_bytes"`
	Expired bool      `json:"expired"`
	Digest  string    `json:"digest"` // sha256:…; "" where the server tells none
	Created time.Time `json:"created_at"`
	Run     struct {
		ID      int64  `json:"id"`
		HeadSHA string `json:"head_sha"`
	} `json:"workflow_run"`
}

// ArtifactOf finds the newest artifact of a name that an attempt had uploaded at a time; nil when there is none. A later attempt removes
// what an earlier one uploaded, and one that did not upload leaves it there: it is not that attempt's.
func (c *Client) ArtifactOf(ctx context.Context, run WorkflowRun, name string, before time.Time) (*Artifact, error) {
	list, err := wrapped[Artifact](ctx, c, c.path("actions/runs/%s/artifacts", digits(run.ID))+"?"+url.Values{"name": {name}}.Encode(), "artifacts")
	if err != nil {
		return nil, c.fail(err, needActions)
	}
	list = slices.DeleteFunc(list, func(a Artifact) bool {
		return a.Name != name || a.ID <= 0 || a.Run.ID != run.ID || a.Run.HeadSHA != run.HeadSHA || a.Created.After(before) || a.Created.Before(run.Started)
	})
	if len(list) == 0 {
		return nil, nil
	}
	newest := slices.MaxFunc(list, func(a, b Artifact) int { return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID)) })
	return &newest, nil
}

// wrapped reads every page of a list that is the value of a key, the first thousand items.
func wrapped[T any](ctx context.Context, c *Client, path, key string) ([]T, error) {
	var list []T
	for page := 1; ; page++ {
		var answer map[string]json.RawMessage
		var total int
		var items []T
		if _, err := c.get(ctx, fmt.Sprintf("%s&per_page=%d&page=%d", path, perPage, page), &answer); err != nil {
			return nil, err
		}
		if err := errors.Join(unmarshal(answer, "total_count", &total), unmarshal(answer, key, &items)); err != nil {
			return nil, err
		}
		list = append(list, items...)
		switch {
		case len(list) >= min(total, maxRuns):
			return list, nil
		case len(items) < perPage:
			return nil, fmt.Errorf("GitHub counts %d %s, but lists %d", total, key, len(list))
		}
	}
}

func unmarshal(answer map[string]json.RawMessage, key string, v any) error {
	if answer[key] == nil {
		return fmt.Errorf("GitHub's answer lacks %s", key)
	}
	return json.Unmarshal(answer[key], v)
}

// ErrGone says that an artifact was removed because of its age.
var ErrGone = errors.New("the artifact has expired")

// MaxArtifact is how large an artifact may be to be read, in bytes.
const MaxArtifact = 64 << 20

// ErrLarge says that an artifact is larger than is read.
var ErrLarge = fmt.Errorf("the artifact has more than %d bytes", MaxArtifact)

// Download reads an artifact. GitHub answers with an address on another host, which is good for a minute: it gets no token, and it
// cannot lead further.
func (c *Client) Download(ctx context.Context, id int64) ([]byte, error) {
	for try := 1; ; try++ {
		address, err := c.addressOf(ctx, id)
		if err != nil {
			return nil, err
		}
		data, err := c.fetch(ctx, address)
		if err == nil || errors.Is(err, ErrLarge) || try == 3 {
			return data, err
		}
		wait := time.Second << try
		if c.wire.spend(wait); c.wire.remaining() <= 0 {
			return nil, err
		}
		if err := c.wire.clock.Sleep(ctx, wait); err != nil {
			return nil, err
		}
	}
}

// addressOf asks where an artifact is.
func (c *Client) addressOf(ctx context.Context, id int64) (*url.URL, error) {
	req, err := c.rest.NewRequest(http.MethodGet, c.path("actions/artifacts/%s/zip", digits(id)), nil)
	if err != nil {
		return nil, err
	}
	resp, err := (&http.Client{Transport: c.wire, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}).Do(req.WithContext(ctx))
	if err != nil {
		return nil, c.fail(err, needActions)
	}
	defer resp.Body.Close()
	to, missing := resp.Location()
	switch {
	case resp.StatusCode == http.StatusGone:
		return nil, ErrGone
	case resp.StatusCode != http.StatusFound && resp.StatusCode != http.StatusTemporaryRedirect:
		return nil, &failure{text: fmt.Sprintf("%s: HTTP %d: expected a redirect", c.call(http.MethodGet, req.URL), resp.StatusCode), fix: grant(needActions)}
	case missing != nil || !c.mayLead(to):
		return nil, &failure{text: "GitHub redirects the download of an artifact to an address that is not https", fix: "check the address of the API"}
	}
	return to, nil
}

// mayLead accepts https, and http on the loopback interface where the API itself is there.
func (c *Client) mayLead(to *url.URL) bool {
	local := to.Scheme == "http" && loopback(to.Hostname()) && loopback(c.wire.api.Hostname())
	return to.User == nil && to.Host != "" && (to.Scheme == "https" || local)
}

// fetch reads an address without the token, and follows no redirect. Its errors do not contain the address: a person who knows it can read
// the artifact.
func (c *Client) fetch(ctx context.Context, address *url.URL) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, downloadTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
	if err != nil {
		return nil, errors.New("the address of the artifact is malformed")
	}
	req.Header.Set("User-Agent", c.rest.UserAgent)
	resp, err := c.wire.next.RoundTrip(req)
	if err != nil {
		return nil, c.noArtifact("no answer: " + c.clean(err.Error()))
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, c.noArtifact(fmt.Sprintf("HTTP %d", resp.StatusCode))
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, MaxArtifact+1))
	switch {
	case err != nil:
		return nil, c.noArtifact("the answer is incomplete: " + c.clean(err.Error()))
	case len(data) > MaxArtifact:
		return nil, ErrLarge
	case resp.ContentLength >= 0 && int64(len(data)) != resp.ContentLength:
		return nil, c.noArtifact("the answer is incomplete")
	}
	return data, nil
}

// downloadTimeout bounds one attempt to read an artifact.
const downloadTimeout = 2 * time.Minute

func (c *Client) noArtifact(why string) error {
	return &failure{text: "the artifact cannot be downloaded: " + why, fix: "run the job again; if that does not help, check GitHub's status and the network of the runner"}
}

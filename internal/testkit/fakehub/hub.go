// Package fakehub is a stand-in for GitHub's REST API, for tests: an [http.Handler] with a repository behind it. Its git
// objects are those of a real repository, read by git itself, so that it shares no code with what it tests; pull requests,
// labels, comments and people are its state, which a test fills and may change between two requests. Answers have the
// shape of GitHub's published examples. It pages, refuses what a token may not see, and misbehaves when told to.
package fakehub

import (
	"embed"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// Hub is one repository and the accounts around it.
type Hub struct {
	Dir           string // folder of a git repository
	Owner, Name   string
	ID            int64
	DefaultBranch string
	Pulls         map[int]*Pull
	Users         map[string]*User // by login
	Teams         map[string]*Team // by slug, of the owner
	Token         string           // any other is refused with 401; "" wants none
	TokenLogin    string           // whose token it is; "" is the job's own, which may not ask
	Lacks         []string         // permissions that the token does not have, such as "issues: read"
	Verified      []string         // names of commits whose signature GitHub verified
	Runs          []*Run

	mu     sync.Mutex
	faults []*fault
	calls  []string
	names  *names
	lastID int64
}

// Pull is a pull request.
type Pull struct {
	Author    string // "" is an account that was deleted
	Base      string // branch
	Head      string // any name of a commit that git knows; it is looked up at each request
	TestMerge string // likewise; "" is none
	OldBase   string // what base.sha says; "" is the tip of Base
	State     string // "" is open
	Merged    bool
	Draft     bool
	Labels    []string
	Events    []Event
	Comments  []*Comment
	Reviews   []Review
	Files     []map[string]any // what pulls/N/files lists; nil asks git
	Count     int              // changed_files; 0 counts Files
	Commits   int              // commits; 0 counts them
	Talk      int              // comments; 0 counts Comments
	Assignees []string         // logins
	Threads   []Thread
	App       string   // slug of the app that opened it for its author; "" is none
	Fork      bool     // its head is in a fork
	MergedAt  string   // "" is a time of no importance
	Landed    []string // names of the commits of the branch that it brought, the last of which is its merge commit
}

// Event is a label event.
type Event struct {
	ID     int64
	Name   string // labeled or unlabeled; anything else is an event without label
	Label  string
	Actor  string // "" is an account that was deleted
	App    string // slug; "" is none
	Intent any    // nil leaves the key out
	At     string
}

// Comment is a comment.
type Comment struct {
	ID               int64
	Author, App      string
	Body             string
	Association      string // "" is that of the example
	Created, Updated string // "" is a time of no importance; an absent Updated equals Created
}

// Thread is a thread of a review. A bot opened it if its login ends with [bot]; GitHub does not name an app that resolved one.
type Thread struct {
	Opener, Resolver string // "" for none
	Resolved         bool
	Body             string // of the comment that opened it
	Path             string
	Line             int
}

// Review is a review.
type Review struct {
	ID                    int64
	Author, State, Commit string // Commit is any name that git knows
	Association           string // "" is NONE
	At                    string
}

// User is an account.
type User struct {
	ID          int64
	Type        string          // "" is User
	Role        string          // role_name; "" is none
	Permission  string          // the older field; "" is what fits Role
	Permissions map[string]bool // of the user; nil leaves them out
	Emails      []string
	Email       string // the public one
	App         string // slug, of a bot whose login does not tell it
	Missing     bool   // users/LOGIN says 404; user/ID finds another of the same ID
}

// Team is a team: the state of each member, active or pending.
type Team struct {
	Hidden  bool // the token may not see it
	Members map[string]string
}

// Fault answers instead of the hub; answer is what the hub would have done.
type Fault func(w http.ResponseWriter, r *http.Request, answer http.Handler)

type fault struct {
	part  string
	times int
	do    Fault
}

// Fail lets a fault happen to the next requests whose method, path and query hold part, a number of times; -1 is always.
func (h *Hub) Fail(part string, times int, do Fault) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.faults = append(h.faults, &fault{part, times, do})
}

// Calls lists the requests so far: method, path and query.
func (h *Hub) Calls() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.calls)
}

func (h *Hub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	call := r.Method + " " + r.URL.RequestURI()
	h.mu.Lock()
	h.calls = append(h.calls, call)
	do := h.faultFor(call)
	h.mu.Unlock()
	if do != nil {
		do(w, r, http.HandlerFunc(h.answer))
		return
	}
	h.answer(w, r)
}

func (h *Hub) faultFor(call string) Fault {
	for _, f := range h.faults {
		if f.times != 0 && strings.Contains(call, f.part) {
			f.times--
			return f.do
		}
	}
	return nil
}

func (h *Hub) answer(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if strings.HasPrefix(r.URL.Path, "/storage/") {
		h.routes().ServeHTTP(w, r)
		return
	}
	if h.Token != "" && r.Header.Get("Authorization") != "Bearer "+h.Token {
		refuse(w, http.StatusUnauthorized, "Bad credentials")
		return
	}
	h.routes().ServeHTTP(w, r)
}

// routes says which path needs which permission.
func (h *Hub) routes() *http.ServeMux {
	repo, mux := "/repos/"+h.Owner+"/"+h.Name, http.NewServeMux()
	for _, route := range []struct {
		pattern, permission string
		serve               func(http.ResponseWriter, *http.Request)
	}{
		{"GET " + repo + "/pulls/{number}", "pull-requests: read", h.withPull(h.pull)},
		{"GET " + repo + "/pulls/{number}/commits", "pull-requests: read", h.withPull(h.commits)},
		{"GET " + repo + "/pulls/{number}/files", "pull-requests: read", h.withPull(h.files)},
		{"GET " + repo + "/pulls/{number}/reviews", "pull-requests: read", h.withPull(h.reviews)},
		{"GET " + repo + "/commits/{sha}/pulls", "pull-requests: read", h.pullsOf},
		{"GET " + repo + "/issues/{number}/events", "issues: read", h.withPull(h.events)},
		{"GET " + repo + "/issues/{number}/comments", "issues: read", h.withPull(h.comments)},
		{"POST " + repo + "/issues/{number}/comments", "pull-requests: write", h.withPull(h.comment)},
		{"PATCH " + repo + "/issues/comments/{id}", "pull-requests: write", h.editComment},
		{"DELETE " + repo + "/issues/comments/{id}", "pull-requests: write", h.deleteComment},
		{"POST " + repo + "/check-runs", "checks: write", h.checkRun},
		{"GET " + repo + "/git/ref/{ref...}", "contents: read", h.ref},
		{"GET " + repo + "/branches/{branch...}", "contents: read", h.branch},
		{"GET " + repo + "/compare/{range}", "contents: read", h.compare},
		{"GET " + repo + "/collaborators/{login}/permission", "metadata: read", h.permission},
		{"GET " + repo + "/actions/runs", "actions: read", h.runs},
		{"GET " + repo + "/actions/runs/{id}/attempts/{attempt}", "actions: read", h.attempt},
		{"GET " + repo + "/actions/runs/{id}/attempts/{attempt}/jobs", "actions: read", h.jobs},
		{"GET " + repo + "/actions/runs/{id}/artifacts", "actions: read", h.artifacts},
		{"GET " + repo + "/actions/artifacts/{id}/zip", "actions: read", h.zip},
		{"POST /graphql", "pull-requests: read", h.graphql},
		{"GET /storage/{id}", "", h.storage},
		{"GET /users/{login}", "", h.user},
		{"GET /user/{id}", "", h.userByID},
		{"GET /user", "", h.me},
		{"GET /orgs/" + h.Owner + "/teams/{slug}", "members: read", h.team},
		{"GET /orgs/" + h.Owner + "/teams/{slug}/memberships/{login}", "members: read", h.membership},
	} {
		mux.HandleFunc(route.pattern, func(w http.ResponseWriter, r *http.Request) {
			if slices.Contains(h.Lacks, route.permission) {
				refuse(w, http.StatusForbidden, "Resource not accessible by integration")
				return
			}
			route.serve(w, r)
		})
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { refuse(w, http.StatusNotFound, "Not Found") })
	return mux
}

// checkRun takes a check run of a commit that is there, as GitHub does.
func (h *Hub) checkRun(w http.ResponseWriter, r *http.Request) {
	var sent struct {
		Name       string
		HeadSHA    string `json:"head_sha"`
		Status     string
		Conclusion string
		Output     struct{ Title, Summary string }
	}
	known := []string{"success", "failure", "neutral", "action_required"}
	if json.NewDecoder(r.Body).Decode(&sent) != nil || sent.Name == "" || sent.Status != "completed" || !slices.Contains(known, sent.Conclusion) ||
		sent.Output.Title == "" || len(sent.Output.Summary) > 65535 || h.commitID(sent.HeadSHA) != sent.HeadSHA {
		refuse(w, http.StatusUnprocessableEntity, "Validation Failed")
		return
	}
	h.calls = append(h.calls, "check "+sent.Name+" "+sent.Conclusion+": "+sent.Output.Title)
	reply(w, http.StatusCreated, map[string]any{"id": 1, "name": sent.Name})
}

// refuse answers as GitHub does when something is wrong.
func refuse(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"message":%q,"documentation_url":"https://docs.github.com/rest","status":"%d"}`, message, status)
}

func reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("X-RateLimit-Remaining", "4999")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

//go:embed testdata/*.json
var examples embed.FS

// shapes are the examples that were read.
var shapes sync.Map

// shape is a fresh copy of an example; of a list of examples, its only item.
func shape(name string) map[string]any {
	known, ok := shapes.Load(name)
	if !ok {
		known = readShape(name)
		shapes.Store(name, known)
	}
	return fresh(known).(map[string]any)
}

// fresh is a copy of a JSON value.
func fresh(v any) any {
	switch v := v.(type) {
	case map[string]any:
		object := make(map[string]any, len(v))
		for name, value := range v {
			object[name] = fresh(value)
		}
		return object
	case []any:
		list := make([]any, len(v))
		for i, value := range v {
			list[i] = fresh(value)
		}
		return list
	}
	return v
}

func readShape(name string) map[string]any {
	text, err := examples.ReadFile("testdata/" + name + ".json")
	if err != nil {
		panic(err) // the name stands in this package
	}
	var one map[string]any
	if json.Unmarshal(text, &one) == nil {
		return one
	}
	var list []map[string]any
	if err := json.Unmarshal(text, &list); err != nil {
		panic(err)
	}
	return list[0]
}

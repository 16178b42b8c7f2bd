package github

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/testkit/fakehub"
	"github.com/closeout-gate/closeout/internal/testkit/stricttest"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/input"
)

// scenario is a state of the hub, and what is collected from it: the golden file contains the facts and the calls.
type scenario struct {
	name  string
	setup func(w *world)
	wants Wants
}

// overridden puts the label on, by ann.
func overridden(w *world) {
	w.pull.Labels = append(w.pull.Labels, "closeout-override: flaky network")
	w.pull.Events = append(w.pull.Events, fakehub.Event{ID: 100, Name: "labeled", Label: "closeout-override: flaky network", Actor: "ann"})
}

var (
	labels = Wants{Override: isOverride}
	peers  = Wants{Override: isOverride, SameHead: true}
	teams  = Wants{Override: isOverride, Teams: []string{"core", "release"}}
)

var scenarios = []scenario{
	{name: "plain", wants: labels},
	{name: "nothing-wanted"},
	{name: "draft-into-other-branch", wants: labels, setup: func(w *world) {
		w.repo.Git("", "update-ref", "refs/heads/release/1.0", w.base)
		w.pull.Base, w.pull.Draft = "release/1.0", true
	}},
	{name: "merged", wants: labels, setup: func(w *world) { w.pull.State, w.pull.Merged, w.pull.TestMerge = "closed", true, "topic" }},
	{name: "tag-named-like-the-base", wants: labels, setup: func(w *world) {
		w.repo.Git("", "update-ref", "refs/tags/main", w.head)
	}},
	{name: "base-moved-since", wants: labels, setup: func(w *world) {
		w.pull.OldBase = w.base
		w.repo.Commit("main", "stricter contract", with(baseFiles, ".closeout/scope_contract.json", `{"goal":"stricter"}`), w.base)
	}},
	{name: "base-gone", wants: labels, setup: func(w *world) {
		w.Fail("/heads/main", -1, fakehub.Status(404, "Not Found"))
		w.Fail("/branches/main", -1, fakehub.Status(404, "Branch not found"))
	}},
	{name: "base-by-branch", wants: labels, setup: func(w *world) {
		w.repo.Git("", "update-ref", "refs/tags/main", w.head)
		w.Fail("/heads/main", -1, fakehub.Status(404, "Not Found"))
	}},
	{name: "base-by-another-branch", wants: labels, setup: func(w *world) {
		w.Fail("/heads/main", -1, fakehub.Status(404, "Not Found"))
		w.Fail("/branches/main", -1, fakehub.Body(`{"name":"trunk","commit":{"sha":"`+w.head+`"}}`))
	}},
	{name: "base-by-branch-without-id", wants: labels, setup: func(w *world) {
		w.Fail("/heads/main", -1, fakehub.Status(404, "Not Found"))
		w.Fail("/branches/main", -1, fakehub.Body(`{"name":"main","commit":{}}`))
	}},
	{name: "base-is-another-ref", wants: labels, setup: func(w *world) {
		w.Fail("/git/ref/heads/main", -1, fakehub.Body(`{"ref":"refs/heads/maintenance","object":{"type":"commit","sha":"`+w.head+`"}}`))
	}},
	{name: "base-is-a-tag-object", wants: labels, setup: func(w *world) {
		w.Fail("/git/ref/heads/main", -1, fakehub.Body(`{"ref":"refs/heads/main","object":{"type":"tag","sha":"`+w.head+`"}}`))
	}},
	{name: "base-without-id", wants: labels, setup: func(w *world) {
		w.Fail("/git/ref/heads/main", -1, fakehub.Body(`{"ref":"refs/heads/main","object":{"type":"commit","sha":"main"}}`))
	}},
	{name: "no-contents-permission", wants: labels, setup: func(w *world) { w.Lacks = []string{"contents: read"} }},
	{name: "no-pulls-permission", wants: labels, setup: func(w *world) { w.Lacks = []string{"pull-requests: read"} }},
	{name: "no-issues-permission", wants: labels, setup: func(w *world) { overridden(w); w.Lacks = []string{"issues: read"} }},
	{name: "no-such-pull", wants: labels, setup: func(w *world) { delete(w.Pulls, 7) }},
	{name: "author-deleted", wants: labels, setup: func(w *world) { w.pull.Author = "" }},
	{name: "author-shown-as-ghost", wants: labels, setup: func(w *world) { w.pull.Author = "ghost" }},
	{name: "author-is-an-app", wants: labels, setup: func(w *world) { w.pull.Author, w.Users["release[bot]"].App = "release[bot]", "release" }},
	{name: "author-is-an-app-of-another-login", wants: labels, setup: func(w *world) {
		w.pull.Author, w.Users["Helper"] = "Helper", &fakehub.User{ID: 15, Type: "Bot", App: "helper-agent"}
	}},
	{name: "author-through-an-app", wants: labels, setup: func(w *world) { w.pull.App = "helper-agent" }},
	{name: "commits-fewer-than-counted", wants: labels, setup: func(w *world) { w.pull.Commits = 2 }},
	{name: "commits-more-than-counted", wants: labels, setup: func(w *world) {
		w.repo.Commit("topic", "one more", baseFiles, w.head)
		w.pull.Commits = 1
	}},
	{name: "commits-listed-twice", wants: labels, setup: func(w *world) {
		w.pull.Commits = 2
		w.Fail("/pulls/7/commits", 1, func(rw http.ResponseWriter, r *http.Request, answer http.Handler) {
			whole := httptest.NewRecorder()
			answer.ServeHTTP(whole, r)
			one := strings.Trim(strings.TrimSpace(whole.Body.String()), "[]")
			fmt.Fprintf(rw, "[%s,%s]", one, one)
		})
	}},
	{name: "comments-fewer-than-counted", wants: labels, setup: func(w *world) {
		w.pull.Comments = []*fakehub.Comment{{ID: 12, Author: "ann", Body: "/closeout-override x"}}
		w.pull.Talk = 2
	}},
	{name: "commit-addresses", wants: labels, setup: func(w *world) {
		w.Users["agent"].Emails = nil
		w.repo.Email = "7+Old-Name@users.noreply.github.com"
		w.repo.Commit("topic", "by id", baseFiles, w.head)
	}},
	{name: "update-branch", wants: Wants{Override: isOverride, CleanMerge: func(string, []string) bool { return true }}, setup: func(w *world) {
		overridden(w)
		w.merges()
	}},
	{name: "update-branch-with-content", wants: Wants{Override: isOverride, CleanMerge: func(string, []string) bool { return false }}, setup: func(w *world) {
		overridden(w)
		w.merges()
	}},
	{name: "commit-without-account", wants: labels, setup: func(w *world) { w.Users["agent"].Emails = nil }},
	{name: "hostile-texts", wants: labels, setup: func(w *world) {
		overridden(w)
		w.pull.Labels = append(w.pull.Labels, "::set-output name=x::y", " ", "</details>@everyone")
		w.repo.Commit("topic", "fix\n\n  /CLOSEOUT-override k7f3-3q2d-ab5c-mnop-zyx7-2222 ::error::\x1b[31m"+strings.Repeat("é", 200), baseFiles, w.head)
		w.pull.Comments = []*fakehub.Comment{{ID: 1, Author: "agent", Body: "\u202e`@everyone` </details>\n/closeout-override ##[error]"}}
	}},

	{name: "override", wants: labels, setup: overridden},
	{name: "override-nobody-asks", setup: overridden},
	{name: "override-label-other-case", wants: labels, setup: func(w *world) {
		w.pull.Labels = []string{"Closeout-Override"}
	}},
	{name: "override-taken-off", wants: labels, setup: func(w *world) {
		overridden(w)
		w.pull.Labels = []string{"bug"}
	}},
	{name: "override-events-out-of-order", wants: labels, setup: func(w *world) {
		w.pull.Labels = []string{"closeout-override"}
		for _, id := range []int64{1000, 99, 9007199254740993, 100} {
			name := map[bool]string{true: "unlabeled", false: "labeled"}[id == 100]
			w.pull.Events = append(w.pull.Events, fakehub.Event{ID: id, Name: name, Label: "closeout-override", Actor: "ann"})
		}
		w.pull.Events = append(w.pull.Events,
			fakehub.Event{ID: 5, Name: "labeled", Label: "closeout-overrides", Actor: "bob"}, // another label
			fakehub.Event{ID: 6, Name: "closed", Actor: "bob"},
			fakehub.Event{ID: 7, Name: "assigned", Label: "closeout-override", Actor: "bob"},
		)
	}},
	{name: "override-on-second-page", wants: labels, setup: func(w *world) {
		for i := range 120 {
			w.pull.Events = append(w.pull.Events, fakehub.Event{ID: int64(i + 1), Name: "labeled", Label: "bug", Actor: "bob"})
		}
		w.pull.Labels = []string{"closeout-override"}
		w.pull.Events = append(w.pull.Events, fakehub.Event{ID: 500, Name: "labeled", Label: "closeout-override", Actor: "ann"})
	}},
	{name: "override-of-the-event", wants: Wants{Override: isOverride, Event: labeledBy("ann", "99")}, setup: overridden},
	{name: "override-of-the-event-by-id", wants: Wants{Override: isOverride, Event: labeledBy("ann-then", "12")}, setup: overridden},
	{name: "override-without-the-event", wants: Wants{Override: isOverride, Event: labeledBy("bob", "13")}, setup: overridden},
	{name: "override-without-the-event-of-another-label", wants: Wants{Override: isOverride, Event: &Event{Name: "pull_request", Action: "labeled", Label: "bug", Sender: "bob"}}, setup: overridden},
	{name: "override-by-ghost", wants: labels, setup: func(w *world) { overridden(w); w.pull.Events[0].Actor = "ghost" }},
	{name: "override-by-app", wants: labels, setup: func(w *world) { overridden(w); w.pull.Events[0].App = "some-app" }},
	{name: "override-by-nameless-app", wants: labels, setup: func(w *world) {
		overridden(w)
		w.Fail("/issues/7/events", -1, fakehub.Body(`[{"id":100,"event":"labeled","actor":{"login":"ann","id":12,"type":"User"},"created_at":"2026-11-21T10:00:00Z",
			"label":{"name":"closeout-override: x"},"performed_via_github_app":{"id":3}}]`))
	}},
	{name: "override-by-bot", wants: labels, setup: func(w *world) { overridden(w); w.pull.Events[0].Actor = "release[bot]" }},
	{name: "override-with-intent", wants: labels, setup: func(w *world) {
		overridden(w)
		w.pull.Events[0].Intent = map[string]any{"rationale": "looks fine", "confidence": "high"}
	}},
	{name: "override-with-empty-intent", wants: labels, setup: func(w *world) { overridden(w); w.pull.Events[0].Intent = map[string]any{} }},
	{name: "override-with-null-intent", wants: labels, setup: func(w *world) {
		overridden(w)
		w.pull.Events[0].Intent = json.RawMessage("null")
	}},
	{name: "override-by-deleted-account", wants: labels, setup: func(w *world) { overridden(w); w.pull.Events[0].Actor = "" }},
	{name: "override-with-reason", wants: labels, setup: func(w *world) {
		overridden(w)
		w.pull.Comments = []*fakehub.Comment{
			{ID: 12, Author: "ann", Body: "I looked.\r\n/closeout-override k7f3-3q2d-ab5c-mnop-zyx7-2222 the runner was out of disk\r\n"},
			{ID: 2, Author: "bob", Body: "what does /closeout-override do?"},
			{ID: 3, Author: "", Body: "/closeout-override deleted account"},
			{ID: 4, Author: "release[bot]", App: "release", Body: "/closeout-override by a bot", Updated: "2026-11-21T12:00:00+02:00"},
			{ID: 5, Author: "bob", Body: strings.Repeat("x", 5000) + "\n/closeout-override long\n" + strings.Repeat("y", 5000)},
			{ID: 6, Author: "bob", Body: "<!--\n" + strings.Repeat("x", 5000) + "\n/closeout-override hidden\n-->\n  /closeout-override behind blanks\n"},
			{ID: 8, Author: "bob", Body: "<!--\n" + strings.Repeat("x", 5000) + "\n/closeout-override all hidden\n-->"},
			{ID: 7, Author: "bob", Body: strings.Repeat("x", 5000) + "<!-- /closeout-override\n-->\n/closeout-override shown\n<!--\n/closeout-override hidden\n"},
		}
	}},
	{name: "events-broken", wants: labels, setup: func(w *world) { overridden(w); w.pull.Events[0].ID = 0 }},
	{name: "comment-broken", wants: labels, setup: func(w *world) {
		w.pull.Comments = []*fakehub.Comment{{ID: 0, Author: "ann", Body: "x"}}
	}},

	{name: "person-custom-role", wants: labels, setup: func(w *world) {
		overridden(w)
		w.Users["ann"] = &fakehub.User{ID: 12, Role: "release manager", Permission: "write", Permissions: map[string]bool{"maintain": true, "push": true, "triage": true, "pull": true}}
	}},
	{name: "person-custom-role-unexplained", wants: labels, setup: func(w *world) {
		overridden(w)
		w.Users["ann"] = &fakehub.User{ID: 12, Role: "release manager", Permission: "write"}
	}},
	{name: "person-two-permissions", wants: labels, setup: func(w *world) {
		overridden(w)
		w.Users["ann"] = &fakehub.User{ID: 12, Role: "maintain", Permission: "read"}
	}},
	{name: "person-role-in-the-older-field", wants: labels, setup: func(w *world) {
		overridden(w)
		w.Users["ann"] = &fakehub.User{ID: 12, Role: "maintain", Permission: "maintain"}
	}},
	{name: "person-unknown-permission", wants: labels, setup: func(w *world) {
		overridden(w)
		w.Users["ann"] = &fakehub.User{ID: 12, Role: "owner", Permission: "owner"}
	}},
	{name: "person-without-permission", wants: labels, setup: func(w *world) { overridden(w); w.Users["ann"].Role = "" }},
	{name: "person-renamed", wants: labels, setup: func(w *world) {
		overridden(w)
		w.Fail("GET /users/ann", -1, fakehub.Body(`{"login":"ann","id":99,"type":"User"}`))
	}},
	{name: "person-renamed-meanwhile", wants: labels, setup: func(w *world) {
		overridden(w)
		w.Users["ann"].Missing = true
		w.Users["ann-now"] = &fakehub.User{ID: 12, Role: "maintain", Email: "Ann@Example.org"}
	}},
	{name: "person-with-a-namesake", wants: labels, setup: func(w *world) {
		overridden(w)
		w.Users["ann-now"] = &fakehub.User{ID: 12, Role: "maintain"}
		w.Users["ann"].Missing = true
		w.Fail("GET /users/ann", 1, fakehub.Body(`{"login":"ann","id":99,"type":"User"}`))
	}},
	{name: "person-without-type", wants: labels, setup: func(w *world) {
		overridden(w)
		w.Fail("GET /users/ann", -1, fakehub.Body(`{"login":"ann","id":12}`))
	}},
	{name: "person-permission-of-another", wants: labels, setup: func(w *world) {
		overridden(w)
		w.Fail("/collaborators/ann", -1, fakehub.Body(`{"permission":"admin","role_name":"admin","user":{"login":"ann","id":99}}`))
	}},
	{name: "person-without-login", wants: labels, setup: func(w *world) {
		overridden(w)
		w.Fail("/issues/7/events", -1, fakehub.Body(`[{"id":100,"event":"labeled","actor":{"login":"","id":12,"type":"User"},"created_at":"2026-11-21T10:00:00Z",
			"label":{"name":"closeout-override: x"},"performed_via_github_app":null}]`))
	}},
	{name: "person-404", wants: labels, setup: func(w *world) { overridden(w); w.Users["ann"].Missing = true }},
	{name: "person-permission-refused", wants: labels, setup: func(w *world) { overridden(w); w.Lacks = []string{"metadata: read"} }},
	{name: "person-turned-organisation", wants: labels, setup: func(w *world) {
		overridden(w)
		w.Fail("GET /users/ann", -1, fakehub.Body(`{"login":"ann","id":12,"type":"Organization"}`))
	}},

	{name: "teams", wants: teams, setup: func(w *world) {
		overridden(w)
		w.Teams = map[string]*fakehub.Team{"core": {Members: map[string]string{"ann": "active"}}, "release": {Members: map[string]string{"ann": "pending"}}}
	}},
	{name: "teams-member-of-none", wants: teams, setup: func(w *world) {
		overridden(w)
		w.Teams = map[string]*fakehub.Team{"core": {}, "release": {}}
	}},
	{name: "teams-hidden", wants: teams, setup: func(w *world) {
		overridden(w)
		w.Teams = map[string]*fakehub.Team{"core": {Hidden: true}, "release": {Members: map[string]string{"ann": "active"}}}
	}},
	{name: "teams-another-team", wants: teams, setup: func(w *world) {
		overridden(w)
		w.Teams = map[string]*fakehub.Team{"core": {Members: map[string]string{"ann": "active"}}, "release": {}}
		w.Fail("/teams/core", 1, fakehub.Body(`{"id":2,"slug":"core-2"}`))
	}},
	{name: "teams-no-permission", wants: teams, setup: func(w *world) { overridden(w); w.Lacks = []string{"members: read"} }},
	{name: "teams-membership-refused", wants: teams, setup: func(w *world) {
		overridden(w)
		w.Teams = map[string]*fakehub.Team{"core": {}, "release": {}}
		w.Fail("/core/memberships", -1, fakehub.Status(403, "Must have admin rights"))
	}},
	{name: "teams-nobody-to-ask-about", wants: teams},

	{name: "reviews", wants: Wants{Override: isOverride, Approvals: true}, setup: func(w *world) {
		w.pull.Reviews = []fakehub.Review{
			{ID: 30, Author: "ann", State: "APPROVED", Commit: "topic"}, {ID: 4, Author: "bob", State: "APPROVED", Commit: "main"},
			{ID: 31, Author: "bob", State: "CHANGES_REQUESTED", Commit: "topic"}, {ID: 32, Author: "bob", State: "PENDING"},
			{ID: 33, Author: "", State: "DISMISSED", Commit: "topic"}, {ID: 34, Author: "release[bot]", State: "APPROVED", Commit: "topic"},
		}
	}},
	{name: "reviews-none", wants: Wants{Approvals: true}},
	{name: "reviews-refused", wants: Wants{Approvals: true}, setup: func(w *world) { w.Fail("/reviews", -1, fakehub.Status(403, "no")) }},
	{name: "reviews-unknown-state", wants: Wants{Approvals: true}, setup: func(w *world) {
		w.pull.Reviews = []fakehub.Review{{ID: 30, Author: "ann", State: "APPROVED?", Commit: "topic"}}
	}},
	{name: "reviews-by-a-crowd", wants: Wants{Approvals: true}, setup: func(w *world) {
		w.pull.Reviews = []fakehub.Review{{ID: 99, Author: "ann", State: "APPROVED", Commit: "topic", Association: "MEMBER"}}
		for i := range 25 {
			login := fmt.Sprintf("user%02d", i)
			w.Users[login] = &fakehub.User{ID: int64(200 + i), Role: "read"}
			w.pull.Reviews = append(w.pull.Reviews, fakehub.Review{ID: int64(i + 1), Author: login, State: "APPROVED", Commit: "topic"})
		}
	}},

	{name: "same-head", wants: peers, setup: func(w *world) {
		w.Users["Helper"] = &fakehub.User{ID: 15, Type: "Bot", App: "helper-agent"}
		w.repo.Commit("stacked", "built upon it", baseFiles, w.head)
		w.Pulls[12] = &fakehub.Pull{Author: "ann", Base: "main", Head: "topic", Fork: true}
		w.Pulls[8] = &fakehub.Pull{Author: "Helper", Base: "main", Head: "topic"}
		w.Pulls[9] = &fakehub.Pull{Author: "bob", Base: "main", Head: "topic", State: "closed"}
		w.Pulls[10] = &fakehub.Pull{Author: "bob", Base: "main", Head: "stacked"}
		w.Pulls[11] = &fakehub.Pull{Author: "", Base: "main", Head: "topic"}
	}},
	{name: "same-head-alone", wants: peers},
	{name: "same-head-without-itself", wants: peers, setup: func(w *world) { w.Fail("/pulls?", 1, fakehub.Body(`[]`)) }},
	{name: "same-head-of-a-fork-without-itself", wants: peers, setup: func(w *world) {
		w.pull.Fork = true
		w.Fail("/pulls?", 1, fakehub.Body(`[]`))
	}},
	{name: "same-head-broken", wants: peers, setup: func(w *world) { w.Fail("/pulls?", 1, fakehub.Body(`[{"number":7,"state":"open"}]`)) }},
	{name: "same-head-refused", wants: peers, setup: func(w *world) { w.Fail("/pulls?", -1, fakehub.Status(403, "no")) }},

	{name: "head-moves-while-reading", wants: labels, setup: func(w *world) {
		w.Fail("/issues/7/comments", 1, func(rw http.ResponseWriter, r *http.Request, answer http.Handler) {
			w.repo.Git("", "update-ref", "refs/heads/topic", w.base)
			answer.ServeHTTP(rw, r)
		})
	}},
	{name: "head-moves-before-commits", wants: labels, setup: func(w *world) {
		w.Fail("/pulls/7/commits", 1, func(rw http.ResponseWriter, r *http.Request, answer http.Handler) {
			w.repo.Commit("topic", "other history", baseFiles, w.base)
			answer.ServeHTTP(rw, r)
		})
	}},
	{name: "label-taken-off-while-reading", wants: labels, setup: func(w *world) {
		overridden(w)
		w.Fail("/issues/7/events", 1, func(rw http.ResponseWriter, r *http.Request, answer http.Handler) {
			answer.ServeHTTP(rw, r)
			w.pull.Labels = []string{"bug", "put on meanwhile"}
		})
	}},
	{name: "retargeted-while-reading", wants: labels, setup: func(w *world) {
		w.repo.Git("", "update-ref", "refs/heads/release", w.base)
		w.Fail("/issues/7/comments", 1, func(rw http.ResponseWriter, r *http.Request, answer http.Handler) {
			answer.ServeHTTP(rw, r)
			w.pull.Base = "release"
		})
	}},
	{name: "last-look-fails", wants: labels, setup: func(w *world) {
		w.Fail("/issues/7/comments", 1, func(rw http.ResponseWriter, r *http.Request, answer http.Handler) {
			w.Fail("/pulls/7", -1, fakehub.Status(403, "no"))
			answer.ServeHTTP(rw, r)
		})
	}},
	{name: "commits-refused", wants: labels, setup: func(w *world) { w.Fail("/commits", -1, fakehub.Status(403, "no")) }},
	{name: "commit-without-message", wants: labels, setup: func(w *world) {
		w.Fail("/commits", 1, fakehub.Body(`[{"sha":"`+w.head+`"}]`))
	}},
}

// labeledBy is the event of the label that overridden puts on.
func labeledBy(sender, id string) *Event {
	return &Event{Name: "pull_request", Action: "labeled", Label: "closeout-override: flaky Network", Sender: sender, SenderID: id}
}

// merges adds a merge of the base to the pull request, as ann's button makes it, and two that look alike.
func (w *world) merges() {
	w.Users["ann"].Emails, w.Users["bob"].Emails = []string{"ann@example.com"}, []string{"bob@example.com"}
	moved := w.repo.Commit("main", "moved on", with(baseFiles, "new", "new\n"), w.base)
	head := w.head
	for i, who := range []string{"bob", "ann", "ann"} {
		w.repo.Email, w.repo.Committer = who+"@example.com", "noreply@github.com"
		if i == 2 {
			w.repo.Committer = ""
		}
		head = w.repo.Commit("topic", fmt.Sprintf("Merge branch 'main' into topic, %d", i), with(baseFiles, "src/a.go", "package a // new\n", "new", "new\n"), head, moved)
		w.Verified = append(w.Verified, head)
	}
}

func TestScenarios(t *testing.T) {
	facts, err := stricttest.Compile("facts")
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, s := range scenarios {
		names[s.name+".golden.json"] = true
		t.Run(s.name, func(t *testing.T) {
			w := newWorld(t)
			if s.setup != nil {
				s.setup(w)
			}
			p := w.client.Pull(context.Background(), 7)
			w.client.Details(context.Background(), p, s.wants)
			w.client.ReadHeadAgain(context.Background(), p)
			checkFacts(t, facts, p)
			compareGolden(t, "facts/"+s.name, map[string]any{
				"subject": p.Subject, "github": p.GitHub(), "unavailable": p.Unavailable, "test_merge": p.TestMerge, "calls": called(w.Hub, 0),
			})
		})
	}
	files, err := os.ReadDir("testdata/facts")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !names[f.Name()] {
			t.Errorf("testdata/facts/%s belongs to no scenario", f.Name())
		}
	}
}

// checkFacts compares what is collected with what the judge reads.
func checkFacts(t *testing.T, s interface{ Validate(any) error }, p *Pull) {
	t.Helper()
	text, err := json.Marshal(facts.Facts{Schema: facts.Schema, Subject: p.Subject, GitHub: p.GitHub(), Unavailable: p.Unavailable})
	if err != nil {
		t.Fatal(err)
	}
	if _, errs := facts.Parse(text, input.DefaultLimits()); errs.Any() {
		t.Errorf("the judge refuses the facts: %v", errs.All())
	}
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(v); err != nil {
		t.Errorf("the schema refuses the facts: %v", err)
	}
	if strings.Contains(string(text), token) {
		t.Error("the facts contain the token")
	}
}

// A normal pull request: everything that a verdict needs of GitHub, in how many calls.
func TestCallsOfANormalPull(t *testing.T) {
	w := newWorld(t)
	p := w.client.Pull(context.Background(), 7)
	w.client.Details(context.Background(), p, labels)
	w.client.CrossCheck(context.Background(), p, w.changes(p.Subject.BaseSHA, p.Subject.HeadSHA))
	w.client.ReadHeadAgain(context.Background(), p)
	if len(p.Unavailable) > 0 {
		t.Fatal(p.Unavailable)
	}
	compareGolden(t, "calls", called(w.Hub, 0))
}

func compareGolden(t *testing.T, name string, v any) {
	t.Helper()
	got, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	path := filepath.Join("testdata", name+".golden.json")
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("%s differs; go test -update writes it:\n%s", path, got)
	}
}

func TestManyCommits(t *testing.T) {
	for n, fails := range map[int]string{120: "", 249: "", 250: "250 commits or more", 260: "250 commits or more"} {
		w := newWorld(t)
		stream := "reset refs/heads/topic\nfrom " + w.base + "\n\n"
		for range n {
			stream += "commit refs/heads/topic\ncommitter A <agent@example.com> 1790000000 +0000\ndata 1\nx\n"
		}
		w.repo.Git(stream, "fast-import", "--quiet", "--force")
		last := w.repo.Git("", "rev-parse", "topic")
		p := w.client.Pull(context.Background(), 7)
		w.client.Details(context.Background(), p, labels)
		if fails == "" {
			if len(p.Live.Commits) != n || p.Live.Commits[n-1].SHA != last || len(p.Unavailable) > 0 {
				t.Errorf("%d: got %d, %+v", n, len(p.Live.Commits), p.Unavailable)
			}
			continue
		}
		if p.Live.Commits != nil || len(p.Unavailable) != 1 || p.Unavailable[0].What != "commits" || !strings.Contains(p.Unavailable[0].Error, fails) {
			t.Errorf("%d: got %d, %+v", n, len(p.Live.Commits), p.Unavailable)
		}
	}
}

func TestCoAuthors(t *testing.T) {
	for message, want := range map[string][]string{
		"fix":                                    nil,
		"fix\n\nCo-authored-by: Ann <ann@x.org>": {"ann@x.org"},
		"co-AUTHORED-by: A <7+Ann@users.noreply.github.com>\nCo-authored-by: B <Bob@users.noreply.github.com>\r\n": {"7+ann", "bob"},
		"Co-authored-by: A <a+b@users.noreply.github.com>":                                                         {"a+b@users.noreply.github.com"},
		"Co-authored-by: x <1+bot[bot]@users.noreply.ghe.example.com>":                                             {"1+bot[bot]"},
		"Co-authored-by: A <b@x.org> <A@X.org>\nCo-authored-by: A <a@x.org>":                                       {"a@x.org"},
		"  Co-authored-by : A <a@x.org>":                                                                           {"a@x.org"},
		"Co-authored-by: nobody":                                                                                   nil,
		"Co-authored-by: <>":                                                                                       nil,
		"Co-authored-by: > x <":                                                                                    nil,
		"Co-authored-by: A <@users.noreply.github.com>":                                                            nil,
		"Co-authored-by: A <7+@users.noreply.github.com>":                                                          {"7+"},
		"Co-authored-by: A <+ann@users.noreply.github.com>":                                                        {"ann"},
		"Co-authored-by: A <+@users.noreply.github.com>":                                                           nil,
		"not Co-authored-by: A <a@x.org>":                                                                          nil,
		"Reported-by: A <a@x.org>":                                                                                 nil,
		"Co-authored-by: A <ann@users.noreply.evil.org >":                                                          {"ann"},
	} {
		if got := coAuthors(message); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", message, got, want)
		}
	}
}

func TestOverrideAttempt(t *testing.T) {
	for message, want := range map[string]string{
		"fix": "",
		"/closeout-override k7f3-3q2d-ab5c-mnop-zyx7-2222":    "/closeout-override k7f3-3q2d-ab5c-mnop-zyx7-2222",
		"fix\n\n  /Closeout-Override x\n/closeout-override y": "/Closeout-Override x",
		"Closeout-Override: x":                                "Closeout-Override: x",
		"closeout-override":                                   "closeout-override",
		"describe /closeout-override in the docs":             "",
		"closeout-overrides are documented":                   "",
	} {
		if got := overrideAttempt(message, isOverride); got != want {
			t.Errorf("%q: got %q, want %q", message, got, want)
		}
	}
}

func FuzzMessages(f *testing.F) {
	f.Add("Co-authored-by: A <7+Ann@users.noreply.github.com>\n/closeout-override x")
	f.Fuzz(func(t *testing.T, message string) {
		for _, who := range coAuthors(message) {
			if strings.TrimSpace(who) == "" || strings.ContainsAny(who, "\n<") && !strings.Contains(message, who) {
				t.Errorf("%q gives %q", message, who)
			}
		}
		if line := overrideAttempt(message, isOverride); len(line) > maxAttempt+len("…") {
			t.Errorf("%q gives %d bytes", message, len(line))
		}
	})
}

// Anybody may comment on a public pull request: a flood must neither fill the facts nor hide.
func TestFloodOfReasons(t *testing.T) {
	for n, fails := range map[int]bool{maxReasons: false, maxReasons + 1: true} {
		w := newWorld(t)
		for i := range n {
			w.pull.Comments = append(w.pull.Comments, &fakehub.Comment{ID: int64(i + 1), Author: "bob", Body: "/closeout-override x"})
		}
		p := w.client.Pull(context.Background(), 7)
		w.client.Details(context.Background(), p, labels)
		if (p.Live.Comments == nil) != fails || (len(p.Unavailable) == 1) != fails || !fails && len(p.Live.Comments) != n {
			t.Errorf("%d: got %d, %+v", n, len(p.Live.Comments), p.Unavailable)
		}
	}
}

// A repository that was renamed is asked under its new name; one that took the name of another is not believed.
func TestRepositoryOfTheEvent(t *testing.T) {
	w := newWorld(t)
	w.Fail("/octo-org/old-name/", -1, func(rw http.ResponseWriter, r *http.Request, _ http.Handler) {
		http.Redirect(rw, r, strings.Replace(r.URL.RequestURI(), "old-name", "octo-repo", 1), http.StatusMovedPermanently)
	})
	for id, fails := range map[string]string{"": "", "17273051": "", "17273052": "has the id 17273051, and the event's has 17273052"} {
		api, err := url.Parse(w.server.URL)
		if err != nil {
			t.Fatal(err)
		}
		c, err := New(Config{API: api, Token: token, Repository: "octo-org/old-name", RepositoryID: id, Clock: w.clock.clock()})
		if err != nil {
			t.Fatal(err)
		}
		from := len(w.Calls())
		p := c.Pull(context.Background(), 7)
		if fails != "" {
			if p.Live != nil || len(p.Unavailable) != 1 || !strings.Contains(p.Unavailable[0].Error, fails) {
				t.Errorf("id %q: %+v", id, p)
			}
			continue
		}
		old := slices.DeleteFunc(called(w.Hub, from), func(call string) bool { return !strings.Contains(call, "old-name") })
		if p.Live == nil || len(p.Unavailable) > 0 || len(old) != 1 {
			t.Errorf("id %q: %+v, asked under the old name %q", id, p.Unavailable, old)
		}
	}
}

package github

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/go-github/v62/github"

	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/input"
)

// What go-github v62 does not model: the intent of a label event, the app behind a comment or a pull request, and the role
// of a collaborator.

// account is the author of an action; nil when the account was deleted.
type account struct {
	Login string `json:"login"`
	ID    int64  `json:"id"`
	Type  string `json:"type"`
	Page  string `json:"html_url"`
	Email string `json:"email"` // the public one, which only users/{login} gives
}

// livePull is a pull request.
type livePull struct {
	github.PullRequest
	User *account `json:"user"`
	App  *app     `json:"performed_via_github_app"`
}

// isCopilot reports whether the author is the coding agent of GitHub, which is asked by assigning it.
func (p *livePull) isCopilot() bool {
	const slug = "copilot-swe-agent"
	login := facts.FoldLogin(strings.TrimSuffix(p.author().Login, "[bot]"))
	return (p.author().Type == "Bot" && (login == "copilot" || login == slug)) || slices.Contains(p.apps(), slug)
}

// askers are the people assigned to a pull request of Copilot: GitHub assigns who asked for it.
func (p *livePull) askers() (list []facts.Account) {
	for _, a := range p.Assignees {
		if p.isCopilot() && a.GetType() == "User" && a.GetID() > 0 {
			list = append(list, facts.Account{Login: a.GetLogin(), ID: digits(a.GetID())})
		}
	}
	return list
}

// author is the account that opened a pull request. GitHub shows ghost, or nothing, for a deleted account.
func (p *livePull) author() *account {
	if p.User == nil {
		return &account{Login: facts.Ghost}
	}
	return p.User
}

// apps are the slugs of the apps behind a pull request that the author's login does not tell.
func (p *livePull) apps() []string {
	slugs := []string{p.App.slug()}
	if _, slug, found := strings.Cut(p.author().Page, "/apps/"); found && p.author().Type == "Bot" {
		slugs = append(slugs, slug)
	}
	slices.Sort(slugs)
	return slices.DeleteFunc(slices.Compact(slugs), func(slug string) bool {
		return slug == "" || strings.EqualFold(slug+"[bot]", p.author().Login)
	})
}

func (a *account) login() string {
	if a == nil {
		return ""
	}
	return a.Login
}

// id is "" where there is none: no account has the id 0.
func (a *account) id() string {
	if a == nil || a.ID <= 0 {
		return ""
	}
	return digits(a.ID)
}

// who names the account; the zero value when it was deleted.
func (a *account) who() facts.Account { return facts.Account{Login: a.login(), ID: a.id()} }

func (a *account) kind() string {
	if a == nil {
		return ""
	}
	return a.Type
}

type app struct {
	Slug string `json:"slug"`
}

// slug is "" for no app; an app without a slug is still one.
func (a *app) slug() string {
	if a != nil && a.Slug == "" {
		return "unknown"
	}
	if a == nil {
		return ""
	}
	return a.Slug
}

// issueEvent is an event of issues/N/events. Intent is what an agent says about why it acted: absent, or null, when no
// agent did.
type issueEvent struct {
	ID        int64                 `json:"id"`
	Event     string                `json:"event"`
	Actor     *account              `json:"actor"`
	CreatedAt time.Time             `json:"created_at"`
	Label     struct{ Name string } `json:"label"`
	App       *app                  `json:"performed_via_github_app"`
	Intent    json.RawMessage       `json:"intent"`
}

// byAgent takes any value for an intent.
func (e *issueEvent) byAgent() bool { return len(e.Intent) > 0 && string(e.Intent) != "null" }

type issueComment struct {
	ID        int64     `json:"id"`
	Body      string    `json:"body"`
	User      *account  `json:"user"`
	App       *app      `json:"performed_via_github_app"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`

	Association string `json:"author_association"`
}

type pullReview struct {
	ID          int64      `json:"id"`
	User        *account   `json:"user"`
	State       string     `json:"state"`
	CommitID    string     `json:"commit_id"`
	SubmittedAt *time.Time `json:"submitted_at"`
	Association string     `json:"author_association"`
}

// voices are accounts, those that belong to the repository apart: on a public one anyone may speak, and a crowd must
// not displace the people who count.
type voices struct{ insiders, others []account }

// add takes GitHub's word for whom it counts as one of the repository's people. It may not say so for a private member:
// good for an order, not for a decision.
func (v *voices) add(who *account, association string) {
	switch {
	case who == nil:
	case slices.Contains([]string{"OWNER", "MEMBER", "COLLABORATOR"}, association):
		v.insiders = append(v.insiders, *who)
	default:
		v.others = append(v.others, *who)
	}
}

// list has the insiders first.
func (v *voices) list() []account { return append(v.insiders, v.others...) }

// access is what collaborators/{login}/permission says.
type access struct {
	Permission string `json:"permission"` // admin, write, read or none
	Role       string `json:"role_name"`  // the same and maintain, triage, or the name of a custom role
	User       *struct {
		account
		Role        string          `json:"role_name"`
		Permissions map[string]bool `json:"permissions"`
	} `json:"user"`
}

func digits(id int64) string { return strconv.FormatInt(id, 10) }

// stamp writes a time as the facts want it.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }

func isObjectID(text string) bool { return input.IsLowerHex(text, 40, 64) }

func checkID(what, id string) error {
	if !isObjectID(id) {
		return fmt.Errorf("%s is %q: expected an object id", what, cut(id, 80))
	}
	return nil
}

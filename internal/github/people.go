package github

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/google/go-github/v62/github"

	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/input"
)

// maxPeople bounds the calls that a crowd of reviewers can cause: two for each.
const maxPeople = 20

// people asks who the given accounts are and what they may do here. Accounts that are clearly not people are listed as the
// event names them: no answer would let them override.
func (c *Client) people(ctx context.Context, p *Pull, asked []account, teams []string) {
	asked = eachOnce(asked)
	if len(asked) > maxPeople {
		p.lacks(facts.Unavailable{
			What: facts.WantedPeople, Error: fmt.Sprintf("%d people added labels or approve; GitHub was asked about %d of them", len(asked), maxPeople),
			Fix: "dismiss the reviews of people who may not approve",
		})
		asked = asked[:maxPeople]
	}
	humans := slices.ContainsFunc(asked, isUser)
	visible := c.visibleTeams(ctx, p, teams, humans)
	p.People = []facts.Person{}
	for _, a := range asked {
		if !isUser(a) {
			p.People = append(p.People, facts.Person{Login: a.Login, ID: a.id(), Type: cmp.Or(a.Type, "unknown")})
			continue
		}
		person, err := c.person(ctx, a)
		if err != nil {
			c.lacks(p, facts.WantedPeople, a.Login, err)
			continue
		}
		person.Teams = c.teamsOf(ctx, p, person.Login, visible)
		p.People = append(p.People, person)
	}
	input.SortStable(p.People, func(a, b facts.Person) int {
		return strings.Compare(facts.FoldLogin(a.Login), facts.FoldLogin(b.Login))
	})
}

func isUser(a account) bool { return a.Type == "User" && !strings.HasSuffix(a.Login, "[bot]") }

// eachOnce keeps the first of each account, and none without login or id, or that is deleted.
func eachOnce(list []account) []account {
	seen := map[int64]bool{}
	return slices.DeleteFunc(slices.Clone(list), func(a account) bool {
		drop := seen[a.ID] || a.Login == "" || a.ID <= 0 || a.who().Unidentified()
		seen[a.ID] = true
		return drop
	})
}

// user asks what an account is. The ids must be equal, since a login can move to another account: where they are not, or
// the login no longer exists, the account is found by its id.
func (c *Client) user(ctx context.Context, a account) (*account, error) {
	var user account
	_, err := c.get(ctx, "users/"+url.PathEscape(a.Login), &user)
	if err == nil && user.ID != a.ID {
		err = fmt.Errorf("the account %s has the id %d now, but had %d when it acted", a.Login, user.ID, a.ID)
	} else if err != nil && status(err) != http.StatusNotFound {
		return nil, err
	}
	if err != nil {
		var renamed account
		if _, lost := c.get(ctx, "user/"+digits(a.ID), &renamed); lost != nil || renamed.ID != a.ID {
			return nil, err
		}
		user = renamed
	}
	if user.Login == "" || user.Type == "" {
		return nil, fmt.Errorf("GitHub does not say what kind of account %s is", a.Login)
	}
	return &user, nil
}

// person asks for the account's type and permission.
func (c *Client) person(ctx context.Context, a account) (facts.Person, error) {
	user, err := c.user(ctx, a)
	if err != nil {
		return facts.Person{}, err
	}
	var answer access
	if _, err := c.get(ctx, c.path("collaborators/%s/permission", user.Login), &answer); err != nil {
		return facts.Person{}, err
	}
	permission, err := answer.level()
	if err != nil {
		return facts.Person{}, fmt.Errorf("the permission of %s: %w", a.Login, err)
	}
	if answer.User != nil && answer.User.ID != a.ID {
		return facts.Person{}, fmt.Errorf("GitHub answered with the permission of another account than %s", a.Login)
	}
	email := strings.ToLower(strings.TrimSpace(user.Email))
	return facts.Person{Login: user.Login, ID: user.id(), Type: user.Type, Email: email, Permission: permission}, nil
}

// legacy is what the field permission says for each role.
var legacy = map[string]string{"admin": "admin", "maintain": "write", "write": "write", "triage": "read", "read": "read", "none": "none"}

// level is the role: by its name, or for a custom role by what it is built on. The older field permission knows four
// levels only; it decides alone where the others are absent, and must agree where they are not.
func (a *access) level() (string, error) {
	if _, known := legacy[a.Permission]; !known {
		return "", fmt.Errorf("GitHub says %q: expected admin, write, read or none", cut(a.Permission, 80))
	}
	role := a.Role
	if role == "" && a.User != nil {
		role = a.User.Role
	}
	if legacy[role] == "" {
		role = a.custom()
	}
	if role != a.Permission && legacy[role] != a.Permission {
		return "", fmt.Errorf("GitHub says both %q and %q", role, a.Permission)
	}
	return role, nil
}

// custom is the level of a role that this code does not know.
func (a *access) custom() string {
	if a.User == nil || len(a.User.Permissions) == 0 {
		return a.Permission
	}
	for _, level := range [][2]string{{"admin", "admin"}, {"maintain", "maintain"}, {"push", "write"}, {"triage", "triage"}, {"pull", "read"}} {
		if a.User.Permissions[level[0]] {
			return level[1]
		}
	}
	return "none"
}

// visibleTeams are those of the contract that the token can see. GitHub says 404 both for "no such member" and for "you
// may not know", so each team is asked for first.
func (c *Client) visibleTeams(ctx context.Context, p *Pull, teams []string, humans bool) []string {
	if len(teams) == 0 || !humans {
		return nil
	}
	visible := []string{}
	for _, slug := range slices.Compact(slices.Sorted(slices.Values(teams))) {
		var team github.Team
		_, err := c.get(ctx, c.teamPath(slug), &team)
		if err == nil && !strings.EqualFold(team.GetSlug(), slug) {
			err = fmt.Errorf("GitHub answered with the team %q", cut(team.GetSlug(), 80))
		}
		if err != nil {
			c.lacks(p, facts.WantedTeams, slug, err)
			continue
		}
		visible = append(visible, slug)
	}
	return visible
}

func (c *Client) teamPath(slug string) string {
	return "orgs/" + url.PathEscape(c.owner) + "/teams/" + url.PathEscape(slug)
}

// teamsOf are the visible teams that a person is an active member of; nil when no team was asked about, or none was visible.
func (c *Client) teamsOf(ctx context.Context, p *Pull, login string, visible []string) []string {
	if len(visible) == 0 {
		return nil
	}
	in := []string{}
	for _, slug := range visible {
		var membership github.Membership
		_, err := c.get(ctx, c.teamPath(slug)+"/memberships/"+url.PathEscape(login), &membership)
		switch {
		case err == nil && membership.GetState() == "active":
			in = append(in, slug)
		case err != nil && status(err) != http.StatusNotFound:
			c.lacks(p, facts.WantedTeams, slug, err)
		}
	}
	return in
}

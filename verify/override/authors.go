package override

import (
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/glob"
)

// Authors are the accounts that applies_to lists.
type Authors struct {
	globs    *glob.Set
	ids      []string
	literals []string // logins and slugs that are listed as they are, folded
	texts    []string // the entries as the contract spells them
}

// NewAuthors reads the entries of applies_to.
func NewAuthors(list []contract.Author) *Authors {
	a := &Authors{}
	var globs []glob.Pattern
	for _, entry := range list {
		a.texts = append(a.texts, entry.Value)
		if entry.ID != "" {
			a.ids = append(a.ids, entry.ID)
			continue
		}
		globs = append(globs, entry.Glob)
		if !strings.ContainsAny(strings.TrimSuffix(entry.Value, botSuffix), `*?[{\`) {
			a.literals = append(a.literals, facts.FoldLogin(entry.Value))
		}
	}
	a.globs = glob.CompileFolded(globs)
	return a
}

// identity is everything that identifies an account on GitHub.
type identity struct {
	facts.Account
	kind string   // User, Bot, …; "" when unknown
	apps []string // slugs of the apps that the account is, or that acted for it
}

func authorOf(pr *facts.PullRequest) identity {
	return identity{facts.Account{Login: pr.Author, ID: pr.AuthorID}, pr.AuthorType, pr.AuthorApps}
}

const botSuffix = "[bot]"

// names are the spellings of an account, folded. A person has one. An app is SLUG[bot] where it acts, app/SLUG in GitHub's
// command line, and SLUG in its settings; a few apps act under an unrelated login.
func (i identity) names() []string {
	login := facts.FoldLogin(i.Login)
	slugs := slices.Clone(i.apps)
	if slug, app := strings.CutSuffix(login, botSuffix); app {
		slugs = append(slugs, slug)
	} else if i.kind == "Bot" {
		slugs = append(slugs, login)
	}
	names := []string{login}
	for _, slug := range slugs {
		slug = facts.FoldLogin(slug)
		names = append(names, slug, slug+botSuffix, "app/"+slug, "apps/"+slug)
	}
	return names
}

// lists reports whether an entry matches the account.
func (a *Authors) lists(who identity) bool {
	return a.hasID(who) || slices.ContainsFunc(who.names(), a.globs.Match)
}

func (a *Authors) hasID(who identity) bool { return who.ID != "" && slices.Contains(a.ids, who.ID) }

// listsExactly reports whether an entry matches this account alone. A pattern also matches an account whose owner chose a
// login that fits.
func (a *Authors) listsExactly(who identity) bool {
	return a.hasID(who) || slices.ContainsFunc(who.names(), func(name string) bool { return slices.Contains(a.literals, name) })
}

// leavesOut reports whether the pull requests of an account are not judged. The gate judges those of a deleted account, and
// those of an account that it cannot distinguish from a listed one.
func (a *Authors) leavesOut(who identity) bool {
	unknown := who.Unidentified() || who.ID == facts.GhostID || who.Login == "" || (len(a.ids) > 0 && who.ID == "")
	return !unknown && !a.lists(who)
}

// LeavesOut reports whether applies_to excludes a pull request. [Authors.SharedWith] finds another pull request with the
// same head.
func (a *Authors) LeavesOut(pr *facts.PullRequest) bool { return a.leavesOut(authorOf(pr)) }

// SharedWith is another open pull request with the same head that is judged; nil when there is none. Checks belong to
// commits: the result of one pull request also shows on the other. Anyone can open a pull request from a fork, so for a fork
// only an account that the contract lists by its login or id counts.
func (a *Authors) SharedWith(pr *facts.PullRequest) *facts.Peer {
	for i := range pr.SameHead {
		p := &pr.SameHead[i]
		who := identity{facts.Account{Login: p.Author, ID: p.AuthorID}, p.AuthorType, p.AuthorApps}
		if (p.Fork && a.listsExactly(who)) || (!p.Fork && !a.leavesOut(who)) {
			return p
		}
	}
	return nil
}

// String lists the entries, for a person.
func (a *Authors) String() string { return strings.Join(a.texts, ", ") }

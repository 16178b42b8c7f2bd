package override

import (
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/facts"
)

// bench asks about people: whether they may let this pull request through.
type bench struct {
	rule  *Rule
	facts *facts.Facts
	pr    *facts.PullRequest
	do    string // what they want to do, as "put the label on"
}

// Qualified says whether a person could override this pull request, the reason and the label aside: the rows person,
// author, commits and permission of the table. The pull request's author never qualifies, whatever the contract allows.
// The facts must hold a live pull request. do is what the person wants to do, as "put the label on".
func (r *Rule) Qualified(f *facts.Facts, who facts.Account, do string) Answer {
	strict := *r
	strict.AllowAuthor = false
	b := bench{&strict, f, f.GitHub.PullRequest, do}
	open := yes
	for _, a := range []Answer{b.human(who), b.notAuthor(who), b.noPart(who), b.entitled(who)} {
		if a.State == No {
			return a
		}
		if a.State == Unknown && open.State == Yes {
			open = a
		}
	}
	return open
}

// another answers no, and says who could do it instead.
func (b bench) another(why string) Answer {
	return no(why, b.rule.Who()+", who has no part in the pull request, can "+b.do)
}

// person is what somebody found out about an account; the zero value when nobody looked.
func person(f *facts.Facts, who facts.Account) facts.Person {
	for _, p := range f.GitHub.People {
		if who.Is(facts.Account{Login: p.Login, ID: p.ID}) {
			return p
		}
	}
	return facts.Person{}
}

// namesake reports whether the login is known to be another account's now.
func namesake(f *facts.Facts, who facts.Account) bool {
	at := person(f, facts.Account{Login: who.Login})
	return at.Login != "" && who.ID != "" && at.ID != who.ID
}

// named reports whether the contract names a person among its users. It names logins: the one that counts is the
// account's login now.
func (b bench) named(who facts.Account) bool {
	if now := person(b.facts, who); now.Login != "" {
		return holds(b.rule.Users, now.Login)
	}
	return holds(b.rule.Users, who.Login)
}

// human asks whether an account is a person's.
func (b bench) human(who facts.Account) Answer {
	if who.Login == "" || who.Nobody() {
		return b.another("the account that did it is gone")
	}
	if isBot(who.Login) {
		return b.another(who.Login + " is a bot")
	}
	now := person(b.facts, who)
	switch {
	case now.Login == "" && namesake(b.facts, who):
		return b.another(who.Login + " is another account now than the one that did it")
	case now.Login == "":
		return unknown(facts.WantedPeople, who.Login, "nobody knows what kind of account "+who.Login+" is")
	case now.Type != "User":
		return b.another(who.Login + " is " + orNone(now.Type) + ", no User")
	case b.isAgent(who, &now) && !b.named(who):
		return b.another("applies_to lists " + who.Login + " as an account whose work is judged")
	}
	return yes
}

// isAgent reports whether applies_to lists an account, by the login that it had or the one that it has.
func (b bench) isAgent(who facts.Account, now *facts.Person) bool {
	then := identity{Account: facts.Account{Login: who.Login, ID: now.ID}}
	return b.rule.agents != nil &&
		(b.rule.agents.lists(then) || b.rule.agents.lists(identity{Account: facts.Account{Login: now.Login}, kind: now.Type}))
}

func isBot(login string) bool { return strings.HasSuffix(facts.FoldLogin(login), botEnding) }

func orNone(accountType string) string {
	if accountType == "" {
		return "of no known type"
	}
	return "a " + accountType
}

func (b bench) isAuthor(who facts.Account) bool { return who.Is(authorOf(b.pr).Account) }

func (b bench) notAuthor(who facts.Account) Answer {
	if !b.rule.AllowAuthor && b.isAuthor(who) {
		return b.another(who.Login + " is the author of the pull request")
	}
	return yes
}

// noPart asks whether a person had no part in the commits. What allow_author allows to the author of the pull request
// would be nothing, if the author's own commits counted.
func (b bench) noPart(who facts.Account) Answer {
	if b.rule.AllowAuthor && b.isAuthor(who) {
		return yes
	}
	for i := range b.pr.Commits {
		c := &b.pr.Commits[i]
		if part := b.part(c, who); part != "" {
			return b.another(who.Login + " is " + part + " of the commit " + c.SHA)
		}
	}
	if len(b.pr.Commits) == 0 || lacks(b.facts, facts.WantedCommits) {
		return unknown(facts.WantedCommits, "", "it is not known whether "+who.Login+" has a part in the commits")
	}
	return yes
}

// part is what somebody has to do with a commit; "" for nothing. A trailer, an unsigned commit and the author of a commit
// that somebody else signed can name anyone, also to keep a maintainer out. So they do not count against someone whom the
// contract names. What GitHub itself signs has the author that pressed the button.
func (b bench) part(c *facts.Commit, who facts.Account) string {
	named := b.named(who)
	author := who.Is(facts.Account{Login: c.Author, ID: c.AuthorID}) || b.shows(who, c.AuthorEmail)
	committer := who.Is(facts.Account{Login: c.Committer, ID: c.CommitterID}) || b.shows(who, c.CommitterEmail)
	switch {
	case named && !c.Verified, b.isUpdate(c):
	case author && (!named || committer || byGitHub(c)):
		return "author"
	case committer: // never web-flow, which puts on no label
		return "committer"
	case !named && b.isCoAuthor(c, who):
		return "co-author"
	}
	return ""
}

// byGitHub reports whether GitHub itself made a commit, for someone who pressed a button.
func byGitHub(c *facts.Commit) bool {
	return c.Verified && facts.FoldLogin(c.Committer) == "web-flow"
}

// isUpdate reports whether a commit brings the base into the pull request, as the button "Update branch" does, and
// nothing else. GitHub lists all commits that the base does not hold, so a parent that is not listed is the base's. The
// conflict editor makes such merges too, with content of their own.
func (b bench) isUpdate(c *facts.Commit) bool {
	if !byGitHub(c) || !c.CleanMerge || len(c.Parents) != 2 {
		return false
	}
	return b.proposes(c.Parents[0]) != b.proposes(c.Parents[1])
}

// proposes reports whether a commit is one of the pull request's own.
func (b bench) proposes(sha string) bool {
	return slices.ContainsFunc(b.pr.Commits, func(c facts.Commit) bool { return c.SHA == sha })
}

// isCoAuthor looks a person up among the trailers: by the id or login in an address that GitHub made, or by the address
// that the account shows.
func (b bench) isCoAuthor(c *facts.Commit, who facts.Account) bool {
	return slices.ContainsFunc(c.CoAuthors, func(text string) bool {
		if strings.Contains(text, "@") {
			return b.shows(who, text)
		}
		return who.Is(coAuthor(text))
	})
}

// shows reports whether an account shows an address as its own.
func (b bench) shows(who facts.Account, address string) bool {
	return address != "" && strings.EqualFold(address, person(b.facts, who).Email)
}

// coAuthor reads a co-author of the form ID+LOGIN, or LOGIN.
func coAuthor(text string) facts.Account {
	if id, login, found := strings.Cut(text, "+"); found {
		return facts.Account{Login: login, ID: id}
	}
	return facts.Account{Login: text}
}

// entitled asks for the permission, or for a place among the contract's users or teams and the permission that everyone
// has who works on the repository.
func (b bench) entitled(who facts.Account) Answer {
	now, rule := person(b.facts, who), b.rule
	works := rank(now.Permission) <= rank(triage)
	switch {
	case now.Permission == "":
		return unknown(facts.WantedPeople, who.Login, "nobody knows what permission "+who.Login+" has")
	case rank(now.Permission) <= rank(rule.Permission), works && (b.named(who) || len(common(rule.Teams, now.Teams)) > 0):
		return yes
	case !works:
		return b.another(who.Login + " has the permission " + now.Permission)
	}
	if about, unseen := b.unseenTeams(&now); unseen {
		return unknown(facts.WantedTeams, about, "nobody knows whether "+who.Login+" is a member of "+strings.Join(rule.Teams, ", "))
	}
	return b.another(who.Login + " has the permission " + now.Permission)
}

// unseenTeams reports whether somebody may be a member of a team of the contract for all that anybody knows, and whom or
// what that is about. A list of teams holds only those that could be seen.
func (b bench) unseenTeams(who *facts.Person) (about string, unseen bool) {
	if len(b.rule.Teams) == 0 {
		return "", false
	}
	for _, u := range b.facts.Unavailable {
		if u.What == facts.WantedTeams && (u.About == "" || holds(b.rule.Teams, u.About) || facts.FoldLogin(u.About) == facts.FoldLogin(who.Login)) {
			return u.About, true
		}
	}
	return who.Login, who.Teams == nil
}

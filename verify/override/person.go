package override

import (
	"strings"

	"github.com/closeout-gate/closeout/verify/evidence"
)

// bench asks about people: whether they may let this pull request through.
type bench struct {
	rule  *Rule
	facts *evidence.Facts
	pr    *evidence.PullRequest
	do    string // what they want to do, as "put the label on"
}

// Qualified says whether a person could override this pull request, the reason and the label aside: the rows person,
// author, commits and permission of the table. The pull request's author never qualifies, whatever the contract allows.
// The facts must hold a live pull request. do is what the person wants to do, as "put the label on".
func (r *Rule) Qualified(f *evidence.Facts, login, do string) Answer {
	strict := *r
	strict.AllowAuthor = false
	b := bench{&strict, f, f.GitHub.PullRequest, do}
	open := yes
	for _, a := range []Answer{b.human(login, ""), b.notAuthor(login), b.noPart(login), b.entitled(login)} {
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

// person is the account with a login; the zero value when nobody looked.
func person(f *evidence.Facts, login string) evidence.Person {
	for _, p := range f.GitHub.People {
		if sameLogin(p.Login, login) {
			return p
		}
	}
	return evidence.Person{}
}

// sameLogin reports whether two logins are one account. No login is nobody's.
func sameLogin(a, b string) bool { return a != "" && evidence.FoldLogin(a) == evidence.FoldLogin(b) }

// human asks whether an account is a person's. id is that of the account that acted, "" when nobody said.
func (b bench) human(login, id string) Answer {
	if login == "" {
		return b.another("the account that did it is gone")
	}
	if isBot(login) {
		return b.another(login + " is a bot")
	}
	who := person(b.facts, login)
	switch {
	case who.Login == "":
		return unknown(evidence.WantedPeople, login, "nobody knows what kind of account "+login+" is")
	case who.Type != "User":
		return b.another(login + " is " + orNone(who.Type) + ", no User")
	case id != "" && who.ID != id:
		return b.another(login + " is another account now than the one that did it")
	case b.rule.agents.Match(login) && !holds(b.rule.Users, login):
		return b.another("applies_to lists " + login + " as an account whose work is judged")
	}
	return yes
}

func isBot(login string) bool { return strings.HasSuffix(evidence.FoldLogin(login), "[bot]") }

func orNone(accountType string) string {
	if accountType == "" {
		return "of no known type"
	}
	return "a " + accountType
}

func (b bench) notAuthor(login string) Answer {
	if !b.rule.AllowAuthor && sameLogin(b.pr.Author, login) {
		return b.another(login + " is the author of the pull request")
	}
	return yes
}

// noPart asks whether a person had no part in the commits. What allow_author allows to the author of the pull request
// would be nothing, if the author's own commits counted.
func (b bench) noPart(login string) Answer {
	if b.rule.AllowAuthor && sameLogin(b.pr.Author, login) {
		return yes
	}
	if b.pr.Commits == nil {
		return unknown(evidence.WantedCommits, "", "nobody knows whether "+login+" has a part in the commits")
	}
	for _, c := range b.pr.Commits {
		if part := b.part(&c, login); part != "" {
			return b.another(login + " is " + part + " of the commit " + c.SHA)
		}
	}
	return yes
}

// part is what somebody has to do with a commit; "" for nothing. Trailers and unsigned commits can name anyone, also to
// keep a maintainer out, so they do not count against someone whom the contract names.
func (b bench) part(c *evidence.Commit, login string) string {
	named := holds(b.rule.Users, login)
	switch {
	case named && !c.Verified:
	case sameLogin(c.Author, login):
		return "author"
	case sameLogin(c.Committer, login): // never web-flow: that is GitHub itself, which puts on no label
		return "committer"
	case !named && holds(c.CoAuthors, login):
		return "co-author"
	}
	return ""
}

// entitled asks for the permission, or for a place among the contract's users or teams.
func (b bench) entitled(login string) Answer {
	who, rule := person(b.facts, login), b.rule
	switch {
	case holds(rule.Users, login), who.Permission != "" && rank(who.Permission) <= rank(rule.Permission), len(common(rule.Teams, who.Teams)) > 0:
		return yes
	case who.Permission == "":
		return unknown(evidence.WantedPeople, login, "nobody knows what permission "+login+" has")
	}
	if about, unseen := b.unseenTeams(&who); unseen {
		return unknown(evidence.WantedTeams, about, "nobody knows whether "+login+" is a member of "+strings.Join(rule.Teams, ", "))
	}
	return b.another(login + " has the permission " + who.Permission)
}

// unseenTeams reports whether somebody may be a member of a team of the contract for all that anybody knows, and whom or
// what that is about. A list of teams holds only those that could be seen.
func (b bench) unseenTeams(who *evidence.Person) (about string, unseen bool) {
	if len(b.rule.Teams) == 0 {
		return "", false
	}
	for _, u := range b.facts.Unavailable {
		if u.What == evidence.WantedTeams && (u.About == "" || holds(b.rule.Teams, u.About) || sameLogin(u.About, who.Login)) {
			return u.About, true
		}
	}
	return who.Login, who.Teams == nil
}

package override

import (
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/facts"
)

// eligibility asks whether people may override this pull request.
type eligibility struct {
	rule  *Rule
	facts *facts.Facts
	pr    *facts.PullRequest
	do    string // what they want to do, such as "add the label"
}

// Qualified reports whether a person may override this pull request, regardless of label and reason: it evaluates the rows
// person, author, commits and permission of the table. The author of the pull request never qualifies, even where the
// contract has allow_author. The facts must contain a live pull request. do is what the person wants to do, such as "add
// the label".
func (r *Rule) Qualified(f *facts.Facts, who facts.Account, do string) Answer {
	strict := *r
	strict.AllowAuthor = false
	e := eligibility{&strict, f, f.GitHub.PullRequest, do}
	open := yes
	for _, a := range []Answer{e.human(who), e.notAuthor(who), e.noPart(who), e.entitled(who)} {
		if a.State == No {
			return a
		}
		if a.State == Unknown && open.State == Yes {
			open = a
		}
	}
	return open
}

// Dependent says why the account that resolved a thread does not speak for the reviewer: it is a bot or an agent, or has a part in
// the change. "" when the person who opened the thread resolved it, or one without a part.
func Dependent(rule *Rule, f *facts.Facts, t *facts.Thread) string {
	if rule == nil {
		rule = NewRule()
	}
	e := eligibility{rule: rule, facts: f, pr: f.GitHub.PullRequest}
	opener, who := facts.Account{Login: t.OpenedBy, ID: t.OpenedByID}, facts.Account{Login: t.ResolvedBy, ID: t.ResolvedByID}
	bot := isBot(t.ResolvedBy) || (isBot(t.OpenedBy) && facts.FoldLogin(t.ResolvedBy)+botSuffix == facts.FoldLogin(t.OpenedBy))
	switch {
	case who.Login == "":
		return "an app, or an account that is gone"
	case bot:
		return "a bot"
	case opener.Is(who):
		return ""
	case e.isAuthor(who):
		return "the author of the pull request"
	case rule.agents != nil && rule.agents.lists(identity{Account: who}):
		return "an agent"
	case slices.ContainsFunc(e.pr.AskedBy, who.Is):
		return "who asked the agent for the pull request"
	}
	for i := range e.pr.Commits {
		if part := e.part(&e.pr.Commits[i], who); part != "" {
			return "the " + part + " of a commit"
		}
	}
	return ""
}

// another answers no, and names who can do it instead.
func (e eligibility) another(why string) Answer {
	return no(why, e.rule.Who()+", who has no part in the pull request, can "+e.do)
}

// person is what is known about an account; the zero value when nothing is.
func person(f *facts.Facts, who facts.Account) facts.Person {
	for _, p := range f.GitHub.People {
		if who.Is(facts.Account{Login: p.Login, ID: p.ID}) {
			return p
		}
	}
	return facts.Person{}
}

// isListed reports whether the contract lists a person under users. It lists logins; the current login of the account counts.
func (e eligibility) isListed(who facts.Account) bool {
	if now := person(e.facts, who); now.Login != "" {
		return containsLogin(e.rule.Users, now.Login)
	}
	return containsLogin(e.rule.Users, who.Login)
}

// human asks whether an account is a person's.
func (e eligibility) human(who facts.Account) Answer {
	if who.Login == "" || who.Unidentified() {
		return e.another("the account is deleted")
	}
	if isBot(who.Login) {
		return e.another(who.Login + " is a bot")
	}
	now, namesake := person(e.facts, who), person(e.facts, facts.Account{Login: who.Login})
	switch {
	case now.Login == "" && namesake.Login != "" && who.ID != "" && namesake.ID != who.ID:
		return e.another(who.Login + " is now the login of another account")
	case now.Login == "":
		return unknown(facts.WantedPeople, who.Login, "cannot determine the account type of "+who.Login)
	case now.Type != "User":
		return e.another(who.Login + " is " + orNone(now.Type) + ", not a User")
	case e.isAgent(who, &now) && !e.isListed(who):
		return e.another("applies_to lists " + who.Login + ", so its pull requests are judged")
	}
	return yes
}

// isAgent reports whether applies_to lists an account, by the login in the event or its current login.
func (e eligibility) isAgent(who facts.Account, now *facts.Person) bool {
	then := identity{Account: facts.Account{Login: who.Login, ID: now.ID}}
	return e.rule.agents != nil &&
		(e.rule.agents.lists(then) || e.rule.agents.lists(identity{Account: facts.Account{Login: now.Login}, kind: now.Type}))
}

func isBot(login string) bool { return strings.HasSuffix(facts.FoldLogin(login), botSuffix) }

func orNone(accountType string) string {
	if accountType == "" {
		return "of no known type"
	}
	return "a " + accountType
}

func (e eligibility) isAuthor(who facts.Account) bool { return who.Is(authorOf(e.pr).Account) }

func (e eligibility) notAuthor(who facts.Account) Answer {
	if !e.rule.AllowAuthor && e.isAuthor(who) {
		return e.another(who.Login + " is the author of the pull request")
	}
	return yes
}

// noPart asks whether a person has no part in the commits. With allow_author, the commits of the author of the pull request
// do not count: else the key would allow nothing.
func (e eligibility) noPart(who facts.Account) Answer {
	if e.rule.AllowAuthor && e.isAuthor(who) {
		return e.alone(who)
	}
	if !e.rule.AllowAuthor && slices.ContainsFunc(e.pr.AskedBy, who.Is) {
		return e.another(who.Login + " asked the agent for the pull request")
	}
	for i := range e.pr.Commits {
		c := &e.pr.Commits[i]
		if part := e.part(c, who); part != "" {
			return e.another(who.Login + " is " + part + " of the commit " + c.SHA)
		}
	}
	if len(e.pr.Commits) == 0 || lacks(e.facts, facts.WantedCommits) {
		return unknown(facts.WantedCommits, "", "cannot determine whether "+who.Login+" has a part in the commits")
	}
	return yes
}

// alone asks, where the only maintainer overrides as author, whether the commits name no other person: which of the others is an agent is
// not known.
func (e eligibility) alone(who facts.Account) Answer {
	if !e.rule.Self {
		return yes
	}
	for i := range e.pr.Commits {
		c := &e.pr.Commits[i]
		author := facts.Account{Login: c.Author, ID: c.AuthorID}
		if !e.isOnlyCoAuthor(c, who) || (!author.Unidentified() && !who.Is(author)) {
			return no("the commit "+c.SHA+" names an author beside "+who.Login,
				"let the agent open its pull requests from an account of its own, then review them")
		}
	}
	if len(e.pr.Commits) == 0 || lacks(e.facts, facts.WantedCommits) {
		return unknown(facts.WantedCommits, "", "cannot determine whether the commits name an author beside "+who.Login)
	}
	return yes
}

// part is the role of a person in a commit; "" for none. A trailer, an unsigned commit, and the author of a commit that
// another person signed can name anyone, for example to exclude a maintainer. So they do not count against a person whom
// the contract lists. In a commit that GitHub itself signs, the author is the person who pressed the button.
func (e eligibility) part(c *facts.Commit, who facts.Account) string {
	named := e.isListed(who)
	author := who.Is(facts.Account{Login: c.Author, ID: c.AuthorID}) || e.shows(who, c.AuthorEmail)
	committer := who.Is(facts.Account{Login: c.Committer, ID: c.CommitterID}) || e.shows(who, c.CommitterEmail)
	switch {
	case named && !c.Verified, e.isUpdate(c):
	case author && (!named || committer || byGitHub(c)):
		return "author"
	case committer: // never web-flow, which adds no label
		return "committer"
	case !named && e.isCoAuthor(c, who):
		return "co-author"
	}
	return ""
}

// byGitHub reports whether GitHub itself made a commit, for a person who pressed a button.
func byGitHub(c *facts.Commit) bool {
	return c.Verified && facts.FoldLogin(c.Committer) == "web-flow"
}

// isUpdate reports whether a commit only merges the base branch into the pull request, as the button "Update branch" does.
// GitHub lists all commits that the base branch does not contain, so a parent that is not listed is on the base branch. The
// conflict editor makes such merges too, but with content of their own.
func (e eligibility) isUpdate(c *facts.Commit) bool {
	if !byGitHub(c) || !c.CleanMerge || len(c.Parents) != 2 {
		return false
	}
	return e.proposes(c.Parents[0]) != e.proposes(c.Parents[1])
}

// proposes reports whether a commit is one of the pull request's own.
func (e eligibility) proposes(sha string) bool {
	return slices.ContainsFunc(e.pr.Commits, func(c facts.Commit) bool { return c.SHA == sha })
}

// isCoAuthor looks for a person in the trailers.
func (e eligibility) isCoAuthor(c *facts.Commit, who facts.Account) bool {
	return slices.ContainsFunc(c.CoAuthors, func(text string) bool { return e.names(text, who) })
}

// isOnlyCoAuthor reports whether the trailers of a commit name no other person.
func (e eligibility) isOnlyCoAuthor(c *facts.Commit, who facts.Account) bool {
	return !slices.ContainsFunc(c.CoAuthors, func(text string) bool { return !e.names(text, who) })
}

// names reports whether a trailer names a person: by ID+LOGIN or LOGIN of an address that GitHub made, or by the public address of
// the account.
func (e eligibility) names(trailer string, who facts.Account) bool {
	if strings.Contains(trailer, "@") {
		return e.shows(who, trailer)
	}
	id, login, found := strings.Cut(trailer, "+")
	if !found {
		id, login = "", trailer
	}
	return who.Is(facts.Account{Login: login, ID: id})
}

// shows reports whether an address is the public address of an account.
func (e eligibility) shows(who facts.Account, address string) bool {
	return address != "" && strings.EqualFold(address, person(e.facts, who).Email)
}

// entitled requires the permission of the contract, or triage permission and a place in its users or teams.
func (e eligibility) entitled(who facts.Account) Answer {
	now, rule := person(e.facts, who), e.rule
	works := rank(now.Permission) <= rank(triage)
	switch {
	case now.Permission == "":
		return unknown(facts.WantedPeople, who.Login, "cannot determine the permission of "+who.Login)
	case rank(now.Permission) <= rank(rule.Permission), works && (e.isListed(who) || len(common(rule.Teams, now.Teams)) > 0):
		return yes
	case !works:
		return e.another(who.Login + " has the permission " + now.Permission)
	}
	if about, unseen := e.unseenTeams(&now); unseen {
		return unknown(facts.WantedTeams, about, "cannot determine whether "+who.Login+" is a member of "+strings.Join(rule.Teams, ", "))
	}
	return e.another(who.Login + " has the permission " + now.Permission)
}

// unseenTeams reports whether a person may be a member of a team of the contract that the token could not read, and the
// login or team that this is about. The facts list only teams that the token can see.
func (e eligibility) unseenTeams(who *facts.Person) (about string, unseen bool) {
	if len(e.rule.Teams) == 0 {
		return "", false
	}
	for _, u := range e.facts.Unavailable {
		if u.What == facts.WantedTeams && (u.About == "" || containsLogin(e.rule.Teams, u.About) || facts.FoldLogin(u.About) == facts.FoldLogin(who.Login)) {
			return u.About, true
		}
	}
	return who.Login, who.Teams == nil
}

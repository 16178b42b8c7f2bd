package override

import (
	"fmt"

	"github.com/closeout-gate/closeout/verify/facts"
)

// Attempt is a request for an override by an account that may not override.
type Attempt struct {
	What string   // who did what, for a person
	Key  []string // identifies the attempt; the same in every run
}

// Attempts lists the attempts in the live pull request: labels added by agents, comments by agents or by the author of the
// pull request, commit messages. rule may be nil.
func Attempts(f *facts.Facts, rule *Rule) []Attempt {
	pr := live(f)
	if pr == nil {
		return nil
	}
	if rule == nil {
		rule = NewRule()
	}
	var list []Attempt
	for _, e := range pr.LabelEvents {
		if e.Event == "labeled" && rule.Asks(e.Label) && (e.ActorType == "Bot" || isBot(e.Actor) || e.App != "" || e.Intent) {
			list = append(list, Attempt{fmt.Sprintf("an agent added the label %q, as %s", e.Label, named(e.Actor)), []string{"label", e.Label, e.Actor}})
		}
	}
	for _, c := range pr.Comments {
		if who := rule.commenter(pr, &c); who != "" {
			list = append(list, Attempt{who + " asks for an override in a comment, as " + named(c.Author), []string{"comment", c.Author}})
		}
	}
	for _, c := range pr.Commits {
		if c.Override != "" {
			list = append(list, Attempt{fmt.Sprintf("the message of the commit %s asks for an override: %q", c.SHA, c.Override), []string{"commit", c.SHA}})
		}
	}
	return list
}

// commenter names the role of a commenter who asks for an override and may not override; "" when the comment asks for
// none, or its author may override.
func (r *Rule) commenter(pr *facts.PullRequest, c *facts.Comment) string {
	if _, found := line(c.Body); !found {
		return ""
	}
	switch {
	case c.Type == "Bot" || isBot(c.Author) || c.App != "":
		return "an agent"
	case !r.AllowAuthor && authorOf(pr).Is(facts.Account{Login: c.Author, ID: c.AuthorID}):
		return "the author of the pull request"
	}
	return ""
}

func named(login string) string {
	if login == "" {
		return "a deleted account"
	}
	return login
}

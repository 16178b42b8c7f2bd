package canary

import (
	"strings"

	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/report"
)

// ofOverride breaks what lets an override count: its code, who gave it, and for which head.
func (c *canary) ofOverride() []mutation {
	o := c.before.Override
	switch {
	case c.before.Verdict == report.Overridden && o == nil:
		c.notTried(OverrideCode, "overrides of pull requests in a merge group are not broken")
		return nil
	case o == nil || c.known == nil || c.before.OverrideCode == nil:
		return nil
	}
	const refused = "override.refused"
	standing := &c.contracts[0]
	return []mutation{
		{
			name: OverrideCode, text: "the reason of the override contains another code", expected: refused, refusal: []string{"bound"},
			edit: c.editPull(func(f *facts.Facts) string { return otherCode(f.GitHub.PullRequest, *c.before.OverrideCode) }),
		},
		{
			name: OverrideActor, text: "the author of the pull request gave the override", expected: refused,
			refusal: []string{"person", "agent", "author", "commits", "permission"},
			because: func(*report.Report) *report.CanaryBecause {
				return standing.becauseOf("override.allow_author is true", "override", "allow_author")
			},
			edit: c.editPull(func(f *facts.Facts) string { return byAuthor(f.GitHub.PullRequest, o) }),
		},
		{
			name: OverrideHead, text: "the pull request has another head than the one that was judged", expected: refused, refusal: []string{"bound", "head"},
			edit: c.editPull(func(f *facts.Facts) string {
				pr := f.GitHub.PullRequest
				pr.HeadSHA = otherID(pr.HeadSHA)
				if pr.LastHeadSHA != "" {
					pr.LastHeadSHA = pr.HeadSHA
				}
				return ""
			}),
		},
	}
}

// editPull changes the facts about the live pull request.
func (c *canary) editPull(change func(*facts.Facts) string) func(*inputs) string {
	return func(in *inputs) string {
		f := in.facts(whole)
		why := change(f)
		if why == "" {
			if err := in.setFacts(whole, f); err != nil {
				why = err.Error()
			}
		}
		return why
	}
}

// otherCode replaces the override code in all comments and labels.
func otherCode(pr *facts.PullRequest, code string) (why string) {
	other, found := "a"+code[1:], false
	if code[0] == 'a' {
		other = "b" + code[1:]
	}
	replace := func(text *string) {
		if at := strings.Index(strings.ToLower(*text), code); at >= 0 && len(strings.ToLower(*text)) == len(*text) {
			*text, found = (*text)[:at]+other+(*text)[at+len(code):], true
		}
	}
	for i := range pr.Comments {
		replace(&pr.Comments[i].Body)
	}
	for i := range pr.Labels {
		replace(&pr.Labels[i])
	}
	for i := range pr.LabelEvents {
		replace(&pr.LabelEvents[i].Label)
	}
	if !found {
		return "the reason of the override does not contain the code"
	}
	return ""
}

// byAuthor gives what the person who overrode said and did to the author of the pull request.
func byAuthor(pr *facts.PullRequest, o *report.Override) (why string) {
	person, author := facts.Account{Login: o.Actor, ID: o.ActorID}, facts.Account{Login: pr.Author, ID: pr.AuthorID}
	if author.Unidentified() || author.Is(person) {
		return "the author of the pull request is unknown, or gave the override"
	}
	for i := range pr.LabelEvents {
		if e := &pr.LabelEvents[i]; person.Is(facts.Account{Login: e.Actor, ID: e.ActorID}) {
			e.Actor, e.ActorID = author.Login, author.ID
		}
	}
	for i := range pr.Comments {
		if m := &pr.Comments[i]; person.Is(facts.Account{Login: m.Author, ID: m.AuthorID}) {
			m.Author, m.AuthorID = author.Login, author.ID
		}
	}
	return ""
}

// Package override decides whether a person overrode the blocking findings, and who may do so.
//
// A label on the pull request asks for an override. [Table] lists the conditions, one per row. The first condition that is
// not met refuses the label and says who can do what. A label whose condition cannot be determined is refused as well.
package override

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/facts"
)

// Question is all that decides whether a label counts.
type Question struct {
	Facts   *facts.Facts
	Rule    *Rule    // nil when the contract that says who may override cannot be trusted or read
	Head    string   // id of the head that was judged; "" when unknown
	Blocked []string // codes of the blocking findings, and the ids of their diff rules; empty when there are none
	Unknown int      // number of unknown findings
	Code    string   // the override code of the blocking findings; "" when there are none
	// OtherContent are the paths of blocking findings, as the report writes them, whose content in the merge group differs
	// from their content in the pull request.
	OtherContent []string
	Printed      []string // what the gate prints about the findings; a copy of it is not a reason
	Names        []string // codes and paths of the findings: the same for these

	echoes     *echoes                       // of Printed; nil until first used
	statements map[facts.Account][]statement // see commentsOf
	newest     []facts.Comment               // the comments, the newest first; nil until first used
}

// Decision is the answer to a question. The zero value means that no label asks for an override.
type Decision struct {
	Grant   *Grant // nil when nothing is overridden
	Refused []Refusal
	// Missing are the facts without which a label could not be judged. It is empty when another label counts.
	Missing []Missing
	Notes   []Note // what a person began, and what is missing
}

// Note tells a person why something does not count that is not a label of an override.
type Note struct {
	What, Do string
	Key      []string // identifies it; the same in every run
}

// Grant is a label that counts.
type Grant struct {
	Actor, ActorID string
	At             string // when the label was added
	Label, Reason  string
	Others         []Voice // who overrides together with the actor, where the contract requires several people
}

// Voice is the comment of a person who overrides together with the one who added the label.
type Voice struct {
	Actor, ActorID string
	At             string // when the comment was written
	Reason         string
}

// Refusal is a label that does not count.
type Refusal struct {
	Label string
	Actor string // who added it, or "unknown"
	Row   *Row   // the condition that is not met
	Why   string // why it is not met
	Do    string // who can do what
}

// Missing is an unavailable fact.
type Missing struct {
	Kind  facts.Wanted
	About string // a login, or a part of the kind; "" for all of it
}

// Answer is the result of a condition for a label or a person.
type Answer struct {
	State   State
	Why, Do string
	Missing Missing // of an unknown answer
}

// State is whether a condition is met.
type State int

// The states. The zero value is no.
const (
	No State = iota
	Yes
	Unknown
)

var yes = Answer{State: Yes}

func no(why, do string) Answer { return Answer{Why: why, Do: do} }

func unknown(kind facts.Wanted, about, why string) Answer {
	return Answer{State: Unknown, Why: why, Do: "make the fact available", Missing: Missing{kind, about}}
}

// Decide judges the labels of the live pull request. There is nothing to decide without a pull request, or when nothing
// blocks and nothing is unknown.
func Decide(q *Question) Decision {
	var d Decision
	pr := q.Facts.Live()
	if pr == nil || (len(q.Blocked) == 0 && q.Unknown == 0) {
		return d
	}
	if pr.Labels == nil && len(q.Blocked) > 0 {
		d.Missing = []Missing{{facts.WantedPullRequest, "labels"}}
	}
	rule := q.Rule
	if rule == nil {
		rule = NewRule() // rowContract refuses every label
	}
	labels := slices.DeleteFunc(slices.Clone(pr.Labels), func(l string) bool { return !rule.Asks(l) })
	slices.Sort(labels)
	for _, label := range slices.Compact(labels) {
		grant, refusal, missing := judge(&request{Question: q, pr: pr, label: label})
		if grant != nil && d.Grant == nil {
			d.Grant = grant
		}
		if refusal != nil {
			d.Refused = append(d.Refused, *refusal)
		}
		d.Missing = append(d.Missing, missing...)
	}
	if d.Grant != nil {
		d.Missing = nil
	}
	if len(labels) == 0 && pr.Labels != nil && len(q.Blocked) > 0 {
		d.Notes = notes(q, rule, pr)
	}
	return d
}

// notes says what is missing where no label asks for an override: a comment has the code, or a label has nearly the right name.
func notes(q *Question, rule *Rule, pr *facts.PullRequest) []Note {
	var list []Note
	for _, label := range pr.Labels {
		if n := len(rule.Label); len(label) > n && strings.EqualFold(label[:n], rule.Label) {
			list = append(list, Note{
				fmt.Sprintf("the label %q does not ask for an override: its name only begins with %s", label, rule.Label),
				fmt.Sprintf("add the label %s, or one that begins with %q and the reason", rule.Label, rule.Label+": "), []string{"label", label},
			})
		}
	}
	for i := range pr.Comments {
		c := &pr.Comments[i]
		text, found := line(c.Body)
		if !found || !containsCode(text, q.Code) || altered(c) != "" || (!rule.AllowAuthor && authorOf(pr).Is(facts.Account{Login: c.Author, ID: c.AuthorID})) {
			continue
		}
		note := Note{
			fmt.Sprintf("the comment of %s contains the override code, and the pull request has no label %s", c.Author, rule.Label),
			"add the label " + rule.Label + ": the person who commented must add it", []string{"comment", c.Author},
		}
		if !slices.ContainsFunc(list, func(n Note) bool { return slices.Equal(n.Key, note.Key) }) {
			list = append(list, note)
		}
	}
	return list
}

// lacks reports whether a list is missing, or may be incomplete.
func lacks(f *facts.Facts, kind facts.Wanted) bool {
	return slices.ContainsFunc(f.Unavailable, func(u facts.Unavailable) bool { return u.What == kind })
}

// request is a label, and what the rows of the table found out about it.
type request struct {
	*Question
	pr     *facts.PullRequest
	label  string
	event  *facts.LabelEvent // the event that added it; nil until the row "label" is met
	reason string            // "" until the row "bound" is met
	others []Voice           // nil until the row "people" is met

	statements []statement // see said; nil until first used
}

// judge evaluates the table. The first row that answers no decides, else the first that answers unknown.
func judge(r *request) (*Grant, *Refusal, []Missing) {
	var refusal *Refusal
	var missing []Missing
	for i := range Table {
		row := &Table[i]
		answer := row.judge(r)
		if answer.State == Yes || (answer.State == Unknown && refusal != nil) {
			continue
		}
		actor := "unknown"
		if r.event != nil {
			actor = cmp.Or(r.event.Actor, actor)
		}
		refusal = &Refusal{Label: r.label, Actor: actor, Row: row, Why: answer.Why, Do: answer.Do}
		if answer.State == No {
			return nil, refusal, nil
		}
		missing = []Missing{answer.Missing}
		if r.event == nil {
			break // the other rows are about the actor of the event
		}
	}
	if refusal != nil {
		return nil, refusal, missing
	}
	id := cmp.Or(r.event.ActorID, person(r.Facts, r.who()).ID) // else the id of the account with the login
	return &Grant{Actor: r.event.Actor, ActorID: id, At: r.event.CreatedAt, Label: r.label, Reason: withoutCode(r.reason, r.Code), Others: r.others}, nil, nil
}

// Newer reports whether one id, a string of digits, is larger than another. GitHub numbers events as they happen.
func Newer(a, b string) bool { return compareIDs(a, b) > 0 }

func compareIDs(a, b string) int {
	a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}

// RefusedRequest is a request for an override by an account that may not override.
type RefusedRequest struct {
	What string   // who did what, for a person
	Key  []string // identifies the request; the same in every run
}

// RefusedRequests lists those in the live pull request: labels added by agents, comments by agents or by the author of the
// pull request, commit messages. rule may be nil.
func RefusedRequests(f *facts.Facts, rule *Rule) []RefusedRequest {
	pr := f.Live()
	if pr == nil {
		return nil
	}
	if rule == nil {
		rule = NewRule()
	}
	var list []RefusedRequest
	for _, e := range pr.LabelEvents {
		if e.Event == "labeled" && rule.Asks(e.Label) && (e.ActorType == "Bot" || isBot(e.Actor) || e.App != "" || e.Intent) {
			list = append(list, RefusedRequest{fmt.Sprintf("an agent added the label %q, as %s", e.Label, shownLogin(e.Actor)), []string{"label", e.Label, e.Actor}})
		}
	}
	for _, c := range pr.Comments {
		if _, found := line(c.Body); !found {
			continue
		}
		var who string
		switch {
		case c.Type == "Bot" || isBot(c.Author) || c.App != "":
			who = "an agent"
		case !rule.AllowAuthor && authorOf(pr).Is(facts.Account{Login: c.Author, ID: c.AuthorID}):
			who = "the author of the pull request"
		default:
			continue
		}
		list = append(list, RefusedRequest{who + " asks for an override in a comment, as " + shownLogin(c.Author), []string{"comment", c.Author}})
	}
	for _, c := range pr.Commits {
		if c.Override != "" {
			list = append(list, RefusedRequest{fmt.Sprintf("the message of the commit %s asks for an override: %q", c.SHA, c.Override), []string{"commit", c.SHA}})
		}
	}
	return list
}

func shownLogin(login string) string {
	if login == "" {
		return "a deleted account"
	}
	return login
}

// Package override decides whether a person let the findings that block through, and who may do so.
//
// A label on the pull request asks for it. [Table] lists what must hold, one row a condition; the first row that does not
// hold refuses the label and says who could do what. Where a row needs a fact that nobody has, the label does not count
// either: not known is not yes.
package override

import (
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/facts"
)

// Question is all that decides whether a label counts.
type Question struct {
	Facts   *facts.Facts
	Rule    *Rule    // nil when the contract that says who may override cannot be trusted or read
	Head    string   // id of the head that was judged; "" when unknown
	Blocked []string // codes of the findings that block; empty when none does
	Unknown int      // findings that are unknown
	Code    string   // the override code of the findings that block; "" when none does
	// OtherContent are the paths of findings that block, as the report writes them, to which the merge group that is judged
	// gives another content than the pull request.
	OtherContent []string
	Printed      []string // what the gate itself says about them; sent back it is no reason

	echoes     *echoes                       // of Printed; nil until somebody asked
	statements map[facts.Account][]statement // see commentsOf
}

// Decision is what a question came to. The zero value says that no label asks for anything.
type Decision struct {
	Grant   *Grant // nil when nothing is let through
	Refused []Refusal
	// Missing are the facts for want of which a label could not be judged. It is empty when another label counts.
	Missing []Missing
}

// Grant is a label that counts.
type Grant struct {
	Actor, ActorID string
	At             string // when the label was put on
	Label, Reason  string
}

// Refusal is a label that does not count.
type Refusal struct {
	Label string
	Actor string // who put it on; "unknown" when nobody can tell
	Row   *Row   // the condition that does not hold
	Why   string // what keeps it from holding
	Do    string // who could do what
}

// Missing is a fact that nobody has.
type Missing struct {
	Kind  facts.Wanted
	About string // a login, or what of the kind; "" for all of it
}

// Answer is what a row says of a label, or a person.
type Answer struct {
	State   State
	Why, Do string
	Missing Missing // of an unknown answer
}

// State is whether a condition holds.
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
	return Answer{State: Unknown, Why: why, Do: "make it known", Missing: Missing{kind, about}}
}

// Decide judges the labels of the live pull request. Without one, and when nothing blocks and nothing is unknown, there
// is nothing to decide.
func Decide(q *Question) Decision {
	var d Decision
	pr := live(q.Facts)
	if pr == nil || len(q.Blocked) == 0 && q.Unknown == 0 {
		return d
	}
	if pr.Labels == nil && len(q.Blocked) > 0 {
		d.Missing = []Missing{{facts.WantedPullRequest, "labels"}}
	}
	for _, label := range candidates(q, pr) {
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
	return d
}

// live is the pull request as GitHub had it; nil when nobody knows.
func live(f *facts.Facts) *facts.PullRequest {
	if f == nil || f.GitHub == nil {
		return nil
	}
	return f.GitHub.PullRequest
}

// lacks reports whether a list is missing, or may be incomplete.
func lacks(f *facts.Facts, kind facts.Wanted) bool {
	return slices.ContainsFunc(f.Unavailable, func(u facts.Unavailable) bool { return u.What == kind })
}

// candidates are the labels that ask for an override, sorted.
func candidates(q *Question, pr *facts.PullRequest) []string {
	rule := q.Rule
	if rule == nil {
		rule = NewRule() // it refuses every label, but says so
	}
	var list []string
	for _, l := range pr.Labels {
		if rule.Asks(l) {
			list = append(list, l)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// request is a label, and what the rows find out about it on their way down the table.
type request struct {
	*Question
	pr     *facts.PullRequest
	label  string
	event  *facts.LabelEvent // that put it on; nil until the row "label" holds
	reason string            // "" until the row "bound" holds

	statements []statement // see said; nil until somebody asked
}

// judge goes down the table. A row that says no decides; else the first that does not know.
func judge(r *request) (*Grant, *Refusal, []Missing) {
	var refusal *Refusal
	var missing []Missing
	for i := range Table {
		row := &Table[i]
		answer := row.judge(r)
		if answer.State == Yes || answer.State == Unknown && refusal != nil {
			continue
		}
		refusal = &Refusal{Label: r.label, Actor: r.actorText(), Row: row, Why: answer.Why, Do: answer.Do}
		if answer.State == No {
			return nil, refusal, nil
		}
		missing = []Missing{answer.Missing}
		if r.event == nil {
			break // without its event the other rows have nobody to ask about
		}
	}
	if refusal != nil {
		return nil, refusal, missing
	}
	return &Grant{Actor: r.event.Actor, ActorID: r.actorID(), At: r.event.CreatedAt, Label: r.label, Reason: r.reason}, nil, nil
}

func (r *request) actorText() string {
	if r.event == nil || r.event.Actor == "" {
		return "unknown"
	}
	return r.event.Actor
}

// actorID is the id in the event, else that of the account with the login.
func (r *request) actorID() string {
	if r.event.ActorID != "" {
		return r.event.ActorID
	}
	return person(r.Facts, r.who()).ID
}

// Newer reports whether one id, a string of digits, is larger than another. GitHub numbers events as they happen.
func Newer(a, b string) bool {
	a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	if len(a) != len(b) {
		return len(a) > len(b)
	}
	return a > b
}

package override

import (
	"fmt"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/facts"
)

// Row is one condition of an override that counts.
type Row struct {
	Condition string // what the report calls it; stable
	Title     string // what must hold, in words
	judge     func(*request) Answer
}

// Table is the decision table: a label counts when every row holds. docs/override.md shows the same rows.
var Table = []Row{
	{"contract", "who may override stands in a contract that the change had no hand in, or there is no contract and the defaults hold", rowContract},
	{"label", "the label is on the live pull request, and its newest event is the one that put it on", rowLabel},
	{"person", "a person's account put it on: a User in the event and now, no bot, no account that applies_to lists", rowPerson},
	{"agent", "neither an app nor an agent's intent stands behind the event", rowAgent},
	{"author", "who put it on is not the author of the pull request", rowAuthor},
	{"commits", "who put it on is not author, committer or co-author of its commits", rowCommits},
	{"permission", "who put it on has the permission that the contract asks for, or is one of its users or teams with at least triage permission", rowPermission},
	{"reason", "there is a reason of at least 10 visible characters: the label's text after the colon, or an unedited comment of the same person", rowReason},
	{"bound", "the reason, or an unedited comment of the same person, holds the override code of this run, or the contract is content with the labeled event and this run is that event's", rowBound},
	{"never", "no finding that blocks has a code that the contract keeps from being overridden", rowNever},
	{"content", "a merge group gives each file of the findings that block the content that the pull request gives it", rowContent},
	{"head", "the head that was judged is the pull request's head now", rowHead},
	{"known", "nothing is unknown", rowKnown},
}

func rowContract(r *request) Answer {
	if r.Rule == nil {
		return no("the contract that says who may override cannot be read or trusted", "mend the contract first; no label can stand in for it")
	}
	return yes
}

// rowLabel finds the event that put the label on. Ids decide which event is the newest: times can be equal, and lists
// come in any order.
func rowLabel(r *request) Answer {
	if r.pr.LabelEvents == nil || lacks(r.Facts, facts.WantedLabelEvents) {
		return unknown(facts.WantedLabelEvents, "", "nobody knows who put the label on")
	}
	var on, off *facts.LabelEvent
	for i := range r.pr.LabelEvents {
		e := &r.pr.LabelEvents[i]
		if !strings.EqualFold(e.Label, r.label) {
			continue
		}
		newest := &off
		if e.Event == "labeled" {
			newest = &on
		}
		if *newest == nil || Newer(e.ID, (*newest).ID) {
			*newest = e
		}
	}
	again := r.Rule.Who() + " can take the label off and put it on again"
	switch {
	case on == nil:
		return no("no event says who put the label on", again)
	case off != nil && !Newer(on.ID, off.ID):
		return no("it was taken off after it was put on", again)
	}
	r.event = on
	return yes
}

func (r *request) bench() bench { return bench{r.Rule, r.Facts, r.pr, "put the label on"} }

// who is the account that put the label on.
func (r *request) who() facts.Account {
	return facts.Account{Login: r.event.Actor, ID: r.event.ActorID}
}

func rowPerson(r *request) Answer {
	e := r.event
	if e.Actor != "" && e.ActorType != "User" {
		return r.bench().another(e.Actor + " is " + orNone(e.ActorType) + ", no User")
	}
	return r.bench().human(r.who())
}

func rowAgent(r *request) Answer {
	byHand := r.Rule.Who() + " can take it off and put it on again, by hand"
	switch {
	case r.event.App != "":
		return no("the app "+r.event.App+" put it on for "+r.event.Actor, byHand)
	case r.event.Intent:
		return no("an agent gave its intent with the event", byHand)
	}
	return yes
}

func rowAuthor(r *request) Answer { return r.bench().notAuthor(r.who()) }

func rowCommits(r *request) Answer { return r.bench().noPart(r.who()) }

func rowPermission(r *request) Answer { return r.bench().entitled(r.who()) }

// said are the statements of the account that put the label on.
func (r *request) said() []statement {
	if r.statements == nil {
		r.statements = statements(r)
	}
	return r.statements
}

// rowReason asks for a reason that says something.
func rowReason(r *request) Answer {
	good, why := reasons(r)
	switch {
	case len(good) > 0:
		return yes
	case r.pr.Comments == nil || lacks(r.Facts, facts.WantedComments):
		return unknown(facts.WantedComments, "", "the label gives no reason, and nobody knows the comments")
	}
	return no(why, fmt.Sprintf("%s can comment %s", r.event.Actor, r.line()))
}

// rowBound asks that the reason was given for these findings at this head. The code in it proves that; the event proves
// less, and only to a contract that says so. Where nothing blocks there is nothing to be bound to.
func rowBound(r *request) Answer {
	good, _ := reasons(r)
	if len(r.Blocked) == 0 {
		return yes
	}
	reason, why := boundReason(r, good)
	switch {
	case reason != "":
		r.reason = reason
		return yes
	case r.Rule.Binding == bindingEvent && r.isOwnEvent() && len(good) > 0:
		r.reason = good[0].text
		return yes
	case r.pr.Comments == nil || lacks(r.Facts, facts.WantedComments):
		return unknown(facts.WantedComments, "", "the label's reason does not hold the override code, and nobody knows the comments")
	}
	return no(why, fmt.Sprintf("%s can look at the findings and comment %s", r.event.Actor, r.line()))
}

// line is what a person would write.
func (r *request) line() string { return strings.TrimSpace(Command+" "+r.Code) + " and why" }

// isOwnEvent reports whether this run is the one that the label's own event started, at the live head. That it is the
// one that was judged, the row "head" sees to; an event of another base branch is subject.moved.
func (r *request) isOwnEvent() bool {
	e := &r.Facts.Event
	return e.Name == "pull_request" && e.Action == "labeled" && strings.EqualFold(e.Label, r.label) && r.who().Is(facts.Account{Login: e.Sender, ID: e.SenderID}) &&
		e.HeadSHA == r.pr.HeadSHA
}

func rowNever(r *request) Answer {
	for _, code := range r.Blocked {
		if slices.Contains(r.Rule.Never, code) {
			return no(code+" can never be overridden here", "mend it; while it blocks, no label counts")
		}
	}
	return yes
}

// contentShown is how many paths a refusal names.
const contentShown = 5

// rowContent asks of a merge group whether it merges what the person saw.
func rowContent(r *request) Answer {
	paths := r.OtherContent
	if len(paths) == 0 {
		return yes
	}
	shown := strings.Join(paths[:min(len(paths), contentShown)], ", ")
	if more := len(paths) - contentShown; more > 0 {
		shown += fmt.Sprintf(" and %d more", more)
	}
	return no("the merge group gives another content than the pull request to "+shown,
		fmt.Sprintf("update the branch of the pull request once the other changes of these files are on the base branch; then %s can look at the findings and comment the new code",
			r.event.Actor))
}

func rowHead(r *request) Answer {
	switch {
	case r.Head == "":
		return unknown(facts.WantedSubject, "", "nobody wrote down which head was judged")
	case r.Head != r.pr.HeadSHA || r.pr.LastHeadSHA != "" && r.pr.LastHeadSHA != r.Head:
		return no("the pull request has another head now", "run the gate on the new head, then look again")
	}
	return yes
}

func rowKnown(r *request) Answer {
	if r.Unknown > 0 {
		return no(fmt.Sprintf("%d findings are unknown, and nobody can accept what is not known", r.Unknown), "make the facts available, then run the gate again")
	}
	return yes
}

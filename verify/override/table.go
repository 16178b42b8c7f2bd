package override

import (
	"fmt"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/report"
)

// Row is one condition of an override.
type Row struct {
	Condition string // what the report calls it; stable
	Title     string // the condition in words
	judge     func(*request) Answer
}

// Table is the decision table: a label counts when every condition is met. docs/overrides.md shows the same rows.
var Table = []Row{
	{"contract", "the contract that says who may override is not affected by the change, or there is no contract and the defaults apply", rowContract},
	{"label", "the label is on the live pull request, and its newest event is the one that added it", rowLabel},
	{"person", "a person added it: the account is a User in the event and now, not a bot, and not listed by applies_to", rowPerson},
	{"agent", "the event names neither an app nor the intent of an agent", rowAgent},
	{"author", "the person who added it is not the author of the pull request", rowAuthor},
	{"commits", "the person who added it is not author, committer or co-author of its commits", rowCommits},
	{"permission", "the person who added it has the permission that the contract requires, or is in its users or teams and has at least triage permission", rowPermission},
	{"reason", "there is a reason of at least 10 visible characters: the text of the label after the colon, or an unedited comment by the same person", rowReason},
	{"bound", "the reason, or an unedited comment by the same person, contains the override code of this run, or binding is event and this run was triggered by the labeled event", rowBound},
	{"people", "as many people as the contract requires override together: beside the one who added the label, others who meet the rows person, author, commits and permission, each with an unedited comment with the override code and a reason", rowPeople},
	{"never", "no blocking finding has a code, or comes from a diff rule, that the contract lists under never", rowNever},
	{"content", "in a merge group, each file of the blocking findings has the same content as in the pull request", rowContent},
	{"head", "the head that was judged is the current head of the pull request", rowHead},
	{"known", "nothing is unknown", rowKnown},
}

func rowContract(r *request) Answer {
	if r.Rule == nil {
		return no("the contract that says who may override cannot be read, or the change affects it", "fix the contract first; no label can replace it")
	}
	return yes
}

// rowLabel finds the event that added the label. The largest id is the newest event: times can be equal, and lists come in
// any order.
func rowLabel(r *request) Answer {
	if r.pr.LabelEvents == nil || lacks(r.Facts, facts.WantedLabelEvents) {
		return unknown(facts.WantedLabelEvents, "", "cannot determine who added the label")
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
	again := r.Rule.Who() + " can remove the label and add it again"
	switch {
	case on == nil:
		return no("no event says who added the label", again)
	case off != nil && !Newer(on.ID, off.ID):
		return no("it was removed after it was added", again)
	}
	r.event = on
	return yes
}

func (r *request) eligible() eligibility { return eligibility{r.Rule, r.Facts, r.pr, "add the label"} }

// who is the account that added the label.
func (r *request) who() facts.Account {
	return facts.Account{Login: r.event.Actor, ID: r.event.ActorID}
}

func rowPerson(r *request) Answer {
	e := r.event
	if e.Actor != "" && e.ActorType != "User" {
		return r.eligible().another(e.Actor + " is " + orNone(e.ActorType) + ", not a User")
	}
	return r.eligible().human(r.who())
}

func rowAgent(r *request) Answer {
	byHand := r.Rule.Who() + " can remove the label and add it again by hand"
	switch {
	case r.event.App != "":
		return no("the app "+r.event.App+" added it for "+r.event.Actor, byHand)
	case r.event.Intent:
		return no("the event names the intent of an agent", byHand)
	}
	return yes
}

func rowAuthor(r *request) Answer { return r.eligible().notAuthor(r.who()) }

func rowCommits(r *request) Answer { return r.eligible().noPart(r.who()) }

func rowPermission(r *request) Answer { return r.eligible().entitled(r.who()) }

// rowReason requires a reason with content of its own.
func rowReason(r *request) Answer {
	good, why := reasons(r)
	switch {
	case len(good) > 0:
		return yes
	case r.pr.Comments == nil || lacks(r.Facts, facts.WantedComments):
		return unknown(facts.WantedComments, "", "the label gives no reason, and the comments are unavailable")
	}
	return no(why, fmt.Sprintf("%s can comment %s", r.event.Actor, r.line()))
}

// rowBound requires that the reason was given for these findings at this head. The override code in it proves that. The
// labeled event proves less, and counts only where binding is event. Where nothing blocks there is nothing to bind to.
func rowBound(r *request) Answer {
	good, _ := reasons(r)
	if len(r.Blocked) == 0 {
		return yes
	}
	reason, _, why := boundReason(r.allStatements(), r.Code)
	switch {
	case reason != "":
		r.reason = reason
		return yes
	case r.Rule.Binding == bindingEvent && r.isOwnEvent() && len(good) > 0:
		r.reason = good[0].text
		return yes
	case r.pr.Comments == nil || lacks(r.Facts, facts.WantedComments):
		return unknown(facts.WantedComments, "", "the reason of the label does not contain the override code, and the comments are unavailable")
	}
	if r.Rule.Binding == bindingEvent && r.Facts.Event.Attempt > 1 {
		why += ", and a run that is run again may find what the label did not accept"
	}
	return no(why, fmt.Sprintf("%s can review the findings and comment %s", r.event.Actor, r.line()))
}

// line is the comment that a person would write.
func (r *request) line() string { return strings.TrimSpace(report.Command+" "+r.Code) + " and why" }

// isOwnEvent reports whether the labeled event of this label triggered this run, at the live head. The row "head" requires
// that this head was judged; an event for another base branch is subject.moved. A run that was run again may find what the person
// who added the label could not see.
func (r *request) isOwnEvent() bool {
	e := &r.Facts.Event
	return e.Name == "pull_request" && e.Action == "labeled" && strings.EqualFold(e.Label, r.label) && r.who().Is(facts.Account{Login: e.Sender, ID: e.SenderID}) &&
		e.HeadSHA == r.pr.HeadSHA && e.Attempt <= 1
}

// rowPeople counts the people who override together. An account is one person, whatever its login was when it wrote.
func rowPeople(r *request) Answer {
	if r.Rule.People <= 1 || len(r.Blocked) == 0 {
		return yes
	}
	counted := []facts.Account{r.who()}
	open := yes
	comments := slices.Clone(r.pr.Comments)
	input.SortStable(comments, func(a, b facts.Comment) int { return compareIDs(a.ID, b.ID) })
	for i := range comments {
		who := facts.Account{Login: comments[i].Author, ID: comments[i].AuthorID}
		text, found := line(comments[i].Body)
		if !found || !containsCode(text, r.Code) || slices.ContainsFunc(counted, who.Is) {
			continue
		}
		if answer := r.eligible().human(who); answer.State != Yes { // of a crowd, most are unknown
			if answer.State == Unknown {
				open = answer
			}
			continue
		}
		counted = append(counted, who) // no comment of it is looked at again
		reason, at, _ := boundReason(r.commentsOf(who, comments), r.Code)
		if reason == "" {
			continue
		}
		switch answer := r.Rule.Qualified(r.Facts, who, "comment"); answer.State {
		case Unknown:
			open = answer
		case Yes:
			id := person(r.Facts, who).ID
			isSame := func(v Voice) bool { return v.ActorID == id }
			if id != person(r.Facts, r.who()).ID && !slices.ContainsFunc(r.others, isSame) {
				r.others = append(r.others, Voice{who.Login, id, at, withoutCode(reason, r.Code)})
			}
		}
	}
	switch {
	case int64(len(r.others)) >= r.Rule.People-1:
		return yes
	case r.pr.Comments == nil || lacks(r.Facts, facts.WantedComments):
		return unknown(facts.WantedComments, "", "cannot determine who overrides together with "+r.event.Actor+": the comments are unavailable")
	case open.State == Unknown:
		return open
	}
	return no(fmt.Sprintf("%d of %d people override", len(r.others)+1, r.Rule.People),
		r.Rule.Who()+", who has no part in the pull request, can review the findings and comment "+r.line())
}

func rowNever(r *request) Answer {
	for _, code := range r.Blocked {
		if slices.ContainsFunc(r.Rule.Never, func(never string) bool { return never == code || strings.HasPrefix(contract.RowsOf(never), code+" ") }) {
			return no(code+" is listed under override.never", "fix it; while it blocks, no label counts")
		}
	}
	return yes
}

// contentShown is how many paths a refusal lists.
const contentShown = 5

// rowContent requires that a merge group merges the content that the person reviewed.
func rowContent(r *request) Answer {
	paths := r.OtherContent
	if len(paths) == 0 {
		return yes
	}
	return no("the merge group and the pull request differ in the content of "+strings.Join(input.First(paths, contentShown), ", "),
		fmt.Sprintf("update the branch of the pull request once the other changes to these files are on the base branch; then %s can review the findings and comment the new code",
			r.event.Actor))
}

func rowHead(r *request) Answer {
	switch {
	case r.Head == "":
		return unknown(facts.WantedSubject, "", "cannot determine which head was judged")
	case r.Head != r.pr.HeadSHA || (r.pr.LastHeadSHA != "" && r.pr.LastHeadSHA != r.Head):
		return no("the pull request has a newer head", "run the gate on the new head, then review the findings again")
	}
	return yes
}

func rowKnown(r *request) Answer {
	if r.Unknown > 0 {
		return no(fmt.Sprintf("%d findings are unknown, and unknown findings cannot be overridden", r.Unknown), "make the facts available, then run the gate again")
	}
	return yes
}

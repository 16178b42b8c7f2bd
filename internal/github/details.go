package github

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/override"
	"github.com/closeout-gate/closeout/verify/report"
)

// Wants says which details the contract makes matter.
type Wants struct {
	Override  func(label string) bool // whether a label could override; nil for none
	People    bool                    // whether several people must override together
	Approvals bool                    // whether a file or a test that is touched may need an approval
	Threads   []string                // logins of the reviewers whose threads matter
	Markers   []string                // how a line of them begins; nil where all matter
	Teams     []string                // slugs of teams of the repository's owner whose members may override
	Event     *Event                  // that started the run; nil for none that a list could contain
	SameHead  bool                    // whether it matters which other pull requests have the same head
	Updates   bool                    // whether the merges of all people matter, as where a bot's own commits do
	// CleanMerge reports whether a merge contains what its two parents bring, and nothing else; nil when that is unknown.
	CleanMerge func(commit string, parents []string) bool
}

// Details adds commits and comments, and what overrides and approvals require: label events and the people behind them
// only when the pull request has a label that could override, reviews only when an approval may matter. What is not
// needed stays nil without being unavailable.
func (c *Client) Details(ctx context.Context, p *Pull, w Wants) {
	if p.Live == nil {
		return
	}
	if w.Override == nil {
		w.Override = func(string) bool { return false }
	}
	c.commits(ctx, p, w)
	writers := c.comments(ctx, p)
	var asked []account
	labelled := slices.ContainsFunc(p.Live.Labels, w.Override)
	if labelled || (p.copilot && w.Approvals) { // the events also tell who asked Copilot
		asked = append(asked, c.labelEvents(ctx, p, w)...)
	}
	if labelled && w.People {
		asked = append(asked, writers...)
	}
	if w.Approvals {
		asked = append(asked, c.reviews(ctx, p)...)
	}
	if len(w.Threads) > 0 {
		c.threads(ctx, p, w.Threads, w.Markers)
	}
	c.people(ctx, p, asked, w.Teams)
	if w.SameHead {
		c.sameHead(ctx, p)
	}
	p.findUpdates(asked, w)
}

// sortedByID sorts by number, not by text, and drops what two pages both contain.
func sortedByID[T any](list []T, id func(T) int64) []T {
	input.SortStable(list, func(a, b T) int { return cmp.Compare(id(a), id(b)) })
	return slices.CompactFunc(list, func(a, b T) bool { return id(a) == id(b) })
}

const (
	maxComment = 4096 // bytes of a comment that go into the facts
	maxReasons = 1000 // comments that may contain a reason
)

// comments keeps those that give a reason, or try to, and returns who wrote them, those who belong to the repository first.
func (c *Client) comments(ctx context.Context, p *Pull) []account {
	list, err := all[issueComment](ctx, c, c.path("issues/%d/comments", p.Live.Number), 0)
	for _, comment := range list {
		if comment.ID <= 0 || comment.CreatedAt.IsZero() || comment.UpdatedAt.IsZero() {
			err = fmt.Errorf("a comment has no id or no time")
		}
	}
	if err != nil {
		c.lacks(p, facts.WantedComments, "", err)
		return nil
	}
	list = sortedByID(list, func(i issueComment) int64 { return i.ID })
	if why := short("comments", p.counted.comments, len(list)); why != "" {
		// The comments that are listed count: a comment can add a reason, and removes none.
		p.lacks(facts.Unavailable{What: facts.WantedComments, Error: why, Fix: "run the job again"})
	}
	kept, writers := []facts.Comment{}, voices{}
	for _, comment := range list {
		// The gate's own comment contains the line that a person may copy. Another bot that writes the marker only
		// keeps its own refused attempt out of the report.
		own := comment.User.kind() == "Bot" && strings.HasPrefix(comment.Body, Marker)
		if lines := commandLines(override.Prose(comment.Body)); lines != nil && !own {
			kept = append(kept, comment.fact(lines))
			writers.add(comment.User, comment.Association)
		}
	}
	if len(kept) > maxReasons {
		p.lacks(facts.Unavailable{
			What: facts.WantedComments, Error: fmt.Sprintf("%d comments begin a line with %s: at most %d are read", len(kept), report.Command, maxReasons),
			Fix: "delete those that give no reason",
		})
		return nil
	}
	p.Live.Comments = kept
	return writers.list()
}

// fact keeps the whole text of a comment; of a long one, only the given lines. They must be lines that a page shows: what
// hides a line may be anywhere before it, and is cut off here.
func (i *issueComment) fact(lines []string) facts.Comment {
	body := i.Body
	if len(body) > maxComment {
		body = cut(strings.Join(lines, "\n"), maxComment)
	}
	return facts.Comment{
		ID: digits(i.ID), Author: i.User.login(), AuthorID: i.User.id(), Type: i.User.kind(), App: i.App.slug(),
		CreatedAt: stamp(i.CreatedAt), UpdatedAt: stamp(i.UpdatedAt), Body: body,
	}
}

// commandLines are the lines that begin with the command, indented or not; nil for none.
func commandLines(body string) []string {
	var found []string
	for line := range strings.Lines(body) {
		if strings.HasPrefix(strings.ToLower(strings.TrimSpace(line)), report.Command) {
			found = append(found, strings.TrimRightFunc(line, unicode.IsSpace))
		}
	}
	return found
}

// labelEvents keeps those of labels that could override, and returns the people who added such labels, the newest first.
func (c *Client) labelEvents(ctx context.Context, p *Pull, w Wants) []account {
	list, err := all[issueEvent](ctx, c, c.path("issues/%d/events", p.Live.Number), 0)
	if err == nil {
		err = errors.Join(checkEvents(list), checkHappened(list, w))
	}
	if err != nil {
		c.lacks(p, facts.WantedLabelEvents, "", err)
		return nil
	}
	p.Live.LabelEvents = []facts.LabelEvent{}
	var actors []account
	for _, e := range sortedByID(list, func(e issueEvent) int64 { return e.ID }) {
		if e.Event == "copilot_work_started" && p.copilot && e.Actor != nil && isUser(*e.Actor) {
			p.Live.AskedBy = append(p.Live.AskedBy, e.Actor.who())
		}
		if !e.isLabel() || !w.Override(e.Label.Name) {
			continue
		}
		p.Live.LabelEvents = append(p.Live.LabelEvents, facts.LabelEvent{
			ID: digits(e.ID), Event: e.Event, Label: e.Label.Name, Actor: e.Actor.login(), ActorID: e.Actor.id(), ActorType: e.Actor.kind(),
			App: e.App.slug(), Intent: e.byAgent(), CreatedAt: stamp(e.CreatedAt),
		})
		if e.Actor != nil && e.Event == "labeled" {
			actors = append(actors, *e.Actor)
		}
	}
	slices.Reverse(actors)
	return actors
}

func (e *issueEvent) isLabel() bool { return e.Event == "labeled" || e.Event == "unlabeled" }

// checkHappened requires that the list contains the event that started the run: a list without it may be incomplete. Labels
// that could not override do not matter.
func checkHappened(list []issueEvent, w Wants) error {
	e := w.Event
	if e == nil || e.Name != "pull_request" || e.Label == "" || !w.Override(e.Label) {
		return nil
	}
	sender := facts.Account{Login: e.Sender, ID: e.SenderID}
	there := slices.ContainsFunc(list, func(i issueEvent) bool {
		byLogin := strings.EqualFold(i.Actor.login(), e.Sender) // enough here: this asks whether the list is complete, not who acted
		return i.Event == e.Action && strings.EqualFold(i.Label.Name, e.Label) && (i.Actor.who().Unidentified() || i.Actor.who().Is(sender) || byLogin)
	})
	if there {
		return nil
	}
	return &failure{
		text: fmt.Sprintf("the list of events does not contain the one that started this run: %s, the label %q, by %s", e.Action, cut(e.Label, 80), cut(e.Sender, 80)),
		fix:  "run the job again in a minute",
	}
}

func checkEvents(list []issueEvent) error {
	for _, e := range list {
		if e.isLabel() && (e.ID <= 0 || e.Label.Name == "" || e.CreatedAt.IsZero()) {
			return fmt.Errorf("an event of the label %q has no id, label or time", cut(e.Label.Name, 80))
		}
	}
	return nil
}

var reviewStates = []string{"APPROVED", "CHANGES_REQUESTED", "COMMENTED", "DISMISSED", "PENDING"}

// reviews returns the people who approve this head, those who belong to the repository first.
func (c *Client) reviews(ctx context.Context, p *Pull) []account {
	list, err := all[pullReview](ctx, c, c.path("pulls/%d/reviews", p.Live.Number), 0)
	for _, r := range list {
		if r.ID <= 0 || !slices.Contains(reviewStates, r.State) || (r.CommitID != "" && !isObjectID(r.CommitID)) {
			err = fmt.Errorf("a review has the id %d, the state %q and the commit %q", r.ID, cut(r.State, 80), cut(r.CommitID, 80))
		}
	}
	if err != nil {
		c.lacks(p, facts.WantedReviews, "", err)
		return nil
	}
	p.Live.Reviews = []facts.Review{}
	var approve voices
	for _, r := range sortedByID(list, func(r pullReview) int64 { return r.ID }) {
		review := facts.Review{ID: digits(r.ID), Author: r.User.login(), AuthorID: r.User.id(), State: r.State, CommitID: r.CommitID}
		if r.SubmittedAt != nil {
			review.SubmittedAt = stamp(*r.SubmittedAt)
		}
		p.Live.Reviews = append(p.Live.Reviews, review)
		if r.State == "APPROVED" && r.CommitID == p.Live.HeadSHA {
			approve.add(r.User, r.Association)
		}
	}
	return approve.list()
}

// maxUpdates is how many merges are examined: each compares trees.
const maxUpdates = 20

// findUpdates marks the merges that GitHub made for one of the given people and that contain nothing of their own. Those of
// other people rarely matter.
func (p *Pull) findUpdates(people []account, w Wants) {
	if w.CleanMerge == nil {
		return
	}
	looked := 0
	for i := range p.Live.Commits {
		c := &p.Live.Commits[i]
		author := facts.Account{Login: c.Author, ID: c.AuthorID}
		theirs := w.Updates || slices.ContainsFunc(people, func(a account) bool { return a.who().Is(author) })
		if c.Committer != "web-flow" || !c.Verified || len(c.Parents) != 2 || !theirs || looked == maxUpdates {
			continue
		}
		looked++
		c.CleanMerge = w.CleanMerge(c.SHA, c.Parents)
	}
}

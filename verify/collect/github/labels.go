package github

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/facts"
)

// labelEvents keeps those of labels that could override, and returns who put such labels on, the newest first.
func (c *Client) labelEvents(ctx context.Context, p *Pull, w Wants) []account {
	list, err := all[issueEvent](ctx, c, c.path("issues/%d/events", p.Live.Number), 0)
	if err == nil {
		err = errors.Join(checkEvents(list, w), checkHappened(list, w))
	}
	if err != nil {
		p.lacks(c.unknown(facts.WantedLabelEvents, err, needIssues))
		return nil
	}
	p.Live.LabelEvents = []facts.LabelEvent{}
	var actors []account
	for _, e := range sortedByID(list, func(e issueEvent) int64 { return e.ID }) {
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

// checkHappened wants the event that started the run in the list: one that lacks it may lack others too. Of labels that
// could not override nothing follows.
func checkHappened(list []issueEvent, w Wants) error {
	e := w.Event
	if e == nil || e.Name != "pull_request" || e.Label == "" || !w.Override(e.Label) {
		return nil
	}
	sender := facts.Account{Login: e.Sender, ID: e.SenderID}
	there := slices.ContainsFunc(list, func(i issueEvent) bool {
		byLogin := strings.EqualFold(i.Actor.login(), e.Sender) // enough here: this asks whether the list is whole, not who acted
		return i.Event == e.Action && strings.EqualFold(i.Label.Name, e.Label) && (i.Actor.who().Nobody() || i.Actor.who().Is(sender) || byLogin)
	})
	if there {
		return nil
	}
	return &failure{
		text: fmt.Sprintf("the list of events lacks the one that started this run: %s, the label %q, by %s", e.Action, cut(e.Label, 80), cut(e.Sender, 80)),
		fix:  "run the job again in a minute",
	}
}

func checkEvents(list []issueEvent, w Wants) error {
	for _, e := range list {
		if e.isLabel() && (e.ID <= 0 || e.Label.Name == "" || e.CreatedAt.IsZero()) {
			return fmt.Errorf("an event of the label %q has no id, label or time", cut(e.Label.Name, 80))
		}
	}
	return nil
}

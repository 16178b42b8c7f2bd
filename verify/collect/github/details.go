package github

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/go-github/v62/github"

	"github.com/closeout-gate/closeout/verify/evidence"
)

// Wants says what the contract makes matter.
type Wants struct {
	Override  func(label string) bool // whether a label could override; nil for none
	Approvals bool                    // whether any touched file may need an approval
	Teams     []string                // slugs of teams of the repository's owner whose members may override
}

const (
	maxCommits  = 250  // that GitHub lists of a pull request
	maxComment  = 4096 // bytes of a comment that go into the facts
	maxReasons  = 1000 // comments that may hold a reason
	maxAttempt  = 200  // bytes of a commit's line that do
	commandWord = "/closeout-override"
)

// Details adds commits and comments, and what an override or approvals turn on: label events and the people behind them
// only when a label that could override is on the pull request, reviews only when approvals are asked for. What nobody
// needs is left nil without being called unavailable.
func (c *Client) Details(ctx context.Context, p *Pull, w Wants) {
	if p.Live == nil {
		return
	}
	if w.Override == nil {
		w.Override = func(string) bool { return false }
	}
	c.commits(ctx, p, w)
	c.comments(ctx, p)
	var asked []account
	if slices.ContainsFunc(p.Live.Labels, w.Override) {
		asked = append(asked, c.labelEvents(ctx, p, w)...)
	}
	if w.Approvals {
		asked = append(asked, c.reviews(ctx, p)...)
	}
	c.people(ctx, p, asked, w.Teams)
}

func (c *Client) commits(ctx context.Context, p *Pull, w Wants) {
	list, err := all[github.RepositoryCommit](ctx, c, c.path("pulls/%d/commits", p.Live.Number), maxCommits)
	if err == nil {
		err = p.checkCommits(list)
	}
	if err != nil {
		p.lacks(c.unknown(evidence.WantedCommits, err, needPulls))
		return
	}
	p.Live.Commits = []evidence.Commit{}
	for _, commit := range list {
		message := commit.GetCommit().GetMessage()
		p.Live.Commits = append(p.Live.Commits, evidence.Commit{
			SHA: commit.GetSHA(), Author: commit.GetAuthor().GetLogin(), Committer: commit.GetCommitter().GetLogin(),
			CoAuthors: coAuthors(message), Verified: commit.GetCommit().GetVerification().GetVerified(),
			Override: overrideAttempt(message, w.Override),
		})
		if commit.GetSHA() == p.Live.HeadSHA {
			p.headTree = commit.GetCommit().GetTree().GetSHA()
		}
	}
}

// checkCommits wants whole commits, the head among them, and fewer than GitHub is willing to list.
func (p *Pull) checkCommits(list []github.RepositoryCommit) error {
	if len(list) >= maxCommits {
		return &failure{
			text: fmt.Sprintf("the pull request has %d commits or more, and GitHub lists no others: who wrote them cannot be known", maxCommits),
			fix:  "split the pull request, or squash its commits",
		}
	}
	head := false
	for _, commit := range list {
		if err := checkID("a commit of the pull request", commit.GetSHA()); err != nil {
			return err
		}
		if commit.Commit == nil {
			return fmt.Errorf("GitHub's answer lacks the message of commit %s", commit.GetSHA())
		}
		head = head || commit.GetSHA() == p.Live.HeadSHA
	}
	if !head {
		return fmt.Errorf("the list of commits lacks the head %s", p.Live.HeadSHA)
	}
	return nil
}

// coAuthors reads Co-authored-by trailers. An address that GitHub made for an account (ID+login@users.noreply…) gives the
// login, any other stands as it is; both in lower case, sorted, each once. A line anywhere in the message counts, because
// GitHub is generous too.
func coAuthors(message string) []string {
	var found []string
	for line := range strings.Lines(message) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		if !strings.EqualFold(strings.TrimSpace(key), "co-authored-by") {
			continue
		}
		start, end := strings.LastIndexByte(value, '<'), strings.LastIndexByte(value, '>')
		if start < 0 || end < start {
			continue
		}
		if who := loginOf(value[start+1 : end]); who != "" {
			found = append(found, who)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

func loginOf(address string) string {
	address = strings.ToLower(strings.TrimSpace(address))
	local, host, _ := strings.Cut(address, "@")
	if !strings.HasPrefix(host, "users.noreply.") {
		return address
	}
	if id, login, found := strings.Cut(local, "+"); found && strings.Trim(id, "0123456789") == "" {
		return login
	}
	return local
}

// overrideAttempt is the first line of a commit's message that reads like the command or the label of an override.
func overrideAttempt(message string, label func(string) bool) string {
	for line := range strings.Lines(message) {
		line = strings.TrimSpace(line)
		lower := strings.ToLower(line)
		if strings.HasPrefix(lower, commandWord) || strings.HasPrefix(lower, commandWord[1:]+":") || label(line) {
			return cut(line, maxAttempt)
		}
	}
	return ""
}

// labelEvents keeps those of labels that could override, and returns who put such labels on, the newest first.
func (c *Client) labelEvents(ctx context.Context, p *Pull, w Wants) []account {
	list, err := all[issueEvent](ctx, c, c.path("issues/%d/events", p.Live.Number), 0)
	if err == nil {
		err = checkEvents(list, w)
	}
	if err != nil {
		p.lacks(c.unknown(evidence.WantedLabelEvents, err, needIssues))
		return nil
	}
	p.Live.LabelEvents = []evidence.LabelEvent{}
	var actors []account
	for _, e := range sortedByID(list, func(e issueEvent) int64 { return e.ID }) {
		if !e.isLabel() || !w.Override(e.Label.Name) {
			continue
		}
		p.Live.LabelEvents = append(p.Live.LabelEvents, evidence.LabelEvent{
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

func checkEvents(list []issueEvent, w Wants) error {
	for _, e := range list {
		if e.isLabel() && (e.ID <= 0 || e.Label.Name == "" || e.CreatedAt.IsZero()) {
			return fmt.Errorf("an event of the label %q has no id, label or time", cut(e.Label.Name, 80))
		}
	}
	return nil
}

// sortedByID sorts by number, not by text, and drops what two pages both hold.
func sortedByID[T any](list []T, id func(T) int64) []T {
	slices.SortStableFunc(list, func(a, b T) int { return cmp.Compare(id(a), id(b)) })
	return slices.CompactFunc(list, func(a, b T) bool { return id(a) == id(b) })
}

// comments keeps those that give a reason, or try to.
func (c *Client) comments(ctx context.Context, p *Pull) {
	list, err := all[issueComment](ctx, c, c.path("issues/%d/comments", p.Live.Number), 0)
	for _, comment := range list {
		if comment.ID <= 0 || comment.CreatedAt.IsZero() || comment.UpdatedAt.IsZero() {
			err = fmt.Errorf("a comment has no id or no time")
		}
	}
	if err != nil {
		p.lacks(c.unknown(evidence.WantedComments, err, needIssues))
		return
	}
	kept := []evidence.Comment{}
	for _, comment := range sortedByID(list, func(i issueComment) int64 { return i.ID }) {
		if lines := commandLines(comment.Body); lines != nil && !ownComment(comment) {
			kept = append(kept, comment.fact(lines))
		}
	}
	if len(kept) > maxReasons {
		p.lacks(evidence.Unavailable{
			What: evidence.WantedComments, Error: fmt.Sprintf("%d comments begin a line with %s: at most %d are read", len(kept), commandWord, maxReasons),
			Fix: "delete those that give no reason",
		})
		return
	}
	p.Live.Comments = kept
}

// fact keeps the whole text of a comment, but of a long one the given lines.
func (i *issueComment) fact(lines []string) evidence.Comment {
	body := i.Body
	if len(body) > maxComment {
		body = cut(strings.Join(lines, "\n"), maxComment)
	}
	return evidence.Comment{
		ID: digits(i.ID), Author: i.User.login(), AuthorID: i.User.id(), Type: i.User.kind(), App: i.App.slug(),
		CreatedAt: stamp(i.CreatedAt), UpdatedAt: stamp(i.UpdatedAt), Body: body,
	}
}

// ownComment reports whether a comment is the gate's own, which prints the line that a person may copy. Another bot that
// writes the marker keeps only its own vain attempt out of the report.
func ownComment(comment issueComment) bool {
	return comment.User.kind() == "Bot" && strings.HasPrefix(comment.Body, Marker)
}

// commandLines are the lines that begin with the command; nil for none.
func commandLines(body string) []string {
	var found []string
	for line := range strings.Lines(body) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(strings.ToLower(line), commandWord) {
			found = append(found, line)
		}
	}
	return found
}

var reviewStates = []string{"APPROVED", "CHANGES_REQUESTED", "COMMENTED", "DISMISSED", "PENDING"}

// reviews returns who approves this head, those who belong to the repository first: on a public one anybody may approve,
// and a crowd must not push out who counts.
func (c *Client) reviews(ctx context.Context, p *Pull) []account {
	list, err := all[pullReview](ctx, c, c.path("pulls/%d/reviews", p.Live.Number), 0)
	for _, r := range list {
		if r.ID <= 0 || !slices.Contains(reviewStates, r.State) || r.CommitID != "" && !objectID.MatchString(r.CommitID) {
			err = fmt.Errorf("a review has the id %d, the state %q and the commit %q", r.ID, cut(r.State, 80), cut(r.CommitID, 80))
		}
	}
	if err != nil {
		p.lacks(c.unknown(evidence.WantedReviews, err, needPulls))
		return nil
	}
	p.Live.Reviews = []evidence.Review{}
	var insiders, outsiders []account
	for _, r := range sortedByID(list, func(r pullReview) int64 { return r.ID }) {
		p.Live.Reviews = append(p.Live.Reviews, evidence.Review{
			ID: digits(r.ID), Author: r.User.login(), State: r.State, CommitID: r.CommitID, SubmittedAt: stampOrNone(r.SubmittedAt),
		})
		switch {
		case r.User == nil || r.State != "APPROVED" || r.CommitID != p.Live.HeadSHA:
		case r.insider():
			insiders = append(insiders, *r.User)
		default:
			outsiders = append(outsiders, *r.User)
		}
	}
	return append(insiders, outsiders...)
}

func stampOrNone(t *time.Time) string {
	if t == nil {
		return ""
	}
	return stamp(*t)
}

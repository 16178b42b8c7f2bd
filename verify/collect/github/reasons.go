package github

import (
	"context"
	"fmt"
	"strings"
	"unicode"

	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/override"
	"github.com/closeout-gate/closeout/verify/report"
)

const (
	maxComment  = 4096 // bytes of a comment that go into the facts
	maxReasons  = 1000 // comments that may hold a reason
	commandWord = report.Command
)

// comments keeps those that give a reason, or try to.
func (c *Client) comments(ctx context.Context, p *Pull) {
	list, err := all[issueComment](ctx, c, c.path("issues/%d/comments", p.Live.Number), 0)
	for _, comment := range list {
		if comment.ID <= 0 || comment.CreatedAt.IsZero() || comment.UpdatedAt.IsZero() {
			err = fmt.Errorf("a comment has no id or no time")
		}
	}
	if err != nil {
		p.lacks(c.unknown(facts.WantedComments, err, needIssues))
		return
	}
	list = sortedByID(list, func(i issueComment) int64 { return i.ID })
	if why := short("comments", p.counted.comments, len(list)); why != "" {
		// What is there counts: a comment can add a reason, and takes none away.
		p.lacks(facts.Unavailable{What: facts.WantedComments, Error: why, Fix: "run the job again"})
	}
	kept := []facts.Comment{}
	for _, comment := range list {
		if lines := commandLines(override.Prose(comment.Body)); lines != nil && !ownComment(comment) {
			kept = append(kept, comment.fact(lines))
		}
	}
	if len(kept) > maxReasons {
		p.lacks(facts.Unavailable{
			What: facts.WantedComments, Error: fmt.Sprintf("%d comments begin a line with %s: at most %d are read", len(kept), commandWord, maxReasons),
			Fix: "delete those that give no reason",
		})
		return
	}
	p.Live.Comments = kept
}

// fact keeps the whole text of a comment, but of a long one the given lines. They must be lines that a page shows: what
// hides a line may stand anywhere before it, and is cut off here.
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

// ownComment reports whether a comment is the gate's own, which prints the line that a person may copy. Another bot that
// writes the marker keeps only its own vain attempt out of the report.
func ownComment(comment issueComment) bool {
	return comment.User.kind() == "Bot" && strings.HasPrefix(comment.Body, Marker)
}

// commandLines are the lines that begin with the command, behind blanks or not; nil for none.
func commandLines(body string) []string {
	var found []string
	for line := range strings.Lines(body) {
		if strings.HasPrefix(strings.ToLower(strings.TrimSpace(line)), commandWord) {
			found = append(found, strings.TrimRightFunc(line, unicode.IsSpace))
		}
	}
	return found
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/collect"
	"github.com/closeout-gate/closeout/verify/collect/github"
	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/output"
	"github.com/closeout-gate/closeout/verify/override"
	"github.com/closeout-gate/closeout/verify/report"
)

// collectTime bounds everything that is asked of GitHub in one run; the client's own patience is shorter.
const collectTime = 5 * time.Minute

// asksGitHub reports whether the action collects from GitHub. Without a token, or with facts that somebody else
// collected, it judges files alone.
func (a *action) asksGitHub() bool { return a.input("token") != "" && a.input("facts") == "" }

// pullEvents are the events whose check shows on a pull request, or decides about its merge.
var pullEvents = []string{
	"pull_request", "pull_request_review", "pull_request_review_comment", "merge_group",
}

// unaskedEvent is the event of the job when it is about a pull request and GitHub is not asked about it; "" otherwise. An
// empty token or a facts file must not make do with weaker evidence. The name is the runner's, the payload is not needed.
func (a *action) unaskedEvent() string {
	name := a.gha.Getenv("GITHUB_EVENT_NAME")
	if a.asksGitHub() || !slices.Contains(pullEvents, name) {
		return ""
	}
	return name
}

// refusedEvent refuses, without a token too, the events for which there is no sound answer.
func refusedEvent(name string) error {
	switch name {
	case "pull_request_target", "workflow_run":
		_, err := github.ParseEvent(name, nil)
		return err
	}
	return nil
}

// hub is one collection from GitHub.
type hub struct {
	action *action
	ctx    context.Context
	client *github.Client
	event  *github.Event
}

// openHub reads the event and makes the client. Every error is one of usage.
func (a *action) openHub(ctx context.Context) (*hub, error) {
	event, err := a.readEvent()
	if err != nil {
		return nil, err
	}
	api, err := github.APIURL(a.input("api_url"), a.gha.Getenv("GITHUB_API_URL"))
	if err != nil {
		return nil, err
	}
	client, err := github.New(github.Config{API: api, Token: a.input("token"), Repository: event.Repository, RepositoryID: event.RepositoryID, Version: verify.Version})
	if err != nil {
		return nil, err
	}
	return &hub{action: a, ctx: ctx, client: client, event: event}, nil
}

// readEvent reads what the runner was started for. The repository of the payload and of the environment must be one.
func (a *action) readEvent() (*github.Event, error) {
	name := a.gha.Getenv("GITHUB_EVENT_NAME")
	var data []byte
	if file := a.gha.Getenv("GITHUB_EVENT_PATH"); file != "" {
		var err error
		if data, err = readEventFile(file); err != nil {
			return nil, fmt.Errorf("the event's payload (GITHUB_EVENT_PATH) cannot be read: %w", collect.Reason(err))
		}
	}
	event, err := github.ParseEvent(name, data)
	if err != nil {
		return nil, err
	}
	if own := a.gha.Getenv("GITHUB_REPOSITORY"); own != "" && !strings.EqualFold(own, event.Repository) {
		return nil, fmt.Errorf("the event's payload is about %s, and the job runs in %s", event.Repository, own)
	}
	return event, nil
}

func readEventFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, github.MaxEvent+1))
}

// gather collects what the event is about: a pull request, or a merge group.
func (h *hub) gather(options collect.Options) (*collect.Found, func() error, error) {
	if h.event.Name == "merge_group" {
		return h.gatherGroup(options)
	}
	return h.gatherPull(options)
}

func (h *hub) gatherPull(options collect.Options) (*collect.Found, func() error, error) {
	pull := h.client.Pull(h.ctx, h.event.Number)
	commits := collect.Commits{
		Base: pull.Subject.BaseSHA, Head: pull.Subject.HeadSHA, Contract: h.action.input("contract"), Limit: h.action.settings.Limits,
		Facts: facts.Facts{
			Settings: settingsFacts(h.action.settings), Subject: pull.Subject, Event: h.event.Facts(), Digests: h.action.settings.Digests,
		},
	}
	commits.Complete = func(f *facts.Facts, known collect.Known) { h.complete(pull, commits.Objects, f, known) }
	done := h.objects(&commits, pull)
	commits.Standing = h.standing(&commits, h.client.Objects(h.ctx, pull))
	found, err := collect.Gather(commits, options)
	return found, done, err
}

// standing is the default branch's tip, when its contract judges in the place of the base's; nil when the base's does.
//
// A branch that anybody may push to could name itself under base_branches, or leave its author out of applies_to; the pull
// request would pass there and then be retargeted. So a branch's own contract counts when the default branch's names it.
func (h *hub) standing(c *collect.Commits, api *github.Objects) *collect.Place {
	name, own := c.Facts.Subject.DefaultBranch, c.Facts.Subject.BaseBranch
	if c.Base == "" || c.Head == "" || name == own || h.action.input("contract_file") != "" {
		return nil
	}
	tip, err := h.client.BranchTip(h.ctx, name)
	if err != nil {
		return &collect.Place{Objects: collect.Lost{Err: err}}
	}
	at := &collect.Place{Objects: api, Commit: tip}
	if collect.NamesBranch(collect.Commits{Objects: at.Objects, Base: tip, Contract: c.Contract, Limit: c.Limit}, own) {
		return nil
	}
	return at
}

// trees reads trees, and knows which commit merges which.
type trees interface {
	collect.Objects
	IsMergeOf(commit string, parents ...string) (bool, error)
}

// objects decides where trees are read: from the workspace's own repository when it holds what is needed, else through
// the API. Whatever is read is checked against its id either way.
func (h *hub) objects(c *collect.Commits, pull *github.Pull) (done func() error) {
	done = func() error { return nil }
	if c.Base == "" || c.Head == "" {
		c.Objects = collect.Lost{Err: firstError(pull.Unavailable)}
		return done
	}
	api := h.client.Objects(h.ctx, pull)
	sources := []trees{api}
	c.Objects, c.Facts.Subject.ChangesFrom = api, "api"
	if git, err := collect.OpenGit(h.action.workspace, c.Limit); err == nil {
		if collect.Whole(git, c.Base, c.Head) {
			c.Objects, c.Facts.Subject.ChangesFrom = git, "git"
			sources = []trees{git, api}
		}
		done = git.Close
	}
	c.AlsoAccepted = testMerge(sources, pull.TestMerge, c.Base, c.Head)
	return done
}

// testMerge is GitHub's merge of head and base, which a job may have had checked out, when it merges just these; the
// first source that knows the commit decides. One that nobody knows is not accepted.
func testMerge(sources []trees, commit, base, head string) []collect.Place {
	if commit == "" {
		return nil
	}
	for _, source := range sources {
		if merges, err := source.IsMergeOf(commit, base, head); err == nil {
			if merges {
				return []collect.Place{{Objects: source, Commit: commit}}
			}
			return nil
		}
	}
	return nil
}

// firstError is why the commits are not known, and what would help.
func firstError(list []facts.Unavailable) error {
	if len(list) == 0 {
		return errors.New("GitHub did not say which commits are judged")
	}
	return &unread{list[0]}
}

// unread is the error for everything that hangs on a fact which GitHub did not give.
type unread struct{ fact facts.Unavailable }

func (u *unread) Error() string { return u.fact.Error }

// Fix says what would make the fact available.
func (u *unread) Fix() string { return u.fact.Fix }

// complete asks what the contract makes matter, holds the changes against GitHub's own list, and looks last where the
// head is now.
func (h *hub) complete(pull *github.Pull, objects collect.Objects, f *facts.Facts, known collect.Known) {
	h.details(pull, objects, known)
	if known.Changes != nil {
		h.client.CrossCheck(h.ctx, pull, known.Changes)
	}
	h.finish(pull, f)
}

// details asks what the contract makes matter.
func (h *hub) details(pull *github.Pull, objects collect.Objects, known collect.Known) {
	rule := override.NewRule() // the default one where the contract cannot be read
	if known.Standing != nil {
		rule = override.NewRule(known.Standing)
	}
	h.client.Details(h.ctx, pull, github.Wants{
		Override: rule.Asks, Approvals: known.Policy != nil && len(known.Policy.Approvals) > 0, Teams: rule.Teams, Event: h.event,
		SameHead: leavesOut(known.Standing, pull.Live),
		CleanMerge: func(commit string, parents []string) bool {
			clean, err := collect.CleanMerge(objects, commit, parents)
			return clean && err == nil // of a merge that cannot be read, its author is one
		},
	})
}

// leavesOut reports whether applies_to leaves a pull request out, so that it matters which others have the same head.
func leavesOut(standing *contract.Contract, pr *facts.PullRequest) bool {
	return standing != nil && standing.AppliesTo != nil && pr != nil && override.NewAuthors(standing.AppliesTo).LeavesOut(pr)
}

// finish looks where the head is now, and writes down what was found.
func (h *hub) finish(pull *github.Pull, f *facts.Facts) {
	h.client.ReadHeadAgain(h.ctx, pull)
	f.GitHub = pull.GitHub()
	f.Unavailable = append(f.Unavailable, pull.Unavailable...)
}

// comment keeps one comment on the pull request, when the workflow wants it: written when there is something to say, and
// turned green when there is not any more. Whether it could be written decides nothing.
func (a *action) comment(r *report.Report) {
	wanted, err := a.flag("comment")
	if err == nil && (!wanted || a.hub == nil || a.hub.event.Number == 0) {
		return
	}
	if err != nil {
		a.notWritten("comment", err)
		return
	}
	a.write(r, "comment", func(ctx context.Context, markdown string) error {
		return a.hub.client.Put(ctx, github.Note{
			Number: a.hub.event.Number, Marker: github.Marker, Body: github.Marker + "\n" + markdown, OnlyIfThere: r.Verdict == report.Passed,
		})
	})
}

// write hands the result, as Markdown, to something that GitHub keeps. That it could not be written is a warning.
func (a *action) write(r *report.Report, what string, put func(ctx context.Context, markdown string) error) {
	var b strings.Builder
	markdown, _ := output.ByName("markdown")
	err := markdown.Write(&b, r, output.Options{Bytes: output.MaxComment})
	if err == nil {
		ctx, cancel := context.WithTimeout(context.Background(), writeTime)
		defer cancel()
		err = put(ctx, b.String())
	}
	if err != nil {
		a.notWritten(what, err)
	}
}

func (a *action) notWritten(what string, err error) {
	a.gha.Warningf("%s", "the "+what+" was not written: "+output.Neutral(err.Error()))
}

// writeTime bounds what writing to GitHub may take: the verdict is there already.
const writeTime = time.Minute

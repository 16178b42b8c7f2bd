package main

import (
	"github.com/closeout-gate/closeout/verify/collect"
	"github.com/closeout-gate/closeout/verify/collect/github"
	"github.com/closeout-gate/closeout/verify/facts"
)

// gatherGroup collects a merge group: the group's own change, and each pull request that is known to be in it.
func (h *hub) gatherGroup(options collect.Options) (*collect.Found, func() error, error) {
	group := h.client.Group(h.ctx, h.event)
	trees := h.openTrees()
	commits := collect.Commits{
		Base: group.Subject.BaseSHA, Head: group.Subject.HeadSHA, Contract: h.action.input("contract"), Limit: h.action.settings.Limits,
		Facts: facts.Facts{
			Settings: settingsFacts(h.action.settings), Subject: group.Subject, Event: h.event.Facts(), Digests: h.action.settings.Digests,
			Unavailable: group.Unavailable,
		},
		Group: true,
	}
	commits.Facts.Subject.PullRequests = group.Numbers
	commits.Objects, commits.Facts.Subject.ChangesFrom = trees.of(commits.Base, commits.Head)
	commits.Standing = h.standing(&commits, trees.api)
	found, err := collect.Gather(commits, options)
	for _, number := range group.Numbers {
		if err == nil {
			err = h.addPull(found, group, number, trees)
		}
	}
	return found, trees.close, err
}

// addPull collects one pull request of a group.
func (h *hub) addPull(found *collect.Found, group *github.Group, number int64, trees *groupTrees) error {
	pull := h.client.Member(h.ctx, number, group)
	c := collect.Commits{
		Head: pull.Subject.HeadSHA, Facts: facts.Facts{Subject: pull.Subject},
	}
	c.Complete = func(f *facts.Facts, known collect.Known) {
		h.details(pull, c.Objects, known)
		h.finish(pull, f)
	}
	if pull.Live == nil {
		c.Objects = collect.Lost{Err: firstError(pull.Unavailable)}
	} else {
		c.Objects, c.Facts.Subject.ChangesFrom = trees.of(group.Subject.BaseSHA, group.Subject.HeadSHA, c.Head)
	}
	return found.AddPull(number, c)
}

// groupTrees reads the trees of a merge group.
type groupTrees struct {
	git   *collect.Git // the workspace's repository; nil when there is none
	api   *github.Objects
	whole map[string]bool // by head: whether git holds what leads to it from the group's base
}

func (h *hub) openTrees() *groupTrees {
	t := &groupTrees{api: h.client.Objects(h.ctx, &github.Pull{}), whole: map[string]bool{}}
	if git, err := collect.OpenGit(h.action.workspace, h.action.settings.Limits); err == nil {
		t.git = git
	}
	return t
}

// of says where commits are read, and what that source is called: a checkout that holds them all, with what leads from the
// group's base to each, else the API.
func (t *groupTrees) of(base string, heads ...string) (collect.Objects, string) {
	if t.git == nil {
		return t.api, "api"
	}
	for _, head := range heads {
		whole, known := t.whole[head]
		if !known {
			whole = collect.Whole(t.git, base, head)
			t.whole[head] = whole
		}
		if !whole {
			return t.api, "api"
		}
	}
	return t.git, "git"
}

func (t *groupTrees) close() error {
	if t.git == nil {
		return nil
	}
	return t.git.Close()
}

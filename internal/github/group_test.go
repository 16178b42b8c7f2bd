package github

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/testkit/fakehub"
)

// queue is a world with three pull requests, 7, 8 and 9, of one commit each, of which 9 is built upon 8.
func queue(t *testing.T) (w *world, heads map[int]string) {
	w = newWorld(t)
	heads = map[int]string{7: w.head}
	heads[8] = w.repo.Commit("eight", "eight", with(baseFiles, "8", "8"), w.base)
	heads[9] = w.repo.Commit("nine", "nine", with(baseFiles, "8", "8", "9", "9"), heads[8])
	for n, branch := range map[int]string{8: "eight", 9: "nine"} {
		w.Pulls[n] = &fakehub.Pull{Author: "agent", Base: "main", Head: branch}
	}
	return w, heads
}

func (w *world) group(number int, head string) *Event {
	return &Event{
		Name: "merge_group", Action: "checks_requested", Repository: "octo-org/octo-repo", RepositoryID: "17273051", DefaultBranch: "main",
		HeadSHA: head, BaseSHA: w.base, BaseBranch: "main", HeadRef: fmt.Sprintf("refs/heads/gh-readonly-queue/main/pr-%d-%s", number, w.base),
	}
}

func TestGroup(t *testing.T) {
	for _, c := range []struct {
		name  string
		build func(w *world, heads map[int]string) *Event
		want  []int64
		fails string // "" when the list is complete
	}{
		{name: "one, merged", want: []int64{7}, build: func(w *world, heads map[int]string) *Event {
			return w.group(7, w.repo.Commit("", "Merge 7", with(baseFiles, "m", "7"), w.base, heads[7]))
		}},
		{name: "two, merged", want: []int64{7, 8}, build: func(w *world, heads map[int]string) *Event {
			first := w.repo.Commit("", "Merge 8", with(baseFiles, "m", "8"), w.base, heads[8])
			return w.group(7, w.repo.Commit("", "Merge 7", with(baseFiles, "m", "87"), first, heads[7]))
		}},
		{name: "one that another is built upon", want: []int64{8}, build: func(w *world, heads map[int]string) *Event {
			return w.group(8, w.repo.Commit("", "Merge 8", with(baseFiles, "m", "8"), w.base, heads[8]))
		}},
		{name: "fast-forward", want: []int64{8}, build: func(w *world, heads map[int]string) *Event { return w.group(8, heads[8]) }},
		{name: "one, squashed", want: []int64{7}, build: func(w *world, heads map[int]string) *Event {
			return w.group(7, w.repo.Commit("", "squash (#7)", with(baseFiles, "s", "7"), w.base))
		}},
		{name: "two, squashed", want: []int64{7}, fails: "no open pull request of main is known to contain commit", build: func(w *world, heads map[int]string) *Event {
			first := w.repo.Commit("", "squash (#8)", with(baseFiles, "s", "8"), w.base)
			return w.group(7, w.repo.Commit("", "squash (#7)", with(baseFiles, "s", "87"), first))
		}},
		{name: "a stranger's commit merged", want: []int64{7}, fails: "is known to contain commit", build: func(w *world, heads map[int]string) *Event {
			stranger := w.repo.Commit("", "stranger", with(baseFiles, "x", "x"), w.base)
			first := w.repo.Commit("", "Merge stranger", with(baseFiles, "x", "x"), w.base, stranger)
			return w.group(7, w.repo.Commit("", "Merge 7", with(baseFiles, "x", "x", "m", "7"), first, heads[7]))
		}},
		{name: "closed meanwhile", want: []int64{7}, fails: "is known to contain commit", build: func(w *world, heads map[int]string) *Event {
			w.Pulls[8].State = "closed"
			delete(w.Pulls, 9)
			first := w.repo.Commit("", "Merge 8", with(baseFiles, "m", "8"), w.base, heads[8])
			return w.group(7, w.repo.Commit("", "Merge 7", with(baseFiles, "m", "87"), first, heads[7]))
		}},
		{name: "closed, with its commit in another", want: []int64{7, 9}, fails: "is known to contain commit", build: func(w *world, heads map[int]string) *Event {
			w.Pulls[8].State = "closed"
			first := w.repo.Commit("", "Merge 8", with(baseFiles, "m", "8"), w.base, heads[8])
			return w.group(7, w.repo.Commit("", "Merge 7", with(baseFiles, "m", "87"), first, heads[7]))
		}},
		{name: "for another branch", want: []int64{7}, fails: "is known to contain commit", build: func(w *world, heads map[int]string) *Event {
			w.repo.Git("", "update-ref", "refs/heads/release", w.base)
			w.Pulls[8].Base, w.Pulls[9].Base = "release", "release"
			first := w.repo.Commit("", "Merge 8", with(baseFiles, "m", "8"), w.base, heads[8])
			return w.group(7, w.repo.Commit("", "Merge 7", with(baseFiles, "m", "87"), first, heads[7]))
		}},
		{name: "another branch's queue", fails: "the group's branch is", build: func(w *world, heads map[int]string) *Event {
			e := w.group(7, heads[7])
			e.BaseBranch = "release"
			return e
		}},
		{name: "no queue's branch", fails: "the group's branch is", build: func(w *world, heads map[int]string) *Event {
			e := w.group(7, heads[7])
			e.HeadRef = "refs/heads/topic"
			return e
		}},
		{name: "a base that is no ancestor", want: []int64{7}, fails: "does not start from its base", build: func(w *world, heads map[int]string) *Event {
			e := w.group(7, heads[7])
			e.BaseSHA = heads[8]
			return e
		}},
		{name: "nothing in it", want: []int64{7}, fails: "counts 0 commits", build: func(w *world, heads map[int]string) *Event { return w.group(7, w.base) }},
		{name: "no permission", want: []int64{7}, fails: "HTTP 403", build: func(w *world, heads map[int]string) *Event {
			w.Lacks = []string{"pull-requests: read"}
			return w.group(8-1, heads[7])
		}},
		{name: "cut by the API", want: []int64{7}, fails: "counts 5 commits in the group, but lists 0", build: func(w *world, heads map[int]string) *Event {
			w.Fail("/compare/", 1, fakehub.Body(`{"merge_base_commit":{"sha":"`+w.base+`"},"total_commits":5,"commits":[]}`))
			return w.group(7, heads[7])
		}},
		{name: "very many", want: []int64{7}, fails: "the group has 251 commits", build: func(w *world, heads map[int]string) *Event {
			w.Fail("/compare/", 1, fakehub.Body(`{"merge_base_commit":{"sha":"`+w.base+`"},"total_commits":251,"commits":[]}`))
			return w.group(7, heads[7])
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, heads := queue(t)
			e := c.build(w, heads)
			g := w.client.Group(context.Background(), e)
			if !slices.Equal(g.Numbers, c.want) || g.Subject.HeadSHA != e.HeadSHA || g.Subject.BaseSHA != e.BaseSHA {
				t.Errorf("got %+v, want %v", g, c.want)
			}
			if c.fails == "" {
				if len(g.Unavailable) > 0 {
					t.Errorf("got %+v", g.Unavailable)
				}
				return
			}
			if len(g.Unavailable) != 1 || g.Unavailable[0].What != "pull_requests" || !strings.Contains(g.Unavailable[0].Error, c.fails) {
				t.Errorf("got %+v, want %q", g.Unavailable, c.fails)
			}
		})
	}
}

// The commits of a group of several pages are all looked at.
func TestGroupOfTwoPages(t *testing.T) {
	w := newWorld(t)
	stream := "reset refs/heads/topic\nfrom " + w.base + "\n\n"
	for range 120 {
		stream += "commit refs/heads/topic\ncommitter A <agent@example.com> 1790000000 +0000\ndata 1\nx\n"
	}
	w.repo.Git(stream, "fast-import", "--quiet", "--force")
	g := w.client.Group(context.Background(), w.group(7, w.repo.Git("", "rev-parse", "topic")))
	if !slices.Equal(g.Numbers, []int64{7}) || len(g.Unavailable) > 0 || len(w.Calls()) != 122 {
		t.Errorf("got %+v in %d calls", g, len(w.Calls()))
	}
}

// A pull request of a group is judged by the group's base: the tip of the branch, which may have moved on, is not asked.
func TestMember(t *testing.T) {
	w, heads := queue(t)
	g := w.client.Group(context.Background(), w.group(8, heads[8]))
	w.repo.Commit("main", "moved on", with(baseFiles, "new", "new"), w.base)
	before := len(w.Calls())
	p := w.client.Member(context.Background(), 8, g)
	if p.Live == nil || p.Subject.PullRequest != 8 || p.Subject.HeadSHA != heads[8] || p.Subject.BaseSHA != w.base || p.Subject.BaseBranch != "main" || p.TestMerge != "" {
		t.Errorf("got %+v", p)
	}
	if calls := w.Calls()[before:]; len(calls) != 1 {
		t.Errorf("asked %q", calls)
	}
	w.Pulls[8].Base = "topic"
	if p := w.client.Member(context.Background(), 8, g); p.Live == nil || p.Live.BaseBranch != "topic" || p.Subject.BaseBranch != "main" {
		t.Errorf("a pull request that was retargeted: %+v", p)
	}
	delete(w.Pulls, 8)
	if p := w.client.Member(context.Background(), 8, g); p.Live != nil || len(p.Unavailable) != 1 || p.Unavailable[0].What != "pull_request" || p.Subject.PullRequest != 8 || p.Subject.BaseSHA != w.base {
		t.Errorf("a pull request that is gone: %+v", p)
	}
}

package github

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-github/v62/github"

	"github.com/closeout-gate/closeout/internal/testkit/fakehub"
	"github.com/closeout-gate/closeout/verify/change"
)

func TestCrossCheck(t *testing.T) {
	long := strings.Repeat("a line that makes it long enough to be recognised\n", 20)
	for _, c := range []struct {
		name  string
		setup func(w *world)
		edit  func(*[]change.Change)
		fails string
	}{
		{name: "agree"},
		{name: "a rename", setup: func(w *world) {
			w.repo.Commit("topic", "r", map[string]string{"new": long + "x"}, w.repo.Commit("main", "m", map[string]string{"old": long}, w.base))
		}},
		{name: "many", setup: func(w *world) {
			files := map[string]string{}
			for i := range 230 {
				files[fmt.Sprintf("f%03d", i)] = "x"
			}
			w.repo.Commit("topic", "many", files, w.base)
		}},
		{name: "types and modes", setup: func(w *world) {
			w.repo.Commit("topic", "t", with(baseFiles, "README.md", "link:x", "run.sh", "true\n", "sub", gitlink), w.base)
		}},
		{name: "one more in the trees", edit: func(c *[]change.Change) { *c = append(*c, change.Change{Path: "x"}) }, fails: `the trees differ in "x"`},
		{name: "one more in the list", edit: func(c *[]change.Change) { *c = nil }, fails: `GitHub lists "src/a.go" as changed`},
		{name: "more counted than listed", setup: func(w *world) { w.pull.Count = 9 }, fails: "GitHub counts 9 changed files, but lists 1"},
		{name: "refused", setup: func(w *world) { w.Fail("/files", -1, fakehub.Status(403, "no")) }, fails: "HTTP 403"},
		{name: "shrinking", setup: func(w *world) {
			w.Fail("/files", 1, fakehub.Body(`[]`))
		}, fails: `the trees differ in "src/a.go"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			if c.setup != nil {
				c.setup(w)
			}
			p := w.client.Pull(context.Background(), 7)
			changes := w.changes(p.Subject.BaseSHA, p.Subject.HeadSHA)
			if c.edit != nil {
				c.edit(&changes)
			}
			w.client.CrossCheck(context.Background(), p, changes)
			if c.fails == "" {
				if len(p.Unavailable) > 0 {
					t.Errorf("got %+v", p.Unavailable)
				}
				return
			}
			if len(p.Unavailable) != 1 || p.Unavailable[0].What != "changes" || !strings.Contains(p.Unavailable[0].Error, c.fails) || p.Unavailable[0].Fix == "" {
				t.Errorf("got %+v, want %q", p.Unavailable, c.fails)
			}
		})
	}
}

// Of more than 3,000 files GitHub lists the first.
func TestCrossCheckBeyondTheList(t *testing.T) {
	for _, c := range []struct {
		name           string
		paths, counted int
		extra          string
		fails          string
	}{
		{name: "3,000 exactly", paths: 3000, counted: 3000},
		{name: "5,000", paths: 5000, counted: 5000},
		{name: "2,500 renames", paths: 5000, counted: 2500, fails: ""},
		{name: "fewer paths than files", paths: 4000, counted: 4001, fails: "GitHub counts 4001 changed files, but the trees differ in 4000 paths"},
		{name: "more paths than renames explain", paths: 6001, counted: 3000, fails: "the trees differ in 6001 paths"},
		{name: "a file that does not differ", paths: 4000, counted: 4000, extra: "zz", fails: `GitHub lists "zz" as changed`},
	} {
		var changes []change.Change
		var list []github.CommitFile
		for i := range c.paths {
			path := fmt.Sprintf("f%05d", i)
			changes = append(changes, change.Change{Path: path})
			if len(list) < maxFiles {
				list = append(list, github.CommitFile{Filename: &path})
			}
		}
		if c.extra != "" {
			list[5].Filename = &c.extra
		}
		if got := disagreement(int64(c.counted), list, changes); (got == "") != (c.fails == "") || !strings.Contains(got, c.fails) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.fails)
		}
	}
}

func TestFilesOfThirtyPages(t *testing.T) {
	w := newWorld(t)
	for i := range 3100 {
		w.pull.Files = append(w.pull.Files, map[string]any{"filename": fmt.Sprintf("f%05d", i), "status": "added"})
	}
	p := w.client.Pull(context.Background(), 7)
	from := len(w.Calls())
	var changes []change.Change
	for i := range 3100 {
		changes = append(changes, change.Change{Path: fmt.Sprintf("f%05d", i)})
	}
	w.client.CrossCheck(context.Background(), p, changes)
	if calls := len(w.Calls()) - from; calls != 30 || len(p.Unavailable) > 0 {
		t.Errorf("%d calls, %+v", calls, p.Unavailable)
	}
}

package github

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/testkit/fakehub"
)

const marker = "<!-- closeout -->"

func TestPut(t *testing.T) {
	bot := func(id int64, body string) *fakehub.Comment {
		return &fakehub.Comment{ID: id, Author: actionsBot, Body: body}
	}
	for _, c := range []struct {
		name   string
		setup  func(w *world)
		note   Note
		want   []string // author and text of each comment afterwards
		writes []string
		fails  string
	}{
		{name: "first", note: Note{Body: marker + "red"}, want: []string{"github-actions[bot] " + marker + "red"}, writes: []string{"POST /issues/7/comments"}},
		{name: "again", setup: func(w *world) { w.pull.Comments = []*fakehub.Comment{bot(5, marker+"red")} }, note: Note{Body: marker + "green"},
			want: []string{"github-actions[bot] " + marker + "green"}, writes: []string{"PATCH /issues/comments/5"}},
		{name: "nothing new", setup: func(w *world) { w.pull.Comments = []*fakehub.Comment{bot(5, marker+"red")} }, note: Note{Body: marker + "red"},
			want: []string{"github-actions[bot] " + marker + "red"}},
		{name: "another account's marker", setup: func(w *world) {
			w.pull.Comments = []*fakehub.Comment{{ID: 5, Author: "agent", Body: marker + "all green"}, {ID: 6, Author: "release[bot]", Body: marker + "all green"}}
		}, note: Note{Body: marker + "red"},
			want: []string{"agent " + marker + "all green", "release[bot] " + marker + "all green", "github-actions[bot] " + marker + "red"}, writes: []string{"POST /issues/7/comments"}},
		{name: "own comment without marker", setup: func(w *world) { w.pull.Comments = []*fakehub.Comment{bot(5, "coverage"), bot(6, "quote: "+marker)} }, note: Note{Body: marker + "red"},
			want: []string{"github-actions[bot] coverage", "github-actions[bot] quote: " + marker, "github-actions[bot] " + marker + "red"}, writes: []string{"POST /issues/7/comments"}},
		{name: "several of its own", setup: func(w *world) {
			w.pull.Comments = []*fakehub.Comment{bot(9, marker+"b"), bot(5, marker+"a"), bot(7, marker+"c")}
		}, note: Note{Body: marker + "red"},
			want: []string{"github-actions[bot] " + marker + "red"}, writes: []string{"PATCH /issues/comments/5", "DELETE /issues/comments/7", "DELETE /issues/comments/9"}},
		{name: "on a later page", setup: func(w *world) {
			for i := range 130 {
				w.pull.Comments = append(w.pull.Comments, &fakehub.Comment{ID: int64(i + 1), Author: "ann", Body: "x"})
			}
			w.pull.Comments = append(w.pull.Comments, bot(500, marker+"a"))
		}, note: Note{Body: marker + "red"}, writes: []string{"PATCH /issues/comments/500"}},
		{name: "taken away", setup: func(w *world) { w.pull.Comments = []*fakehub.Comment{bot(5, marker+"a"), bot(7, marker+"c")} }, note: Note{},
			want: []string{}, writes: []string{"DELETE /issues/comments/5", "DELETE /issues/comments/7"}},
		{name: "nothing to take away", note: Note{}, want: []string{}},
		{name: "good news where nothing was said", note: Note{Body: marker + "green", OnlyIfThere: true}, want: []string{}},
		{name: "good news after bad", setup: func(w *world) { w.pull.Comments = []*fakehub.Comment{bot(5, marker+"red")} }, note: Note{Body: marker + "green", OnlyIfThere: true},
			want: []string{"github-actions[bot] " + marker + "green"}, writes: []string{"PATCH /issues/comments/5"}},
		{name: "with a person's token", setup: func(w *world) {
			w.TokenLogin = "ann"
			w.pull.Comments = []*fakehub.Comment{bot(5, marker+"red"), {ID: 6, Author: "Ann", Body: marker + "red"}}
		}, note: Note{Body: marker + "green"},
			want: []string{"github-actions[bot] " + marker + "red", "Ann " + marker + "green"}, writes: []string{"PATCH /issues/comments/6"}},
		{name: "the author is told", setup: func(w *world) {
			w.pull.Comments = []*fakehub.Comment{{ID: 6, Author: "release[bot]", Body: marker + "red"}}
		}, note: Note{Author: "release[bot]", Body: marker + "green"},
			want: []string{"release[bot] " + marker + "green"}, writes: []string{"PATCH /issues/comments/6"}},
		{name: "deleted meanwhile", setup: func(w *world) {
			w.pull.Comments = []*fakehub.Comment{bot(5, marker+"a")}
			w.Fail("DELETE ", 1, fakehub.Status(404, "Not Found"))
		}, note: Note{}, writes: []string{"DELETE /issues/comments/5"}},
		{name: "may not write", setup: func(w *world) { w.Lacks = []string{"pull-requests: write"} }, note: Note{Body: marker + "red"}, want: []string{},
			writes: []string{"POST /issues/7/comments"}, fails: "HTTP 403: Resource not accessible by integration"},
		{name: "too long", note: Note{Body: marker + strings.Repeat("x", 65536)}, writes: []string{"POST /issues/7/comments"}, fails: "HTTP 422"},
		{name: "may not read", setup: func(w *world) { w.Lacks = []string{"issues: read"} }, note: Note{Body: marker + "red"}, fails: "HTTP 403"},
		{name: "without its marker", note: Note{Body: "red"}, fails: "does not begin with its marker"},
		{name: "a token without account", setup: func(w *world) { w.Fail("GET /user", -1, fakehub.Body(`{}`)) }, note: Note{Body: marker + "red"}, fails: "whose token"},
		{name: "identity unknown", setup: func(w *world) { w.Fail("GET /user", -1, fakehub.Status(404, "Not Found")) }, note: Note{Body: marker + "red"}, fails: "HTTP 404"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			if c.setup != nil {
				c.setup(w)
			}
			c.note.Number, c.note.Marker = 7, marker
			err := w.client.Put(context.Background(), c.note)
			if (err == nil) != (c.fails == "") || err != nil && !strings.Contains(err.Error(), c.fails) {
				t.Errorf("got %v, want %q", err, c.fails)
			}
			if f, ok := err.(interface{ Fix() string }); err != nil && (!ok || strings.Contains(err.Error(), "HTTP 403") && !strings.Contains(f.Fix(), "pull-requests: write")) {
				t.Errorf("no fix: %v", err)
			}
			var writes, got []string
			for _, call := range called(w.Hub, 0) {
				if !strings.HasPrefix(call, "GET ") {
					writes = append(writes, call)
				}
			}
			if !slices.Equal(writes, c.writes) {
				t.Errorf("wrote %q, want %q", writes, c.writes)
			}
			for _, comment := range w.pull.Comments {
				got = append(got, comment.Author+" "+comment.Body)
			}
			if c.want != nil && !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestMarkerHidesNoOneElse keeps the gate's own comment out of the facts, and no other: a person who writes the marker
// asks for an override as openly as without it.
func TestMarkerHidesNoOneElse(t *testing.T) {
	w := newWorld(t)
	text := Marker + "\n/closeout-override aaaa-aaa2 <why>"
	w.pull.Comments = []*fakehub.Comment{{ID: 5, Author: actionsBot, Body: text}, {ID: 6, Author: "agent", Body: text}}
	p := w.client.Pull(context.Background(), 7)
	w.client.comments(context.Background(), p)
	if len(p.Live.Comments) != 1 || p.Live.Comments[0].Author != "agent" {
		t.Errorf("got %+v, %+v", p.Live.Comments, p.Unavailable)
	}
}

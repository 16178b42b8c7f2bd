package github

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/testkit/fakehub"
)

func TestAPIURL(t *testing.T) {
	for _, c := range []struct{ wanted, runner, want, fails string }{
		{want: "https://api.github.com"},
		{runner: "https://api.github.com", want: "https://api.github.com"},
		{runner: "https://ghe.example.com/api/v3", want: "https://ghe.example.com/api/v3"},
		{wanted: "https://api.github.com", runner: "https://api.github.com", want: "https://api.github.com"},
		{wanted: "https://API.github.com/", want: "https://API.github.com/"},
		{wanted: "https://ghe.example.com/api/v3", runner: "https://ghe.example.com/api/v3", want: "https://ghe.example.com/api/v3"},
		{wanted: "http://127.0.0.1:8080", want: "http://127.0.0.1:8080"},
		{wanted: "http://[::1]:8080/api", want: "http://[::1]:8080/api"},
		{wanted: "http://localhost:1", want: "http://localhost:1"},
		{wanted: "https://evil.example.com", fails: `would go to "evil.example.com"`},
		{wanted: "https://api.github.com:444", fails: "would go to"},
		{wanted: "https://api.github.com.evil.example.com", fails: "would go to"},
		{wanted: "http://api.github.com", fails: "expected https"},
		{wanted: "https://u:p@api.github.com", fails: "expected scheme, host and path alone"},
		{wanted: "https://api.github.com?x=1", fails: "expected scheme"},
		{wanted: "https://api.github.com#x", fails: "expected scheme"},
		{wanted: "api.github.com", fails: "expected scheme"},
		{wanted: "ftp://127.0.0.1/", fails: "expected https"},
		{wanted: "http://localhost.evil.example.com", fails: "expected https"},
		{wanted: "http://127.0.0.1.evil.example.com", fails: "expected https"},
		{wanted: "https://x y", fails: "this is not a URL"},
		{runner: "http://ghe.example.com", fails: "GITHUB_API_URL"},
	} {
		u, err := APIURL(c.wanted, c.runner)
		if c.fails != "" {
			if err == nil || !strings.Contains(err.Error(), c.fails) || strings.Contains(err.Error(), "u:p@") {
				t.Errorf("%+v: got %v, %v", c, u, err)
			}
			continue
		}
		if err != nil || u.String() != c.want {
			t.Errorf("%+v: got %v, %v", c, u, err)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	api, _ := APIURL("", "")
	for _, c := range []Config{
		{API: api, Repository: "name"}, {API: api, Repository: "a/b/c"}, {API: api, Repository: "a/b?x"}, {API: api, Repository: ""},
		{API: api, Repository: "a/."}, {API: api, Repository: "a/.."},
		{Repository: "a/b"}, {API: api, Repository: "a/b", Token: "x\ny"}, {API: api, Repository: "a/b", Token: "Bearer x"},
	} {
		if _, err := New(c); err == nil || c.Token != "" && strings.Contains(err.Error(), c.Token) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if _, err := New(Config{API: api, Repository: "a/b", Token: token}); err != nil {
		t.Error(err)
	}
}

// On an enterprise server the API lies below a path.
func TestAPIBelowPath(t *testing.T) {
	w := newWorld(t)
	w.server.Config.Handler = http.StripPrefix("/api/v3", w.Hub)
	p := w.connect(token, "/api/v3").Pull(context.Background(), 7)
	if p.Live == nil || len(p.Unavailable) > 0 {
		t.Errorf("got %+v", p.Unavailable)
	}
	p = w.connect("wrong", "/api/v3").Pull(context.Background(), 7)
	if want := "GET /repos/octo-org/octo-repo/pulls/7: HTTP 401: Bad credentials"; p.Unavailable[0].Error != want {
		t.Errorf("got %q, want %q", p.Unavailable[0].Error, want)
	}
}

func TestPages(t *testing.T) {
	many := func(n int) []*fakehub.Comment {
		var list []*fakehub.Comment
		for i := range n {
			list = append(list, &fakehub.Comment{ID: int64(n - i), Author: "ann", Body: "/closeout-override x"})
		}
		return list
	}
	for _, c := range []struct {
		name  string
		n     int
		prep  func(w *world)
		got   int
		calls int
		fails string
	}{
		{name: "none", n: 0, got: 0, calls: 1},
		{name: "one page but one", n: 99, got: 99, calls: 1},
		{name: "a full page proves nothing", n: 100, got: 100, calls: 2},
		{name: "three pages", n: 250, got: 250, calls: 3},
		{name: "without Link headers", n: 250, prep: func(w *world) { w.Fail("/comments", -1, fakehub.Unlinked) }, got: 250, calls: 3},
		{name: "shrinking", n: 250, calls: 2, fails: "the list became shorter while it was read: it ended on page 2 of 3", prep: func(w *world) {
			w.Fail("page=2", 1, func(rw http.ResponseWriter, r *http.Request, answer http.Handler) {
				w.pull.Comments = w.pull.Comments[:150]
				answer.ServeHTTP(rw, r)
			})
		}},
		{name: "growing at its front: each once", n: 150, got: 150, calls: 3, prep: func(w *world) {
			w.Fail("page=2", 1, func(rw http.ResponseWriter, r *http.Request, answer http.Handler) {
				w.pull.Comments = many(250)
				answer.ServeHTTP(rw, r)
			})
		}},
		{name: "failing on the last page", n: 250, calls: 3, fails: "HTTP 403", prep: func(w *world) { w.Fail("page=3", 1, fakehub.Status(403, "no")) }},
		{name: "without end", n: 1, calls: 100, fails: "more than 10000 entries", prep: func(w *world) {
			w.Fail("/comments", -1, fakehub.Body("["+strings.Repeat(`{"id":1,"body":"x","created_at":"2026-11-21T10:00:00Z","updated_at":"2026-11-21T10:00:00Z"},`, 99)+`{"id":2}]`))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.pull.Comments = many(c.n)
			if c.prep != nil {
				c.prep(w)
			}
			p := w.client.Pull(context.Background(), 7)
			from := len(w.Calls())
			w.client.comments(context.Background(), p)
			if calls := len(w.Calls()) - from; calls != c.calls {
				t.Errorf("asked %d times, want %d", calls, c.calls)
			}
			if c.fails != "" {
				if p.Live.Comments != nil || len(p.Unavailable) != 1 || !strings.Contains(p.Unavailable[0].Error, c.fails) {
					t.Errorf("got %d comments, %+v", len(p.Live.Comments), p.Unavailable)
				}
				return
			}
			if p.Live.Comments == nil || len(p.Live.Comments) != c.got || len(p.Unavailable) > 0 {
				t.Errorf("got %d comments, want %d; %+v", len(p.Live.Comments), c.got, p.Unavailable)
			}
			for i := 1; i < len(p.Live.Comments); i++ {
				if a, b := p.Live.Comments[i-1].ID, p.Live.Comments[i].ID; len(a) > len(b) || len(a) == len(b) && a >= b {
					t.Fatalf("%s is before %s", a, b)
				}
			}
		})
	}
}

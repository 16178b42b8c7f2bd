package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/closeout-gate/closeout/internal/testkit/fakehub"
)

func TestFaults(t *testing.T) {
	reset := func(seconds int) string { return fmt.Sprint(1_790_000_000 + seconds) }
	for _, c := range []struct {
		name  string
		do    fakehub.Fault
		times int
		slept string // "" for none
		fails string // what the error contains; "" when the call succeeds in the end
		fix   string
		calls int
	}{
		{name: "nothing", calls: 1},
		{name: "429 with Retry-After", do: fakehub.Status(429, "too many", "Retry-After", "7"), times: 2, slept: "7s 7s", calls: 3},
		{name: "429 with a date", do: fakehub.Status(429, "too many", "Retry-After", time.Unix(1_790_000_005, 0).UTC().Format(http.TimeFormat)), times: 1, slept: "5s", calls: 2},
		{name: "429 with a date that has passed", do: fakehub.Status(429, "too many", "Retry-After", time.Unix(1_789_999_999, 0).UTC().Format(http.TimeFormat)), times: 1, slept: "1s", calls: 2},
		{name: "429 that is over", do: fakehub.Status(429, "too many", "Retry-After", "0"), times: 1, slept: "1s", calls: 2},
		{name: "429 with nonsense", do: fakehub.Status(429, "too many", "Retry-After", "soon"), times: 1, slept: "1m0s", calls: 2},
		{name: "429 alone", do: fakehub.Status(429, "too many"), times: 1, slept: "1m0s", calls: 2},
		{name: "429 for longer than anybody waits", do: fakehub.Status(429, "too many", "Retry-After", "3600"), times: -1, fails: "HTTP 429: a rate limit of the API: too many", fix: "wait until the limit ends", calls: 1},
		{name: "403 secondary", do: fakehub.Status(403, "You have exceeded a secondary rate limit. Please wait a few minutes."), times: 1, slept: "1m0s", calls: 2},
		{name: "403 with Retry-After", do: fakehub.Status(403, "slow down", "Retry-After", "3"), times: 1, slept: "3s", calls: 2},
		{name: "403 primary", do: fakehub.Status(403, "API rate limit exceeded", "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", reset(20)), times: 1, slept: "21s", calls: 2},
		{name: "403 primary until much later", do: fakehub.Status(403, "API rate limit exceeded", "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", reset(1800)), times: -1, fails: "HTTP 403: a rate limit of the API", fix: "wait until", calls: 1},
		{name: "403 that is meant", do: fakehub.Status(403, "Resource not accessible by integration"), times: -1, fails: "GET /repos/octo-org/octo-repo/pulls/7: HTTP 403: Resource not accessible", fix: "give the job the permission pull-requests: read", calls: 1},
		{name: "401", do: fakehub.Status(401, "Bad credentials"), times: -1, fails: "HTTP 401: Bad credentials", fix: "github.token", calls: 1},
		{name: "404", do: fakehub.Status(404, "Not Found"), times: -1, fails: "HTTP 404", fix: "give the job the permission pull-requests: read; GitHub also answers 404", calls: 1},
		{name: "410", do: fakehub.Status(410, "Gone"), times: -1, fails: "HTTP 410", fix: "newer version of closeout", calls: 1},
		{name: "5xx three times", do: fakehub.Status(502, "Server Error"), times: 3, slept: "1s 2s 4s", calls: 4},
		{name: "5xx with Retry-After", do: fakehub.Status(503, "busy", "Retry-After", "30"), times: 1, slept: "30s", calls: 2},
		{name: "5xx for ever", do: fakehub.Status(500, "oops"), times: -1, slept: "1s 2s 4s 8s 16s", fails: "HTTP 500: oops (asked 6 times)", fix: "run the job again", calls: 6},
		{name: "more than the patience in all", do: fakehub.Status(503, "busy", "Retry-After", "50"), times: -1, slept: "50s", fails: "HTTP 503: busy (asked 2 times)", fix: "run the job again", calls: 2},
		{name: "nonsense in Retry-After", do: fakehub.Status(503, "busy", "Retry-After", "soon"), times: 1, slept: "1s", calls: 2},
		{name: "negative Retry-After", do: fakehub.Status(503, "busy", "Retry-After", "-5"), times: 1, slept: "1s", calls: 2},
		{name: "202", do: fakehub.Status(202, "computing"), times: 1, slept: "1s", calls: 2},
		{name: "cut in the middle", do: fakehub.Truncated, times: 1, slept: "1s", calls: 2},
		{name: "cut for ever", do: fakehub.Truncated, times: -1, slept: "1s 2s 4s 8s 16s", fails: "the answer is incomplete: unexpected EOF (asked 6 times)", fix: "run the job again", calls: 6},
		{name: "no answer", do: fakehub.Dead, times: 1, slept: "1s", calls: -1},
		{name: "no JSON", do: fakehub.Body("<html>sign in</html>"), times: 1, fails: "the answer is not JSON", fix: "run the job again", calls: 1},
		{name: "JSON with a tail", do: fakehub.Body(`{"number":7} x`), times: 1, fails: "the answer is not JSON", fix: "run the job again", calls: 1},
		{name: "nothing in it", do: fakehub.Body(""), times: 1, fails: "the answer is not JSON", fix: "run the job again", calls: 1},
		{name: "null", do: fakehub.Body("null\n"), times: 1, fails: "the answer is not JSON", fix: "run the job again", calls: 1},
		{name: "other JSON", do: fakehub.Body(`[]`), times: 1, fails: "cannot unmarshal array", fix: "run the job again", calls: 1},
		{name: "another pull request", do: fakehub.Body(`{"number":8}`), times: 1, fails: "pull request 8 instead of 7", fix: "run the job again", calls: 1},
		{name: "too large", do: fakehub.Body(`{"a":"` + strings.Repeat("x", maxBody) + `"}`), times: 1, fails: "the answer is larger than 32 MiB", fix: "run the job again", calls: 1},
		{name: "to another host", do: fakehub.Redirect(301, "http://localhost:1/pulls/7"), times: 1, fails: "redirects to another host", fix: "run the job again", calls: 1},
		{name: "in circles", do: fakehub.Redirect(302, "/repos/octo-org/octo-repo/pulls/7"), times: -1, fails: "redirects in circles", fix: "run the job again", calls: 4},
		{name: "renamed on the same host", do: fakehub.Redirect(301, "/repos/octo-org/octo-repo/pulls/7?moved"), times: 1, calls: 2},
		{name: "renamed for good", do: fakehub.Redirect(308, "/repos/octo-org/octo-repo/pulls/7?moved"), times: 1, calls: 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			if c.do != nil {
				w.Fail("/pulls/7", c.times, c.do)
			}
			p := w.client.Pull(context.Background(), 7)
			if got := strings.Trim(fmt.Sprint(w.clock.slept), "[]"); got != c.slept {
				t.Errorf("slept %q, want %q", got, c.slept)
			}
			calls := 0
			for _, call := range w.Calls() {
				if strings.Contains(call, "/pulls/7") {
					calls++
				}
			}
			if c.calls >= 0 && calls != c.calls {
				t.Errorf("asked %d times, want %d", calls, c.calls)
			}
			if c.fails == "" {
				if p.Live == nil || p.Live.Number != 7 || len(p.Unavailable) > 0 {
					t.Errorf("got %+v, %+v", p.Live, p.Unavailable)
				}
				return
			}
			if p.Live != nil || len(p.Unavailable) != 1 {
				t.Fatalf("got %+v, %+v", p.Live, p.Unavailable)
			}
			if u := p.Unavailable[0]; !strings.Contains(u.Error, c.fails) || !strings.Contains(u.Fix, c.fix) || u.What != "pull_request" {
				t.Errorf("got %+v, want %q, %q", u, c.fails, c.fix)
			}
		})
	}
}

// After a limit, go-github alone would refuse later calls without asking.
func TestLimitDoesNotStick(t *testing.T) {
	w := newWorld(t)
	far := fmt.Sprint(time.Now().Add(time.Hour).Unix())
	w.Fail("/pulls/7", 1, fakehub.Status(403, "API rate limit exceeded", "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", far))
	w.Fail("/pulls/7", 1, func(rw http.ResponseWriter, r *http.Request, answer http.Handler) {
		whole := httptest.NewRecorder()
		answer.ServeHTTP(whole, r)
		rw.Header().Set("X-RateLimit-Remaining", "0") // the last call of this hour
		rw.Header().Set("X-RateLimit-Reset", far)
		_, _ = rw.Write(whole.Body.Bytes())
	})
	if p := w.client.Pull(context.Background(), 7); p.Live != nil {
		t.Fatal("the limit was not seen")
	}
	if p := w.client.Pull(context.Background(), 7); p.Live == nil || len(p.Unavailable) > 0 {
		t.Errorf("after the limit: %+v", p.Unavailable)
	}
}

// Slow answers use up the patience that all calls share; then there are no more requests.
func TestPatienceIsShared(t *testing.T) {
	w := newWorld(t)
	w.Fail("/pulls/7", -1, fakehub.Status(503, "busy", "Retry-After", "40"))
	w.client.Pull(context.Background(), 7)
	asked := len(w.Calls())
	if asked != 3 {
		t.Fatalf("asked %d times, want 3: waiting 40 s twice leaves 10 s", asked)
	}
	w.client.rest.Client().Transport.(*transport).spend(10 * time.Second)
	p := w.client.Pull(context.Background(), 7)
	if len(w.Calls()) != asked || len(p.Unavailable) != 1 || !strings.Contains(p.Unavailable[0].Error, "no more attempts") {
		t.Errorf("asked again: %q, %+v", w.Calls()[asked:], p.Unavailable)
	}
}

// The time of an attempt that fails counts, and one that succeeds costs nothing.
func TestFailingTimeCounts(t *testing.T) {
	w := newWorld(t)
	w.Fail("/pulls/7", 2, func(rw http.ResponseWriter, r *http.Request, _ http.Handler) {
		w.clock.now = w.clock.now.Add(44 * time.Second)
		fakehub.Status(500, "late")(rw, r, nil)
	})
	if p := w.client.Pull(context.Background(), 7); p.Live != nil || len(w.Calls()) != 2 {
		t.Errorf("asked %q", w.Calls())
	}
	w = newWorld(t)
	w.Fail("/pulls/7", 9, func(rw http.ResponseWriter, r *http.Request, answer http.Handler) {
		w.clock.now = w.clock.now.Add(time.Hour)
		answer.ServeHTTP(rw, r)
	})
	for range 3 {
		if p := w.client.Pull(context.Background(), 7); p.Live == nil {
			t.Errorf("a slow answer was charged: %+v", p.Unavailable)
		}
	}
}

func TestSlowAnswerIsGivenUp(t *testing.T) {
	w := newWorld(t)
	w.client.rest.Client().Transport.(*transport).timeout = 20 * time.Millisecond
	w.Fail("/pulls/7", -1, fakehub.Slow)
	p := w.client.Pull(context.Background(), 7)
	if p.Live != nil || !strings.Contains(p.Unavailable[0].Error, "no answer") {
		t.Errorf("got %+v", p.Unavailable)
	}
}

func TestCancelled(t *testing.T) {
	w := newWorld(t)
	ctx, cancel := context.WithCancel(context.Background())
	w.Fail("/pulls/7", -1, func(rw http.ResponseWriter, r *http.Request, answer http.Handler) {
		cancel()
		<-r.Context().Done()
	})
	p := w.client.Pull(ctx, 7)
	if len(w.Calls()) != 1 || len(p.Unavailable) != 1 || len(w.clock.slept) != 0 {
		t.Errorf("asked %q, slept %v, %+v", w.Calls(), w.clock.slept, p.Unavailable)
	}
}

// The token goes to the API's host alone, and into no error, even when the server repeats it.
func TestTokenStays(t *testing.T) {
	w := newWorld(t)
	var seen []string
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen = append(seen, r.Header.Get("Authorization")) }))
	defer other.Close()
	w.Fail("/pulls/7", 1, fakehub.Redirect(307, other.URL+"/pulls/7"))
	w.Fail("/pulls/7", 1, fakehub.Status(400, "bad token "+token+"\n::error::x"))
	w.Fail("/pulls/7", 6, fakehub.Status(500, "bad token "+token))
	for range 3 {
		p := w.client.Pull(context.Background(), 7)
		if len(p.Unavailable) != 1 {
			t.Fatalf("got %+v", p)
		}
		if text := fmt.Sprint(p.Unavailable); strings.Contains(text, token) || strings.Contains(text, "\n") {
			t.Errorf("printed: %s", text)
		}
	}
	if len(seen) > 0 {
		t.Errorf("another host was asked, with %q", seen)
	}
	req, _ := http.NewRequest("GET", other.URL, nil)
	if _, err := w.client.rest.Client().Transport.RoundTrip(req); err == nil || len(seen) > 0 {
		t.Errorf("the transport asked another host: %v", err)
	}
}

// A write is done once: whether it happened is unknown when the answer got lost.
func TestWritesAreNotRepeated(t *testing.T) {
	w := newWorld(t)
	w.Fail("POST ", -1, fakehub.Status(502, "Server Error"))
	err := w.client.Put(context.Background(), Note{Number: 7, Marker: "<!--m-->", Body: "<!--m-->x"})
	if err == nil || len(w.clock.slept) > 0 {
		t.Errorf("%v, slept %v", err, w.clock.slept)
	}
	w = newWorld(t)
	w.Fail("POST ", 1, fakehub.Redirect(307, "/elsewhere"))
	err = w.client.Put(context.Background(), Note{Number: 7, Marker: "<!--m-->", Body: "<!--m-->x"})
	var f *failure
	if !errors.As(err, &f) || !strings.Contains(err.Error(), "redirects a write") {
		t.Errorf("got %v", err)
	}
}

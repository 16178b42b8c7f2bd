package github

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/closeout-gate/closeout/internal/collect"
	"github.com/closeout-gate/closeout/internal/testkit/fakehub"
	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/input"
)

// failingNetwork fails a number of requests, each after some time, before it carries one.
type failingNetwork struct {
	*world
	err   error
	times int
	costs time.Duration
	next  http.RoundTripper
}

func (g *failingNetwork) RoundTrip(r *http.Request) (*http.Response, error) {
	if g.times == 0 {
		return g.next.RoundTrip(r)
	}
	g.times--
	g.clock.now = g.clock.now.Add(g.costs)
	return nil, g.err
}

// lose makes the next requests fail before there is a connection.
func (w *world) lose(times int, costs time.Duration) {
	err := &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: "api.github.com", IsNotFound: true}}
	w.client.wire.next = &failingNetwork{w, err, times, costs, w.client.wire.next}
}

// elsewhere lets the client ask another server.
func (w *world) elsewhere(t *testing.T, address string) {
	t.Helper()
	api, err := APIURL(address, "")
	if err != nil {
		t.Fatal(err)
	}
	if w.client, err = New(Config{API: api, Token: token, Repository: "octo-org/octo-repo", Clock: w.clock.clock(), Timeout: 5 * time.Second}); err != nil {
		t.Fatal(err)
	}
}

func (w *world) waited() (sum time.Duration) {
	for _, d := range w.clock.slept {
		sum += d
	}
	return sum
}

// TestUnreachable wants an API that never answered to be said after seconds, whatever is asked next.
func TestUnreachable(t *testing.T) {
	// No server of a test gets a port this low, as it may get one that was closed.
	const refused = "http://127.0.0.1:1"
	untrusted := httptest.NewUnstartedServer(http.NotFoundHandler())
	untrusted.Config.ErrorLog = log.New(io.Discard, "", 0)
	untrusted.StartTLS()
	defer untrusted.Close()
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	for _, c := range []struct {
		name, why string
		setup     func(w *world)
	}{
		{"refused", "connection refused", func(w *world) { w.elsewhere(t, refused) }},
		{"untrusted certificate", "certificate", func(w *world) { w.elsewhere(t, untrusted.URL) }},
		{"no TLS", "does not look like a TLS handshake", func(w *world) { w.elsewhere(t, strings.Replace(plain.URL, "http:", "https:", 1)) }},
		{"silence", "there was no connection within 1ms", func(w *world) {
			w.elsewhere(t, "https://"+silent.Addr().String())
			w.client.wire.connect = time.Millisecond
		}},
		{"no such host", "no such host", func(w *world) { w.lose(-1, 0) }},
		{"slow to fail", "no such host", func(w *world) { w.lose(-1, connectTimeout) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			c.setup(w)
			began := w.clock.now
			p := w.client.Pull(context.Background(), 7)
			if len(p.Unavailable) != 1 || p.Live != nil {
				t.Fatalf("got %+v", p)
			}
			got := p.Unavailable[0]
			if !strings.Contains(got.Error, "GitHub cannot be reached: ") || !strings.Contains(got.Error, c.why) || !strings.Contains(got.Fix, "proxy (HTTPS_PROXY)") {
				t.Errorf("got %+v", got)
			}
			w.client.Details(context.Background(), p, Wants{Override: isOverride, Approvals: true})
			_, err := w.client.BranchTip(context.Background(), "main")
			if err == nil || w.clock.now.Sub(began) > 6*time.Second || w.waited() > reachPatience {
				t.Errorf("%v; %s passed, slept %v", err, w.clock.now.Sub(began), w.clock.slept)
			}
			if u := w.client.unknown(facts.Wanted("x"), "", err); !strings.Contains(u.Error, "GitHub cannot be reached") || !strings.Contains(u.Fix, "proxy") {
				t.Errorf("later: %+v", u)
			}
		})
	}
}

// TestReached wants the long patience after a first connection: the address and the network are right then.
func TestReached(t *testing.T) {
	w := newWorld(t)
	w.lose(1, 0)
	if p := w.client.Pull(context.Background(), 7); p.Live == nil || !slices.Equal(w.clock.slept, []time.Duration{time.Second}) {
		t.Errorf("one failure at first: %+v, slept %v", p.Unavailable, w.clock.slept)
	}
	w.clock.slept = nil
	w.lose(5, 0)
	if p := w.client.Pull(context.Background(), 7); p.Live == nil || len(w.clock.slept) != 5 {
		t.Errorf("five failures later: %+v, slept %v", p.Unavailable, w.clock.slept)
	}
	w.clock.slept = nil
	w.lose(-1, 0)
	p := w.client.Pull(context.Background(), 7)
	if len(p.Unavailable) != 1 || !strings.Contains(p.Unavailable[0].Error, ": no answer: ") || !strings.Contains(p.Unavailable[0].Fix, "GitHub's status") {
		t.Errorf("for ever later: %+v", p.Unavailable)
	}
	// A server that answers badly is reached, even when no connection came to a good end.
	w = newWorld(t)
	w.Fail("/pulls/7", 5, fakehub.Dead)
	if p := w.client.Pull(context.Background(), 7); p.Live == nil {
		t.Errorf("closed connections: %+v, slept %v", p.Unavailable, w.clock.slept)
	}
}

// TestProgress wants a line for each stage and each long wait, without a secret, and none for each request.
func TestProgress(t *testing.T) {
	w := newWorld(t)
	w.Fail("/pulls/7", 1, fakehub.Status(429, "slow down, "+token, "Retry-After", "30"))
	w.Fail("/pulls/7", 1, fakehub.Status(502, "oops"))
	var lines []string
	run, err := NewRun(Options{
		EventName: "pull_request", Payload: fmt.Appendf(nil, `{"action":"opened","number":7,"repository":{"id":17273051,"full_name":"octo-org/octo-repo","default_branch":"main"},
			"pull_request":{"number":7,"head":{"sha":"%s"},"base":{"sha":"%s","ref":"main"}}}`, w.head, w.base),
		APIURL: w.server.URL, Token: token, Files: collect.Options{Root: w.workspace(), Settings: verify.Settings{Limits: input.DefaultLimits()}},
		Progress: func(line string) { lines = append(lines, line) },
	})
	if err != nil {
		t.Fatal(err)
	}
	run.Client.wire.clock = w.clock.clock()
	if _, err := run.Collect(context.Background()); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"reading pull request 7",
		"waiting 30s: HTTP 429: a rate limit of the API: slow down, [token] (1 request so far)",
		"comparing the commits of pull request 7 (",
		"reading the changed files of pull request 7 (",
		"reading commits, labels and people of pull request 7 (",
	}
	if !slices.EqualFunc(lines, want, strings.HasPrefix) || len(w.Calls()) <= len(lines) {
		t.Errorf("got %q for %d calls", lines, len(w.Calls()))
	}
}

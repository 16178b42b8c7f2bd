package github

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// What a run may spend on GitHub.
const (
	maxAttempts    = 6                // of one request
	maxBody        = 32 << 20         // bytes of one answer
	attemptTimeout = 30 * time.Second // of one attempt
	patience       = 90 * time.Second // of waiting and failing, over all requests of a client
	reachPatience  = 5 * time.Second  // the same, until there was a first connection: a wrong address or proxy stays wrong
	connectTimeout = 6 * time.Second  // of name resolution, proxy and TLS: a resolver waits 5 s for its first server
	longWait       = 10 * time.Second // what a person would wonder about
	secondaryWait  = time.Minute      // after a secondary limit that does not say how long
)

// Clock is the time that retries are measured with. The zero Clock is the machine's.
type Clock struct {
	Now   func() time.Time
	Sleep func(context.Context, time.Duration) error
}

func (c Clock) orReal() Clock {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Sleep == nil {
		c.Sleep = sleep
	}
	return c
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// transport carries every request. It has the token, and sends it to the API's host alone; it repeats a request where that
// helps, within a patience that all requests share; and it returns only complete answers.
//
// It reads the rate limit headers itself and takes the time of the reset out of the answer: go-github knows a limit only
// by status 403 and, once it has seen one, refuses every later call until then without asking.
type transport struct {
	next    http.RoundTripper
	api     *url.URL
	token   string
	clock   Clock
	waits   func(wait time.Duration, why string) // is told each long wait; may be nil
	timeout time.Duration
	connect time.Duration // timeout of a connection
	asked   atomic.Int64  // requests, repeated ones included

	mu      sync.Mutex
	left    time.Duration
	reached bool // there was a connection
}

// unanswered says that GitHub gave no usable answer, although the request was repeated as long as that could help.
type unanswered struct {
	why     string
	limited bool // a rate limit, which ends by itself
	reached bool // there was a connection, in this request or before
	tries   int
}

func (e *unanswered) Error() string {
	if e.tries < 2 {
		return e.why
	}
	return fmt.Sprintf("%s (asked %d times)", e.why, e.tries)
}

// fault is why an attempt gave no answer.
type fault struct {
	why     string
	again   bool          // whether asking again may help
	limited bool          // a rate limit
	wait    time.Duration // how long GitHub asks to wait; 0 when it does not say
}

func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if !sameHost(req.URL, t.api) {
		return nil, errors.New("a request to another host than the API's is refused")
	}
	for try := 1; ; try++ {
		if t.remaining() <= 0 {
			return nil, t.exhausted(try - 1)
		}
		start := t.clock.Now()
		resp, failed := t.attempt(req)
		if failed == nil {
			return resp, nil
		}
		if err := req.Context().Err(); err != nil {
			return nil, err
		}
		wait := max(failed.wait, time.Second<<(try-1))
		t.spend(t.clock.Now().Sub(start))
		if !failed.again || req.Method != http.MethodGet || try == maxAttempts || wait > t.remaining() {
			return nil, &unanswered{why: failed.why, limited: failed.limited, reached: t.hasReached(), tries: try}
		}
		t.spend(wait)
		if t.waits != nil && wait >= longWait {
			t.waits(wait, failed.why)
		}
		if err := t.clock.Sleep(req.Context(), wait); err != nil {
			return nil, err
		}
	}
}

func (t *transport) remaining() time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.left
}

func (t *transport) spend(d time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.left -= d
}

// exhausted says why a request is not sent any more.
func (t *transport) exhausted(tries int) *unanswered {
	if !t.hasReached() {
		return &unanswered{why: "GitHub cannot be reached; there are no more attempts", tries: tries}
	}
	return &unanswered{why: fmt.Sprintf("GitHub kept failing for %s; there are no more attempts", patience), reached: true, tries: tries}
}

func (t *transport) hasReached() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.reached
}

// noteConnection notes a connection. From the first one on, what fails may work again later.
func (t *transport) noteConnection() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.reached {
		t.reached = true
		t.left += patience - reachPatience
	}
}

// traced is a context that ends when there is no connection in time.
func (t *transport) traced(ctx context.Context, connected *atomic.Bool) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(ctx, t.timeout)
	timer := time.AfterFunc(t.connect, cancel)
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) {
		timer.Stop()
		connected.Store(true)
		t.noteConnection()
	}}), func() { timer.Stop(); cancel() }
}

// noAnswer says what an attempt failed with.
func (t *transport) noAnswer(ctx context.Context, err error, connected bool) *fault {
	if !connected && ctx.Err() != nil {
		err = fmt.Errorf("there was no connection within %s", t.connect)
	}
	if !connected && !t.hasReached() {
		return &fault{why: "GitHub cannot be reached: " + err.Error(), again: true}
	}
	return &fault{why: "no answer: " + err.Error(), again: true}
}

// attempt asks once and reads the whole answer, so that an answer that ends too early is noticed here.
func (t *transport) attempt(req *http.Request) (*http.Response, *fault) {
	var connected atomic.Bool
	ctx, cancel := t.traced(req.Context(), &connected)
	defer cancel()
	t.asked.Add(1)
	out := req.Clone(ctx)
	if t.token != "" {
		out.Header.Set("Authorization", "Bearer "+t.token)
	}
	resp, err := t.next.RoundTrip(out)
	if err != nil {
		return nil, t.noAnswer(ctx, err, connected.Load())
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	if closed := resp.Body.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return nil, &fault{why: "the answer is incomplete: " + err.Error(), again: true}
	}
	if len(body) > maxBody {
		return nil, &fault{why: fmt.Sprintf("the answer is larger than %d MiB", maxBody>>20)}
	}
	if failed := t.judge(resp, body); failed != nil {
		return nil, failed
	}
	resp.Header.Del("X-Ratelimit-Reset")
	resp.Body, resp.ContentLength, resp.Request = io.NopCloser(bytes.NewReader(body)), int64(len(body)), req
	return resp, nil
}

// judge tells usable answers from others. A refusal (401, 403, 404, …) is usable: the caller knows what it means.
func (t *transport) judge(resp *http.Response, body []byte) *fault {
	code := resp.StatusCode
	wait, _ := t.retryAfter(resp)
	switch {
	case limited(resp, body):
		return &fault{why: fmt.Sprintf("HTTP %d: a rate limit of the API%s", code, messageOf(body)), again: true, limited: true, wait: t.waitFor(resp)}
	case code >= 500:
		return &fault{why: fmt.Sprintf("HTTP %d%s", code, messageOf(body)), again: true, wait: wait}
	case code == http.StatusAccepted:
		return &fault{why: "HTTP 202: GitHub has not computed the answer yet", again: true, wait: wait}
	case code < 200 || code >= 300 || resp.Request.Method != http.MethodGet:
		return nil
	case !json.Valid(body) || bytes.Equal(bytes.TrimSpace(body), []byte("null")):
		return &fault{why: "the answer is not JSON"}
	}
	return nil
}

// limited recognises a primary or a secondary rate limit: GitHub documents 403 and 429 for both.
func limited(resp *http.Response, body []byte) bool {
	switch resp.StatusCode {
	case http.StatusTooManyRequests:
		return true
	case http.StatusForbidden:
		text := strings.ToLower(string(body[:min(len(body), 4096)]))
		return resp.Header.Get("X-Ratelimit-Remaining") == "0" || resp.Header.Get("Retry-After") != "" ||
			strings.Contains(text, "rate limit") || strings.Contains(text, "rate-limit") || strings.Contains(text, "abuse detection")
	}
	return false
}

// waitFor is how long a limit lasts: the time of Retry-After, else until the reset, else a minute.
func (t *transport) waitFor(resp *http.Response) time.Duration {
	if wait, said := t.retryAfter(resp); said {
		return wait
	}
	reset, err := strconv.ParseInt(resp.Header.Get("X-Ratelimit-Reset"), 10, 64)
	if err == nil && resp.Header.Get("X-Ratelimit-Remaining") == "0" {
		return max(time.Unix(reset, 0).Sub(t.clock.Now()), 0) + time.Second
	}
	return secondaryWait
}

// retryAfter reads the header in both of its forms; a time that has passed is 0 or less. said is false when the header is
// absent or malformed.
func (t *transport) retryAfter(resp *http.Response) (wait time.Duration, said bool) {
	value := resp.Header.Get("Retry-After")
	if seconds, err := strconv.Atoi(value); err == nil {
		return time.Duration(min(seconds, 86400)) * time.Second, true
	}
	if at, err := http.ParseTime(value); err == nil {
		return at.Sub(t.clock.Now()), true
	}
	return 0, false
}

// messageOf is what an error of the API says, with a colon before it.
func messageOf(body []byte) string {
	var answer struct{ Message string }
	if json.Unmarshal(body, &answer) != nil || answer.Message == "" {
		return ""
	}
	return ": " + answer.Message
}

// sameHost compares scheme, host and port.
func sameHost(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && strings.EqualFold(a.Host, b.Host)
}

// stay lets a request be redirected only on the API's own host, as GitHub does for a renamed repository, and never redirects
// a write.
func stay(api *url.URL) func(*http.Request, []*http.Request) error {
	return func(req *http.Request, via []*http.Request) error {
		switch {
		case !sameHost(req.URL, api):
			return errors.New("the API redirects to another host, which is refused")
		case via[0].Method != http.MethodGet:
			return errors.New("the API redirects a write, which is refused")
		case len(via) > 3:
			return errors.New("the API redirects in circles")
		}
		return nil
	}
}

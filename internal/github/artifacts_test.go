package github

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/testkit/fakehub"
)

// TestDownload follows one redirect, to another host, without the token.
func TestDownload(t *testing.T) {
	shown := ""
	store := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		shown += fmt.Sprint(r.Header)
		switch r.URL.Path {
		case "/ok":
			fmt.Fprint(w, "zip")
		case "/again":
			http.Redirect(w, r, "/ok", http.StatusFound)
		case "/cut":
			w.Header().Set("Content-Length", "9")
			fmt.Fprint(w, "zip")
		case "/error":
			w.WriteHeader(http.StatusInternalServerError)
		}
	}))
	defer store.Close()
	for name, c := range map[string]struct {
		to, want string
		calls    int
	}{
		"another host":     {store.URL + "/ok?sig=secret", "", 1},
		"a second hop":     {store.URL + "/again?sig=secret", "HTTP 302", 3},
		"in circles":       {"", "HTTP 302", 3},
		"an error":         {store.URL + "/error?sig=secret", "HTTP 500", 3},
		"cut off":          {store.URL + "/cut?sig=secret", "incomplete", 3},
		"no such host":     {"http://127.0.0.1:1/x?sig=secret", "no answer", 3},
		"http":             {"http://storage.example.com/x?sig=secret", "not https", 1},
		"a name like ours": {"http://127.0.0.1.example.com/x?sig=secret", "not https", 1},
		"a file":           {"file:///etc/passwd", "not https", 1},
		"a password":       {"https://user:secret@storage.example.com/", "not https", 1},
		"no address":       {"http://%zz", "Location", 1},
	} {
		t.Run(name, func(t *testing.T) {
			m, a := newWorld(t), &fakehub.Artifact{ID: 1000, Data: []byte("zip"), To: c.to}
			m.Runs = []*fakehub.Run{{ID: 100, Head: m.head, Artifacts: []*fakehub.Artifact{a}}}
			if name == "in circles" {
				a.To = m.server.URL + "/repos/octo-org/octo-repo/actions/artifacts/1000/zip"
				m.Token = "" // the hub would refuse a request without a token
			}
			if name == "no address" {
				m.Fail("/zip", -1, func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
					w.Header().Set("Location", c.to)
					w.WriteHeader(http.StatusFound)
				})
			}
			from := len(m.Calls())
			data, err := m.client.Download(context.Background(), 1000)
			if c.want == "" && (err != nil || string(data) != "zip") || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("got %q, %v; expected %q", data, err, c.want)
			}
			asked := slices.DeleteFunc(m.Calls()[from:], func(call string) bool { return !strings.Contains(call, "/zip") })
			if len(asked) != c.calls && name != "in circles" {
				t.Errorf("asked %q", asked)
			}
			if err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("%v tells the address", err)
			}
		})
	}
	if strings.Contains(shown, "Authorization") || strings.Contains(shown, token) || shown == "" {
		t.Errorf("the storage was shown %s", shown)
	}
	// An API that is not on this machine cannot lead here.
	w := newWorld(t)
	w.elsewhere(t, "https://api.github.com")
	for address, want := range map[string]bool{"http://127.0.0.1/x": false, "https://127.0.0.1/x": true, "https://storage.example.com/x": true} {
		req, _ := http.NewRequest(http.MethodGet, address, nil)
		if got := w.client.mayLead(req.URL); got != want {
			t.Errorf("%s: %v", address, got)
		}
	}
}

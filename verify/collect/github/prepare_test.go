package github

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify/collect"
	"github.com/closeout-gate/closeout/verify/collect/github/fakehub"
)

// changed compares the base with a head that has other files.
func (w *world) changed(more ...string) *collect.Comparison {
	w.t.Helper()
	head := w.repo.commit("topic", "more", with(baseFiles, more...), w.base)
	c := collect.Compare(w.objects(), w.base, head)
	if len(c.Unavailable) > 0 {
		w.t.Fatal(c.Unavailable)
	}
	return c
}

// TestDiffRulesWithoutCheckout wants each version of each changed file to be asked for once, and no others.
func TestDiffRulesWithoutCheckout(t *testing.T) {
	w := newWorld(t)
	c := w.changed("src/a.go", "package a // new\n", "src/deep/b.go", "", "n", "new\n", "m", "new\n", "link", "link:n", "sub", gitlink)
	from := len(w.Calls())
	found, err := c.DiffRules()
	if err != nil || len(found.Rules) == 0 {
		t.Fatal(err)
	}
	calls := called(w.Hub, from)
	for _, call := range calls {
		if !strings.HasPrefix(call, "/git/blobs/") && !strings.HasPrefix(call, "GET /git/blobs/") {
			t.Errorf("asked for %s", call)
		}
	}
	if len(calls) != 4 { // two of src/a.go, one of src/deep/b.go, and the one that m and n share
		t.Errorf("%d calls: %q", len(calls), calls)
	}
	if _, err := c.DiffRules(); err != nil || len(called(w.Hub, from)) != len(calls) {
		t.Errorf("asked again: %v", err)
	}
}

func TestDiffRulesOfManyFiles(t *testing.T) {
	for files, most := range map[int]bool{maxPrepared: true, maxPrepared + 1: false} {
		w := newWorld(t)
		var more []string
		for i := range files {
			more = append(more, fmt.Sprintf("n%03d", i), fmt.Sprintf("%d\n", i))
		}
		c := w.changed(more...)
		from := len(w.Calls())
		_, err := c.DiffRules()
		var fixed interface{ Fix() string }
		switch {
		case most && err != nil:
			t.Errorf("%d files: %v", files, err)
		case !most && (!errors.As(err, &fixed) || !strings.Contains(fixed.Fix(), "fetch-depth: 0") || len(w.Calls()) > from):
			t.Errorf("%d files: %v, and %d calls", files, err, len(w.Calls())-from)
		}
	}
}

// TestDiffRulesOfLargeFile wants a file that is larger than the rules read to be no reason to know nothing about the others.
func TestDiffRulesOfLargeFile(t *testing.T) {
	w := newWorld(t)
	c := w.changed("large", strings.Repeat("x", maxPrepare+1), "n", "new\n")
	if found, err := c.DiffRules(); err != nil || len(found.Rules) == 0 {
		t.Error(err)
	}
	w = newWorld(t)
	c = w.changed("n", "new\n")
	w.Fail("/git/blobs/", -1, func(rw http.ResponseWriter, _ *http.Request, _ http.Handler) {
		rw.WriteHeader(http.StatusForbidden)
		fmt.Fprint(rw, `{"message":"This API returns blobs up to 100 MB in size.","errors":[{"resource":"Blob","field":"data","code":"too_large"}]}`)
	})
	if _, err := c.DiffRules(); err != nil {
		t.Error(err)
	}
}

func TestDiffRulesWithoutAnswer(t *testing.T) {
	for _, fault := range []fakehub.Fault{fakehub.Status(404, "Not Found"), fakehub.Status(500, "oops"), fakehub.Body(`{"encoding":"base64","content":""}`)} {
		w := newWorld(t)
		c := w.changed("n", "new\n")
		w.Fail("/git/blobs/", -1, fault)
		if found, err := c.DiffRules(); err == nil {
			t.Errorf("found %v", found)
		}
	}
}

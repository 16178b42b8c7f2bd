package session_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/closeout-gate/closeout/internal/agent/item"
	"github.com/closeout-gate/closeout/internal/agent/session"
)

func plan(n int) *item.Plan {
	p := &item.Plan{Schema: item.PlanSchema, Base: "base", Guard: item.GuardAll}
	for i := range n {
		p.Items = append(p.Items, item.Item{ID: fmt.Sprint("T-", i), ContractSHA256: strings.Repeat("a", 64), MaxAttempts: 3})
	}
	return p
}

func newStore(t *testing.T) *session.Store {
	t.Helper()
	return &session.Store{Dir: filepath.Join(t.TempDir(), "state")}
}

func fold(t *testing.T, s *session.Store, p *item.Plan) *item.State {
	t.Helper()
	st, err := s.Fold(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	return st
}

func add(s *session.Store, st *item.State, e item.Event) error {
	return s.Update(st, nil, func() (*item.Event, error) { return &e, nil })
}

// TestFind wants a state folder that is not where the agent writes, also through links, and that nothing is made.
func TestFind(t *testing.T) {
	dir := t.TempDir()
	root := filepath.Join(dir, "repo")
	git := filepath.Join(root, ".git")
	if err := os.MkdirAll(git, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(root, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", filepath.Join(dir, "home"))
	t.Setenv("XDG_STATE_HOME", "not/absolute")
	t.Setenv("CLOSEOUT_STATE", "")
	for name, ok := range map[string]bool{
		filepath.Join(dir, "state"): true, filepath.Join(dir, "repository"): true, "": true, root: false, filepath.Join(root, "state"): false, filepath.Join(git, "state"): false,
		filepath.Join(dir, "link", "x", "y"): false, filepath.Join(dir, "state", "..", "repo"): false,
	} {
		s, err := session.Find(name, root, git)
		if (err == nil) != ok {
			t.Errorf("%q: %v", name, err)
		}
		if name == "" && s.Dir != filepath.Join(dir, "home", ".local", "state", "closeout", session.Key(git)) {
			t.Errorf("the default is %s", s.Dir)
		}
	}
	t.Setenv("CLOSEOUT_STATE", filepath.Join(root, "x"))
	if _, err := session.Find("", root, git); err == nil {
		t.Error("$CLOSEOUT_STATE may be in the work tree")
	}
	if _, err := os.Stat(filepath.Join(dir, "home")); err == nil {
		t.Error("something was made")
	}
}

// TestKilledAnywhere cuts the log after each byte, as a kill or a full disk does, and goes on from there.
func TestKilledAnywhere(t *testing.T) {
	s, p := newStore(t), plan(2)
	st := fold(t, s, p)
	for _, e := range []item.Event{
		{Event: item.EventScanned, Reason: `with "escapes" <é>`}, {Event: item.EventClaimed, Item: "T-0", Worktree: "w", Start: "c"},
		{Event: item.EventJudged, Item: "T-0", Verdict: "failed", Outcome: item.Todo}, {Event: item.EventReleased, Item: "T-0"},
	} {
		if err := add(s, st, e); err != nil {
			t.Fatal(err)
		}
	}
	name := s.Path("events.jsonl")
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for n := range len(whole) + 1 {
		if err := os.WriteFile(name, whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		lines := int64(bytes.Count(whole[:n], []byte("\n")))
		cut := fold(t, s, p)
		if torn := n > 0 && whole[n-1] != '\n'; cut.Next != lines+1 || cut.Torn != torn {
			t.Fatalf("after %d bytes: event %d is next, torn %t", n, cut.Next, cut.Torn)
		}
		if err := add(s, cut, item.Event{Event: item.EventScanned}); err != nil {
			t.Fatalf("after %d bytes: %v", n, err)
		}
		if again := fold(t, s, p); again.Next != lines+2 || again.Torn {
			t.Fatalf("after %d bytes and one more event: event %d is next, torn %t", n, again.Next, again.Torn)
		}
	}
}

// TestForgedLog wants a bad line to be named, and nothing to be done after it.
func TestForgedLog(t *testing.T) {
	for name, c := range map[string]struct {
		change func(lines []string) []string
		line   int // 0 for a log that is fine
	}{
		"as written":       {func(l []string) []string { return l }, 0},
		"no JSON":          {func(l []string) []string { return append(l[:1:1], "x", l[1]) }, 2},
		"an empty line":    {func(l []string) []string { return append(l[:1:1], "", l[1]) }, 2},
		"a line twice":     {func(l []string) []string { return append(l, l[1]) }, 3},
		"two lines in one": {func(l []string) []string { return []string{l[0] + l[1]} }, 1},
		"the first lost":   {func(l []string) []string { return l[1:] }, 1},
		"swapped":          {func(l []string) []string { return []string{l[1], l[0]} }, 1},
		"renumbered":       {func(l []string) []string { return append(l[:1:1], strings.Replace(l[1], `"n":2`, `"n":3`, 1)) }, 2},
		"a key twice":      {func(l []string) []string { return append(l[:1:1], strings.Replace(l[1], `{"n":2`, `{"n":2,"n":2`, 1)) }, 2},
		"an unknown key":   {func(l []string) []string { return append(l[:1:1], strings.Replace(l[1], `}`, `,"more":1}`, 1)) }, 2},
	} {
		s, p := newStore(t), plan(1)
		st := fold(t, s, p)
		for _, e := range []item.Event{{Event: item.EventScanned}, {Event: item.EventClaimed, Item: "T-0", Worktree: "w", Start: "c"}} {
			if err := add(s, st, e); err != nil {
				t.Fatal(err)
			}
		}
		data, err := os.ReadFile(s.Path("events.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		forged := strings.Join(c.change(strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")), "\n") + "\n"
		if err := os.WriteFile(s.Path("events.jsonl"), []byte(forged), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err = s.Fold(p, nil)
		if want := fmt.Sprintf("events.jsonl:%d: ", c.line); (err == nil) != (c.line == 0) || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil && add(s, item.NewState(p), item.Event{Event: item.EventScanned}) == nil {
			t.Errorf("%s: an event was appended", name)
		}
		if after, _ := os.ReadFile(s.Path("events.jsonl")); err != nil && string(after) != forged {
			t.Errorf("%s: the log was changed", name)
		}
	}
}

// TestImpossibleEvent wants an event that the fold would refuse to be refused before it is written: it would make the log useless.
func TestImpossibleEvent(t *testing.T) {
	s, p := newStore(t), plan(2)
	st := fold(t, s, p)
	if err := add(s, st, item.Event{Event: item.EventClaimed, Item: "T-0", Worktree: "w", Start: "c"}); err != nil {
		t.Fatal(err)
	}
	for _, e := range []item.Event{
		{Event: item.EventClaimed, Item: "T-0", Worktree: "v", Start: "c"}, {Event: item.EventClaimed, Item: "T-9", Worktree: "v", Start: "c"},
		{Event: item.EventReopened, Item: "T-0"}, {Event: item.EventJudged, Item: "T-0", Verdict: "failed", Outcome: item.Pass}, {Event: "x", Item: "T-0"},
	} {
		if err := add(s, st, e); err == nil {
			t.Errorf("%+v was written", e)
		}
	}
	if again := fold(t, s, p); again.Next != 2 {
		t.Errorf("event %d is next", again.Next)
	}
}

// TestManyWriters appends from many at once: each event gets a number of its own, and an item goes to one work tree.
func TestManyWriters(t *testing.T) {
	s, p := newStore(t), plan(1)
	const writers = 8
	var wg sync.WaitGroup
	won := make([]bool, writers)
	for w := range writers {
		wg.Go(func() {
			st := item.NewState(p)
			for range 5 {
				if err := add(s, st, item.Event{Event: item.EventScanned}); err != nil {
					t.Error(err)
				}
			}
			won[w] = add(s, st, item.Event{Event: item.EventClaimed, Item: "T-0", Worktree: fmt.Sprint("w", w), Start: "c"}) == nil
		})
	}
	wg.Wait()
	winners := 0
	for _, w := range won {
		if w {
			winners++
		}
	}
	if st := fold(t, s, p); winners != 1 || st.Next != 5*writers+2 {
		t.Errorf("%d work trees have the item, and event %d is next", winners, st.Next)
	}
}

// TestLock wants a lock that another one holds to be said, and one whose holder is gone to be free.
func TestLock(t *testing.T) {
	s := newStore(t)
	unlock, err := s.Lock(session.LockSubmit, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Lock(session.LockSubmit, 0); !errors.Is(err, session.ErrLocked) {
		t.Errorf("taken twice: %v", err)
	}
	other, err := s.Lock(session.LockEvents, 0)
	if err != nil {
		t.Errorf("the other lock: %v", err)
	}
	if err := errors.Join(other(), unlock()); err != nil {
		t.Fatal(err)
	}
	if unlock, err = s.Lock(session.LockSubmit, 0); err != nil {
		t.Errorf("the file of a lock without a holder: %v", err)
	} else if err := unlock(); err != nil {
		t.Error(err)
	}
	denied := &fs.PathError{Op: "open", Path: s.Dir, Err: fs.ErrPermission}
	if err := session.Unwritable(s, denied); !strings.Contains(err.Error(), "not writable from here: let the loop submit") {
		t.Errorf("in a folder that cannot be written: %v", err)
	}
	if err := session.Unwritable(s, fs.ErrClosed); err != fs.ErrClosed {
		t.Errorf("another error: %v", err)
	}
}

// TestProof changes one thing at a time of a PASS that is proven.
func TestProof(t *testing.T) {
	head, tree, contract := strings.Repeat("1", 40), strings.Repeat("2", 40), strings.Repeat("3", 64)
	good := `{"inputs":[{"kind":"task_contract","sha256":"` + contract + `"}],"schema":"closeout.verification_report/v1","subject":{"code_tree":"` + tree +
		`","head_sha":"` + head + `"},"verdict":"passed"}`
	for name, c := range map[string]struct {
		report string
		change func(*item.Event)
		want   string // of the error; "" for none
	}{
		"proven":                {good, func(*item.Event) {}, ""},
		"another head":          {good, func(e *item.Event) { e.Head = tree }, "another commit"},
		"another tree":          {good, func(e *item.Event) { e.Tree = head }, "another commit"},
		"another contract":      {good, func(e *item.Event) { e.ContractSHA256 = strings.Repeat("4", 64) }, "contract"},
		"another digest":        {good, func(e *item.Event) { e.ReportSHA256 = contract }, "another digest"},
		"no report":             {"", func(*item.Event) {}, "cannot be read"},
		"a bundle outside":      {good, func(e *item.Event) { e.Bundle = "../x" }, "is not in the state folder"},
		"an absolute bundle":    {good, func(e *item.Event) { e.Bundle = "/x" }, "is not in the state folder"},
		"a failed report":       {strings.Replace(good, `"passed"}`, `"failed"}`, 1), func(*item.Event) {}, "does not say passed"},
		"an overridden one":     {strings.Replace(good, `"passed"}`, `"overridden"}`, 1), func(*item.Event) {}, "does not say passed"},
		"passed in a message":   {strings.Replace(good, `"verdict":"passed"}`, `"verdict":"failed","x":",\"verdict\":\"passed\"}"}`, 1), func(*item.Event) {}, "does not say passed"},
		"a FAIL needs no proof": {"", func(e *item.Event) { e.Verdict, e.Outcome = "failed", item.Todo }, ""},
	} {
		s := newStore(t)
		e := item.Event{Event: item.EventJudged, Item: "T-0", Verdict: "passed", Outcome: item.Pass, Head: head, Tree: tree, ContractSHA256: contract, Bundle: "items/T-0/1/bundle"}
		e.ReportSHA256 = writeReport(t, s, e.Bundle, c.report)
		c.change(&e)
		if err := s.Proof(e); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	s := newStore(t)
	e := item.Event{Verdict: "passed", Outcome: item.Pass, Head: head, Tree: tree, ContractSHA256: contract, Bundle: "items/T-0/1/bundle"}
	e.ReportSHA256 = writeReport(t, s, e.Bundle, good)
	if err := os.WriteFile(s.Path("items", "T-0", "1", session.RatchetFile), []byte("[]"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Proof(e); err == nil {
		t.Error("a PASS is proven although another item no longer held")
	}
}

// writeReport writes a report, unless it is empty, and returns its digest.
func writeReport(t *testing.T, s *session.Store, bundle, text string) string {
	t.Helper()
	if err := os.MkdirAll(s.Path(bundle), 0o700); err != nil {
		t.Fatal(err)
	}
	if text != "" {
		if err := os.WriteFile(s.Path(bundle, "verification_report.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return fmt.Sprintf("%x", sha256.Sum256([]byte(text)))
}

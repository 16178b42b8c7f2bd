//go:build unix

package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/agent/item"
	"github.com/closeout-gate/closeout/internal/agent/session"
)

func (p *play) verdicts() (list []item.Event) {
	for _, e := range p.events() {
		if e.Event == item.EventJudged {
			list = append(list, e)
		}
	}
	return list
}

func (p *play) next(it string) {
	p.Helper()
	if code, out := p.closeout("next", p.ids[it]); code != 0 {
		p.Fatal(out)
	}
}

// TestSubmitCheckout wants commands to run where nothing is that git ignores, and the repository to stay as it is.
func TestSubmitCheckout(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		scan []string
		code int
	}{{nil, 0}, {[]string{"--checkout"}, 1}} {
		p := newPlay(t, 1, c.scan...)
		p.next("f001")
		p.write("src/f001/code.sh", "test -e cache/helps || exit 1\n")
		p.write("cache/helps", "")
		p.do("f001")
		before := p.gitDir()
		p.submit("f001", c.code, "")
		if after := p.gitDir(); after != before {
			t.Errorf("the repository was changed:\n%s\n%s", before, after)
		}
		if left, err := filepath.Glob(filepath.Join(p.state, "checkout*")); len(left) > 0 || err != nil {
			t.Errorf("the fresh work tree is still there: %q %v", left, err)
		}
		p.write("src/f001/code.sh", "")
		p.do("f001")
		if c.code == 1 {
			p.submit("f001", 0, "PASS")
		}
	}
}

// TestSubmitKeepsForeign wants what a submission did not make to stay in the state folder, and what a killed one left to go.
func TestSubmitKeepsForeign(t *testing.T) {
	t.Parallel()
	p := newPlay(t, 1, "--checkout")
	try := filepath.Join(p.state, "items", p.ids["f001"], "1")
	made := filepath.Join(p.state, "checkout-1")
	foreign := []string{"checkout/precious", "checkout-2/precious", "checkout-2/tree/precious", "checkout-3"}
	var files []string
	for _, name := range foreign {
		files = append(files, filepath.Join(p.state, name))
	}
	put := func(names ...string) {
		t.Helper()
		for _, name := range names {
			if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, nil, 0o600)); err != nil {
				t.Fatal(err)
			}
		}
	}
	put(append(files, filepath.Join(made, "made-by-closeout-item-submit"), filepath.Join(made, "tree", "left"))...)
	p.next("f001")
	p.do("f001")
	for _, name := range []string{"bundle/precious", "log/precious", session.RatchetFile} {
		put(filepath.Join(try, name))
		p.submit("f001", 2, "it did not make what is there: ask the person whose it is")
		if _, err := os.Stat(filepath.Join(try, name)); err != nil {
			t.Error(err)
		}
		if err := os.Rename(try, try+strings.ReplaceAll(name, "/", "-")); err != nil {
			t.Fatal(err)
		}
	}
	put(filepath.Join(try, "made-by-closeout-item-submit"), filepath.Join(try, "bundle", "left"), filepath.Join(try, "log", "left"))
	p.submit("f001", 0, "PASS")
	for _, name := range files {
		if _, err := os.Stat(name); err != nil {
			t.Error(err)
		}
	}
	for _, name := range []string{made, filepath.Join(try, "bundle", "left"), filepath.Join(try, "log", "left")} {
		if _, err := os.Lstat(name); err == nil {
			t.Errorf("%s is still there", name)
		}
	}
}

// gitDir lists what the git directory contains.
func (p *play) gitDir() string {
	p.Helper()
	out, err := p.command("find", ".git", "-type", "f", "-not", "-name", "index").Output()
	if err != nil {
		p.Fatal(err)
	}
	return strings.TrimSpace(string(out)) + p.git("for-each-ref") + p.git("rev-parse", "HEAD")
}

// TestSubmitElsewhere says which items are not proven again: those that passed in another work tree, on another branch.
func TestSubmitElsewhere(t *testing.T) {
	t.Parallel()
	p := newPlay(t, 2)
	p.next("f001")
	p.do("f001")
	p.submit("f001", 0, "PASS")
	other := *p
	other.root = filepath.Join(filepath.Dir(p.root), "other")
	p.git("worktree", "add", "-q", "--detach", other.root, "main")
	other.next("f002")
	other.write("src/f002/breaks-f001", "")
	other.do("f002")
	other.submit("f002", 0, "not proven again, because they passed elsewhere: "+p.ids["f001"])
	if e := p.verdicts()[1]; len(e.Unguarded) != 1 || len(e.Broken) != 0 {
		t.Errorf("%+v", e)
	}
	merged := newPlay(t, 2)
	merged.next("f001")
	merged.do("f001")
	merged.submit("f001", 0, "PASS")
	other = *merged
	other.root = filepath.Join(filepath.Dir(merged.root), "other")
	merged.git("worktree", "add", "-q", "--detach", other.root, "HEAD")
	other.next("f002")
	other.write("src/f002/breaks-f001", "")
	other.do("f002")
	other.submit("f002", 1, "ratchet.broken: "+p.ids["f001"])
}

// TestSubmitAlone wants one submission at a time, and says where nothing is proven again.
func TestSubmitAlone(t *testing.T) {
	t.Parallel()
	p := newPlay(t, 2, "--guard", "none")
	p.next("f001")
	p.do("f001")
	unlock, err := p.store().Lock(session.LockSubmit, 0)
	if err != nil {
		t.Fatal(err)
	}
	p.submit("f001", 2, "another closeout works with this state folder")
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	p.submit("f001", 0, "PASS")
	p.next("f002")
	p.write("src/f002/breaks-f001", "")
	p.do("f002")
	p.submit("f002", 0, "the items that passed before were not proven again (guard: none)")
	if s := p.fold(); s.HoldingAt(p.verdicts()[1].Tree)(s.Find(p.ids["f001"])) {
		t.Error("f001 holds, although nothing proves it")
	}
}

// TestSubmitRewritten wants what a rewritten history leaves out to be a change of the item, also where no item asks for it.
func TestSubmitRewritten(t *testing.T) {
	t.Parallel()
	p := newPlay(t, 2)
	p.write("src/notes", "of a person\n")
	p.commit("notes")
	p.next("f001")
	p.git("reset", "-q", "--hard", "HEAD~1")
	p.do("f001")
	p.submit("f001", 1, "location: src/notes")
}

// TestSubmitBundleEdited lets the check of an earlier item edit the bundle that was just judged.
func TestSubmitBundleEdited(t *testing.T) {
	t.Parallel()
	p := newPlay(t, 2)
	p.next("f001")
	p.write("src/f001/code.sh", "for b in "+p.state+"/items/"+p.ids["f002"]+"/1/bundle/changes.json; do test ! -e $b || echo >> $b; done\n")
	p.do("f001")
	p.submit("f001", 0, "PASS")
	p.next("f002")
	p.do("f002")
	p.submit("f002", 2, "something else wrote to the state folder")
	if got := len(p.verdicts()); got != 1 {
		t.Errorf("%d verdicts", got)
	}
}

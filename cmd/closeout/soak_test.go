//go:build linux && soak

package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/closeout-gate/closeout/internal/agent/item"
	"github.com/closeout-gate/closeout/internal/agent/session"
)

// TestSoakPlay lets an agent cheat in known ways. Each item is then done honestly, unless its tries are used up.
func TestSoakPlay(t *testing.T) {
	p := newPlay(t, 27)
	next := 0
	for _, c := range cheats {
		next++
		it := fmt.Sprintf("f%03d", next)
		head := p.git("rev-parse", "HEAD")
		p.next(it)
		c.play(p, it)
		if t.Failed() {
			t.Fatalf("in %q", c.name)
		}
		if st := p.fold().Find(p.ids[it]); st.State == item.Todo {
			p.git("reset", "-q", "--hard", head)
			p.do(it)
			p.submit(it, 0, "PASS")
		}
	}
	p.check()
	if got := p.fold().Count(item.Pass); got < 15 {
		t.Errorf("%d items passed", got)
	}
}

// TestSoakSubmitKilled ends submissions with SIGKILL, while a check runs and at many other points. What they leave is
// not a verdict, or a whole one, and the next submission goes on.
func TestSoakSubmitKilled(t *testing.T) {
	p := newPlay(t, 4)
	p.next("f001")
	p.once("f001", "kill -9 $PPID")
	p.do("f001")
	if _, out := p.closeout("submit"); len(p.verdicts()) != 0 {
		t.Fatalf("a verdict although the recorder was killed: %s", out)
	}
	p.next("f001") // the claim is still there
	left := filepath.Join(p.state, "items", p.ids["f001"], "1", session.RatchetFile)
	if err := os.WriteFile(left, []byte("[]"), 0o600); err != nil { // as of a submission that was killed after it found an item broken
		t.Fatal(err)
	}
	p.submit("f001", 0, "PASS")
	for i, it := range []string{"f002", "f003"} {
		p.next(it)
		p.do(it)
		for point := 1 + i; point < 40 && p.fold().Find(p.ids[it]).State == item.Todo; point += 2 {
			p.killedAt(point, "submit", p.ids[it])
		}
		if p.fold().Find(p.ids[it]).State == item.Todo {
			p.submit(it, 0, "PASS")
		}
		if got := len(p.verdicts()); got != int(it[3]-'0') {
			t.Errorf("%s: %d verdicts", it, got)
		}
	}
	p.check()
}

// TestSoakSubmitAll lets three work trees do 60 items, of which one breaks an item of another tree and one is left when its tree is
// removed. Killed at many points, submit --all leaves all as it was, or is done; what it renews is what holds.
func TestSoakSubmitAll(t *testing.T) {
	p := newPlay(t, 60, "--guard", "none")
	var trees []*play
	for _, name := range []string{"w1", "w2", "w3"} {
		tree := *p
		tree.root = filepath.Join(filepath.Dir(p.root), name)
		p.git("worktree", "add", "-q", "-b", name, tree.root)
		trees = append(trees, &tree)
	}
	for n := range 60 {
		it, tree := fmt.Sprintf("f%03d", n+1), trees[n%3]
		tree.next(it)
		if it == "f005" {
			tree.write("src/f005/breaks-f001", "")
		}
		if it == "f060" {
			break // the agent is gone
		}
		tree.do(it)
		tree.submit(it, 0, "PASS")
	}
	p.git("merge", "-q", "w1", "w2", "w3")
	p.git("worktree", "remove", "--force", trees[2].root)
	before := len(p.events())
	for point := 1; point < 400 && len(p.events()) == before; point += 1 + point/3 {
		p.killedAt(point, "submit", "--all")
		if s := p.fold(); s.Count(item.Pass) < 58 || len(s.Ignored) > 0 {
			t.Fatalf("killed at %d: %d PASS, ignored %v", point, s.Count(item.Pass), s.Ignored)
		}
	}
	if s := p.fold(); s.Count(item.Pass) == 59 {
		if code, out := p.closeout("submit", "--all", "--format", "json"); code != 1 || !strings.Contains(out, `"opened":[{"item":"`+p.ids["f001"]) {
			t.Fatalf("%d %s", code, out)
		}
	}
	head := p.git("rev-parse", "HEAD")
	for _, it := range p.fold().Items {
		if holds := it.State == item.Pass; it.ID != p.ids["f060"] && holds != p.holdsAt(it.ID, head) {
			t.Errorf("%s is %s", it.ID, it.State)
		}
	}
	if code, out := p.closeout("status"); code != 1 || !strings.Contains(out, "\norphaned: "+p.ids["f060"]) {
		t.Errorf("%d %s", code, out)
	}
	p.git("rm", "-q", "src/f005/breaks-f001")
	p.commit("a person takes it out")
	for _, it := range []string{"f001", "f060"} {
		p.next(it)
		p.write("src/"+it+"/more", "")
		p.do(it)
		p.submit(it, 0, "PASS")
	}
	if code, out := p.closeout("submit", "--all"); code != 0 || !strings.Contains(out, "60 items proven again") {
		t.Fatalf("%d %s", code, out)
	}
	if code, out := p.closeout("status", "--replay"); code != 0 {
		t.Errorf("%d %s", code, out)
	}
}

// TestSoakLoopKilled kills a loop while its agent and a daemon of it run. The agent ends with it; the next loop ends the daemon, and
// judges what they left, which is one try.
func TestSoakLoopKilled(t *testing.T) {
	l := newLooped(t)
	pid := filepath.Join(t.TempDir(), "pid")
	gone := filepath.Join(t.TempDir(), "gone")
	if err := syscall.Mkfifo(gone, 0o600); err != nil {
		t.Fatal(err)
	}
	// The agent keeps the pipe open as long as it lives.
	first := l.command("loop", "--", "sh", "-c", "fake-agent write=good commit daemon="+pid+"; exec 3>"+gone+"; exec fake-agent kill")
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	l.read(gone) // to the end: the daemon does not have the pipe
	if err := first.Wait(); err == nil || first.ProcessState.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Fatalf("the loop: %v", err)
	}
	daemon := strings.TrimSpace(l.read(pid))
	number, err := strconv.Atoi(daemon)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat("/proc/" + daemon); err != nil {
		t.Fatalf("the daemon is gone already: %v", err)
	}
	out, err := l.command("loop", "--", "fake-agent", "crash").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "T-1: try 1: PASS") {
		t.Errorf("the next loop: %v\n%s", err, out)
	}
	if data, err := os.ReadFile("/proc/" + daemon + "/environ"); err == nil && len(data) > 0 {
		t.Error("the daemon lives on")
		syscall.Kill(number, syscall.SIGKILL)
	}
	if n := strings.Count(l.read(filepath.Join(l.state, "events.jsonl")), `"event":"judged"`); n != 1 {
		t.Errorf("%d verdicts", n)
	}
}

// TestSoakCriterionKilled kills a loop while a criterion runs, which ends with it: the pipe reaches its end.
func TestSoakCriterionKilled(t *testing.T) {
	l := newLooped(t)
	bin, gone := t.TempDir(), filepath.Join(t.TempDir(), "gone")
	if err := syscall.Mkfifo(gone, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(bin, "grep"), []byte("#!/bin/sh\nexec 3>"+gone+"\nexec fake-agent kill\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	c := l.command("loop", "--", "fake-agent", "write=good", "commit")
	c.Env = append(c.Env, "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	l.read(gone)
	if err := c.Wait(); err == nil || c.ProcessState.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Errorf("the loop: %v", err)
	}
}

// killedAt ends a submission when the state folder has changed so many times, unless it ends before.
func (p *play) killedAt(point int, args ...string) {
	p.Helper()
	before := p.stateFiles()
	c := p.command(p.program, args...)
	if err := c.Start(); err != nil {
		p.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	for changes := 0; changes < point; {
		select {
		case <-ended:
			return
		default:
		}
		if now := p.stateFiles(); now != before {
			before, changes = now, changes+1
		}
	}
	_ = c.Process.Signal(syscall.SIGKILL) // it may have ended
	<-ended
}

// stateFiles lists the files of the state folder with their sizes. Some may go while it looks.
func (p *play) stateFiles() string {
	var list strings.Builder
	_ = filepath.WalkDir(p.state, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			if info, err := entry.Info(); err == nil {
				fmt.Fprintln(&list, name, info.Size())
			}
		}
		return nil
	})
	return list.String()
}

// check compares every state with what a judgement of the kept bundles by other commands, and a look at the commits, tell.
func (p *play) check() {
	p.Helper()
	state := p.fold()
	want := map[string]item.Name{}
	tries := map[string]int{}
	var passed []item.Event
	bundles, ignored := []string{"replay"}, map[int64]bool{}
	for _, i := range state.Ignored {
		ignored[i.Event.N] = true
	}
	for _, e := range p.events() {
		if e.Event != item.EventJudged || ignored[e.N] {
			continue
		}
		if e.Code == item.CodeBlocked {
			want[e.Item] = item.Review
			continue
		}
		bundle := filepath.Join(p.state, e.Bundle)
		bundles = append(bundles, bundle)
		if data, err := os.ReadFile(filepath.Join(bundle, "verification_report.json")); err != nil || !strings.Contains(string(data), `scope_contract.json","ref":"`+p.plan().Base) {
			p.Errorf("%s is not by the contract of the pinned base: %v", e.Bundle, err)
		}
		code, out := p.closeout("verify", bundle, "--quiet", "--report", filepath.Join(p.TempDir(), "report.json"))
		broken := slices.ContainsFunc(passed, func(before item.Event) bool { return !p.holdsAt(before.Item, e.Head) })
		tries[e.Item]++
		switch {
		case code == 0 && !broken && !p.holdsAt(e.Item, e.Head):
			p.Errorf("%s passed at %s, which does not have what it asks for", e.Item, e.Head)
		case code == 0 && !broken:
			want[e.Item] = item.Pass
			passed = append(passed, e)
		case code == 3:
			want[e.Item] = item.Review
		case code != 1 && code != 0:
			p.Errorf("verify of %s: %s", e.Bundle, out)
		case tries[e.Item] == 3:
			want[e.Item] = item.Stuck
		}
	}
	if code, out := p.closeout(bundles...); code != 0 {
		p.Errorf("a bundle does not replay: %s", out)
	}
	for _, it := range state.Items {
		if w := want[it.ID]; it.State != w && (w != "" || it.State != item.Todo) {
			p.Errorf("%s is %s, and should be %s", it.ID, it.State, w)
		}
	}
}

// holdsAt looks whether a commit has what an item asks for.
func (p *play) holdsAt(id, commit string) bool {
	name := ""
	for line, known := range p.ids {
		if known == id {
			name = line
		}
	}
	out, err := p.command("git", "show", commit+":src/"+name+"/result").Output()
	files := p.git("ls-tree", "-r", "--name-only", commit)
	return err == nil && string(out) == "good\n" && !strings.Contains(files, "/breaks-"+name)
}

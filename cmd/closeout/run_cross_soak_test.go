//go:build linux && soak

package main

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestSoakCrossKilled ends runs on composed trees with SIGKILL at many points. The work tree of the person stays as it is, and the next
// run leaves nothing of those that were killed.
func TestSoakCrossKilled(t *testing.T) {
	program, err := exec.LookPath("closeout")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	root, temp := filepath.Join(dir, "repo"), filepath.Join(dir, "temp")
	for name, text := range map[string]string{
		"repo/src/word.txt": "good\n", "repo/suite.sh": crossSuite, "repo/.closeout/scope_contract.json": crossContract,
		"repo/.gitignore": "/.closeout/evidence/\nverification_report.json\n", "repo/tests/good.sh": "grep -q good src/word.txt\n",
		"repo/tests/old.sh": "test -s src/word.txt\n", "temp/notes": "of a person\n",
	} {
		writeFile(t, filepath.Join(dir, name), text)
	}
	command := func(name string, args ...string) *exec.Cmd {
		c := exec.Command(name, args...)
		c.Dir, c.Env = root, gitEnv("TMPDIR="+temp, "HOME="+dir)
		return c
	}
	git := func(args ...string) string {
		t.Helper()
		out, err := command("git", args...).CombinedOutput()
		if err != nil {
			t.Fatalf("git %q: %v: %s", args, err, out)
		}
		return string(out)
	}
	git("init", "-q", "-b", "main")
	git("add", "-A")
	git("commit", "-qm", "base")
	git("checkout", "-qb", "work")
	writeFile(t, filepath.Join(root, "src/word.txt"), "good, better\n")
	writeFile(t, filepath.Join(root, "tests/better.sh"), "grep -q better src/word.txt\n")
	git("add", "-A")
	git("commit", "-qm", "better")
	writeFile(t, filepath.Join(root, "draft.txt"), "a draft\n")
	state := func() string {
		files := treeOf(root, func(name string) bool {
			return strings.HasPrefix(name, ".git/") || strings.HasPrefix(name, ".closeout/evidence")
		})
		return files + git("status", "--porcelain") + git("rev-parse", "HEAD") + git("for-each-ref") + git("count-objects")
	}
	before := state()
	const points = 200
	killed := 0
	for point := range points {
		if err := os.RemoveAll(filepath.Join(root, ".closeout/evidence")); err != nil {
			t.Fatal(err)
		}
		c := command(program, "run")
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- c.Wait() }()
		last, alive := treeOf(dir, nil), true
		for changes := 0; changes < point%61 && alive; {
			select {
			case <-ended:
				alive = false
			default:
			}
			if now := treeOf(dir, nil); now != last {
				last, changes = now, changes+1
			}
		}
		if alive {
			_ = c.Process.Signal(syscall.SIGKILL) // it may have ended
			<-ended
			killed++
		}
		if err := os.Remove(filepath.Join(root, "verification_report.json")); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		if now := state(); now != before {
			t.Fatalf("killed at change %d: the work tree was\n%s\nand is\n%s", point%61, before, now)
		}
	}
	if out, err := command(program, "run").CombinedOutput(); err == nil || !strings.Contains(string(out), "old tests on the new code (unit): 2 of 2 passed") {
		t.Errorf("the run after all: %v\n%s", err, out)
	}
	if left := treeOf(temp, nil); left != "notes 12\n" {
		t.Errorf("the next run leaves\n%s", left)
	}
	if killed < points/2 {
		t.Errorf("only %d of %d runs were killed", killed, points)
	}
}

// treeOf lists the files of a directory with their sizes. Some may go while it looks.
func treeOf(dir string, leave func(name string) bool) string {
	var list strings.Builder
	_ = fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && (leave == nil || !leave(name)) {
			if info, err := entry.Info(); err == nil {
				fmt.Fprintln(&list, name, info.Size())
			}
		}
		return nil
	})
	return list.String()
}

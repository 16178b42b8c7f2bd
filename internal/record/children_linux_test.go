package record

import (
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestChildrenUnseen leaves a process running that cannot be found in /proc, as no file can be opened.
func TestChildrenUnseen(t *testing.T) {
	c := adoptChildren()
	c.longest = 5 * time.Millisecond
	left := exec.Command("sleep", "60")
	if err := left.Start(); err != nil {
		t.Fatal(err)
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	none := syscall.Rlimit{Cur: 1, Max: limit.Max}
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &none); err != nil {
		t.Fatal(err)
	}
	const noGroup = math.MaxInt32
	_, blind := c.end(noGroup)
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	if !errors.Is(blind, errAlive) {
		t.Errorf("without /proc: got %v, want %v", blind, errAlive)
	}
	c.longest = time.Minute
	if text, err := c.end(noGroup); text != leftOver || err != nil {
		t.Errorf("with /proc: got %q, %v", text, err)
	}
}

// TestTreeLeavesNoProcess wants what a filter of git leaves running to be ended.
func TestTreeLeavesNoProcess(t *testing.T) {
	r := newRepo(t)
	alive := filepath.Join(t.TempDir(), "alive")
	r.do(syscall.Mkfifo(alive, 0o600))
	r.filter("sh -c '(exec setsid sleep 60 <" + alive + " >/dev/null 2>&1 & exec 3>" + alive + "); cat'")
	r.write("f.lfs", "x\n")
	if _, err := r.tree(); err != nil {
		t.Fatal(err)
	}
	// A pipe that nothing reads cannot be opened for writing.
	if f, err := os.OpenFile(alive, os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
		f.Close()
		t.Error("the process lives on")
	}
}

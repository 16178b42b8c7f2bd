package system

import (
	"errors"
	"math"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// TestChildrenUnseen leaves a process running that cannot be found in /proc, as no file can be opened.
func TestChildrenUnseen(t *testing.T) {
	c := AdoptChildren()
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
	_, blind := c.End(noGroup)
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	if !errors.Is(blind, ErrAlive) {
		t.Errorf("without /proc: got %v, want %v", blind, ErrAlive)
	}
	c.longest = time.Minute
	if text, err := c.End(noGroup); text != LeftOver || err != nil {
		t.Errorf("with /proc: got %q, %v", text, err)
	}
}

package record

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

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

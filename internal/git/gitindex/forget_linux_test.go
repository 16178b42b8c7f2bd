package gitindex

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// TestForgetMounted: a file of another file system than the root's is read again, as that may be one that hides edits.
func TestForgetMounted(t *testing.T) {
	root := t.TempDir()
	for dir, want := range map[string]int{t.TempDir(): 0, "/dev/shm": 1} {
		f, err := os.CreateTemp(dir, "closeout-test-")
		if err != nil {
			t.Skip("no file can be written here: ", err)
		}
		t.Cleanup(func() { os.Remove(f.Name()) })
		f.Close() // it is empty
		path, err := filepath.Rel(root, f.Name())
		if err != nil {
			t.Fatal(err)
		}
		numbers, _, _ := statNumbers(f.Name())
		x := &Index{data: slices.Concat(make([]byte, indexHeader), numbers[:], []byte{0, 0}), Entries: []Entry{{indexHeader, path}}}
		other, _, _ := statNumbers(root)
		if bytes.Equal(other[deviceAt:deviceAt+4], numbers[deviceAt:deviceAt+4]) != (want == 0) {
			t.Skip("both directories are on one file system")
		}
		if got := len(x.Forget(root, time.Now().Add(time.Hour))); got != want {
			t.Errorf("%s: got %d, want %d", dir, got, want)
		}
	}
}

package record

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"
)

// TestTreeAgainMapped: a program can edit a file of some file systems without a trace in its inode.
func TestTreeAgainMapped(t *testing.T) {
	onDisk(t)
	for _, base := range []string{t.TempDir(), "/dev/shm"} {
		t.Run(base, func(t *testing.T) {
			dir, err := os.MkdirTemp(base, "closeout-test-")
			if err != nil {
				t.Skip("no file can be written here: ", err)
			}
			t.Cleanup(func() { os.RemoveAll(dir) })
			r := newRepo(t)
			if dir, err = filepath.EvalSymlinks(dir); err != nil {
				t.Fatal(err)
			}
			r.git("clone", "-q", ".", filepath.Join(dir, "r"))
			r.dir = filepath.Join(dir, "r")
			g := r.openSession()
			first, err := g.tree(evidenceDir)
			r.do(err)
			certain(g)
			r.overwrite("a.txt", 'x')
			if second, err := g.tree(evidenceDir); err != nil || second.id == first.id {
				t.Errorf("the file was edited, but the tree is the same: %v", err)
			}
		})
	}
}

// overwrite changes the first byte of a file through a mapping that was read before.
func (r *repo) overwrite(name string, c byte) {
	f, err := os.OpenFile(filepath.Join(r.dir, name), os.O_RDWR, 0)
	r.do(err)
	defer f.Close() // it is written through the mapping
	m, err := syscall.Mmap(int(f.Fd()), 0, 2, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	r.do(err)
	m[1] = m[0] + c
	m[0] = c
	r.do(syscall.Munmap(m))
}

// TestForgetMounted: a file of another file system than the root's is read again, as that may be one that hides edits.
func TestForgetMounted(t *testing.T) {
	onDisk(t)
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
		x := &index{data: slices.Concat(make([]byte, indexHeader), numbers[:], []byte{0, 0}), entries: []indexEntry{{indexHeader, path}}}
		other, _, _ := statNumbers(root)
		if bytes.Equal(other[deviceAt:deviceAt+4], numbers[deviceAt:deviceAt+4]) != (want == 0) {
			t.Skip("both directories are on one file system")
		}
		if got := len(x.forget(root, time.Now().Add(time.Hour))); got != want {
			t.Errorf("%s: got %d, want %d", dir, got, want)
		}
	}
}

package record

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
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

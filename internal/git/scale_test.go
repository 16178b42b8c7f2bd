package git

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
)

// TestFullBuckets finds objects in an index in which thousands of ids begin with one byte, and does not find others.
func TestFullBuckets(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	var objects []packed
	var offsets []int64
	for i := range 5_000 {
		var id ID
		id[0], id[32] = byte(i%2*0xff), 20
		binary.BigEndian.PutUint64(id[1:], random.Uint64())
		objects, offsets = append(objects, packed{id: id}), append(offsets, int64(12+i))
	}
	x, err := openIndex(memory(craftIndex(objects[:4_000], offsets[:4_000], 2_000)), 20)
	if err != nil {
		t.Fatal(err)
	}
	for i, o := range objects {
		offset, ok, err := x.offset(o.id)
		if err != nil || ok != (i < 4_000) || ok && offset != offsets[i] {
			t.Fatalf("object %d: %d %v %v", i, offset, ok, err)
		}
	}
}

// TestBlocks reads random parts of a file of several blocks.
func TestBlocks(t *testing.T) {
	content := make([]byte, 5*blockSize+100)
	random := rand.New(rand.NewPCG(1, 1))
	for i := range content {
		content[i] = byte(random.Uint32())
	}
	f := memory(content)
	for range 2_000 {
		offset, n := random.IntN(len(content)+1), random.IntN(len(content))>>random.IntN(18)
		got, err := f.view(int64(offset), n)
		if offset+n > len(content) {
			if !errors.Is(err, errTruncated) {
				t.Errorf("%d bytes at %d: %v, want truncated", n, offset, err)
			}
			continue
		}
		if err != nil || !bytes.Equal(got, content[offset:offset+n]) {
			t.Errorf("%d bytes at %d: %v", n, offset, err)
		}
	}
	for _, bad := range [][2]int64{{-1, 1}, {0, -1}, {1 << 62, 1}} {
		if _, err := f.view(bad[0], int(bad[1])); !errors.Is(err, errTruncated) {
			t.Errorf("%v: %v", bad, err)
		}
	}
	f.size++ // the file shrank since it was opened
	for _, n := range []int{1, blockSize + 1, len(content)} {
		if _, err := f.view(f.size-int64(n), n); !errors.Is(err, errTruncated) {
			t.Errorf("the last %d bytes of a file that shrank: %v", n, err)
		}
	}
}

// TestCache checks that a cache stays within its limit, and that it keeps a value that is used often.
func TestCache(t *testing.T) {
	c := newCache[int](1_000, func(b []byte) int { return len(b) })
	kept := make([]byte, 10)
	c.put(-1, kept)
	for i := range 1_000 {
		c.put(i, make([]byte, 10))
		if got, ok := c.get(-1); !ok || &got[0] != &kept[0] {
			t.Fatal("a value that is used often was dropped")
		}
		if kept := len(c.young) + len(c.old); kept > 100 {
			t.Fatalf("%d values of 10 bytes are kept", kept)
		}
	}
	if _, ok := c.get(0); ok {
		t.Error("the oldest value is still there")
	}
	c.put(-2, make([]byte, 900))
	if _, ok := c.get(-2); ok {
		t.Error("a value that is nearly as large as the cache is kept")
	}
}

// TestLargeBlobs reads blobs that cannot be compressed and are longer than a block, whole and in a chain.
func TestLargeBlobs(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for _, size := range []int{blockSize - 1, blockSize, 3 * blockSize, 20 * blockSize} {
		content := make([]byte, size)
		for i := range content {
			content[i] = byte(random.Uint32())
		}
		whole := wholeObject(blobType, content)
		longer := append(bytes.Clone(content), "more"...)
		id, _ := sha1Format.sum(blobType, longer)
		r := craftRepo(t, []packed{whole, {id: id, code: idDelta, base: whole.id.raw(), data: deltaOf(content, []byte("more"))}}, 1<<31)
		if got, err := r.Blob(id, 1<<30); err != nil || !bytes.Equal(got, longer) {
			t.Errorf("%d bytes: %v", size, err)
		}
		if got, err := r.Blob(whole.id, int64(size)); err != nil || !bytes.Equal(got, content) {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}

// TestLongHistory walks a history of some thousand commits with one repository from several goroutines.
func TestLongHistory(t *testing.T) {
	objects := []packed{wholeObject(treeType, nil)}
	parent := ""
	for i := range 3_000 {
		text := fmt.Sprintf("tree %s\n%sauthor A <a> %d +0000\ncommitter C <c> %d +0000\n\nm", objects[0].id, parent, i, 3_000-i)
		objects = append(objects, wholeObject(commitType, []byte(text)))
		parent = "parent " + objects[len(objects)-1].id.String() + "\n"
	}
	r := craftRepo(t, objects, 1<<31)
	var group sync.WaitGroup
	for i := range 4 {
		group.Go(func() {
			tip, base := objects[3_000-i].id, objects[1+i].id
			if bases, err := r.MergeBases(tip, base); err != nil || len(bases) != 1 || bases[0] != base {
				t.Error(bases, err)
			}
			if got, err := r.Resolve(fmt.Sprintf("%s~%d", tip, 2_999-2*i)); err != nil || got != base {
				t.Error(got, err)
			}
		})
	}
	group.Wait()
}

// TestLongPaths checks the limit of all paths together: a few changes can have long paths.
func TestLongPaths(t *testing.T) {
	name := strings.Repeat("n", 1<<20)
	objects := []packed{wholeObject(treeType, rawTree("100644 "+name))}
	var tree []byte
	for i := range 70 {
		tree = append(append(fmt.Appendf(tree, "40000 %02d", i), 0), objects[0].id.raw()...)
	}
	objects = append(objects, wholeObject(treeType, tree))
	_, err := craftRepo(t, objects, 1<<31).Compare(ID{}, objects[1].id)
	if large := (*TooLarge)(nil); !errors.As(err, &large) || !strings.Contains(large.What, "paths") {
		t.Error(err)
	}
}

// TestForeignIDs checks that ids of another hash function and zero ids are refused.
func TestForeignIDs(t *testing.T) {
	blob := wholeObject(blobType, []byte("x"))
	r := craftRepo(t, []packed{blob}, 1<<31)
	foreign := newID(bytes.Repeat([]byte{1}, 32))
	_, blobErr := r.Blob(foreign, 1)
	_, zeroErr := r.Blob(ID{}, 1)
	_, compareErr := r.Compare(ID{}, foreign)
	_, commitErr := r.Commit(foreign)
	_, parseErr := r.ParseID(foreign.String())
	_, noneErr := r.ParseID(strings.Repeat("0", 40))
	for i, err := range []error{blobErr, zeroErr, compareErr, commitErr, parseErr, noneErr} {
		if bad := (*BadName)(nil); !errors.As(err, &bad) || err.Error() == "" {
			t.Errorf("%d: %v", i, err)
		}
	}
	if id, err := r.ParseID(strings.ToUpper(blob.id.String())); err != nil || id != blob.id {
		t.Error(id, err)
	}
	if _, err := r.Commit(blob.id); err == nil || !strings.Contains(err.Error(), "it is a blob") {
		t.Error(err)
	}
	if changes, err := r.Compare(ID{}, sha1Format.emptyTree); err != nil || len(changes) != 0 {
		t.Error(changes, err)
	}
}

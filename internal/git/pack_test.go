package git

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// chainOf makes a blob and deltas on it, each adding a byte to the one before, by distance or by id.
func chainOf(length int, byID bool) (objects []packed, last []byte) {
	content := []byte("begin")
	objects = []packed{wholeObject(blobType, content)}
	_, offsets := craftPack(objects)
	at := offsets[0]
	for i := range length {
		delta := deltaOf(content, []byte{byte('a' + i%26)})
		content = append(content[:len(content):len(content)], byte('a'+i%26))
		id, _ := sha1Format.sum(blobType, content)
		o := packed{id: id, code: idDelta, base: objects[i].id.raw(), data: delta}
		if !byID {
			one, _ := craftPack(objects[i : i+1])
			next := at + int64(len(one)-12-20)
			o.code, o.base = offsetDelta, distance(next-at)
			at = next
		}
		objects = append(objects, o)
	}
	return objects, content
}

// TestLongChains checks that long chains of deltas are applied without recursion, up to a limit.
func TestLongChains(t *testing.T) {
	for _, byID := range []bool{false, true} {
		objects, want := chainOf(4_000, byID)
		r := craftRepo(t, objects, 1<<31)
		got, err := r.Blob(objects[len(objects)-1].id, 1<<20)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("by id %v: %d bytes, %v", byID, len(got), err)
		}
		if got, err := r.Blob(objects[7].id, 1<<20); err != nil || len(got) != 12 {
			t.Errorf("in the middle: %q %v", got, err)
		}
	}
	objects, _ := chainOf(maxChain+1, true)
	_, err := craftRepo(t, objects, 1<<31).Blob(objects[len(objects)-1].id, 1<<20)
	if damaged := (*Corrupt)(nil); !errors.As(err, &damaged) || !strings.Contains(err.Error(), "longer than") {
		t.Errorf("beyond the limit: %v", err)
	}
}

// TestCycle checks that a cycle of deltas is an error.
func TestCycle(t *testing.T) {
	a, b := wholeObject(blobType, []byte("a")).id, wholeObject(blobType, []byte("b")).id
	r := craftRepo(t, []packed{
		{id: a, code: idDelta, base: b.raw(), data: deltaOf([]byte("b"), nil)},
		{id: b, code: idDelta, base: a.raw(), data: deltaOf([]byte("a"), nil)},
	}, 1<<31)
	_, err := r.Blob(a, 1<<20)
	if damaged := (*Corrupt)(nil); !errors.As(err, &damaged) || !strings.Contains(err.Error(), "cycle") {
		t.Error(err)
	}
}

// TestLargeOffsets checks offsets of 8 bytes, which packs beyond 2 GiB have.
func TestLargeOffsets(t *testing.T) {
	objects := []packed{wholeObject(blobType, []byte("one")), wholeObject(blobType, []byte("two")), wholeObject(blobType, []byte("three"))}
	r := craftRepo(t, objects, 13)
	for i, want := range []string{"one", "two", "three"} {
		if got, err := r.Blob(objects[i].id, 10); err != nil || string(got) != want {
			t.Errorf("%q %v, want %q", got, err, want)
		}
	}
}

// TestPackRefuses checks malformed entries of a pack. Each case changes a valid entry.
func TestPackRefuses(t *testing.T) {
	content := []byte("content")
	good := wholeObject(blobType, content)
	id := good.id
	for _, c := range []struct {
		name   string
		object packed
		want   string
	}{
		{"unknown type 0", packed{id: id, data: content}, "unknown type"},
		{"unknown type 5", packed{id: id, code: 5, data: content}, "unknown type"},
		{"another type", packed{id: id, code: int(treeType), data: content}, "it is a tree"},
		{"longer than its header says", packed{id: id, code: int(blobType), data: content[:6], claim: 0}, "has the id"},
		{"shorter than its header says", packed{id: id, code: int(blobType), data: content, claim: 8}, "damaged"},
		{"base before the pack", packed{id: id, code: offsetDelta, base: distance(5), data: deltaOf(content, nil)}, "outside the pack"},
		{"base is itself", packed{id: id, code: offsetDelta, base: []byte{0}, data: deltaOf(content, nil)}, "outside the pack"},
		{"base is missing", packed{id: id, code: idDelta, base: bytes.Repeat([]byte{7}, 20), data: deltaOf(content, nil)}, "is missing"},
		{"base is itself by id", packed{id: id, code: idDelta, base: id.raw(), data: deltaOf(content, nil)}, "cycle"},
	} {
		_, err := craftRepo(t, []packed{c.object}, 1<<31).Blob(id, 1<<20)
		if damaged := (*Corrupt)(nil); !errors.As(err, &damaged) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	if got, err := craftRepo(t, []packed{good}, 1<<31).Blob(id, 7); err != nil || string(got) != "content" {
		t.Errorf("the good one: %q %v", got, err)
	}
}

// TestTooLarge checks that limits apply before memory is allocated, to the size in a header.
func TestTooLarge(t *testing.T) {
	big := wholeObject(blobType, make([]byte, 1000))
	tree := packed{id: wholeObject(treeType, nil).id, code: int(treeType), claim: treeLimit + 1}
	tree.id[0] ^= 1
	grown := packed{id: wholeObject(blobType, []byte("x")).id, code: idDelta, base: big.id.raw(), data: append(varint(1000), varint(1<<40)...)}
	wide := packed{id: wholeObject(blobType, []byte("y")).id, code: idDelta, base: big.id.raw(), claim: deltaLimit + 1}
	r := craftRepo(t, []packed{big, tree, grown, wide}, 1<<31)
	for name, ask := range map[string]func() error{
		"blob":  func() error { _, err := r.Blob(big.id, 999); return err },
		"tree":  func() error { _, err := r.Compare(ID{}, tree.id); return err },
		"grown": func() error { _, err := r.Blob(grown.id, 1<<20); return err },
		"wide":  func() error { _, err := r.Blob(wide.id, 1<<20); return err },
	} {
		if large := (*TooLarge)(nil); !errors.As(ask(), &large) {
			t.Errorf("%s: %v, want TooLarge", name, ask())
		}
	}
	if got, err := r.Blob(big.id, 1000); err != nil || len(got) != 1000 {
		t.Errorf("at the limit: %v", err)
	}
}

// TestBaseLargerThanResult checks that the limit applies to the requested object, not to the base of its delta.
func TestBaseLargerThanResult(t *testing.T) {
	big := wholeObject(blobType, bytes.Repeat([]byte("x"), 1000))
	id, _ := sha1Format.sum(blobType, []byte("small"))
	delta := append(append(varint(1000), varint(5)...), append([]byte{5}, "small"...)...)
	r := craftRepo(t, []packed{big, {id: id, code: idDelta, base: big.id.raw(), data: delta}}, 1<<31)
	if got, err := r.Blob(id, 5); err != nil || string(got) != "small" {
		t.Errorf("%q %v", got, err)
	}
	if _, err := r.Blob(big.id, 5); err == nil {
		t.Error("the base itself is over the limit, whether it is cached or not")
	}
}

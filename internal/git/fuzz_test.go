package git

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"io"
	"slices"
	"strings"
	"testing"
)

// memory is a file in memory.
func memory(content []byte) *file {
	return &file{name: "memory", reader: bytes.NewReader(content), size: int64(len(content)), blocks: newBlockCache(blockCache)}
}

// seeds are three objects and an index of version 2 over them, the last with an offset of 8 bytes.
func seeds() (objects []packed, index []byte) {
	objects = []packed{wholeObject(blobType, []byte("one")), wholeObject(blobType, []byte("two")), wholeObject(treeType, nil)}
	_, offsets := craftPack(objects)
	return objects, craftIndex(objects, offsets, offsets[2])
}

// craftIndex1 writes an index of version 1.
func craftIndex1(objects []packed) []byte {
	_, offsets := craftPack(objects)
	rows := map[ID]int64{}
	ids := []ID{}
	for i, o := range objects {
		rows[o.id] = offsets[i]
		ids = append(ids, o.id)
	}
	slices.SortFunc(ids, func(a, b ID) int { return bytes.Compare(a[:], b[:]) })
	index := fanoutOf(ids)
	for _, id := range ids {
		index = append(binary.BigEndian.AppendUint32(index, uint32(rows[id])), id.raw()...)
	}
	return append(index, make([]byte, 40)...)
}

// FuzzIndex looks for objects in damaged indexes. The result must be a possible offset in a file.
func FuzzIndex(f *testing.F) {
	objects, index := seeds()
	f.Add(index)
	f.Add(craftIndex1(objects))
	f.Fuzz(func(t *testing.T, content []byte) {
		x, err := openIndex(memory(content), 20)
		if err != nil {
			return
		}
		for _, o := range objects {
			offset, ok, err := x.offset(o.id)
			if offset < 0 || ok && err != nil {
				t.Errorf("%d %v %v", offset, ok, err)
			}
		}
	})
}

// craftMulti writes a multi-pack-index over one pack. Offsets from limit on are written with 8 bytes.
func craftMulti(objects []packed, limit int64) []byte {
	_, offsets := craftPack(objects)
	index := craftIndex(objects, offsets, limit)
	n := len(objects)
	var pairs []byte
	for i := range n {
		at := 8 + 1024 + n*24 + 4*i
		pairs = append(append(pairs, 0, 0, 0, 0), index[at:at+4]...)
	}
	chunks := []struct {
		name    string
		content []byte
	}{
		{"PNAM", []byte("pack-1.idx\x00\x00")}, {"OIDF", index[8 : 8+1024]}, {"OIDL", index[8+1024 : 8+1024+20*n]},
		{"OOFF", pairs}, {"LOFF", index[8+1024+28*n : len(index)-40]},
	}
	multi := append([]byte("MIDX\x01\x01"), byte(len(chunks)), 0, 0, 0, 0, 1)
	at := 12 + 12*(len(chunks)+1)
	for _, c := range chunks {
		multi = binary.BigEndian.AppendUint64(append(multi, c.name...), uint64(at))
		at += len(c.content)
	}
	multi = binary.BigEndian.AppendUint64(append(multi, 0, 0, 0, 0), uint64(at))
	for _, c := range chunks {
		multi = append(multi, c.content...)
	}
	return append(multi, make([]byte, 20)...)
}

// TestMultiIndex reads a multi-pack-index with offsets of 8 bytes, without the packs' own indexes.
func TestMultiIndex(t *testing.T) {
	objects, _ := seeds()
	pack, offsets := craftPack(objects)
	for _, limit := range []int64{13, offsets[1], 1 << 31} {
		dir := t.TempDir()
		put(t, dir, "HEAD", nil)
		put(t, dir, "refs/x", nil)
		put(t, dir, "objects/pack/pack-1.pack", pack)
		put(t, dir, "objects/pack/multi-pack-index", craftMulti(objects, limit))
		r := mustOpen(t, dir)
		for i, want := range []string{"one", "two"} {
			if got, err := r.Blob(objects[i].id, 10); err != nil || string(got) != want {
				t.Errorf("limit %d: %q %v, want %q", limit, got, err, want)
			}
		}
	}
}

func FuzzMultiIndex(f *testing.F) {
	objects, _ := seeds()
	f.Add(craftMulti(objects, 1<<31))
	f.Add(craftMulti(objects, 13))
	f.Fuzz(func(t *testing.T, content []byte) {
		x, err := openMultiIndex(memory(content), sha1Format)
		if err != nil {
			return
		}
		for _, o := range objects {
			pack, offset, ok, err := x.locate(o.id)
			if offset < 0 || ok && (err != nil || !slices.Contains(x.packs, pack)) {
				t.Errorf("%q %d %v %v", pack, offset, ok, err)
			}
		}
	})
}

// FuzzDelta checks that a result has the size in the header of its delta, and never more than the limit.
func FuzzDelta(f *testing.F) {
	f.Add([]byte("0123456789"), []byte("\x0a\x05\x91\x07\x03\x02ab"))
	f.Add([]byte("0123456789"), []byte("\x0a\x03\xff\x00\x00\x00\x00\x03\x00\x00"))
	f.Fuzz(func(t *testing.T, base, delta []byte) {
		result, err := applyDelta(base, delta, 1<<20)
		_, size, _, sizeErr := deltaSizes(delta)
		if err == nil && (sizeErr != nil || uint64(len(result)) != size || size > 1<<20) {
			t.Errorf("%d bytes, %d announced", len(result), size)
		}
	})
}

// FuzzTree checks that the entries of a tree are the whole tree, and that their names are valid and unique.
func FuzzTree(f *testing.F) {
	f.Add(rawTree("100644 a", "100755 a.b", "40000 a0", "120000 b", "160000 c"))
	f.Add(rawTree("100644 a", "100644 a.b", "40000 a"))
	f.Fuzz(func(t *testing.T, tree []byte) {
		reader := treeReader{}
		reader.reset(tree, 20)
		names := map[string]bool{}
		at := 0
		for {
			e, ok, err := reader.next()
			if err != nil {
				return
			}
			if !ok {
				break
			}
			if names[string(e.name)] || badName(e.name) || !bytes.HasSuffix(tree[:e.end], append(append(e.name[:len(e.name):len(e.name)], 0), e.id...)) || e.end <= at {
				t.Errorf("%q", e.name)
			}
			names[string(e.name)], at = true, e.end
		}
		if at != len(tree) {
			t.Errorf("%d of %d bytes were read", at, len(tree))
		}
	})
}

// FuzzCommit checks that both readers of a commit give the same tree and parents.
func FuzzCommit(f *testing.F) {
	f.Add([]byte("tree " + idA + "\nparent " + idB + "\nauthor A <a> 1 +0000\ncommitter C <c> 2 +0000\n\nm"))
	f.Fuzz(func(t *testing.T, content []byte) {
		info, err := parseCommit(content, 20)
		links, rest, linksErr := parseLinks(content, 20)
		parseDate(rest)
		if err == nil && (linksErr != nil || links.Tree != info.Tree || !slices.Equal(links.Parents, info.Parents)) {
			t.Errorf("%v %v %v", info, links, linksErr)
		}
		if err == nil && !strings.HasPrefix(string(content), "tree "+info.Tree.String()) && !strings.EqualFold(string(content[:45]), "tree "+info.Tree.String()) {
			t.Error(info.Tree)
		}
	})
}

// FuzzPackedRefs reads damaged packed-refs line by line.
func FuzzPackedRefs(f *testing.F) {
	f.Add("# pack-refs with: peeled fully-peeled sorted\n" + idA + " refs/heads/main\n" + idB + " refs/tags/v1\n^" + idA + "\n")
	r := &Repo{format: sha1Format}
	f.Fuzz(func(t *testing.T, text string) {
		refs, err := r.readPackedRefs(strings.NewReader(text))
		for name, id := range refs {
			if err == nil && (!strings.Contains(text, " "+name+"\n") || !strings.Contains(strings.ToLower(text), id.String())) {
				t.Errorf("%q %s", name, id)
			}
		}
	})
}

// FuzzConfig checks that the keys of settings are in the text of the configuration.
func FuzzConfig(f *testing.F) {
	f.Add("[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectformat = \"sha256\" ; x\n")
	f.Add("[a \"b\\\"c\"]\nd = e\\\n f\\t\n#g\nh\n")
	f.Fuzz(func(t *testing.T, text string) {
		settings, err := parseConfig(text)
		for _, s := range settings {
			if err == nil && (s.key == "" || s.section == "" || !strings.Contains(strings.ToLower(text), s.key)) {
				t.Errorf("%+v", s)
			}
		}
	})
}

// FuzzLoose compares loose objects with the result of the standard library's zlib reader.
func FuzzLoose(f *testing.F) {
	f.Add(deflate([]byte("blob 3\x00abc")))
	f.Add(deflate([]byte("tree 0\x00")))
	f.Fuzz(func(t *testing.T, compressed []byte) {
		found, err := parseLoose(ID{}, compressed, limits{blob: 1 << 16})
		if err != nil {
			return
		}
		z, err := zlib.NewReader(bytes.NewReader(compressed))
		if err != nil {
			t.Fatal(err)
		}
		want, err := io.ReadAll(z)
		if err == nil && !bytes.HasSuffix(want, found.content) {
			t.Errorf("%q, want the end of %q", found.content, want)
		}
	})
}

// FuzzPack reads the objects of a damaged pack through an undamaged index. An object with the right id must have the
// right content.
func FuzzPack(f *testing.F) {
	objects, _ := chainOf(3, false)
	byID, _ := chainOf(5, true)
	objects = append(objects, byID[4:]...)
	pack, offsets := craftPack(objects)
	index := craftIndex(objects, offsets, 1<<31)
	f.Add(pack)
	f.Fuzz(func(t *testing.T, content []byte) {
		x, err := openIndex(memory(index), 20)
		if err != nil {
			t.Fatal(err)
		}
		s := &store{format: sha1Format, blocks: newBlockCache(blockCache), bases: newBaseCache()}
		p := &packFile{name: "memory", format: sha1Format, index: x, blocks: s.blocks}
		p.once.Do(func() {
			p.file = memory(content)
			p.err = p.checkFrame()
		})
		s.packs = append(s.packs, p)
		r := &Repo{format: sha1Format, objects: s}
		for i, o := range objects {
			got, err := r.Blob(o.id, 1<<20)
			if err == nil && len(got) != len("begin")+i {
				t.Errorf("object %d is %q", i, got)
			}
		}
	})
}

package git

import (
	"errors"
	"fmt"
	"testing"
)

// TestMaxEntries reads a tree of many directories with the same id: the limit is checked while they are read, not afterwards.
func TestMaxEntries(t *testing.T) {
	const width = 2_000
	wide := func(mode string, id ID) packed {
		var tree []byte
		for i := range width {
			tree = append(append(fmt.Appendf(tree, "%s %06d", mode, i), 0), id.raw()...)
		}
		return wholeObject(treeType, tree)
	}
	file := wholeObject(blobType, []byte("x"))
	empty := wholeObject(treeType, nil)
	for name, below := range map[string]packed{"files": wide("100644", file.id), "empty directories": wide("40000", empty.id)} {
		root := wide("40000", below.id)
		r := craftRepo(t, []packed{file, empty, below, root}, 1<<31)
		for _, limit := range []struct{ entries, bytes int64 }{{10 * width, 1 << 30}, {1 << 30, 10 * width}} {
			r.MaxChanges, r.MaxEntries, r.MaxPathBytes = 1<<30, limit.entries, limit.bytes
			c := &comparison{repo: r, limit: 1 << 30}
			level := []pair{{new: root.id, out: &node{}}}
			var err error
			for err == nil && len(level) > 0 {
				level, err = c.level(level)
			}
			if large := (*TooLarge)(nil); !errors.As(err, &large) || !large.Trees {
				t.Errorf("%s: %v", name, err)
			}
			if read := c.entries.Load(); read > 100*width {
				t.Errorf("%s: %d entries were read", name, read)
			}
		}
		r.MaxChanges, r.MaxEntries, r.MaxPathBytes = width, width, 8*width
		if changes, err := r.Compare(ID{}, wide("100644", file.id).id); name == "files" && (err != nil || len(changes) != width) {
			t.Errorf("just right: %d changes, %v", len(changes), err)
		}
	}
}

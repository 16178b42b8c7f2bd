package git

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// rawTree writes a tree; each entry is "mode name", its id is made of a byte.
func rawTree(entries ...string) []byte {
	var tree []byte
	for i, e := range entries {
		tree = append(append(tree, e...), 0)
		tree = append(tree, bytes.Repeat([]byte{byte(i + 1)}, 20)...)
	}
	return tree
}

// readTree reads a whole tree.
func readTree(tree []byte, size int) (names []string, err error) {
	reader := treeReader{}
	reader.reset(tree, size)
	for {
		e, ok, err := reader.next()
		if err != nil || !ok {
			return names, err
		}
		names = append(names, fmt.Sprintf("%06o %s", e.mode, e.name))
	}
}

// TestTrees checks malformed trees, and similar valid ones.
func TestTrees(t *testing.T) {
	for _, c := range []struct {
		entries []string
		want    error
	}{
		{[]string{"100644 a", "100755 a.b", "40000 a0", "120000 b", "160000 c"}, nil},
		{nil, nil},
		{[]string{"100644 a", "100644 a"}, errTree.twice},
		{[]string{"100644 a", "100755 a"}, errTree.twice},
		{[]string{"40000 a", "40000 a"}, errTree.twice},
		{[]string{"100644 a", "40000 a"}, errTree.twice},
		{[]string{"100644 a", "100644 a.b", "40000 a"}, errTree.twice},
		{[]string{"100644 a", "100644 a-", "100644 a-b", "40000 a-c", "100644 a.b", "40000 a"}, errTree.twice},
		{[]string{"120000 a", "100644 a.b", "40000 a"}, errTree.twice},
		{[]string{"100644 a", "100644 a.b", "40000 ab"}, nil},
		{[]string{"40000 a", "100644 a0", "100644 aa"}, nil},
		{[]string{"100644 b", "100644 a"}, errTree.order},
		{[]string{"40000 a", "100644 a.b"}, errTree.order},
		{[]string{"100644 a.b", "40000 a"}, nil},
		{[]string{"100644 a0", "40000 a"}, errTree.order},
		{[]string{"100644 "}, errTree.name},
		{[]string{"100644 a/b"}, errTree.name},
		{[]string{"100644 ."}, errTree.name},
		{[]string{"40000 .."}, errTree.name},
		{[]string{"40000 .git"}, errTree.name},
		{[]string{"100644 .GiT"}, errTree.name},
		{[]string{"100644 ...", "100644 .gi", "100644 .gitx", "100644 git"}, nil},
		{[]string{"100664 a"}, nil},
		{[]string{"040000 a"}, nil},
		{[]string{"0 a"}, errTree.mode},
		{[]string{"644 a"}, errTree.mode},
		{[]string{"60000 a"}, errTree.mode},
		{[]string{"1100644 a"}, errTree.mode},
		{[]string{"100648 a"}, errTree.mode},
		{[]string{"-100644 a"}, errTree.mode},
		{[]string{" a"}, errTree.mode},
		{[]string{"000000000100644 a"}, errTree.mode},
	} {
		if _, err := readTree(rawTree(c.entries...), 20); !errors.Is(err, c.want) {
			t.Errorf("%q: %v, want %v", c.entries, err, c.want)
		}
	}
	tree := rawTree("100644 a", "100644 b")
	for n := range tree {
		if _, err := readTree(tree[:n], 20); (err == nil) != (n == 0 || n == len(tree)/2) {
			t.Errorf("cut at %d: %v", n, err)
		}
	}
	if _, err := readTree(append([]byte("100644 a\x00"), make([]byte, 20)...), 20); !errors.Is(err, errTree.null) {
		t.Error("an id of zeros:", err)
	}
}

// TestModes checks that modes are interpreted as in git.
func TestModes(t *testing.T) {
	got, err := readTree(rawTree("100664 a", "100744 b", "100700 c", "0100644 d", "120777 e", "040000 f", "160000 g"), 20)
	want := []string{"100644 a", "100755 b", "100755 c", "100644 d", "120000 e", "040000 f", "160000 g"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%q %v, want %q", got, err, want)
	}
}

// TestHidingTrees checks that a comparison refuses trees that could hide a path.
func TestHidingTrees(t *testing.T) {
	plain := wholeObject(treeType, rawTree("100644 a"))
	for _, entries := range [][]string{{"100644 a", "100644 a"}, {"100644 b", "100644 a"}, {"100644 a/b"}, {"40000 .git"}} {
		bad := wholeObject(treeType, rawTree(entries...))
		r := craftRepo(t, []packed{plain, bad}, 1<<31)
		for _, sides := range [][2]ID{{plain.id, bad.id}, {bad.id, plain.id}, {bad.id, {}}} {
			changes, err := r.Compare(sides[0], sides[1])
			if damaged := (*Corrupt)(nil); !errors.As(err, &damaged) || changes != nil || !strings.Contains(err.Error(), bad.id.String()) {
				t.Errorf("%q: %v %v", entries, changes, err)
			}
		}
	}
}

// TestTreeBomb checks that a few trees that contain one another many times reach a limit, with and without files.
func TestTreeBomb(t *testing.T) {
	for _, leaf := range []packed{wholeObject(treeType, rawTree("100644 file")), wholeObject(treeType, nil)} {
		objects := []packed{leaf}
		for range 12 {
			var tree []byte
			for i := range 10 {
				tree = append(append(fmt.Appendf(tree, "40000 %d", i), 0), objects[len(objects)-1].id.raw()...)
			}
			objects = append(objects, wholeObject(treeType, tree))
		}
		r := craftRepo(t, objects, 1<<31)
		r.MaxChanges = 5_000
		changes, err := r.Compare(ID{}, objects[len(objects)-1].id)
		if large := (*TooLarge)(nil); !errors.As(err, &large) || changes != nil {
			t.Errorf("%d changes, %v", len(changes), err)
		}
	}
}

// TestDeepTrees checks the limit of nested directories.
func TestDeepTrees(t *testing.T) {
	objects := []packed{wholeObject(treeType, rawTree("100644 f"))}
	for range maxDepth + 1 {
		objects = append(objects, wholeObject(treeType, append([]byte("40000 d\x00"), objects[len(objects)-1].id.raw()...)))
	}
	r := craftRepo(t, objects, 1<<31)
	changes, err := r.Compare(ID{}, objects[maxDepth].id)
	if err != nil || len(changes) != 1 || changes[0].Path != strings.Repeat("d/", maxDepth)+"f" {
		t.Errorf("%d changes, %v", len(changes), err)
	}
	_, err = r.Compare(ID{}, objects[maxDepth+1].id)
	if large := (*TooLarge)(nil); !errors.As(err, &large) {
		t.Error(err)
	}
}

// TestMaxChanges checks the exact limit.
func TestMaxChanges(t *testing.T) {
	tree := wholeObject(treeType, rawTree("100644 a", "100644 b", "100644 c"))
	r := craftRepo(t, []packed{tree}, 1<<31)
	r.MaxChanges = 3
	if changes, err := r.Compare(tree.id, ID{}); err != nil || len(changes) != 3 {
		t.Error(changes, err)
	}
	r.MaxChanges = 2
	changes, err := r.Compare(tree.id, ID{})
	if large := (*TooLarge)(nil); !errors.As(err, &large) || large.Limit != 2 || changes != nil || !strings.HasPrefix(err.Error(), "more than 2 changed files, ") {
		t.Error(changes, err)
	}
}

// TestLookup checks paths that exist, paths that do not, and malformed paths.
func TestLookup(t *testing.T) {
	below := wholeObject(treeType, rawTree("100644 x"))
	root := wholeObject(treeType, append(rawTree("100644 a", "120000 l"), append([]byte("40000 t\x00"), below.id.raw()...)...))
	commit := wholeObject(commitType, []byte("tree "+root.id.String()+"\nauthor A <a> 1 +0000\ncommitter C <c> 2 +0000\nextra x\n\nsubject\n\nbody\n"))
	r := craftRepo(t, []packed{below, root, commit}, 1<<31)
	for path, want := range map[string]uint32{"a": ModeFile, "l": ModeSymlink, "t": ModeTree, "t/x": ModeFile, "b": 0, "a/x": 0, "l/x": 0, "t/y": 0, "t/x/y": 0} {
		entry, ok, err := r.Lookup(commit.id, path)
		if err != nil || ok != (want != 0) || entry.Mode != want {
			t.Errorf("%s: %v %v %v", path, entry, ok, err)
		}
	}
	for _, path := range []string{"", "/a", "t/", "t//x", "./a", "../a", "t/../a", ".git/x", "a\x00"} {
		_, _, err := r.Lookup(commit.id, path)
		if bad := (*BadName)(nil); !errors.As(err, &bad) {
			t.Errorf("%q: %v", path, err)
		}
	}
	for path, want := range map[string]string{"": "a l t", "t": "x", "a": "", "nothing": "", "a/b": ""} {
		entries, err := r.List(commit.id, path)
		names := []string{}
		for _, e := range entries {
			names = append(names, e.Name)
		}
		if err != nil || strings.Join(names, " ") != want || (entries == nil) != (want == "") {
			t.Errorf("%q: %v %v", path, entries, err)
		}
	}
	info, err := r.Commit(commit.id)
	if err != nil || info.ID != commit.id || info.Parents != nil || info.Tree != root.id {
		t.Errorf("%+v %v", info, err)
	}
}

package collect

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify/evidence"
	"github.com/closeout-gate/closeout/verify/source"
)

var oldID, newID = strings.Repeat("a", 40), strings.Repeat("b", 40)

// What the collector writes is what the judge reads, whatever the paths are made of.
func TestChangesWrittenAreRead(t *testing.T) {
	changes := []evidence.Change{
		{Path: "a \"b\"\\\n\t<&>\u2028", Status: evidence.Modified, OldMode: evidence.Regular, NewMode: evidence.Executable, OldID: oldID, NewID: newID},
		{Path: "a\xff\xfe", Status: evidence.Added, OldMode: evidence.NoMode, NewMode: evidence.Symlink, NewID: newID},
		{Path: "go.mod", Status: evidence.Modified, OldMode: evidence.Regular, NewMode: evidence.Regular, OldID: oldID, NewID: newID, KeysKnown: true, KeysChanged: []string{}},
		{Path: "m", Status: evidence.ModeChanged, OldMode: evidence.Regular, NewMode: evidence.Executable, OldID: oldID, NewID: oldID},
		{Path: "package.json", Status: evidence.Modified, OldMode: evidence.Regular, NewMode: evidence.Regular, OldID: oldID, NewID: newID, KeysKnown: true, KeysChanged: []string{"scripts"}},
		{Path: "sub", Status: evidence.TypeChanged, OldMode: evidence.Regular, NewMode: evidence.Submodule, OldID: oldID, NewID: newID},
		{Path: "ü", Status: evidence.Deleted, OldMode: evidence.Regular, NewMode: evidence.NoMode, OldID: oldID},
	}
	for _, list := range [][]evidence.Change{changes, {}, changes[:1]} {
		checkRead(t, list)
	}
}

func checkRead(t *testing.T, list []evidence.Change) {
	t.Helper()
	data, err := MarshalChanges(list)
	if err != nil {
		t.Fatal(err)
	}
	read, errs := evidence.ReadChanges(bytes.NewReader(data), evidence.DefaultLimits())
	if errs.Any() {
		t.Fatalf("%s\n%v", data, errs.All())
	}
	for i := range read {
		read[i].Pos = source.Pos{}
	}
	if !slices.EqualFunc(read, list, func(a, b evidence.Change) bool { return reflect.DeepEqual(a, b) }) {
		t.Errorf("read  %+v\nwrote %+v", read, list)
	}
}

func FuzzMarshalChanges(f *testing.F) {
	for _, path := range []string{"a", "a/b", "\xff", "\"", "\\", "\u2028", "a\nb"} {
		f.Add(path)
	}
	f.Fuzz(func(t *testing.T, path string) {
		if path == "" || strings.Contains(path, "\x00") {
			return
		}
		checkRead(t, []evidence.Change{{Path: path, Status: evidence.Added, OldMode: evidence.NoMode, NewMode: evidence.Regular, NewID: newID}})
	})
}

// Of a path that several comparisons touch, the entry stays that says most.
func TestUnion(t *testing.T) {
	added := evidence.Change{Path: "b", Status: evidence.Added, NewID: newID}
	modified := evidence.Change{Path: "b", Status: evidence.Modified, OldID: oldID, NewID: newID}
	link := evidence.Change{Path: "b", Status: evidence.TypeChanged}
	a, c := evidence.Change{Path: "a", Status: evidence.Deleted}, evidence.Change{Path: "c", Status: evidence.Added}
	for name, test := range map[string]struct{ lists, want [][]evidence.Change }{
		"one base":             {[][]evidence.Change{{a, added}}, [][]evidence.Change{{a, added}}},
		"each has its own":     {[][]evidence.Change{{added}, {a, c}}, [][]evidence.Change{{a, added, c}}},
		"modified beats added": {[][]evidence.Change{{added, c}, {modified}}, [][]evidence.Change{{modified, c}}},
		"in either order":      {[][]evidence.Change{{modified}, {added, c}}, [][]evidence.Change{{modified, c}}},
		"a type change beats":  {[][]evidence.Change{{modified}, {link}}, [][]evidence.Change{{link}}},
		"nothing":              {[][]evidence.Change{{}, {}}, [][]evidence.Change{nil}},
	} {
		if got := union(test.lists); !reflect.DeepEqual(got, test.want[0]) {
			t.Errorf("%s: %+v, want %+v", name, got, test.want[0])
		}
	}
}

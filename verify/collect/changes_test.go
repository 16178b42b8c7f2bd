package collect

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/diag"
	"github.com/closeout-gate/closeout/verify/strict"
)

var oldID, newID = strings.Repeat("a", 40), strings.Repeat("b", 40)

// What the collector writes is what the judge reads, whatever the paths are made of.
func TestChangesWrittenAreRead(t *testing.T) {
	changes := []change.Change{
		{Path: "a \"b\"\\\n\t<&>\u2028", Status: change.Modified, OldMode: change.Regular, NewMode: change.Executable, OldID: oldID, NewID: newID},
		{Path: "a\xff\xfe", Status: change.Added, OldMode: change.NoMode, NewMode: change.Symlink, NewID: newID},
		{Path: "go.mod", Status: change.Modified, OldMode: change.Regular, NewMode: change.Regular, OldID: oldID, NewID: newID, KeysKnown: true, KeysChanged: []string{}},
		{Path: "m", Status: change.ModeChanged, OldMode: change.Regular, NewMode: change.Executable, OldID: oldID, NewID: oldID},
		{Path: "package.json", Status: change.Modified, OldMode: change.Regular, NewMode: change.Regular, OldID: oldID, NewID: newID, KeysKnown: true, KeysChanged: []string{"scripts"}},
		{Path: "sub", Status: change.TypeChanged, OldMode: change.Regular, NewMode: change.Submodule, OldID: oldID, NewID: newID},
		{Path: "ü", Status: change.Deleted, OldMode: change.Regular, NewMode: change.NoMode, OldID: oldID},
	}
	for _, list := range [][]change.Change{changes, {}, changes[:1]} {
		checkRead(t, list)
	}
}

func checkRead(t *testing.T, list []change.Change) {
	t.Helper()
	data, err := MarshalChanges(list)
	if err != nil {
		t.Fatal(err)
	}
	read, errs := change.ReadChanges(bytes.NewReader(data), strict.DefaultLimits())
	if errs.Any() {
		t.Fatalf("%s\n%v", data, errs.All())
	}
	for i := range read {
		read[i].Pos = diag.Pos{}
	}
	if !slices.EqualFunc(read, list, func(a, b change.Change) bool { return reflect.DeepEqual(a, b) }) {
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
		checkRead(t, []change.Change{{Path: path, Status: change.Added, OldMode: change.NoMode, NewMode: change.Regular, NewID: newID}})
	})
}

// Of a path that several comparisons touch, the entry stays that says most.
func TestUnion(t *testing.T) {
	added := change.Change{Path: "b", Status: change.Added, NewID: newID}
	modified := change.Change{Path: "b", Status: change.Modified, OldID: oldID, NewID: newID}
	link := change.Change{Path: "b", Status: change.TypeChanged}
	a, c := change.Change{Path: "a", Status: change.Deleted}, change.Change{Path: "c", Status: change.Added}
	for name, test := range map[string]struct{ lists, want [][]change.Change }{
		"one base":             {[][]change.Change{{a, added}}, [][]change.Change{{a, added}}},
		"each has its own":     {[][]change.Change{{added}, {a, c}}, [][]change.Change{{a, added, c}}},
		"modified beats added": {[][]change.Change{{added, c}, {modified}}, [][]change.Change{{modified, c}}},
		"in either order":      {[][]change.Change{{modified}, {added, c}}, [][]change.Change{{modified, c}}},
		"a type change beats":  {[][]change.Change{{modified}, {link}}, [][]change.Change{{link}}},
		"nothing":              {[][]change.Change{{}, {}}, [][]change.Change{nil}},
	} {
		if got := union(test.lists); !reflect.DeepEqual(got, test.want[0]) {
			t.Errorf("%s: %+v, want %+v", name, got, test.want[0])
		}
	}
}

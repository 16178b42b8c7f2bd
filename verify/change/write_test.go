package change

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify/input"
)

var written = []Change{
	{Path: ".gitattributes", Status: Modified, OldMode: Regular, NewMode: Regular, OldID: idA, NewID: idB, KeysKnown: true, Attributes: []Effect{
		{Line: 3, Attribute: "text", Was: "auto", Now: "unset", Files: 12, Paths: []string{"a", "b c"}},
		{Attribute: "filter", Was: "unspecified", Now: "lfs", New: true, Files: 1, Paths: []string{"\"\\303\\274\""}},
		{Line: 1, Attribute: "[attr]raw", Was: "-text", Paths: []string{}},
	}},
	{Path: "a \"b\"\\\n\t<&>\u2028", Status: Modified, OldMode: Regular, NewMode: Executable, OldID: idA, NewID: idB},
	{Path: "a\xff\xfe", Status: Added, OldMode: NoMode, NewMode: Symlink, NewID: idB},
	{Path: "go.mod", Status: Modified, OldMode: Regular, NewMode: Regular, OldID: idA, NewID: idB, KeysKnown: true, KeysChanged: []string{}, BaseGone: true},
	{Path: "m", Status: ModeChanged, OldMode: Regular, NewMode: Executable, OldID: idA, NewID: idA},
	{Path: "package.json", Status: Modified, OldMode: Regular, NewMode: Regular, OldID: idA, NewID: idB, KeysKnown: true, KeysChanged: []string{"scripts", ""}},
	{Path: "sub", Status: TypeChanged, OldMode: Regular, NewMode: Submodule, OldID: idA, NewID: idB},
	{Path: "z", Status: Added, OldMode: NoMode, NewMode: Regular, NewID: idA, Evidence: EvidenceTests},
	{Path: "ü", Status: Deleted, OldMode: Regular, NewMode: NoMode, OldID: idA},
}

// What is written is what is read.
func TestMarshal(t *testing.T) {
	for _, list := range [][]Change{written, {}, written[:1]} {
		checkRead(t, list)
	}
	for _, c := range []Change{{Path: "a", KeysKnown: true, KeysChanged: []string{"\xff"}}, {Path: "a", Status: "\xff"}} {
		if _, err := Marshal([]Change{c}); err == nil {
			t.Errorf("%+v is written, but JSON cannot contain it", c)
		}
	}
}

// Each field of a change is in the list that is written and read, so that a new one is not forgotten by the writer.
func TestMarshalWritesEachField(t *testing.T) {
	notInTheFile := []string{"ModeUnknown", "Pos"} // of a diff, of the place where the change was read
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Change]()) {
		found := false
		for _, c := range written {
			found = found || !reflect.ValueOf(c).FieldByIndex(f.Index).IsZero()
		}
		if skip := strings.Contains(strings.Join(notInTheFile, " "), f.Name); found == skip {
			t.Errorf("the field %s: in the list %t, not in the file %t", f.Name, found, skip)
		}
	}
}

func checkRead(t *testing.T, list []Change) {
	t.Helper()
	data, err := Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	read, errs := ReadChanges(bytes.NewReader(data), input.DefaultLimits())
	if errs.Any() {
		t.Fatalf("%s\n%v", data, errs.All())
	}
	for i := range read {
		read[i].Pos = input.Pos{}
	}
	if len(read) != len(list) || len(list) > 0 && !reflect.DeepEqual(read, list) {
		t.Errorf("read  %+v\nwrote %+v", read, list)
	}
}

func FuzzMarshal(f *testing.F) {
	for _, path := range []string{"a", "a/b", "\xff", "\"", "\\", "\u2028", "a\nb"} {
		f.Add(path)
	}
	f.Fuzz(func(t *testing.T, path string) {
		if path == "" || strings.Contains(path, "\x00") {
			return
		}
		checkRead(t, []Change{{Path: path, Status: Added, OldMode: NoMode, NewMode: Regular, NewID: idA}})
	})
}

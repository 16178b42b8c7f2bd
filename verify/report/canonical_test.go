package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/gowebpki/jcs"
)

func sample() *Report {
	text := "x\"files\":[]"
	return &Report{
		Schema: Schema, Verdict: Failed, TaskID: &text,
		Files: []File{
			{Path: "src/a.go", Status: "added", Class: "allowed", OldMode: "000000", NewMode: "100644"},
			{Path: "src/b.go", Status: "added", Class: "allowed", OldMode: "000000", NewMode: "100644"},
			{Path: "\"files\":[]", Status: "deleted", Class: "off_scope", OldMode: "100755", NewMode: "000000"},
			{Path: "caf\u00e9 <&> \u2028 \x7f \\", Status: "modified", Class: "soft", OldMode: "100644", NewMode: "100755"},
			{Path: `"\377"`, PathBase64: "/w==", Status: "added", Class: "off_scope", OldMode: "000000", NewMode: "100644"},
			{Path: strings.Repeat("long/", 100) + "a", Status: "added", Class: "allowed", OldMode: "000000", NewMode: "100644"},
		},
		Findings: []Finding{{Code: "a.b", Message: `"files":[]`, Times: 1}},
		Tool:     Tool{Name: "closeout", Version: "1"},
	}
}

// TestCanonicalIsThatOfTheWhole compares with the canonical form of the report in one piece.
func TestCanonicalIsThatOfTheWhole(t *testing.T) {
	r := sample()
	got, err := Canonical(r)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	want, err := jcs.Transform(text)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("got\n%s\nexpected\n%s", got, want)
	}
	again, err := jcs.Transform(got)
	if err != nil || !bytes.Equal(got, again) {
		t.Errorf("the canonical form of the canonical form differs: %v", err)
	}
}

func FuzzAppendFile(f *testing.F) {
	f.Add("src/a.go", "", "allowed")
	f.Add("a\u2028b\"\\", "/w==", "x\n")
	f.Fuzz(func(t *testing.T, path, base64, class string) {
		file := File{Path: strings.ToValidUTF8(path, "?"), PathBase64: strings.ToValidUTF8(base64, "?"), Class: strings.ToValidUTF8(class, "?")}
		got, err := appendFile(nil, &file)
		if err != nil {
			t.Fatal(err)
		}
		want, err := canonical(&file)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("got %s, expected %s, %v", got, want, err)
		}
	})
}

func TestEveryShapeIsChecked(t *testing.T) {
	shown := 0
	count := func(text []byte) error {
		var files []File
		err := json.Unmarshal(text, &files)
		shown = len(files)
		return err
	}
	if _, err := CanonicalChecked(sample(), func([]byte) error { return nil }, count); err != nil {
		t.Fatal(err)
	}
	if shown != 4 {
		t.Errorf("%d files were checked, expected one of each of the 4 shapes", shown)
	}
	r := sample()
	r.Files = append(r.Files, File{Status: "added", Class: "allowed", OldMode: "000000", NewMode: "100644"})
	if _, err := CanonicalChecked(r, func([]byte) error { return nil }, count); err != nil || shown != 5 {
		t.Errorf("a file without path was not checked: %d, %v", shown, err)
	}
}

func TestChecksCanRefuse(t *testing.T) {
	refused := errors.New("refused")
	accept, refuse := func([]byte) error { return nil }, func([]byte) error { return refused }
	if _, err := CanonicalChecked(sample(), refuse, accept); !errors.Is(err, refused) {
		t.Errorf("got %v", err)
	}
	if _, err := CanonicalChecked(sample(), accept, refuse); !errors.Is(err, refused) {
		t.Errorf("got %v", err)
	}
}

func TestListsAreNeverNull(t *testing.T) {
	text, err := Canonical(&Report{Acceptance: []Acceptance{{}}, Override: &Override{}})
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"checks", "findings", "acceptance", "approvals_required", "companions", "files", "override_refused", "inputs", "run", "decided_by", "accepted"} {
		if bytes.Contains(text, []byte(`"`+key+`":null`)) {
			t.Errorf("%s is null", key)
		}
	}
}

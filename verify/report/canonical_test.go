package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
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
	want := jsontext.Value(text)
	if err := want.Canonicalize(); err != nil || !bytes.Equal(got, want) {
		t.Errorf("got\n%s\nexpected\n%s\n%v", got, want, err)
	}
	again := jsontext.Value(bytes.Clone(got))
	if err := again.Canonicalize(); err != nil || !bytes.Equal(got, again) {
		t.Errorf("the canonical form of the canonical form differs: %v", err)
	}
}

// TestCanonicalForm pins the bytes, whatever library writes them.
func TestCanonicalForm(t *testing.T) {
	for _, c := range []struct {
		name  string
		value any
		want  string
	}{
		{"escapes", "\x00\b\t\n\v\f\r\x1f\"\\/\x7f", `"\u0000\b\t\n\u000b\f\r\u001f\"\\/` + "\x7f\""},
		{"HTML and line separators", "<&>\u2028\u2029", "\"<&>\u2028\u2029\""},
		{"not UTF-8", "a\xff\xed\xa0\x80", "\"a\ufffd\ufffd\ufffd\ufffd\""},
		{"keys by UTF-16 code units", map[string]int{"\U0001f600": 1, "\uffff": 2, "\u20ac": 3, "aa": 4, "a": 5, "": 6},
			"{\"\":6,\"a\":5,\"aa\":4,\"\u20ac\":3,\"\U0001f600\":1,\"\uffff\":2}"},
		{"exact integers", []int64{1<<53 - 1, 1 << 53, -(1 << 53), 0}, `[9007199254740991,9007199254740992,-9007199254740992,0]`},
		{"integers that are rounded", []int64{1<<53 + 1, 1<<63 - 1, -1 << 63}, `[9007199254740992,9223372036854776000,-9223372036854776000]`},
		{"numbers as they are written", json.RawMessage(`[-0,-0.0,1E20,1e21,1e-6,1e-7,5.0,333333333.33333329]`),
			`[0,0,100000000000000000000,1e+21,0.000001,1e-7,5,333333333.3333333]`},
	} {
		got, err := canonical(c.value)
		if err != nil || string(got) != c.want {
			t.Errorf("%s:\ngot      %s\nexpected %s\n%v", c.name, got, c.want, err)
		}
	}
	for _, text := range []string{`"\ud800"`, `"\udc00\ud800"`, `{"a":1,"\u0061":2}`} {
		if got, err := canonical(json.RawMessage(text)); err == nil {
			t.Errorf("%s became %s", text, got)
		}
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

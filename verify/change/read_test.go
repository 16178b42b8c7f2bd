package change

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/closeout-gate/closeout/internal/testkit/stricttest"
	"github.com/closeout-gate/closeout/verify/input"
)

var (
	idA = strings.Repeat("a", 40)
	idB = strings.Repeat("b", 40)
)

// element writes one file of a changes.json.
func element(path, status, oldMode, newMode, oldID, newID, more string) string {
	text := func(s string) string {
		if s == "" {
			return "null"
		}
		return `"` + s + `"`
	}
	return fmt.Sprintf(`{"path": %q, "status": %q, "old_mode": %q, "new_mode": %q, "old_id": %s, "new_id": %s%s}`,
		path, status, oldMode, newMode, text(oldID), text(newID), more)
}

func modified(path string) string {
	return element(path, "modified", "100644", "100644", idA, idB, "")
}

func document(elements ...string) string {
	return "{\"schema\": \"closeout.changes/v1\", \"files\": [\n" + strings.Join(elements, ",\n") + "]}\n"
}

var acceptedChanges = []struct{ name, text, want string }{
	{"nothing", document(), ""},
	{"files first", `{"files": [], "schema": "closeout.changes/v1"}`, ""},
	{"notes", `{"x-note": {"a": [1]}, "files": [], "schema": "closeout.changes/v1"}`, ""},
	{"added", document(element("x", "added", "000000", "100644", "", idA, "")), "added \"x\" 000000 100644 null A\n"},
	{"deleted", document(element("x", "deleted", "120000", "000000", idA, "", "")), "deleted \"x\" 120000 000000 A null\n"},
	{"modified", document(modified("x")), "modified \"x\" 100644 100644 A B\n"},
	{"modified with mode", document(element("x", "modified", "100755", "100644", idA, idB, "")), "modified \"x\" 100755 100644 A B\n"},
	{"modified submodule", document(element("x", "modified", "160000", "160000", idA, idB, "")), "modified \"x\" 160000 160000 A B\n"},
	{"modified symlink", document(element("x", "modified", "120000", "120000", idA, idB, "")), "modified \"x\" 120000 120000 A B\n"},
	{"mode", document(element("x", "mode_changed", "100644", "100755", idA, idA, "")), "mode_changed \"x\" 100644 100755 A A\n"},
	{"type", document(element("x", "type_changed", "100644", "120000", idA, idB, "")), "type_changed \"x\" 100644 120000 A B\n"},
	{"type with equal content", document(element("x", "type_changed", "120000", "100755", idA, idA, "")), "type_changed \"x\" 120000 100755 A A\n"},
	{"SHA-256", document(element("x", "added", "000000", "160000", "", strings.Repeat("0f", 32), "")), "added \"x\" 000000 160000 null " + strings.Repeat("0f", 32) + "\n"},
	{"sorted by bytes", document(modified("A"), modified("a"), modified("a-"), modified("a/"), modified("ä")),
		"modified \"A\" 100644 100644 A B\nmodified \"a\" 100644 100644 A B\nmodified \"a-\" 100644 100644 A B\nmodified \"a/\" 100644 100644 A B\nmodified \"ä\" 100644 100644 A B\n"},
	{"path that is no UTF-8", document(element("\"\\377\"", "modified", "100644", "100644", idA, idB, `, "path_base64": "/w=="`)), "modified \"\\xff\" 100644 100644 A B\n"},
	{"sorted by the bytes that are meant", document(modified("z"), element("\"\\377\"", "modified", "100644", "100644", idA, idB, `, "path_base64": "/w=="`)),
		"modified \"z\" 100644 100644 A B\nmodified \"\\xff\" 100644 100644 A B\n"},
	{"odd path", document(modified("../a\n\\\"")), "modified \"../a\\n\\\\\\\"\" 100644 100644 A B\n"},
	{"path of a blank", document(modified(" ")), "modified \" \" 100644 100644 A B\n"},
	{"note in a file", document(element("x", "modified", "100644", "100644", idA, idB, `, "x-note": null`)), "modified \"x\" 100644 100644 A B\n"},
	{"keys", document(element("x", "modified", "100644", "100644", idA, idB, `, "keys_changed": ["scripts", ""]`)), "modified \"x\" 100644 100644 A B\n"},
}

func TestReadChangesAccepts(t *testing.T) {
	validator, err := stricttest.Compile("changes")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range acceptedChanges {
		t.Run(c.name, func(t *testing.T) {
			for _, r := range []io.Reader{strings.NewReader(c.text), iotest.OneByteReader(strings.NewReader(c.text))} {
				changes, errs := ReadChanges(r, input.DefaultLimits())
				got := strings.NewReplacer(idA, "A", idB, "B").Replace(describeChanges(changes))
				if got != c.want || errs.Any() {
					t.Errorf("got\n%s%v\nwant\n%s", got, errs.All(), c.want)
				}
			}
			var value any
			if err := json.Unmarshal([]byte(c.text), &value); err != nil {
				t.Fatal(err)
			}
			if err := validator.Validate(value); err != nil {
				t.Errorf("the schema refuses it: %v", err)
			}
		})
	}
}

// refusedChanges are refused by the parser. free says that the schema lets them through, since it cannot say it.
var refusedChanges = []struct {
	name, text, where, want string
	free                    bool
}{
	{"empty", "", "1:1", "the file is empty", false},
	{"blank", " \n", "2:1", "the file is empty", false},
	{"no JSON", "diff --git a/x b/x\n", "1:1", "not JSON", false},
	{"byte order mark", "\xef\xbb\xbf{}", "1:1", "a byte order mark", false},
	{"list", "[]", "1:1", "must be an object", false},
	{"null", "\n null", "2:2", "must be an object", false},
	{"cut", `{"schema": "closeout.changes/v1", "files": [`, "1:45", "the [ is not closed", false},
	{"cut before the end", `{"schema": "closeout.changes/v1", "files": []`, "1:46", "the { is not closed", false},
	{"second value", document() + "{}", "3:1", "something follows", false},
	{"garbage behind", document() + "x", "3:1", "something follows", false},
	{"no schema", `{"files": []}`, "1:1", `"schema" is missing`, false},
	{"no files", ` {"schema": "closeout.changes/v1"}`, "1:2", `"files" is missing`, false},
	{"other schema", `{"schema": "closeout.changes/v2", "files": []}`, "1:12", "must be one of", false},
	{"schema is null", `{"schema": null, "files": []}`, "1:12", "must be one of", false},
	{"files is null", `{"schema": "closeout.changes/v1", "files": null}`, "1:44", "files must be a list", false},
	{"files is an object", "{\"schema\": \"closeout.changes/v1\",\n \"files\": {\"a\": 1}}", "2:11", "files must be a list", false},
	{"unknown key", `{"schema": "closeout.changes/v1", "files": [], "file": []}`, "1:48", `"file" is unknown`, false},
	{"key in other case", `{"schema": "closeout.changes/v1", "files": [], "Files": []}`, "1:48", `"Files" is unknown`, false},
	{"schema twice", `{"schema": "closeout.changes/v1", "files": [], "schema": "closeout.changes/v1"}`, "1:48", "occurs twice", true},
	{"files twice", `{"schema": "closeout.changes/v1", "files": [], "fil\u0065s": []}`, "1:48", "occurs twice", true},
	{"key twice in a note", `{"schema": "closeout.changes/v1", "files": [], "x-a": {"b": 1, "b": 1}}`, "1:64", "occurs twice", true},
	{"long key", `{"schema": "closeout.changes/v1", "files": [], "x-` + strings.Repeat("a", 999) + `": 1}`, "1:48", "too long", true},
	{"file is null", document("null"), "2:1", "must be an object", false},
	{"comma missing", document(modified("a") + modified("b")), "2:188", "a comma is missing", false},
	{"invalid UTF-8", document(modified("a\xff")), "2:12", "a backslash in a text escapes nothing", true},
	{"key twice in a file", document(element("x", "modified", "100644", "100644", idA, idB, `, "path": "y"`)), "2:189", "occurs twice", true},
	{"unknown key in a file", document(element("x", "modified", "100644", "100644", idA, idB, `, "paths": 1`)), "2:189", "unknown", false},
	{"no path", document(strings.Replace(modified("x"), `"path": "x", `, "", 1)), "2:1", `"path" is missing`, false},
	{"no status", document(strings.Replace(modified("x"), `"status": "modified", `, "", 1)), "2:1", `"status" is missing`, false},
	{"no mode", document(strings.Replace(modified("x"), `"old_mode": "100644", `, "", 1)), "2:1", `"old_mode" is missing`, false},
	{"no id", document(strings.Replace(modified("x"), `"old_id": "`+idA+`", `, "", 1)), "2:1", `"old_id" is missing`, false},
	{"empty path", document(modified("")), "2:10", "path must be", false},
	{"NUL in the path", document(strings.Replace(modified("x"), `"x"`, `"x\u0000"`, 1)), "2:10", "path must be", false},
	{"path is a number", document(strings.Replace(modified("x"), `"x"`, `1`, 1)), "2:10", "path must be", false},
	{"path is null", document(strings.Replace(modified("x"), `"x"`, `null`, 1)), "2:10", "path must be", false},
	{"path_base64 of plain text", document(element("x", "modified", "100644", "100644", idA, idB, `, "path_base64": "eA=="`)), "2:204", "path_base64 must be", true},
	{"path_base64 of NUL", document(element("\"\\377\\000\"", "modified", "100644", "100644", idA, idB, `, "path_base64": "/wA="`)), "2:217", "path_base64 must be", true},
	{"path_base64 of nothing", document(element("x", "modified", "100644", "100644", idA, idB, `, "path_base64": ""`)), "2:204", "path_base64 must be", false},
	{"path_base64 for the web", document(element("\"\\377\"", "modified", "100644", "100644", idA, idB, `, "path_base64": "_w=="`)), "2:212", "path_base64 must be", false},
	{"path_base64 without padding", document(element("\"\\377\"", "modified", "100644", "100644", idA, idB, `, "path_base64": "/w"`)), "2:212", "path_base64 must be", false},
	{"path_base64 with loose bits", document(element("\"\\377\"", "modified", "100644", "100644", idA, idB, `, "path_base64": "/x=="`)), "2:212", "path_base64 must be", true},
	{"path_base64 with a newline", document(element("\"\\377\"", "modified", "100644", "100644", idA, idB, `, "path_base64": "/w==\n"`)), "2:212", "path_base64 must be", false},
	{"path_base64 is null", document(element("\"\\377\"", "modified", "100644", "100644", idA, idB, `, "path_base64": null`)), "2:212", "path_base64 must be", false},
	{"path is not the quoted form", document(element("x", "modified", "100644", "100644", idA, idB, `, "path_base64": "/w=="`)), "2:10", "as git quotes them", true},
	{"unknown status", document(element("x", "renamed", "100644", "100644", idA, idB, "")), "2:25", "status must be", false},
	{"unknown mode", document(element("x", "modified", "100664", "100644", idA, idB, "")), "2:49", "old_mode must be", false},
	{"mode is a number", document(strings.Replace(modified("x"), `"100644", "new`, `100644, "new`, 1)), "2:49", "old_mode must be", false},
	{"short id", document(element("x", "modified", "100644", "100644", idA[1:], idB, "")), "2:91", "old_id must be", false},
	{"upper-case id", document(element("x", "modified", "100644", "100644", strings.ToUpper(idA), idB, "")), "2:91", "old_id must be", false},
	{"id of 50 digits", document(element("x", "modified", "100644", "100644", idA+idA[:10], idB, "")), "2:91", "old_id must be", false},
	{"id with newline", document(strings.Replace(modified("x"), idA, idA+`\n`, 1)), "2:91", "old_id must be", false},
	{"id is empty", document(strings.Replace(modified("x"), idA, "", 1)), "2:91", "old_id must be", false},
	{"keys are null", document(element("x", "modified", "100644", "100644", idA, idB, `, "keys_changed": null`)), "2:205", "must be a list", false},
	{"keys are no texts", document(element("x", "modified", "100644", "100644", idA, idB, `, "keys_changed": ["a", 1]`)), "2:211", "1 must be a string", false},
	{"added with old mode", document(element("x", "added", "100644", "100644", "", idA, "")), "2:25", "does not agree", false},
	{"added with old id", document(element("x", "added", "000000", "100644", idA, idB, "")), "2:25", "does not agree", false},
	{"added without mode", document(element("x", "added", "000000", "000000", "", idA, "")), "2:25", "does not agree", false},
	{"added without id", document(element("x", "added", "000000", "100644", "", "", "")), "2:25", "does not agree", false},
	{"deleted with new mode", document(element("x", "deleted", "100644", "100644", idA, "", "")), "2:25", "does not agree", false},
	{"deleted with new id", document(element("x", "deleted", "100644", "000000", idA, idB, "")), "2:25", "does not agree", false},
	{"deleted without mode", document(element("x", "deleted", "000000", "000000", idA, "", "")), "2:25", "does not agree", false},
	{"deleted without id", document(element("x", "deleted", "100644", "000000", "", "", "")), "2:25", "does not agree", false},
	{"modified with one id", document(element("x", "modified", "100644", "100644", idA, idA, "")), "2:25", "does not agree", true},
	{"modified without id", document(element("x", "modified", "100644", "100644", idA, "", "")), "2:25", "does not agree", false},
	{"modified without mode", document(element("x", "modified", "100644", "000000", idA, idB, "")), "2:25", "does not agree", false},
	{"modified between types", document(element("x", "modified", "100644", "120000", idA, idB, "")), "2:25", "does not agree", false},
	{"modified between hashes", document(element("x", "modified", "100644", "100644", idA, strings.Repeat("b", 64), "")), "2:25", "does not agree", true},
	{"mode_changed with two ids", document(element("x", "mode_changed", "100644", "100755", idA, idB, "")), "2:25", "does not agree", true},
	{"mode_changed with one mode", document(element("x", "mode_changed", "100644", "100644", idA, idA, "")), "2:25", "does not agree", false},
	{"mode_changed between types", document(element("x", "mode_changed", "100644", "120000", idA, idA, "")), "2:25", "does not agree", false},
	{"type_changed within a type", document(element("x", "type_changed", "100644", "100755", idA, idB, "")), "2:25", "does not agree", false},
	{"type_changed from nothing", document(element("x", "type_changed", "000000", "120000", "", idB, "")), "2:25", "does not agree", false},
	{"type_changed between hashes", document(element("x", "type_changed", "100644", "120000", idA, strings.Repeat("b", 64), "")), "2:25", "does not agree", true},
	{"unsorted", document(modified("b"), modified("a")), "3:10", "not sorted", true},
	{"unsorted by bytes", document(modified("a"), modified("B")), "3:10", "not sorted", true},
	{"twice", document(modified("a"), modified("a")), "3:10", "occurs twice in the list", true},
}

func TestReadChangesRefuses(t *testing.T) {
	validator, err := stricttest.Compile("changes")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range refusedChanges {
		t.Run(c.name, func(t *testing.T) {
			changes, list := ReadChanges(strings.NewReader(c.text), input.DefaultLimits())
			errs := list.All()
			if len(errs) != 1 || changes != nil {
				t.Fatalf("%d changes, errors %v, want one error: %s", len(changes), errs, c.want)
			}
			e := errs[0]
			if at := fmt.Sprintf("%d:%d", e.Pos.Line, e.Pos.Column); at != c.where || !strings.Contains(e.Message, c.want) {
				t.Errorf("got %v, want %s: …%s…", e, c.where, c.want)
			}
			if e.Found == "" || e.Expected == "" || e.Fix == "" || e.Limit != "" {
				t.Errorf("the error lacks something: %+v", e)
			}
			var value any
			if json.Unmarshal([]byte(c.text), &value) != nil {
				return
			}
			if err := validator.Validate(value); (err == nil) != c.free {
				t.Errorf("the schema says %v", err)
			}
		})
	}
}

func TestReadChangesKeysChanged(t *testing.T) {
	text := document(modified("a"), element("b", "modified", "100644", "100644", idA, idB, `, "keys_changed": []`),
		element("c", "modified", "100644", "100644", idA, idB, `, "keys_changed": ["scripts", "a.b"]`))
	changes, errs := ReadChanges(strings.NewReader(text), input.DefaultLimits())
	if errs.Any() {
		t.Fatal(errs.All())
	}
	if a, b, c := changes[0], changes[1], changes[2]; a.KeysKnown || !b.KeysKnown || len(b.KeysChanged) != 0 ||
		!slices.Equal(c.KeysChanged, []string{"scripts", "a.b"}) {
		t.Errorf("got %+v", changes)
	}
	if at := changes[2].Pos; at.Line != 4 || at.Column != 1 {
		t.Errorf("the third is at %v", at)
	}
}

func TestReadChangesListsAllErrors(t *testing.T) {
	text := "{\"x-a\": {\n \"b\": 1,\n \"b\": 2}, \"y\": 1,\n\"files\": [\n" +
		modified("b") + ",\n\n" + strings.Replace(modified("a"), "100644", "1", 2) + ", 1,\n{}]}\n"
	_, list := ReadChanges(strings.NewReader(text), input.DefaultLimits())
	var got []string
	for _, e := range list.All() {
		got = append(got, fmt.Sprintf("%d:%d%s", e.Pos.Line, e.Pos.Column, e.Where))
	}
	want := "1:1/schema 3:2b 3:11/y 7:10/files/1/path 7:49/files/1/old_mode 7:66/files/1/new_mode 7:180/files/2 " +
		"8:1/files/3/new_id 8:1/files/3/new_mode 8:1/files/3/old_id 8:1/files/3/old_mode 8:1/files/3/path 8:1/files/3/status"
	if strings.Join(got, " ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, " "), want)
	}
}

func TestReadChangesCountsErrors(t *testing.T) {
	keys := strings.Repeat(`, "a": 1`, input.MaxErrors+100)
	_, list := ReadChanges(strings.NewReader(document("{}", element("x", "modified", "100644", "100644", idA, idB, keys))), input.DefaultLimits())
	errs := list.All()
	last := errs[len(errs)-1]
	if len(errs) != input.MaxErrors+1 || last.Times == 0 || !last.Pos.IsZero() {
		t.Errorf("%d errors, the last is %+v", len(errs), last)
	}
}

func TestReadChangesLimits(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	note := func(value string) string {
		return element("x", "modified", "100644", "100644", idA, idB, `, "x-note": `+value)
	}
	two := document(modified("a"), modified("b"))
	cases := []struct {
		name, text, flag string
		limits           func(*input.Limits)
	}{
		{"size", two, input.FlagDiffBytes, func(l *input.Limits) { l.DiffBytes = int64(len(two)) - 1 }},
		{"size that is just right", two, "", func(l *input.Limits) { l.DiffBytes = int64(len(two)) }},
		{"size in blanks", two + strings.Repeat(" ", 300<<10), input.FlagDiffBytes, func(l *input.Limits) { l.DiffBytes = 100 << 10 }},
		{"size in a value", document(modified(strings.Repeat("a", 300<<10))), input.FlagDiffBytes, func(l *input.Limits) { l.DiffBytes = 100 << 10 }},
		{"value", document(modified(strings.Repeat("a", 300<<10))), input.FlagDiffLineBytes, func(l *input.Limits) { l.DiffLineBytes = 100 << 10 }},
		{"value, a little too long", document(modified("x")), input.FlagDiffLineBytes, func(l *input.Limits) { l.DiffLineBytes = int64(len(modified("x"))) - 1 }},
		{"value that is just right", document(modified("x")), "", func(l *input.Limits) { l.DiffLineBytes = int64(len(modified("x"))) }},
		{"blanks between values", document(strings.Repeat(" ", 300<<10)), input.FlagDiffLineBytes, func(l *input.Limits) { l.DiffLineBytes = 100 << 10 }},
		{"files", two, input.FlagFiles, func(l *input.Limits) { l.Files = 1 }},
		{"files that are just right", two, "", func(l *input.Limits) { l.Files = 2 }},
		{"depth", document(note(deep(98))), input.FlagDepth, func(*input.Limits) {}},
		{"depth that is just right", document(note(deep(97))), "", func(*input.Limits) {}},
		{"depth of a note", `{"x-a": ` + deep(100) + `, "schema": "closeout.changes/v1", "files": []}`, input.FlagDepth, func(*input.Limits) {}},
		{"depth of a note that is just right", `{"x-a": ` + deep(99) + `, "schema": "closeout.changes/v1", "files": []}`, "", func(*input.Limits) {}},
		{"depth of the list", two, input.FlagDepth, func(l *input.Limits) { l.Depth = 1 }},
		{"depth beyond the decoder's own", document(note(deep(100_000))), input.FlagDepth, func(*input.Limits) {}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			limits := input.DefaultLimits()
			c.limits(&limits)
			changes, list := ReadChanges(strings.NewReader(c.text), limits)
			errs := list.All()
			if c.flag == "" {
				if len(errs) > 0 {
					t.Fatal(errs)
				}
				return
			}
			if len(errs) != 1 || errs[0].Limit != c.flag || errs[0].Pos.IsZero() || changes != nil {
				t.Fatalf("%d changes, %+v, want %s", len(changes), errs, c.flag)
			}
			if c.flag == input.FlagDepth && !strings.HasSuffix(errs[0].Expected, fmt.Sprint(limits.Depth)) {
				t.Errorf("the limit is said to be %q", errs[0].Expected)
			}
		})
	}
}

func TestReadChangesUnreadable(t *testing.T) {
	whole := document(modified("a"))
	for _, text := range []string{"", whole[:20], whole[:60], whole} {
		r := io.MultiReader(strings.NewReader(text), iotest.ErrReader(errors.New("the disk is gone")))
		changes, list := ReadChanges(r, input.DefaultLimits())
		errs := list.All()
		if len(errs) != 1 || !strings.HasPrefix(errs[0].Message, "the input cannot be read: ") || changes != nil {
			t.Errorf("after %q: %d changes, %+v", text, len(changes), errs)
		}
	}
}

// FuzzReadChanges checks that places lie in the text, that the size of what comes from the reader at a time does not
// matter, and that what is accepted is sorted, agrees with itself and is valid by the schema.
func FuzzReadChanges(f *testing.F) {
	for _, c := range acceptedChanges {
		f.Add([]byte(c.text))
	}
	for _, c := range refusedChanges {
		f.Add([]byte(c.text))
	}
	validator, err := stricttest.Compile("changes")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		changes, list := ReadChanges(bytes.NewReader(text), input.DefaultLimits())
		errs := list.All()
		insideText(t, text, errs)
		slow, slowList := ReadChanges(iotest.OneByteReader(bytes.NewReader(text)), input.DefaultLimits())
		if describeChanges(slow) != describeChanges(changes) || places(slowList.All()) != places(errs) {
			t.Errorf("byte by byte: %s%v, at once: %s%v", describeChanges(slow), slowList.All(), describeChanges(changes), errs)
		}
		if len(errs) > 0 {
			return
		}
		for i, c := range changes {
			if disagreement(&c) != "" || i > 0 && changes[i-1].Path >= c.Path {
				t.Errorf("accepted: %+v", c)
			}
		}
		var value any
		if err := json.Unmarshal(text, &value); err != nil {
			t.Fatal(err)
		}
		if err := validator.Validate(value); err != nil {
			t.Errorf("the schema refuses what the parser accepts: %v", err)
		}
	})
}

// places lists the places of errors. The decoder's own words depend on how much it has read.
func places(errs []input.Error) string {
	var b strings.Builder
	for _, e := range errs {
		fmt.Fprintln(&b, e.Pos, e.Where)
	}
	return b.String()
}

func BenchmarkReadChanges(b *testing.B) {
	var list []string
	for i := range 20_000 {
		list = append(list, modified(fmt.Sprintf("dir/file%06d", i)))
	}
	text := document(list...)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, errs := ReadChanges(strings.NewReader(text), input.DefaultLimits()); errs.Any() {
			b.Fatal(errs.All())
		}
	}
}

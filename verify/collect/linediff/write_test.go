package linediff_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/closeout-gate/closeout/schema"
	"github.com/closeout-gate/closeout/verify/collect/linediff"
)

// written gives the document of some files.
func written(t testing.TB, files ...linediff.File) string {
	t.Helper()
	var b bytes.Buffer
	w := linediff.NewWriter(&b)
	for _, f := range files {
		if err := w.Add(f); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// valid holds a document against the schema.
func valid(t testing.TB, text string) error {
	t.Helper()
	s, err := schema.Compile("lines")
	if err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if _, err := dec.Token(); err != io.EOF {
		t.Fatalf("%s: something follows", text)
	}
	return s.Validate(v)
}

// compared is a file as a caller makes it.
func compared(path, before, after string) linediff.File {
	return linediff.File{
		Path: path, OldBytes: int64(len(before)), NewBytes: int64(len(after)),
		Result: linediff.Diff([]byte(before), []byte(after), linediff.Limits{Bytes: 30}),
	}
}

func TestWrite(t *testing.T) {
	created := compared("b <&>\u2028\"\n.go", "", "x\t\u2028<>\n\x1b[0m")
	created.OldBytes = linediff.Absent
	got := written(t,
		compared("a.go", "1\n2\n3\n", "1\nb\nc\n3"),
		created,
		compared("caf\xe9", "\xff\xfe\r\n", ""),
		compared("d", "\x00", "a"),
		compared("e", strings.Repeat("e", 31), ""),
		linediff.File{Path: "f", OldBytes: 4, NewBytes: linediff.Absent, Result: linediff.Result{State: linediff.NotAFile}},
		linediff.File{Path: "g", OldBytes: 4, NewBytes: linediff.Absent, Result: linediff.Result{State: linediff.Unknown, Reason: "lost"}},
	)
	want := `{"schema":"closeout.lines/v1","files":[
{"path":"a.go","state":"text","old_bytes":6,"new_bytes":7,"added":[{"line":2,"text":"b"},{"line":3,"text":"c"},{"line":4,"text":"3","no_newline":true}],"removed":[{"line":2,"text":"2"},{"line":3,"text":"3"}]},
{"path":"b <&>` + "\u2028" + `\"\n.go","state":"text","old_bytes":null,"new_bytes":12,"added":[{"line":1,"text":"x\t` + "\u2028" + `<>"},{"line":2,"text":"\u001b[0m","no_newline":true}],"removed":[]},
{"path":"\"caf\\351\"","path_base64":"Y2Fm6Q==","state":"text","old_bytes":4,"new_bytes":0,"added":[],"removed":[{"line":1,"text":"` + "\ufffd\ufffd" + `\r","text_base64":"//4N"}]},
{"path":"d","state":"binary","old_bytes":1,"new_bytes":1},
{"path":"e","state":"too_large","reason":"the file has 31 bytes, lines are compared up to 30","old_bytes":31,"new_bytes":0},
{"path":"f","state":"not_a_file","old_bytes":4,"new_bytes":null},
{"path":"g","state":"unknown","reason":"lost","old_bytes":4,"new_bytes":null}
]}
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if err := valid(t, got); err != nil {
		t.Error(err)
	}
}

func TestWriteNothing(t *testing.T) {
	got := written(t)
	if got != "{\"schema\":\"closeout.lines/v1\",\"files\":[\n]}\n" || valid(t, got) != nil {
		t.Errorf("%q", got)
	}
}

func TestRefused(t *testing.T) {
	text, lines := linediff.Result{State: linediff.Text}, []linediff.Line{{Number: 1}}
	for _, c := range []struct {
		name string
		file linediff.File
		want string // "" is accepted
	}{
		{"the next path", linediff.File{Path: "m\x01", Result: text}, ""},
		{"upper case comes first", linediff.File{Path: "Z", Result: text}, "lines of Z after those of m: files are sorted"},
		{"the same path", linediff.File{Path: "m", Result: text}, "lines of m after those of m: files are sorted"},
		{"no path", linediff.File{Result: text}, `a path is not empty`},
		{"a NUL in the path", linediff.File{Path: "n\x00", Result: text}, `the path "n\x00": a path is not empty`},
		{"no state", linediff.File{Path: "n\n"}, `lines of "n\n": there is no state ""`},
		{"unknown without a reason", linediff.File{Path: "n", Result: linediff.Result{State: linediff.Unknown}}, `a file that is too large or unknown has a reason`},
		{"too large without a reason", linediff.File{Path: "n", Result: linediff.Result{State: linediff.TooLarge}}, `a file that is too large or unknown has a reason`},
		{"text with a reason", linediff.File{Path: "n", Result: linediff.Result{State: linediff.Text, Reason: "x"}}, `a file that is too large or unknown has a reason`},
		{"a reason that cannot be written", linediff.File{Path: "n", Result: linediff.Result{State: linediff.TooLarge, Reason: "\xff"}}, "invalid UTF-8"},
		{"a negative size", linediff.File{Path: "n", OldBytes: -2, Result: text}, "sizes -2 and 0: a size is not negative"},
		{"another one", linediff.File{Path: "n", NewBytes: -2, Result: text}, "sizes 0 and -2: a size is not negative"},
		{"binary with added lines", linediff.File{Path: "n", Result: linediff.Result{State: linediff.Binary, Added: lines}}, "only a text has them"},
		{"no file with removed lines", linediff.File{Path: "n", Result: linediff.Result{State: linediff.NotAFile, Removed: lines}}, "only a text has them"},
	} {
		var b bytes.Buffer
		w := linediff.NewWriter(&b)
		if err := w.Add(linediff.File{Path: "m", Result: text}); err != nil {
			t.Fatal(err)
		}
		err := w.Add(c.file)
		if c.want == "" {
			if err != nil || w.Close() != nil || valid(t, b.String()) != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
		if later := w.Add(linediff.File{Path: "o", Result: text}); later != err {
			t.Errorf("%s: then %v", c.name, later)
		}
		if closed := w.Close(); closed != err || b.Len() > 0 {
			t.Errorf("%s: closed with %v, %q was written", c.name, closed, b.String())
		}
	}
}

// full is a disk on which there is room for so many bytes.
type full int

var errFull = errors.New("no space left")

func (f *full) Write(b []byte) (int, error) {
	if len(b) > int(*f) {
		return 0, errFull
	}
	*f -= full(len(b))
	return len(b), nil
}

// TestNoSpace holds that a document which could not be written whole does not end well, wherever it broke off.
func TestNoSpace(t *testing.T) {
	f := linediff.File{Path: "a", Result: linediff.Diff(nil, bytes.Repeat([]byte("0123456\n"), 50_000), linediff.Limits{})}
	size := len(written(t, f))
	for _, room := range []int{0, 1 << 16, size / 2, size - 1} {
		disk := full(room)
		w := linediff.NewWriter(&disk)
		added := w.Add(f)
		if closed := w.Close(); closed != errFull || added != nil && added != errFull {
			t.Errorf("room for %d: %v, %v", room, added, closed)
		}
	}
	if disk := full(size); func() error { w := linediff.NewWriter(&disk); return errors.Join(w.Add(f), w.Close()) }() != nil {
		t.Error("there was room for all")
	}
}

// document is lines.json as a reader sees it.
type document struct {
	Schema string
	Files  []struct {
		Path           string
		PathBase64     []byte `json:"path_base64"`
		State          string
		Added, Removed []struct {
			Line       int
			Text       string
			TextBase64 []byte `json:"text_base64"`
			NoNewline  bool   `json:"no_newline"`
		}
	}
}

// FuzzWrite holds that a reader gets back each path and each line, byte for byte.
func FuzzWrite(f *testing.F) {
	f.Add("a", "b\nc", "b\nd\n")
	f.Add("\xff", "\xed\xa0\x80\n\xf5", "\ufffd\n\u2029\ufeff")
	f.Add("\"\\", "\x01\x1f\x7f\n", "<script>\n&amp;")
	f.Fuzz(func(t *testing.T, path, before, after string) {
		if path == "" || strings.Contains(path, "\x00") {
			return
		}
		r := linediff.Diff([]byte(before), []byte(after), linediff.Limits{})
		out := written(t, linediff.File{Path: path, OldBytes: int64(len(before)), NewBytes: int64(len(after)), Result: r})
		if err := valid(t, out); err != nil {
			t.Fatalf("%s: %v", out, err)
		}
		var d document
		if err := json.Unmarshal([]byte(out), &d); err != nil || !utf8.ValidString(out) {
			t.Fatal(out, err)
		}
		got := d.Files[0]
		if raw := string(got.PathBase64); got.Path != path && raw != path || (raw == "") != utf8.ValidString(path) {
			t.Errorf("path %q became %q, %q", path, got.Path, raw)
		}
		back := linediff.Result{State: linediff.State(got.State)}
		for _, l := range got.Added {
			back.Added = append(back.Added, linediff.Line{Number: l.Line, Text: bytesOf(l.Text, l.TextBase64), NoNewline: l.NoNewline})
		}
		for _, l := range got.Removed {
			back.Removed = append(back.Removed, linediff.Line{Number: l.Line, Text: bytesOf(l.Text, l.TextBase64), NoNewline: l.NoNewline})
		}
		if back.State != r.State || text(back) != text(r) {
			t.Errorf("%s became %s", text(r), text(back))
		}
	})
}

func bytesOf(text string, raw []byte) []byte {
	if raw != nil {
		return raw
	}
	return []byte(text)
}

// TestSchemaRefuses holds that the schema itself lets nothing through that hides lines.
func TestSchemaRefuses(t *testing.T) {
	const text, line = `"path":"a","state":"text","old_bytes":0,"new_bytes":null,"added":[],"removed":[]`, `{"line":1,"text":"a"}`
	for _, c := range []struct {
		name, file string
		good       bool
	}{
		{"text", text, true},
		{"an extension", text + `,"x-mine":1`, true},
		{"an unknown key", text + `,"mine":1`, false},
		{"no removed lines", strings.Replace(text, `,"removed":[]`, "", 1), false},
		{"no added lines", strings.Replace(text, `"added":[],`, "", 1), false},
		{"binary with lines", strings.Replace(text, `"text"`, `"binary"`, 1), false},
		{"too large without a reason", `"path":"a","state":"too_large","old_bytes":0,"new_bytes":0`, false},
		{"unknown without a reason", `"path":"a","state":"unknown","old_bytes":0,"new_bytes":0`, false},
		{"text with a reason", text + `,"reason":"x"`, false},
		{"another state", `"path":"a","state":"skipped","old_bytes":0,"new_bytes":0`, false},
		{"no sizes", `"path":"a","state":"binary"`, false},
		{"a negative size", `"path":"a","state":"binary","old_bytes":-1,"new_bytes":0`, false},
		{"an empty path", `"path":"","state":"binary","old_bytes":0,"new_bytes":0`, false},
		{"a line", strings.Replace(text, `[]`, "["+line+"]", 1), true},
		{"a line with a newline", strings.Replace(text, `[]`, `[{"line":1,"text":"a\n"}]`, 1), false},
		{"line 0", strings.Replace(text, `[]`, `[{"line":0,"text":"a"}]`, 1), false},
		{"no_newline: false", strings.Replace(text, `[]`, `[{"line":1,"text":"a","no_newline":false}]`, 1), false},
		{"base64 without padding", strings.Replace(text, `[]`, `[{"line":1,"text":"a","text_base64":"_w"}]`, 1), false},
	} {
		if err := valid(t, `{"schema":"closeout.lines/v1","files":[{`+c.file+`}]}`); (err == nil) != c.good {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if valid(t, `{"schema":"closeout.lines/v2","files":[]}`) == nil || valid(t, `{"schema":"closeout.lines/v1"}`) == nil {
		t.Error("another document is accepted")
	}
}

// BenchmarkWrite writes a million lines.
func BenchmarkWrite(b *testing.B) {
	f := linediff.File{Path: "a", Result: linediff.Diff(nil, program(1_000_000), linediff.Limits{})}
	b.ReportAllocs()
	for b.Loop() {
		w := linediff.NewWriter(io.Discard)
		if err := errors.Join(w.Add(f), w.Close()); err != nil {
			b.Fatal(err)
		}
	}
}

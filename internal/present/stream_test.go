package present

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/closeout-gate/closeout/internal/testkit/pagetest"
)

func TestWriter(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"text stays", "closeout: a plain line\n\tat x.go:12 → fix…\n", "closeout: a plain line\n\tat x.go:12 → fix…\n"},
		{"other scripts stay", "Прюфунг 検査 é 😀\n", "Прюфунг 検査 é 😀\n"},
		{"colons inside stay", "a::b\nstd::vector ::x\n", "a::b\nstd::vector ::x\n"},
		{"hashes stay", "## [x] #[y] ###\n[z]\n", "## [x] #[y] ###\n[z]\n"},
		{"a command", "::set-output name=a::b\n", "\\::set-output name=a::b\n"},
		{"a command in a later line", "a\n::error::b\n", "a\n\\::error::b\n"},
		{"a command after white space", "a\n \t ::error::b", "a\n \t \\::error::b"},
		{"a command after a carriage return", "a\r::error::b\r\n::x", "a\\r::error::b\\r\n\\::x"},
		{"after separators that a runner may trim or split at", "\u0085::a\n\u2028::b\n\u00a0::c\v::d\f::e", "\\u0085::a\n\\u2028::b\n\\u00a0::c\\x0b::d\\x0c::e"},
		{"around invisible characters", "\u200b::a\n:\u200b:b\n#\ufeff#[c", "\\u200b::a\n\\:\\u200b:b\n#\\ufeff#[c"},
		{"a legacy command", "a ##[group]b ###[c ##[d", "a ##\\[group]b ###\\[c ##\\[d"},
		{"ANSI and control characters", "\x1b[31mred\x07\x00\x7f\u009b", "\\x1b[31mred\\x07\\x00\\x7f\\u009b"},
		{"bidi", "a\u202eb\u2066", "a\\u202eb\\u2066"},
		{"invalid UTF-8", "\xff a\xe2\x82 b\xf0\x9f", "\\xff a\\xe2\\x82 b\\xf0\\x9f"},
	} {
		for name, read := range map[string]func(w *Writer){
			"whole": func(w *Writer) { w.Write([]byte(c.in)) },
			"bytes": func(w *Writer) {
				for i := range len(c.in) {
					w.Write([]byte{c.in[i]})
				}
			},
		} {
			var out bytes.Buffer
			w := NewWriter(&out)
			read(w)
			if err := w.Flush(); err != nil || out.String() != c.want {
				t.Errorf("%s, %s: %q, %v; want %q", c.name, name, out.String(), err, c.want)
			}
		}
	}
}

func TestWriterErrors(t *testing.T) {
	broken := NewWriter(failing{})
	if n, err := NewWriter(failing{}).Write([]byte("a")); n != 0 || err == nil {
		t.Errorf("%d %v", n, err)
	}
	if n, err := broken.Write([]byte("\xe2")); n != 1 || err != nil {
		t.Errorf("a part of a character: %d %v", n, err)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("broken") }

func FuzzWriter(f *testing.F) {
	for _, s := range pagetest.Hostile {
		f.Add(s, 3)
	}
	f.Fuzz(func(t *testing.T, s string, at int) {
		at = max(0, min(at, len(s)))
		var whole, parts bytes.Buffer
		w := NewWriter(&whole)
		w.Write([]byte(s))
		w.Flush()
		w = NewWriter(&parts)
		w.Write([]byte(s[:at]))
		w.Write([]byte(s[at:]))
		w.Flush()
		if whole.String() != parts.String() {
			t.Errorf("%q in one call, %q in two", whole.String(), parts.String())
		}
		for line := range strings.Lines(whole.String()) {
			checkLine(t, line)
			for _, r := range line {
				if !strings.ContainsRune(" \n\t", r) && (unicode.IsControl(r) || unicode.IsSpace(r) || unicode.Is(unicode.Cf, r)) {
					t.Errorf("%q contains %U", line, r)
				}
			}
		}
		if printable := strings.IndexFunc(s, func(r rune) bool { return r == utf8.RuneError || r < ' ' || r > '~' }) < 0; printable &&
			!strings.Contains(s, "[") && !strings.Contains(s, ":") && whole.String() != s {
			t.Errorf("%q became %q", s, whole.String())
		}
	})
}

func TestJSONWriter(t *testing.T) {
	text := `{"a":["##[group]","###[x","# #[","##","["],"##[b":[[]]}`
	want := `{"a":["##\u005bgroup]","###\u005bx","# #[","##","["],"##\u005bb":[[]]}`
	for size := 1; size <= len(text); size++ {
		var out bytes.Buffer
		w := NewJSONWriter(&out)
		for rest := text; rest != ""; rest = rest[min(size, len(rest)):] {
			if _, err := w.Write([]byte(rest[:min(size, len(rest))])); err != nil {
				t.Fatal(err)
			}
		}
		var a, b any
		if out.String() != want || json.Unmarshal(out.Bytes(), &a) != nil || json.Unmarshal([]byte(text), &b) != nil || !equalJSON(a, b) {
			t.Errorf("in parts of %d: %s", size, out.String())
		}
	}
}

func equalJSON(a, b any) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

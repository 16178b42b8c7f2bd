package present

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/closeout-gate/closeout/internal/testkit/pagetest"
)

func TestNeutral(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain text stays", "a plain line: ok", "a plain line: ok"},
		{"other scripts stay", "Прюфунг 検査 é", "Прюфунг 検査 é"},
		{"a backslash stays", `a\b`, `a\b`},
		{"a percent sign stays", "100%0A", "100%0A"},
		{"newline", "a\nb", `a\nb`},
		{"carriage return and tab", "a\r\tb", `a\r\tb`},
		{"ANSI", "\x1b[31mred", `\x1b[31mred`},
		{"delete and C1", "\x7f\u0085\u009b", `\x7f\u0085\u009b`},
		{"bidi", "a\u202eb\u2066c", `a\u202eb\u2066c`},
		{"zero width", "a\u200bb\ufeff", `a\u200bb\ufeff`},
		{"spaces that are not a space", "a\u00a0b\u3000c\u2028", `a\u00a0b\u3000c\u2028`},
		{"blanks that count as letters", "a\u115f\u3164\u2800\ufe0f", `a\u115f\u3164\u2800\ufe0f`},
		{"tag characters", "a\U000e0041", `a\U000e0041`},
		{"private use", "\ue000", `\ue000`},
		{"invalid UTF-8", "a\xff\xfe", `a\xff\xfe`},
		{"the replacement character itself", "a\ufffd", "a\ufffd"},
		{"a command", "::set-output name=x::y", `\::set-output name=x::y`},
		{"a command after spaces", "  ::error::y", `  \::error::y`},
		{"a colon at the start may get company", ":a", `\:a`},
		{"colons inside", "std::vector::at", "std::vector::at"},
		{"a legacy command", "a ##[set-env name=X]1", `a ##\[set-env name=X]1`},
		{"a legacy command around a zero-width", "#\u200b#[", `#\u200b#[`},
		{"more hashes", "###[x", `###\[x`},
		{"hash and bracket apart", "## [x] #[y]", "## [x] #[y]"},
		{"empty", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Neutral(c.in); got != c.want {
				t.Errorf("Neutral(%q) = %q, want %q", c.in, got, c.want)
			}
		})
	}
}

func FuzzNeutral(f *testing.F) {
	for _, s := range pagetest.Hostile {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Neutral(s)
		if Neutral(got) != got {
			t.Errorf("not idempotent: %q then %q", got, Neutral(got))
		}
		checkLine(t, got)
		for _, r := range got {
			if r != ' ' && (unicode.IsControl(r) || unicode.IsSpace(r) || unicode.Is(unicode.Cf, r)) {
				t.Errorf("%q contains %U", got, r)
			}
		}
	})
}

// checkLine fails when a line could be taken for a workflow command or is not text.
func checkLine(t *testing.T, s string) {
	t.Helper()
	if !utf8.ValidString(s) {
		t.Errorf("%q is not UTF-8", s)
	}
	if cs := pagetest.Commands(s); len(cs) > 0 {
		t.Errorf("%q contains commands: %v", s, cs)
	}
	if strings.HasPrefix(strings.TrimSpace(s), "::") || strings.Contains(s, "##[") {
		t.Errorf("%q looks like a command", s)
	}
}

func TestClip(t *testing.T) {
	for _, c := range []struct {
		in    string
		limit int
		want  string
	}{
		{"abc", 3, "abc"},
		{"abcd", 3, "abc… (1 more bytes)"},
		{"aéé", 4, "aé… (2 more bytes)"},
		{"\xa9\xa9\xa9", 2, "… (3 more bytes)"},
	} {
		if got := clip(c.in, c.limit); got != c.want {
			t.Errorf("clip(%q, %d) = %q, want %q", c.in, c.limit, got, c.want)
		}
	}
}

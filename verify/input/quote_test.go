package input

import (
	"testing"
)

func TestQuotePath(t *testing.T) {
	for path, want := range map[string]string{
		"a/b c":        "a/b c",
		"ä/日本":         "ä/日本",
		"tab\t":        `"tab\t"`,
		"ä\n":          `"\303\244\n"`,
		`q"`:           `"q\""`,
		`b\`:           `"b\\"`,
		"\xff":         `"\377"`,
		"\x01\x7f\x1b": `"\001\177\033"`,
		"zero\u200b":   `"zero\342\200\213"`,
		"bidi\u202e":   `"bidi\342\200\256"`,
		"":             "",
		"\a\b\v\f\r":   `"\a\b\v\f\r"`,
	} {
		if got := QuotePath(path); got != want {
			t.Errorf("QuotePath(%q) = %s, want %s", path, got, want)
		}
	}
}

func TestPlural(t *testing.T) {
	for want, noun := range map[string]string{
		"1 entry": "entry", "2 entries": "entry", "2 broken copies": "broken copy", "2 days": "day", "0 files": "file", "3 acceptance criteria": "acceptance criterion", "2 as": "a",
	} {
		n := int64(want[0] - '0')
		if got := Plural(n, noun); got != want {
			t.Errorf("%d of %s: %s", n, noun, got)
		}
	}
}

func TestCutTo(t *testing.T) {
	for text, want := range map[string]string{"abc": "abc", "abcd": "abc…", "abé": "ab…", "\x80\x80\x80\x80": "…"} {
		if got := CutTo(text, 3); got != want {
			t.Errorf("CutTo(%q, 3) is %q, want %q", text, got, want)
		}
	}
}

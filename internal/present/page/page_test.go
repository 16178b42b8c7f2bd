package page

import (
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/testkit/pagetest"
)

// TestStylesheet: the style sheet loads nothing, and cannot end its element.
func TestStylesheet(t *testing.T) {
	for _, word := range []string{"@import", "url(http", "url(//", "url(data", "expression(", "</"} {
		if strings.Contains(stylesheet, word) {
			t.Errorf("the style sheet contains %q", word)
		}
	}
}

func TestCheckLinkBase(t *testing.T) {
	for base, want := range map[string]bool{
		"": true, "https://github.com/acme/shop": true, "https://ghe.acme.example:8443/a/b.c": true,
		"http://github.com/acme/shop": false, "https://github.com/acme": false, "https://github.com/acme/shop/": false, "https://github.com/acme/shop/pull": false,
		"javascript:alert(1)": false, "https://github.com/acme/..": false, "https://x@evil.example/a/b": false, "https://github.com/a\"/b": false,
		"https://github.com/a?b/c": false, "https:///a/b": false, "https://github.com/a#b/c": false, "github.com/a/b": false,
	} {
		if err := CheckLinkBase(base); (err == nil) != want {
			t.Errorf("%q: %v", base, err)
		}
	}
}

// TestForgeLinks: links are made from numbers and hexadecimal ids alone, and only when an address was given.
func TestForgeLinks(t *testing.T) {
	id := pagetest.Digest("x")[:40]
	for _, c := range []struct {
		base, text, kind, want string
	}{
		{pagetest.LinkBase, "12", "pull", pagetest.LinkBase + "/pull/12"}, {"", "12", "pull", ""}, {pagetest.LinkBase, "12/../x", "pull", ""}, {pagetest.LinkBase, "", "pull", ""}, {pagetest.LinkBase, "-1", "pull", ""},
		{pagetest.LinkBase, strings.Repeat("1", 19), "pull", ""},
		{pagetest.LinkBase, id, "commit", pagetest.LinkBase + "/commit/" + id}, {"", id, "commit", ""}, {pagetest.LinkBase, id[:39], "commit", ""}, {pagetest.LinkBase, strings.ToUpper(id), "commit", ""},
		{pagetest.LinkBase, id[:39] + "\"", "commit", ""}, {pagetest.LinkBase, pagetest.Digest("y"), "commit", pagetest.LinkBase + "/commit/" + pagetest.Digest("y")},
	} {
		part := Forge(c.base).Pull(c.text)
		if c.kind == "commit" {
			part = Forge(c.base).Commit(c.text)
		}
		var b strings.Builder
		if err := part.Render(&b); err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, n := range pagetest.Elements(pagetest.Parse(t, b.String())) {
			got += pagetest.AttributeOf(n, "href")
		}
		if got != c.want {
			t.Errorf("%q with %q: link %q, want %q", c.text, c.base, got, c.want)
		}
	}
}

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"plain": "plain", "a\nb": "a⟨U+000A⟩b", "\u202egnp.exe": "⟨U+202E⟩gnp.exe", "zero\u200bwidth": "zero⟨U+200B⟩width", "\U000e0041": "⟨U+E0041⟩", "\xff": "⟨0xFF⟩",
		"\x00\x1b": "⟨U+0000⟩⟨U+001B⟩", "\ufeff": "⟨U+FEFF⟩", "日本 é": "日本 é", "\u3164": "⟨U+3164⟩",
	} {
		if got := Visible(in); got != want {
			t.Errorf("%q is shown as %q, want %q", in, got, want)
		}
	}
	if got := Limited(strings.Repeat("é", fieldCharacters+3)); got != strings.Repeat("é", fieldCharacters)+"… (3 more characters)" {
		t.Errorf("a long text ends with %q", got[len(got)-40:])
	}
	if got := Limited(strings.Repeat("é", fieldCharacters)); strings.Contains(got, "more") {
		t.Error("a text of the maximum length is cut")
	}
}

package present

import (
	"strings"
	"testing"
)

func TestWrap(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"short", "a b c\n", "a b c\n"},
		{"nothing", "", ""},
		{"no newline", "a b", "a b"},
		{"exactly as wide", strings.Repeat("x", 18) + " y\n", strings.Repeat("x", 18) + " y\n"},
		{"finding", "src/a.go: block scope.off_scope: outside\n", "src/a.go: block\n    scope.off_scope:\n    outside\n"},
		{"long word", "see https://example.com/very/long and more words\n", "see\n    https://example.com/very/long\n    and more words\n"},
		{"only a long word", strings.Repeat("x", 50) + "\n", strings.Repeat("x", 50) + "\n"},
		{"item", "  - fix the findings and run\n", "  - fix the findings\n    and run\n"},
		{"numbered item", "10. fix the findings and run\n", "10. fix the findings\n    and run\n"},
		{"row of a table", "  ok   unit  go test ./... -run X\n", "  ok   unit  go test\n             ./...\n             -run X\n"},
		{"row of a table with wide columns", "  failed   unit  go test -run X\n", "  failed   unit  go\n           test -run\n           X\n"},
		{"indented", "   the words of a paragraph\n", "   the words of a\n     paragraph\n"},
		{"command", "  closeout verify --base origin/main\n", "  closeout verify --base origin/main\n"},
		{"command after a prompt", "    $ git fetch --unshallow --all\n", "    $ git fetch --unshallow --all\n"},
		{"path with that name", "closeout verify is a file with blanks\n", "closeout verify is a\n    file with blanks\n"},
		{"colours have no width", "\x1b[1;31mfailed\x1b[0m: 6 block, 3 warn\n", "\x1b[1;31mfailed\x1b[0m: 6 block, 3\n    warn\n"},
		{"colon is no start", "words that end here ::error::x\n", "words that end\n    here ::error::x\n"},
		{"wide characters", "検査は失敗した 検査は失敗した\n", "検査は失敗した\n    検査は失敗した\n"},
		{"marks have no width", strings.Repeat("e\u0301", 18) + " y\n", strings.Repeat("e\u0301", 18) + " y\n"},
		{"several lines", "a\n\nb\n", "a\n\nb\n"},
	} {
		if got := Wrap(c.text, 20); got != c.want {
			t.Errorf("%s:\n%q, want\n%q", c.name, got, c.want)
		}
	}
}

const markdown = `# A heading that is wider than the page

The first paragraph
is short. The second line goes on.

- an item that goes
  on
- another
1. one

| a | table that is wider than the page |

    code that is wider than the page

` + "```\nfenced code that is wider than the page\n# no heading\n```\nend\n"

func TestPage(t *testing.T) {
	if got := Page(markdown, 0, false); got != markdown {
		t.Errorf("not on a terminal: %q", got)
	}
	wide := strings.NewReplacer("paragraph\nis", "paragraph is", "goes\n  on", "goes on").Replace(markdown)
	if got := Page(markdown, 200, false); got != wide {
		t.Errorf("wide: %s", got)
	}
	narrow := strings.NewReplacer("second line goes", "second\nline goes").Replace(markdown)
	if got := Page(markdown, 20, false); got != narrow {
		t.Errorf("narrow:\n%s\nwant\n%s", got, narrow)
	}
	colored := strings.Replace(markdown, "# A heading that is wider than the page", "\x1b[1m# A heading that is wider than the page\x1b[0m", 1)
	if got := Page(markdown, 0, true); got != colored {
		t.Errorf("coloured: %q", got)
	}
}

// FuzzWrap wants a neutral text to stay one, with the same words, on lines that fit as long as they have spaces.
func FuzzWrap(f *testing.F) {
	f.Add("src/a.go: block ::error::x ##[group] \x1b[1;31mred\x1b[0m", 40)
	f.Add("  - an item :: with :colons : and\ttabs\n  a  b  c", 3)
	f.Fuzz(func(t *testing.T, text string, width int) {
		var b strings.Builder
		w := NewWriter(&b)
		if _, err := w.Write([]byte(text)); err != nil || w.Flush() != nil {
			t.Fatal(err)
		}
		neutral := b.String()
		width = 1 + (width%200+200)%200
		got := Wrap(neutral, width)
		if strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(neutral), " ") {
			t.Errorf("other words: %q, %q", neutral, got)
		}
		b.Reset()
		if _, err := w.Write([]byte(got)); err != nil || b.String() != got {
			t.Errorf("not neutral: %q", got)
		}
		if strings.Count(got, "\n") < strings.Count(neutral, "\n") {
			t.Errorf("lines were joined: %q, %q", neutral, got)
		}
	})
}

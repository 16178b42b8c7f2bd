package contract

import (
	"slices"
	"strings"
	"testing"
)

func TestSplitCommand(t *testing.T) {
	cases := []struct {
		command string
		want    []string
	}{
		{"pytest -x test_app.py::test_signup_rejects_short_password", []string{"pytest", "-x", "test_app.py::test_signup_rejects_short_password"}},
		{" \tgo  test\t./... ", []string{"go", "test", "./..."}},
		{`pytest t.py::test_x[param] -k a?b`, []string{"pytest", "t.py::test_x[param]", "-k", "a?b"}},
		{`make a#b x=1 a! a{b,c} a^b`, []string{"make", "a#b", "x=1", "a!", "a{b,c}", "a^b"}},
		{`go test -run 'Test A|B$' .`, []string{"go", "test", "-run", "Test A|B$", "."}},
		{`a 'b"c\d*~` + "\n`" + `'`, []string{"a", "b\"c\\d*~\n`"}},
		{`a "b 'c' *~|?"`, []string{"a", "b 'c' *~|?"}},
		{"a \"b\nc\"", []string{"a", "b\nc"}},
		{`a "\\ \" \$ ` + "\\`" + ` \x"`, []string{"a", "\\ \" $ ` \\x"}},
		{`a \* \~ \$x \| \? \[ \# \\ \"`, []string{"a", "*", "~", "$x", "|", "?", "[", "#", "\\", "\""}},
		{`a b\ c "d"'e'f ""#g`, []string{"a", "b c", "def", "#g"}},
		{`a "" '' b`, []string{"a", "", "", "b"}},
		{"a \u00a0\r b", []string{"a", "\u00a0\r", "b"}},
		{`'my program' "?"`, []string{"my program", "?"}},
	}
	for _, c := range cases {
		got, err := SplitCommand(c.command)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("SplitCommand(%q) = %q, %v; want %q", c.command, got, err, c.want)
		}
	}
}

func TestSplitCommandRefuses(t *testing.T) {
	cases := []struct{ command, message, fix string }{
		{"go test ./... | tail", `an unquoted "|" needs a shell`, `write ["bash", "-c", "go test ./... | tail"]`},
		{"a &", `an unquoted "&"`, "bash"},
		{"a; b", `an unquoted ";"`, "bash"},
		{"a < b", `an unquoted "<"`, "bash"},
		{"a 2>&1", `an unquoted ">"`, "bash"},
		{"(a)", `an unquoted "("`, "bash"},
		{"a)", `an unquoted ")"`, "bash"},
		{"a $HOME", `an unquoted "$"`, "bash"},
		{"a `b`", "an unquoted \"`\"", "bash"},
		{"a *.go", `an unquoted "*"`, "bash"},
		{"a b*", `an unquoted "*"`, "bash"},
		{"a ~/x", `an unquoted "~"`, "bash"},
		{"a\nb", `an unquoted "\n"`, `["bash", "-c", "a\nb"]`},
		{"a ?", `"?" at the start of a word`, "bash"},
		{"[ -f x ]", `"[" at the start of a word`, "bash"},
		{"{ a", `"{" at the start of a word`, "bash"},
		{"! a", `"!" at the start of a word`, "bash"},
		{"a #b", `"#" at the start of a word`, "bash"},
		{`a "$x"`, `"$" in double quotes`, `["bash", "-c", "a \"$x\""]`},
		{"a \"`x`\"", "\"`\" in double quotes", "bash"},
		{"a \\\nb", "a backslash before a newline", "bash"},
		{"a \"x\\\ny\"", "a backslash before a newline", "bash"},
		{"a 'b", "a single quote is not closed", "close the quote"},
		{`a "b`, "a double quote is not closed", "close the quote"},
		{`a "b\`, "a double quote is not closed", "close the quote"},
		{`a b\`, "the backslash at the end", "two backslashes"},
		{"", "no program name", "write the program first"},
		{" \t", "no program name", "write the program first"},
		{`"" a`, "no program name", "write the program first"},
		{"a\xff | b", "an unquoted", "[\"bash\", \"-c\", \"a\ufffd | b\"]"},
	}
	for _, c := range cases {
		argv, err := SplitCommand(c.command)
		switch {
		case err == nil:
			t.Errorf("SplitCommand(%q) = %q, want an error", c.command, argv)
		case argv != nil:
			t.Errorf("SplitCommand(%q) gives words %q and an error", c.command, argv)
		case !strings.Contains(err.Message, c.message) || !strings.Contains(err.Fix, c.fix):
			t.Errorf("SplitCommand(%q): %q, fix %q; want %q, fix %q", c.command, err.Message, err.Fix, c.message, c.fix)
		}
	}
}

func FuzzSplitCommand(f *testing.F) {
	for _, s := range []string{"", "go test ./...", `a 'b c' "d\"e" f\ g ""`, "a | b", `a "$x"`, "a\\", "é \xff '\n'"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		argv, err := SplitCommand(s)
		if err != nil {
			if argv != nil || err.Message == "" || err.Fix == "" {
				t.Fatalf("%q gives %q and the error %+v", s, argv, err)
			}
			return
		}
		again, err := SplitCommand(quoteWords(argv))
		if err != nil || !slices.Equal(again, argv) {
			t.Fatalf("%q splits into %q, quoted back into %q, %v", s, argv, again, err)
		}
	})
}

// quoteWords writes argv so that a POSIX shell reads it back.
func quoteWords(argv []string) string {
	var words []string
	for _, word := range argv {
		words = append(words, "'"+strings.ReplaceAll(word, "'", `'\''`)+"'")
	}
	return strings.Join(words, " ")
}

func TestNormalCwd(t *testing.T) {
	for _, c := range []struct {
		cwd, want string
		ok        bool
	}{
		{"", ".", true}, {".", ".", true}, {"./", ".", true}, {"././.", ".", true},
		{"web", "web", true}, {"./web/", "web", true}, {"web//app/.", "web/app", true},
		{"..web", "..web", true}, {"...", "...", true}, {`..\web`, `..\web`, true}, {`C:\web`, `C:\web`, true}, {" ", " ", true},
		{"/", "", false}, {"/web", "", false}, {"//web", "", false},
		{"..", "", false}, {"../web", "", false}, {"web/..", "", false}, {"web/../web", "", false}, {"./..", "", false},
	} {
		if got, ok := NormalCwd(c.cwd); got != c.want || ok != c.ok {
			t.Errorf("NormalCwd(%q) = %q, %v; want %q, %v", c.cwd, got, ok, c.want, c.ok)
		}
	}
}

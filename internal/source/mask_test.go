package source

import (
	"bytes"
	"strings"
	"testing"
)

// TestMask shows what is code and what is a comment; · is a blank that the mask made.
func TestMask(t *testing.T) {
	for _, c := range []struct{ name, text, code, comments string }{
		{"a.go", "x := \"a//b\\\"\" // c\n", "x := \"······\" ····\n", "// c"},
		{"a.go", "`a\n\"` + '\"' /* b */ 1", "`·\n·` + '·' ······· 1", "/* b */"},
		{"a.py", "f\"a{x!r:>{w}}b\" # c", "f\"·{x!r:·{w}}·\" ···", "# c"},
		{"a.py", "rb'''a\n'b\"''' + '\\'#'", "rb'''·\n···''' + '···'", ""},
		{"a.py", "f'{d[\"a\"]:%H}{{}}' + f\"{\", \".join(x)}\"", "f'{d[\"·\"]:··}····' + f\"{\"··\".join(x)}\"", ""},
		{"a.js", "a = `b${`c${d}`}e` / 2 / f", "a = `··{`··{d}`}·` / 2 / f", ""},
		{"a.js", "if (a) /b\"[/]/.test(c) // d", "if (a) /·····/.test(c) ····", "// d"},
		{"a.js", "for(;a++<b;)c>d;return!/e\"/.test(f)", "for(;a++<b;)c>d;return!/··/.test(f)", ""},
		{"a.jsx", "return <p a=\"b'\">Don't {c /* d */}</p> // e", "return <p a=\"··\">······{c ·······}</p> ····", "/* d */"},
		{"a.ts", "const a = <T>(b: T) => b / 1 / 2; 'c'", "const a = <T>(b: T) => b / 1 / 2; '·'", ""},
		{"a.tsx", "const a = <T,>(b: T) => 'c'; f(<A b={<B/>}>d</A>, 'e')", "const a = <T,>(b: T) => '·'; f(<A b={<B/>}>·</A>, '·')", ""},
		{"a.rs", "/* a /* b */ c */ fn f<'a>(x: &'a str) { r#\"d\"e\"#; b'\\''; '\"' }", "················· fn f<'a>(x: &'a str) { r#\"···\"#; b'··'; '·' }", "/* a /* b */ c */"},
		{"a.java", "\"\"\"\n a \"b\" \\\"\"\" c\"\"\" + '\"'", "\"\"\"\n·············\"\"\" + '·'", ""},
		{"a.kt", "\"a ${b(\"c\")} d\" + \"\"\"e\\\"\"\"\"", "\"···{b(\"·\")}··\" + \"\"\"···\"\"\"", ""},
		{"a.cs", "@\"a\\\" + \"b\\\"\" + $@\"\"\"{x[\"c\"]:N2}\"", "@\"··\" + \"···\" + $@\"··{x[\"·\"]:··}\"", ""},
		{"a.cs", "$$\"\"\"a{b}{{c}}\"\"\" // d\n#region Don't\nx", "$$\"\"\"·····{c}·\"\"\" ····\n#region Don't\nx", "// d"},
		{"a.rb", "a = b / c # d\nputs <<~E, 1\n  don't #{x}\nE\nf /g'/\n", "a = b / c ···\nputs <<~E, 1\n············\n·\nf /··/\n", "# d"},
		{"a.rb", "%w[a [b] '] + x % y\n=begin\n'\n=end\n$' + ?\" + \"#{\"a\"}\"", "%w[·······] + x % y\n······\n·\n····\n$' + ?· + \"·{\"·\"}\"", "=begin\n'\n=end"},
		{"a.rb", "f(:`) + 'c' + A::`d` + :\"e\"", "f(:`) + '·' + A::`·` + :\"·\"", ""},
		{"a.yml", "a: \"b # c\" # d\n# e\nf: x#y don't # g", "a: \"b # c\" ···\n···\nf: x#y don't ···", "# d"},
	} {
		f := Parse(c.name, []byte(c.text))
		if want := strings.ReplaceAll(c.code, "·", " "); string(f.Code) != want {
			t.Errorf("%s: %s\ngot  %q\nwant %q", c.name, c.text, f.Code, want)
		}
		comments := commentsOf(f)
		if !bytes.Contains(comments, []byte(c.comments)) || c.comments == "" && len(bytes.TrimSpace(comments)) > 0 {
			t.Errorf("%s: %s\ncomments %q", c.name, c.text, comments)
		}
	}
}

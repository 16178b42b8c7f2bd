package keydiff

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestTOMLKeysChanged(t *testing.T) {
	const base = `# about
[project]
name = "p"
version = "1"
dependencies = ["a", "b"]

[tool.pytest.ini_options]
addopts = "-q"

[tool.poetry.group.dev.dependencies]
c = "1"
`
	for _, c := range []struct {
		name, before, after string
		want                string // keys with a blank between them
	}{
		{"nothing", base, base, ""},
		{"comments and blanks", base, "\n" + strings.ReplaceAll(base, " = ", "=\t") + "# end\n", ""},
		{"windows lines", base, strings.ReplaceAll(base, "\n", "\r\n"), ""},
		{"windows lines in a text", "a = \"\"\"x\ny\"\"\"\nb = 1\n", "a = \"\"\"x\r\ny\"\"\"\r\nb = 1\r\n", ""},
		{"the same moment", "a = 2026-01-01 00:00:00Z", "a = 2026-01-01T00:00:00+00:00", ""},
		{"order in tables of an array", "a = [{b = 1, c = 2}]", "a = [{c = 2, b = 1}]", ""},
		{"order", "a = 1\nb = 2\n[c]\nd = 1\n[e]\nf = 1\n", "b = 2\na = 1\n[e]\nf = 1\n[c]\nd = 1\n", ""},
		{"other quotes", `a = "x\u0041"` + "\n\"b\" = '1'", "a = 'xA'\nb = \"1\"", ""},
		{"a table inline", "[a.b]\nc = 1\n[a.d]\n", "a = {b = {c = 1}, d = {}}", ""},
		{"a dotted key", "[a.b]\nc = 1\n", "a.b.c = 1\n", ""},
		{"a quoted dotted key", "[tool.\"pytest\"]\nx = 1\n", "'tool'.pytest.x = 1\n", ""},
		{"tables of an array inline", "[[a]]\nb = 1\n[[a]]\n", "a = [{b = 1}, {}]", ""},
		{"a version", base, strings.Replace(base, `version = "1"`, `version = "2"`, 1), "project.version"},
		{"a dependency", base, strings.Replace(base, `"a", `, "", 1), "project.dependencies"},
		{"the order of dependencies", base, strings.Replace(base, `"a", "b"`, `"b", "a"`, 1), "project.dependencies"},
		{"an option of pytest", base, strings.Replace(base, "-q", "-q -x", 1), "tool.pytest.ini_options"},
		{"a dependency of a group", base, strings.Replace(base, `c = "1"`, `c = "2"`, 1), "tool.poetry.group"},
		{"a table that was not there", base, base + "[tool.ruff]\nline-length = 1\n", "tool.ruff.line-length"},
		{"a table without keys", base, base + "[tool.ruff]\n", "tool.ruff"},
		{"a table that is gone", base, base[:strings.Index(base, "[tool.pytest")], "tool.poetry.group tool.pytest.ini_options"},
		{"a table that became a text", "[project]\nversion = '1'\n", "project = 'x'\n", "project"},
		{"a text that became a table", "project = 'x'\n", "[project]\nversion = '1'\n", "project"},
		{"an array that became a table", "[[a]]\nb = 1\n", "[a]\nb = 1\n", "a"},
		{"an integer that became a float", "a = 1\n", "a = 1.0\n", "a"},
		{"a date", "a = 2026-01-01\nb = 2026-01-01T00:00:00Z\nc = 10:00:00\n", "a = 2026-01-02\nb = 2026-01-01T00:00:00Z\nc = 10:00:01\n", "a c"},
		{"a date that became a text", "a = 2026-01-01\n", "a = '2026-01-01'\n", "a"},
		{"infinity", "a = inf\nb = -inf\n", "a = -inf\nb = -inf\n", "a"},
		{"a key with a dot is one", "", "\"project.version\" = 1\n[project]\n\"version\" = 1\n", `"project.version" project.version`},
		{"a key with a dot below", "", "[tool.\"poetry.group\"]\nx = 1\n", `tool."poetry.group".x`},
		{"another case", "[tool.Poetry.Group]\nx = 1\n", "[tool.Poetry.Group]\nx = 2\n", "tool.Poetry.Group"},
		{"odd characters", "", "\"a b\" = 1\n\"\" = 1\n\"é\\n\" = 1\n", `"" "a b" "é\n"`},
		{"scripts beside a version", "", "[project]\nversion = '1'\nscripts = {a = 'b'}\n", "project.scripts.a project.version"},
		{"dependency groups", "", "[dependency-groups]\ndev = ['x']\n", "dependency-groups.dev"},
	} {
		got, err := KindOf("pyproject.toml").Changed([]byte(c.before), []byte(c.after))
		if err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q, %v; want %s", c.name, got, err, c.want)
		}
	}
}

func TestTOMLUnreadable(t *testing.T) {
	many := func(n int, line string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, line, i)
		}
		return b.String()
	}
	for name, text := range map[string]string{
		"no TOML":                   "a",
		"a key twice":               "[project]\nversion = '1'\nversion = '2'\n",
		"a key twice, quoted":       "a = 1\n\"a\" = 2\n",
		"a table twice":             "[a]\n[a]\n",
		"a table over a dotted key": "a.b = 1\n[a]\n",
		"an inline table goes on":   "a = {}\n[a.b]\n",
		"a byte order mark":         "\ufeffa = 1\n",
		"invalid UTF-8":             "a = '\xff'\n",
		"a number too large":        "a = 99999999999999999999\n",
		"a carriage return":         "a = 1\rb = 2\n",
		"deep arrays":               "a = " + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000),
		"deep tables":               "a = " + strings.Repeat("{a=", 20_000) + "1" + strings.Repeat("}", 20_000),
		"a deep dotted key":         "a" + strings.Repeat(".a", 20_000) + " = 1\n",
		"a deep header":             "[a" + strings.Repeat(".a", 20_000) + "]\n",
		"too many keys changed":     many(2_000, "a%d = 1\n"),
		"keys that are too long":    many(20, strings.Repeat("k", 5_000)+"%d = 1\n"),
	} {
		for _, pair := range [][2]string{{"", text}, {text, ""}} {
			keys, err := KindOf("a/pyproject.toml").Changed([]byte(pair[0]), []byte(pair[1]))
			var form *MalformedError
			if !errors.As(err, &form) || keys != nil {
				t.Errorf("%s: %d keys, %v; want an error", name, len(keys), err)
			}
		}
	}
	if keys, err := KindOf("pyproject.toml").Changed([]byte("version = 1\n"+many(1_000, "[tool.a%d]\nb.c.d = 1\n")), []byte(many(1_000, "[tool.a%d]\nb.c.d = 1\n"))); err != nil || !slices.Equal(keys, []string{"version"}) {
		t.Errorf("a large file: %q %v", keys, err)
	}
}

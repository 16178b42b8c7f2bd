package keydiff

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestKeysChanged(t *testing.T) {
	for _, c := range []struct {
		name, file, before, after string
		want                      []string
		unreadable                bool
	}{
		{name: "nothing", file: "package.json", before: `{"a":1}`, after: ` {"a" : 1}` + "\n", want: []string{}},
		{name: "order and blanks", file: "package.json", before: `{"a":1,"scripts":{"t":"x"}}`, after: `{"scripts": {"t": "x"}, "a": 1}`, want: []string{}},
		{name: "a version", file: "web/package.json", before: `{"version":"1"}`, after: `{"version":"2"}`, want: []string{"version"}},
		{name: "a script", file: "package.json", before: `{"scripts":{"t":"x"}}`, after: `{"scripts":{"t":"y"}}`, want: []string{"other scripts.t"}},
		{name: "a script of tests", file: "package.json", before: `{"scripts":{"test":"x"}}`, after: `{"scripts":{"test":"y"}}`, want: []string{"scripts.test"}},
		{name: "a script that one of the tests names", file: "package.json", before: `{"scripts":{"test":"npm run t","t":"x"}}`, after: `{"scripts":{"test":"npm run t","t":"y"}}`, want: []string{"scripts.t"}},
		{name: "by a pattern", file: "package.json", before: `{"scripts":{"ci":"run-s t:*","t:a":"x"}}`, after: `{"scripts":{"ci":"run-s t:*","t:a":"y"}}`, want: []string{`scripts."t:a"`}},
		{name: "before the tests", file: "package.json", before: `{"scripts":{"pretest":"npm run go","go":"x"}}`, after: `{"scripts":{"pretest":"npm run go","go":"y"}}`, want: []string{"scripts.go"}},
		{name: "at an installation", file: "package.json", before: `{"scripts":{}}`, after: `{"scripts":{"postinstall":"y"}}`, want: []string{"scripts.postinstall"}},
		{name: "scripts that are no table", file: "package.json", before: `{"scripts":{}}`, after: `{"scripts":[]}`, want: []string{"scripts"}},
		{name: "a newer package manager", file: "package.json", before: `{"packageManager":"pnpm@9.1.0"}`, after: `{"packageManager":"pnpm@10.0.1+sha512.ab"}`, want: []string{}},
		{name: "an older one", file: "package.json", before: `{"packageManager":"pnpm@10.1.0"}`, after: `{"packageManager":"pnpm@9.1.0"}`, want: []string{"packageManager"}},
		{name: "another one", file: "package.json", before: `{"packageManager":"pnpm@9.1.0"}`, after: `{"packageManager":"yarn@10.1.0"}`, want: []string{"packageManager"}},
		{name: "one from elsewhere", file: "package.json", before: `{"packageManager":"pnpm@9.1.0"}`, after: `{"packageManager":"pnpm@https://x/10.1.0.tgz"}`, want: []string{"packageManager"}},
		{name: "added and removed", file: "package.json", before: `{"jest":{}}`, after: `{"scripts":{}}`, want: []string{"jest"}},
		{name: "an escaped key", file: "package.json", before: `{"scripts":1}`, after: `{"\u0073cripts":2}`, want: []string{"scripts"}},
		{name: "a key in other case is another", file: "package.json", before: `{}`, after: `{"Scripts":1}`, want: []string{"Scripts"}},
		{name: "blanks inside a text", file: "package.json", before: `{"scripts":{"t":"a b"}}`, after: `{"scripts":{"t":"a  b"}}`, want: []string{"other scripts.t"}},
		{name: "a key twice", file: "package.json", before: `{"scripts":1}`, after: `{"scripts":1,"scripts":2}`, unreadable: true},
		{name: "twice below", file: "package.json", before: `{"a":{}}`, after: `{"a":{"b":1,"b":2}}`, unreadable: true},
		{name: "a list", file: "package.json", before: `{}`, after: `[]`, unreadable: true},
		{name: "empty", file: "package.json", before: ``, after: `{}`, unreadable: true},
		{name: "something behind", file: "package.json", before: `{}`, after: `{} {"scripts":1}`, unreadable: true},
		{name: "cut", file: "package.json", before: `{}`, after: `{"a":1`, unreadable: true},
		{name: "a comment", file: "package.json", before: `{}`, after: `{/* */}`, unreadable: true},
		{name: "a byte order mark", file: "package.json", before: `{}`, after: "\ufeff{}", unreadable: true},

		{name: "a requirement", file: "go.mod", before: "module m\n", after: "module m\n\nrequire a.b/c v1.0.0\n", want: []string{"require"}},
		{name: "a replacement", file: "go.mod", before: "module m\n", after: "module m\n\nreplace a.b/c => ./c\n", want: []string{"replace"}},
		{name: "in a block", file: "go.mod", before: "module m\nreplace a.b/c => ./c\n", after: "module m\nreplace (\n\ta.b/c => ./c // note\n)\n", want: []string{}},
		{name: "elsewhere", file: "go.mod", before: "module m\nreplace a.b/c => ./c\n", after: "module m\nreplace a.b/c => ./d\n", want: []string{"replace"}},
		{name: "of a version", file: "go.mod", before: "module m\nreplace a.b/c => ./c\n", after: "module m\nreplace a.b/c v1.0.0 => ./c\n", want: []string{"replace"}},
		{name: "in a comment", file: "go.mod", before: "module m\n", after: "module m\n// replace a.b/c => ./c\n", want: []string{}},
		{name: "a catalog", file: "pnpm-workspace.yaml", before: "packages:\n  - a\ncatalog:\n  x: ^1\n", after: "catalog: {x: '^2'} # new\npackages: ['a']\n", want: []string{"catalog"}},
		{name: "packages", file: "pnpm-workspace.yaml", before: "packages: [a, b]\n", after: "packages: [b, a]\n", want: []string{"packages"}},
		{name: "the order below", file: "pnpm-workspace.yaml", before: "a: {b: 1, c: 2}\n", after: "a:\n  c: 2\n  b: 1\n", want: []string{}},
		{name: "a type", file: "pnpm-workspace.yaml", before: "a: true\nb: null\nc: 1\n", after: "a: 'true'\nb: 'null'\nc: '1'\n", want: []string{"a", "b", "c"}},
		{name: "a key that came with null", file: "pnpm-workspace.yaml", before: "a: 1\n", after: "a: 1\nb: null\n", want: []string{"b"}},
		{name: "a key with a dot", file: "pnpm-workspace.yaml", before: "a: 1\n", after: "a: 1\ncatalog.x: 1\n", want: []string{`"catalog.x"`}},
		{name: "an anchor", file: "pnpm-workspace.yaml", before: "a: 1\n", after: "a: &x 1\n", unreadable: true},
		{name: "a YAML key twice", file: "pnpm-workspace.yaml", before: "a: 1\n", after: "a: 1\na: 2\n", unreadable: true},
		{name: "a YAML list", file: "pnpm-workspace.yaml", before: "a: 1\n", after: "- a\n", unreadable: true},
		{name: "an empty workspace", file: "pnpm-workspace.yaml", before: "a: 1\n", after: "# a\n", unreadable: true},
		{name: "a tox key twice", file: "tox.ini", before: "[a]\n", after: "[a]\nb = 1\nB = 2\n", unreadable: true},
		{name: "an indented section", file: "tox.ini", before: "[a]\n", after: "[a]\n  [pytest]\n", unreadable: true},
		{name: "a line that only Python splits", file: "setup.cfg", before: "[a]\n", after: "[metadata]\ndescription = a\u2028[aliases]\n", unreadable: true},
		{name: "no section", file: "setup.cfg", before: "[a]\n", after: "a = 1\n", unreadable: true},
		{name: "neither", file: "tox.ini", before: "[a]\n", after: "[a]\nb\n", unreadable: true},
		{name: "a key of tox twice, with line ends of Windows", file: "tox.ini", before: "[a]\nb = 1\n", after: "[a]\r\nb = 1\r\n", want: []string{}},
		{name: "an unknown directive", file: "go.mod", before: "module m\n", after: "module m\nswap a => b\n", unreadable: true},
	} {
		got, err := KindOf(c.file).Changed([]byte(c.before), []byte(c.after))
		var form *MalformedError
		if c.unreadable != errors.As(err, &form) || !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, %v; want %q, an error: %v", c.name, got, err, c.want, c.unreadable)
		}
	}
}

// A comparison with itself finds nothing, and each side is read or neither.
func FuzzKeysChanged(f *testing.F) {
	f.Add(`{"a":1}`, `{"b":[1,{"c":null}]}`)
	f.Add("module m\nreplace a.b/c => ./c\n", "module m\n")
	f.Add("catalog:\n  a: ^1\n", "catalog: {a: ^2}\npackages: [x]\n")
	f.Add("<project><dependencies><dependency/></dependencies></project>", "<Project><ItemGroup><PackageReference/></ItemGroup></Project>")
	f.Add("group :a do\n  gem 'b', '1'\nend\n", "dependencies {\n  api 'a:b:1'\n}\n")
	f.Add("[testenv]\ndeps =\n  a\n", "[tox]\nenvlist = py{39,310}\n")
	f.Add("def deps do\n  [{:a, \"1\"}]\nend\n", "Project(\"{1}\") = \"A\", \"A\", \"{2}\"\n")
	f.Add("[a.b]\nc = [1, {d = 2026-01-01}]\n", "a.b.c = 'x'\n")
	f.Fuzz(func(t *testing.T, a, b string) {
		if strings.Contains(a+b, "nan") {
			return // is equal to nothing, in TOML too
		}
		for file := range kinds {
			if same, err := KindOf(file).Changed([]byte(a), []byte(a)); err == nil && len(same) > 0 {
				t.Errorf("%s differs from itself in %q", file, same)
			}
			_, err := KindOf(file).Changed([]byte(a), []byte(b))
			if _, errBack := KindOf(file).Changed([]byte(b), []byte(a)); (err == nil) != (errBack == nil) {
				t.Errorf("%s: there %v, back %v", file, err, errBack)
			}
		}
	})
}

// A name with .config. in it is read by its extension, unless it is the configuration of a tool that is read.
func TestKindOfConfig(t *testing.T) {
	if KindOf("a/Shop.config.csproj") != kinds[".csproj"] || KindOf("vite.config.ts") != kinds["vite.config.*"] || KindOf("jest.config.ts") != nil {
		t.Error("the kind of a file with .config. in its name is another one")
	}
}

func TestKeysOfANewPackage(t *testing.T) {
	got, err := KindOf("web/package.json").Changed(nil, []byte(`{"name":"x","jest":{},"scripts":{}}`))
	if err != nil || !slices.Equal(got, []string{"jest", "name", "scripts"}) {
		t.Errorf("%q %v", got, err)
	}
	if _, err := KindOf("package.json").Changed([]byte(""), []byte("{}")); err == nil {
		t.Error("an empty file is no file that was not there")
	}
}

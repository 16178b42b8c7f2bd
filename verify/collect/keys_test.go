package collect

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify/change"
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
		{name: "a script", file: "package.json", before: `{"scripts":{"t":"x"}}`, after: `{"scripts":{"t":"y"}}`, want: []string{"scripts"}},
		{name: "added and removed", file: "package.json", before: `{"jest":{}}`, after: `{"scripts":{}}`, want: []string{"jest", "scripts"}},
		{name: "an escaped key", file: "package.json", before: `{"scripts":1}`, after: `{"\u0073cripts":2}`, want: []string{"scripts"}},
		{name: "a key in other case is another", file: "package.json", before: `{}`, after: `{"Scripts":1}`, want: []string{"Scripts"}},
		{name: "blanks inside a text", file: "package.json", before: `{"scripts":{"t":"a b"}}`, after: `{"scripts":{"t":"a  b"}}`, want: []string{"scripts"}},
		{name: "a key twice", file: "package.json", before: `{"scripts":1}`, after: `{"scripts":1,"scripts":2}`, unreadable: true},
		{name: "twice below", file: "package.json", before: `{"a":{}}`, after: `{"a":{"b":1,"b":2}}`, unreadable: true},
		{name: "a list", file: "package.json", before: `{}`, after: `[]`, unreadable: true},
		{name: "empty", file: "package.json", before: ``, after: `{}`, unreadable: true},
		{name: "something behind", file: "package.json", before: `{}`, after: `{} {"scripts":1}`, unreadable: true},
		{name: "cut", file: "package.json", before: `{}`, after: `{"a":1`, unreadable: true},
		{name: "a comment", file: "package.json", before: `{}`, after: `{/* */}`, unreadable: true},
		{name: "a byte order mark", file: "package.json", before: `{}`, after: "\ufeff{}", unreadable: true},

		{name: "a requirement", file: "go.mod", before: "module m\n", after: "module m\n\nrequire a.b/c v1.0.0\n", want: []string{}},
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
		{name: "an unknown directive", file: "go.mod", before: "module m\n", after: "module m\nswap a => b\n", unreadable: true},
	} {
		got, err := keysChanged(c.file, []byte(c.before), []byte(c.after))
		var form *formError
		if c.unreadable != errors.As(err, &form) || !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, %v; want %q, an error: %v", c.name, got, err, c.want, c.unreadable)
		}
	}
}

// A comparison with itself finds nothing, and the order of the sides does not matter.
func FuzzKeysChanged(f *testing.F) {
	f.Add(`{"a":1}`, `{"b":[1,{"c":null}]}`)
	f.Add("module m\nreplace a.b/c => ./c\n", "module m\n")
	f.Add("catalog:\n  a: ^1\n", "catalog: {a: ^2}\npackages: [x]\n")
	f.Add("[a.b]\nc = [1, {d = 2026-01-01}]\n", "a.b.c = 'x'\n")
	f.Fuzz(func(t *testing.T, a, b string) {
		if strings.Contains(a+b, "nan") {
			return // is equal to nothing, in TOML too
		}
		for file := range keyedFiles {
			if same, err := keysChanged(file, []byte(a), []byte(a)); err == nil && len(same) > 0 {
				t.Errorf("%s differs from itself in %q", file, same)
			}
			there, err := keysChanged(file, []byte(a), []byte(b))
			back, errBack := keysChanged(file, []byte(b), []byte(a))
			if (err == nil) != (errBack == nil) || !slices.Equal(there, back) {
				t.Errorf("%s: there %q %v, back %q %v", file, there, err, back, errBack)
			}
		}
	})
}

func TestKeysOfANewPackage(t *testing.T) {
	got, err := keysChanged("web/package.json", nil, []byte(`{"name":"x","jest":{},"scripts":{}}`))
	if err != nil || !slices.Equal(got, []string{"jest", "name", "scripts"}) {
		t.Errorf("%q %v", got, err)
	}
	if _, err := keysChanged("package.json", []byte(""), []byte("{}")); err == nil {
		t.Error("an empty file is no file that was not there")
	}
}

// TestFindKeys holds what the list of changes says of files with keys: a fact, nothing, or that any key may have changed.
func TestFindKeys(t *testing.T) {
	large := `{"x":"` + strings.Repeat("a", 5<<20) + `"}`
	var h history
	h.commit(1)
	h.put("100644", "package.json", `{"scripts":{"t":"x"},"version":"1"}`)
	h.put("100644", "broken/package.json", `{}`)
	h.put("100644", "large/package.json", `{}`)
	h.put("120000", "link/package.json", `{"version":"1"}`)
	h.put("100644", "mode/package.json", `{}`)
	h.put("100644", "gone/package.json", `{}`)
	h.put("100644", "pyproject.toml", "[project]\nversion = '1'\n")
	h.put("100644", "broken/pyproject.toml", "a = 1\n")
	h.put("100644", "large/pyproject.toml", "a = 1\n")
	h.put("100644", "other/Pyproject.toml", "a = 1\n")
	h.commit(2)
	h.put("100644", "package.json", `{"version":"2","scripts":{"t":"x"}}`)
	h.put("100644", "broken/package.json", `{"jest":{},"jest":{}}`)
	h.put("100644", "large/package.json", large)
	h.put("120000", "link/package.json", `{"version":"2"}`)
	h.put("100755", "mode/package.json", `{}`)
	fmt.Fprintln(&h, "D gone/package.json")
	h.put("100644", "new/package.json", `{"overrides":{}}`)
	h.put("100644", "new/broken/package.json", `{"jest":{},"jest":{}}`)
	h.put("100644", "new/large/package.json", large)
	h.put("120000", "new/link/package.json", `{}`)
	h.put("100644", "new/pyproject.toml", "a = 1\n")
	h.put("100644", "new/go.mod", "module m\n")
	h.put("100644", "pyproject.toml", "[project]\nversion = '2'\n[tool.x]\n")
	h.put("100644", "broken/pyproject.toml", "a = 1\na = 1\n")
	h.put("100644", "large/pyproject.toml", "a = 1\n#"+strings.Repeat("a", 128<<10))
	h.put("100644", "other/Pyproject.toml", "a = 2\n")
	dir, base, head := h.repository(t)
	compared := Compare(openTest(t, dir), base, head)
	got := map[string]string{}
	for _, c := range compared.Changes {
		if got[c.Path] = "nothing"; c.KeysKnown {
			got[c.Path] = strings.Join(c.KeysChanged, " ")
		}
	}
	for path, want := range map[string]string{
		"package.json": "version", "broken/package.json": "nothing", "large/package.json": "nothing", "link/package.json": "nothing",
		"mode/package.json": "nothing", "gone/package.json": "nothing", "new/package.json": "overrides",
		"new/broken/package.json": change.AnyKey, "new/large/package.json": change.AnyKey, "new/link/package.json": "nothing",
		"new/pyproject.toml": "nothing", "new/go.mod": "nothing", "pyproject.toml": "project.version tool.x",
		"broken/pyproject.toml": "nothing", "large/pyproject.toml": "nothing", "other/Pyproject.toml": "nothing",
	} {
		if got[path] != want {
			t.Errorf("%s: %q, want %q", path, got[path], want)
		}
	}
	if len(compared.Unavailable) > 0 {
		t.Errorf("unavailable: %v", compared.Unavailable)
	}
}

// contents are objects that only give contents, and count how often they are asked.
type contents struct {
	Objects
	blobs map[string]string
	asked int
}

func (c *contents) Blob(id string, limit int64) ([]byte, error) {
	c.asked++
	if int64(len(c.blobs[id])) > limit {
		return nil, ErrTooLarge
	}
	return []byte(c.blobs[id]), nil
}

// TestKeyFinderEnds holds that a change cannot make the gate read without end: a content counts once, and all together are
// bounded.
func TestKeyFinderEnds(t *testing.T) {
	objects := &contents{blobs: map[string]string{}}
	f := &keyFinder{objects: objects}
	for range 1_000 {
		objects.blobs["same"] = `{"jest": 1}`
		if keys, err := f.between(keyedPair{"package.json", "", "same"}); err != nil || len(keys) != 1 {
			t.Fatal(keys, err)
		}
	}
	if objects.asked != 1 {
		t.Errorf("one content was read %d times", objects.asked)
	}
	refused := 0
	for i := range 200 {
		id := fmt.Sprint(i)
		objects.blobs[id] = "#" + id + strings.Repeat(" ", 100<<10)
		if _, err := f.between(keyedPair{"pyproject.toml", id, id}); errors.Is(err, ErrTooLarge) {
			refused++
		}
	}
	if most := 2 * int(maxKeyedCost/(16*100<<10)); refused == 0 || objects.asked > most+2 {
		t.Errorf("%d of 200 refused, %d contents were read, expected at most %d", refused, objects.asked, most)
	}
}

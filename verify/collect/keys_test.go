package collect

import (
	"errors"
	"slices"
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
	f.Fuzz(func(t *testing.T, a, b string) {
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

package gitattr

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestAsGit compares values with those of git check-attr, for random files and paths.
func TestAsGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	git := func(stdin string, args ...string) string {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(stdin)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_ATTR_NOSYSTEM=1", "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(args, err)
		}
		return string(out)
	}
	git("", "init", "-q", ".")
	asked := append(Attributes[:], "crlf", "merge", "m1", "m2", "binary")
	rounds, decided := 200, 0
	if testing.Short() {
		rounds = 30
	}
	for round := range rounds {
		g := &generator{rand.New(rand.NewPCG(uint64(round), 1))}
		e := NewEvaluator()
		e.Fold = round%3 == 0
		var levels []Level
		for _, sub := range []string{"", "src/", "src/a/"} {
			text := g.file()
			if err := os.MkdirAll(filepath.Join(dir, sub), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, sub, ".gitattributes"), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			f, err := e.Parse([]byte(text), sub == "")
			if err != nil {
				t.Fatal(err)
			}
			levels = append(levels, Level{sub, f})
		}
		var paths []string
		for range 60 {
			paths = append(paths, g.path())
		}
		command := append([]string{"-c", fmt.Sprintf("core.ignorecase=%t", e.Fold), "check-attr", "-z", "--stdin"}, asked...)
		fields := strings.Split(git(strings.Join(paths, "\x00")+"\x00", command...), "\x00")
		for i := 0; i+2 < len(fields); i += 3 {
			path, name, expected := fields[i], fields[i+1], fields[i+2]
			above := levels[:1]
			for _, level := range levels[1:] {
				if strings.HasPrefix(path, level.Dir) {
					above = append(above, level)
				}
			}
			e.evaluate(above[:len(above):len(above)], path)
			v := e.values[e.attribute(name)]
			if v.kind != unknown {
				decided++
			}
			got := map[kind]string{unknown: "unspecified", unspecified: "unspecified", set: "set", unset: "unset", other: v.text}[v.kind]
			if got != expected {
				for _, level := range levels {
					data, _ := os.ReadFile(filepath.Join(dir, level.Dir, ".gitattributes"))
					t.Logf("%s.gitattributes:\n%q", level.Dir, data)
				}
				t.Fatalf("round %d, fold %t: %q of %q is %q, for git %q", round, e.Fold, name, path, got, expected)
			}
		}
	}
	if decided < 40*rounds {
		t.Errorf("only %d attributes had a value in %d rounds: the test tests little", decided, rounds)
	}
}

func TestEffects(t *testing.T) {
	for _, c := range []struct{ root, sub, effects string }{
		{"* text=auto", "", "text=auto:0.1"},
		{"a text eol=lf", "", "text=set:0.1 eol=lf:0.1"},
		{"a eol=lf", "", "text=set:0.1 eol=lf:0.1"},
		{"a text=input", "", "text=set:0.1 eol=lf:0.1"},
		{"a text=input eol=crlf", "", "text=set:0.1 eol=crlf:0.1"},
		{"a crlf", "", "text=set:0.1"},
		{"a -crlf", "", "text=unset:0.1"},
		{"a -crlf text", "", "text=set:0.1"},
		{"a text=yes eol=cr", "", ""},
		{"a eol=lf\n* -text", "", "text=unset:0.2"},
		{"* eol=crlf", "a binary", "text=unset:1.1 diff=unset:1.1"},
		{"[attr]raw -text\n[attr]binary raw\n* binary", "", "text=unset:0.3"},
		{"* -text", "[attr]raw text\na raw\na !text", ""},
		{"a filter -linguist-generated diff=go", "", ""},
		{"a -ident -filter", "a ident filter=lfs", "filter=lfs:1.1 ident=set:1.1"},
		{"a working-tree-encoding=UTF-16", "", "working-tree-encoding=UTF-16:0.1"},
		{"a -working-tree-encoding", "", "working-tree-encoding=unset:0.1"},
		{"a linguist-generated=true", "", "linguist-generated=set:0.1"},
		{"a linguist-generated=false", "", ""},
		{"a linguist-generated", "", "linguist-generated=set:0.1"},
		{"a -diff", "", "diff=unset:0.1"},
		{"a -text" + strings.Repeat(" ", maxLine), "", ""},
		{"\r\n# a -text\r\na -text\r\n", "", "text=unset:0.3"},
	} {
		e := NewEvaluator()
		levels := []Level{{Dir: ""}, {Dir: "sub/"}}
		for i, text := range []string{c.root, c.sub} {
			f, err := e.Parse([]byte(text), i == 0)
			if err != nil {
				t.Fatal(err)
			}
			levels[i].File = f
		}
		var got []string
		for i, effect := range e.Effects(levels, "sub/a") {
			if effect.Value != Unspecified {
				got = append(got, fmt.Sprintf("%s=%s:%d.%d", Attributes[i], effect.Value, effect.Level, effect.Line))
			}
		}
		if strings.Join(got, " ") != c.effects {
			t.Errorf("%q, %q: got %q, expected %q", c.root, c.sub, strings.Join(got, " "), c.effects)
		}
	}
}

// TestUnclear wants no answer about files that one git reads in another way than the next.
func TestUnclear(t *testing.T) {
	for _, text := range []string{
		"a text\x00\nb text", "\xef\xbb\xbfa text", "a text builtin_objectmode", "[attr]builtin_x text", "\"a\\000b\" text",
		"a text" + strings.Repeat(" ", maxLine-len("a text\r")) + "\r\n",
	} {
		if _, err := NewEvaluator().Parse([]byte(text), true); !errors.Is(err, ErrUnclear) {
			t.Errorf("%.40q: got %v", text, err)
		}
	}
}

// TestStarsAreCheap wants no work that grows faster than pattern times path.
func TestStarsAreCheap(t *testing.T) {
	e := NewEvaluator()
	f, err := e.Parse([]byte(strings.Repeat("*a", 500)+"b text\n/"+strings.Repeat("*a", 500)+"b text\n"+strings.Repeat("**/a*", 200)+"b text"), true)
	if err != nil {
		t.Fatal(err)
	}
	e.Effects([]Level{{File: f}}, strings.Repeat("a", 2000))
	if e.Steps > 4_000_000 {
		t.Errorf("%d steps", e.Steps)
	}
}

func FuzzEffects(f *testing.F) {
	f.Add("* text=auto\n*.png binary\n", "[attr]x -diff\n\"a b\" x", "sub/a b")
	f.Add("[a-[:x:]*\\ text", "**/**/* !text", "sub/a/b")
	f.Fuzz(func(t *testing.T, root, sub, path string) {
		e := NewEvaluator()
		levels := []Level{{Dir: ""}, {Dir: "sub/"}}
		for i, text := range []string{root, sub} {
			read, err := e.Parse([]byte(text), i == 0)
			if err != nil {
				return
			}
			levels[i].File = read
		}
		path = "sub/" + path
		first := e.Effects(levels, path)
		if again := e.Effects(levels, path); again != first {
			t.Errorf("got %v, then %v", first, again)
		}
	})
}

// generator makes attribute files and paths that match each other often.
type generator struct{ *rand.Rand }

func (g *generator) one(list ...string) string { return list[g.IntN(len(list))] }

func (g *generator) file() string {
	var b bytes.Buffer
	for range g.IntN(14) {
		b.WriteString(g.line())
		b.WriteString(g.one("\n", "\n", "\n", "\r\n", " \n"))
	}
	return b.String()
}

func (g *generator) line() string {
	line := g.one("", "", "", " ", "\t")
	switch pattern := g.pattern(); g.IntN(16) {
	case 0:
		line += "# " + pattern
	case 1, 2:
		line += "[attr]" + g.one("m1", "m2", "binary", " m1", "-m", "")
	case 3, 4:
		pattern = strings.NewReplacer(`\`, `\\`, "a", g.one("a", `\141`)).Replace(pattern)
		line += `"` + pattern + g.one(`"`, `"`, `"`, ``, `\q"`)
	default:
		line += pattern
	}
	for range g.IntN(4) {
		line += g.one(" ", "  ", "\t") + g.attribute()
	}
	if g.IntN(60) == 0 {
		line += strings.Repeat(" ", 2100)
	}
	return line
}

func (g *generator) attribute() string {
	name := g.one("text", "text", "eol", "filter", "ident", "crlf", "working-tree-encoding", "diff", "linguist-generated", "merge", "m1", "m2", "binary")
	if g.IntN(50) == 0 {
		return g.one("-", "!", "=x", "a,b", "--text", "te/xt")
	}
	return g.one("", "", "", "-", "!") + name + g.one("", "", "", "=auto", "=input", "=lf", "=crlf", "=lfs", "=", "=a=b")
}

// words are the pieces of paths.
var words = []string{"a", "b", "A", "src", "ab", "a.go", "B.go", "x y", "a-b", "[a]", "*", "b.tar.gz", "é", "a\\b"}

func (g *generator) path() string {
	parts := []string{}
	for range g.IntN(4) {
		parts = append(parts, g.one("src", "src", "a", "b", g.one(words...)))
	}
	parts = append(parts, g.one(words...))
	if g.IntN(2) == 0 {
		parts = append([]string{"src", "a"}, parts...)
	}
	return strings.Join(parts, "/")
}

func (g *generator) pattern() string {
	if g.IntN(4) > 0 {
		var p strings.Builder
		for i := range 1 + g.IntN(4) {
			if i > 0 {
				p.WriteString(g.one("/", "/", "/", "", `\/`))
			}
			p.WriteString(g.one("*", "**", "***", "?", "a", "src", "*.go", "a*", "a**", "**a", "*a*b", "[ab]", "[!a]", "[^/]", "*.tar.gz", "é", `\*`, `\[a]`, g.class()))
		}
		return g.one("", "", "", "/", "!", "**/") + p.String() + g.one("", "", "", "", "/", "/**", "/*", `\`)
	}
	var p strings.Builder
	for range 1 + g.IntN(8) {
		p.WriteString(g.one("a", "b", "A", "*", "*", "?", "/", ".", "go", "[", "]", `\`, "-", "^", "!", ":"))
	}
	return p.String()
}

func (g *generator) class() string {
	return "[" + g.one("", "!", "^") + g.one("a-c", "A-C", "]a", "-a", "a-", `\a`, `a-\c`, "[:alpha:]", "[:upper:]", "[:no:]", "[:alpha", "[:a]", "[:", "a-c-e", "Z-a", "[:punct:]", ".", "") +
		g.one("", "b", "[:space:]") + g.one("]", "]", "]", "")
}

package glob

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestSetMatch(t *testing.T) {
	cases := []struct {
		pattern string
		yes, no []string
	}{
		{"docs", []string{"docs"}, []string{"docs/a", "Docs", "docsx", "x/docs"}},
		{"docs/**", []string{"docs/a", "docs/a/b", "docs/.a"}, []string{"docs", "docsx/a", "x/docs/a"}},
		{"**/docs/**", []string{"docs/a", "x/docs/a", "x/y/docs/a/b", "docs/docs"}, []string{"docs", "x/docs", "xdocs/a"}},
		{"a/*/**", []string{"a/b/c", "a/b/c/d"}, []string{"a/b", "a"}},
		{"**/**", []string{"a", "a/b"}, nil},
		{"**/*/**", []string{"a/b", "a/b/c"}, []string{"a"}},
		{"**", []string{"a", "a/b/c/d", ".a/.b"}, []string{""}},
		{"*", []string{"a", ".a"}, []string{"a/b", ""}},
		{"**/*.go", []string{"a.go", "x/a.go", "x/.go", ".go"}, []string{"a.gox", "a.go/b", "ago"}},
		{"**/*_test.go", []string{"a_test.go", "x/y/a_test.go"}, []string{"a.go", "atest.go"}},
		{"**/Makefile", []string{"Makefile", "x/y/Makefile"}, []string{"xMakefile", "Makefile/x", "makefile"}},
		{"a/**/*.go", []string{"a/.go", "a/x.go", "a/x/y.go"}, []string{"a.go", "x/a/x.go", "a/x.gox"}},
		{"a/**/b", []string{"a/b", "a/x/b", "a/x/y/b"}, []string{"ab", "a/xb", "x/a/b", "a/b/c"}},
		{"ab*ba", []string{"abba", "abxba"}, []string{"aba", "ab/ba"}},
		{"src/{a,b}/*.{go,sql}", []string{"src/a/x.go", "src/b/x.sql"}, []string{"src/c/x.go", "src/a/x.ts", "src/a/y/x.go"}},
		{"a{,/b}", []string{"a", "a/b"}, []string{"a/", "b"}},
		{"a{/**,}", []string{"a", "a/b"}, []string{"ab"}},
		{"web/m5/part?/[a-z]*.ts", []string{"web/m5/part1/a.ts", "web/m5/partä/zz.ts"}, []string{"web/m5/part/a.ts", "web/m5/part1/A.ts", "web/m5/part//a.ts"}},
		{"a*{,b}", []string{"a", "ab", "axb"}, []string{"b"}},
		{"**{/x,/y}", []string{"x", "a/b/y"}, []string{"a/xx"}},
		{"[a-c]x", []string{"ax", "cx"}, []string{"dx", "x", "/x"}},
		{"[+-.]x", []string{"+x", ".x"}, []string{"/x", "0x"}},
		{"[0-\U0010ffff]x", []string{"0x", "éx", "\U0010ffffx"}, []string{"/x", ".x"}},
		{`[+\-9]x`, []string{"+x", "-x", "9x"}, []string{".x", "/x", "0x"}},
		{`[\!a]x`, []string{"!x", "ax"}, []string{"bx"}},
		{`[\^a]x`, []string{"^x", "ax"}, []string{"bx"}},
		{`[\\a]x`, []string{`\x`, "ax"}, []string{"x"}},
		{`[\]\-]`, []string{"]", "-"}, []string{`\`, "a"}},
		{"[{,}]x", []string{"{x", ",x", "}x"}, []string{"x"}},
		{`\*\?\[\{\}\\,]`, []string{`*?[{}\,]`}, []string{`a?[{}\,]`}},
		{`*.\{a,b\}`, []string{"x.{a,b}"}, []string{"x.a"}},
		{`\[a\]/*`, []string{"[a]/x"}, []string{"a/x"}},
		{`x[*]*`, []string{"x*", "x*y"}, []string{"x", "xy"}},
		{`*\*`, []string{"*", "x*"}, []string{"x"}},
		{"?", []string{"a", "é", "\uFFFD"}, []string{"ab", "e\u0301", "/"}},
		{"é*", []string{"é", "éa"}, []string{"e\u0301", "É"}},
		{"a/*/c/*", []string{"a/b/c/d"}, []string{"a/b/c", "a/b/d/c"}},
		{"*.d/x", []string{"a.d/x"}, []string{"a.d", "a/x"}},
	}
	for _, c := range cases {
		set := Compile(parse(t, c.pattern))
		for _, path := range c.yes {
			if !set.Match(path) {
				t.Errorf("%q does not match %q", c.pattern, path)
			}
		}
		for _, path := range c.no {
			if set.Match(path) {
				t.Errorf("%q matches %q", c.pattern, path)
			}
		}
	}
}

// TestSetAgainstGit shows the result of git 2.39.5 for the same pattern as ":(glob)PATTERN", and where a set differs.
func TestSetAgainstGit(t *testing.T) {
	const yes, no, refused = "yes", "no", "refused"
	cases := []struct{ pattern, path, git, ours string }{
		{"docs/**", "docs", no, no}, // doublestar alone: yes
		{"docs/**", "docs/a", yes, yes},
		{"docs/**", "docs/a/b", yes, yes},
		{"**/a/**", "a", no, no},
		{"**/a/**", "a/b", yes, yes},
		{"a/**/b", "a/b", yes, yes},
		{"a/**/b", "a/x/y/b", yes, yes},
		{"**/*.md", "x.md", yes, yes},
		{"**/*.md", "a/b/x.md", yes, yes},
		{"*", ".x", yes, yes},
		{"*", "a/b", no, no},
		{"**", "a/b", yes, yes},
		{"**", ".x/.y", yes, yes},
		{"*.go", "a/b.go", no, no},
		{"docs/*", "docs/a/b", no, no},
		{"a?b", "a/b", no, no},
		{"[a-c]", "b", yes, yes},
		{`\*`, "*", yes, yes},
		{`\*`, "a", no, no},
		{"a]", "a]", yes, yes},
		{".github/**", ".GitHub/x", no, no},
		{"é", "e\u0301", no, no},
		{`x\-fe`, "x\xff", no, no},
		{"x\uFFFD", "x\xff", no, no}, // doublestar alone: yes

		{"?", "é", no, yes},         // git compares bytes
		{"docs", "docs/a", yes, no}, // a path covers only itself
		{"{a,b}", "a", no, yes},     // git has no braces
		{"*", "x\xff", yes, no},     // an allow list lets nothing in that is not UTF-8
		{"x[!a]y", "x/y", no, refused},
		{"x[/]y", "x/y", no, refused},
		{"x[+-9]y", "x/y", no, refused},
		{"**.md", "x.md", yes, refused},
		{"**.md", "a/x.md", no, refused},
		{"docs/**.md", "docs/a/b.md", no, refused},
		{"a**b", "axb", yes, refused},
		{"a**b", "a/b", no, refused},
		{"/a", "a", no, refused},
		{"./a", "a", yes, refused},
		{"a/../b", "b", yes, refused},
		{"a//b", "a/b", yes, refused},
		{"a/", "a", no, refused},
		{"!x", "!x", yes, refused},
		{"[z-a]", "z", yes, refused},
		{"[[:alpha:]]", "q", yes, refused},
		{"[]a]", "]", yes, refused},
		{"{a,b", "{a,b", yes, refused},
	}
	for _, c := range cases {
		got := refused
		if p, err := Parse(c.pattern); err == nil {
			got = map[bool]string{true: yes, false: no}[Compile([]Pattern{p}).Match(c.path)]
		}
		if got != c.ours {
			t.Errorf("%q on %q: %s, want %s (git: %s)", c.pattern, c.path, got, c.ours, c.git)
		}
	}
}

func TestSetFolded(t *testing.T) {
	cases := []struct {
		pattern string
		exact   []string // matches as it is
		folded  []string // matches only after folding
		no      []string
	}{
		{".github/**", []string{".github/x"}, []string{".GitHub/x", ".GITHUB/\xff"}, []string{".github", ".GitHub"}},
		{"CLAUDE.md", []string{"CLAUDE.md"}, []string{"claude.MD"}, []string{"xclaude.md"}},
		{"key", []string{"key"}, []string{"\u212aey", "KEY"}, nil},
		{"\u212aey", []string{"\u212aey"}, []string{"key", "KEY"}, nil},
		{"src/*", []string{"src/a"}, []string{"\u017frc/a", "SRC/a"}, nil},
		{"istanbul", []string{"istanbul"}, []string{"ISTANBUL"}, []string{"\u0130stanbul", "\u0131stanbul"}},
		{"caf\u00e9/**", []string{"caf\u00e9/x"}, []string{"cafe\u0301/x", "CAF\u00c9/x", "CAFE\u0301/x"}, []string{"cafe/x"}},
		{"cafe\u0301", []string{"cafe\u0301"}, []string{"caf\u00e9", "CAF\u00c9"}, nil},
		{"*.GO", []string{"a.GO"}, []string{"a.go", "a.Go"}, []string{"a.gox"}},
		{"**/*.Key", []string{"x/a.Key"}, []string{"a.\u212aEY"}, nil},
		{"[A-Z]*.GO", []string{"Abc.GO"}, []string{"abc.go", "Zbc.go", "\u212a.go", "\u017f.go"}, []string{"0.go", "_.go", "[.go", "\u0130.go"}},
		{"[a-z]x", []string{"ax", "zx"}, []string{"Ax", "ZX", "\u212ax", "\u017fx"}, []string{"[x", "`x", "{x"}},
		{"[\u212a]x", []string{"\u212ax"}, []string{"kx", "KX"}, []string{"jx"}},
		{"[Z-a]x", []string{"Zx", "[x", "_x", "`x", "ax"}, []string{"zx", "Ax"}, []string{"bx", "Yx"}},
		{"[À-Ý]x", []string{"Éx"}, []string{"éx", "e\u0301x", "E\u0301x"}, []string{"ex"}},
		{"[0-\U0010ffff]x", []string{"Ax", "0x"}, nil, []string{"/x", "-x"}},
		{"{A,b}/C?", []string{"A/CX"}, []string{"a/cx", "B/cé", "b/ce\u0301"}, []string{"c/cx"}},
		{`\*A\{`, []string{"*A{"}, []string{"*a{"}, []string{"xa{"}},
		{`X[*]*\\`, []string{`X*\`}, []string{`x*y\`}, []string{`xy\`}},
		{"e?", []string{"ea", "e\u0301"}, []string{"EA"}, []string{"é"}},
		{"x/*", []string{"x/\xff"}, []string{"X/\xff"}, nil},
		{"x/**", []string{"x/\xff/a"}, []string{"X/\xff"}, []string{"y/\xff"}},
		{"x?y", []string{"x\xffy"}, []string{"X\xffY"}, []string{"x\xff\xffy"}},
	}
	for _, c := range cases {
		set := CompileFolded(parse(t, c.pattern))
		expectWhich(t, set, c.pattern, c.exact, true, true)
		expectWhich(t, set, c.pattern, c.folded, false, true)
		expectWhich(t, set, c.pattern, c.no, false, false)
		exact := Compile(parse(t, c.pattern))
		expectWhich(t, exact, c.pattern, c.folded, false, false)
	}
}

func expectWhich(t *testing.T, set *Set, pattern string, paths []string, exact, ok bool) {
	t.Helper()
	for _, path := range paths {
		gotPattern, gotExact, gotOK := set.Which(path)
		if gotExact != exact || gotOK != ok || gotOK && gotPattern != pattern {
			t.Errorf("%q on %+q: %q, exact %v, ok %v; want exact %v, ok %v", pattern, path, gotPattern, gotExact, gotOK, exact, ok)
		}
	}
}

func TestAndBelow(t *testing.T) {
	for _, c := range []struct {
		pattern string
		yes, no []string
	}{
		{"scripts", []string{"scripts", "scripts/a", "scripts/a/b.go", "SCRIPTS/a", "scripts/\xff"}, []string{"scripts2", "a/scripts", "scripts2/a"}},
		{"a/b.go", []string{"a/b.go", "a/b.go/c", "A/B.go/c"}, []string{"a/b", "a/c"}},
		{`\*x\[`, []string{"*x[", "*x[/a"}, []string{"yx[/a"}},
		{"{a,b/c}", []string{"a", "a/x", "b/c", "b/c/x"}, []string{"b", "b/x"}},
		{"{a,b*}", []string{"a/x", "b1"}, []string{"b1/x"}},
		{"*", []string{"a"}, []string{"a/b"}},
		{"a?", []string{"ab"}, []string{"ab/c"}},
		{"[a]", []string{"a"}, []string{"a/b"}},
		{"**/a", []string{"a", "x/a"}, []string{"a/b", "x/a/b"}},
		{"a/**", []string{"a/b"}, []string{"a"}},
		{"caf\u00e9", []string{"cafe\u0301/a"}, []string{"cafe/a"}},
	} {
		p := parse(t, c.pattern)[0]
		set := CompileFolded([]Pattern{p.AndBelow()})
		for _, path := range c.yes {
			if pattern, _, ok := set.Which(path); !ok || pattern != c.pattern {
				t.Errorf("%q on %+q: %q, %v", c.pattern, path, pattern, ok)
			}
		}
		for _, path := range c.no {
			if set.Match(path) {
				t.Errorf("%q matches %+q", c.pattern, path)
			}
		}
		if below := c.yes[0] + "/below"; !p.Universal() && Compile([]Pattern{p}).Match(below) && !strings.HasSuffix(c.pattern, "**") {
			t.Errorf("AndBelow has changed %q itself: it matches %q", c.pattern, below)
		}
	}
}

// TestSetNotUTF8: an exact set, which allows, matches no path that is not UTF-8.
func TestSetNotUTF8(t *testing.T) {
	set := Compile(parse(t, "**", "*", "?", "x\uFFFD", "x/**", "**/*.go", "[0-\U0010ffff]"))
	for _, path := range []string{"\xff", "x\xff", "x/\xff", "\xff/a.go", "\xc3"} {
		if pattern, _, ok := set.Which(path); ok {
			t.Errorf("%q matches %q", pattern, path)
		}
	}
	for _, path := range []string{"ÿ", "xÿ", "\uFFFD"} {
		if !set.Match(path) {
			t.Errorf("%q is not matched", path)
		}
	}
}

func TestSetWhichIsFirst(t *testing.T) {
	// One pattern for each way to find one; in any order, the first answers.
	patterns := parse(t, "a/b/c.go", "a/**", "**/*.go", "**/b/**", "*/b/*", "a/b/?.go", "**", "{a,x}/b/[a-c].*", "**/c.go", "A/B/**", "*/?/c?go")
	for shift := range patterns {
		rotated := slices.Concat(patterns[shift:], patterns[:shift])
		if pattern, exact, ok := CompileFolded(rotated).Which("a/b/c.go"); !ok || pattern != rotated[0].String() || exact != (pattern != "A/B/**") {
			t.Errorf("Which = %q, %v, %v; want %q", pattern, exact, ok, rotated[0])
		}
		if rotated[0].String() == "A/B/**" {
			continue
		}
		if pattern, exact, ok := Compile(rotated).Which("a/b/c.go"); !ok || !exact || pattern != rotated[0].String() {
			t.Errorf("Which = %q, %v, %v; want %q", pattern, exact, ok, rotated[0])
		}
	}
}

func TestSetEmpty(t *testing.T) {
	var none *Set
	for _, set := range []*Set{none, {}, Compile(nil), CompileFolded(nil)} {
		for _, path := range []string{"", "a", "\xff"} {
			if _, exact, ok := set.Which(path); ok || exact || set.Match(path) {
				t.Errorf("an empty set matches %q", path)
			}
		}
	}
	for _, set := range []*Set{Compile(parse(t, "**")), CompileFolded(parse(t, "**", "*"))} {
		if set.Match("") {
			t.Error("the empty path is matched")
		}
	}
}

// TestSetHostilePath: a bucket is read once, however often a path repeats its key.
func TestSetHostilePath(t *testing.T) {
	var list []string
	for i := range 50 {
		list = append(list, fmt.Sprintf("**/a/x%d*", i))
	}
	path := strings.Repeat("a/", 511) + "b"
	x := Compile(parse(t, list...)).exact
	if found := x.candidates(path, nil); len(found) != 1 {
		t.Errorf("%d buckets to read, want 1", len(found))
	}
	if found := x.candidates("b/c", nil); len(found) != 0 {
		t.Errorf("%d buckets to read, want none", len(found))
	}
}

package glob

import (
	"fmt"
	"math/rand"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"
)

// generator makes patterns and paths out of few names, so that many of them meet.
type generator struct{ *rand.Rand }

func (g generator) pick(list ...string) string { return list[g.Intn(len(list))] }

func (g generator) path() string {
	parts := make([]string, 1+g.Intn(4))
	for i := range parts {
		parts[i] = g.pick("a", "b", "ab", "aab", "A", "é", ".x", "src", "a.go", "b_test.go", "x.tar.gz", "*", "[a]", "-", "]", "a{b", "aXb.go", "\u212a")
	}
	return strings.Join(parts, "/")
}

func (g generator) pattern() string {
	parts := make([]string, 1+g.Intn(4))
	for i := range parts {
		parts[i] = g.component()
	}
	return strings.Join(parts, "/")
}

func (g generator) component() string {
	if g.Intn(4) == 0 {
		return "**"
	}
	var out strings.Builder
	for range 1 + g.Intn(3) {
		out.WriteString(g.piece(2))
	}
	return out.String()
}

func (g generator) piece(depth int) string {
	if depth > 0 && g.Intn(6) == 0 {
		return "{" + g.piece(depth-1) + "," + g.pick("", g.piece(depth-1), g.piece(depth-1)+"/"+g.piece(depth-1), "**") + "}"
	}
	return g.pick("a", "b", "A", "é", "src", ".go", ".x", "*", "*", "?", "[a-b]", "[A-Zx]", "[0-\U0010ffff]", `[\]-]`, "]", `\*`, `\[`, `\{`, `\a`, ",", "_test.go", ".gz", "x.tar")
}

// expected returns the first pattern that matches according to doublestar, "" if none does, and checks that brace expansion
// and "X/**" on X are the only differences from doublestar on the pattern as written.
func expected(t testing.TB, patterns []Pattern, path string) (first string) {
	t.Helper()
	for _, p := range patterns {
		matched, isDir := false, false
		for _, alternative := range p.alternatives {
			dir, found := strings.CutSuffix(alternative, "/**")
			if !found {
				matched = matched || plain(t, alternative, path)
				continue
			}
			matched = matched || plain(t, alternative+"/*", path)
			isDir = isDir || plain(t, dir, path)
		}
		whole := plain(t, p.String(), path)
		if matched && !whole && !starMeetsBrace.MatchString(p.String()) || whole && !matched && !isDir {
			t.Errorf("doublestar says %v of %q on %q, and %v of %q", whole, p, path, matched, p.alternatives)
		}
		if matched && first == "" {
			first = p.String()
		}
	}
	return first
}

// starMeetsBrace is where doublestar misses what it matches after brace expansion: it does not see that "*{,b}" may be empty,
// and takes the stars of "**{/a,/b}" for one.
var starMeetsBrace = regexp.MustCompile(`\*[{},]`)

func plain(t testing.TB, pattern, path string) bool {
	t.Helper()
	matched, err := doublestar.Match(pattern, path)
	if err != nil {
		t.Fatalf("doublestar.Match(%q): %v", pattern, err)
	}
	return matched
}

// TestSetAgainstDoublestar compares lists of every length with plain doublestar, pattern by pattern.
func TestSetAgainstDoublestar(t *testing.T) {
	g := generator{rand.New(rand.NewSource(1))}
	compared, matched := 0, 0
	for range 1000 {
		var patterns []Pattern
		for range 1 + g.Intn(30) {
			if p, err := Parse(g.pattern()); err == nil {
				patterns = append(patterns, p)
			}
		}
		set, folded := Compile(patterns), CompileFolded(patterns)
		for range 30 {
			path := g.path()
			want := expected(t, patterns, path)
			checkAgainst(t, set, folded, path, want)
			compared++
			matched += len(want) / max(len(want), 1)
		}
	}
	if matched < compared/10 || matched > compared*9/10 {
		t.Errorf("%d of %d paths match: the generator tells nothing", matched, compared)
	}
}

func checkAgainst(t *testing.T, set, folded *Set, path, want string) {
	t.Helper()
	if got, exact, ok := set.Which(path); got != want || ok != (want != "") || exact != ok {
		t.Errorf("%q: Which = %q, exact %v, ok %v; doublestar says %q; patterns %q", path, got, exact, ok, want, set.written)
	}
	if got, exact, ok := folded.Which(path); want != "" && (!ok || exact && got != want) {
		t.Errorf("%q: folded Which = %q, exact %v, ok %v; doublestar says %q; patterns %q", path, got, exact, ok, want, set.written)
	}
}

// TestFoldedSetAgainstDoublestar compares ASCII lists with doublestar on lower-cased text: all that ASCII has of case. The classes that the
// generator writes are those whose folded form is lower case with the kelvin sign and the long s aside.
func TestFoldedSetAgainstDoublestar(t *testing.T) {
	g := generator{rand.New(rand.NewSource(2))}
	lower := strings.NewReplacer("[A-Zx]", "[a-z]", "A", "a").Replace
	for range 20000 {
		text, path := g.pattern(), g.path()
		p, err := Parse(text)
		small, smallErr := Parse(lower(text))
		if err != nil || smallErr != nil || strings.Contains(path, "\u212a") {
			continue
		}
		want := expected(t, []Pattern{p}, path) != "" || expected(t, []Pattern{small}, strings.ToLower(path)) != ""
		if got := CompileFolded([]Pattern{p}).Match(path); got != want {
			t.Errorf("%q folded on %q: %v, doublestar says %v", text, path, got, want)
		}
	}
}

// FuzzSet checks the same for any two patterns and any path, and that folding never loses a match.
func FuzzSet(f *testing.F) {
	f.Add("docs/**", "*.go", "docs")
	f.Add("{a,b}/[a-c]*", "**/x/**", "a/x/b")
	f.Add("{a{/**,},b}", `\*\[a]`, "*[a]")
	f.Add("**/*.{go,sql}", "a/**/b", "a/b.go")
	f.Add("x\uFFFD", "?", "x\xff")
	f.Add("**/", "[[-a]", "a//b/")
	f.Fuzz(func(t *testing.T, one, two, path string) {
		var patterns []Pattern
		for _, text := range []string{one, two} {
			if p, err := Parse(text); err == nil {
				patterns = append(patterns, p)
			}
		}
		if len(path) > 1024 || strings.Contains("/"+path+"/", "//") {
			return // git has no such path
		}
		set, folded := Compile(patterns), CompileFolded(patterns)
		if !utf8.ValidString(path) {
			if set.Match(path) {
				t.Errorf("%q is matched", path)
			}
			return
		}
		checkAgainst(t, set, folded, path, expected(t, patterns, path))
		if set.Match(path) && !folded.Match(path) {
			t.Errorf("%q is lost in folding", path)
		}
	})
}

// benchmarkPatterns are 1,000 in the proportions of real lists: literals, directories, extensions and others.
func benchmarkPatterns(b *testing.B) []Pattern {
	var list []string
	for i := range 125 {
		list = append(list,
			fmt.Sprintf("services/unit%03d/main.go", i),
			fmt.Sprintf("services/unit%03d/**", i+500),
			fmt.Sprintf("docs/part%03d/*.md", i),
			fmt.Sprintf("**/*.ext%03d", i),
			fmt.Sprintf("**/fixture%03d/**", i),
			fmt.Sprintf("app/mod%03d/{view,model,state}/*.{go,sql}", i),
			fmt.Sprintf("web/mod%03d/page?/[a-z]*.ts", i),
			fmt.Sprintf("cmd/*/tool%03d_*.go", i),
		)
	}
	return parse(b, list...)
}

// benchmarkPaths are 10,000, of which about one in four matches.
func benchmarkPaths() []string {
	g := generator{rand.New(rand.NewSource(3))}
	paths := make([]string, 10_000)
	for i := range paths {
		top := g.pick("services", "docs", "app", "web", "cmd", "internal", "vendor/github.com/x")
		mid := g.pick("unit", "part", "mod", "fixture", "tool") + fmt.Sprintf("%03d", g.Intn(1000))
		paths[i] = fmt.Sprintf("%s/%s/%s/%s%d%s", top, mid, g.pick("view", "page7", "inner/core"), g.pick("main", "tool003_", "Index"), g.Intn(100), g.pick(".go", ".ts", ".md", ".ext042"))
	}
	return paths
}

// BenchmarkSet matches all paths with a set that is compiled anew each time.
func BenchmarkSet(b *testing.B) {
	patterns, paths := benchmarkPatterns(b), benchmarkPaths()
	b.ReportAllocs()
	for b.Loop() {
		benchmarkMatch(b, Compile(patterns), paths)
	}
}

// BenchmarkSetFolded is the same for a list that denies.
func BenchmarkSetFolded(b *testing.B) {
	patterns, paths := benchmarkPatterns(b), benchmarkPaths()
	b.ReportAllocs()
	for b.Loop() {
		benchmarkMatch(b, CompileFolded(patterns), paths)
	}
}

func benchmarkMatch(b *testing.B, set *Set, paths []string) {
	matched := 0
	for _, path := range paths {
		if set.Match(path) {
			matched++
		}
	}
	b.ReportMetric(float64(matched), "matches")
}

// BenchmarkParse reads the patterns alone.
func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		benchmarkPatterns(b)
	}
}

// BenchmarkPlain is what BenchmarkSet is measured against.
func BenchmarkPlain(b *testing.B) {
	patterns, paths := benchmarkPatterns(b), benchmarkPaths()
	for b.Loop() {
		matched := 0
		for _, path := range paths {
			if expectedPlain(patterns, path) {
				matched++
			}
		}
		b.ReportMetric(float64(matched), "matches")
	}
}

func expectedPlain(patterns []Pattern, path string) bool {
	for _, p := range patterns {
		if matched, _ := doublestar.Match(p.written, path); matched {
			return true
		}
	}
	return false
}

// BenchmarkHostile matches patterns made to backtrack against the longest path that callers let through.
func BenchmarkHostile(b *testing.B) {
	path := strings.Repeat("a", 1024)
	for _, text := range []string{"*" + strings.Repeat("a", 253) + "b*", strings.Repeat("{a,b}", 8) + "*" + strings.Repeat("a", 213) + "b*", strings.Repeat("*a", 127) + "b?"} {
		b.Run(text[:12], func(b *testing.B) {
			set := Compile(parse(b, text))
			for b.Loop() {
				set.Match(path)
			}
		})
	}
}

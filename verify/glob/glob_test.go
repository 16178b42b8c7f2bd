package glob

import (
	"errors"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/bmatcuk/doublestar/v4"
)

// parse is for patterns that must be valid.
func parse(t testing.TB, patterns ...string) []Pattern {
	t.Helper()
	var parsed []Pattern
	for _, pattern := range patterns {
		p, err := Parse(pattern)
		if err != nil {
			t.Fatalf("Parse(%q): %v", pattern, err)
		}
		parsed = append(parsed, p)
	}
	return parsed
}

// refused lists a pattern for each check, parts of the message and the fix, and similar patterns that are valid.
var refused = []struct {
	pattern, message, fix string
	fine                  []string
}{
	{"", "empty", `"src/**"`, []string{"a"}},
	{strings.Repeat("a", 257), "too long", "several patterns", []string{strings.Repeat("a", 256)}},
	{"a\xff", "not valid UTF-8", "UTF-8", []string{"aÿ", "a\uFFFD"}},
	{"a\x00", "control character", "remove the character", []string{"a b"}},
	{"a\nb", "control character", "a pattern is one line", nil},
	{"a\u0085b", "control character", "remove the character", []string{"a\u00a0b"}},

	{"/a", "begins with a slash", `write "a"`, []string{"a"}},
	{"/src/**", "begins with a slash", `write "src/**"`, nil},
	{"./a", `component "."`, `write "a"`, []string{".a", "..a", "a..", "a./b", "..."}},
	{"a/./b", `component "."`, `write "a/b"`, nil},
	{"a/.", `component "."`, `write "a"`, nil},
	{`\./a`, `component "."`, `write "a"`, []string{`\.a`}},
	{"../a", `component ".."`, "root of the repository", nil},
	{"a/../b", `component ".."`, `write "b"`, nil},
	{"a/..", `component ".."`, "root of the repository", nil},
	{"..", `component ".."`, "root of the repository", nil},
	{".", `component "."`, "root of the repository", nil},
	{"/", "begins with a slash", "root of the repository", nil},
	{"a//b", "two adjacent slashes", `write "a/b"`, []string{"a/b"}},
	{"docs/", "ends in a slash", `write "docs/**" for everything below`, []string{"docs", "docs/**"}},
	{"docs/**/", "ends in a slash", `write "docs/**"`, nil},
	{"/docs//x/", "begins with a slash", `write "docs/x/**"`, nil},
	{"!docs", "cannot exclude", `add "docs" to forbidden_files`, []string{`\!docs`, "a!", "a/!b", "[a!]"}},

	{"“src/**”", "typographic quote", `write "src/**"`, []string{"src/“a”/**"}},
	{"‘a’", "typographic quote", `write "a"`, nil},

	{"docs/**.md", "next to other text", `write "docs/**/*.md"`, []string{"docs/**/*.md", `docs/*\*.md`, "docs/*[*].md", "docs/*?*.md"}},
	{"**.md", "next to other text", `write "**/*.md"`, nil},
	{"a**b", "next to other text", `write "a*/**/*b"`, nil},
	{"a**", "next to other text", `write "a*/**"`, []string{"a*", "a*/**"}},
	{"***", "next to other text", `write "**"`, []string{"**"}},
	{"a**b**c/", "next to other text", `write "a*/**/*b*/**/*c/**"`, nil},
	{strings.Repeat("a**", 80), "next to other text", `as in "src/**"`, nil},

	{"x[!a]y", "negated class", `"[A-Za-z0-9]"`, []string{"x[a!]y", "x[a^]y", `x[\!a]y`, `x[\^a]y`}},
	{"x[^a]y", "negated class", "forbidden_files", nil},
	{"[!_]*.go", "negated class", `write "*"`, nil},
	{"x[/]y", "can match a slash", "remove the slash", []string{"x[.0]y"}},
	{`x[\/]y`, "can match a slash", "remove the slash", nil},
	{"[+-9]", "can match a slash", "two", []string{"[+-.]", "[0-9]", `[+\-9]`, "[-9]", "[9-]"}},
	{"[a--9]", "reversed", `move the "-" to the end`, []string{`[a\-9]`}},
	{"[--9]", "can match a slash", "two", []string{"[---]", "[-.]"}},
	{"[z-a]", "reversed", "reverse the range", []string{"[a-z]", "[a-a]", "[a-]"}},
	{"[xz-a]", "reversed", "reverse the range", nil},
	{"[]", "class is empty", `"\\["`, []string{`[\]]`, "]", `\[\]`}},
	{"[]a]", "class is empty", `inside a class "]" is "\\]" too`, []string{`[\]a]`}},
	{"[[:alpha:]]", "named class", `"[A-Za-z]"`, []string{"[[:]", "[[::]", "[:[]", "[[a]", "[[.]"}},
	{"[[.a.]]", "named class", "ranges", nil},
	{"[[=a=]]", "named class", "ranges", nil},
	{"a[b", `"[" is not closed`, `"\\["`, []string{"a]b", `a\[b`}},
	{`a[b\]`, `"[" is not closed`, `"\\["`, []string{`a[b\]]`}},
	{"[", `"[" is not closed`, `"\\["`, nil},

	{`a\`, "ends in a backslash", `"\\\\"`, []string{`a\\`, `a\*`}},
	{`a\/b`, "backslash before a slash", `write "/"`, []string{`a\\/b`, "a/b"}},

	{`a\b`, "backslash does not separate", `write "a/b"`, []string{`a\-b`, `[\a]`}},
	{`a\**`, "backslash does not separate", `write "a/**"`, []string{`a\*`, `a[*]*`}},
	{`a\b\`, "backslash does not separate", `write "/"`, nil},
	{" a", "a blank", `write "a"`, []string{`\ a`, "a b"}},
	{"a ", "a blank", `write "a"`, []string{`a\ `}},
	{"~/a", "home directory", "from the root", []string{"~a", `\~/a`}},
	{`C:\a`, "a drive", "from the root", []string{"C:a", "ab:/c"}},
	{"C:/a", "a drive", "from the root", []string{"Ca/a"}},
	{"^a", "a regular expression", `"src/**/*.go"`, []string{`\^a`, "a^"}},
	{".*a$", "a regular expression", `"src/**/*.go"`, []string{`.*a\$`, "$a"}},
	{"${A}/b", "no variables", "what the variable contains", []string{"$A/b"}},
	{"{a,b", "not balanced", `"\\{"`, []string{"{a,b}", `\{a,b`}},
	{"a}", "not balanced", `"\\}"`, []string{`a\}`, "[}]"}},
	{"{a,b}}", "not balanced", `"\\}"`, nil},
	{"{a,{b,c}", "not balanced", `"\\{"`, []string{"{a,{b,c}}"}},
	{`{a,b\}`, "not balanced", `"\\{"`, []string{`{a,b\}}`}},
	{"{a,[b}]", "not balanced", `"\\{"`, []string{"{a,[b}]}"}},
	{"{{name}}/x", "without a comma", `"\\{" and "\\}"`, []string{`\{\{name\}\}/x`, "{{a,b},c}"}},
	{"a{}", "without a comma", "remove the braces", nil},
	{"{[a,b]}", "without a comma", "remove the braces", []string{"{[a,b],c}"}},
	{`{a\,b}`, "without a comma", "remove the braces", []string{`{a\,b,c}`}},

	{"{a/,b}", "ends in a slash", `write "a/**"`, []string{"{a/c,b}"}},
	{"a/{,b}", "ends in a slash", `write "a/**"`, []string{"a{,/b}"}},
	{"{,a}", "empty pattern", "empty alternative", []string{"{,a}b"}},
	{"{,a}/b", "begins with a slash", `write "b"`, []string{"{,a/}b"}},
	{"{a,/b}", "begins with a slash", `write "b"`, nil},
	{"a/{/b,c}", "two adjacent slashes", `write "a/b"`, nil},
	{"{.,a}/b", `component "."`, `write "b"`, []string{"{.x,a}/b"}},
	{"{.,a}{.,b}", `component ".."`, "root of the repository", nil},
	{"{a,!b}", "cannot exclude", `add "b" to forbidden_files`, []string{`{a,\!b}`, "{a,b!}"}},
	{"{a,b**}", "next to other text", `write "b*/**"`, nil},
	{"{a,**}b", "next to other text", `write "**/*b"`, []string{"{a,**/}b"}},
	{"{*,a}*", "two adjacent", `one "*"`, []string{"{a,b}*", `{\*,a}*`, "{a*,a}?*", `{*,a}\*`, `{[*],a}*`}},
	{"src/*{*,b}", "two adjacent", `one "*"`, []string{"src/*{/*,b}", "src/*{,b}"}},
	{"{*,{*,b}c}{,*}", "two adjacent", `one "*"`, nil},
}

func TestParseRefuses(t *testing.T) {
	for _, c := range refused {
		_, err := Parse(c.pattern)
		var problem *Error
		if !errors.As(err, &problem) {
			t.Errorf("Parse(%q) accepts it, or gives no *Error: %v", c.pattern, err)
			continue
		}
		if !strings.Contains(problem.Message, c.message) || !strings.Contains(problem.Fix, c.fix) {
			t.Errorf("Parse(%q): message %q, fix %q; want %q, %q", c.pattern, problem.Message, problem.Fix, c.message, c.fix)
		}
		checkError(t, c.pattern, problem)
		parse(t, c.fine...)
	}
}

// checkError checks what every error must contain.
func checkError(t *testing.T, pattern string, problem *Error) {
	t.Helper()
	for _, field := range []string{problem.Message, problem.Found, problem.Expected, problem.Fix} {
		if field == "" || strings.ContainsFunc(field, unicode.IsControl) || strings.HasSuffix(field, ".") {
			t.Errorf("Parse(%q): bad field %q in %#v", pattern, field, problem)
		}
		if !strings.Contains(problem.Error(), field) {
			t.Errorf("Parse(%q): %q leaves %q out", pattern, problem.Error(), field)
		}
	}
}

func TestParseCountsAlternatives(t *testing.T) {
	cases := []struct {
		pattern string
		count   int // 0: refused
	}{
		{"a", 1},
		{"{a,b}", 2},
		{"{a,{b,c}}", 3},
		{"{a,{b,c}{d,e}}x", 5},
		{strings.Repeat("{a,b}", 8), 256},
		{strings.Repeat("{a,b}", 9), 0},
		{strings.Repeat("{a,a}", 8), 1}, // duplicates are dropped after the count
		{strings.Repeat("{a,a}", 9), 0},
		{strings.Repeat("{a,a}", 24), 0},
		{strings.Repeat("{,}", 22), 0},
		{strings.Repeat("{a,b}", 9) + ",", 0},
		{"{[ab],[a-b],[ba]}", 1},
		{"x" + strings.Repeat("{a,a}", 50), 0},
		{strings.Repeat("{", 100_000), 0},
		{strings.Repeat("{", 100), 0},
		{strings.Repeat("{a,", 60) + "b" + strings.Repeat("}", 60), 2},
		{"{" + strings.Repeat("a,", 120) + "b}{c,d}", 4},
		{"{" + strings.Repeat("a,", 120) + "b}{c,d,e}", 0},
	}
	for _, c := range cases {
		p, err := Parse(c.pattern)
		if (err != nil) != (c.count == 0) || len(p.alternatives) != c.count {
			t.Errorf("Parse(%.80q…): %d alternatives, error %v; want %d", c.pattern, len(p.alternatives), err, c.count)
		}
	}
}

// TestCheckBraces counts what overflows an integer. It leaves out expansion, which would not end if this failed.
func TestCheckBraces(t *testing.T) {
	for _, pairs := range []int{9, 63, 64, 85} {
		tokens, _ := scan(strings.Repeat("{,}", pairs))
		if checkBraces(tokens) == nil {
			t.Errorf("%d pairs of braces are accepted", pairs)
		}
	}
}

// TestParseIsBounded counts what a refusal allocates, since time cannot be tested: hostile braces must cost no more than the cut into tokens.
func TestParseIsBounded(t *testing.T) {
	for _, pattern := range []string{
		strings.Repeat("{a,a}", 24), strings.Repeat("{a,a}", 50), strings.Repeat("{", 100_000), strings.Repeat("{", 256), strings.Repeat("{,", 128),
	} {
		if n := testing.AllocsPerRun(10, func() { _, _ = Parse(pattern) }); n > 40 {
			t.Errorf("Parse(%.20q…) allocates %v times", pattern, n)
		}
	}
}

func TestPatternLiteral(t *testing.T) {
	cases := []struct {
		pattern, literal string
		ok               bool
	}{
		{"src/main.go", "src/main.go", true},
		{`a\*b`, "a*b", true},
		{`\!a\[b\]\{c\}\\`, `!a[b]{c}\`, true},
		{`a\-b`, "a-b", true},
		{"a,b]", "a,b]", true},
		{"é\u0301", "é\u0301", true},
		{"a*", "", false},
		{"a?", "", false},
		{"[a]", "", false},
		{"{a,b}", "", false},
		{"{a,a}", "", false},
		{"**", "", false},
	}
	for _, c := range cases {
		p := parse(t, c.pattern)[0]
		if path, ok := p.Literal(); path != c.literal || ok != c.ok {
			t.Errorf("%q: Literal() = %q, %v", c.pattern, path, ok)
		}
		if p.String() != c.pattern {
			t.Errorf("%q: String() = %q", c.pattern, p.String())
		}
		if c.ok && !Compile([]Pattern{p}).Match(c.literal) {
			t.Errorf("%q does not match %q", c.pattern, c.literal)
		}
	}
}

func TestPatternUniversal(t *testing.T) {
	universal := []string{"**", "**/*", "**/**", "**/?*", "**/*.*", "**/[a-z]*", "{*,*/**}", "{*,*/*/*/*}", "**/{a,*}"}
	not := []string{"*", "*.go", "**/*.go", "src/**", "*/**", "*/*/*/*", "?*", "**/a*", "**/src/**", "a", "**/*/*", "**/[0-9]*"}
	for _, pattern := range universal {
		if !parse(t, pattern)[0].Universal() {
			t.Errorf("%q is not universal", pattern)
		}
	}
	for _, pattern := range not {
		if parse(t, pattern)[0].Universal() {
			t.Errorf("%q is universal", pattern)
		}
	}
}

func TestZeroPattern(t *testing.T) {
	var p Pattern
	if _, ok := p.Literal(); ok || p.String() != "" || p.Universal() || Compile([]Pattern{p}).Match("a") {
		t.Error("the zero pattern matches something")
	}
	if pattern, _, ok := CompileFolded(append([]Pattern{p}, parse(t, "a")...)).Which("a"); !ok || pattern != "a" {
		t.Errorf("a zero pattern before it: %q, %v", pattern, ok)
	}
}

// FuzzParse: a pattern is refused with all four fields, or is valid in doublestar too; and what a fix
// tells to write is accepted.
func FuzzParse(f *testing.F) {
	for _, c := range refused {
		f.Add(c.pattern)
		for _, fine := range c.fine {
			f.Add(fine)
		}
	}
	f.Fuzz(func(t *testing.T, pattern string) {
		p, err := Parse(pattern)
		var problem *Error
		if errors.As(err, &problem) {
			checkError(t, pattern, problem)
			checkSuggestion(t, problem)
			return
		}
		if !doublestar.ValidatePattern(pattern) {
			t.Errorf("doublestar refuses %q", pattern)
		}
		if n := len(p.alternatives); n == 0 || n > MaxAlternatives {
			t.Errorf("%q has %d alternatives", pattern, n)
		}
		if path, ok := p.Literal(); ok && !Compile([]Pattern{p}).Match(path) {
			t.Errorf("%q does not match %q", pattern, path)
		}
	})
}

// checkSuggestion parses the one path that a fix tells to write.
func checkSuggestion(t *testing.T, problem *Error) {
	t.Helper()
	isPath := strings.Contains(problem.Message, "slash") || strings.Contains(problem.Message, "next to other text") || strings.Contains(problem.Message, "component")
	quoted, found := strings.CutPrefix(problem.Fix, "write ")
	if !isPath || !found || strings.Contains(problem.Message, "backslash") {
		return
	}
	quoted, _, _ = strings.Cut(quoted, " for the file, or ")
	suggestion, err := strconv.Unquote(strings.TrimSuffix(quoted, " for everything below the directory"))
	if err != nil {
		t.Fatalf("fix %q: %v", problem.Fix, err)
	}
	if _, err := Parse(suggestion); err != nil {
		t.Errorf("the fix %q is refused itself: %v", problem.Fix, err)
	}
}

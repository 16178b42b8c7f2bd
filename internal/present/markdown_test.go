package present

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/closeout-gate/closeout/internal/testkit/pagetest"
	"github.com/closeout-gate/closeout/verify/report"
)

func TestMarkdownText(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"a plain sentence, with (brackets) and a well-known word.", "a plain sentence, with (brackets) and a well-known word."},
		{`criterion "unit" failed`, `criterion "unit" failed`},
		{"it doesn't", "it doesn't"},
		{"12 files", "12 files"},
		{`change to "src/**", please`, "change to \"`src/**`\", please"},
		{"see ./...", "see `./...`"},
		{"look at (src/a.go).", "look at (`src/a.go`)."},
		{"a record of bash -c 'go test -race ./... | tee r.log' here", "a record of bash `-c` 'go test `-race ./... |` tee `r.log`' here"},
		{"see a/b for what is not done, also c/d and e/f", "see `a/b` for what is not done, also `c/d` and `e/f`"},
		{"* not done * at all *", "`*` not done `*` at all `*`"},
		{"run ./a.sh -x --y=1 now", "run `./a.sh -x --y=1` now"},
		{"a/b, c/d (e/f) \"g/h\" i/j", "`a/b`, `c/d` (`e/f`) \"`g/h`\" `i/j`"},
		{"a` not `b `` c", "`` a` `` not ``` `b `` ``` c"},
		{"- 1. x", "`-` 1. x"},
		{"@everyone look", "`@everyone` look"},
		{"fixes #1", "fixes `#1`"},
		{"fixes GH-1", "fixes `GH-1`"},
		{"see ABC-12", "see `ABC-12`"},
		{"commit 0123abc", "commit `0123abc`"},
		{"a faced face", "a faced face"},
		{"https://evil.example", "`https://evil.example`"},
		{"www.evil.example", "`www.evil.example`"},
		{"</details>", "`</details>`"},
		{"<!--", "`<!--`"},
		{":tada:", "`\\:tada`:"},
		{"x $a$", "x `$a$`"},
		{"a & b", "a `&` b"},
		{"- item", "`-` item"},
		{"1. item", "`1`. item"},
		{"12) item", "`12`) item"},
		{"12 items, 3. item", "12 items, 3. item"},
		{"wait...", "`wait...`"},
		{"...", "`...`"},
		{"", "(empty)"},
		{" \n", "`\\n`"},
		{"Ünïcode – dash", "Ünïcode – dash"},
	} {
		if got := MDText(c.in); got != c.want {
			t.Errorf("mdText(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func TestMarkdownCode(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"a.go", "`a.go`"},
		{"", "(empty)"},
		{"a`b", "``a`b``"},
		{"`a", "`` `a ``"},
		{"a`", "`` a` ``"},
		{" a ", "`  a  `"},
		{" ", "` `"},
		{"a\nb", "`a\\nb`"},
		{strings.Repeat("`", 8), "````````` ```````` `````````"},
		{strings.Repeat("`", 9), "`" + strings.Repeat(`\x60`, 9) + "`"},
	} {
		if got := MDCode(c.in); got != c.want {
			t.Errorf("mdCode(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func TestMarkdownCell(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"a", "a"},
		{"`a|b`", "`a\\|b`"},
		{"||", "\\|\\|"},
		{"`a\\|b`", "`a\\x7cb`"},
		{"`a\\\\|b`", "`a\\\\x7cb`"},
	} {
		if got := mdCell(c.in); got != c.want {
			t.Errorf("mdCell(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func FuzzMarkdown(f *testing.F) {
	for _, s := range pagetest.Hostile {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, got := range []string{MDText(s), MDCode(s)} {
			checkMarkdown(t, got)
			if pipes := regexp.MustCompile(`(^|[^\\])(\\\\)*\|`).FindString(mdCell(got)); pipes != "" {
				t.Errorf("cell %q of %q has a pipe", mdCell(got), s)
			}
		}
	})
}

// reference is what a page may turn into a link although it is made of letters, digits and hyphens.
var reference = regexp.MustCompile(`(?i)(^|[^\p{L}\p{N}])([a-z]+-[0-9]+|[0-9a-f]{7,40})([^\p{L}\p{N}]|$)`)

// checkMarkdown reads code spans the way Markdown does (a run of backticks up to the next run of that length) and fails
// when anything between them is not inert.
func checkMarkdown(t *testing.T, md string) {
	t.Helper()
	if strings.ContainsAny(md, "\n\r") {
		t.Errorf("%q has a line break", md)
	}
	runs := regexp.MustCompile("`+").FindAllStringIndex(md, -1)
	outside, at := "", 0
	for i := 0; i < len(runs); i++ {
		width := runs[i][1] - runs[i][0]
		end := i + 1
		for end < len(runs) && runs[end][1]-runs[end][0] != width {
			end++
		}
		if end == len(runs) || width > fenceLimit+1 {
			t.Fatalf("%q has a code span that does not end or has too long a fence", md)
		}
		outside += md[at:runs[i][0]] + " \u00b7 "
		at, i = runs[end][1], end
	}
	outside += md[at:]
	for _, r := range outside {
		inert := r >= 0x80 || unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(` "'(),;:.!?-`, r)
		if !inert {
			t.Errorf("%q shows %q outside code", md, r)
		}
	}
	if reference.MatchString(outside) || regexp.MustCompile(`[.:][\p{L}\p{N}]`).MatchString(outside) {
		t.Errorf("%q has text outside code that may be linked: %q", md, outside)
	}
}

// TestMarkdownPage reads every line of the hostile pages: all tables have as many cells in each row as in their head,
// and there is no HTML but the folds.
func TestMarkdownPage(t *testing.T) {
	for _, f := range fixtures() {
		t.Run(f.verdict+"."+f.name, func(t *testing.T) {
			checkPage(t, render(t, "markdown", f.report, Options{}))
		})
	}
}

func checkPage(t *testing.T, page string) {
	t.Helper()
	columns, folds := 0, 0
	for _, l := range strings.Split(page, "\n") {
		folds += strings.Count(l, "<details><summary>") * indexIs(l, "<details>", 0)
		folds -= strings.Count(l, "</details>") * indexIs(l, "</details>", 0)
		if folds < 0 || folds > 1 {
			t.Fatalf("folds are not balanced at %q", l)
		}
		cells := len(regexp.MustCompile(`(^|[^\\])\|`).FindAllString(l, -1))
		switch {
		case !strings.HasPrefix(l, "|"):
			columns = 0
		case columns == 0:
			columns = cells
		case cells != columns:
			t.Errorf("%d cell borders, want %d: %q", cells, columns, l)
		}
	}
	if folds != 0 {
		t.Error("a fold stays open")
	}
}

// TestTailStaysInItsBlock: whatever a command prints, its lines are in one code block, which ends before the fold does.
func TestTailStaysInItsBlock(t *testing.T) {
	for _, text := range append(slices.Clone(pagetest.Hostile), "```", "~~~", "    ````", "```` ```", strings.Repeat("`", 9), strings.Repeat("`", 80), "") {
		lines := strings.Split(mdTail(&report.Output{Stream: "stdout", Lines: []string{text, "x", text}}), "\n")
		open := strings.TrimSuffix(lines[2], "text")
		if fence := strings.TrimSpace(open); strings.Trim(fence, "`") != "" || len(fence) < 3 || len(fence) > fenceLimit+1 {
			t.Fatalf("%q is not opened by a fence: %q", text, lines)
		}
		end := slices.IndexFunc(lines[3:], func(l string) bool { return strings.HasPrefix(strings.TrimSpace(l), strings.TrimSpace(open)) })
		rest := lines[3+end:]
		if end != 3 || strings.Join(rest, "\n") != open+"\n\n    </details>\n" {
			t.Errorf("%q leaves its block: %q", text, lines)
		}
	}
}

// TestQuotedCode: lines of code that a diff rule quotes are whole; the words beside them are not code.
func TestQuotedCode(t *testing.T) {
	f := report.Finding{
		Code: "rule.failed", Severity: "block", Rule: "closeout/test-hollowed", Message: "closeout/test-hollowed: TestA checks nothing",
		Expected: "t.Errorf(\"Sum is %d\", got), as at the merge base", Actual: "func TestA(t *testing.T) { // `x` @y",
	}
	for _, want := range []string{"  - Expected: `t.Errorf(\"Sum is %d\", got)`, as at the merge base\n", "  - Actual: ``func TestA(t *testing.T) { // `x` @y``\n"} {
		if got := mdGroup(&report.Report{}, []report.Finding{f}); !strings.Contains(got, want) {
			t.Errorf("no %q in %q", want, got)
		}
	}
	f.Expected, f.Actual = "the test runs, as at the merge base", "not there any more"
	for _, want := range []string{"  - Expected: the test runs, as at the merge base\n", "  - Actual: not there any more\n"} {
		if got := mdGroup(&report.Report{}, []report.Finding{f}); !strings.Contains(got, want) {
			t.Errorf("no %q in %q", want, got)
		}
	}
	r := &report.Report{Tool: report.Tool{Version: "1.2.3"}}
	if got := mdGroup(r, []report.Finding{f}); !strings.HasPrefix(got, "- [**`closeout/test-hollowed`**](https://github.com/closeout-gate/closeout/blob/v1.2.3/docs/reference/rules.md#closeouttest-hollowed): TestA checks nothing\n") {
		t.Errorf("the rule is not named: %q", got)
	}
}

// indexIs is 1 when s contains part at that place, else 0.
func indexIs(s, part string, at int) int {
	if strings.Index(s, part) == at {
		return 1
	}
	return 0
}

// TestMarkdownFlood fills every list far beyond the limit: the page stays below it, says what was left out, and still
// has every section.
func TestMarkdownFlood(t *testing.T) {
	r := hostile()
	long := strings.Repeat("<x>|`", 200)
	r.Files = nil
	for i := range 20000 {
		at := report.Location{Path: fmt.Sprintf("%d/%s", i, long)}
		if i < report.MaxFindings {
			r.Findings = append(r.Findings, finding("scope.off_scope", severities[i%4], long, at, long, long, fmt.Sprint(i, long)))
		}
		r.Files = append(r.Files, report.File{Path: at.Path, Class: "off_scope", Status: "added", NewMode: "100644"})
		r.Acceptance = append(r.Acceptance, report.Acceptance{ID: long, Run: []string{long}, Outcome: "failed", KeptFrom: &long})
	}
	page := render(t, "markdown", r, Options{})
	if len(page) > MaxSummary {
		t.Errorf("%d bytes, at most %d", len(page), MaxSummary)
	}
	if len(page) < MaxSummary/2 {
		t.Errorf("only %d bytes used of %d", len(page), MaxSummary)
	}
	checkPage(t, page)
	for _, part := range []string{"### What blocks: ", "### What could not be checked: ", "Refused override labels: ", "Acceptance: ", "### For the reviewer: ",
		"No action needed: ", "files changed: ", "Reports and their", "Inputs of the decision", "Judged by", "more, left out here", "more, in the report"} {
		if !strings.Contains(page, part) {
			t.Errorf("%q is missing", part)
		}
	}
}

// TestFit: what fits is complete; with one byte less an item is left out and counted.
func TestFit(t *testing.T) {
	items := []string{"aaaa", "bbbb"}
	s := section{head: "h\n", count: 2, item: func(i int) string { return items[i] }, left: func(n int) string { return fmt.Sprintf("-%d", n) }, tail: "t\n"}
	for _, c := range []struct {
		limit int
		want  string
	}{
		{22, "h\naaaabbbbt\n"},
		{21, "h\naaaa-1t\n"},
		{14, "h\naaaa-1t\n"},
		{13, "h\n-2t\n"},
	} {
		if got := fit([]section{s}, c.limit); got != c.want {
			t.Errorf("limit %d: %q, want %q", c.limit, got, c.want)
		}
	}
}

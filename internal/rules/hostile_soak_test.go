//go:build soak

package rules

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestSoakHostileFiles runs all rules over files that make two lists long at once: what compares all with all does not
// end in the time of a test.
func TestSoakHostileFiles(t *testing.T) {
	many := func(format string, n int) string {
		var text strings.Builder
		for i := range n {
			text.WriteString(strings.ReplaceAll(format, "#", fmt.Sprint(i)))
		}
		return text.String()
	}
	const n = 10_000
	const pyTest, jsTest = "def test_a#():\n    assert f(#) == 1\n", "test('a#', () => { expect(f(#)).toBe(1); });"
	steps := "on: pull_request\njobs:\n  a:\n    steps:\n"
	long := many("c# && ", n) + "x" // a condition of one line
	for _, shape := range []struct{ name, file, base, head string }{
		{"steps of one job that never run", ".github/workflows/a.yml", steps + many("      - run: pytest a\n", n), steps + many("      - {run: pytest a, if: false}\n", n/2)},
		{"scopes for many jobs", ".github/workflows/a.yml", "permissions: {}\njobs:\n" + many("  a#: {permissions: {}, steps: [{run: x}]}\n", n/4),
			"permissions:\n" + many("  s#: write\n", n/2) + "jobs:\n" + many("  a#: {steps: [{run: x}]}\n", n/4)},
		{"secrets in one script", ".github/workflows/a.yml", steps, steps + "      - run: |\n" + many("          ${{ secrets.A# }}\n", n*3/4)},
		{"pipes", "a.sh", "set -e\n", many(strings.Repeat("pytest||:||", 700)+"\\\n", 30)},
		{"arguments", "package.json", `{"scripts":{"test":"pytest ` + many("-a# x ", 5*n) + `"}}`, `{"scripts":{"test":"pytest ` + many("-b# x ", 5*n) + `"}}`},
		{"names of files", "pytest.ini", "[pytest]\npython_files =\n" + many("  a#.py\n", 5*n), "[pytest]\npython_files = q.py\n" + many("  a#.py\n", 5*n)},
		{"reasons that are constants", "ATests.cs", many("[Fact]\npublic void A#() {\n Assert.Equal(1, F());\n}\n", n), many("[Fact(Skip = R#)]\npublic void A#() {\n Assert.Equal(1, F());\n}\n", n)},
		{"skips of a module", "test_a.py", many(pyTest, n), many("pytestmark = pytest.mark.skip\n", n) + many(pyTest, n)},
		{"tests on one line", "a.test.js", many(jsTest, n), many(strings.Replace(jsTest, "test(", "test.skip(", 1), n)},
		{"tests on one line that change", "a.test.js", many(jsTest, n), many(jsTest, n-1) + strings.ReplaceAll(jsTest, "#", "9999") + " "},
		{"tests on one line that go", "a.test.js", many(jsTest, n), many(strings.ReplaceAll(jsTest, "a#", "b#"), n)},
		{"a long head around assertions", "test_a.py", "def test_a():\n" + many("    assert f(#) == 1\n", n), "def test_a():\n    if " + long + ":\n" + many("        assert f(#) == 1\n", n)},
		{"a long head around lines of tests", "test_a.py", many(pyTest, n), "def h(a=" + long + "):\n" + many("    assert f(#) == 1\n", n)},
		{"rules that are ignored", "pyproject.toml", "[tool.ruff.lint]\nselect = [\n" + many("\"E#\",\n", 2*n) + "]\n", "[tool.ruff.lint]\nignore = [\n" + many("\"F#\",\n", 2*n) + "]\n"},
		{"carriage returns in a comment", "a.go", "package a\n", "package a\n//" + strings.Repeat("\r", 50*n) + "\n"},
	} {
		archive := &txtar.Archive{Files: []txtar.File{{Name: "base/" + shape.file, Data: []byte(shape.base)}, {Name: "head/" + shape.file, Data: []byte(shape.head)}}}
		t.Run(shape.name, func(t *testing.T) { hits(changeOf(t, archive)) })
	}
	files := &txtar.Archive{}
	for i := range n / 2 { // each declares what skips
		name, old := fmt.Sprintf("test_a%d.py", i), strings.ReplaceAll(pyTest, "#", fmt.Sprint(i))
		files.Files = append(files.Files, txtar.File{Name: "base/" + name, Data: []byte(old)},
			txtar.File{Name: "head/" + name, Data: fmt.Appendf(nil, "s%d = pytest.mark.skip\n@s%d\n%s", i, i, old)})
	}
	t.Run("many files that skip", func(t *testing.T) { hits(changeOf(t, files)) })
	moved := &txtar.Archive{Files: []txtar.File{{Name: "base/a.test.js", Data: []byte(many(jsTest, n))}, {Name: "head/b.test.js", Data: []byte(many(jsTest, n))}}}
	t.Run("tests on one line that move", func(t *testing.T) { hits(changeOf(t, moved)) })
}

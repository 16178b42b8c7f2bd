package start_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/start"
	"github.com/closeout-gate/closeout/internal/testkit/memory"
	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/glob"
	"github.com/closeout-gate/closeout/verify/input"
)

func TestMain(m *testing.M) {
	memory.Use()
	m.Run()
}

const goTestText = "package a\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {}\n"

// TestNames plans contracts for repositories with names that no person would choose.
func TestNames(t *testing.T) {
	for _, dir := range []string{
		"a\nb", "a\x00b", "\xff\xfe", "a\tb", "**", "*", "{a", "a}", "[a", "!a", `a\b`, "a'b", `a"b`, "${{ x }}", "$(x)", "-x", "...", "~", "#a", " ", "a ", "\u00a0",
		"\u202ea", strings.Repeat("n", 300), "é", "e\u0301",
	} {
		files := map[string]string{
			"go.mod": "module a\n", "a_test.go": goTestText,
			dir + "/go.mod": "module b\n", dir + "/a_test.go": goTestText,
			dir + "/package.json": `{"scripts": {"test": "vitest"}}`, dir + "/package-lock.json": "{}",
			dir + "/pyproject.toml": "[project]\n[tool.pytest.ini_options]\n", dir + "/test_a.py": "def test_a(): pass\n", dir + "/requirements.txt": "pytest",
		}
		list, source := commit(files)
		for _, yaml := range []bool{false, true} {
			plan, err := start.New(list, source, start.Options{YAML: yaml})
			if err != nil {
				t.Fatalf("%q: %v", dir, err)
			}
			c := parsed(t, plan.Files[0])
			lintWorkflow(t, plan)
			if text := workflowOf(t, plan); strings.Contains(text, "${{ x }}") {
				t.Errorf("%q: the workflow contains the name as an expression", dir)
			}
			var patterns []glob.Pattern
			for _, p := range c.AllowedFiles {
				if p.Glob.Universal() {
					t.Errorf("%q: the pattern %s matches everything", dir, p.Value)
				}
				patterns = append(patterns, p.Glob)
			}
			told := slices.ContainsFunc(plan.Notes, func(n string) bool { return strings.Contains(n, "is not allowed") })
			if !glob.Compile(patterns).Match(dir+"/new") && !told {
				t.Errorf("%q is not allowed, and no note says so: %q", dir, plan.Notes)
			}
		}
	}
}

// TestLarge plans contracts for large files and many of them.
func TestLarge(t *testing.T) {
	large := strings.Repeat(" ", 2<<20)
	files := map[string]string{"go.mod": "module a\n", "a_test.go": goTestText, "package.json": "{" + large + "}", "Cargo.toml": large, "Makefile": large}
	for i := range 300 {
		files[fmt.Sprintf("file%d", i)] = ""
		files[fmt.Sprintf("d%d/package.json", i)] = `{"scripts": {"test": "jest"}}`
		files[fmt.Sprintf("d%d/yarn.lock", i)] = ""
	}
	list, source := commit(files)
	plan, err := start.New(list, source, start.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := parsed(t, plan.Files[0])
	if len(c.Criteria) != 12 {
		t.Errorf("%d criteria", len(c.Criteria))
	}
	notes := strings.Join(plan.Notes, "\n")
	for _, want := range []string{`"package.json" was not read`, `"Cargo.toml" was not read`, "allowed by the pattern *", "test commands were found"} {
		if !strings.Contains(notes, want) {
			t.Errorf("the notes lack %q: %s", want, notes)
		}
	}
}

// TestManyGoTests plans the contract of a module whose report would be larger than the gate reads.
func TestManyGoTests(t *testing.T) {
	for tests, counted := range map[int]bool{500: true, 501: false} {
		text := "package a\n"
		for i := range tests {
			text += fmt.Sprintf("func Test%d(t *testing.T) {}\n", i)
		}
		list, source := commit(map[string]string{"go.mod": "module a\n", "a_test.go": text})
		plan, err := start.New(list, source, start.Options{})
		if err != nil {
			t.Fatal(err)
		}
		c := parsed(t, plan.Files[0])
		told := strings.Contains(strings.Join(plan.Notes, "\n"), "more than 500 tests")
		if (c.Criteria[0].TestReport != "") != counted || (c.Tests != nil) != counted || told == counted {
			t.Errorf("%d tests: %+v, %q", tests, c.Criteria, plan.Notes)
		}
	}
}

// TestExisting checks that a contract and a workflow of the repository are kept.
func TestExisting(t *testing.T) {
	files := map[string]string{"README.md": "", ".github/workflows/gate.yml": "      - uses: closeout-gate/closeout@v0\n"}
	list, source := commit(files)
	plan, err := start.New(list, source, start.Options{Contract: ".closeout/scope_contract.yml"})
	if err != nil || len(plan.Files) != 0 || plan.Contract != ".closeout/scope_contract.yml" || len(plan.Notes) != 1 {
		t.Errorf("%v: %+v", err, plan)
	}
}

// FuzzNew wants a contract that the parser accepts, whatever the manifests contain, or the error that there are no tests.
func FuzzNew(f *testing.F) {
	f.Add(`{"scripts": {"test": "vitest run --project a*", "lint": "eslint --cache ."}, "devDependencies": {"eslint": "1"}}`,
		"[project]\n[dependency-groups]\n\"a'b\" = [\"pytest\"]\n[tool.ruff.lint]\n", "[workspace]\n", "test:\n", "d")
	f.Add(`{"workspaces": [], "packageManager": "yarn@4"}`, "[tool.pytest.ini_options]\naddopts = [\"-k\", \"x\"]\n", "a = 1", "check: test\n", "a b")
	f.Fuzz(func(t *testing.T, pkg, pyproject, cargo, makefile, dir string) {
		if dir == "" || strings.Contains(dir, "/") || strings.HasSuffix(dir, "!") || dir == "." || dir == ".." {
			return
		}
		list, source := commit(map[string]string{
			"package.json": pkg, "pyproject.toml": pyproject, "Cargo.toml": cargo, "Makefile": makefile, "uv.lock": "", "src/lib.rs": "#[test]\n",
			"tests/test_a.py": "def test_a(): pass\n", "eslint.config.js": "", dir + "/package.json": pkg, dir + "/package-lock.json": "", dir + "/pyproject.toml": pyproject,
		})
		plan, err := start.New(list, source, start.Options{})
		if errors.Is(err, start.ErrNoTests) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, errs := contract.Parse(plan.Files[0].Path, plan.Files[0].Data, input.DefaultLimits()); errs.Any() {
			t.Errorf("%v in %s", errs.All(), plan.Files[0].Data)
		}
	})
}

// TestIgnored compares Ignored with git.
func TestIgnored(t *testing.T) {
	dir := t.TempDir()
	git := func(args ...string) error {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull)
		return cmd.Run()
	}
	if err := git("init", "-q"); err != nil {
		t.Fatal(err)
	}
	paths := []string{
		".closeout/evidence/x", "verification_report.json", "node_modules/x", "a/node_modules/x", ".closeout/scope_contract.json", "target/x", "x.egg-info/x", "a/{x}",
	}
	for _, text := range []string{
		"", "#.closeout", ".closeout", ".closeout/", "/.closeout/evidence", ".closeout/evidence/", "evidence", "evidence/", "*.json", "/*.json\n!verification_report.json",
		".closeout/*\n!.closeout/evidence", ".closeout\n!.closeout/evidence", "**/evidence", "**/evidence/**", ".closeout/**", ".*", "*", "*\n!.closeout/",
		"node_modules", "/node_modules", "node_modules/ ", "node_modules\\ ", "a/**/node_modules", "target\r\n", "ta[a-r]get", "ta?get/", "!target", "[", "x.egg-info\n!x.egg-info/",
		"/a/{x}", `/a/\{x\}`, "/a/{x,y}", "a/[!b]x}",
	} {
		if err := os.WriteFile(filepath.Join(dir, ".gitignore"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			want := git("check-ignore", "-q", "--no-index", path) == nil
			if got := start.Ignored(text, path); got != want {
				t.Errorf("%q with %q: %t, git says %t", path, text, got, want)
			}
		}
	}
}

func TestWithIgnored(t *testing.T) {
	for _, c := range []struct {
		text, want string
		missing    int
	}{
		{"", "/e/\n/r\n", 2},
		{"a", "a\n/e/\n/r\n", 2},
		{"a\r\ne/\r\n", "a\r\ne/\r\n/r\r\n", 1},
		{"e\nr\n", "e\nr\n", 0},
	} {
		got, missing := start.WithIgnored(c.text, []string{"/e/", "/r"})
		if got != c.want || len(missing) != c.missing {
			t.Errorf("%q: %q, %q", c.text, got, missing)
		}
	}
	if got, _ := start.WithIgnored("*.py[cod]\n", []string{"__pycache__/"}); got != "*.py[cod]\n" {
		t.Errorf("a repository that ignores *.pyc gets %q", got)
	}
}

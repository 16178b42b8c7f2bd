package toolchain_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/toolchain"
	"github.com/closeout-gate/closeout/internal/toolchain/keydiff"
	"github.com/closeout-gate/closeout/verify/glob"
	"github.com/closeout-gate/closeout/verify/policy"
)

// TestTable checks what the compiler cannot: patterns, places of paths, and names that two rows claim.
func TestTable(t *testing.T) {
	seen := map[string]string{}
	for _, e := range toolchain.Ecosystems {
		var patterns []string
		for _, list := range [][]string{e.Manifests, e.Tests, e.Config} {
			patterns = append(patterns, list...)
		}
		for i := range e.Runners {
			r := &e.Runners[i]
			if r.Manifest != "" {
				patterns = append(patterns, r.Manifest, r.Test)
			}
			if _, err := regexp.Compile(r.Script); err != nil {
				t.Errorf("%s: %v", e.Name, err)
			}
			for _, command := range r.Commands {
				if other := seen[command]; other != "" {
					t.Errorf("%s: %q is of %s too", e.Name, command, other)
				}
				seen[command] = e.Name
			}
			counted := r.Report.Stdout || r.Report.Env != "" || strings.Contains(strings.Join(r.Report.Args, " "), "{}") || r.ID == "nextest"
			if (r.Report.File != "") != counted {
				t.Errorf("%s: the report of %q has a file and no way to write it, or the other way round", e.Name, r.Commands)
			}
		}
		for _, text := range patterns {
			p, err := glob.Parse(text)
			if err != nil || p.Universal() {
				t.Errorf("%s: the pattern %q is no pattern of a contract: %v", e.Name, text, err)
			}
		}
	}
}

// TestProtected checks that a change may not freely touch what the table names: the policy protects it, and reads it by its keys where
// some are harmless, unless the table frees it.
func TestProtected(t *testing.T) {
	var whole, keyed []string
	for i := range policy.BuiltIn {
		if entry := &policy.BuiltIn[i]; entry.Whole() {
			whole = append(whole, entry.Patterns...)
		} else {
			keyed = append(keyed, entry.Patterns...)
		}
	}
	protected := toolchain.Globs(append(whole, keyed...)...)
	for _, e := range toolchain.Ecosystems {
		var names []string
		for i := range e.Runners {
			names = append(append(names, e.Runners[i].Files...), e.Runners[i].Wrapper)
		}
		for _, name := range append(names, e.Manifests...) {
			example := strings.NewReplacer("{gradle,gradle.kts}", "gradle", "{cs,fs,vb}", "fs", "{sln,slnx}", "slnx", "{Makefile,makefile,GNUmakefile}", "GNUmakefile", "{Justfile,justfile,.justfile}", "justfile", "**/", "", "*", "x").Replace(name)
			if name != "" && protected.Match(example) == slices.Contains(e.Free, name) {
				t.Errorf("%s: %s is protected: %v", e.Name, example, protected.Match(example))
			}
		}
		for _, k := range e.Keyed {
			if example := strings.NewReplacer("{gradle,gradle.kts}", "gradle.kts", "{cs,fs,vb}", "vb", "{sln,slnx}", "sln", "{props,targets}", "targets", "*", "x").Replace(k.Pattern); keydiff.KindOf(example) == nil ||
				toolchain.Globs(whole...).Match(example) {
				t.Errorf("%s: nothing reads the keys of %s, or all of it is protected", e.Name, example)
			}
		}
	}
}

// TestPage checks that the page shows the globs of every ecosystem for which init writes them.
func TestPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/start.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range toolchain.Ecosystems {
		reports := slices.ContainsFunc(e.Runners, func(r toolchain.Runner) bool { return r.Report.File != "" })
		for _, text := range e.Tests {
			if shown := strings.Contains(string(page), "`"+text+"`"); reports && !shown {
				t.Errorf("docs/start.md lacks the glob %s of %s", text, e.Name)
			}
		}
	}
}

// TestPaths checks the globs of tests: what is one, and what looks alike.
func TestPaths(t *testing.T) {
	for _, c := range []struct {
		ecosystem  *toolchain.Ecosystem
		tests, not string
	}{
		{&toolchain.Go, "a_test.go b/c_test.go testdata/x a/testdata/b/c", "a.go testing.go a/test.go"},
		{&toolchain.JavaScript, "a.test.ts src/b.spec.jsx src/__tests__/a.js a/__snapshots__/a.snap test/a.js e2e/b.ts", "src/a.ts testing/a.ts"},
		{&toolchain.Python, "tests/a.py a/test/b test_a.py a/b_test.py conftest.py a/conftest.py", "a.py testing/a.py latest.py"},
		{&toolchain.Rust, "tests/a.rs src/tests.rs src/a_test.rs src/snapshots/a.snap", "src/lib.rs src/test.rs"},
		{&toolchain.JVM, "src/test/java/A.java a/src/integrationTest/B.kt src/testFixtures/c", "src/main/A.java"},
		{&toolchain.DotNet, "test/a A.Tests/B.cs src/A.Test/B.cs", "src/A.cs Testing/a.cs"},
		{&toolchain.Ruby, "spec/a_spec.rb test/a.rb features/a.feature", "lib/a.rb a.gemspec"},
		{&toolchain.PHP, "tests/A.php src/ATest.php", "src/A.php"},
		{&toolchain.Elixir, "test/a.exs apps/a/test/b/c.exs lib/a_test.exs", "mix.exs test/support/a.ex"},
		{&toolchain.C, "test/a.c tests/b src/a_test.cc src/b_unittest.cpp", "src/a.c"},
	} {
		set := toolchain.Globs(c.ecosystem.Tests...)
		for _, p := range strings.Fields(c.tests) {
			if !set.Match(p) {
				t.Errorf("%s: %s is no test", c.ecosystem.Name, p)
			}
		}
		for _, p := range strings.Fields(c.not) {
			if set.Match(p) {
				t.Errorf("%s: %s is a test", c.ecosystem.Name, p)
			}
		}
	}
}

func TestRunnerOf(t *testing.T) {
	for command, want := range map[string]string{
		"go test ./...": "Go", "/usr/bin/go -C a test": "Go", "go vet": "", "go": "", "pytest -x": "Python", "./gradlew test": "JVM",
		"npm test": "JavaScript", "npm ci": "", "cargo nextest run": "Rust", "make test": "", "": "",
	} {
		name := ""
		if e, r := toolchain.RunnerOf(strings.Fields(command)); e != nil && r != nil {
			name = e.Name
		}
		if name != want {
			t.Errorf("%q is of %q, want %q", command, name, want)
		}
	}
	if r := toolchain.PHP.RunnerOfScript("vendor/bin/phpunit"); r == nil || r.ID != "php" {
		t.Errorf("the runner of the script is %v", r)
	}
	if r := toolchain.PHP.RunnerOfScript("phpunit && true"); r != nil {
		t.Errorf("a script of two commands is one call of %v", r.Commands)
	}
	_, pytest := toolchain.RunnerOf([]string{"pytest"})
	if got := pytest.Report.Options("a.xml"); !slices.Equal(got, []string{"--junitxml=a.xml", "--continue-on-collection-errors"}) {
		t.Errorf("the options are %q", got)
	}
}

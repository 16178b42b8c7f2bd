package start

import (
	"regexp"
	"strings"

	"github.com/closeout-gate/closeout/verify/input"
)

const rustTest = `(?m)^\s*#\[(?:\w+::)*(?:test|rstest|test_case|quickcheck)\b`

// rust finds the packages with tests. Cargo has no report that a stable version can write.
func (s *starter) rust() {
	for _, dir := range outermost(s.usable("Cargo.toml", s.dirsOf("Cargo.toml"))) {
		file := join(dir, "Cargo.toml")
		manifest := s.toml(file)
		inDir := func(p string) bool { return below(p, dir) && strings.HasSuffix(p, ".rs") }
		if manifest == nil || s.count(rustTest, inDir, "") == 0 {
			continue
		}
		if s.has(join(dir, "pyproject.toml")) && !s.called("cargo test") { // a module of Python may not link by itself
			s.note(file + " was left out: it is built for Python, and nothing calls cargo test")
			continue
		}
		run := []string{"cargo", "test"}
		if w := manifest.at("workspace"); w != nil && w["default-members"] == nil {
			run = []string{"cargo", "test", "--workspace"}
		}
		s.add(&criterion{id: "cargo", run: run, cwd: dir, why: "cargo test; stable Cargo writes no test report"})
		s.leaves("target/")
		if lock := join(dir, "Cargo.lock"); !s.has(lock) {
			s.note(lock + " is not tracked, and cargo test writes it: commit it, or add it to .gitignore")
		}
	}
}

// composer finds a script test of Composer.
func (s *starter) composer() {
	if script := member(s.json("composer.json"), "scripts", "test"); script.Kind == input.KindList ||
		script.Kind == input.KindString && !regexp.MustCompile(placeholder).MatchString(script.Text) {
		s.add(&criterion{id: "php", run: []string{"composer", "test"}, cwd: ".", why: "the script test of composer.json"})
		s.leaves("/vendor/")
		s.prepare(".", composerInstall)
	}
}

const composerInstall = "composer install --no-interaction"

// kind is a kind of repositories that a file in the root and the name of a test tell.
type kind struct {
	id       string // the first kind of an id counts
	manifest string // pattern of a file in the root
	tests    string // pattern of the path of a test
	wrapper  string // a program of the repository that takes the place of the first word, if it can be executed
	run      []string
	report   string // name of the test report
	leaves   []string
	setup    string
	why      string
}

var kinds = []kind{
	{
		id: "gradle", manifest: `^(?:build|settings)\.gradle(?:\.kts)?$`, tests: `(?:^|/)src/test/`, wrapper: "gradlew",
		run: []string{"gradle", "test", "--rerun-tasks"}, leaves: []string{".gradle/", "build/"},
		why: "the task test; --rerun-tasks, because a cached result is not a run",
	},
	{
		id: "maven", manifest: `^pom\.xml$`, tests: `(?:^|/)src/test/`, wrapper: "mvnw",
		run: []string{"mvn", "--batch-mode", "test"}, leaves: []string{"target/"}, why: "the phase test",
	},
	{
		id: "php", manifest: `^phpunit(?:\.dist)?\.xml(?:\.dist)?$`, tests: `Test\.php$`, report: "phpunit.xml",
		run: []string{"./vendor/bin/phpunit", "--log-junit", evidence + "/phpunit.xml"}, leaves: []string{"/vendor/", ".phpunit.result.cache", ".phpunit.cache/"},
		setup: composerInstall, why: "PHPUnit; JUnit XML is built in",
	},
	{
		id: "ruby", manifest: `^Gemfile$`, tests: `^spec/.*_spec\.rb$`, run: []string{"bundle", "exec", "rspec"},
		setup: "bundle install", why: "RSpec",
	},
	{
		id: "ruby", manifest: `^config\.ru$`, tests: `^test/.*_test\.rb$`, run: []string{"bundle", "exec", "rails", "test"},
		setup: "bundle install", why: "the tests of Rails",
	},
	{
		id: "ruby", manifest: `^Rakefile$`, tests: `^test/.*(?:_test|test_\w+)\.rb$`, run: []string{"bundle", "exec", "rake", "test"},
		setup: "bundle install", why: "the task test of the Rakefile",
	},
	{
		id: "mix", manifest: `^mix\.exs$`, tests: `_test\.exs$`, run: []string{"mix", "test"}, leaves: []string{"/_build/", "/deps/"},
		setup: "mix deps.get", why: "ExUnit",
	},
	{
		id: "dotnet", manifest: `^[^/]*\.(?:slnx?|csproj|fsproj)$`, tests: `Tests?\.(?:cs|fs)proj$`, run: []string{"dotnet", "test"},
		leaves: []string{"bin/", "obj/"}, why: "the test projects of the solution",
	},
}

// otherKinds finds the kinds of the table.
func (s *starter) otherKinds() {
	for i := range kinds {
		k := &kinds[i]
		manifest, tests := regexp.MustCompile(k.manifest), regexp.MustCompile(k.tests)
		if s.hasCriterion(k.id) || !s.any(manifest.MatchString) || !s.any(tests.MatchString) {
			continue
		}
		c := &criterion{id: k.id, run: k.run, cwd: ".", why: k.why}
		if k.wrapper != "" && s.has(k.wrapper) && s.byPath[k.wrapper].NewMode == "100755" {
			c.run = words([]string{"./" + k.wrapper}, k.run[1:])
		}
		if k.report != "" {
			c.report, c.tests = reportPath(k.report, "."), 1
		}
		s.add(c)
		s.leaves(k.leaves...)
		if k.setup != "" {
			s.prepare(".", k.setup)
		}
	}
}

// taskRunner is a program that runs targets of a file.
type taskRunner struct {
	program string
	files   []string
	target  string // pattern of a target test or check
}

var taskRunners = []taskRunner{
	{"make", []string{"GNUmakefile", "makefile", "Makefile"}, `(?m)^(test|check)(?:[ \t][^:=\n]*)?::?(?:[^=]|$)`},
	{"just", []string{"justfile", "Justfile", ".justfile"}, `(?m)^@?(test|check)(?:[ \t][^:\n]*)?:(?:[^=]|$)`},
	{"task", []string{"Taskfile.yml", "Taskfile.yaml"}, `(?m)^[ \t]+["']?(test|check)["']?:`},
}

// targets finds a target test or check, where no language's own files say how the repository is tested.
func (s *starter) targets() {
	for i := range taskRunners {
		r := &taskRunners[i]
		file := s.first(".", r.files...)
		if m := regexp.MustCompile(r.target).FindStringSubmatch(s.text(file)); m != nil {
			s.add(&criterion{id: r.program, run: []string{r.program, m[1]}, cwd: ".", why: "the target " + m[1] + " of " + file})
			return
		}
	}
}

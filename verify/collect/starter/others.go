package starter

import (
	"path"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/strict"
)

var (
	rustTest   = strict.Lazily(`(?m)^\s*#\[(?:\w+::)*(?:test|rstest|test_case|quickcheck)\b`)
	rubyTest   = strict.Lazily(`_(?:spec|test)\.rb$`)
	makeTarget = strict.Lazily(`(?m)^(test|check)(?:[ \t][^:=\n]*)?::?(?:[^=]|$)`)
	justRecipe = strict.Lazily(`(?m)^@?(test|check)(?:[ \t][^:\n]*)?:(?:[^=]|$)`)
	taskTarget = strict.Lazily(`(?m)^[ \t]+["']?(test|check)["']?:`)
)

// rust finds the packages with tests. Cargo has no report that a stable version can write.
func (s *starter) rust() {
	for _, dir := range outermost(s.usable("Cargo.toml", s.dirsOf("Cargo.toml"))) {
		manifest := s.toml(join(dir, "Cargo.toml"))
		inDir := func(p string) bool { return below(p, dir) && strings.HasSuffix(p, ".rs") }
		if manifest == nil || s.count(rustTest(), inDir, nil) == 0 {
			continue
		}
		run := []string{"cargo", "test"}
		if w := manifest.at("workspace"); w != nil && w["default-members"] == nil {
			run = append(run, "--workspace")
		}
		s.add(criterion{id: "cargo", run: run, cwd: dir, why: "cargo test; stable Cargo writes no test report"})
		s.leaves("target/")
		if !s.has(join(dir, "Cargo.lock")) {
			s.note("%s is not tracked, and cargo test writes it: commit it, or add it to .gitignore", join(dir, "Cargo.lock"))
		}
	}
}

// jvm finds Gradle and Maven in the root.
func (s *starter) jvm() {
	hasTests := s.any(func(p string) bool { return strings.Contains("/"+p, "/src/test/") })
	build := s.first(".", "build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts")
	switch {
	case !hasTests:
	case build != "":
		program := "gradle"
		if s.executable("gradlew") {
			program = "./gradlew"
		}
		s.add(criterion{
			id: "gradle", run: []string{program, "test", "--rerun-tasks"}, cwd: ".",
			why: "the task test; --rerun-tasks, because a cached result is not a run",
		})
		s.leaves(".gradle/", "build/")
	case s.has("pom.xml"):
		program := "mvn"
		if s.executable("mvnw") {
			program = "./mvnw"
		}
		s.add(criterion{id: "maven", run: []string{program, "--batch-mode", "test"}, cwd: ".", why: "the phase test"})
		s.leaves("target/")
	}
}

// php finds a script test of Composer, or PHPUnit.
func (s *starter) php() {
	if !s.has("composer.json") {
		return
	}
	pkg := s.json("composer.json")
	script := member(pkg, "scripts", "test")
	switch {
	case script.Kind == strict.KindList || script.Kind == strict.KindString && !placeholder().MatchString(script.Text):
		s.add(criterion{id: "composer", run: []string{"composer", "test"}, cwd: ".", why: "the script test of composer.json"})
	case s.first(".", "phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml") != "" && member(pkg, "require-dev", "phpunit/phpunit").Kind == strict.KindString:
		report := reportPath("phpunit.xml", ".")
		s.add(criterion{
			id: "phpunit", run: []string{"./vendor/bin/phpunit", "--log-junit", report}, cwd: ".", report: report, tests: 1,
			why: "PHPUnit; JUnit XML is built in",
		})
	default:
		return
	}
	s.leaves("/vendor/", ".phpunit.result.cache", ".phpunit.cache/")
	s.prepare(".", "composer install --no-interaction")
}

// ruby finds RSpec and the task test of Rake.
func (s *starter) ruby() {
	gems := s.text(s.first(".", "Gemfile"))
	in := func(dir string) bool {
		return s.any(func(p string) bool { return below(p, dir) && rubyTest().MatchString(p) })
	}
	var run []string
	switch {
	case gems == "":
		return
	case in("spec"):
		run = []string{"bundle", "exec", "rspec"}
	case in("test") && s.executable("bin/rails"):
		run = []string{"bin/rails", "test"}
	case in("test") && names(s.text("Rakefile"), "TestTask"):
		run = []string{"bundle", "exec", "rake", "test"}
	default:
		return
	}
	s.add(criterion{id: "ruby", run: run, cwd: ".", why: "the tests of the Gemfile's own runner"})
	s.prepare(".", "bundle install")
}

func (s *starter) elixir() {
	if s.has("mix.exs") && s.any(func(p string) bool { return strings.HasSuffix(p, "_test.exs") }) {
		s.add(criterion{id: "mix", run: []string{"mix", "test"}, cwd: ".", why: "ExUnit"})
		s.leaves("/_build/", "/deps/")
		s.prepare(".", "mix deps.get")
	}
}

func (s *starter) dotnet() {
	project := func(p string) bool {
		return slices.Contains([]string{".sln", ".slnx", ".csproj", ".fsproj"}, path.Ext(p))
	}
	root := s.any(func(p string) bool { return path.Dir(p) == "." && project(p) })
	tests := s.any(func(p string) bool {
		return strings.HasSuffix(path.Ext(p), "proj") && project(p) && strings.Contains(s.text(p), "Microsoft.NET.Test.Sdk")
	})
	if root && tests {
		s.add(criterion{id: "dotnet", run: []string{"dotnet", "test"}, cwd: ".", why: "the test projects of the solution"})
		s.leaves("bin/", "obj/")
	}
}

// taskRunners finds a target test or check, where no language's own files say how the repository is tested.
func (s *starter) taskRunners() {
	for _, r := range []struct {
		program string
		files   []string
		target  func(text string) []string
	}{
		{"make", []string{"GNUmakefile", "makefile", "Makefile"}, func(text string) []string { return makeTarget().FindStringSubmatch(text) }},
		{"just", []string{"justfile", "Justfile", ".justfile"}, func(text string) []string { return justRecipe().FindStringSubmatch(text) }},
		{"task", []string{"Taskfile.yml", "Taskfile.yaml"}, func(text string) []string { return taskTarget().FindStringSubmatch(text) }},
	} {
		file := s.first(".", r.files...)
		if m := r.target(s.text(file)); m != nil {
			s.add(criterion{id: r.program, run: []string{r.program, m[1]}, cwd: ".", why: "the target " + m[1] + " of " + file})
			return
		}
	}
}

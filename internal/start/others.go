package start

import (
	"path"
	"regexp"
	"strings"

	"github.com/closeout-gate/closeout/internal/toolchain"
	"github.com/closeout-gate/closeout/verify/input"
)

const rustTest = `(?m)^\s*#\[(?:\w+::)*(?:test|rstest|test_case|quickcheck)\b`

// rust finds the packages with tests. Cargo has no report that a stable version can write.
func (s *starter) rust() {
	_, r := toolchain.RunnerOf([]string{"cargo", "test"})
	for _, dir := range outermost(s.usable("Cargo.toml", s.dirsOf(toolchain.Rust.Manifests...))) {
		file := join(dir, "Cargo.toml")
		manifest := s.toml(file)
		inDir := func(p string) bool { return isIn(p, dir) && strings.HasSuffix(p, ".rs") }
		if manifest == nil || s.count(rustTest, inDir, "") == 0 {
			continue
		}
		if s.has(join(dir, "pyproject.toml")) && !s.called("cargo test") { // a module of Python may not link by itself
			s.note(file + " was left out: it is built for Python, and nothing calls cargo test")
			continue
		}
		var all []string
		if w := manifest.tableAt("workspace"); w != nil && w["default-members"] == nil {
			all = []string{"--workspace"}
		}
		c := &criterion{id: r.ID, run: words(r.Run, all), cwd: dir, why: r.Why}
		s.add(c)
		c.none = r.Report.None
		if dir == "." && s.nextest(all) {
			c.none = "cargo-nextest runs the same tests, without those in documentation"
		}
		s.leaves(r.Leaves...)
		if lock := join(dir, "Cargo.lock"); !s.has(lock) {
			s.note(lock + " is not tracked, and cargo test writes it: commit it, or add it to .gitignore")
		}
	}
}

// nextest adds a criterion for cargo-nextest, which runs no documentation tests, where its configuration names a report.
func (s *starter) nextest(all []string) bool {
	config := s.toml(".config/nextest.toml")
	for _, profile := range sortedKeys(config.tableAt("profile"), "ci", "default") {
		file, _ := config.tableAt("profile", profile, "junit")["path"].(string)
		if config.tableAt("store") != nil || !matches(`^[\w-]+$`, profile) || !matches(`^[\w-]+\.xml$`, file) {
			continue
		}
		e, r := toolchain.RunnerOf([]string{"cargo", "nextest"})
		command := strings.Join(words(words(r.Run, all), []string{"--profile", profile}), " ")
		report := reportPath(r.Report.File, ".")
		s.add(&criterion{
			id: r.ID, cwd: ".", report: report, tests: 1, why: r.Why, ecosystem: e,
			run: []string{"sh", "-c", command + "; s=$?; cp target/nextest/" + profile + "/" + file + " " + report + "; exit $s"},
		})
		s.prepare(".", r.Setup)
		return true
	}
	return false
}

// composer finds a script test of Composer.
func (s *starter) composer() {
	script := s.json("composer.json").At("scripts", "test")
	if script.Kind != input.KindList && (script.Kind != input.KindString || matches(placeholder, script.Text)) {
		return
	}
	e, phpunit := toolchain.RunnerOf([]string{"phpunit"})
	only := matches(`^(?:@php )?(?:\./)?vendor/bin/phpunit$`, script.Text)
	if only && s.any(toolchain.Globs(phpunit.Manifest).Match) && s.any(toolchain.Globs(phpunit.Test).Match) {
		return // the runner itself: composer may run any script
	}
	c := &criterion{id: phpunit.ID, run: []string{"composer", "test"}, cwd: ".", why: "the script test of composer.json", ecosystem: e}
	if e.RunnerOfScript(strings.TrimSpace(script.Text)) == nil {
		c.none = "its script is not one plain call of PHPUnit"
	} else {
		c.run = words(c.run, []string{"--"})
		c.counted(&phpunit.Report, 0, ".")
	}
	s.add(c)
	s.tool(e.Setup[0].Tool)
	s.leaves(phpunit.Leaves...)
	s.prepare(".", phpunit.Setup)
}

// otherKinds finds the runners that a file in the root and the name of a test show. The first of a name counts.
func (s *starter) otherKinds() {
	for _, e := range toolchain.Ecosystems {
		for i := range e.Runners {
			r := &e.Runners[i]
			if r.Manifest == "" || s.hasCriterion(r.ID) || !s.any(toolchain.Globs(r.Manifest).Match) || !s.any(toolchain.Globs(r.Test).Match) {
				continue
			}
			c := &criterion{id: r.ID, run: r.Run, cwd: ".", none: r.Report.None, why: r.Why, ecosystem: e}
			if r.Wrapper != "" && s.has(r.Wrapper) && s.byPath[r.Wrapper].NewMode == "100755" {
				c.run = words([]string{"./" + r.Wrapper}, r.Run[1:])
			}
			if base, ok := s.reportsFrom(r); ok {
				c.counted(&r.Report, 0, base)
			}
			s.add(c)
			s.leaves(r.Leaves...)
			if r.Setup != "" {
				s.prepare(".", r.Setup)
			}
			for _, action := range e.Setup {
				s.tool(action.Tool)
			}
		}
	}
}

// reportsFrom reports whether a runner writes a report here, and from which directory.
func (s *starter) reportsFrom(r *toolchain.Runner) (base string, ok bool) {
	switch r.Report.Package {
	case "":
		return ".", r.Report.File != ""
	case "rspec_junit_formatter":
		return ".", names(s.text("Gemfile.lock"), r.Report.Package)
	}
	isTest, projects := toolchain.Globs(r.Test), []string{}
	for _, f := range s.files {
		if isTest.Match(f.Path) {
			projects = append(projects, f.Path)
		}
	}
	text := s.text(projects[0])
	one := len(projects) == 1 && strings.Contains(text, "<TargetFramework>") // another project would write the same file
	return path.Dir(projects[0]), one && names(text, r.Report.Package)
}

// targetOf are the patterns of a target test or check, by the program that runs it.
var targetOf = map[string]string{
	"make": `(?m)^(test|check)(?:[ \t][^:=\n]*)?::?(?:[^=]|$)`,
	"just": `(?m)^@?(test|check)(?:[ \t][^:\n]*)?:(?:[^=]|$)`,
	"task": `(?m)^[ \t]+["']?(test|check)["']?:`,
}

// targets finds a target test or check, where no language's own files say how the repository is tested.
func (s *starter) targets() {
	for i := range toolchain.Make.Runners {
		r := &toolchain.Make.Runners[i]
		file := s.first(".", r.Files...)
		if m := regexp.MustCompile(targetOf[r.ID]).FindStringSubmatch(s.text(file)); file != "" && m != nil {
			s.add(&criterion{id: r.ID, run: []string{r.ID, m[1]}, cwd: ".", why: "the target " + m[1] + " of " + file})
			return
		}
	}
}

package rules

import (
	"path"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/internal/git/linediff"
	"github.com/closeout-gate/closeout/internal/source"
)

// narrowing are, by check: "." where its other arguments are paths and it checks everything without one, ":" where it
// does not, "f" where they choose tests by name, "-" where they are none of these; the options that make it check less;
// after the slash, those that it may not lose.
var narrowing = map[string]string{
	"pytest":        ". --ignore --ignore-glob --deselect -k -m --reruns --lf --last-failed --collect-only /",
	"unittest":      ": -k /",
	"go test":       ": -short -run -skip -c -list -n / -race",
	"go vet":        ": /",
	"gotestsum":     ": -short -run -skip --rerun-fails / -race",
	"vitest":        ". --exclude --passWithNoTests -t --testNamePattern --retry --changed /",
	"jest":          ". --testPathIgnorePatterns --passWithNoTests -t --testNamePattern --testPathPattern --onlyChanged -o /",
	"mocha":         ". --grep -g --fgrep -f --invert -i --retries --ignore --exclude /",
	"node --test":   ". --test-name-pattern --test-skip-pattern --test-only /",
	"playwright":    ". --grep --grep-invert -g --retries --project /",
	"cargo test":    "f --lib --bins --bin --doc --test --skip --exclude -p --package / --workspace --all --all-features --all-targets",
	"cargo nextest": "- --lib --retries -E --exclude -p / --workspace --all-features --all-targets",
	"cargo clippy":  "- --lib -A / --workspace --all-features --all-targets",
	"dotnet test":   ". --filter /",
	"mvn test":      "- -DskipTests -DskipITs -Dmaven.test.skip -Dtest -Dit.test -Dmaven.test.failure.ignore -Dsurefire.rerunFailingTestsCount -pl /",
	"gradle test":   "- -x --exclude-task --tests -PskipTests /",
	"rspec":         ". --tag -t -e --example --exclude-pattern /",
	"rails test":    ". -n --name -e --exclude /",
	"phpunit":       ". --exclude-group --group --filter --testsuite /",
	"tox":           "- -e --skip-missing-interpreters --skip-env --notest /",
	"nox":           "- -s -k -e /",
	"mypy":          ": --exclude --ignore-missing-imports / --strict",
	"tsc":           "- --skipLibCheck / --strict",
	"ruff check":    ". --ignore --exclude --extend-ignore --extend-exclude /",
	"eslint":        ": --quiet --ignore-pattern /",
	"flake8":        ". --ignore --extend-ignore --exclude --extend-exclude /",
	"pylint":        ": --disable -d --ignore --errors-only -E /",
	"golangci-lint": ". --new --new-from-rev --disable -D --disable-all --fast /",
	"":              "- --ignore --exclude --deselect -k --testPathIgnorePatterns --testNamePattern -t --grep --passWithNoTests --filter --skip -short -run /", // given to a script
}

// choosing are options whose value may change: only where they are new, less is checked.
const choosing = " -e -s -p --package -pl --project --test --bin "

// aliases are the checks that take the options of another one.
var aliases = map[string]string{
	"py.test": "pytest", "mvn verify": "mvn test", "mvn install": "mvn test", "mvn package": "mvn test",
	"mvnw test": "mvn test", "mvnw verify": "mvn test",
	"mvnw install": "mvn test", "mvnw package": "mvn test", "gradle build": "gradle test", "gradle check": "gradle test",
	"gradlew test":  "gradle test",
	"gradlew build": "gradle test", "gradlew check": "gradle test", "playwright test": "playwright",
}

// findNarrowedCheck finds commands that check less than the one that they replace, or try it until it passes, and
// scripts that do not run a check any more.
func findNarrowedCheck(c *Change, report func(Hit)) {
	var was, now []checkRun
	for _, f := range c.Files {
		if f.Base != nil && f.Head != nil && !foreign(f.Path) && scriptKind(f) != noScript {
			was, now = append(was, f.checkRuns(true)...), append(now, f.checkRuns(false)...)
		}
	}
	type key struct {
		file  *File
		check string
	}
	before, counts := map[key][]checkRun{}, map[string]int{} // counts: how many more there are now, by check
	for _, old := range was {
		before[key{old.file, old.check}] = append(before[key{old.file, old.check}], old)
		counts[old.check]--
	}
	for _, run := range now {
		counts[run.check]++
	}
	for _, run := range now {
		if list := before[key{run.file, run.check}]; len(list) > 0 {
			before[key{run.file, run.check}] = list[1:]
			run.report(&list[0], run.narrows(&list[0], counts[run.check] > 0), report)
		}
	}
	c.droppedChecks(was, now, report)
	for _, f := range c.Files {
		if f.Base != nil && f.Head != nil && !foreign(f.Path) &&
			isNamed(f.Path, "pytest.ini .pytest.ini pyproject.toml setup.cfg tox.ini") {
			old, run := pytestSettings(f, f.Base), pytestSettings(f, f.Head)
			if len(run.args)+len(run.names) > 0 { // else it may be in another file now
				run.report(&old, run.narrows(&old, false), report)
			}
		}
	}
}

func (r *checkRun) report(old *checkRun, how string, report func(Hit)) {
	if how == "" {
		return
	}
	report(Hit{
		File: r.file.Path, Line: r.line, Subject: r.check, Was: string(r.file.Base.Line(old.line)),
		Now:    string(r.file.Head.Line(r.line)),
		Detail: r.check + " checks less than before: " + how, Fix: "let it check what it checked, and fix what it finds",
	})
}

// droppedChecks finds scripts, targets and entries of package.json that do not run a check any more, where nothing in
// the change may run it instead. Workflows are compared as a whole; see removedChecks.
func (c *Change) droppedChecks(was, now []checkRun, report func(Hit)) {
	reported, runs, fresh := map[*File]bool{}, map[*File]map[string]bool{}, map[string]bool{}
	for _, run := range now {
		fresh[checkClass(run.check)] = true
	}
	elsewhereNow := slices.ContainsFunc(c.Files, func(f *File) bool {
		return f.Base == nil && f.Head != nil &&
			scriptKind(f) != noScript
	})
	for _, old := range was {
		f := old.file
		if isFlow(f.Path) || reported[f] || old.check == "codecov" || has(old.check, "report") || elsewhereNow ||
			fresh[checkClass(old.check)] {
			continue
		}
		if runs[f] == nil {
			runs[f] = f.checkClasses()
		}
		if !runs[f][checkClass(old.check)] && !runs[f][""] {
			reported[f] = true
			report(Hit{
				File: f.Path, Base: true, Line: old.line, Subject: old.check, Was: string(f.Base.Line(old.line)),
				Detail: "nothing runs " + old.check + " here any more", Fix: fixRestore,
			})
		}
	}
}

// checkClasses are the kinds of checks that a script runs at the head, with "" where an added line runs what is in
// another file.
func (f *File) checkClasses() map[string]bool {
	classes := map[string]bool{"": f.saysOtherwise() || slices.ContainsFunc(f.Added(), func(l linediff.Line) bool {
		return len(l.Text) <= maxShellLine && elsewhere(scriptLine(f, string(l.Text)))
	})}
	for n := 1; n <= f.Head.Lines(); n++ {
		if line := f.Head.Line(n); len(line) <= maxShellLine {
			for _, run := range f.runsIn(string(line)) {
				classes[checkClass(run.check)] = true
			}
		}
	}
	return classes
}

// saysOtherwise reports whether an added script of package.json only succeeds, which is said elsewhere, or only fails.
func (f *File) saysOtherwise() bool {
	return scriptKind(f) == packageScripts && slices.ContainsFunc(f.Added(), func(l linediff.Line) bool {
		script := scriptLine(f, string(l.Text[:min(len(l.Text), maxShellLine)]))
		return doesNothing(script) || failsLater(shellCommands(script))
	})
}

// pytestSettings are what the configuration of pytest gives to each run: options, and paths of tests. What a name of a
// test must be is an option, too.
func pytestSettings(f *File, v *source.File) checkRun {
	run := checkRun{file: f, check: "pytest", line: 1}
	for _, s := range settingsOf(v) {
		if !leadsToOne(s.Keys, "pytest|tool:pytest/* tool/pytest/* tool/pytest/ini_options/*") {
			continue
		}
		switch name := s.Keys[len(s.Keys)-1]; name {
		case "addopts":
			for _, c := range shellCommands(s.Value) {
				run.args = append(run.args, c.words...)
			}
		case "testpaths":
			run.args = append(strings.Fields(s.Value), run.args...) // in front of options, so that none is the value of one
		case "python_files", "python_classes", "python_functions":
			run.names = append(run.names, strings.Fields(name+"="+strings.Join(strings.Fields(s.Value), " "+name+"="))...)
		default:
			continue
		}
		if run.line == 1 || s.Keys[len(s.Keys)-1] == "addopts" {
			run.line = s.Line
		}
	}
	return run
}

// checkArguments are what stands behind the words that name a check.
func checkArguments(words []string, check string) []string {
	last := check[strings.LastIndexByte(check, ' ')+1:]
	i := slices.IndexFunc(words, func(w string) bool { return strings.TrimPrefix(path.Base(w), ":") == last })
	return words[i+1:]
}

// narrows says how a run checks less than another one, "" where it does not. With split, several runs may share its
// paths.
func (r *checkRun) narrows(old *checkRun, split bool) string {
	if r.tried && !old.tried {
		return "it is tried again where it fails"
	}
	for _, name := range old.names {
		if !slices.Contains(r.names, name) {
			return "without " + name
		}
	}
	if len(old.names) == 0 && len(r.names) > 0 && !slices.ContainsFunc(r.names,
		func(name string) bool { return has(strings.ToLower(name), "=test") }) {
		return r.names[0]
	}
	check := r.check
	if other := aliases[check]; other != "" {
		check = other
	}
	if program, _, _ := strings.Cut(check, " "); narrowing[check] == "" && isIn(program, scriptRunners) {
		check = "" // a script
	}
	table := strings.Fields(narrowing[check])
	if len(table) == 0 {
		return ""
	}
	needed := slices.Index(table, "/")
	for i, arg := range r.args {
		option, _, valued := strings.Cut(strings.Replace(arg, "-test.", "-", 1), "=")
		value := "" // that stands behind it
		if !valued && i+1 < len(r.args) && !begins(r.args[i+1], "-") {
			value = r.args[i+1]
		}
		fresh := !slices.Contains(old.args, arg) || (value != "" && !slices.Contains(old.args, value))
		if isIn(option, choosing) {
			fresh = !slices.ContainsFunc(old.args, func(arg string) bool { return begins(arg, option) })
		}
		if fresh && begins(arg, "-") && slices.Contains(table[1:needed], option) {
			return arg
		}
	}
	for _, option := range table[needed+1:] {
		if slices.Contains(old.args, option) && !slices.Contains(r.args, option) {
			return "without " + option
		}
	}
	computed := has(strings.Join(slices.Concat(r.args, old.args), " "), "$")
	was, now := old.paths(), r.paths()
	switch {
	case table[0] == "-", split, computed:
	case table[0] == "f":
		if len(now) > 0 && len(was) == 0 {
			return "only " + listed(now)
		}
	case fewerPaths(was, now, table[0] == "."):
		return "only " + listed(now)
	}
	return ""
}

// paths are the arguments that are no options, and not the value of one that narrows.
func (r *checkRun) paths() (list []string) {
	for i, arg := range r.args {
		if (i == 0 && oneOf(arg, "run", "test")) || ends(arg, ".sln", ".slnx") {
			continue // a subcommand, or all projects
		}
		plain := !begins(arg, "-") && !strings.ContainsAny(arg, "<>|={}")
		value := i > 0 && begins(r.args[i-1], "-") && !has(r.args[i-1], "=") // of an option
		if plain && (!value || ends(arg, "/...") || arg == ".") {
			list = append(list, strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(arg, "./"), "..."), "/"))
		}
	}
	return list
}

// fewerPaths reports whether some paths are only a part of others. all is true where no path means everything.
func fewerPaths(was, now []string, all bool) bool {
	if len(now) == 0 || slices.Contains(now, "") || slices.Contains(now, ".") {
		return false
	}
	if len(was) == 0 {
		return all
	}
	below := func(p, q string) bool { return q == p || oneOf(p, "", ".") || begins(q, p+"/") }
	for _, q := range now {
		if !slices.ContainsFunc(was, func(p string) bool { return below(p, q) }) {
			return false
		}
	}
	return slices.ContainsFunc(was, func(p string) bool { return !slices.Contains(now, p) })
}

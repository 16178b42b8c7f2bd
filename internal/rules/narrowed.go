package rules

import (
	"cmp"
	"path"
	"slices"
	"strings"

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
	"mvn":           "- -DskipTests -DskipITs -Dmaven.test.skip -Dtest -Dit.test -Dmaven.test.failure.ignore -Dsurefire.rerunFailingTestsCount -pl /",
	"gradle":        "- -x --exclude-task --tests -PskipTests /",
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

// sameProgram gives the programs that take the options of another one its name.
var sameProgram = strings.NewReplacer("py.test", "pytest", "mvnw", "mvn", "gradlew", "gradle")

// narrowingOf is the row of a check, in its words, and where in it the slash stands.
func narrowingOf(check string) (row []string, slash int) {
	check = sameProgram.Replace(check)
	program, _, _ := strings.Cut(check, " ")
	text := cmp.Or(narrowing[check], narrowing[program])
	if text == "" && isIn(program, scriptRunners) {
		text = narrowing[""]
	}
	row = strings.Fields(text)
	return row, slices.Index(row, "/")
}

// findNarrowedCheck finds commands that check less than the one that they replace, or try it until it passes, and
// scripts that do not run a check any more.
func findNarrowedCheck(c *Change, report func(Hit)) {
	var was, now []Check
	for _, f := range c.Files {
		if f.Base != nil && f.Head != nil && !foreign(f.Path) && scriptKind(f) != noScript {
			was, now = append(was, f.changedChecks(true)...), append(now, f.changedChecks(false)...)
		}
	}
	type key struct {
		file    *File
		program string
	}
	before, more := map[key][]Check{}, map[string]int{} // more: how many more there are now
	for _, old := range was {
		before[key{old.File, old.Program}] = append(before[key{old.File, old.Program}], old)
		more[old.Program]--
	}
	for _, check := range now {
		more[check.Program]++
	}
	for _, check := range now {
		if list := before[key{check.File, check.Program}]; len(list) > 0 {
			before[key{check.File, check.Program}] = list[1:]
			check.report(&list[0], more[check.Program] > 0, report)
		}
	}
	c.droppedChecks(was, now, report)
	for _, f := range c.Files {
		if f.Base != nil && f.Head != nil && !foreign(f.Path) &&
			isNamed(f.Path, "pytest.ini .pytest.ini pyproject.toml setup.cfg tox.ini") {
			old, check := pytestSettings(f, f.Base), pytestSettings(f, f.Head)
			if len(check.Args)+len(check.names) > 0 { // else it may be in another file now
				check.report(&old, false, report)
			}
		}
	}
}

func (c *Check) report(old *Check, split bool, report func(Hit)) {
	if how := c.narrows(old, split); how != "" {
		report(c.File.hit(old.Line, c.Line, c.Program, c.Program+" checks less than before: "+how,
			"let it check what it checked, and fix what it finds"))
	}
}

// droppedChecks finds scripts, targets and entries of package.json that do not run a check any more, where nothing in
// the change may run it instead. Workflows are compared as a whole; see removedChecks.
func (c *Change) droppedChecks(was, now []Check, report func(Hit)) {
	reported, runs, fresh := map[*File]bool{}, map[*File]map[string]bool{}, map[string]bool{}
	for _, check := range now {
		fresh[checkClass(check.Program)] = true
	}
	if slices.ContainsFunc(c.Files, func(f *File) bool { return f.Base == nil && f.Head != nil && scriptKind(f) != noScript }) {
		return
	}
	for _, old := range was {
		f, class := old.File, checkClass(old.Program)
		if isFlow(f.Path) || reported[f] || old.Program == "codecov" || has(old.Program, "report") || fresh[class] {
			continue
		}
		if runs[f] == nil {
			runs[f] = f.checkClasses()
		}
		if !runs[f][class] && !runs[f][""] {
			reported[f] = true
			report(f.hit(old.Line, 0, old.Program, "nothing runs "+old.Program+" here any more", fixRestore))
		}
	}
}

// checkClasses are the kinds of checks that a script runs at the head, with "" where a new line runs what is in another
// file, or a new script of package.json only succeeds, which is said elsewhere, or only fails.
func (f *File) checkClasses() map[string]bool {
	classes := map[string]bool{"": slices.ContainsFunc(f.changedScripts(false), func(s script) bool {
		return elsewhere(s.text) || (s.name != "" && (doesNothing(s.text) || failsLater(shellCommands(s.text))))
	})}
	for _, s := range f.allScripts(f.Head) {
		for _, check := range f.checksOf(s) {
			classes[checkClass(check.Program)] = true
		}
	}
	return classes
}

// pytestSettings are what the configuration of pytest gives to each run: options, and paths of tests. What a name of a
// test must be is an option, too.
func pytestSettings(f *File, v *source.File) Check {
	run := Check{File: f, Program: "pytest", Line: 1}
	for _, s := range settingsOf(v) {
		if !leadsToOne(s.Keys, "pytest|tool:pytest/* tool/pytest/* tool/pytest/ini_options/*") {
			continue
		}
		switch name := s.Keys[len(s.Keys)-1]; name {
		case "addopts":
			for _, c := range shellCommands(s.Value) {
				run.Args = append(run.Args, c.words...)
			}
		case "testpaths":
			run.Args = append(strings.Fields(s.Value), run.Args...) // in front of options, so that none is the value of one
		case "python_files", "python_classes", "python_functions":
			run.names = append(run.names, strings.Fields(name+"="+strings.Join(strings.Fields(s.Value), " "+name+"="))...)
		default:
			continue
		}
		if run.Line == 1 || s.Keys[len(s.Keys)-1] == "addopts" {
			run.Line = s.Line
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
func (c *Check) narrows(old *Check, split bool) string {
	if c.retried && !old.retried {
		return "it is tried again where it fails"
	}
	for _, name := range old.names {
		if !slices.Contains(c.names, name) {
			return "without " + name
		}
	}
	if len(old.names) == 0 && len(c.names) > 0 && !slices.ContainsFunc(c.names,
		func(name string) bool { return has(strings.ToLower(name), "=test") }) {
		return c.names[0]
	}
	table, needed := narrowingOf(c.Program)
	if len(table) == 0 {
		return ""
	}
	for i, arg := range c.Args {
		option, _, valued := strings.Cut(strings.Replace(arg, "-test.", "-", 1), "=")
		value := "" // that stands behind it
		if !valued && i+1 < len(c.Args) && !begins(c.Args[i+1], "-") {
			value = c.Args[i+1]
		}
		fresh := !slices.Contains(old.Args, arg) || (value != "" && !slices.Contains(old.Args, value))
		if isIn(option, choosing) {
			fresh = !slices.ContainsFunc(old.Args, func(arg string) bool { return begins(arg, option) })
		}
		if fresh && begins(arg, "-") && slices.Contains(table[1:needed], option) {
			return arg
		}
	}
	for _, option := range table[needed+1:] {
		if slices.Contains(old.Args, option) && !slices.Contains(c.Args, option) {
			return "without " + option
		}
	}
	computed := has(strings.Join(slices.Concat(c.Args, old.Args), " "), "$")
	was, now := old.paths(), c.paths()
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
func (c *Check) paths() (list []string) {
	for i, arg := range c.Args {
		if (i == 0 && oneOf(arg, "run", "test")) || ends(arg, ".sln", ".slnx") {
			continue // a subcommand, or all projects
		}
		plain := !begins(arg, "-") && !strings.ContainsAny(arg, "<>|={}")
		value := i > 0 && begins(c.Args[i-1], "-") && !has(c.Args[i-1], "=") // of an option
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

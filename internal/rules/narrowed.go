package rules

import (
	"path"
	"slices"
	"strings"
)

// checkRun is a command that runs a check.
type checkRun struct {
	file  *File
	line  int
	check string // as [checkOf] names it
	args  []string
	tried bool // it is tried again where it fails
}

// narrowing are, by check: "." where its other arguments are paths and it checks everything without one, ":" where it does not,
// "-" where they are none; the options that make it check less; after the slash, those that it may not lose.
var narrowing = map[string]string{
	"pytest":        ". --ignore --ignore-glob --deselect -k -m --reruns --lf --last-failed /",
	"unittest":      ": -k /",
	"go test":       ": -short -run -skip / -race",
	"go vet":        ": /",
	"gotestsum":     ": -short -run -skip --rerun-fails / -race",
	"vitest":        ". --exclude --passWithNoTests -t --testNamePattern --retry --changed /",
	"jest":          ". --testPathIgnorePatterns --passWithNoTests -t --testNamePattern --testPathPattern --onlyChanged -o /",
	"mocha":         ". --grep -g --fgrep -f --invert -i --retries --ignore --exclude /",
	"playwright":    ". --grep --grep-invert -g --retries --project /",
	"cargo test":    "- --lib --bins --bin --doc --test --skip --exclude -p --package / --workspace --all --all-features --all-targets",
	"cargo nextest": "- --lib --retries -E --exclude -p / --workspace --all-features --all-targets",
	"cargo clippy":  "- --lib -A / --workspace --all-features --all-targets",
	"dotnet test":   "- --filter /",
	"mvn test":      "- -DskipTests -DskipITs -Dmaven.test.skip -Dtest -Dit.test -Dmaven.test.failure.ignore -Dsurefire.rerunFailingTestsCount -pl /",
	"gradle test":   "- -x --exclude-task --tests -PskipTests /",
	"rspec":         ". --tag -t -e --example --exclude-pattern /",
	"mypy":          ": --exclude --ignore-missing-imports / --strict",
	"ruff check":    ". --ignore --exclude --extend-ignore --extend-exclude /",
	"eslint":        ": --quiet --ignore-pattern /",
	"flake8":        ". --ignore --extend-ignore --exclude --extend-exclude /",
	"pylint":        ": --disable -d --ignore --errors-only -E /",
	"golangci-lint": ". --new --new-from-rev --disable -D --disable-all --fast /",
}

// aliases are the checks that take the options of another one.
var aliases = map[string]string{
	"py.test": "pytest", "mvn verify": "mvn test", "mvn install": "mvn test", "mvn package": "mvn test", "mvnw test": "mvn test", "mvnw verify": "mvn test",
	"mvnw install": "mvn test", "mvnw package": "mvn test", "gradle build": "gradle test", "gradle check": "gradle test", "gradlew test": "gradle test",
	"gradlew build": "gradle test", "gradlew check": "gradle test", "playwright test": "playwright",
}

// findNarrowedCheck finds commands that check less than the one that they replace, or try it until it passes.
func findNarrowedCheck(c *Change, report func(Hit)) {
	var was, now []checkRun
	for _, f := range c.Files {
		if f.Base != nil && f.Head != nil && !foreign(f.Path) && (scriptKind(f) != noScript || configuresTests(f.Path)) {
			was, now = append(was, f.checkRuns(true)...), append(now, f.checkRuns(false)...)
		}
	}
	paired := map[int]bool{}
	for _, run := range now {
		i := slices.IndexFunc(was, func(old checkRun) bool {
			return old.file == run.file && old.check == run.check && !paired[old.line]
		})
		if i < 0 {
			continue
		}
		old := was[i]
		paired[old.line] = true
		count := func(list []checkRun) (n int) {
			for _, r := range list {
				if r.check == run.check {
					n++
				}
			}
			return n
		}
		how := run.narrows(&old, count(now) > count(was))
		if how == "" {
			continue
		}
		report(Hit{
			File: run.file.Path, Line: run.line, Subject: run.check,
			Was: string(run.file.Base.Line(old.line)), Now: string(run.file.Head.Line(run.line)),
			Detail: run.check + " checks less than before: " + how, Fix: "let it check what it checked, and fix what it finds",
		})
	}
}

// configuresTests reports whether a file has the options of pytest.
func configuresTests(name string) bool {
	return oneOf(path.Base(name), "pytest.ini", ".pytest.ini", "pyproject.toml", "setup.cfg", "tox.ini")
}

// checkRuns are the checks of the lines that a change removes from a file, or adds to it.
func (f *File) checkRuns(base bool) (runs []checkRun) {
	v, lines := f.Head, f.Added()
	if base {
		v, lines = f.Base, f.Removed()
	}
	last := 0
	for _, line := range lines {
		if line.Number <= last || len(line.Text) > maxShellLine {
			continue
		}
		kind := scriptKind(f)
		var text string
		text, last = logicalLine(v, line.Number, kind)
		if trimmed := strings.TrimSpace(text); strings.HasPrefix(trimmed, "#") || strings.HasPrefix(trimmed, "//") {
			continue
		}
		if options, found := strings.CutPrefix(strings.TrimSpace(text), "addopts"); found && configuresTests(f.Path) {
			options = strings.TrimLeft(options, " =")
			if list, isList := strings.CutPrefix(options, "["); isList {
				options = strings.NewReplacer("]", " ", ",", " ").Replace(list)
			} else {
				options = strings.Trim(options, `"' `)
			}
			text = "pytest " + options
		} else if text = yamlCommand(strings.TrimSpace(scriptLine(f, text))); kind == noScript {
			continue
		}
		for _, c := range shellCommands(text) {
			if check := checkOf(c.words); check != "" {
				args := checkArguments(c.words, check)
				runs = append(runs, checkRun{f, line.Number, check, args, triesAgain(text, c.words)})
			}
		}
	}
	return runs
}

// checkArguments are what stands behind the words that name a check.
func checkArguments(words []string, check string) []string {
	last := check[strings.LastIndexByte(check, ' ')+1:]
	i := slices.IndexFunc(words, func(w string) bool { return strings.TrimPrefix(path.Base(w), ":") == last })
	return words[i+1:]
}

// triesAgain reports whether a command runs again where it fails.
func triesAgain(line string, words []string) bool {
	return oneOf(words[0], "until", "retry", "nick-fields/retry") || strings.Contains(line, "&& break")
}

// narrows says how a run checks less than another one, "" where it does not. With split, several runs may share its paths.
func (r *checkRun) narrows(old *checkRun, split bool) string {
	if r.tried && !old.tried {
		return "it is tried again where it fails"
	}
	check := r.check
	if other := aliases[check]; other != "" {
		check = other
	}
	table := strings.Fields(narrowing[check])
	if len(table) == 0 {
		return ""
	}
	needed := slices.Index(table, "/")
	for i, arg := range r.args {
		option, _, valued := strings.Cut(arg, "=")
		value := "" // that stands behind it
		if !valued && i+1 < len(r.args) && !strings.HasPrefix(r.args[i+1], "-") {
			value = r.args[i+1]
		}
		fresh := !slices.Contains(old.args, arg) || value != "" && !slices.Contains(old.args, value)
		if fresh && strings.HasPrefix(arg, "-") && slices.Contains(table[1:needed], option) {
			return arg
		}
	}
	for _, option := range table[needed+1:] {
		if slices.Contains(old.args, option) && !slices.Contains(r.args, option) {
			return "without " + option
		}
	}
	computed := strings.Contains(strings.Join(slices.Concat(r.args, old.args), " "), "$")
	if was, now := old.paths(), r.paths(); table[0] != "-" && !split && !computed && fewerPaths(was, now, table[0] == ".") {
		return "only " + listed(now)
	}
	return ""
}

// paths are the arguments that are no options, and not the value of one that narrows.
func (r *checkRun) paths() (list []string) {
	for i, arg := range r.args {
		plain := !strings.HasPrefix(arg, "-") && !strings.ContainsAny(arg, "<>|={}") && !strings.HasPrefix(arg, "2>")
		value := i > 0 && strings.HasPrefix(r.args[i-1], "-") && !strings.Contains(r.args[i-1], "=") // of an option
		if plain && (!value || strings.HasSuffix(arg, "/...") || arg == ".") {
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
	below := func(p, q string) bool { return q == p || p == "" || p == "." || strings.HasPrefix(q, p+"/") }
	for _, q := range now {
		if !slices.ContainsFunc(was, func(p string) bool { return below(p, q) }) {
			return false
		}
	}
	return slices.ContainsFunc(was, func(p string) bool { return !slices.Contains(now, p) })
}

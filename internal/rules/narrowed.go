package rules

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/internal/source"
)

// findNarrowedCheck finds commands that check less than the one that they replace, or try it until it passes, and
// scripts that do not run a check any more.
func findNarrowedCheck(c *Change, report func(Hit)) {
	more := map[string]int{} // how many more checks of a program there are now
	for _, f := range c.scripted() {
		for _, old := range f.had {
			more[old.Program]--
		}
		for _, check := range f.has {
			more[check.Program]++
		}
	}
	for _, f := range c.scripted() {
		before, beside := map[string][]Check{}, map[string]int{} // beside: what the other added commands are given
		count := func(check *Check, n int) {
			for _, p := range check.paths() {
				beside[check.Program+" "+p] += n
			}
			for k := range check.Args {
				option, value := optionAt(check.Args, k)
				beside[check.Program+" "+option+" "+value] += n
			}
		}
		for i := range f.has {
			count(&f.has[i], 1)
		}
		for _, old := range f.had {
			key := old.script + " " + old.Program
			before[key] = append(before[key], old)
		}
		for _, check := range f.has {
			key := check.script + " " + check.Program
			if old := before[key]; len(old) > 0 && f.from.Base != nil {
				count(&check, -1)
				check.report(&old[0], more[check.Program] > 0, beside, report)
				count(&check, 1)
				before[key] = old[1:]
			}
		}
	}
	said := map[string]bool{}
	c.droppedChecks(func(h Hit) {
		said[h.File] = true
		report(h)
	})
	for _, f := range c.scripted() {
		if f.byVariable(report); !said[f.Path] {
			f.fewerParts(report)
		}
	}
	had := map[string][]string{} // by directory: a setting may move to another file of it
	files := slices.DeleteFunc(slices.Clone(c.Files), func(f *File) bool {
		return f.Base == nil || foreign(f.Path) || !isNamed(f.Path, pytestFiles)
	})
	was := make([]Check, len(files))
	for i, f := range files {
		was[i] = pytestSettings(f, f.Base)
		dir := path.Dir(f.Path)
		had[dir] = append(had[dir], was[i].Args...)
	}
	for i, f := range files {
		old, check := was[i], pytestSettings(f, f.Head)
		if old.Args = had[path.Dir(f.Path)]; len(check.Args) > 0 {
			check.report(&old, false, nil, report)
		}
	}
}

// optionVars are variables with options for each run of a check.
var optionVars = [][2]string{{"PYTEST_ADDOPTS", "pytest"}, {"GOFLAGS", "go test"}, {"SPEC_OPTS", "rspec"}, {"MAVEN_ARGS", "mvn"}, {"MAVEN_OPTS", "mvn"}}

// byVariable finds variables that make checks do less.
func (f *scripted) byVariable(report func(Hit)) {
	for _, of := range optionVars {
		read := func(list []script) Check {
			for _, s := range list {
				if _, value, found := strings.Cut(s.text, of[0]); found {
					return Check{File: f.File, Program: of[1], Line: s.line, Args: strings.Fields(strings.NewReplacer(`"`, "", "'", "").Replace(strings.TrimLeft(value, " :=")))}
				}
			}
			return Check{File: f.File, Program: of[1]}
		}
		if now, was := read(f.added), read(f.removed); now.Line > 0 && f.from.Base != nil {
			was.File = f.from
			now.report(&was, true, nil, report)
		}
	}
}

// fewerParts finds scripts, targets and lists of environments of which nothing is left but a part that checks less.
func (f *scripted) fewerParts(report func(Hit)) {
	const most = 1000 // lines: no person changes more
	if len(f.added)+len(f.removed) > most {
		return
	}
	split := func(s script) (name string, parts []string) {
		isSep := func(r rune) bool { return strings.ContainsRune(" \t\"',=@&|;", r) }
		if parts = strings.FieldsFunc(s.text, isSep); s.name != "" {
			return s.name, parts
		}
		kind := scriptKind(f.File)
		if len(parts) == 0 || isSep(rune(s.text[0])) || !(kind == "make" || (kind == "tox" && oneOf(parts[0], "envlist", "env_list"))) {
			return "", nil
		}
		return strings.TrimRight(parts[0], ":"), parts[1:]
	}
	was, now := map[string][]string{}, map[string][]string{}
	for _, s := range f.removed {
		name, parts := split(s)
		was[name] = append(was[name], parts...)
	}
	for _, s := range f.added {
		name, parts := split(s)
		now[name] = append(now[name], parts...)
	}
	for _, s := range f.added {
		name, _ := split(s)
		gone := slices.DeleteFunc(without(was[name], now[name]), func(w string) bool {
			return !namesCheck(path.Base(w)) || slices.ContainsFunc(f.added, func(s script) bool { return has(s.text, w) })
		})
		if name != "" && len(gone) > 0 && len(without(now[name], was[name])) == 0 {
			report(f.hit(0, s.line, name, name+" does not run "+listed(gone)+" any more", fixRestore))
			was[name] = nil
		}
	}
}

func (c *Check) report(old *Check, split bool, beside map[string]int, report func(Hit)) {
	if how := c.narrows(old, split, beside); how != "" {
		hit := c.File.hit(0, c.Line, c.Program, c.Program+" checks less than before: "+how,
			"let it check what it checked, and fix what it finds")
		if old.Line > 0 { // perhaps of a workflow that had another name
			hit.Was = startOf(old.File.Base.Line(old.Line))
		}
		report(hit)
	}
}

// droppedChecks finds checks that a script, a target, an entry of package.json or a workflow ran and does not run any
// more, where nothing in the change may run them instead: a new script, a new check of the kind, a new line that runs
// what is in another file, or a new script of package.json that only fails.
func (c *Change) droppedChecks(report func(Hit)) {
	fresh, isCalled := map[string]bool{}, false // kinds of which there is a new one, and whether a workflow calls something new
	for _, f := range c.scripted() {
		if f.from.Base == nil && !isFlow(f.Path) {
			return
		}
		isCalled = isCalled || (isFlow(f.Path) && slices.ContainsFunc(f.added, elsewhere))
		ran := programsOf(f.checks(f.was))
		for _, check := range f.has {
			if !ran.cover(check.Program) {
				fresh[checkClass(check.Program)] = true
			}
		}
	}
	deleted := map[string]bool{} // the names of files of tests that are deleted, of which another rule speaks
	for _, f := range c.Files {
		if f.Head == nil && f.hadTests() {
			deleted[path.Base(f.Path)] = true
		}
	}
	for _, f := range c.scripted() {
		p, isRead := c.flowsOf().byFile[f.File]
		isGone := f.Head == nil && !(isRead && p.was.runsFor("pull_request", "merge_group")) // a script, or no check of pull requests
		if len(f.had) == 0 || isGone || (isFlow(f.Path) && isCalled) || slices.ContainsFunc(f.added, func(s script) bool {
			return elsewhere(s) || (s.name != "" && (doesNothing(s.text) || failsLater(shellCommands(s.text))))
		}) {
			continue
		}
		kept := programsOf(f.checks(f.all))
		var gone firstNames
		for _, old := range f.had {
			class := checkClass(old.Program)
			if old.Program != "codecov" && !has(old.Program, " deploy") && !fresh[class] && !kept.cover(old.Program) && !deleted[old.Program] &&
				(isFlow(f.Path) || !kept["any "+class]) {
				gone.add(old.Program, old.Line)
				kept[sameProgram.Replace(old.Program)] = true // it is said once
			}
		}
		if len(gone.names) > 0 {
			detail := "nothing runs " + listed(gone.names) + " here any more"
			if f.Head == nil {
				detail = "the workflow is deleted, and nothing in the change runs " + listed(gone.names)
			}
			report(f.from.hit(gone.line, 0, gone.names[0], detail, fixRestore))
		}
	}
}

// phases are what Maven and Gradle do in one run: each does what is before it, and all tests.
const phases = " package integration-test verify install deploy check build "

// programs are those that some checks run, and the kinds of them.
type programs map[string]bool

func programsOf(checks []Check) programs {
	all := programs{}
	for _, check := range checks {
		all[sameProgram.Replace(check.Program)], all["any "+checkClass(check.Program)] = true, true
	}
	return all
}

// cover reports whether one of the programs does what another one does.
func (all programs) cover(program string) bool {
	program = sameProgram.Replace(program)
	tool, phase, _ := strings.Cut(program, " ")
	_, later, isPhase := strings.Cut(phases, " "+phase+" ")
	if !isPhase {
		later = phases
	}
	return all[program] || (oneOf(tool, "mvn", "gradle") &&
		slices.ContainsFunc(strings.Fields(later), func(phase string) bool { return all[tool+" "+phase] }))
}

// checkArguments are what stands behind the words that name a check, or the program that takes options in front of what
// it does.
func checkArguments(words []string, check string) []string {
	last := check[strings.LastIndexByte(check, ' ')+1:]
	if begins(check, "mvn", "gradle") {
		last, _, _ = strings.Cut(check, " ")
	}
	i := slices.IndexFunc(words, func(w string) bool { return strings.TrimPrefix(path.Base(w), ":") == last })
	if rest := words[i+1:]; i < 0 || !isIn(path.Base(words[max(i, 1)-1]), " make gmake just rake ") {
		return rest
	}
	return slices.DeleteFunc(slices.Clone(words[i+1:]), func(w string) bool { return !begins(w, "-") }) // other targets
}

// narrows says how a run checks less than another one, "" where it does not. With split, several runs may share its
// paths; beside has what they are given.
func (c *Check) narrows(old *Check, split bool, beside map[string]int) string {
	if c.retried && !old.retried {
		return "it is tried again where it fails"
	}
	table, needed := narrowingOf(c.Program)
	if len(table) == 0 {
		return ""
	}
	args, before := " "+strings.Join(c.Args, " "), " "+strings.Join(old.Args, " ")
	if has(strings.ReplaceAll(before+" ", "=true ", " "), " -x test ", " -DskipTests ", " -Dmaven.test.skip ", " --no-run ", " -PskipTests ") {
		return "" // it ran no tests
	}
	last, given := map[string]string{}, map[[2]string]bool{} // the last value of each option before, and all of them
	for k := range old.Args {
		option, value := optionAt(old.Args, k)
		last[option], given[[2]string{option, value}] = value, true
	}
	for i, arg := range c.Args {
		option, value := optionAt(c.Args, i)
		was, had := last[option]
		if given[[2]string{option, value}] {
			was = value
		}
		fresh := !had || (was != value && (!isIn(option, choosing) || (isIn(option, selecting) && selectsLess(was, value))))
		if other := opposite.Replace(option); other != option && beside[c.Program+" "+other+" "+value] > 0 {
			continue
		}
		if fresh && begins(arg, "-") && beside[c.Program+" "+strings.TrimPrefix(value, "./")] == 0 &&
			slices.ContainsFunc(table[1:needed], func(o string) bool { return oneOf(o, option, arg) }) {
			return arg
		}
	}
	for _, option := range table[needed+1:] {
		names := strings.Split(option, "|")
		isOne := func(arg string) bool { return slices.Contains(names, arg) }
		if slices.ContainsFunc(old.Args, isOne) && !slices.ContainsFunc(c.Args, isOne) && !slices.ContainsFunc(without(c.Args, old.Args), isComputed) && !(split && has(args, " -p ", " --package")) {
			return "without " + names[0]
		}
	}
	computed := has(args+before, "$")
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

// isComputed reports whether an argument is a variable that may have options.
func isComputed(arg string) bool { return begins(arg, "$") }

// optionAt is the option that stands at a place of a list of arguments, and its value.
func optionAt(args []string, i int) (option, value string) {
	option, value, valued := strings.Cut(strings.Replace(args[i], "-test.", "-", 1), "=")
	if !valued && i+1 < len(args) && !begins(args[i+1], "-") {
		value = args[i+1]
	}
	return option, value
}

// opposite gives what chooses the rest of the tests of ctest.
var opposite = strings.NewReplacer("-LE", "-L", "-L", "-LE", "-E", "-R", "-R", "-E")

// paths are the arguments that are no options, and not the value of one that narrows.
func (c *Check) paths() (list []string) {
	for i, arg := range c.Args {
		if (i == 0 && oneOf(arg, "run", "test")) || ends(arg, ".sln", ".slnx") {
			continue // a subcommand, or all projects
		}
		plain := !begins(arg, "-") && !strings.ContainsAny(arg, "<>|={}")
		value := i > 0 && begins(c.Args[i-1], "-") && !has(c.Args[i-1], "=") &&
			(!isIn(c.Args[i-1], switches) || begins(c.Program, "dotnet", "mocha")) // of an option
		if plain && (!value || ends(arg, "/...") || arg == ".") {
			list = append(list, strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(arg, "./"), "..."), "/"))
		}
	}
	return list
}

// fewerPaths reports whether some paths are only a part of others. isAll is true where no path means everything.
func fewerPaths(was, now []string, isAll bool) bool {
	if len(now) == 0 || slices.Contains(now, "") || slices.Contains(now, ".") {
		return false
	}
	if len(was) == 0 {
		return isAll
	}
	known := map[string]bool{}
	for _, p := range was {
		known[p] = true
	}
	isBelow := func(q string) bool {
		is := known[q] || known[""] || known["."]
		for i := 0; i < min(len(q), maxNear) && !is; i++ {
			is = q[i] == '/' && known[q[:i]]
		}
		return is
	}
	return all(now, isBelow) && len(without(was, now)) > 0
}

// checkers are the programs that check code, each with the words that make it a check: those after the slash are its
// subcommands, and * is any. A name before them joins programs that do the same.
const checkers = `go/test,vet golangci-lint/* staticcheck/* gotestsum/* govulncheck/* ginkgo/* ` +
	`pytest/* py.test/* tox/* nox/* mypy/* pyright/* basedpyright/* ruff/check,format flake8/* pylint/* bandit/* ty/check pytype/* unittest/* ` +
	`jest/* vitest/* mocha/* ava/* tap/* playwright/test cypress/run eslint/* tsc/* vue-tsc/* svelte-check/* biome/check,ci,lint oxlint/* stylelint/* karma/* ` +
	`publint/* attw/* knip/* deno/test,lint,check bun/test ` +
	`cargo/test,clippy,check,nextest,fmt,audit,deny,miri,hack,semver-checks rspec/* rubocop/* minitest/* ` +
	`mvn/test,verify,install,package,integration-test,deploy mvnw/test,verify,install,package,integration-test,deploy gradle/test,check,build gradlew/test,check,build ` +
	`clang-tidy/* cppcheck/* detekt/* ktlint/* swiftlint/* brakeman/* standardrb/* pest/* paratest/* behat/* infection/* phpcs/* ` +
	`meson/test sbt/test dart/test,analyze flutter/test,analyze dotnet/test,build,format mix/test,credo,compile,dialyzer phpunit/* phpstan/* psalm/* ctest/* bazel/test buf/lint,breaking swift/test ` +
	`shellcheck/* hadolint/* actionlint/* zizmor/* pre-commit/run prek/run yamllint/* markdownlint/* codespell/* typos/* semgrep/* ` +
	`codecov/* coverage/report checkov/* trivy/* tfsec/* ansible-lint/* helm/lint`

// scriptRunners run what a file of the repository names: make, or the scripts of package.json.
const scriptRunners = ` make gmake just task rake rails npm yarn pnpm bun hatch pdm poe invoke inv nx turbo lerna mage composer deno mise `

// shellWrappers run the command that follows them.
const shellWrappers = ` env time timeout sudo xargs npx bunx pnpx uvx pipx nice exec eval xvfb-run nohup retry winpty cross tee-err bundle uv poetry pipenv rye ` +
	`dotenv cross-env php @php then do else if elif while until ! { corepack RUN run: uses: script: - `

// wrapperWords follow a wrapper and belong to it.
const wrapperWords = ` exec run x dlx -- -m `

// wrapperValues are options of wrappers that stand in front of a value.
const wrapperValues = ` --group --only-group --no-group --extra --with --with-editable --with-requirements --from --python --package ` +
	`--project --directory --env-file --index --user -u `

// checkWords are words in the name of a script or step that checks something.
const checkWords = ` test tests testing unittest unittests e2e integration lint linting linter lints check checks typecheck typechecking type-check verify spec specs ` +
	`clippy coverage ci validate vet mypy ruff eslint pytest audit `

// namesCheck reports whether one of the words of a name says that it checks something.
func namesCheck(name string) (is bool) {
	for word := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == ':' || r == '-' || r == '_' || r == '.' || r == ' ' || r == '/' }) {
		if word = strings.ToLower(word); isIn(word, " report reporter reports result results summary upload comment review publish update install setup prepare ") {
			return false // it only says what another one found
		}
		is = is || isIn(word, checkWords)
	}
	return is
}

// checkClass tells tests from other checks: one linter may replace another, but no linter replaces tests.
func checkClass(name string) string {
	if has(strings.ToLower(name), "test") || oneOf(name, "jest", "vitest", "mocha", "ava", "tap", "tox", "nox", "rspec", "minitest",
		"phpunit", "ctest", "karma", "ginkgo") ||
		has(name, "spec", "e2e") || ends(name, "verify") || begins(name, "playwright", "cypress") {
		return "test"
	}
	return "lint"
}

// narrowing are, by check: "." where its other arguments are paths and it checks everything without one, ":" where it
// does not, "f" where they choose tests by name, "-" where they are none of these; the options that make it check less;
// after the slash, those that it may not lose.
var narrowing = map[string]string{
	"pytest":        ". --ignore --ignore-glob --deselect -k -m --reruns --lf --last-failed --collect-only /",
	"unittest":      ": -k /",
	"go test":       ": -c -short -run -skip -list -n -vet=off / -race",
	"go vet":        ": /",
	"gotestsum":     ": -short -run -skip --rerun-fails / -race",
	"vitest":        ". --exclude --passWithNoTests -t --testNamePattern --retry --changed -u --update / --coverage",
	"jest":          ". --testPathIgnorePatterns --passWithNoTests -t --testNamePattern --testPathPattern --onlyChanged -o -u --updateSnapshot / --coverage",
	"mocha":         ". --grep -g --fgrep -f --invert -i --retries --ignore --exclude /",
	"node --test":   ". --test-name-pattern --test-skip-pattern --test-only /",
	"playwright":    ". --grep --grep-invert -g --retries --project -u --update-snapshots /",
	"cargo test":    "f --lib --bins --bin --doc --test --skip --exclude -p --package --no-run / --workspace --all --all-features --all-targets",
	"cargo nextest": "- --lib --retries -E --exclude -p / --workspace --all-features --all-targets",
	"cargo fmt":     "- / --check",
	"cargo clippy":  "- --lib -A / -D --workspace --all-features --all-targets",
	"dotnet test":   ". --filter --list-tests -t /",
	"dotnet build":  "- / -warnaserror|--warnaserror|/warnaserror",
	"dotnet format": "- / --verify-no-changes",
	"mvn":           "- -DskipTests -DskipITs -Dmaven.test.skip -Dtest -Dit.test -Dmaven.test.failure.ignore -Dsurefire.rerunFailingTestsCount -pl -fn --fail-never /",
	"gradle":        "- -x --exclude-task --tests -PskipTests /",
	"rspec":         ". --tag -t -e --example -P --pattern --exclude-pattern --dry-run /",
	"rails test":    ". -n --name -e --exclude /",
	"mix test":      ". --only --exclude --stale --failed --exit-status /",
	"mix compile":   "- / --warnings-as-errors",
	"mix credo":     "- / --strict",
	"swift test":    ". --skip --filter /",
	"rubocop":       ". --fail-level --only --except --exclude /",
	"ctest":         "- -E --exclude-regex -LE --label-exclude -R --tests-regex -L --label-regex --repeat --repeat-until-fail -N --show-only /",
	"phpstan":       ": --level -l --generate-baseline -b /",
	"psalm":         ": --set-baseline --error-level /",
	"clang-tidy":    ": / --warnings-as-errors",
	"phpunit":       ". --exclude-group --group --filter --testsuite /",
	"tox":           "- -e --skip-missing-interpreters --skip-env --notest /",
	"nox":           "- -s -k -e /",
	"mypy":          ": --exclude --ignore-missing-imports / --strict",
	"tsc":           "- --skipLibCheck / --strict",
	"ruff format":   "- / --check|--diff",
	"ruff check":    ". --ignore --exclude --extend-ignore --extend-exclude --fix /",
	"eslint":        ": --quiet --ignore-pattern --fix / --max-warnings",
	"flake8":        ". --ignore --extend-ignore --exclude --extend-exclude /",
	"pylint":        ": --disable -d --ignore --errors-only -E /",
	"golangci-lint": ". --new --new-from-rev --disable -D --disable-all --fast /",
	"": "- --ignore --exclude --deselect -k --testPathIgnorePatterns --testNamePattern -t --grep --passWithNoTests --filter --skip -short -run " +
		"--if-present --retry --retries --changed --onlyChanged -u --update --updateSnapshot /", // given to a script
}

// selecting are those of them that name tests by patterns.
const selecting = " -run --run -k -m -t --testNamePattern --grep -g --filter --tests "

// selectsLess reports whether a pattern chooses only a part of what another one does.
func selectsLess(was, now string) bool {
	names := func(pattern string) []string {
		return strings.Split(strings.NewReplacer("^", "", "$", "", " or ", "|").Replace(pattern), "|")
	}
	isPart := len(without(names(was), names(now))) > 0 && len(without(names(now), names(was))) == 0
	return !begins(now, "$") && !begins(was, "$") && !has(now+was, "${", "$(") && (was == "." || begins(now, was+" and ") || isPart)
}

// choosing are options whose value may change, as that is another choice: only where they are new, less is checked.
const choosing = " --level -l -e -s -p --package -pl --project --test --bin -run --run -k -m -t --testNamePattern --grep -g --filter --tests " +
	"--example -n --name --tag --group -Dtest -Dit.test --testsuite -R -L "

// switches are options that take no value but in two programs: what follows them is a path.
const switches = " -q -v -vv -x -s --quiet --verbose --coverage --run --ci "

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

// ignoring names the option with which a check reports nothing; "" for none.
func ignoring(words []string, check string) string {
	for i, w := range words {
		switch name, value, _ := strings.Cut(w, "="); name {
		case "--exit-zero", "--collect-only", "--co":
			if name == "--exit-zero" || begins(check, "pytest") {
				return w
			}
		case "--issues-exit-code":
			if value == "0" || (i+1 < len(words) && value == "" && words[i+1] == "0") {
				return name + "=0"
			}
		}
	}
	return ""
}

// pytestSettings are what the configuration of pytest gives to each run: options, and paths of tests.
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
		default:
			continue
		}
		if run.Line == 1 || s.Keys[len(s.Keys)-1] == "addopts" {
			run.Line = s.Line
		}
	}
	return run
}

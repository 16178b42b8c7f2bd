package rules

import (
	"cmp"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/internal/source"
)

// checkers are the programs that check code, each with the words that make it a check: those after the slash are its
// subcommands, and * is any. A name before them joins programs that do the same.
const checkers = `go/test,vet golangci-lint/* staticcheck/* gotestsum/* govulncheck/* ginkgo/* ` +
	`pytest/* py.test/* tox/* nox/* mypy/* pyright/* basedpyright/* ruff/check,format flake8/* pylint/* bandit/* ty/check pytype/* unittest/* ` +
	`jest/* vitest/* mocha/* ava/* tap/* playwright/test cypress/run eslint/* tsc/* vue-tsc/* svelte-check/* biome/check,ci,lint oxlint/* stylelint/* karma/* ` +
	`publint/* attw/* knip/* deno/test,lint,check bun/test ` +
	`cargo/test,clippy,check,nextest,audit,deny,miri,hack,semver-checks rspec/* rubocop/* minitest/* ` +
	`mvn/test,verify,install,package,integration-test mvnw/test,verify,install,package,integration-test gradle/test,check,build gradlew/test,check,build ` +
	`dotnet/test,build,format mix/test,credo,compile,dialyzer phpunit/* phpstan/* psalm/* ctest/* bazel/test buf/lint,breaking swift/test ` +
	`shellcheck/* hadolint/* actionlint/* zizmor/* pre-commit/run prek/run yamllint/* markdownlint/* codespell/* typos/* semgrep/* ` +
	`codecov/* coverage/report checkov/* trivy/* tfsec/* ansible-lint/* helm/lint`

// scriptRunners run what a file of the repository names: make, or the scripts of package.json.
const scriptRunners = ` make gmake just task rake rails npm yarn pnpm bun hatch pdm poe invoke inv nx turbo lerna mage composer deno mise `

// shellWrappers run the command that follows them.
const shellWrappers = ` env time timeout sudo xargs npx bunx pnpx uvx pipx nice exec command xvfb-run nohup retry winpty cross tee-err bundle uv poetry pipenv rye ` +
	`dotenv cross-env php @php then do else if elif while until ! { corepack RUN run: script: - `

// wrapperWords follow a wrapper and belong to it.
const wrapperWords = ` exec run x dlx -- -m `

// checkWords are words in the name of a script or step that checks something.
const checkWords = ` test tests testing unittest unittests e2e integration lint linting linter lints check checks typecheck typechecking type-check verify spec specs ` +
	`clippy coverage ci validate vet mypy ruff eslint pytest audit `

// namesCheck reports whether one of the words of a name says that it checks something.
func namesCheck(name string) bool {
	for word := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == ':' || r == '-' || r == '_' || r == '.' || r == ' ' || r == '/' }) {
		if isIn(strings.ToLower(word), checkWords) {
			return true
		}
	}
	return false
}

// checkClass tells tests from other checks: one linter may replace another, but no linter replaces tests.
func checkClass(name string) string {
	if has(name, "test") || oneOf(name, "jest", "vitest", "mocha", "ava", "tap", "tox", "nox", "rspec", "minitest",
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
	"go test":       ": -short -run -skip -c -list -n -vet / -race",
	"go vet":        ": /",
	"gotestsum":     ": -short -run -skip --rerun-fails / -race",
	"vitest":        ". --exclude --passWithNoTests -t --testNamePattern --retry --changed -u --update /",
	"jest":          ". --testPathIgnorePatterns --passWithNoTests -t --testNamePattern --testPathPattern --onlyChanged -o -u --updateSnapshot /",
	"mocha":         ". --grep -g --fgrep -f --invert -i --retries --ignore --exclude /",
	"node --test":   ". --test-name-pattern --test-skip-pattern --test-only /",
	"playwright":    ". --grep --grep-invert -g --retries --project -u --update-snapshots /",
	"cargo test":    "f --lib --bins --bin --doc --test --skip --exclude -p --package --no-run / --workspace --all --all-features --all-targets",
	"cargo nextest": "- --lib --retries -E --exclude -p / --workspace --all-features --all-targets",
	"cargo clippy":  "- --lib -A / -D --workspace --all-features --all-targets",
	"dotnet test":   ". --filter --list-tests -t /",
	"dotnet build":  "- / -warnaserror",
	"dotnet format": "- / --verify-no-changes",
	"mvn":           "- -DskipTests -DskipITs -Dmaven.test.skip -Dtest -Dit.test -Dmaven.test.failure.ignore -Dsurefire.rerunFailingTestsCount -pl -fn --fail-never /",
	"gradle":        "- -x --exclude-task --tests -PskipTests /",
	"rspec":         ". --tag -t -e --example --exclude-pattern --dry-run /",
	"rails test":    ". -n --name -e --exclude /",
	"mix test":      ". --only --exclude --stale --failed --exit-status /",
	"mix compile":   "- / --warnings-as-errors",
	"mix credo":     "- / --strict",
	"rubocop":       ". --fail-level --only --except --exclude /",
	"phpunit":       ". --exclude-group --group --filter --testsuite /",
	"tox":           "- -e --skip-missing-interpreters --skip-env --notest /",
	"nox":           "- -s -k -e /",
	"mypy":          ": --exclude --ignore-missing-imports / --strict",
	"tsc":           "- --skipLibCheck / --strict",
	"ruff format":   "- / --check --diff",
	"ruff check":    ". --ignore --exclude --extend-ignore --extend-exclude /",
	"eslint":        ": --quiet --ignore-pattern /",
	"flake8":        ". --ignore --extend-ignore --exclude --extend-exclude /",
	"pylint":        ": --disable -d --ignore --errors-only -E /",
	"golangci-lint": ". --new --new-from-rev --disable -D --disable-all --fast /",
	"":              "- --ignore --exclude --deselect -k --testPathIgnorePatterns --testNamePattern -t --grep --passWithNoTests --filter --skip -short -run /", // given to a script
}

// choosing are options whose value may change: only where they are new, less is checked.
const choosing = " -e -s -p --package -pl --project --test --bin "

// switches are options that take no value: what follows them is a path.
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

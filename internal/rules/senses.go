package rules

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/closeout-gate/closeout/internal/source"
	"github.com/closeout-gate/closeout/verify/input"
)

// SensesTests finds code of the product that newly asks whether a test is running.
var SensesTests = &Rule{
	ID: "closeout/senses-tests", Title: "Code of the product asks whether a test is running", Severity: input.Warn, Review: true, Languages: codeLanguages,
	Find: func(c *Change, report func(Hit)) {
		for _, list := range c.fresh(false, scanSenses(senses)) {
			report(Hit{
				File: list[0].file.Path, Line: list[0].line, Now: list[0].text(), Detail: "it asks for " + kinds(list),
				Fix: "behave alike in tests and in use; let the test inject what must differ",
			})
		}
	},
}

// SensesCI is the same for continuous integration, which has good reasons more often.
var SensesCI = &Rule{
	ID: "closeout/senses-ci", Title: "Code of the product asks whether it runs in CI", Severity: input.Info, Languages: []string{"go", "python", "javascript", "typescript"},
	Find: func(c *Change, report func(Hit)) {
		for _, list := range c.fresh(false, scanSenses(sensesCI)) {
			report(Hit{
				File: list[0].file.Path, Line: list[0].line, Now: list[0].text(), Detail: "it asks for " + kinds(list),
				Fix: "behave alike in CI and in use",
			})
		}
	},
}

// sense is a way to ask. The needle is looked for first; the pattern, if there is one, must match the line from there or
// around it.
type sense struct {
	needle string
	kind   string
	match  func() *regexp.Regexp // of the line; nil for any
	code   bool                  // the needle is code, not a string
}

var nodeTest = input.Lazily(`NODE_ENV["'\x60\]]*\s*[!=]==?\s*["'\x60]test|["'\x60]test["'\x60]\s*[!=]==?\s*[\w.]*(env|ENV)\b[\w.\["']*NODE_ENV|includes\([\w.]*NODE_ENV`)

var jsSenses = []sense{
	{"NODE_ENV", "NODE_ENV being test", nodeTest, false},
	{"JEST_WORKER_ID", "JEST_WORKER_ID", nil, false},
	{"env.VITEST", "VITEST", nil, false},
	{"VITEST_WORKER_ID", "VITEST_WORKER_ID", nil, false},
	{"typeof jest", "jest", nil, true},
	{"typeof vi ", "vitest", nil, true},
	{"typeof describe", "a test runner", nil, true},
	{"import.meta.env.MODE", "MODE being test", input.Lazily(`MODE\s*[!=]==?\s*["'\x60]test`), false},
	{"process.env.", "an environment variable of tests", input.Lazily(`process\.env\.(IS_|IN_|RUNNING_|UNIT_)?TEST(S|ING|_MODE|_ENV)?\b`), true},
}

var senses = map[source.Lang][]sense{
	source.Go: {
		{`flag.Lookup("test.`, "the flags of go test", nil, false},
		{"testing.Testing()", "testing.Testing", nil, true},
		{"os.Args[0]", "the name of the test binary", input.Lazily(`os\.Args\[0\].*"[._/]?_?test|"[._/]?_?test.*os\.Args\[0\]`), false},
		{"os.Getenv(", "an environment variable of tests", input.Lazily(`os\.Getenv\("(\w+_)?(IS_|IN_|RUNNING_|UNIT_)?TEST(S|ING|_MODE|_ENV)?"\)`), false},
		{"os.LookupEnv(", "an environment variable of tests", input.Lazily(`os\.LookupEnv\("(\w+_)?(IS_|IN_|RUNNING_|UNIT_)?TEST(S|ING|_MODE|_ENV)?"\)`), false},
	},
	source.Python: {
		{"PYTEST_CURRENT_TEST", "PYTEST_CURRENT_TEST", nil, false},
		{"PYTEST_VERSION", "PYTEST_VERSION", nil, false},
		{"PYTEST_XDIST", "PYTEST_XDIST_WORKER", nil, false},
		{"sys.modules", "a test runner in sys.modules", input.Lazily(`["'](pytest|_pytest|unittest|nose)["']\s*in\s+sys\.modules|["']_?pytest["']\s*not\s+in\s+sys\.modules|sys\.modules\.get\(["']_?pytest["']`), false},
		{"sys.argv", "a test runner in sys.argv", input.Lazily(`["'](pytest|py\.test|test|unittest)["']\s*(not\s+)?in\s+sys\.argv|sys\.argv.*["'](pytest|py\.test)["']`), false},
		{"_called_from_test", "_called_from_test", nil, true},
		{"os.environ", "an environment variable of tests", input.Lazily(`os\.environ(\.get\(|\[)\s*["'](\w+_)?(IS_|IN_|RUNNING_|UNIT_)?TEST(S|ING|_MODE|_ENV)?["']|["'](IS_|IN_|RUNNING_|UNIT_)?TEST(S|ING|_MODE)?["']\s+in\s+os\.environ`), false},
		{"os.getenv(", "an environment variable of tests", input.Lazily(`os\.getenv\(\s*["'](\w+_)?(IS_|IN_|RUNNING_|UNIT_)?TEST(S|ING|_MODE|_ENV)?["']`), false},
	},
	source.JavaScript: jsSenses, source.TypeScript: jsSenses,
	source.Rust: {
		{"cfg!(test)", "cfg!(test)", nil, true},
		{"cfg!(not(test))", "cfg!(not(test))", nil, true},
		{"cfg(not(test))", "cfg(not(test))", nil, true},
		{`"NEXTEST`, "a variable of cargo nextest", nil, false},
		{`"RUST_TEST_THREADS"`, "RUST_TEST_THREADS", nil, false},
	},
	source.Java: {
		{`"org.junit`, "JUnit on the class path or the stack", input.Lazily(`(forName|startsWith|contains|equals|loadClass|isPresent)\(\s*"org\.junit`), false},
		{`"surefire.`, "a property of Surefire", nil, false},
		{`"org.gradle.test.worker`, "a property of Gradle's tests", nil, false},
		{"System.getenv(", "an environment variable of tests", input.Lazily(`System\.getenv\("(IS_|IN_|RUNNING_|UNIT_)?TEST(S|ING|_MODE|_ENV)?"\)`), false},
	},
	source.CSharp: {
		{"GetEnvironmentVariable(", "an environment variable of tests", input.Lazily(`GetEnvironmentVariable\("(\w+_)?(TESTS?|TESTING|TEST_MODE|XUNIT|VSTEST\w*|TESTHOST)"`), false},
		{`"testhost`, "the test host", nil, false},
		{"FullName", "an assembly of tests", input.Lazily(`FullName.*(StartsWith|Contains)\("(?i:xunit|nunit|microsoft\.visualstudio\.testplatform|testhost)`), false},
	},
	source.Ruby: {
		{"defined?(Minitest", "defined?(Minitest)", nil, true},
		{"defined?(RSpec", "defined?(RSpec)", nil, true},
		{"defined?(Test::Unit", "defined?(Test::Unit)", nil, true},
		{"defined?(::RSpec", "defined?(RSpec)", nil, true},
		{"defined?(::Minitest", "defined?(Minitest)", nil, true},
		{"Rails.env.test?", "Rails.env.test?", nil, true},
		{"_ENV", "the environment being test", input.Lazily(`(RAILS|RACK)_ENV['"]\]?(,[^)]*\))?\s*[!=]=\s*['"]test`), false},
		{"PROGRAM_NAME", "the name of the test runner", input.Lazily(`PROGRAM_NAME.*(rspec|minitest|rake_test)`), false},
	},
}

var jsCI = []sense{
	{"process.env.CI", "CI", input.Lazily(`process\.env\.CI\b`), true},
	{"env.GITHUB_ACTIONS", "GITHUB_ACTIONS", nil, true},
}

var sensesCI = map[source.Lang][]sense{
	source.Go:         {{"env(\"", "CI", input.Lazily(`(?i:getenv|lookupenv)\("(CI|GITHUB_ACTIONS|CONTINUOUS_INTEGRATION)"\)`), false}},
	source.Python:     {{"env", "CI", input.Lazily(`(environ(\.get\(|\[)|getenv\()\s*["'](CI|GITHUB_ACTIONS)["']|["'](CI|GITHUB_ACTIONS)["']\s+in\s+os\.environ`), false}},
	source.JavaScript: jsCI, source.TypeScript: jsCI,
}

// scanSenses finds the ways of a list in code of the product.
func scanSenses(list map[source.Lang][]sense) marker {
	return func(f *File, v *source.File, found func(int, string)) {
		if !isProduction(f.Path) {
			return
		}
		for _, s := range list[v.Lang] {
			s.scan(v, inProduction(v, found))
		}
	}
}

func (s *sense) scan(v *source.File, found func(int, string)) {
	text := v.Text
	if s.code {
		text = v.Code
	}
	last := 0
	eachPlace(text, s.needle, func(pos int) {
		if v.InComment(pos) || s.match == nil && source.IsWord(s.needle[0]) && source.IsWord(at(text, pos-1)) {
			return
		}
		if isScript(v.Lang) && len(lineOf(v.Code, pos)) > maxNear {
			return // made smaller by a program, which took libraries in
		}
		line := v.LineAt(pos)
		if len(bytes.Trim(lineOf(v.Code, pos), " \t\r\"'`")) == 0 {
			return // a text over several lines
		}
		if line == last || s.match != nil && !s.match().Match(lineOf(v.Text, pos)) {
			return
		}
		if bytes.Contains(lineOf(v.Text, pos), []byte("cfg(not(test))")) && strings.HasPrefix(string(bytes.TrimSpace(v.Line(line+1))), "use ") {
			return // another clock or another map in tests is common
		}
		last = line
		found(line, s.kind)
	})
}

package proof

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/input"
)

// lineKind is what a result line says.
type lineKind int

const (
	nothing lineKind = iota
	passed           // at least one test ran, and those that did passed
	failed           // at least one test ran and failed
	empty            // no test ran: there was none, none was chosen, or all were skipped
	cached           // the result of an earlier run is shown
	broken           // no test ran because the tests did not build or load
	skipped          // one test did not run, and a later sum counts it as passed
	kinds
)

// shape is the form of a line in which a test runner reports a result.
type shape struct {
	first   string // the line begins with one of these bytes
	hint    string // and contains this
	pattern func() *regexp.Regexp
	scope   scope
	says    func([][]byte) lineKind // of the groups of the pattern
}

// scope is the part of a run that a line is about.
type scope int

const (
	part         scope = iota // one package, class or file
	module                    // the sum of one of several parts of a run, each of which counts
	likely                    // the same, but a line of scope sum may follow and correct it
	whole                     // a whole run
	sum                       // a whole run, including the parts of scope likely before it
	build                     // a part of a build, which commands other than tests also do
	ofPlaywright              // a part of a run of Playwright
)

const digits = "0123456789"

// shapes are the lines of widely used runners, as printed without a terminal.
var shapes = []shape{
	// go test, gotestsum
	{"o", "ok  \t", input.Lazily(`^ok  \t\S+\t(\(cached\)|\d+\.\d+s)(?:[\t ].*)?$`), part, goResult},
	{"?", "[no test files]", input.Lazily(`^\?   \t\S+\t\[no test files\]$`), part, always(empty)},
	{"\t", "coverage: 0.0%", input.Lazily(`^\t\S+\t\tcoverage: 0\.0% of statements$`), part, always(empty)},
	{"t", "no tests to run", input.Lazily(`^testing: warning: no tests to run$`), part, always(empty)},
	{"F", "FAIL\t", input.Lazily(`^FAIL\t\S+ \[(?:build|setup) failed\]$`), part, always(broken)},
	{"F", "FAIL\t", input.Lazily(`^FAIL\t\S+\t\d+\.\d+s$`), part, always(failed)},
	{"-", "--- FAIL: ", input.Lazily(`^--- FAIL: \S+ \(\d+\.\d+s\)$`), part, always(failed)},
	{"P\xe2", " (cached)", input.Lazily(`^(?:PASS|✓ ) \S+ \(cached\)(?: \(.*\))?$`), part, always(cached)},
	{"P\xe2", "", input.Lazily(`^(?:PASS \S+(?: \(coverage: .*\))?|✓  \S+ \(\d.*\))$`), likely, always(passed)},
	{"D", "DONE ", input.Lazily(`^DONE (?:\d+ runs, )?(\d+) tests?(?:, (\d+) skipped)?(?:, (\d+) failures?)?(?:, \d+ errors?)?(?: in \d.*)?$`), sum, gotestsum},

	// pytest
	{"=", " in ", input.Lazily(`^=+ (no tests ran|` + pytestCounts + `) in \d+\.\d+s(?: \([0-9:, a-z]+\))? =+$`), whole, inWords},
	{"n" + digits, " in ", input.Lazily(`^(no tests ran|` + pytestCounts + `) in \d+\.\d+s(?: \([0-9:, a-z]+\))?$`), whole, quietly},
	{"=n" + digits, " collected", input.Lazily(`^(?:=+ )?(?:no tests|(?:\d+/)?\d+ tests?) collected(?: \(\d+ deselected\))?(?:, ` + pytestCount + `)* in \d+\.\d+s(?: \([0-9:, a-z]+\))?(?: =+)?$`), whole, always(empty)},
	{"c", "collected 0 items", input.Lazily(`^(?:collecting \.\.\. )?collected 0 items$`), whole, always(empty)},

	// unittest; see runs.unittest
	{"R", " in ", unittestCount, whole, counts(1, 0, 0)},
	{"N", "NO TESTS RAN", input.Lazily(`^NO TESTS RAN(?: \(.*\))?$`), whole, always(empty)},
	{"O", "OK", unittestEnd, whole, always(passed)},

	// jest, vitest, Pest; mocha, Cypress, Playwright; node --test; TAP; Deno
	{" T", "Tests", input.Lazily(`^ *Tests:? +(no tests|` + jestCount + `(?:(?:, | \| )` + jestCount + `)*)(?: \(\d+[^)]*\))?$`), whole, inWords},
	{"N", "No test", input.Lazily(`^No tests? (?:files )?found, exiting with code [01]$`), whole, always(empty)},
	{"N", "No tests found", input.Lazily(`^No tests found related to files changed since `), whole, always(empty)},
	{" ", " passing", input.Lazily(`^ +(\d+) passing(?: \(\d[^)]*\))?$`), whole, counts(1, 0, 0)},
	{" ", " failing", input.Lazily(`^ +(\d+) failing$`), whole, counts(1, 0, 1)},
	{" ", " passed (", input.Lazily(`^ +\d+ passed \(\d[^)]*\)$`), whole, always(passed)},
	{" ", " skipped", input.Lazily(`^ +\d+ skipped$`), ofPlaywright, always(empty)},
	{" ", "", input.Lazily(`^ +[1-9]\d* (?:failed|interrupted)$`), ofPlaywright, always(failed)},
	{"T", "Total: ", input.Lazily(`^Total: \d+ tests? in \d+ files?$`), ofPlaywright, always(empty)}, // of a list
	{"#\xe2", " pass ", input.Lazily(`^(?:#|ℹ) pass +(\d+)$`), sum, counts(1, 0, 0)},
	{"#\xe2", "", input.Lazily(`^(?:#|ℹ) (?:fail|cancelled) +\d*[1-9]\d*$`), whole, always(failed)},
	{" ", " test", input.Lazily(`^ +[1-9]\d* (?:tests? failed|uncaught exceptions?)$`), whole, always(failed)},
	{" ", " test", input.Lazily(`^ +[1-9]\d* tests? passed$`), whole, always(passed)},
	{" ", " pass", input.Lazily(`^ +[1-9]\d* pass$`), whole, always(passed)},
	{" ", " fail", input.Lazily(`^ +[1-9]\d* fail$`), whole, always(failed)},
	{" \xe2", " failed (", input.Lazily(`^ *✖ +\d+ of \d+ failed \(\d+%\)`), whole, always(failed)},
	{"T", "TOTAL: ", input.Lazily(`^TOTAL: (?:(\d+) FAILED, )?(\d+) SUCCESS$`), whole, sums(1, 2)},
	{"R", "Result: ", input.Lazily(`^Result: (?:(FAIL)|(PASS)|NOTESTS)$`), whole, proveResult},
	{"on", "ok ", input.Lazily(`^(not )?ok \d+(?: .*)?$`), likely, tapResult},
	{"1", "1..0", input.Lazily(`^1\.\.0(?: #.*)?$`), part, always(empty)},
	{"oF", " passed", input.Lazily(`^(?:ok|FAILED) \| (\d+) passed(?: \(\d+ steps?\))? \| (\d+) failed`), whole, sums(2, 1)},

	// cargo test, cargo nextest
	{digits, " benchmark", input.Lazily(`^\d+ tests?, \d+ benchmarks?$`), part, always(empty)},
	{"r", "running 0 tests", input.Lazily(`^running 0 tests$`), part, always(empty)},
	{"t", "test result: ", input.Lazily(`^test result: (?:ok|FAILED)\. (\d+) passed; (\d+) failed; \d+ ignored; (\d+) measured; \d+ filtered out`), module, sums(2, 1, 3)},
	{"e", "could not compile", input.Lazily("^error: could not compile `[^`]+` \\((?:lib test|test \"[^\"]+\"|bin \"[^\"]+\" test)\\)"), part, always(broken)},
	{" ", " Summary [", input.Lazily(`^ +Summary \[ *\d+\.\d+s\] +(\d+)(?:/\d+)? tests? run: [^,]*(?:, (\d+) (?:exec )?(?:failed|timed out))?`), whole, counts(1, 0, 2)},

	// RSpec; minitest, test-unit; PHPUnit and JUnit's console
	{digits, " example", input.Lazily(`^(\d+) examples?, (\d+) failures?(?:, (\d+) pending)?$`), whole, counts(1, 3, 2)},
	{digits, " outside of examples", input.Lazily(`^[1-9]\d* examples?, \d+ failures?(?:, \d+ pending)?, \d+ errors? occurred outside of examples$`), whole, always(failed)},
	{digits, " outside of examples", input.Lazily(`^0 examples, 0 failures, \d+ errors? occurred outside of examples$`), whole, always(broken)},
	{"N", "No examples found.", input.Lazily(`^No examples found\.$`), whole, always(empty)},
	{digits, " assertions, ", input.Lazily(`^(\d+) (?:runs|tests), \d+ assertions, (\d+) failures, (\d+) errors(?:, (\d+) skips)?(?:, .*)?$`), whole, counts(1, 4, 2, 3)},
	{digits, " failure", input.Lazily(`^(` + exunitCount + `(?:, ` + exunitCount + `)*), (\d+) failures?((?:, \d+ (?:excluded|skipped|invalid))*)$`), whole, exunit},
	{"T", "There are no tests", input.Lazily(`^There are no tests to run$`), whole, always(empty)},
	{"N", "No tests executed!", input.Lazily(`^No tests executed!$`), whole, always(empty)},
	{"T", " Assertions: ", input.Lazily(`^Tests: (\d+), Assertions: \d+((?:, [A-Z][A-Za-z ]*: \d+)*)\.$`), whole, phpunit},
	{"A", "Available test", input.Lazily(`^Available test(?:s|\(s\)):$`), whole, always(empty)},
	{"[", " tests ", input.Lazily(`^\[ +(\d+) tests (successful|failed) +\]$`), whole, junitConsole},
	{"O", "OK (", input.Lazily(`^OK \((\d+) tests?(?:, \d+ assertions?)?\)$`), whole, counts(1, 0, 0)},

	// dotnet test
	{"PFS", "! ", input.Lazily(`^(?:Passed|Failed|Skipped)! +- Failed: +(\d+), Passed: +(\d+), Skipped: +\d+, Total: `), module, sums(1, 2)},
	{"T", "Test ", input.Lazily(`^Test (?:Run Failed\.|run summary: Failed!)`), whole, always(failed)},
	{"T", "Test summary: ", input.Lazily(`^Test summary: total: (\d+), failed: (\d+), succeeded: \d+, skipped: (\d+)`), whole, counts(1, 3, 2)},
	{"T", "The following Tests", input.Lazily(`^The following Tests are available:$`), part, always(empty)},
	{"NW", "No test ", input.Lazily(`^(?:Warning: )?No test (?:is available in|matches the given testcase filter) `), part, always(empty)},

	// Maven, Gradle, Bazel, CTest, GoogleTest
	{"[T", "Tests run: ", input.Lazily(mavenCounts + `(?:, +Flakes: +\d+)?$`), module, counts(1, 4, 2, 3)},
	{"[T", "Tests run: ", input.Lazily(mavenCounts + `(?:, .*)?$`), part, counts(1, 4, 2, 3)},
	{"T", "There were failing tests", input.Lazily(`^There were failing tests\. See the (?:report|results) at: `), module, always(failed)},
	{"[", "[INFO] ", input.Lazily(`^\[INFO\] (?:No tests to run|Tests are skipped)\.$`), build, always(empty)},
	{">", "> Task :", input.Lazily(`^> Task (?::[^: ]+)*:` + gradleTest + ` (?:NO-SOURCE|SKIPPED)$`), build, always(empty)},
	{">", "> Task :", input.Lazily(`^> Task (?::[^: ]+)*:` + gradleTest + `(?: (UP-TO-DATE|FROM-CACHE|FAILED))?$`), part, gradleTask},
	{"/", "PASSED", input.Lazily(`^//\S+ +(\(cached\) )?PASSED in \d`), part, bazelTarget},
	{"/", "FAILED", input.Lazily(`^//\S+ +FAILED in \d`), module, always(failed)},
	{"E", "Executed ", input.Lazily(`^Executed (\d+) out of [1-9]\d* tests?: `), whole, bazelRun},
	{"\t ", "Executed ", input.Lazily(`^\s+Executed (\d+) tests?, with (?:(\d+) tests? skipped and )?(\d+) failures?`), whole, counts(1, 2, 3)},
	{"[", ": Total ", input.Lazily(`^\[(?:info|error)\] \w+: Total (\d+), Failed (\d+), Errors (\d+)`), module, counts(1, 0, 2, 3)},
	{"FS", "! -- ", input.Lazily(`^(?:FAIL|SUCCESS)! -- (\d+) Passed \| (\d+) Failed `), module, sums(2, 1)},
	{"N", "No tests were found!!!", input.Lazily(`^No tests were found!!!$`), whole, always(empty)},
	{" " + digits, "***Skipped", input.Lazily(`^ *\d+/\d+ Test +#\d+: .*\*\*\*Skipped `), part, always(skipped)},
	{digits, "% tests passed", ctestSum, whole, counts(2, 0, 1)},
	{"[", "  PASSED  ", input.Lazily(`^\[  PASSED  \] (\d+) tests?\.$`), part, counts(1, 0, 0)},
	{"[", "  FAILED  ", input.Lazily(`^\[  FAILED  \] \d+ tests?, listed below:$`), module, always(failed)},
}

// shapesBy lists the shapes of a line by its first byte.
var shapesBy = func() (by [256][]*shape) {
	for i := range shapes {
		for _, c := range []byte(shapes[i].first) {
			by[c] = append(by[c], &shapes[i])
		}
	}
	return by
}()

// The parts of longer patterns.
const (
	pytestCount  = `\d+ (?:passed|failed|skipped|deselected|xfailed|xpassed|errors?|warnings?|rerun|subtests passed|subtests failed)`
	pytestCounts = pytestCount + `(?:, ` + pytestCount + `)*`
	jestCount    = `\d+ (?:passed|failed|skipped|todo|total|pending|expected fail|risky|incomplete|deprecated|warnings?)`
	exunitCount  = `\d+ (?:doctests?|propert(?:y|ies)|features?|tests?)`
	mavenCounts  = `^(?:\[[A-Z]+\] )?Tests run: +(\d+), +Failures: +(\d+)(?:, +Errors: +(\d+))?(?:, +Skipped: +(\d+))?`
	gradleTest   = `(?:test|integrationTest|functionalTest|test[A-Z]\w*UnitTest)`
)

// classify returns what a line says, and its scope. The first shape that matches counts.
func classify(line []byte) (lineKind, scope) {
	if len(line) == 0 {
		return nothing, part
	}
	for _, s := range shapesBy[line[0]] {
		if !bytes.Contains(line, []byte(s.hint)) {
			continue
		}
		if m := s.pattern().FindSubmatch(line); m != nil {
			return s.says(m), s.scope
		}
	}
	return nothing, part
}

func always(k lineKind) func([][]byte) lineKind { return func([][]byte) lineKind { return k } }

// counts is for lines that count all tests, skipped tests and failed tests, in these groups; 0 is for a number that the line
// does not have.
func counts(all, skipped int, failures ...int) func([][]byte) lineKind {
	return func(m [][]byte) lineKind {
		at := func(group int) int64 {
			if group == 0 {
				return 0
			}
			return number(m[group])
		}
		return judged(at(all)-at(skipped) > 0, slices.ContainsFunc(failures, func(group int) bool { return at(group) > 0 }))
	}
}

// sums is for lines that count tests that ran: failed ones in one group, others in the other groups.
func sums(failures int, others ...int) func([][]byte) lineKind {
	return func(m [][]byte) lineKind {
		ran := slices.ContainsFunc(others, func(g int) bool { return number(m[g]) > 0 })
		return judged(ran, number(m[failures]) > 0)
	}
}

func judged(ran, failures bool) lineKind {
	switch {
	case failures:
		return failed
	case ran:
		return passed
	default:
		return empty
	}
}

// inWords parses lines such as "2 failed, 1 passed".
func inWords(m [][]byte) lineKind {
	n := map[string]int64{}
	for part := range strings.FieldsFuncSeq(string(m[1]), func(r rune) bool { return r == ',' || r == '|' }) {
		count, word, _ := strings.Cut(strings.TrimSpace(part), " ")
		n[word] = number([]byte(count))
	}
	k := judged(n["passed"]+n["xfailed"]+n["xpassed"]+n["expected fail"] > 0, n["failed"] > 0)
	if errors := n["error"] + n["errors"]; k == passed && errors > 0 {
		return failed // a test that could not be set up, or a file that did not load
	}
	switch {
	case k == empty && n["error"]+n["errors"] > 0:
		return broken
	case k == empty && n["total"] > n["skipped"]+n["todo"]+n["pending"]:
		return nothing // a table of another tool
	}
	return k
}

// exunit parses "1 doctest, 3 tests, 1 failure, 2 excluded" of Elixir, where the first numbers count all tests.
func exunit(m [][]byte) lineKind {
	var all int64
	for n := range bytes.SplitSeq(m[1], []byte(", ")) {
		all += number(bytes.Fields(n)[0])
	}
	failures := number(m[2])
	for n := range bytes.SplitSeq(m[3], []byte(", ")) {
		if count, word, _ := bytes.Cut(n, []byte(" ")); string(word) == "invalid" {
			failures += number(count)
		} else {
			all -= number(count)
		}
	}
	return judged(all > 0, failures > 0)
}

// phpunit parses "Tests: 3, Assertions: 0, Skipped: 3.", in which parts that are 0 are missing.
func phpunit(m [][]byte) lineKind {
	n := map[string]int64{}
	for part := range strings.SplitSeq(string(m[2]), ", ") {
		word, count, _ := strings.Cut(part, ": ")
		n[word] = number([]byte(count))
	}
	return judged(number(m[1]) > n["Skipped"]+n["Incomplete"], n["Failures"]+n["Errors"] > 0)
}

// junitConsole parses two of the sums of JUnit's console launcher. That none failed says nothing.
func junitConsole(m [][]byte) lineKind {
	if string(m[2]) == "failed" {
		if number(m[1]) == 0 {
			return nothing
		}
		return failed
	}
	return judged(number(m[1]) > 0, false)
}

// quietly is inWords for lines without a frame: errors and warnings alone could be those of a linter.
func quietly(m [][]byte) lineKind {
	if !quietCount().Match(m[1]) {
		return nothing
	}
	return inWords(m)
}

var quietCount = input.Lazily(`no tests ran|passed|failed|skipped|deselected`)

func goResult(m [][]byte) lineKind {
	switch {
	case bytes.HasSuffix(m[0], []byte("[no tests to run]")):
		return empty
	case string(m[1]) == "(cached)":
		return cached
	default:
		return passed
	}
}

// gotestsum parses the sum of a run. It counts cached results as if they had run, so that only other lines show that a test
// ran.
func gotestsum(m [][]byte) lineKind {
	if k := counts(1, 2, 3)(m); k != passed {
		return k
	}
	return nothing
}

func proveResult(m [][]byte) lineKind { return judged(len(m[2]) > 0, len(m[1]) > 0) }

// tapResult parses one result of TAP. A directive follows a # that is not escaped; a todo is expected to fail.
func tapResult(m [][]byte) lineKind {
	directive := tapDirective().FindSubmatch(m[0])
	switch {
	case directive == nil:
		return judged(true, len(m[1]) > 0)
	case bytes.EqualFold(directive[1], []byte("skip")):
		return empty
	default:
		return passed
	}
}

var tapDirective = input.Lazily(`(?i)[^\\]# *(skip|todo)`)

func gradleTask(m [][]byte) lineKind {
	switch string(m[1]) {
	case "UP-TO-DATE", "FROM-CACHE":
		return cached
	case "NO-SOURCE", "SKIPPED":
		return empty
	case "FAILED":
		return failed
	default:
		return passed
	}
}

func bazelTarget(m [][]byte) lineKind {
	if len(m[1]) > 0 {
		return cached
	}
	return passed
}

func bazelRun(m [][]byte) lineKind {
	if number(m[1]) == 0 {
		return cached
	}
	return passed
}

package proof

import (
	"bytes"
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/ecosystem"
	"github.com/closeout-gate/closeout/verify/input"
)

// runner is a test runner that ends a run with a summary, as [classify] knows it.
type runner struct {
	words  []string // the program, and the words that must follow it
	quiet  []string // arguments with which it may run no test, or print no summary
	report string   // how it is told to write a test report to {}, where it has a short way
	read   func(text []byte, isOneRun bool) (failure string, found ending)
	always bool // it prints a summary of each run, whatever ran
	// onStderr says that it prints its summary on the standard error, or falls back to it: what the tests print on the
	// other stream says less.
	onStderr bool
}

// ending is what a stream shows of the end of a run.
type ending int

const (
	noEnd   ending = iota // nothing
	isEnded               // a summary
	isCut                 // a part that began, and has none
)

var pytestQuiet = []string{
	"-qq", "-qqq", "--collect-only", "--co", "--version", "-V", "--help", "-h", "--fixtures", "--fixtures-per-test", "--markers", "--cache-show", "--cache-clear", "no:terminal",
	"--setup-plan",
}

// runners are those that print a summary. Of most, the last line about a whole run is the result of the run.
var runners = []runner{
	{words: []string{"pytest"}, quiet: pytestQuiet, report: "add --junitxml={} to its words", read: lastSummary, always: true},
	{words: []string{"py.test"}, quiet: pytestQuiet, read: lastSummary, always: true},
	{words: []string{"unittest"}, quiet: []string{"-h", "--help"}, read: lastSummary, always: true, onStderr: true},
	{
		words: []string{"jest"}, read: lastSummary, always: true, onStderr: true,
		report: "add --reporters=jest-junit, with JEST_JUNIT_OUTPUT_FILE={}",
		quiet:  []string{"--listTests", "--showConfig", "--version", "--clearCache", "--init", "--help", "--reporters", "--json"},
	},
	{
		words: []string{"vitest"}, quiet: []string{"list", "bench", "--version", "--help", "--reporter"}, read: lastSummary, always: true,
		report: "add --reporter=junit --outputFile={} to its words",
	},
	{words: []string{"mocha"}, quiet: []string{"--version", "--help", "--dry-run", "--list-files", "--reporter", "-R"}, read: lastSummary, always: true},
	{words: []string{"node", "--test"}, quiet: []string{"--test-reporter"}, read: lastSummary, always: true},
	{words: []string{"rspec"}, quiet: []string{"--version", "--help", "--format", "-f", "--init"}, read: lastSummary, always: true},
	{
		words: []string{"phpunit"}, read: lastSummary, always: true,
		quiet: []string{
			"--version", "--help", "-h", "--no-output", "--no-results", "--list-tests", "--list-suites", "--list-groups", "--list-test-files", "--list-tests-xml", "--teamcity",
			"--generate-configuration", "--migrate-configuration", "--check-version", "--atleast-version",
		},
	},
	{words: []string{"go", "test"}, read: goSummary, report: "go test -json ./... > {}, run by bash -c, or gotestsum --junitfile {}"},
	{words: []string{"cargo", "test"}, read: cargoSummary},
}

// others are further runners, each with the word that must follow it. They are not expected to print a summary.
var others = strings.Fields("mvn mvnw mvnd gradle gradlew dotnet/test mix/test ctest bazel/test swift/test sbt/test cargo/nextest deno/test " +
	"playwright/test cypress/run ava pest ginkgo karma/start prove bats")

// callers run what a file of the repository says, or a runner of their own, if their words mention tests.
var callers = strings.Fields("make just task rake rails ruby artisan manage.py composer tox nox turbo nx lerna")

// other is a runner that is not expected to print a summary, or one that a caller starts.
var other = runner{read: lastSummary}

// otherOf finds what a command starts among the others and the callers. isCaller reports the second: several runners
// may follow each other.
func otherOf(argv, started []string) (r *runner, isCaller bool) {
	program := path.Base(started[0])
	isOther := func(row string) bool {
		name, word, _ := strings.Cut(row, "/")
		return name == program && (word == "" || slices.Contains(started[1:], word))
	}
	mentions := func(arg string) bool {
		return strings.Contains(arg, "test") || strings.Contains(arg, "spec") || strings.Contains(arg, "check")
	}
	switch {
	case slices.ContainsFunc(others, isOther):
		return &other, false
	case slices.Contains(callers, program) && (strings.HasSuffix(program, "ox") || slices.ContainsFunc(started[1:], mentions)):
		return &other, true
	case len(started) < len(argv) && (program == "t" || mentions(program)): // npm test
		return &other, true
	}
	return nil, false
}

// ReportAdvice says how a command writes a test report to a path.
func ReportAdvice(argv []string, path string) string {
	if r, _, _ := runnerOf(argv); r != nil && r.report != "" {
		return "let the command write it: " + strings.ReplaceAll(r.report, "{}", path)
	}
	return "let the command write " + path + " as JUnit XML or go test -json, for which most test runners have an option"
}

// runnerOf is the runner that a command names, nil for none: by itself, or last in a script after bash -c. script
// reports the second, or a caller of runners: the output may be elsewhere then, and that of several runs. A script that
// looks at an exit code decides by itself what it means.
func runnerOf(argv []string) (r *runner, args []string, script bool) {
	if len(argv) > 2 && ecosystem.IsShell(argv[0]) {
		text := argv[len(argv)-1]
		if !strings.HasSuffix(argv[len(argv)-2], "c") || strings.Contains(text, "$?") || strings.Contains(text, "PIPESTATUS") || mustFail().MatchString(text) {
			return nil, nil, false
		}
		for part := range strings.FieldsFuncSeq(text, func(c rune) bool { return strings.ContainsRune(";&|\n", c) }) {
			if words := strings.Fields(part); len(words) > 0 {
				if named, rest, _ := runnerOf(words); named != nil {
					r, args = named, rest
				}
			}
		}
		return r, args, true
	}
	started := ecosystem.Started(argv)
	if len(started) == 0 {
		return nil, nil, false
	}
	at := slices.IndexFunc(runners, func(r runner) bool {
		missing := func(word string) bool { return !slices.Contains(started[1:], word) }
		return path.Base(started[0]) == r.words[0] && !slices.ContainsFunc(r.words[1:], missing)
	})
	if at < 0 {
		r, script = otherOf(argv, started)
		return r, started[1:], script
	}
	return &runners[at], started[1:], false
}

// mustFail is the part of a script that fails where a command before it passes.
var mustFail = input.Lazily(`&&\s*[({]?\s*(?:exit\s+[1-9]|false)`)

// isQuiet reports whether an argument can keep a runner from printing its summary.
func (r *runner) isQuiet(args []string) bool {
	short := 0
	return slices.ContainsFunc(args, func(arg string) bool {
		option, _, _ := strings.Cut(arg, "=")
		if arg == "-q" || arg == "--quiet" {
			short++
		}
		return slices.Contains(r.quiet, option) || (short > 1 && slices.Contains(r.quiet, "-qq"))
	})
}

// summary finds what the runner that a command names says about a run that ended with 0: in the stream in which it
// prints, else in the other. failure is the line that says that tests failed. silent reports that the output, where
// there is any, has no summary.
func summary(stdout, stderr []byte, argv []string) (failure string, silent bool) {
	r, args, script := runnerOf(argv)
	if r == nil {
		return "", false
	}
	if r.onStderr {
		stdout, stderr = stderr, stdout
	}
	isLost := !script && len(stdout)+len(stderr) > 0 && r.always && !r.isQuiet(args)
	likely := ""
	for _, text := range [][]byte{stdout, stderr} {
		switch failed, end := r.read(text, !script); {
		case end == isEnded:
			return failed, false
		case end == isCut && (r.words[0] != "go" || isVerbose(args)):
			isLost = true
		case script:
			likely = cmp.Or(likely, failed)
		}
	}
	return likely, isLost
}

// unittestFailed is the end of a run of Python's unittest that failed. suites are the lines before the sum of tests of
// Jest and Vitest: a file that did not load is in none of its numbers.
var (
	unittestFailed = input.Lazily(`^FAILED \((?:failures|errors|unexpected successes)=`)
	suites         = input.Lazily(`^ *Test (?:Suites:|Files ) +(?:(\d+ failed)|\d+ \w+)`)
)

// lastSummary finds the last line about a whole run, or a line about a part that failed. Where there may be several
// runs, the last line counts. Without an end, failure is a result of TAP, such as Bats prints, which a sum elsewhere
// would correct.
func lastSummary(text []byte, isOneRun bool) (failure string, found ending) {
	files, broken, playwright := "", "", false
	var notOK []string          // results of TAP
	isOpen := map[string]bool{} // whether a test was not ok the last time
	for raw := range bytes.Lines(text) {
		line, _, ok := printedLine(raw)
		if !ok {
			continue
		}
		k, of := classify(line)
		if startsPlaywright(line) {
			broken, playwright = "", true
		}
		if unittestFailed().Match(line) {
			k, of = failed, whole
		} else if m := suites().FindSubmatch(line); m != nil {
			if files = ""; len(m[1]) > 0 {
				files = short(printable(line))
			}
		}
		if of == likely {
			if isOpen[tapTest(string(line))] = k == failed; k == failed {
				notOK = append(notOK, string(line))
			}
		}
		isPart := of == module || (of == ofPlaywright && playwright && k == failed)
		if k == nothing || (of != whole && of != sum && !isPart) {
			continue
		}
		if found = isEnded; k == failed {
			failure = short(printable(line))
		} else if k == passed {
			failure = files
		}
		if isPart && (isOneRun || playwright) {
			broken = cmp.Or(broken, failure)
		}
	}
	if i := slices.IndexFunc(notOK, func(line string) bool { return isOpen[tapTest(line)] }); found == noEnd && i >= 0 {
		return short(printable([]byte(notOK[i]))), noEnd
	}
	return cmp.Or(broken, failure), found
}

// tapTest is what a result of TAP is about: the name, as a test has another number when only some run again, else the number.
func tapTest(line string) string {
	number := line[max(strings.IndexAny(line, digits), 0):]
	return cmp.Or(strings.TrimLeft(number, digits+" -"), number)
}

// isVerbose reports whether go test prints the results of a package even if it passed.
func isVerbose(args []string) bool {
	return slices.ContainsFunc(args, func(arg string) bool {
		return slices.Contains([]string{"-v", "-json", "-test.v", "-v=true", "-v=test2json"}, arg)
	})
}

// endOfPackage is what go test prints about a package after it.
var endOfPackage = input.Lazily(`^(?:ok  |FAIL|\?   )\t|^\t[^\t]+\t\tcoverage: `)

// goSummary reads the results of packages. go test takes the word of the test binary's exit code; the binary itself
// prints PASS or FAIL before that, or nothing if its TestMain ran no test.
func goSummary(text []byte, isOneRun bool) (failure string, found ending) {
	said := map[string]string{} // the last of the two, by package; the package is "" in plain output
	ofAll := false              // a FAIL after the result of a package is that of all packages
	for raw := range bytes.Lines(text) {
		line, pkg, ok := printedLine(raw)
		switch {
		case !ok:
		case string(line) == "FAIL" && ofAll:
			failure = "FAIL"
		case string(line) == "PASS" || string(line) == "FAIL":
			said[pkg] = string(line)
		case bytes.HasPrefix(line, []byte("ok  \t")):
			if said[pkg] == "FAIL" {
				return "FAIL, and then " + short(printable(line)), isEnded
			}
			if said[pkg] == "" {
				found = isCut
			} else if found == noEnd {
				found = isEnded
			}
			delete(said, pkg)
		case bytes.HasPrefix(line, []byte("FAIL\t")):
			delete(said, pkg)
		}
		if ofAll = ok && endOfPackage().Match(line); ofAll {
			failure = "" // of an earlier run
		}
	}
	if failure != "" {
		found = isEnded
	}
	return failure, found
}

var cargoRuns = input.Lazily(`^running \d+ tests?$`)

// cargoSummary reads the results of test binaries: each that starts ends with one.
func cargoSummary(text []byte, isOneRun bool) (failure string, found ending) {
	failure, found = lastSummary(text, isOneRun)
	started, ended := 0, 0
	for raw := range bytes.Lines(text) {
		if line, _, ok := printedLine(raw); ok && cargoRuns().Match(line) {
			started++
		} else if ok && bytes.HasPrefix(line, []byte("test result: ")) {
			ended++
		}
	}
	if (failure == "" || found == noEnd) && started > ended {
		return "", isCut
	}
	return failure, found
}

package proof

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/ecosystem"
	"github.com/closeout-gate/closeout/verify/input"
)

// runner is a test runner that ends a run with a summary, as [classify] knows it.
type runner struct {
	words []string // the program, and the words that must follow it
	quiet []string // arguments with which it runs no test, or prints no summary
}

// runners are those whose last line about a whole run is the result of the run. go test, cargo test and build tools print one for each part.
var runners = []runner{
	{[]string{"pytest"}, []string{"-qq", "-qqq", "--collect-only", "--co", "--version", "-V", "--help", "-h", "--fixtures", "--markers", "--cache-show", "--no-summary"}},
	{[]string{"py.test"}, []string{"-qq", "-qqq", "--collect-only", "--co", "--version"}},
	{[]string{"unittest"}, []string{"-q", "--quiet", "-h", "--help"}},
	{[]string{"jest"}, []string{"--listTests", "--showConfig", "--version", "--clearCache", "--init", "--help", "--reporters", "--json"}},
	{[]string{"vitest"}, []string{"list", "bench", "--version", "--help", "--reporter"}},
	{[]string{"mocha"}, []string{"--version", "--help", "--dry-run", "--reporter", "-R"}},
	{[]string{"node", "--test"}, []string{"--test-reporter"}},
	{[]string{"rspec"}, []string{"--version", "--help", "--format", "-f", "--init"}},
	{[]string{"phpunit"}, []string{"--version", "--help", "--no-output", "--no-results", "--list-tests", "--list-suites", "--list-groups", "--teamcity"}},
}

// printsSummary reports whether a command names a runner that ends with a summary.
func printsSummary(argv []string) bool {
	started := ecosystem.Started(argv)
	if len(started) == 0 {
		return false
	}
	at := slices.IndexFunc(runners, func(r runner) bool {
		missing := func(word string) bool { return !slices.Contains(started[1:], word) }
		return path.Base(started[0]) == r.words[0] && !slices.ContainsFunc(r.words[1:], missing)
	})
	isQuiet := func(arg string) bool {
		option, _, _ := strings.Cut(arg, "=")
		return slices.Contains(runners[at].quiet, option)
	}
	return at >= 0 && !slices.ContainsFunc(started[1:], isQuiet)
}

// unittestFailed is the end of a run of Python's unittest that failed.
var unittestFailed = input.Lazily(`^FAILED \((?:failures|errors|unexpected successes)=`)

// summary finds the last line about a whole run in the output of a command that ended with 0. failure is that line where it says
// that tests failed. silent reports that the runner which the command names printed none. No output is recorded where text is empty.
func summary(text []byte, argv []string) (failure string, silent bool) {
	if len(text) == 0 || !printsSummary(argv) {
		return "", false
	}
	silent = true
	for raw := range bytes.Lines(text) {
		line, _, ok := printedLine(raw)
		if !ok {
			continue
		}
		k, of := classify(line)
		if unittestFailed().Match(line) {
			k, of = failed, whole
		}
		if k == nothing || (of != whole && of != sum) {
			continue
		}
		if silent = false; k == failed {
			failure = short(printable(line))
		} else if k == passed {
			failure = ""
		}
	}
	return failure, silent
}

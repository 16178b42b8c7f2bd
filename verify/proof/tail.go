package proof

import (
	"bytes"
	"slices"
	"strings"
	"sync"

	"github.com/closeout-gate/closeout/verify/feedback"
	"github.com/closeout-gate/closeout/verify/input"
)

// Tail is the end of what a command printed, for people.
type Tail struct {
	Stream string   // stdout or stderr
	Lines  []string // the last ones, without colours and cut to a readable length; none of them at the ends is empty
	// Error is the first line that looks like an error, which may come before Lines; else the last line.
	Error string
	// Test is the name of the first test that the output says has failed, "" for none.
	Test string
	// Spots are the lines of files that the output names beside that, or in an error.
	Spots []input.Spot
}

// Limits of a tail.
const (
	TailLines   = 20
	maxTailLine = 300 // bytes
)

// TailOf selects the stream that explains why a command failed: the one with the clearer error, else the error output if
// there is any. nil when the record contains no output.
func TailOf(said *feedback.Said) *Tail { return clearest(said.Stdout(), said.Stderr()) }

// clearest selects the stream with the clearer error.
func clearest(stdout, stderr string) *Tail {
	out, clearOut := tail("stdout", stdout)
	err, clearErr := tail("stderr", stderr)
	switch {
	case out == nil:
		return err
	case err == nil, clearOut > 0 && clearOut >= clearErr:
		return out
	}
	return err
}

// StreamTail is the end of one stream; nil when it contains no text.
func StreamTail(stream, text string) *Tail {
	t, _ := tail(stream, text)
	return t
}

// tail reads one stream, and says how clear its error is; nil when it contains no text.
func tail(stream, text string) (*Tail, clarity) {
	t, best := &Tail{Stream: stream}, unclear
	var at, precisely []string // the lines from that of the test on, and those that are precise errors
	hasSum := sync.OnceValue(func() bool { return saysFailed(text) })
	for raw := range bytes.Lines([]byte(text)) {
		line, _, ok := printedLine(raw[:min(len(raw), longest)])
		if !ok {
			continue // an event of go test -json without text
		}
		shown := tailLine(line)
		if len(t.Lines) > 0 || shown != "" {
			t.Lines = append(t.Lines, shown)
		}
		found := clarityOf(shown, t.Test != "")
		if found > best {
			t.Error, best = shown, found
		}
		if found == precise {
			precisely = append(precisely, shown)
		}
		// A list is one of failed tests where a result says that there are some.
		if m := failedTest().FindStringSubmatch(shown); t.Test == "" && m != nil && (m[len(m)-1] == "" || hasSum()) {
			t.Test = strings.TrimSpace(strings.Join(m[1:], ""))
		}
		if t.Test != "" {
			at = append(at, shown)
		}
	}
	for len(t.Lines) > 0 && t.Lines[len(t.Lines)-1] == "" {
		t.Lines = t.Lines[:len(t.Lines)-1]
	}
	if len(t.Lines) == 0 {
		return nil, unclear
	}
	if best == unclear {
		t.Error = t.Lines[len(t.Lines)-1]
	}
	t.Spots = spotsOf(t.Test, at, precisely)
	t.Lines = slices.Clone(t.Lines[max(len(t.Lines)-TailLines, 0):])
	for t.Lines[0] == "" {
		t.Lines = t.Lines[1:]
	}
	t.Error = strings.TrimSpace(t.Error)
	return t, best
}

// saysFailed reports whether a line of a runner says that tests failed.
func saysFailed(text string) bool {
	for raw := range bytes.Lines([]byte(text)) {
		line, _, _ := printedLine(raw)
		if k, _ := classify(line); k == failed {
			return true
		}
	}
	return false
}

// spotsOf finds the lines of files where a test failed, or where a compiler found an error. pytest and unittest name
// the test in a summary, which comes after the place.
func spotsOf(test string, after, precisely []string) []input.Spot {
	list := append(input.Spots(strings.Join(after, "\n")), input.Spots(strings.Join(precisely, "\n"))...)
	file, _, found := strings.Cut(test, "::")
	inFile := func(s input.Spot) bool { return s.File == file }
	switch i := slices.IndexFunc(list, inFile); {
	case i >= 0:
		return list[i : i+1]
	case found && strings.HasSuffix(file, ".py"):
		return []input.Spot{{File: file}}
	}
	return list
}

// failedTest are the lines in which runners name a test that failed: pytest, go test, cargo test, RSpec, unittest and
// minitest, Jest, Vitest, PHPUnit, TAP, node --test, CTest, prove, Maven, Gradle, .NET, and last a list of Mocha, RSpec
// and ExUnit.
var failedTest = input.Lazily(`^FAILED ([^\s:]+::\S.*?)(?: - .*)?$|^ *--- FAIL: (\S+) \(|^thread '([^']+)' .*panicked at |^rspec (\S+:\d+ # .*)$|` +
	`^(?:FAIL|ERROR): (\w+) \(|^([A-Z][\w:]*#test\w*)(?: \[.*\])?:$|^ +● (.+)$|^ FAIL  (\S+ > .+)$|^\d+\) (\w[\w\\]*::\w.*)$|` +
	`^not ok \d+ (?:- )?(.+)$|^ ✘ (.+)$|^✖ (.+) \(\d[\d.]*ms\)$|^ +\d+ - (\S+) \((?:Failed|Timeout|SEGFAULT|Subprocess aborted)\)|` +
	`^# +Failed test '(.+)'$|^\[ERROR\] (\S+) +(?:-- )?Time elapsed: .*<<< (?:FAILURE|ERROR)!$|^(\w\S* > .+) FAILED$|` +
	`^ +Failed (\S.*) \[(?:< )?\d+ m?s\]$|^ {2,}\d+\) (\w(?:.*[^:])?)$`)

// tailLine is a line as it is shown.
func tailLine(line []byte) string {
	return input.CutTo(strings.ReplaceAll(printable(line), "\t", "    "), maxTailLine)
}

// clarity says how much a line tells about an error.
type clarity int

const (
	unclear clarity = iota // it does not look like an error
	general                // something failed
	precise                // what failed, or where
)

var (
	preciseError = input.Lazily(`^(?:E {3}| +error: |\s*Failure/Error: |Failed asserting |FAILED \S|(?:fatal )?[Ee]rror(?:\[\w+\])?: |panic: |fatal: |thread '.*panicked at )|` +
		`^\s*[^\s:()]+\.\w+[:(]\d+(?:[:,]\d+)?\)?(?::| -| error)? |(?:^|\s)[\w.]*(?:Error|Exception)(?: \[\w+\])?: |: (?:fatal )?error: |: (?:command )?not found`)
	generalError = input.Lazily(`^\s*--- FAIL|^FAIL|\bFAILED\b|\bFAILURE\b|^not ok |^ERROR\b|^npm ERR!|^\s*Expected[: ]|^\s*[✕✗✘×] `)
	noError      = input.Lazily(`(?i)\bwarning\b|\b(?:0|no) (?:errors?|failures?|failed)\b`)
)

// clarityOf looks for the forms in which compilers, linters and test runners write errors. What a test expects comes after its name,
// so that it is no error before a line has named one.
func clarityOf(line string, named bool) clarity {
	text := []byte(line)
	switch {
	case line == "" || noError().Match(text), !named && strings.HasPrefix(strings.TrimSpace(line), "Expected"):
		return unclear
	case preciseError().Match(text):
		return precise
	case generalError().Match(text):
		return general
	}
	return unclear
}

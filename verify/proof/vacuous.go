package proof

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/closeout-gate/closeout/verify/input"
)

// Proof is what the output of a command says about the tests that it was meant to run.
type Proof int

// The proofs. Most commands are not test runners, or were recorded without their output: nothing is known about them.
const (
	Unknown    Proof = iota // the output does not say
	NoneRan                 // a test runner says that it ran no test, and none says that it ran one
	AllCached               // the same, and the results are those of an earlier run
	SomeCached              // tests ran, and some results are those of an earlier run
)

// Output is what a decision needs to know about the output of a command.
type Output struct {
	Proof Proof
	Line  string // the first line that shows it, without colours and cut to a readable length; "" when Proof is Unknown
	// Of a command that ended with 0 and has no test report. Failure is the last summary where it says that tests failed; Silent
	// says that the test runner which the command names printed none.
	Failure string
	Silent  bool
}

// ReadOutput looks for the result lines of test runners in the output of a command. Only whole lines of a known form count
// (see runners.go): words in the middle of a line may come from a test, or be a file name.
//
// Runners also say that a package or file has no test in a run that is fine, so one result of a test that ran is enough.
// Where the beginning of the output was cut off, that result may be missing: then only lines about a whole run prove that
// none ran. control is true for a negative control, in which a test must have failed: if its tests did not build, none ran.
// argv is the command: build tools mention missing tests even in commands that are not about tests.
func ReadOutput(text []byte, argv []string, cut, control bool) Output {
	r := runs{asked: asksForTests(argv)}
	// After a test that ran, only lines about results of an earlier run matter, and most outputs have none.
	earlier := sync.OnceValue(func() bool {
		return slices.ContainsFunc(earlierWords, func(word []byte) bool { return bytes.Contains(text, word) })
	})
	for line := range bytes.Lines(text) {
		r.add(line)
		if settled := r.ranAny() && !control && !earlier(); settled {
			return r.proof(cut, control)
		}
	}
	r.sumUnittest()
	r.goBinaries()
	if r.likely != "" {
		r.take(passed, []byte(r.likely), part)
	}
	return r.proof(cut, control)
}

// runs is what the lines so far say.
type runs struct {
	asked bool          // the words of the command mention tests
	first [kinds]string // the first line of each kind; "" when there was none
	whole bool          // a line of kind empty, broken or cached is about a whole run
	idle  bool          // go test has just said that there is no test to run; the result of the package follows
	cases int64         // tests that unittest counted; how many of them it skipped follows
	count string        // the line with that number
	dots  bool          // the previous line is the progress of unittest, and shows a test that ran
	shown bool          // unittest has shown a test that ran; the sum follows

	likely     string              // the first line of scope likely that says that a test ran, unless a sum corrected it
	tests      map[string]*goTests // results that go test has printed, by package; "" for plain output
	skipped    int64               // tests that CTest has skipped, and will count as passed
	playwright bool                // Playwright has started to run or to list tests
}

func (r *runs) add(raw []byte) {
	line, pkg, ok := printedLine(raw)
	if !ok {
		return
	}
	r.goTest(line, pkg)
	r.progress(line)
	if k, of := classify(line); k != nothing && !r.unittest(line) && !r.goPackage(line, pkg) && r.counts(of) {
		r.take(r.ctest(k, line), line, of)
	}
	r.playwright = r.playwright || startsPlaywright(line)
	r.idle = bytes.HasPrefix(line, []byte("testing: warning: no tests to run")) ||
		(r.idle && (string(line) == "PASS" || bytes.HasPrefix(line, []byte("coverage: "))))
}

// startsPlaywright reports whether a line is the first one of Playwright, which prints no line that none passed when all
// tests are skipped.
func startsPlaywright(line []byte) bool {
	return string(line) == "Listing tests:" || (bytes.HasPrefix(line, []byte("Running ")) && playwrightRun().Match(line))
}

// counts reports whether lines of a scope count after the lines so far.
func (r *runs) counts(of scope) bool {
	switch of {
	case build:
		return r.asked
	case ofPlaywright:
		return r.playwright
	}
	return true
}

// ctest counts the tests that CTest skipped, and subtracts them from its sum, which counts them as passed.
func (r *runs) ctest(k lineKind, line []byte) lineKind {
	if k == skipped {
		r.skipped++
		return nothing
	}
	m := ctestSum().FindSubmatch(line)
	if m == nil {
		return k
	}
	ran := number(m[2]) - r.skipped
	r.skipped = 0
	return judged(ran > 0, number(m[1]) > 0)
}

// take adds a line of a kind. In the directory of a package go test prints the same result whether or not a test ran; only
// the line before it says that none did.
func (r *runs) take(k lineKind, line []byte, of scope) {
	switch {
	case k == nothing:
		return
	case k == passed && r.idle:
		k = empty
	case k == passed && of == likely:
		r.likely = cmp.Or(r.likely, string(line))
		return
	case k == empty && of == sum:
		r.likely = ""
	}
	if r.first[k] == "" {
		r.first[k] = short(printable(line))
	}
	r.whole = r.whole || ((of == whole || of == sum) && k != passed && k != failed)
}

// unittest joins the two last lines of Python's unittest: how many tests it counted, including skipped ones, and how many of
// them it skipped. It reports whether the line is one of them.
func (r *runs) unittest(line []byte) bool {
	if m := unittestCount().FindSubmatch(line); m != nil && number(m[1]) > 0 {
		r.sumUnittest()
		r.cases, r.count = number(m[1]), string(line)
		return true
	}
	m := unittestEnd().FindSubmatch(line)
	if m == nil || r.cases == 0 {
		return m != nil
	}
	k := passed
	if number(m[1]) == r.cases && !r.shown {
		k = empty
	}
	r.take(k, line, whole)
	r.cases, r.shown = 0, false
	return true
}

// progress looks for a test that ran in the progress of unittest. The sums are not enough: a class that is skipped as a whole
// counts as one skipped test, and its tests do not count as run.
func (r *runs) progress(line []byte) {
	switch {
	case bytes.HasSuffix(line, []byte(" ... ok")) || bytes.HasSuffix(line, []byte(" ... expected failure")):
		r.shown = true
	case bytes.HasPrefix(line, []byte(unittestRuler)):
		r.shown = r.shown || r.dots
	}
	r.dots = len(line) > 0 && len(bytes.Trim(line, ".sxuFE")) == 0 && bytes.ContainsAny(line, ".xu")
}

// unittestRuler is the line between the progress and the sums.
const unittestRuler = "----------------------------------------------------------------------"

// sumUnittest treats the tests that unittest counted as tests that ran: no line says that they were skipped.
func (r *runs) sumUnittest() {
	if r.cases > 0 {
		r.take(passed, []byte(r.count), whole)
		r.cases = 0
	}
}

// earlierWords are words of the lines about results of an earlier run.
var earlierWords = [][]byte{[]byte("(cached)"), []byte("UP-TO-DATE"), []byte("FROM-CACHE"), []byte("Executed 0 out of ")}

// ranAny reports whether a line so far says that a test ran.
func (r *runs) ranAny() bool { return r.first[passed] != "" || r.first[failed] != "" }

func (r *runs) proof(cut, control bool) Output {
	none, earlier := cmp.Or(r.first[empty], r.first[broken]), r.first[cached]
	switch ran := r.ranAny(); {
	case control && !cut && r.first[broken] != "" && r.first[failed] == "":
		return Output{Proof: NoneRan, Line: r.first[broken]}
	case control && ran:
		return Output{}
	case earlier != "" && (ran || (cut && !r.whole)):
		return Output{Proof: SomeCached, Line: earlier}
	case ran || (cut && !r.whole):
		return Output{}
	case earlier != "":
		return Output{Proof: AllCached, Line: earlier}
	case none != "":
		return Output{Proof: NoneRan, Line: none}
	}
	return Output{}
}

// asksForTests reports whether a word of the command mentions tests, and none says to skip them.
func asksForTests(argv []string) bool {
	leftOut := func(arg string) bool {
		return strings.HasPrefix(arg, "-DskipTests") || strings.HasPrefix(arg, "-Dmaven.test.skip")
	}
	test := func(arg string) bool { return strings.Contains(strings.ToLower(arg), "test") }
	return slices.ContainsFunc(argv, test) && !slices.ContainsFunc(argv, leftOut)
}

// longest is the maximum length of a result line; the longest contain the path of a package.
const longest = 4096

// printedLine returns a line as a terminal shows it: without colours, without text that a carriage return overwrites, without
// trailing blanks. For an event of go test -json it returns the text and the package. ok is false for a line that cannot be
// a result.
func printedLine(raw []byte) (line []byte, pkg string, ok bool) {
	if len(raw) > longest {
		return nil, "", false
	}
	line = bytes.TrimRight(raw, " \t\r\n")
	if bytes.HasPrefix(line, []byte(`{"`)) {
		return goEvent(line)
	}
	if bytes.IndexByte(line, '\x1b') >= 0 {
		line = bytes.TrimRight(colours().ReplaceAll(line, nil), " \t\r")
	}
	return line[bytes.LastIndexByte(line, '\r')+1:], "", true
}

// goEvent returns the text of an output event of go test -json, and its package.
func goEvent(line []byte) (text []byte, pkg string, ok bool) {
	before, _, ok0 := bytes.Cut(line, []byte(`"Output":`))
	if !ok0 || !bytes.Contains(before, []byte(`"Action":"output"`)) {
		return nil, "", false
	}
	output, ok := quotedAfter(line, `"Output":`)
	pkg, _ = quotedAfter(before, `"Package":`)
	return []byte(strings.TrimRight(output, " \t\r\n")), pkg, ok
}

// quotedAfter returns the string after the first key of that name.
func quotedAfter(line []byte, key string) (string, bool) {
	_, rest, found := bytes.Cut(line, []byte(key))
	quoted, err := strconv.QuotedPrefix(string(rest))
	if !found || err != nil {
		return "", false
	}
	text, err := strconv.Unquote(quoted)
	return text, err == nil
}

// printable replaces control characters other than tabs in a line.
func printable(line []byte) string {
	return strings.Map(func(c rune) rune {
		if (c < ' ' && c != '\t') || (c >= 0x7f && c < 0xa0) {
			return '\ufffd'
		}
		return c
	}, string(line))
}

// number parses digits: 0 for none, and the largest number for too many.
func number(digits []byte) int64 {
	n, _ := strconv.ParseInt(string(digits), 10, 64)
	return n
}

var (
	// colours are what a terminal does not show: sequences that begin with [, titles and links, and character sets.
	colours = input.Lazily("\x1b(?:\\[[0-9;:?]*[A-Za-z]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)|[()][A-Z0-9])")

	playwrightRun = input.Lazily(`^Running \d+ tests? using \d+ workers?`)
	unittestCount = input.Lazily(`^Ran (\d+) tests? in \d+\.\d+s$`)
	ctestSum      = input.Lazily(`^\d+% tests passed, (\d+) tests? failed out of (\d+)$`)
	unittestEnd   = input.Lazily(`^OK(?: \((?:skipped=(\d+)|[a-z ]+=\d+)(?:, [a-z ]+=\d+)*\))?$`)
)

package ledger

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Proof is what the output of a command says about the tests that it should have run.
type Proof int

// The proofs. Most commands are no test runners, or were recorded without their output: of them nothing is known.
const (
	Unknown    Proof = iota // nothing is said against it
	NoneRan                 // a test runner says that it ran no test, and none says that it ran one
	AllCached               // the same, and results of an earlier run were shown again
	SomeCached              // tests ran, and other results are those of an earlier run
)

// Output is what a decision needs to know of a command's output.
type Output struct {
	Proof Proof
	Line  string // the first line that shows it, without colours and cut to a readable length; "" when Proof is Unknown
}

// ReadOutput looks for the result lines of test runners in what a command printed. Only whole lines of a known form count
// (see runners.go): words in the middle of a line are a test's own, or somebody's file name.
//
// Runners say that a package or file has no test although the run is fine, so nothing is said against a run in which one
// result shows a test that ran. Output whose beginning was cut off may have held that result: then only the lines that sum
// up a whole run prove that none ran. control is true for a negative control, in which a test must have failed: one that
// failed because its tests did not build has run none. argv is the command: build tools mention tests that there are none
// of also when nobody asked for tests.
func ReadOutput(text []byte, argv []string, cut, control bool) Output {
	r := runs{asked: asksForTests(argv)}
	// After a test that ran, only lines about results of an earlier run can tell more, and most outputs have none.
	earlier := sync.OnceValue(func() bool { return mentionsEarlier(text) })
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

// runs is what the lines up to here say.
type runs struct {
	asked bool          // the command's words speak of tests
	first [kinds]string // the first line of each kind; "" when there was none
	whole bool          // a line of kind empty, broken or cached speaks of a whole run
	idle  bool          // go test has just said that there is no test to run; the result of the package follows
	cases int64         // tests that unittest counted, and does not say yet how many of them it skipped
	count string        // the line of that
	dots  bool          // the line before is unittest's progress, and shows a test that ran
	shown bool          // unittest has shown a test that ran, and not summed up yet

	likely     string              // the first line of scope likely that says that a test ran, and that no sum has taken back
	tests      map[string]*goTests // whose ends go test has printed, by package; "" is the one that plain output is about
	skipped    int64               // tests that CTest has skipped, and will count as passed
	playwright bool                // Playwright has begun to run or to list tests
}

func (r *runs) add(raw []byte) {
	line, pkg, ok := plain(raw)
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
		r.idle && (string(line) == "PASS" || bytes.HasPrefix(line, []byte("coverage: ")))
}

// startsPlaywright reports whether a line says what Playwright begins with. When all tests are skipped, it ends without a
// line that none passed.
func startsPlaywright(line []byte) bool {
	return string(line) == "Listing tests:" || bytes.HasPrefix(line, []byte("Running ")) && playwrightRun().Match(line)
}

// counts reports whether lines of a scope count after the lines up to here.
func (r *runs) counts(of scope) bool {
	switch of {
	case build:
		return r.asked
	case ofPlaywright:
		return r.playwright
	}
	return true
}

// ctest counts the tests that CTest skipped, and takes them from its sum, in which they stand as passed.
func (r *runs) ctest(k kind, line []byte) kind {
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

// take notes a line of a kind. In the folder of a package go test writes the same result whether a test ran or not, and
// only a line before it says so.
func (r *runs) take(k kind, line []byte, of scope) {
	switch {
	case k == nothing:
		return
	case k == passed && r.idle:
		k = empty
	case k == passed && of == likely:
		r.likely = firstOf(r.likely, string(line))
		return
	case k == empty && of == sum:
		r.likely = ""
	}
	if r.first[k] == "" {
		r.first[k] = short(printable(line))
	}
	r.whole = r.whole || (of == whole || of == sum) && k != passed && k != failed
}

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// unittest joins the two lines with which Python's unittest ends a run: how many tests it counted, skipped ones included,
// and how many of them it skipped. It reports whether the line was one of those.
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

// progress looks for what unittest prints of a test that ran. Its sums alone do not tell: a class that is skipped as a whole
// counts as skipped, and its tests do not count as run.
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

// sumUnittest takes the tests that unittest counted for tests that ran: nothing says that they were skipped.
func (r *runs) sumUnittest() {
	if r.cases > 0 {
		r.take(passed, []byte(r.count), whole)
		r.cases = 0
	}
}

// mentionsEarlier reports whether a text has a word of the lines that say that a result is that of an earlier run.
func mentionsEarlier(text []byte) bool {
	return slices.ContainsFunc(earlierWords, func(word []byte) bool { return bytes.Contains(text, word) })
}

var earlierWords = [][]byte{[]byte("(cached)"), []byte("UP-TO-DATE"), []byte("FROM-CACHE"), []byte("Executed 0 out of ")}

// ranAny reports whether a line up to here says that a test ran.
func (r *runs) ranAny() bool { return r.first[passed] != "" || r.first[failed] != "" }

func (r *runs) proof(cut, control bool) Output {
	none := r.first[empty]
	if none == "" {
		none = r.first[broken]
	}
	earlier := r.first[cached]
	switch ran := r.ranAny(); {
	case control && !cut && r.first[broken] != "" && r.first[failed] == "":
		return Output{NoneRan, r.first[broken]}
	case control && ran:
		return Output{}
	case earlier != "" && (ran || cut && !r.whole):
		return Output{SomeCached, earlier}
	case ran || cut && !r.whole:
		return Output{}
	case earlier != "":
		return Output{AllCached, earlier}
	case none != "":
		return Output{NoneRan, none}
	}
	return Output{}
}

// asksForTests reports whether a word of the command speaks of tests, and none says that they are to be left out.
func asksForTests(argv []string) bool {
	leftOut := func(arg string) bool {
		return strings.HasPrefix(arg, "-DskipTests") || strings.HasPrefix(arg, "-Dmaven.test.skip")
	}
	test := func(arg string) bool { return strings.Contains(strings.ToLower(arg), "test") }
	return slices.ContainsFunc(argv, test) && !slices.ContainsFunc(argv, leftOut)
}

// longest is how long a result line can be; the longest name the path of a package.
const longest = 4096

// plain returns a line as a terminal shows it: without colours, without what a carriage return overwrites, without blanks
// at its end. Of the events of go test -json it is the text that they carry, and their package. ok is false for what can
// be no result.
func plain(raw []byte) (line []byte, pkg string, ok bool) {
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
	at := bytes.Index(line, []byte(`"Output":`))
	if at < 0 || !bytes.Contains(line[:at], []byte(`"Action":"output"`)) {
		return nil, "", false
	}
	output, ok := quotedAfter(line, `"Output":`)
	pkg, _ = quotedAfter(line[:at], `"Package":`)
	return []byte(strings.TrimRight(output, " \t\r\n")), pkg, ok
}

// quotedAfter returns the string behind the first key of that name.
func quotedAfter(line []byte, key string) (string, bool) {
	_, rest, found := bytes.Cut(line, []byte(key))
	quoted, err := strconv.QuotedPrefix(string(rest))
	if !found || err != nil {
		return "", false
	}
	text, err := strconv.Unquote(quoted)
	return text, err == nil
}

// printable is a line without what a terminal would obey; tabs stay.
func printable(line []byte) string {
	return strings.Map(func(c rune) rune {
		if c < ' ' && c != '\t' || c >= 0x7f && c < 0xa0 {
			return '\ufffd'
		}
		return c
	}, string(line))
}

// number reads digits; too many of them are the largest number, none are 0.
func number(digits []byte) int64 {
	n, _ := strconv.ParseInt(string(digits), 10, 64)
	return n
}

// lazily compiles a pattern when it is asked for the first time: most runs need none.
func lazily(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

var (
	colours = lazily("\x1b\\[[0-9;?]*[A-Za-z]")

	playwrightRun = lazily(`^Running \d+ tests? using \d+ workers?`)
	unittestCount = lazily(`^Ran (\d+) tests? in \d+\.\d+s$`)
	ctestSum      = lazily(`^\d+% tests passed, (\d+) tests? failed out of (\d+)$`)
	unittestEnd   = lazily(`^OK(?: \((?:skipped=(\d+)|[a-z ]+=\d+)(?:, [a-z ]+=\d+)*\))?$`)
)

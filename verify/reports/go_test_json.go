package reports

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/input"
)

// What go test -json writes is described by go doc test2json: one event a line. Keys and actions that are not known are
// stepped over, the format grows with Go.

var goTestOutcomes = map[string]caseOutcome{"pass": casePassed, "fail": caseFailed, "skip": caseSkipped}

// eventLines reads a stream line by line.
type eventLines struct {
	r      *bufio.Reader
	limits input.Limits
	read   int64
	number int // of the line
	long   []byte
}

// next returns a line, which is valid until the next call, and nil at the end. One that is too long is an error, as is a stream
// that is.
func (l *eventLines) next(errs *input.Errors) []byte {
	l.number++
	line, err := l.r.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		l.long = l.long[:0]
		for ; errors.Is(err, bufio.ErrBufferFull) && int64(len(l.long)) <= l.limits.RulesBytes; line, err = l.r.ReadSlice('\n') {
			l.long = append(l.long, line...)
		}
		l.long = append(l.long, line...)
		line = l.long
	}
	l.read += int64(len(line))
	at := input.Pos{Line: l.number, Column: 1}
	switch {
	case int64(len(bytes.TrimRight(line, "\r\n"))) > l.limits.RulesBytes:
		errs.Add(input.OverLimitAt(at, "a line of the test report, in bytes,", l.limits.RulesBytes, input.FlagRulesBytes))
	case l.read > MostTestBytes(l.limits):
		errs.Add(input.OverLimitAt(at, "the size of the test report in bytes", MostTestBytes(l.limits), input.FlagRulesBytes))
	case err != nil && !errors.Is(err, io.EOF):
		errs.Add(input.Unreadable("the test report", err))
	case len(line) > 0:
		return line
	}
	return nil
}

// readGoTest returns nil when the first line is not an event, or a limit stops it.
func readGoTest(r *bufio.Reader, limits input.Limits, book *caseBook, errs *input.Errors) *TestReport {
	packages := map[string]bool{} // whether the last result of a package is that it failed
	alone := map[string]bool{}    // packages that failed once, and none of their tests
	said, panics := goTestOutput{}, goTestPanics{}
	if book.listed != nil {
		book.listed.GoesOn, book.listed.Ended = true, map[string]string{}
	}
	begun, ended := false, false
	lines, stopped := &eventLines{r: r, limits: limits}, &input.Errors{}
	for line := lines.next(stopped); line != nil; line = lines.next(stopped) {
		number := lines.number
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		found := &input.Errors{} // their places are in the line
		event, plain := plainEvent(line, limits)
		if !plain {
			event = parseAnyEvent(line, limits, found)
			lines.read += (streamShare - 1) * int64(len(line)) // that takes as much longer
		}
		if !begun && found.Any() {
			errs.Add(firstLineIsNoEvent(number, line, found.All()[0]))
			return nil
		}
		begun = true
		for _, e := range found.All() {
			if !e.Pos.IsZero() {
				e.Pos.Line += number - 1
			}
			errs.Add(e)
		}
		outcome, ends := goTestOutcomes[event.action]
		panics.follow(event, book.listed)
		switch {
		case ends && event.test == "":
			packages[event.pkg] = outcome == caseFailed || (outcome == caseSkipped && packages[event.pkg])
			alone[event.pkg] = alone[event.pkg] || (outcome == caseFailed && book.failing[event.pkg] == 0)
			if build := said[[2]string{event.failedBuild, ""}]; build != nil {
				book.listed.because(event.pkg, build.first)
			}
		case ends:
			c := testCase{group: event.pkg, where: event.pkg, name: event.test, outcome: outcome}
			c.error, c.spots = said.end(event)
			book.add(c)
		default:
			said.add(event, book.listed)
		}
		ended = ended || ends
		if int64(len(book.cases)+len(packages)) > limits.Values {
			at := input.Pos{Line: number, Column: 1}
			stopped.Add(input.OverLimitAt(at, "the number of tests and packages", limits.Values, input.FlagValues))
			break
		}
	}
	for _, e := range stopped.All() {
		errs.Add(e)
	}
	if !begun || stopped.Any() {
		return nil
	}
	if !ended {
		errs.Add(input.Error{
			Message: "no test and no package of the stream ends: the run was cut short", Found: "no event with pass, fail or skip",
			Expected: "at least one", Fix: "supply what go test -json writes until it exits",
		})
	}
	// A package may fail and none of its tests: it did not build, or ended by itself.
	for _, pkg := range slices.Sorted(maps.Keys(packages)) {
		switch {
		case packages[pkg] && book.failing[pkg] == 0:
			book.broke(pkg, 1)
		case alone[pkg] && !packages[pkg]:
			book.wasBroken(pkg)
		}
	}
	return book.sum()
}

// goTestEvent is what counts of one event.
type goTestEvent struct {
	action string
	pkg    string
	output string
	test   string // "" when the event is about the package, not about a test or subtest of it

	built, failedBuild string // what a line of the compiler is about, and what a package failed for
}

func parseAnyEvent(line []byte, limits input.Limits, errs *input.Errors) goTestEvent {
	n := input.ParseJSON(line, limits, errs)
	if n == nil {
		return goTestEvent{}
	}
	if n.Kind != input.KindObject {
		errs.Add(input.WrongElement(n, "", "a line", "an object"))
		return goTestEvent{}
	}
	f := input.Object(n, "", errs)
	return goTestEvent{
		action: f.NeedText("Action").Value, test: f.AnyText("Test"), pkg: f.AnyText("Package"), output: f.AnyText("Output"),
		built: f.AnyText("ImportPath"), failedBuild: f.AnyText("FailedBuild"),
	}
}

// goTestPanics are the lines of panics by package, as long as no test of it goes on after them.
type goTestPanics map[string]string

// follow notes a panic, and where the package fails next, that it ended it. A test that goes on shows that a line only looks like one.
func (p goTestPanics) follow(e goTestEvent, listed *TestNames) {
	if listed == nil {
		return
	}
	isPanic := strings.HasPrefix(e.output, "panic: ") || strings.HasPrefix(e.output, "fatal error: ")
	switch {
	case isPanic && p[e.pkg] == "" && len(p) < maxOpenTests:
		p[e.pkg] = input.CutTo(firstLine(e.output), maxTestError)
	case e.action == "output" || (e.action == "fail" && e.test != ""):
	case e.action == "fail" && p[e.pkg] != "" && len(listed.Ended) < maxTestErrors:
		listed.Ended[e.pkg] = strings.Clone(p[e.pkg])
		delete(p, e.pkg)
	default:
		delete(p, e.pkg)
	}
}

// maxOpenTests is of how many tests at once something of their output is kept.
const maxOpenTests = 10_000

// goTestOutput is what the open tests printed that tells of a failure, by package and test.
type goTestOutput map[[2]string]*goTestLines

// goTestLines are the first line, the last one that begins with a line of a test file, and those around it.
type goTestLines struct {
	first, last string
	spots       string
	isPanic     bool
}

var goTestLine = input.Lazily(`^ *\S+\.go:\d+: ?`)

// add notes what a test or a package says. A package that was not built has no test.
func (said goTestOutput) add(e goTestEvent, listed *TestNames) {
	line, key := input.CutTo(firstLine(e.output), maxTestError), [2]string{e.pkg, e.test}
	switch {
	case e.action == "build-output":
		if key[0] = e.built; e.built != "" && !strings.HasPrefix(line, "#") {
			said.of(key).add(line)
		}
	case e.test == "" && (strings.HasSuffix(line, "[build failed]") || strings.HasSuffix(line, "[setup failed]")):
		listed.broke(e.pkg, "")
	case e.test != "" && line != "" && !strings.HasPrefix(line, "=== ") && !strings.HasPrefix(line, "--- "):
		said.of(key).add(line)
	}
}

// of is what a test printed, and nothing that is kept where too many are open.
func (said goTestOutput) of(key [2]string) *goTestLines {
	s := said[key]
	if s == nil {
		if s = (&goTestLines{}); len(said) < maxOpenTests {
			said[key] = s
		}
	}
	return s
}

// add notes a line. A log and a failure look alike, and a failure is more often the later one.
func (s *goTestLines) add(line string) {
	const most = 4096
	s.first = cmp.Or(s.first, line)
	isFatal := strings.HasPrefix(line, "panic: ")
	switch {
	case s.isPanic:
	case isFatal:
		s.last, s.spots, s.isPanic = line, "", true
	case goTestLine().MatchString(line):
		s.last, s.spots = line, ""
	case strings.HasSuffix(s.last, ":") && len(s.last) < maxTestError && !strings.HasPrefix(line, "Error Trace:"):
		s.last += " " + line // the message begins on a line of its own
	}
	if strings.Contains(line, ".go:") && len(s.spots) < most {
		s.spots += line + "\n"
	}
}

// end forgets a test that ended.
func (said goTestOutput) end(e goTestEvent) (failure string, spots []input.Spot) {
	key := [2]string{e.pkg, e.test}
	s := said[key]
	delete(said, key)
	if s == nil {
		return "", nil
	}
	if e.action == "fail" {
		spots = input.Spots(s.spots)
		inTest := func(spot input.Spot) bool { return strings.HasSuffix(spot.File, "_test.go") }
		if i := slices.IndexFunc(spots, inTest); i > 0 { // the frames of a panic begin in the code
			spots = slices.Concat(spots[i:i+1], spots[:i], spots[i+1:])
		}
	}
	return cmp.Or(s.last, s.first), spots
}

// firstLineIsNoEvent says what is wrong with the line that should have told the format.
func firstLineIsNoEvent(number int, line []byte, first input.Error) input.Error {
	if first.Limit != "" {
		first.Pos.Line = number
		return first
	}
	at := input.Pos{Line: number, Column: len(line) - len(bytes.TrimLeft(line, " \t")) + 1}
	return noTestReport(at, "this is JSON of another kind than go test -json: "+first.Message, input.Excerpt(line))
}

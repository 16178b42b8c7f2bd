package reports

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/input"
)

// What go test -json writes is described by go doc test2json: one event a line. Keys and actions that are not known are
// stepped over, the format grows with Go.

var goTestOutcomes = map[string]caseOutcome{"pass": casePassed, "fail": caseFailed, "skip": caseSkipped}

// parseGoTest returns nil when the first line is no event.
func parseGoTest(data []byte, limits input.Limits, book *caseBook, errs *input.Errors) *TestReport {
	packages := map[string]bool{} // whether the last result of a package is that it failed
	said := goTestOutput{}
	if book.listed != nil {
		book.listed.GoesOn = true
	}
	number, begun, ended := 0, false, false
	for line := range bytes.Lines(data) {
		number++
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		found := &input.Errors{} // their places are in the line
		event := parseGoTestEvent(line, limits, found)
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
		switch {
		case ends && event.test == "":
			packages[event.pkg] = outcome == caseFailed
		case ends:
			book.add(testCase{group: event.pkg, where: event.pkg, name: event.test, outcome: outcome, error: said.end(event)})
		case book.listed != nil:
			said.add(event, book.listed)
		}
		ended = ended || ends
	}
	if !begun {
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
		if packages[pkg] && book.failing[pkg] == 0 {
			book.broke(pkg, 1)
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
}

func parseGoTestEvent(line []byte, limits input.Limits, errs *input.Errors) goTestEvent {
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
	}
}

// goTestOutput is the first line that each open test printed, by package and test.
type goTestOutput map[[2]string]string

// add notes what a test or a package says. A package that was not built has no test.
func (said goTestOutput) add(e goTestEvent, listed *TestNames) {
	line, key := firstLine(e.output), [2]string{e.pkg, e.test}
	switch {
	case e.test == "" && (strings.HasSuffix(line, "[build failed]") || strings.HasSuffix(line, "[setup failed]")):
		listed.broke(e.pkg)
	case e.test != "" && said[key] == "" && !strings.HasPrefix(line, "=== ") && !strings.HasPrefix(line, "--- "):
		said[key] = input.CutTo(line, maxTestError)
	}
}

// end forgets a test that ended.
func (said goTestOutput) end(e goTestEvent) string {
	key := [2]string{e.pkg, e.test}
	line := said[key]
	delete(said, key)
	return line
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

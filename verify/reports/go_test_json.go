package reports

import (
	"bytes"
	"maps"
	"slices"

	"github.com/closeout-gate/closeout/verify/input"
)

// What go test -json writes is described by go doc test2json: one event a line. Keys and actions that are not known are
// stepped over, the format grows with Go.

var goTestOutcomes = map[string]caseOutcome{"pass": casePassed, "fail": caseFailed, "skip": caseSkipped}

// parseGoTest returns nil when the first line is no event.
func parseGoTest(data []byte, limits input.Limits, book *caseBook, errs *input.Errors) *TestReport {
	packages := map[string]bool{} // whether the last result of a package is that it failed
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
		if ends && event.test == "" {
			packages[event.pkg] = outcome == caseFailed
		} else if ends {
			book.add(testCase{group: event.pkg, where: event.pkg, name: event.test, outcome: outcome})
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
	return goTestEvent{action: f.NeedText("Action").Value, test: f.AnyText("Test"), pkg: f.AnyText("Package")}
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

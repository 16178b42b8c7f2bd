package evidence

import (
	"bytes"

	"github.com/closeout-gate/closeout/verify/source"
)

// What go test -json writes is described by go doc test2json: one event a line. Keys and actions that are not known are
// stepped over, the format grows with Go.

// parseGoTest returns nil when the first line is no event.
func parseGoTest(data []byte, limits Limits, errs *source.Errors) *TestReport {
	var report *TestReport
	ended := false
	number := 0
	for line := range bytes.Lines(data) {
		number++
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		found := &source.Errors{}
		e := parseGoTestEvent(line, limits, found)
		if report == nil && found.Any() {
			errs.Add(firstLineIsNoEvent(number, line, found))
			return nil
		}
		addShifted(errs, found, number-1)
		if report == nil {
			report = &TestReport{}
		}
		ended = ended || e.ends()
		if e.ends() && e.test {
			report.add(e.action == "fail", e.action == "skip")
		}
	}
	if report != nil && !ended {
		errs.Add(source.Error{
			Message: "no test and no package of the stream ends: the run was cut short", Found: "no event with pass, fail or skip",
			Expected: "at least one", Fix: "hand over what go test -json writes until it exits",
		})
	}
	return report
}

// goTestEvent is what counts of one event.
type goTestEvent struct {
	action string
	test   bool // the event is about a test or subtest, not about a package
}

func (e goTestEvent) ends() bool {
	return e.action == "pass" || e.action == "fail" || e.action == "skip"
}

func parseGoTestEvent(line []byte, limits Limits, errs *source.Errors) goTestEvent {
	n := parseJSON(line, limits, errs)
	if n == nil {
		return goTestEvent{}
	}
	if n.kind != kindObject {
		errs.Add(mustBeNamed(n, "", "a line", "an object"))
		return goTestEvent{}
	}
	f := object(n, "", errs)
	e := goTestEvent{action: f.needText("Action").Value, test: f.anyText("Test") != ""}
	f.anyText("Package")
	return e
}

// firstLineIsNoEvent says what is wrong with the line that should have told the format.
func firstLineIsNoEvent(number int, line []byte, found *source.Errors) source.Error {
	first := found.All()[0]
	if first.Limit != "" {
		first.Pos.Line = number
		return first
	}
	at := source.Pos{Line: number, Column: len(line) - len(bytes.TrimLeft(line, " \t")) + 1}
	return noTestReport(at, "this is JSON of another kind than go test -json: "+first.Message, excerpt(line))
}

// addShifted adds the errors of a line that comes after so many others.
func addShifted(errs, found *source.Errors, lines int) {
	for _, e := range found.All() {
		if !e.Pos.IsZero() {
			e.Pos.Line += lines
		}
		errs.Add(e)
	}
}

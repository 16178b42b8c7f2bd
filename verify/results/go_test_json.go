package results

import (
	"bytes"
	"maps"
	"slices"

	"github.com/closeout-gate/closeout/verify/diag"
	"github.com/closeout-gate/closeout/verify/strict"
)

// What go test -json writes is described by go doc test2json: one event a line. Keys and actions that are not known are
// stepped over, the format grows with Go.

// parseGoTest returns nil when the first line is no event.
func parseGoTest(data []byte, limits strict.Limits, errs *diag.Errors) *TestReport {
	r := &goTestReader{book: newCaseBook(), packages: map[string]bool{}}
	number := 0
	for line := range bytes.Lines(data) {
		number++
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		found := &diag.Errors{}
		e := parseGoTestEvent(line, limits, found)
		if !r.begun && found.Any() {
			errs.Add(firstLineIsNoEvent(number, line, found))
			return nil
		}
		addShifted(errs, found, number-1)
		r.begun = true
		if e.ends() {
			r.end(e)
		}
	}
	if !r.begun {
		return nil
	}
	if !r.ended {
		errs.Add(diag.Error{
			Message: "no test and no package of the stream ends: the run was cut short", Found: "no event with pass, fail or skip",
			Expected: "at least one", Fix: "supply what go test -json writes until it exits",
		})
	}
	return r.sum()
}

// goTestReader counts what the events of one stream say.
type goTestReader struct {
	book     *caseBook
	packages map[string]bool // whether the last result of a package is that it failed
	begun    bool
	ended    bool // a test or a package
}

// end takes the end of a test or a package.
func (r *goTestReader) end(e goTestEvent) {
	r.ended = true
	if e.test == "" {
		r.packages[e.pkg] = e.action == "fail"
		return
	}
	outcome := map[string]caseOutcome{"pass": casePassed, "fail": caseFailed, "skip": caseSkipped}[e.action]
	r.book.add(testCase{group: e.pkg, name: e.test, outcome: outcome})
}

// sum adds the packages that failed and none of whose tests did: they did not build, or ended by themselves.
func (r *goTestReader) sum() *TestReport {
	for _, pkg := range slices.Sorted(maps.Keys(r.packages)) {
		if r.packages[pkg] && r.book.failing[pkg] == 0 {
			r.book.broke(pkg, 1)
		}
	}
	return r.book.sum()
}

// goTestEvent is what counts of one event.
type goTestEvent struct {
	action string
	pkg    string
	test   string // "" when the event is about the package, not about a test or subtest of it
}

func (e goTestEvent) ends() bool {
	return e.action == "pass" || e.action == "fail" || e.action == "skip"
}

func parseGoTestEvent(line []byte, limits strict.Limits, errs *diag.Errors) goTestEvent {
	n := strict.ParseJSON(line, limits, errs)
	if n == nil {
		return goTestEvent{}
	}
	if n.Kind != strict.KindObject {
		errs.Add(strict.WrongElement(n, "", "a line", "an object"))
		return goTestEvent{}
	}
	f := strict.Object(n, "", errs)
	return goTestEvent{action: f.NeedText("Action").Value, test: f.AnyText("Test"), pkg: f.AnyText("Package")}
}

// firstLineIsNoEvent says what is wrong with the line that should have told the format.
func firstLineIsNoEvent(number int, line []byte, found *diag.Errors) diag.Error {
	first := found.All()[0]
	if first.Limit != "" {
		first.Pos.Line = number
		return first
	}
	at := diag.Pos{Line: number, Column: len(line) - len(bytes.TrimLeft(line, " \t")) + 1}
	return noTestReport(at, "this is JSON of another kind than go test -json: "+first.Message, diag.Excerpt(line))
}

// addShifted adds the errors of a line that comes after so many others.
func addShifted(errs, found *diag.Errors, lines int) {
	for _, e := range found.All() {
		if !e.Pos.IsZero() {
			e.Pos.Line += lines
		}
		errs.Add(e)
	}
}

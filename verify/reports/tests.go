package reports

import (
	"bufio"
	"bytes"
	"io"

	"github.com/closeout-gate/closeout/verify/input"
)

// ParseTests counts the test cases of a test report. The content decides the format: JUnit XML begins with <, a stream of
// go test -json with {.
//
// A report without cases is not an error here. The report is nil when the text has none of the formats; do not use it if
// there are errors.
func ParseTests(data []byte, limits input.Limits) (*TestReport, *input.Errors) {
	return ReadTests(bytes.NewReader(data), limits, false)
}

// ReadTests is [ParseTests] for a file. It lists the cases if their names are asked for. Of JUnit XML it keeps the whole text in
// memory, of go test -json a line, so that such a stream may be as long as [MostTestBytes] says.
func ReadTests(r io.Reader, limits input.Limits, named bool) (*TestReport, *input.Errors) {
	book := newCaseBook()
	if named {
		book.listed = &TestNames{at: map[[2]string]int32{}, most: limits.RulesBytes}
	}
	report, errs := readTests(bufio.NewReaderSize(r, lineBuffer), limits, book)
	if report != nil && named {
		report.Names, book.listed.at = book.listed, nil
	}
	return report, errs
}

// MostTestBytes is how long a stream of go test -json may be. A line that go test -json would not write counts as several.
func MostTestBytes(limits input.Limits) int64 { return streamShare * limits.RulesBytes }

const (
	streamShare = 8
	lineBuffer  = 64 << 10 // most lines are shorter
)

func readTests(r *bufio.Reader, limits input.Limits, book *caseBook) (*TestReport, *input.Errors) {
	errs := &input.Errors{}
	begin, _ := r.Peek(lineBuffer) // an error is that of the next read
	if text := withoutBlanks(begin); bytes.HasPrefix(text, []byte("{")) {
		if _, wrong := input.WrongEncoding(input.Pos{}, text); !wrong {
			return readGoTest(r, limits, book, errs), errs
		}
	}
	data, err := io.ReadAll(io.LimitReader(r, limits.RulesBytes+1))
	switch {
	case err != nil:
		errs.Add(input.Unreadable("the test report", err))
		return nil, errs
	case input.OverRulesBytes(data, "the test report", limits, errs):
		return nil, errs
	}
	text := withoutBlanks(data)
	if e, wrong := input.WrongEncoding(input.Pos{Line: 1, Column: 1}, text); wrong {
		errs.Add(e)
		return nil, errs
	}
	switch {
	case bytes.HasPrefix(text, []byte("<")):
		return parseJUnit(data, limits, book, errs), errs
	case bytes.HasPrefix(text, []byte("{")):
		return readGoTest(bufio.NewReader(bytes.NewReader(data)), limits, book, errs), errs
	case len(text) == 0:
		errs.Add(noTestReport(input.Pos{}, "the test report is empty", "nothing"))
	default:
		index := input.LineIndex{Data: data, Line: 1}
		errs.Add(noTestReport(index.Pos(len(data)-len(text)), "this is not a test report", input.Excerpt(text)))
	}
	return nil, errs
}

func withoutBlanks(data []byte) []byte {
	return bytes.TrimLeft(bytes.TrimPrefix(data, []byte(byteOrderMark)), " \t\r\n")
}

// byteOrderMark is allowed before XML.
const byteOrderMark = "\ufeff"

// noTestReport is the error for a text with none of the formats.
func noTestReport(at input.Pos, message, found string) input.Error {
	return input.Error{
		Pos: at, Message: message, Found: found, Expected: "JUnit XML, or the output of go test -json",
		Fix: "configure the test runner to write one of these formats; most have an option or a converter for JUnit XML",
	}
}

// TestReport counts the cases of a test report. A case is counted once: as failed, as skipped, or as neither. Compare
// Tests - Skipped, the cases that ran, with min_tests.
type TestReport struct {
	Tests   int64 // test cases, including skipped ones and subtests, but not suites
	Failed  int64
	Skipped int64
	Flaky   int64 // cases that failed and then passed in the same report
	Broken  int64 // failures without a case: of a suite or a package, or only in the attributes of a suite

	FirstFailed string // the name of the first case, suite or package that failed; "" when none did or it has no name
	FirstFlaky  string
	// FirstSkipped are the names of the first cases that were skipped, at most [MaxSkipped].
	FirstSkipped []string

	// Failing are the first cases that failed in the end, at most [MaxFailures]; without those that only contain another one.
	Failing []TestFailure

	Names *TestNames // nil unless they were asked for
}

// TestFailure is a case that failed, and what its report says about it.
type TestFailure struct {
	Group string // its class, suite or package
	Name  string
	Error string       // the first line of its failure; "" when there is none
	Spots []input.Spot // lines of files that the failure names, the likeliest first
}

// MaxFailures is how many cases that failed a [TestReport] names.
const MaxFailures = 10

// MaxSkipped is how many skipped cases a [TestReport] names.
const MaxSkipped = 5

// Failures is how many failures there are that did not pass in a later run.
func (r *TestReport) Failures() int64 { return r.Failed + r.Broken }

// Ran is how many cases ran.
func (r *TestReport) Ran() int64 { return r.Tests - r.Skipped }

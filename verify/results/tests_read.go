package results

import (
	"bytes"

	"github.com/closeout-gate/closeout/verify/diag"
	"github.com/closeout-gate/closeout/verify/strict"
)

// ParseTests counts the test cases of a test report. Its format is told by its content: JUnit XML begins with <, a stream
// of go test -json with {.
//
// A report without any case is no error here; the counts say so. The report is nil when the text is none of the formats;
// when there are errors it must not be used.
func ParseTests(data []byte, limits strict.Limits) (*TestReport, *diag.Errors) {
	errs := &diag.Errors{}
	if strict.OverRulesBytes(data, "the test report", limits, errs) {
		return nil, errs
	}
	text := bytes.TrimLeft(bytes.TrimPrefix(data, []byte(byteOrderMark)), " \t\r\n")
	switch {
	case bytes.HasPrefix(text, []byte("<")):
		return parseJUnit(data, limits, errs), errs
	case bytes.HasPrefix(text, []byte("{")):
		return parseGoTest(data, limits, errs), errs
	case len(text) == 0:
		errs.Add(noTestReport(diag.Pos{}, "the test report is empty", "nothing"))
	default:
		index := strict.LineIndex{Data: data, Line: 1}
		errs.Add(noTestReport(index.Pos(len(data)-len(text)), "this is no test report", diag.Excerpt(text)))
	}
	return nil, errs
}

// byteOrderMark may stand before XML, where the standard allows it.
const byteOrderMark = "\ufeff"

// noTestReport is the error for a text that is none of the formats.
func noTestReport(at diag.Pos, message, found string) diag.Error {
	return diag.Error{
		Pos: at, Message: message, Found: found, Expected: "JUnit XML, or what go test -json writes",
		Fix: "let the test runner write one of these formats: most have an option or a converter for JUnit XML",
	}
}

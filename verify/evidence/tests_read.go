package evidence

import (
	"bytes"

	"github.com/closeout-gate/closeout/verify/source"
)

// ParseTests counts the test cases of a test report. Its format is told by its content: JUnit XML begins with <, a stream
// of go test -json with {.
//
// A report without any case is no error here; the counts say so. The report is nil when the text is none of the formats;
// when there are errors it must not be used.
func ParseTests(data []byte, limits Limits) (*TestReport, *source.Errors) {
	errs := &source.Errors{}
	if overRulesBytes(data, "the test report", limits, errs) {
		return nil, errs
	}
	text := bytes.TrimLeft(bytes.TrimPrefix(data, []byte(byteOrderMark)), " \t\r\n")
	switch {
	case bytes.HasPrefix(text, []byte("<")):
		return parseJUnit(data, limits, errs), errs
	case bytes.HasPrefix(text, []byte("{")):
		return parseGoTest(data, limits, errs), errs
	case len(text) == 0:
		errs.Add(noTestReport(source.Pos{}, "the test report is empty", "nothing"))
	default:
		index := lineIndex{data: data, line: 1}
		errs.Add(noTestReport(index.pos(len(data)-len(text)), "this is no test report", excerpt(text)))
	}
	return nil, errs
}

// byteOrderMark may stand before XML, where the standard allows it.
const byteOrderMark = "\ufeff"

// noTestReport is the error for a text that is none of the formats.
func noTestReport(at source.Pos, message, found string) source.Error {
	return source.Error{
		Pos: at, Message: message, Found: found, Expected: "JUnit XML, or what go test -json writes",
		Fix: "let the test runner write one of these formats: most have an option or a converter for JUnit XML",
	}
}

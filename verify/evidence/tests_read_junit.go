package evidence

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"slices"

	"github.com/closeout-gate/closeout/verify/source"
)

// JUnit XML has no standard. What its writers agree on is all that is read: a root testsuites or testsuite, testcase
// elements at any depth below it, and in them failure, error and skipped. The counts that a file states of itself
// (tests="…") are not looked at.

// junitReader counts the cases of one file.
type junitReader struct {
	dec    *xml.Decoder
	offset int // of the decoder's text in the file
	index  lineIndex
	limit  int // of the depth
	errs   *source.Errors

	depth   int
	root    bool // seen
	inCase  int  // depth of the open testcase; 0 when none is open
	failed  bool // the open testcase
	skipped bool
	report  TestReport
}

// parseJUnit returns nil when the root is another one, or none.
func parseJUnit(data []byte, limits Limits, errs *source.Errors) *TestReport {
	text := bytes.TrimPrefix(data, []byte(byteOrderMark))
	r := &junitReader{
		dec: xml.NewDecoder(bytes.NewReader(text)), offset: len(data) - len(text),
		index: lineIndex{data: data, line: 1}, limit: limits.Depth, errs: errs,
	}
	for r.token() {
	}
	if !r.root {
		return nil
	}
	return &r.report
}

// token reads one token; false at the end and at an error that cannot be stepped over.
func (r *junitReader) token() bool {
	at := r.index.pos(r.offset + int(r.dec.InputOffset()))
	token, err := r.dec.Token()
	if errors.Is(err, io.EOF) {
		return r.end(at)
	}
	if err != nil {
		return r.broken(err)
	}
	switch t := token.(type) {
	case xml.StartElement:
		return r.open(t, at)
	case xml.EndElement:
		r.close()
	case xml.CharData:
		return r.outside(t, at)
	case xml.Directive:
		return r.stop(source.Error{
			Pos: at, Message: "a document type is not read", Found: excerpt([]byte("<!" + string(t) + ">")),
			Expected: "JUnit XML without <!DOCTYPE>", Fix: "let the test runner write plain JUnit XML",
		})
	}
	return true
}

func (r *junitReader) stop(e source.Error) bool {
	r.errs.Add(e)
	return false
}

func (r *junitReader) end(at source.Pos) bool {
	if !r.root {
		r.errs.Add(noTestReport(at, "the XML holds no element", "the end"))
	}
	return false
}

func (r *junitReader) broken(err error) bool {
	at := min(r.offset+int(r.dec.InputOffset()), len(r.index.data))
	e := source.Error{
		Pos: r.index.pos(at), Message: "this is not valid XML: " + err.Error(), Found: excerpt(r.index.data[at:]),
		Expected: "XML 1.0 in UTF-8", Fix: "check that the test runner finished writing the file",
	}
	var syntax *xml.SyntaxError
	if errors.As(err, &syntax) {
		e.Message = "this is not valid XML: " + syntax.Msg
	}
	return r.stop(e)
}

// outside refuses text before or after the root.
func (r *junitReader) outside(text []byte, at source.Pos) bool {
	if text = bytes.TrimSpace(text); r.depth > 0 || len(text) == 0 {
		return true
	}
	return r.stop(source.Error{
		Pos: at, Message: "text stands outside of the root element", Found: excerpt(text), Expected: "nothing but the element",
		Fix: "write the report of the test runner alone into the file",
	})
}

func (r *junitReader) open(t xml.StartElement, at source.Pos) bool {
	if r.depth == 0 && !r.openRoot(t.Name.Local, at) {
		return false
	}
	r.depth++
	if r.depth > r.limit {
		return r.stop(overLimit(at, "the nesting of elements", int64(r.limit), FlagDepth))
	}
	switch name := t.Name.Local; {
	case name == "testcase" && r.inCase > 0:
		r.errs.Add(source.Error{
			Pos: at, Message: "a testcase stands inside a testcase", Found: "a second <testcase>", Expected: "</testcase> before it",
			Fix: "close the first one",
		})
	case name == "testcase":
		r.inCase, r.failed, r.skipped = r.depth, false, notRun(t.Attr)
	case r.inCase == 0 || r.depth != r.inCase+1:
	case name == "failure" || name == "error":
		r.failed = true
	case name == "skipped":
		r.skipped = true
	}
	return true
}

func (r *junitReader) openRoot(name string, at source.Pos) bool {
	switch {
	case r.root:
		return r.stop(source.Error{
			Pos: at, Message: "a second root element", Found: "<" + clip(name) + ">", Expected: "the end of the file",
			Fix: "join the suites under one <testsuites>",
		})
	case name != "testsuites" && name != "testsuite":
		return r.stop(noTestReport(at, "the root element is no test suite", "<"+clip(name)+">"))
	}
	r.root = true
	return true
}

// notRun reports whether a testcase states that it was left out. GoogleTest and CTest write that as a status, and older
// versions of them write no skipped element.
func notRun(attrs []xml.Attr) bool {
	return slices.ContainsFunc(attrs, func(a xml.Attr) bool {
		return a.Name.Local == "status" && slices.Contains([]string{"notrun", "disabled", "skipped"}, a.Value)
	})
}

func (r *junitReader) close() {
	if r.depth == r.inCase {
		r.inCase = 0
		r.report.add(r.failed, r.skipped)
	}
	r.depth--
}

package reports

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/closeout-gate/closeout/verify/input"
)

// JUnit XML has no standard. The parser reads what its writers have in common: a root testsuites or testsuite, testcase
// elements at any depth below it, and in them failure, error and skipped, or a status or result with the same meaning.
// Surefire and compatible writers add flakyFailure and rerunFailure for runs before the last one.
//
// The counts in the attributes of a suite are ignored, except failures and errors that exceed those of its cases.

// junitReader counts the cases of one file.
type junitReader struct {
	dec    *xml.Decoder
	offset int // of the text of the decoder in the file
	index  input.LineIndex
	limit  int   // of the depth
	left   int64 // how many more elements there may be
	most   int64
	errs   *input.Errors

	depth  int
	root   bool // seen
	suites []junitSuite
	inCase int // depth of the open testcase; 0 when none is open
	// inFailure is the depth of the open failure or error of a testcase; 0 when none is open
	inFailure int
	open      junitCase
	book      *caseBook
}

// junitSuite is a testsuites or testsuite element that is open.
type junitSuite struct {
	depth    int
	name     string
	file     string
	group    string // a short name for its name and those of the suites around it
	failures int64  // in its attributes
	seen     int64  // failures in its elements
}

// junitCase is a testcase element that is open.
type junitCase struct {
	class, name            string
	failed, skipped, flaky bool
	error                  string // the first line of the first failure
	text                   string // the first failure, as far as it may name lines of files
	file                   string
	line                   int
}

// maxFailureText is how much of a failure is searched for lines of files.
const maxFailureText = 16 << 10

// parseJUnit returns nil when the root is another one, or none.
func parseJUnit(data []byte, limits input.Limits, book *caseBook, errs *input.Errors) *TestReport {
	text := bytes.TrimPrefix(data, []byte(byteOrderMark))
	dec := xml.NewDecoder(bytes.NewReader(asXML10(text)))
	dec.CharsetReader = readASCII(text)
	r := &junitReader{
		dec: dec, offset: len(data) - len(text),
		index: input.LineIndex{Data: data, Line: 1}, limit: limits.Depth, left: limits.Values, most: limits.Values, errs: errs,
		book: book,
	}
	for r.token() {
	}
	if !r.root {
		return nil
	}
	return r.book.sum()
}

var xml11 = input.Lazily(`^\s*<\?xml\s+version\s*=\s*(?:"1\.1"|'1\.1')`)

// asXML10 declares XML 1.1 to be 1.0, which Go reads. What 1.1 allows beyond that is refused where it occurs.
func asXML10(text []byte) []byte {
	at := xml11().FindIndex(text)
	if at == nil {
		return text
	}
	end := at[1] - len(`1"`)
	return slices.Concat(text[:end], []byte("0"), text[end+1:])
}

// asciiLike are encodings that write ASCII as it is.
var asciiLike = input.Lazily(`^(?i:us-ascii|ascii|(?:iso[-_]?8859|windows|latin|koi8|euc|macroman)[-_\w]*|cp(?:125\d|437|850|852)|gb\w+|big5|shift_jis|utf8)$`)

// readASCII reads a text that declares another encoding than UTF-8, if that makes no difference.
func readASCII(text []byte) func(encoding string, r io.Reader) (io.Reader, error) {
	return func(encoding string, r io.Reader) (io.Reader, error) {
		isOther := func(c rune) bool { return c >= utf8.RuneSelf }
		if !asciiLike().MatchString(encoding) || bytes.ContainsFunc(text, isOther) {
			return nil, fmt.Errorf("its encoding is %q", input.Clip(encoding))
		}
		return r, nil
	}
}

// token reads one token; false at the end and at an error that ends parsing.
func (r *junitReader) token() bool {
	at := r.index.Pos(r.offset + int(r.dec.InputOffset()))
	token, err := r.dec.Token()
	if errors.Is(err, io.EOF) {
		if !r.root {
			r.errs.Add(noTestReport(at, "the XML contains no element", "the end"))
		}
		return false
	}
	if err != nil {
		return r.broken(err)
	}
	switch t := token.(type) {
	case xml.StartElement:
		return r.start(t, at)
	case xml.EndElement:
		r.endElement()
	case xml.CharData:
		if text := bytes.TrimSpace(t); r.depth == 0 && len(text) > 0 {
			return r.stop(input.Error{
				Pos: at, Message: "text outside of the root element", Found: input.Excerpt(text), Expected: "only the root element",
				Fix: "write only the report of the test runner to the file",
			})
		}
		switch {
		case r.inCase == 0 || !r.open.failed:
		case r.open.error == "":
			r.open.error = firstLine(string(t))
		case r.open.error == pytestCollection:
			r.open.error = cmp.Or(pytestError(string(t)), r.open.error)
		}
		if r.inFailure > 0 && len(r.open.text) < maxFailureText && len(r.book.told) < maxTold {
			r.open.text += string(t[:min(len(t), maxFailureText)])
		}
	case xml.Directive:
		return r.stop(input.Error{
			Pos: at, Message: "a document type is not supported", Found: input.Excerpt([]byte("<!" + string(t) + ">")),
			Expected: "JUnit XML without <!DOCTYPE>", Fix: "configure the test runner to write plain JUnit XML",
		})
	}
	return true
}

func (r *junitReader) stop(e input.Error) bool {
	r.errs.Add(e)
	return false
}

func (r *junitReader) broken(err error) bool {
	at := min(r.offset+int(r.dec.InputOffset()), len(r.index.Data))
	e := input.Error{
		Pos: r.index.Pos(at), Message: "this is not valid XML: " + err.Error(), Found: input.Excerpt(r.index.Data[at:]),
		Expected: "XML 1.0 in UTF-8", Fix: "check that the test runner finished writing the file",
	}
	var syntax *xml.SyntaxError
	if errors.As(err, &syntax) {
		e.Message = "this is not valid XML: " + strings.Replace(syntax.Msg, "unexpected EOF", "the file ends before the report does", 1)
	}
	return r.stop(e)
}

func (r *junitReader) start(t xml.StartElement, at input.Pos) bool {
	name := t.Name.Local
	switch {
	case r.depth > 0:
	case r.root:
		return r.stop(input.Error{
			Pos: at, Message: "a second root element", Found: "<" + input.Clip(name) + ">", Expected: "the end of the file",
			Fix: "join the suites under one <testsuites>",
		})
	case name != "testsuites" && name != "testsuite":
		return r.stop(noTestReport(at, "the root element is not a test suite", "<"+input.Clip(name)+">"))
	}
	r.root = true
	if r.left--; r.left < 0 {
		return r.stop(input.OverLimitAt(at, "the number of elements", r.most, input.FlagValues))
	}
	r.depth++
	if r.depth > r.limit {
		return r.stop(input.OverLimitAt(at, "the nesting of elements", int64(r.limit), input.FlagDepth))
	}
	switch {
	case name == "testcase" && r.inCase > 0:
		r.errs.Add(input.Error{
			Pos: at, Message: "a testcase inside a testcase", Found: "a second <testcase>", Expected: "</testcase> before it",
			Fix: "close the first one",
		})
	case name == "testcase":
		r.inCase, r.open = r.depth, openCase(t.Attr)
	case r.inCase == 0 && (name == "testsuite" || name == "testsuites"):
		r.openSuite(t.Attr)
	case r.depth == max(r.inCase, r.suites[len(r.suites)-1].depth)+1:
		r.says(name, t.Attr)
	}
	return true
}

// pytestCollection is what pytest says of a module that it cannot load, whatever the reason.
const pytestCollection = "collection failure"

// pytestError is the line that says why: the last of those that pytest marks with E.
func pytestError(text string) (why string) {
	for line := range strings.Lines(text) {
		if marked, is := strings.CutPrefix(line, "E "); is {
			why = cmp.Or(strings.TrimSpace(marked), why)
		}
	}
	return why
}

// says reads an element of a testcase or a suite that may say how it ended.
func (r *junitReader) says(name string, attrs []xml.Attr) {
	suite := &r.suites[len(r.suites)-1]
	switch name {
	case "failure", "error":
		if r.inCase == 0 {
			r.broke(suite.name, 1)
		}
		r.open.failed, r.open.error = true, cmp.Or(r.open.error, firstLine(attribute(attrs, "message")))
		if r.inCase > 0 {
			r.inFailure = r.depth
			r.open.text += input.CutTo(attribute(attrs, "message"), maxFailureText) + "\n"
			r.open.place(attrs)
		}
	case "flakyFailure", "flakyError", "rerunFailure", "rerunError":
		r.open.flaky = true
	case "skipped":
		r.open.skipped = true
		return
	default:
		return
	}
	suite.seen++
}

// broke adds failures of a suite of no case.
func (r *junitReader) broke(suite string, failures int64) {
	r.book.broke(suite, failures)
	r.book.listed.broke(suite, "")
}

func (r *junitReader) openSuite(attrs []xml.Attr) {
	s := junitSuite{depth: r.depth, name: attribute(attrs, "name"), file: attribute(attrs, "file"), failures: stated(attrs, "failures") + stated(attrs, "errors")}
	around := ""
	if n := len(r.suites); n > 0 {
		around = r.suites[n-1].group
	}
	key := keyOf(around, s.name)
	s.group = string(key[:])
	r.suites = append(r.suites, s)
}

func attribute(attrs []xml.Attr, name string) string {
	for _, a := range attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// stated returns a count in the attributes of a suite; 0 when there is none. The XML parser allows duplicate attributes: the
// greater value counts.
func stated(attrs []xml.Attr, name string) int64 {
	const most = 1 << 31 // more than any report contains, and the sum of all stays in range
	var count int64
	for _, a := range attrs {
		if a.Name.Local == name {
			n, _ := strconv.ParseInt(strings.TrimSpace(a.Value), 10, 64) // 0 for anything but a number, and the maximum for one that is too large
			count = max(count, min(n, most))
		}
	}
	return count
}

// The values of status or result for a testcase that was skipped or that failed. GoogleTest and CTest write them, and their
// older versions write no skipped element.
var (
	leftOutWords = []string{"notrun", "disabled", "skipped", "suppressed", "ignored", "pending"}
	failedWords  = []string{"fail", "failed", "failure", "error"}
)

func openCase(attrs []xml.Attr) junitCase {
	c := junitCase{class: attribute(attrs, "classname"), name: attribute(attrs, "name")}
	c.place(attrs)
	for _, a := range attrs {
		if a.Name.Local != "status" && a.Name.Local != "result" {
			continue
		}
		word := strings.ToLower(a.Value)
		c.skipped = c.skipped || slices.Contains(leftOutWords, word)
		c.failed = c.failed || slices.Contains(failedWords, word)
	}
	return c
}

// place reads where a writer says that a case or its failure is.
func (c *junitCase) place(attrs []xml.Attr) {
	if file := attribute(attrs, "file"); file != "" && c.file == "" {
		c.file = input.CutTo(file, maxTestError)
	}
	if line, err := strconv.Atoi(attribute(attrs, "line")); err == nil && line > 0 {
		c.line = line
	}
}

// spots are the lines of files that a failed case names, first the line of its own file.
func (c *junitCase) spots(suite *junitSuite) []input.Spot {
	list := input.Spots(c.text)
	file := strings.ReplaceAll(cmp.Or(c.file, suite.file), `\`, "/")
	if file == "" {
		return list
	}
	isOwn := func(s input.Spot) bool { return strings.HasSuffix(s.File, strings.TrimPrefix(file, "./")) }
	if i := slices.IndexFunc(list, isOwn); i >= 0 {
		return slices.Concat(list[i:i+1], list[:i], list[i+1:])
	}
	line := c.line
	if suite.name == "pytest" {
		line++ // it counts from 0
	}
	return append([]input.Spot{{File: file, Line: line}}, list...)
}

// notLoaded is the module, class or file that did not load, where a runner writes that as a failed case; "" otherwise.
func (c *testCase) notLoaded() string {
	switch {
	case c.name == "" || c.name == "initializationError":
		return c.where
	case c.class == "", c.class == c.name, c.class == "Test suite failed to run", strings.HasSuffix(c.class, "._FailedTest"):
		return c.name
	}
	return ""
}

func (r *junitReader) endElement() {
	last := len(r.suites) - 1
	if r.depth == r.inFailure {
		r.inFailure = 0
	}
	switch {
	case r.depth == r.inCase:
		r.inCase = 0
		c := testCase{
			group: r.suites[last].group, where: cmp.Or(r.open.class, r.suites[last].name),
			class: r.open.class, name: r.open.name, error: r.open.error,
		}
		if r.open.failed && len(r.book.told) < maxTold {
			c.spots = r.open.spots(&r.suites[last])
		}
		switch {
		case r.open.failed:
			c.outcome = caseFailed
			if name := c.notLoaded(); name != "" {
				r.book.listed.broke(name, r.open.error)
			}
		case r.open.skipped:
			c.outcome = caseSkipped
		case r.open.flaky:
			c.outcome = caseFlaky
		}
		r.book.add(c)
	case r.inCase == 0 && last >= 0 && r.depth == r.suites[last].depth:
		// The failures in the attributes of a suite and those of its elements: the greater number counts.
		s := r.suites[last]
		if more := s.failures - s.seen; more > 0 {
			r.broke(s.name, more)
			s.seen = s.failures
		}
		r.suites = r.suites[:last]
		if last > 0 {
			r.suites[last-1].seen += s.seen
		}
	}
	r.depth--
}

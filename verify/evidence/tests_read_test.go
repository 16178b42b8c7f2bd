package evidence

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var testReportCases = []struct {
	readCase
	want TestReport
}{
	// JUnit XML
	{readCase{name: "one suite", in: `<testsuite><testcase name="a"/></testsuite>`}, TestReport{Tests: 1, Failed: 0, Skipped: 0}},
	{readCase{name: "cases of every outcome", in: `<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="99" failures="0">
 <testsuite name="s" tests="99">
  <properties><property name="p" value="v"/></properties>
  <testcase name="a"><system-out><![CDATA[<failure/>]]></system-out></testcase>
  <testcase name="b"><failure message="m">text</failure></testcase>
  <testcase name="c"><error/></testcase>
  <testcase name="d"><skipped/></testcase>
  <testcase name="e"><failure/><failure/><error/></testcase>
  <testcase name="f"><skipped/><failure/></testcase>
 </testsuite>
 <testsuite name="t"><testsuite name="u"><testcase name="g"/></testsuite></testsuite>
</testsuites>
`}, TestReport{Tests: 7, Failed: 4, Skipped: 1, FirstFailed: "b"}},
	{readCase{name: "failures of suites, and elsewhere", in: `<testsuite><failure/><testcase><properties><failure/><skipped/></properties></testcase><error/></testsuite>`},
		TestReport{Tests: 1, Broken: 2}},
	{readCase{name: "flaky ones passed in the end", in: `<testsuite><testcase><flakyFailure/></testcase></testsuite>`}, TestReport{Tests: 1, Flaky: 1}},
	{readCase{name: "left out by status", in: `<testsuite><testcase status="notrun"/><testcase status="run"/><testcase status="disabled"/></testsuite>`},
		TestReport{Tests: 3, Failed: 0, Skipped: 2}},
	{readCase{name: "left out by result", in: `<testsuite><testcase status="run" result="skipped"/><testcase status="run" result="completed"/><testcase status="notrun" result="suppressed"/><testcase result="Ignored"/></testsuite>`},
		TestReport{Tests: 4, Skipped: 3}},
	{readCase{name: "failed by status", in: `<testsuite><testcase name="a" status="fail"/><testcase name="b" result="Failed"/></testsuite>`}, TestReport{Tests: 2, Failed: 2, FirstFailed: "a"}},
	{readCase{name: "flaky in the words of Surefire", in: `<testsuite name="s"><testcase classname="C" name="a"><flakyFailure/></testcase><testcase classname="C" name="b"><rerunFailure/></testcase>
<testcase classname="C" name="c"><error/><rerunError/></testcase></testsuite>`}, TestReport{Tests: 3, Failed: 1, Flaky: 2, FirstFailed: "C.c", FirstFlaky: "C.a"}},
	{readCase{name: "run again, then passed", in: `<testsuite failures="2"><testcase classname="C" name="a"><failure/></testcase><testcase classname="C" name="a"><failure/></testcase>
<testcase classname="C" name="a"/></testsuite>`}, TestReport{Tests: 1, Flaky: 1, FirstFlaky: "C.a"}},
	{readCase{name: "passed, then failed", in: `<testsuite><testcase name="a"/><testcase name="a"><failure/></testcase></testsuite>`}, TestReport{Tests: 2, Failed: 1, FirstFailed: "a"}},
	{readCase{name: "failed, passed and failed", in: `<testsuite><testcase name="a"><failure/></testcase><testcase name="a"/><testcase name="a"><failure/></testcase></testsuite>`},
		TestReport{Tests: 2, Failed: 1, FirstFailed: "a"}},
	{readCase{name: "failed, then skipped", in: `<testsuite><testcase name="a"><failure/></testcase><testcase name="a"><skipped/></testcase></testsuite>`},
		TestReport{Tests: 2, Failed: 1, Skipped: 1, FirstFailed: "a"}},
	{readCase{name: "passed under another class", in: `<testsuite><testcase classname="C" name="a"><failure/></testcase><testcase classname="D" name="a"/></testsuite>`},
		TestReport{Tests: 2, Failed: 1, FirstFailed: "C.a"}},
	{readCase{name: "passed in another suite", in: `<testsuites><testsuite name="x"><testcase name="a"><failure/></testcase></testsuite><testsuite name="y"><testcase name="a"/></testsuite></testsuites>`},
		TestReport{Tests: 2, Failed: 1, FirstFailed: "a"}},
	{readCase{name: "cases without name are not the same", in: `<testsuite><testcase><failure/></testcase><testcase/></testsuite>`}, TestReport{Tests: 2, Failed: 1}},
	{readCase{name: "failures that only the counts know", in: `<testsuites errors="1"><testsuite name="s" failures="2"><testcase name="a"><failure/></testcase></testsuite><testsuite name="t"/></testsuites>`},
		TestReport{Tests: 1, Failed: 1, Broken: 1, FirstFailed: "a"}},
	{readCase{name: "errors that only the counts of the root know", in: `<testsuites name="r" errors="1"><testsuite name="s"><testcase name="a"/></testsuite></testsuites>`},
		TestReport{Tests: 1, Broken: 1, FirstFailed: "r"}},
	{readCase{name: "counts that know fewer failures", in: `<testsuite failures="0" errors=""><testcase name="a"><failure/><error/></testcase></testsuite>`}, TestReport{Tests: 1, Failed: 1, FirstFailed: "a"}},
	{readCase{name: "counts that are none", in: `<testsuite failures="-1" errors="none"><testcase name="a"/></testsuite>`}, TestReport{Tests: 1}},
	{readCase{name: "counts that are too large", in: `<testsuite failures="99999999999999999999" errors="0" errors="1"><testcase name="a"/></testsuite>`}, TestReport{Tests: 1, Broken: 1<<31 + 1}},
	{readCase{name: "all subtests skipped", in: `<testsuite name="p"><testcase classname="p" name="TestA"/><testcase classname="p" name="TestA/b"/><testcase classname="p" name="TestA/b/c"><skipped/></testcase></testsuite>`},
		TestReport{Tests: 3, Skipped: 3}},
	{readCase{name: "some subtests skipped", in: `<testsuite name="p"><testcase classname="p" name="TestA"/><testcase classname="p" name="TestA/b"/><testcase classname="p" name="TestA/c"><skipped/></testcase></testsuite>`},
		TestReport{Tests: 3, Skipped: 1}},
	{readCase{name: "no cases", in: `<testsuites tests="12"/>`}, TestReport{}},
	{readCase{name: "a byte order mark", in: "\ufeff<testsuite>\n<!-- c --><testcase>&lt;</testcase></testsuite>"}, TestReport{Tests: 1, Failed: 0, Skipped: 0}},
	{readCase{name: "a namespace", in: `<testsuite xmlns="urn:x"><testcase/></testsuite>`}, TestReport{Tests: 1, Failed: 0, Skipped: 0}},
	{readCase{name: "another root", in: "\n<html><body><testcase/></body></html>", errs: []string{"2:1: the root element is no test suite"}}, TestReport{}},
	{readCase{name: "a document type", in: `<!DOCTYPE html><html></html>`, errs: []string{"1:1: a document type is not read"}}, TestReport{}},
	{readCase{name: "an entity of its own", in: `<!DOCTYPE t [<!ENTITY x "y">]><testsuite/>`, errs: []string{"1:1: a document type is not read"}}, TestReport{}},
	{readCase{name: "an unknown entity", in: `<testsuite>&x;</testsuite>`, errs: []string{"1:15: this is not valid XML: invalid character entity &x;"}}, TestReport{}},
	{readCase{name: "only a comment", in: `<!-- none -->`, errs: []string{"1:14: the XML holds no element"}}, TestReport{}},
	{readCase{name: "two roots", in: `<testsuite/><testsuite><testcase/></testsuite>`, errs: []string{"1:13: a second root element"}}, TestReport{}},
	{readCase{name: "text after the root", in: "<testsuite/>\nFAIL", errs: []string{"1:13: text stands outside"}}, TestReport{}},
	{readCase{name: "cut off", in: `<testsuite><testcase/>`, errs: []string{"1:23: this is not valid XML: unexpected EOF"}}, TestReport{Tests: 1, Failed: 0, Skipped: 0}},
	{readCase{name: "tags that do not match", in: `<testsuite><testcase></testsuite>`, errs: []string{"1:34: this is not valid XML"}}, TestReport{}},
	{readCase{name: "a case inside a case", in: `<testsuite><testcase><testcase/><failure/></testcase></testsuite>`,
		errs: []string{"1:22: a testcase stands inside a testcase"}}, TestReport{Tests: 1, Failed: 1, Skipped: 0}},
	{readCase{name: "another encoding", in: `<?xml version="1.0" encoding="ISO-8859-1"?><testsuite/>`, errs: []string{`1:44: this is not valid XML: xml: encoding "ISO-8859-1"`}}, TestReport{}},
	{readCase{name: "invalid UTF-8", in: "<testsuite>\xff</testsuite>", errs: []string{"1:13: this is not valid XML: invalid UTF-8"}}, TestReport{}},

	// go test -json
	{readCase{name: "a stream", in: `{"Time":"2026-11-21T12:00:00Z","Action":"start","Package":"p"}
{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"--- FAIL: TestA\n"}
{"Action":"fail","Package":"p","Test":"TestA/sub","Elapsed":0.01}
{"Action":"fail","Package":"p","Test":"TestA","Elapsed":0.01}

{"Action":"skip","Package":"p","Test":"TestB"}
{"Action":"pass","Package":"p","Test":"TestC"}
{"Action":"later","Package":"p","Test":"TestC","New":{}}
{"Action":"fail","Package":"p","Elapsed":0.1}
`}, TestReport{Tests: 4, Failed: 2, Skipped: 1, FirstFailed: "TestA/sub"}},
	{readCase{name: "a package without tests", in: `{"Action":"skip","Package":"p","Elapsed":0}`}, TestReport{}},
	{readCase{name: "run again by gotestsum", in: `{"Action":"pass","Package":"p","Test":"TestB"}
{"Action":"fail","Package":"p","Test":"TestA"}
{"Action":"fail","Package":"p"}
{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"pass","Package":"p"}`}, TestReport{Tests: 2, Flaky: 1, FirstFlaky: "TestA"}},
	{readCase{name: "passed in another package", in: `{"Action":"fail","Package":"p","Test":"TestA"}
{"Action":"fail","Package":"p"}
{"Action":"pass","Package":"q","Test":"TestA"}
{"Action":"pass","Package":"q"}`}, TestReport{Tests: 2, Failed: 1, FirstFailed: "TestA"}},
	{readCase{name: "a package that ended by itself", in: `{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"fail","Package":"p"}`}, TestReport{Tests: 1, Broken: 1, FirstFailed: "p"}},
	{readCase{name: "all subtests of go skipped", in: `{"Action":"skip","Package":"p","Test":"TestA/b"}
{"Action":"skip","Package":"p","Test":"TestA/c/d"}
{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"pass","Package":"p"}`}, TestReport{Tests: 3, Skipped: 3}},
	{readCase{name: "no newline at the end, CRLF", in: "{\"Action\":\"pass\",\"Test\":\"T\"}\r\n{\"Action\":\"pass\"}"}, TestReport{Tests: 1, Failed: 0, Skipped: 0}},
	{readCase{name: "a package that cannot be built", in: `{"ImportPath":"p","Action":"build-fail"}
{"Action":"fail","Package":"p","FailedBuild":"p"}`}, TestReport{Broken: 1, FirstFailed: "p"}},
	{readCase{name: "nothing ends", in: "{\"Action\":\"start\",\"Package\":\"p\"}\n{\"Action\":\"run\",\"Package\":\"p\",\"Test\":\"T\"}",
		errs: []string{"0:0: no test and no package of the stream ends"}}, TestReport{}},
	{readCase{name: "broken lines", in: "\n{\"Action\":\"pass\",\"Test\":\"T\"}\nFAIL p\n{\"Action\":1}\n[]\n{\"Action\":\"pass\",\"Test\":1,\"Package\":2}\n{\"Action\":\"pass\",\"Action\":\"fail\"}\n{\"Action\":\"pass\"",
		errs: []string{"3:1: this is not valid JSON", "4:11: Action must be a string", "5:1: a line must be an object", "6:25: Test must be a string",
			"6:37: Package must be a string", `7:18: the key "Action" stands twice`, "8:17: the text ends before"}}, TestReport{Tests: 1, Failed: 0, Skipped: 0}},
	{readCase{name: "CTRF", in: `  {"reportFormat":"CTRF","specVersion":"0.0.0","results":{}}`, errs: []string{"1:3: this is JSON of another kind than go test -json"}}, TestReport{}},
	{readCase{name: "JSON over several lines", in: "\n{\n \"Action\":\"pass\"}", errs: []string{"2:1: this is JSON of another kind than go test -json"}}, TestReport{}},

	// neither
	{readCase{name: "nothing", in: "", errs: []string{"0:0: the test report is empty"}}, TestReport{}},
	{readCase{name: "blank", in: " \r\n\t", errs: []string{"0:0: the test report is empty"}}, TestReport{}},
	{readCase{name: "text", in: "\nok  	p	0.1s", errs: []string{"2:1: this is no test report"}}, TestReport{}},
	{readCase{name: "a list", in: `[{"Action":"pass"}]`, errs: []string{"1:1: this is no test report"}}, TestReport{}},
}

func TestParseTestsCases(t *testing.T) {
	for _, c := range testReportCases {
		t.Run(c.name, func(t *testing.T) {
			got, errs := ParseTests([]byte(c.in), DefaultLimits())
			checkErrors(t, errs, c.errs)
			checkPlaces(t, []byte(c.in), errs)
			if got == nil {
				got = &TestReport{}
			}
			if *got != c.want {
				t.Errorf("got %+v, want %+v", *got, c.want)
			}
		})
	}
}

// A text of no known format gives no report; the counts of it would read as "zero tests".
func TestParseTestsNoFormat(t *testing.T) {
	for _, in := range []string{"", "ok", "<html/>", "<!-- -->", `{"results":{}}`, "[]"} {
		if report, errs := ParseTests([]byte(in), DefaultLimits()); report != nil || !errs.Any() {
			t.Errorf("%q: report %+v, errors %v", in, report, errs.All())
		}
	}
}

func TestParseTestsSamples(t *testing.T) {
	for name, want := range map[string]TestReport{
		"pytest.xml":      {Tests: 4, Failed: 1, Skipped: 1, FirstFailed: "test_app.test_login[a b]"},
		"surefire.xml":    {Tests: 3, Failed: 1, Skipped: 1, FirstFailed: "org.example.AppTest.throws"},
		"jest.xml":        {Tests: 3, Failed: 0, Skipped: 1},
		"go-test.jsonl":   {Tests: 5, Failed: 2, Skipped: 1, FirstFailed: "TestSignup/short"},
		"go-cached.jsonl": {Tests: 1, Failed: 0, Skipped: 0},
	} {
		text, err := os.ReadFile(filepath.Join("testdata/tests", name))
		if err != nil {
			t.Fatal(err)
		}
		got, errs := ParseTests(text, DefaultLimits())
		checkErrors(t, errs, nil)
		if got == nil || *got != want {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
	}
}

func TestParseTestsLimits(t *testing.T) {
	for _, text := range []string{`<testsuite><testcase/></testsuite>`, `{"Action":"pass","x":{}}`} {
		if _, errs := ParseTests([]byte(text), tightLimits(int64(len(text)), 2)); errs.Any() {
			t.Errorf("at the limits: %v", errs.All())
		}
		report, errs := ParseTests([]byte(text), tightLimits(int64(len(text))-1, 2))
		checkLimit(t, errs, report == nil, FlagRulesBytes)
		_, errs = ParseTests([]byte("\n"+text), tightLimits(1000, 1))
		checkLimit(t, errs, true, FlagDepth)
		checkPlaces(t, []byte("\n"+text), errs)
	}
	deep := strings.Repeat("<testsuite>", 1_000_000)
	_, errs := ParseTests([]byte(deep), DefaultLimits())
	checkLimit(t, errs, true, FlagDepth)
}

func FuzzParseTests(f *testing.F) {
	for _, c := range testReportCases {
		f.Add([]byte(c.in))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		report, errs := ParseTests(data, tightLimits(1<<16, 20))
		checkPlaces(t, data, errs)
		if report == nil {
			if !errs.Any() {
				t.Error("neither a report nor an error")
			}
			return
		}
		if report.Failed+report.Skipped > report.Tests || report.Flaky > report.Tests || report.Tests > int64(len(data)) || report.Broken < 0 {
			t.Errorf("counts %+v of %d bytes", report, len(data))
		}
	})
}

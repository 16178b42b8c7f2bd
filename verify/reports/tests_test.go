package reports

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/testkit/stricttest"
	"github.com/closeout-gate/closeout/verify/input"
)

var testReportCases = []struct {
	stricttest.ReadCase
	want TestReport
}{
	// JUnit XML
	{stricttest.ReadCase{Name: "one suite", In: `<testsuite><testcase name="a"/></testsuite>`}, TestReport{Tests: 1, Failed: 0, Skipped: 0}},
	{stricttest.ReadCase{Name: "cases of every outcome", In: `<?xml version="1.0" encoding="UTF-8"?>
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
	{stricttest.ReadCase{Name: "failures of suites, and elsewhere", In: `<testsuite><failure/><testcase><properties><failure/><skipped/></properties></testcase><error/></testsuite>`},
		TestReport{Tests: 1, Broken: 2}},
	{stricttest.ReadCase{Name: "flaky ones passed in the end", In: `<testsuite><testcase><flakyFailure/></testcase></testsuite>`}, TestReport{Tests: 1, Flaky: 1}},
	{stricttest.ReadCase{Name: "left out by status", In: `<testsuite><testcase status="notrun"/><testcase status="run"/><testcase status="disabled"/></testsuite>`},
		TestReport{Tests: 3, Failed: 0, Skipped: 2}},
	{stricttest.ReadCase{Name: "left out by result", In: `<testsuite><testcase status="run" result="skipped"/><testcase status="run" result="completed"/><testcase status="notrun" result="suppressed"/><testcase result="Ignored"/></testsuite>`},
		TestReport{Tests: 4, Skipped: 3}},
	{stricttest.ReadCase{Name: "failed by status", In: `<testsuite><testcase name="a" status="fail"/><testcase name="b" result="Failed"/></testsuite>`}, TestReport{Tests: 2, Failed: 2, FirstFailed: "a"}},
	{stricttest.ReadCase{Name: "flaky in the words of Surefire", In: `<testsuite name="s"><testcase classname="C" name="a"><flakyFailure/></testcase><testcase classname="C" name="b"><rerunFailure/></testcase>
<testcase classname="C" name="c"><error/><rerunError/></testcase></testsuite>`}, TestReport{Tests: 3, Failed: 1, Flaky: 2, FirstFailed: "C.c", FirstFlaky: "C.a"}},
	{stricttest.ReadCase{Name: "run again, then passed", In: `<testsuite failures="2"><testcase classname="C" name="a"><failure/></testcase><testcase classname="C" name="a"><failure/></testcase>
<testcase classname="C" name="a"/></testsuite>`}, TestReport{Tests: 1, Flaky: 1, FirstFlaky: "C.a"}},
	{stricttest.ReadCase{Name: "passed, then failed", In: `<testsuite><testcase name="a"/><testcase name="a"><failure/></testcase></testsuite>`}, TestReport{Tests: 2, Failed: 1, FirstFailed: "a"}},
	{stricttest.ReadCase{Name: "failed, passed and failed", In: `<testsuite><testcase name="a"><failure/></testcase><testcase name="a"/><testcase name="a"><failure/></testcase></testsuite>`},
		TestReport{Tests: 2, Failed: 1, FirstFailed: "a"}},
	{stricttest.ReadCase{Name: "failed, then skipped", In: `<testsuite><testcase name="a"><failure/></testcase><testcase name="a"><skipped/></testcase></testsuite>`},
		TestReport{Tests: 2, Failed: 1, Skipped: 1, FirstFailed: "a"}},
	{stricttest.ReadCase{Name: "passed under another class", In: `<testsuite><testcase classname="C" name="a"><failure/></testcase><testcase classname="D" name="a"/></testsuite>`},
		TestReport{Tests: 2, Failed: 1, FirstFailed: "C.a"}},
	{stricttest.ReadCase{Name: "passed in another suite", In: `<testsuites><testsuite name="x"><testcase name="a"><failure/></testcase></testsuite><testsuite name="y"><testcase name="a"/></testsuite></testsuites>`},
		TestReport{Tests: 2, Failed: 1, FirstFailed: "a"}},
	{stricttest.ReadCase{Name: "cases without name are not the same", In: `<testsuite><testcase><failure/></testcase><testcase/></testsuite>`}, TestReport{Tests: 2, Failed: 1}},
	{stricttest.ReadCase{Name: "failures that only the counts know", In: `<testsuites errors="1"><testsuite name="s" failures="2"><testcase name="a"><failure/></testcase></testsuite><testsuite name="t"/></testsuites>`},
		TestReport{Tests: 1, Failed: 1, Broken: 1, FirstFailed: "a"}},
	{stricttest.ReadCase{Name: "errors that only the counts of the root know", In: `<testsuites name="r" errors="1"><testsuite name="s"><testcase name="a"/></testsuite></testsuites>`},
		TestReport{Tests: 1, Broken: 1, FirstFailed: "r"}},
	{stricttest.ReadCase{Name: "counts that know fewer failures", In: `<testsuite failures="0" errors=""><testcase name="a"><failure/><error/></testcase></testsuite>`}, TestReport{Tests: 1, Failed: 1, FirstFailed: "a"}},
	{stricttest.ReadCase{Name: "counts that are none", In: `<testsuite failures="-1" errors="none"><testcase name="a"/></testsuite>`}, TestReport{Tests: 1}},
	{stricttest.ReadCase{Name: "counts that are too large", In: `<testsuite failures="99999999999999999999" errors="0" errors="1"><testcase name="a"/></testsuite>`}, TestReport{Tests: 1, Broken: 1<<31 + 1}},
	{stricttest.ReadCase{Name: "all subtests skipped", In: `<testsuite name="p"><testcase classname="p" name="TestA"/><testcase classname="p" name="TestA/b"/><testcase classname="p" name="TestA/b/c"><skipped/></testcase></testsuite>`},
		TestReport{Tests: 3, Skipped: 3}},
	{stricttest.ReadCase{Name: "some subtests skipped", In: `<testsuite name="p"><testcase classname="p" name="TestA"/><testcase classname="p" name="TestA/b"/><testcase classname="p" name="TestA/c"><skipped/></testcase></testsuite>`},
		TestReport{Tests: 3, Skipped: 1}},
	{stricttest.ReadCase{Name: "no cases", In: `<testsuites tests="12"/>`}, TestReport{}},
	{stricttest.ReadCase{Name: "a byte order mark", In: "\ufeff<testsuite>\n<!-- c --><testcase>&lt;</testcase></testsuite>"}, TestReport{Tests: 1, Failed: 0, Skipped: 0}},
	{stricttest.ReadCase{Name: "a namespace", In: `<testsuite xmlns="urn:x"><testcase/></testsuite>`}, TestReport{Tests: 1, Failed: 0, Skipped: 0}},
	{stricttest.ReadCase{Name: "another root", In: "\n<html><body><testcase/></body></html>", Errs: []string{"2:1: the root element is not a test suite"}}, TestReport{}},
	{stricttest.ReadCase{Name: "a document type", In: `<!DOCTYPE html><html></html>`, Errs: []string{"1:1: a document type is not supported"}}, TestReport{}},
	{stricttest.ReadCase{Name: "an entity of its own", In: `<!DOCTYPE t [<!ENTITY x "y">]><testsuite/>`, Errs: []string{"1:1: a document type is not supported"}}, TestReport{}},
	{stricttest.ReadCase{Name: "an unknown entity", In: `<testsuite>&x;</testsuite>`, Errs: []string{"1:15: this is not valid XML: invalid character entity &x;"}}, TestReport{}},
	{stricttest.ReadCase{Name: "only a comment", In: `<!-- none -->`, Errs: []string{"1:14: the XML contains no element"}}, TestReport{}},
	{stricttest.ReadCase{Name: "two roots", In: `<testsuite/><testsuite><testcase/></testsuite>`, Errs: []string{"1:13: a second root element"}}, TestReport{}},
	{stricttest.ReadCase{Name: "text after the root", In: "<testsuite/>\nFAIL", Errs: []string{"1:13: text outside"}}, TestReport{}},
	{stricttest.ReadCase{Name: "cut off", In: `<testsuite><testcase/>`, Errs: []string{"1:23: this is not valid XML: the file ends before the report does"}}, TestReport{Tests: 1, Failed: 0, Skipped: 0}},
	{stricttest.ReadCase{Name: "tags that do not match", In: `<testsuite><testcase></testsuite>`, Errs: []string{"1:34: this is not valid XML"}}, TestReport{}},
	{stricttest.ReadCase{Name: "a case inside a case", In: `<testsuite><testcase><testcase/><failure/></testcase></testsuite>`,
		Errs: []string{"1:22: a testcase inside a testcase"}}, TestReport{Tests: 1, Failed: 1, Skipped: 0}},
	{stricttest.ReadCase{Name: "another encoding, and only ASCII", In: `<?xml version="1.0" encoding="ISO-8859-1"?><testsuite><testcase/></testsuite>`}, TestReport{Tests: 1}},
	{stricttest.ReadCase{Name: "another encoding", In: "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><testsuite name=\"caf\xe9\"/>",
		Errs: []string{`1:44: this is not valid XML: xml: opening charset "ISO-8859-1": its encoding is "ISO-8859-1"`}}, TestReport{}},
	{stricttest.ReadCase{Name: "an encoding in which ASCII means something else", In: `<?xml version="1.0" encoding="UTF-7"?><testsuite/>`,
		Errs: []string{`1:39: this is not valid XML: xml: opening charset "UTF-7": its encoding is "UTF-7"`}}, TestReport{}},
	{stricttest.ReadCase{Name: "XML 1.1", In: `<?xml version="1.1" encoding="UTF-8"?><testsuite><testcase/></testsuite>`}, TestReport{Tests: 1}},
	{stricttest.ReadCase{Name: "XML 1.2", In: `<?xml version="1.2"?><testsuite/>`, Errs: []string{"1:22: this is not valid XML: xml: unsupported version"}}, TestReport{}},
	{stricttest.ReadCase{Name: "invalid UTF-8", In: "<testsuite>\xff</testsuite>", Errs: []string{"1:13: this is not valid XML: invalid UTF-8"}}, TestReport{}},

	// go test -json
	{stricttest.ReadCase{Name: "a stream", In: `{"Time":"2026-11-21T12:00:00Z","Action":"start","Package":"p"}
{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"--- FAIL: TestA\n"}
{"Action":"fail","Package":"p","Test":"TestA/sub","Elapsed":0.01}
{"Action":"fail","Package":"p","Test":"TestA","Elapsed":0.01}

{"Action":"skip","Package":"p","Test":"TestB"}
{"Action":"pass","Package":"p","Test":"TestC"}
{"Action":"later","Package":"p","Test":"TestC","New":{}}
{"Action":"fail","Package":"p","Elapsed":0.1}
`}, TestReport{Tests: 4, Failed: 2, Skipped: 1, FirstFailed: "TestA/sub"}},
	{stricttest.ReadCase{Name: "a package without tests", In: `{"Action":"skip","Package":"p","Elapsed":0}`}, TestReport{}},
	{stricttest.ReadCase{Name: "run again by gotestsum", In: `{"Action":"pass","Package":"p","Test":"TestB"}
{"Action":"fail","Package":"p","Test":"TestA"}
{"Action":"fail","Package":"p"}
{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"pass","Package":"p"}`}, TestReport{Tests: 2, Flaky: 1, FirstFlaky: "TestA"}},
	{stricttest.ReadCase{Name: "passed in another package", In: `{"Action":"fail","Package":"p","Test":"TestA"}
{"Action":"fail","Package":"p"}
{"Action":"pass","Package":"q","Test":"TestA"}
{"Action":"pass","Package":"q"}`}, TestReport{Tests: 2, Failed: 1, FirstFailed: "TestA"}},
	{stricttest.ReadCase{Name: "a package that ended by itself", In: `{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"fail","Package":"p"}`}, TestReport{Tests: 1, Broken: 1, FirstFailed: "p"}},
	{stricttest.ReadCase{Name: "a package that ended by itself, and then passed", In: `{"Action":"fail","Package":"p"}
{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"pass","Package":"p"}`}, TestReport{Tests: 1, Flaky: 1, FirstFlaky: "p"}},
	{stricttest.ReadCase{Name: "a package that ended by itself, and then had no tests", In: `{"Action":"fail","Package":"p"}
{"Action":"skip","Package":"p"}`}, TestReport{Broken: 1, FirstFailed: "p"}},
	{stricttest.ReadCase{Name: "all subtests of go skipped", In: `{"Action":"skip","Package":"p","Test":"TestA/b"}
{"Action":"skip","Package":"p","Test":"TestA/c/d"}
{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"pass","Package":"p"}`}, TestReport{Tests: 3, Skipped: 3}},
	{stricttest.ReadCase{Name: "no newline at the end, CRLF", In: "{\"Action\":\"pass\",\"Test\":\"T\"}\r\n{\"Action\":\"pass\"}"}, TestReport{Tests: 1, Failed: 0, Skipped: 0}},
	{stricttest.ReadCase{Name: "a package that cannot be built", In: `{"ImportPath":"p","Action":"build-fail"}
{"Action":"fail","Package":"p","FailedBuild":"p"}`}, TestReport{Broken: 1, FirstFailed: "p"}},
	{stricttest.ReadCase{Name: "nothing ends", In: "{\"Action\":\"start\",\"Package\":\"p\"}\n{\"Action\":\"run\",\"Package\":\"p\",\"Test\":\"T\"}",
		Errs: []string{"0:0: no test and no package of the stream ends"}}, TestReport{}},
	{stricttest.ReadCase{Name: "broken lines", In: "\n{\"Action\":\"pass\",\"Test\":\"T\"}\nFAIL p\n{\"Action\":1}\n[]\n{\"Action\":\"pass\",\"Test\":1,\"Package\":2}\n{\"Action\":\"pass\",\"Action\":\"fail\"}\n{\"Action\":\"pass\"",
		Errs: []string{"3:1: this is not JSON", "4:11: Action must be a string", "5:1: a line must be an object", "6:25: Test must be a string",
			"6:37: Package must be a string", `7:18: the key "Action" occurs twice`, "8:17: the text ends, but the { is not closed"}}, TestReport{Tests: 1, Failed: 0, Skipped: 0}},
	{stricttest.ReadCase{Name: "CTRF", In: `  {"reportFormat":"CTRF","specVersion":"0.0.0","results":{}}`, Errs: []string{"1:3: this is JSON of another kind than go test -json"}}, TestReport{}},
	{stricttest.ReadCase{Name: "JSON over several lines", In: "\n{\n \"Action\":\"pass\"}", Errs: []string{"2:1: this is JSON of another kind than go test -json"}}, TestReport{}},

	// neither
	{stricttest.ReadCase{Name: "nothing", In: "", Errs: []string{"0:0: the test report is empty"}}, TestReport{}},
	{stricttest.ReadCase{Name: "blank", In: " \r\n\t", Errs: []string{"0:0: the test report is empty"}}, TestReport{}},
	{stricttest.ReadCase{Name: "text", In: "\nok  	p	0.1s", Errs: []string{"2:1: this is not a test report"}}, TestReport{}},
	{stricttest.ReadCase{Name: "a list", In: `[{"Action":"pass"}]`, Errs: []string{"1:1: this is not a test report"}}, TestReport{}},
}

func TestParseTestsCases(t *testing.T) {
	for _, c := range testReportCases {
		t.Run(c.Name, func(t *testing.T) {
			got, errs := ParseTests([]byte(c.In), input.DefaultLimits())
			stricttest.CheckErrors(t, errs, c.Errs)
			stricttest.CheckPlaces(t, []byte(c.In), errs)
			if got == nil {
				got = &TestReport{}
			}
			if listed := int64(len(got.FirstSkipped)); listed > MaxSkipped || listed > got.Skipped {
				t.Errorf("%d skipped cases are named: %q", listed, got.FirstSkipped)
			}
			got.FirstSkipped, got.Failing = nil, nil // see TestFirstSkipped and TestFailing
			if !reflect.DeepEqual(*got, c.want) {
				t.Errorf("got %+v, want %+v", *got, c.want)
			}
		})
	}
}

func TestFirstSkipped(t *testing.T) {
	const in = `<testsuite><testcase classname="C" name="a"><skipped/></testcase><testcase name="b"/><testcase name="c"><skipped/></testcase>
<testcase name="d"><skipped/></testcase><testcase><skipped/></testcase><testcase name="e"><skipped/></testcase><testcase name="f"><skipped/></testcase></testsuite>`
	got, errs := ParseTests([]byte(in), input.DefaultLimits())
	if want := []string{"C.a", "c", "d", "", "e"}; errs.Any() || !slices.Equal(got.FirstSkipped, want) {
		t.Errorf("got %q, want %q", got.FirstSkipped, want)
	}
}

// A failure names its test, its message, and lines of files of the repository.
func TestFailing(t *testing.T) {
	const pytest = `<testsuites><testsuite name="pytest"><testcase classname="tests.test_sum" name="test_a"><failure message="assert 3 == 4">def test_a():
        check()

tests/test_sum.py:12: 
_ _ _
/home/me/.venv/lib/site-packages/x.py:3: in run
E       assert 3 == 4
src/helper.py:9: AssertionError</failure></testcase></testsuite></testsuites>`
	goTest := func(lines ...string) string {
		var out strings.Builder
		for _, line := range lines {
			fmt.Fprintf(&out, `{"Action":"output","Package":"o/r/p","Test":"TestA/b","Output":%q}`+"\n", line+"\n")
		}
		return out.String() + `{"Action":"fail","Package":"o/r/p","Test":"TestA/b"}
{"Action":"fail","Package":"o/r/p","Test":"TestA"}
{"Action":"fail","Package":"o/r/p"}`
	}
	for _, c := range []struct {
		name, in string
		want     []TestFailure
	}{
		{"pytest", pytest, []TestFailure{{"tests.test_sum", "test_a", "assert 3 == 4", []input.Spot{{File: "tests/test_sum.py", Line: 12}, {File: "src/helper.py", Line: 9}}}}},
		{"pytest, which counts lines from 0", `<testsuite name="pytest"><testcase classname="c" name="a" file="test_a.py" line="3"><error message="m"/></testcase></testsuite>`,
			[]TestFailure{{"c", "a", "m", []input.Spot{{File: "test_a.py", Line: 4}}}}},
		{"a place of the writer, and a stack", `<testsuite><testcase name="a" file="./spec/a_spec.rb"><failure>boom
lib/a.rb:3:in x
spec/a_spec.rb:7:in y</failure></testcase></testsuite>`,
			[]TestFailure{{"", "a", "boom", []input.Spot{{File: "spec/a_spec.rb", Line: 7}, {File: "lib/a.rb", Line: 3}}}}},
		{"a stack of Jest", `<testsuite><testcase classname="s" name="a"><failure>Error: no
    at f (/w/node_modules/expect/a.js:1:2)
    at Object.&lt;anonymous&gt; (/w/r/src/a.test.ts:12:5)
    at localhost.com:8080 and 1.2:3</failure></testcase></testsuite>`, []TestFailure{{"s", "a", "Error: no", []input.Spot{{File: "/w/r/src/a.test.ts", Line: 12}}}}},
		{"the file of a suite", `<testsuite file="C:\r\a.test.js"><testcase name="a"><failure/></testcase></testsuite>`,
			[]TestFailure{{"", "a", "", []input.Spot{{File: "C:/r/a.test.js"}}}}},
		{"go, a log and a failure", goTest("=== RUN   TestA/b", "    a_test.go:9: a log", "    a_test.go:10: got 1, want 2"),
			[]TestFailure{{"o/r/p", "TestA/b", "a_test.go:10: got 1, want 2", []input.Spot{{File: "a_test.go", Line: 10}}}}},
		{"go, a message on lines of its own", goTest("    a_test.go:10: ", "        \tError Trace:\t/w/r/p/a_test.go:10", "        \tError:      \tNot equal"),
			[]TestFailure{{"o/r/p", "TestA/b", "a_test.go:10: Error:      \tNot equal", []input.Spot{{File: "a_test.go", Line: 10}, {File: "/w/r/p/a_test.go", Line: 10}}}}},
		{"go, a panic", goTest("    a_test.go:9: a log", "panic: boom [recovered]", "\t/w/r/p/a.go:3 +0x1", "\t/w/r/p/a_test.go:12 +0x1d"),
			[]TestFailure{{"o/r/p", "TestA/b", "panic: boom [recovered]", []input.Spot{{File: "/w/r/p/a_test.go", Line: 12}, {File: "/w/r/p/a.go", Line: 3}}}}},
		{"what passed in the end", `<testsuite><testcase name="a"><failure/></testcase><testcase name="b"><failure/></testcase><testcase name="a"/></testsuite>`,
			[]TestFailure{{"", "b", "", nil}}},
	} {
		got, errs := ParseTests([]byte(c.in), input.DefaultLimits())
		if errs.Any() || !reflect.DeepEqual(got.Failing, c.want) {
			t.Errorf("%s:\n got %+v,\nwant %+v, %v", c.name, got.Failing, c.want, errs.All())
		}
	}
	many := "<testsuite>"
	for i := range 200 {
		many += fmt.Sprintf(`<testcase name="t%d"><failure/></testcase>`, i)
	}
	if got, _ := ParseTests([]byte(many+"</testsuite>"), input.DefaultLimits()); len(got.Failing) != MaxFailures || got.Failing[0].Name != "t0" {
		t.Errorf("%d failures are named, first %+v", len(got.Failing), got.Failing[0])
	}
}

// A text of no known format gives no report; the counts of it would read as "zero tests".
func TestParseTestsNoFormat(t *testing.T) {
	for _, in := range []string{"", "ok", "<html/>", "<!-- -->", `{"results":{}}`, "[]"} {
		if report, errs := ParseTests([]byte(in), input.DefaultLimits()); report != nil || !errs.Any() {
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
		got, errs := ParseTests(text, input.DefaultLimits())
		stricttest.CheckErrors(t, errs, nil)
		if got != nil {
			got.FirstSkipped, got.Failing = nil, nil // see TestFirstSkipped and TestFailing
		}
		if got == nil || !reflect.DeepEqual(*got, want) {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
	}
}

func TestParseTestsLimits(t *testing.T) {
	for _, text := range []string{`<testsuite><testcase/></testsuite>`, `{"Action":"pass","x":{}}`} {
		if _, errs := ParseTests([]byte(text), stricttest.TightLimits(int64(len(text)), 2)); errs.Any() {
			t.Errorf("at the limits: %v", errs.All())
		}
		report, errs := ParseTests([]byte(text), stricttest.TightLimits(int64(len(text))-1, 2))
		stricttest.CheckLimit(t, errs, report == nil, input.FlagRulesBytes)
		_, errs = ParseTests([]byte("\n"+text), stricttest.TightLimits(1000, 1))
		stricttest.CheckLimit(t, errs, true, input.FlagDepth)
		stricttest.CheckPlaces(t, []byte("\n"+text), errs)
	}
	deep := strings.Repeat("<testsuite>", 1_000_000)
	_, errs := ParseTests([]byte(deep), input.DefaultLimits())
	stricttest.CheckLimit(t, errs, true, input.FlagDepth)
}

func FuzzParseTests(f *testing.F) {
	for _, c := range testReportCases {
		f.Add([]byte(c.In))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		report, errs := ParseTests(data, stricttest.TightLimits(1<<16, 20))
		stricttest.CheckPlaces(t, data, errs)
		if report == nil {
			if !errs.Any() {
				t.Error("neither a report nor an error")
			}
			return
		}
		if report.Failed+report.Skipped > report.Tests || report.Flaky > int64(len(data)) || report.Tests > int64(len(data)) || report.Broken < 0 {
			t.Errorf("counts %+v of %d bytes", report, len(data))
		}
	})
}

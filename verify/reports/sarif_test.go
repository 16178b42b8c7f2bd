package reports

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/testkit/stricttest"
	"github.com/closeout-gate/closeout/verify/input"
)

// sarifRunText is a SARIF file with one run, whose driver lists the rules a (default error), b/c (default note) and d.
func sarifRunText(rest string) string {
	return `{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"t","rules":[` +
		`{"id":"a","defaultConfiguration":{"level":"error"}},{"id":"b/c","defaultConfiguration":{"level":"note"}},{"id":"d"}]},` +
		`"extensions":[{"name":"e","guid":"g","rules":[{"id":"x","defaultConfiguration":{"level":"error"}}]}]},` + "\n" + rest + `}]}`
}

func sarifResultText(result string) string { return sarifRunText(`"results":[` + result + `]`) }

var sarifCases = []stricttest.ReadCase{
	{Name: "no runs", In: `{"version":"2.1.0","runs":[]}`},
	{Name: "an empty run", In: `{"version":"2.1.0","runs":[{}]}`},
	{Name: "a run without rules and results", In: `{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"t","rules":[]}},"results":null}]}`},
	{Name: "nulls of no weight", In: `{"version":"2.1.0","inlineExternalProperties":null,"runs":[{"tool":{"driver":{"rules":null,"guid":null},
		"extensions":null},"invocations":null,"externalPropertyFileReferences":{"results":null},"results":[{"ruleId":"a","rule":null,"message":null,"locations":null}]}]}`},
	{Name: "unknown keys", In: `{"version":"2.1.0","Version":"1","runs":[{"results":[{"ruleId":"a","passed":1}],"more":{}}],"less":0}`},
	{Name: "a success", In: sarifRunText(`"invocations":[{"executionSuccessful":true},{}],"results":[]`)},
	{Name: "an external file of no weight", In: sarifRunText(`"externalPropertyFileReferences":{"artifacts":[{}]},"results":[]`)},

	{Name: "version is missing", In: `{"runs":[]}`, Errs: []string{`1:1: the key "version" is missing`}},
	{Name: "runs is missing", In: `{"version":"2.1.0"}`, Errs: []string{`1:1: the key "runs" is missing`}},
	{Name: "version 2.0.0", In: `{"version":"2.0.0","runs":[]}`, Errs: []string{"1:12: this version of SARIF is not supported"}},
	{Name: "version is a number", In: `{"version":2.1,"runs":[]}`, Errs: []string{"1:12: this version of SARIF is not supported"}},
	{Name: "runs is null", In: `{"version":"2.1.0","runs":null}`, Errs: []string{"1:27: runs must be a list"}},
	{Name: "a run is a list", In: `{"version":"2.1.0","runs":[[]]}`, Errs: []string{"1:28: each of runs must be an object"}},
	{Name: "results twice", In: `{"version":"2.1.0","runs":[{"results":[{"ruleId":"a"}],"results":[]}]}`,
		Errs: []string{`1:56: the key "results" occurs twice`}, Lax: true},
	{Name: "results is an object", In: `{"version":"2.1.0","runs":[{"results":{}}]}`, Errs: []string{"1:39: results must be a list"}},
	{Name: "driver is a string", In: `{"version":"2.1.0","runs":[{"tool":{"driver":"t"}}]}`, Errs: []string{"1:46: driver must be an object"}},
	{Name: "a rule without id", In: `{"version":"2.1.0","runs":[{"tool":{"driver":{"rules":[{}]}},"results":[]}]}`, Errs: []string{`1:56: the key "id" is missing`}},
	{Name: "a rule with an id of ours", In: `{"version":"2.1.0","runs":[{"tool":{"driver":{"rules":[{"id":"closeout/a"}]}},"results":[]}]}`,
		Errs: []string{"1:62: foreign closeout/ id"}},
	{Name: "a rule with an unknown level", In: `{"version":"2.1.0","runs":[{"tool":{"driver":{"rules":[{"id":"a","defaultConfiguration":{"level":"off"}}]}},"results":[]}]}`,
		Errs: []string{"1:98: level must be one of"}},
	{Name: "rules, but no results", In: sarifRunText(`"x":1`), Errs: []string{"1:28: the run contains no results list"}},
	{Name: "rules, and results null", In: sarifRunText(`"results":null`), Errs: []string{"1:28: the run contains no results list"}},
	{Name: "a failed run", In: sarifRunText(`"invocations":[{"executionSuccessful":true},{"executionSuccessful":false}],"results":[]`),
		Errs: []string{"2:68: the tool reports that its run did not succeed"}},
	{Name: "a run with invocations", In: sarifRunText(`"invocations":[{"executionSuccessful":true,"exitCode":1,"exitSignalName":null,"exitSignalNumber":0,"processStartFailureMessage":"",
		"toolExecutionNotifications":[{"level":"warning","message":{"text":"m"}},{}],"toolConfigurationNotifications":null}],"results":[]`)},
	{Name: "an error of the run", In: sarifRunText(`"invocations":[{"executionSuccessful":true,"toolExecutionNotifications":[{"level":"note"},{"level":"error","message":{"text":"no file"}}]}],"results":[]`),
		Errs: []string{"2:100: the tool reports an error of its run: no file"}},
	{Name: "an error of the configuration", In: sarifRunText(`"invocations":[{"toolConfigurationNotifications":[{"level":"error"}]}],"results":[]`),
		Errs: []string{"2:60: the tool reports an error of its run"}},
	{Name: "a level of a notification that is none", In: sarifRunText(`"invocations":[{"toolExecutionNotifications":[{"level":"fatal"}]}],"results":[]`),
		Errs: []string{"2:56: level must be one of"}},
	{Name: "a tool that did not start", In: sarifRunText(`"invocations":[{"processStartFailureMessage":"no such file"}],"results":[]`),
		Errs: []string{"2:46: the tool could not be started"}},
	{Name: "a tool that was killed", In: sarifRunText(`"invocations":[{"exitSignalName":"SIGKILL","exitSignalNumber":9}],"results":[]`),
		Errs: []string{"2:34: a signal ended the tool", "2:63: a signal ended the tool"}},
	{Name: "a conversion", In: sarifRunText(`"conversion":{"tool":{"driver":{"name":"c"}},"invocation":{"executionSuccessful":true}},"results":[]`)},
	{Name: "a conversion that failed", In: sarifRunText(`"conversion":{"invocation":{"executionSuccessful":false}},"results":[]`),
		Errs: []string{"2:51: the tool reports that its run did not succeed"}},
	{Name: "invocations in another file", In: sarifRunText(`"externalPropertyFileReferences":{"invocations":[{"location":{"uri":"i"}}]},"results":[]`),
		Errs: []string{"2:49: part of the run is in another file"}},
	{Name: "a signal that is a string", In: sarifRunText(`"invocations":[{"exitSignalNumber":"9"}],"results":[]`),
		Errs: []string{"2:36: exitSignalNumber must be an integer"}},
	{Name: "words of a baseline", In: sarifResultText(`{"ruleId":"a","baselineState":"new"},{"ruleId":"a","baselineState":"unchanged"},{"ruleId":"a","baselineState":"updated"},
		{"ruleId":"a","baselineState":"absent"},{"ruleId":"a","baselineState":null}`)},
	{Name: "an unknown word of a baseline", In: sarifResultText(`{"ruleId":"a","baselineState":"Absent"}`), Errs: []string{"2:42: baselineState must be one of"}},
	{Name: "a success that is a string", In: sarifRunText(`"invocations":[{"executionSuccessful":"false"}],"results":[]`),
		Errs: []string{"2:39: executionSuccessful must be true or false"}},
	{Name: "a success that is null", In: sarifRunText(`"invocations":[{"executionSuccessful":null}],"results":[]`),
		Errs: []string{"2:39: executionSuccessful must be true or false"}},
	{Name: "results in another file", In: sarifRunText(`"externalPropertyFileReferences":{"results":[{"location":{"uri":"r.sarif-external-properties"}}]},"results":[]`),
		Errs: []string{"2:45: part of the run is in another file"}},
	{Name: "results beside the run", In: `{"version":"2.1.0","runs":[],"inlineExternalProperties":[{"results":[]}]}`,
		Errs: []string{"1:57: part of the run is in another file"}},

	{Name: "ways to name a rule", In: sarifResultText(`{"ruleId":"a"},{"ruleIndex":0},{"rule":{"id":"a"}},{"rule":{"index":2}},{"ruleId":"a","ruleIndex":0,"rule":{"id":"a","index":0}},
		{"ruleId":"a","ruleIndex":-1},{"ruleId":"b/c/1","ruleIndex":1},{"ruleId":"other"}`)},
	{Name: "ways to name an extension's rule", In: sarifResultText(`{"ruleId":"x"},{"rule":{"index":0,"toolComponent":{"index":0}}},
		{"ruleId":"x","rule":{"toolComponent":{"guid":"g"}}},{"ruleId":"x","rule":{"toolComponent":{"name":"e"}}},{"ruleId":"a","rule":{"toolComponent":{"name":"t"}}}`)},
	{Name: "every kind", In: sarifResultText(`{"ruleId":"a","kind":"fail"},{"ruleId":"a","kind":"pass"},{"ruleId":"a","kind":"open"},
		{"ruleId":"a","kind":"review"},{"ruleId":"a","kind":"informational"},{"ruleId":"a","kind":"notApplicable"}`)},
	{Name: "a result without rule", In: sarifResultText(`{"message":{"text":"m"}}`), Errs: []string{"2:12: the result names no rule"}},
	{Name: "a result with rule -1", In: sarifResultText(`{"ruleIndex":-1}`), Errs: []string{"2:12: the result names no rule"}},
	{Name: "a result that is null", In: sarifResultText(`null`), Errs: []string{"2:12: each of results must be an object", "2:12: the result names no"}},
	{Name: "ruleId is null", In: sarifResultText(`{"ruleId":null}`), Errs: []string{"2:22: ruleId must be a string"}},
	{Name: "ruleId is blank", In: sarifResultText(`{"ruleId":""}`), Errs: []string{"2:22: ruleId must be a string"}},
	{Name: "a foreign ruleId", In: sarifResultText(`{"ruleId":"closeout/a"}`), Errs: []string{"2:22: foreign closeout/ id"}},
	{Name: "a ruleId of 257 bytes", In: sarifResultText(`{"ruleId":"a/` + strings.Repeat("i", 255) + `","ruleIndex":0}`), Errs: []string{"2:22: the id of the rule has 257 bytes"}},
	{Name: "ruleIndex out of range", In: sarifResultText(`{"ruleId":"a","ruleIndex":3}`), Errs: []string{"2:38: the run lists no rule with this index"}, Lax: true},
	{Name: "ruleIndex is -2", In: sarifResultText(`{"ruleId":"a","ruleIndex":-2}`), Errs: []string{"2:38: ruleIndex must be an integer"}},
	{Name: "ruleIndex of another rule", In: sarifResultText(`{"ruleId":"a","ruleIndex":1}`), Errs: []string{"2:22: ruleId and ruleIndex name two rules"}, Lax: true},
	{Name: "ruleIndex of a rule with the same beginning", In: sarifResultText(`{"ruleId":"ab","ruleIndex":0}`),
		Errs: []string{"2:22: ruleId and ruleIndex name two rules"}, Lax: true},
	{Name: "ruleId and rule.id differ", In: sarifResultText(`{"ruleId":"a","rule":{"id":"d"}}`), Errs: []string{"2:39: the result names two rules"}, Lax: true},
	{Name: "ruleIndex and rule.index differ", In: sarifResultText(`{"ruleIndex":0,"rule":{"index":1}}`), Errs: []string{"2:43: the result names two rules"}, Lax: true},
	{Name: "an extension that is not there", In: sarifResultText(`{"ruleId":"x","rule":{"toolComponent":{"index":1}}}`),
		Errs: []string{"2:50: the result names a component"}, Lax: true},
	{Name: "an extension's rule that is not there", In: sarifResultText(`{"rule":{"index":1,"toolComponent":{"index":0}}}`),
		Errs: []string{"2:29: the run lists no rule with this index"}, Lax: true},
	{Name: "kind in another case", In: sarifResultText(`{"ruleId":"a","kind":"Pass"}`), Errs: []string{"2:33: kind must be one of"}},
	{Name: "kind is null", In: sarifResultText(`{"ruleId":"a","kind":null}`), Errs: []string{"2:33: kind must be one of"}},
	{Name: "level unknown", In: sarifResultText(`{"ruleId":"a","level":"info"}`), Errs: []string{"2:34: level must be one of"}},
	{Name: "level is null", In: sarifResultText(`{"ruleId":"a","level":null}`), Errs: []string{"2:34: level must be one of"}},
	{Name: "startLine zero", In: sarifResultText(`{"ruleId":"a","locations":[{"physicalLocation":{"artifactLocation":{"uri":"f"},"region":{"startLine":0}}}]}`),
		Errs: []string{"2:113: startLine must be an integer"}},
	{Name: "message is a string", In: sarifResultText(`{"ruleId":"a","message":"m"}`), Errs: []string{"2:36: message must be an object"}},
	{Name: "uri is a number", In: sarifResultText(`{"ruleId":"a","locations":[{"physicalLocation":{"artifactLocation":{"uri":1}}}]}`), Errs: []string{"2:86: uri must be a string"}},
}

func TestParseSARIFCases(t *testing.T) { stricttest.Cases(t, "rule_report", sarifCases, Parse) }

// rulesOf gives the rows of a SARIF text without their places.
func rulesOf(t *testing.T, text string) []Row {
	t.Helper()
	report, errs := Parse([]byte(text), input.DefaultLimits())
	stricttest.CheckErrors(t, errs, nil)
	if report == nil || report.Shape != ShapeSARIF {
		t.Fatalf("report %+v", report)
	}
	for i := range report.Rows {
		report.Rows[i].Pos = input.Pos{}
	}
	return report.Rows
}

func TestParseSARIFSamples(t *testing.T) {
	passed := func(id string, severity input.Severity) Row { return Row{ID: id, Severity: severity, Passed: true} }
	for name, want := range map[string][]Row{
		"golangci-lint": {
			{ID: "errcheck", Severity: input.Block, Detail: "Error return value of `f.Close` is not checked", File: "store/disk.go", Line: 41,
				FailedIn: []string{"cmd/tool/main.go", "store/disk.go"}},
			{ID: "revive", Severity: input.Warn, Detail: "exported: exported function Open should have comment or be unexported", File: "store/open.go", Line: 12,
				FailedIn: []string{"store/open.go"}},
		},
		"codeql": {
			{ID: "js/sql-injection", Severity: input.Block, Detail: "This query string depends on a [user-provided value](1).", File: "src/db.js", Line: 30,
				FailedIn: []string{"src/db.js"}},
			{ID: "js/unused-local-variable", Severity: input.Info, Detail: "Unused variable rows.", File: "src/db.js", Line: 3, FailedIn: []string{"src/db.js"}},
			passed("js/missing-await", input.Warn),
		},
		"codeql-packs": {
			{ID: "go/path-injection", Severity: input.Block, Detail: "This path depends on a user-provided value.", File: "serve.go", Line: 9,
				FailedIn: []string{"", "serve.go"}},
			{ID: "go/redundant-assignment", Severity: input.Info, Detail: "This statement assigns an expression to itself.", FailedIn: []string{""}},
		},
		"eslint": {
			{ID: "no-unused-vars", Severity: input.Block, Detail: "'x' is assigned a value but never used.", File: "file:///home/dev/app/src/a.js", Line: 1,
				FailedIn: []string{"file:///home/dev/app/src/a.js"}},
			{ID: "no-undef", Severity: input.Block, Detail: "'y' is not defined.", File: "file:///home/dev/app/src/a.js", Line: 2,
				FailedIn: []string{"file:///home/dev/app/src/a.js"}},
		},
		"roslyn": {
			{ID: "CA1000", Severity: input.Block, File: "src/my box.cs", Line: 4, FailedIn: []string{"", "src/my box.cs"}},
			passed("CA2000", input.Warn),
			{ID: "CA3000", Severity: input.Info, Detail: "of no weight", FailedIn: []string{""}},
			passed("CA4000", input.Block),
		},
		"scanners": {
			{ID: "aws-key", Severity: input.Block, Detail: "AWS key", File: "b.env", Line: 2, FailedIn: []string{"a.env", "b.env"}},
			passed("aws-key", input.Warn),
			passed("no-agpl", input.Warn),
		},
		"clean": {passed("no-todo", input.Warn)},
		"empty": nil,
	} {
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("testdata/sarif", name+".sarif"))
			if err != nil {
				t.Fatal(err)
			}
			if got := rulesOf(t, string(text)); !reflect.DeepEqual(got, want) {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
			stricttest.CheckSchema(t, stricttest.CompileSchema(t, "rule_report"), stricttest.ReadCase{In: string(text)})
		})
	}
}

func TestParseSARIFFailedSample(t *testing.T) {
	text, err := os.ReadFile("testdata/sarif/eslint-failed.sarif")
	if err != nil {
		t.Fatal(err)
	}
	_, errs := Parse(text, input.DefaultLimits())
	stricttest.CheckErrors(t, errs, []string{"10:56: the tool reports an error of its run: Parsing error", "12:34: the tool reports that its run did not succeed"})
}

// What a result makes of the row of its rule.
func TestSARIFResults(t *testing.T) {
	for _, c := range []struct{ name, results, want string }{
		{"no level: the rule's default", `{"ruleId":"a"}`, "a block failed"},
		{"no level, no default: warning", `{"ruleId":"d"}`, "d warn failed"},
		{"no level, rule not listed: warning", `{"ruleId":"z"}`, "z warn failed"},
		{"no level, an extension's default", `{"ruleId":"x"}`, "x block failed"},
		{"level none", `{"ruleId":"a","level":"none"}`, "a info failed"},
		{"the strictest level, first", `{"ruleId":"d","level":"error"},{"ruleId":"d","level":"note"}`, "d block failed"},
		{"the strictest level, last", `{"ruleId":"d","level":"note"},{"ruleId":"d","level":"error"}`, "d block failed"},
		{"a pass after a failure", `{"ruleId":"d"},{"ruleId":"d","kind":"pass"}`, "d warn failed"},
		{"a failure after a pass", `{"ruleId":"d","kind":"pass"},{"ruleId":"d"}`, "d warn failed"},
		{"a pass does not raise a severity", `{"ruleId":"d"},{"ruleId":"d","kind":"pass","level":"error"}`, "d warn failed"},
		{"only passes", `{"ruleId":"a","kind":"pass"}`, "a block passed"},
		{"a pass of a rule that is not listed", `{"ruleId":"z","kind":"pass"}`, "z warn passed"},
		{"suppressed", `{"ruleId":"a","suppressions":[{"kind":"external","status":"accepted"}]}`, "a block failed"},
		{"gone since an earlier run", `{"ruleId":"a","baselineState":"absent"}`, "a block passed"},
		{"gone in one place, there in another", `{"ruleId":"a","baselineState":"absent"},{"ruleId":"a","baselineState":"unchanged"}`, "a block failed"},
		{"no longer as it was", `{"ruleId":"a","baselineState":"updated"}`, "a block failed"},
		{"a case of a listed rule", `{"ruleId":"b/c/d/e"}`, "b/c info failed"},
		{"not a case of it", `{"ruleId":"b/cc"}`, "b/cc warn failed"},
		{"the rule's name only begins alike", `{"ruleId":"b"}`, "b warn failed"},
		{"by index", `{"ruleIndex":1}`, "b/c info failed"},
		{"by the index of an extension", `{"rule":{"index":0,"toolComponent":{"index":0}}}`, "x block failed"},
		{"of an extension that does not list it", `{"ruleId":"a","rule":{"toolComponent":{"index":0}}}`, "a warn failed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			id, _, _ := strings.Cut(c.want, " ")
			for _, row := range rulesOf(t, sarifResultText(c.results)) {
				outcome := map[bool]string{true: "passed", false: "failed"}[row.Passed]
				if got := row.ID + " " + string(row.Severity) + " " + outcome; row.ID == id && got != c.want {
					t.Errorf("got %s, want %s", got, c.want)
				} else if row.ID == id {
					return
				}
			}
			t.Errorf("no row %s", c.want)
		})
	}
}

// Rules with equal ids are one row with the strictest default.
func TestSARIFEqualRules(t *testing.T) {
	rows := rulesOf(t, `{"version":"2.1.0","runs":[{"tool":{"driver":{"rules":[{"id":"a","defaultConfiguration":{"level":"note"}},
		{"id":"a","defaultConfiguration":{"level":"error"}}]}},"results":[]}]}`)
	if want := []Row{{ID: "a", Severity: input.Block, Passed: true}}; !reflect.DeepEqual(rows, want) {
		t.Errorf("got %+v, want %+v", rows, want)
	}
}

func TestURIPath(t *testing.T) {
	for uri, want := range map[string]string{
		"src/a.go":          "src/a.go",
		"./src/a.go":        "src/a.go",
		"my%20file":         "my file",
		"%C3%A4":            "ä",
		"100%":              "100%",
		"a%2":               "a%2",
		"a%zz%20":           "a%zz%20",
		"%ff":               "%ff",
		"file:///home/a%20": "file:///home/a ",
	} {
		if got := uriPath(uri); got != want {
			t.Errorf("uriPath(%q) = %q, want %q", uri, got, want)
		}
	}
}

// Only SARIF whose runs all name a driver and contain a list of results says that a tool ended.
func TestSARIFEnded(t *testing.T) {
	const whole = `{"tool":{"driver":{"name":"lint"}},"results":[]}`
	for text, want := range map[string]bool{
		`{"version":"2.1.0","runs":[` + whole + `]}`:                                                    true,
		`{"version":"2.1.0","runs":[` + whole + `,` + whole + `]}`:                                      true,
		`{"version":"2.1.0","runs":[]}`:                                                                 false,
		`{"version":"2.1.0","runs":[` + whole + `,{"results":[]}]}`:                                     false,
		`{"version":"2.1.0","runs":[{"results":[]},` + whole + `]}`:                                     false,
		`{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"lint"}}}]}`:                              false,
		`{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"lint"}},"results":null}]}`:               false,
		`{"version":"2.1.0","runs":[{"tool":{"driver":{"name":" "}},"results":[]}]}`:                    false,
		`{"version":"2.1.0","runs":[{"tool":{"driver":{}, "extensions":[{"name":"e"}]},"results":[]}]}`: false,
		`{"block_failures":[],"warn_failures":[]}`:                                                      false,
		`[]`: false,
	} {
		report, errs := Parse([]byte(text), input.DefaultLimits())
		if errs.Any() || report.Ended != want {
			t.Errorf("Ended of %s is %v, errors %v", text, report.Ended, errs.All())
		}
	}
}

package evidence

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify/source"
)

// sarifRunText is a SARIF file with one run, whose driver lists the rules a (default error), b/c (default note) and d.
func sarifRunText(rest string) string {
	return `{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"t","rules":[` +
		`{"id":"a","defaultConfiguration":{"level":"error"}},{"id":"b/c","defaultConfiguration":{"level":"note"}},{"id":"d"}]},` +
		`"extensions":[{"name":"e","guid":"g","rules":[{"id":"x","defaultConfiguration":{"level":"error"}}]}]},` + "\n" + rest + `}]}`
}

func sarifResultText(result string) string { return sarifRunText(`"results":[` + result + `]`) }

var sarifCases = []readCase{
	{name: "no runs", in: `{"version":"2.1.0","runs":[]}`},
	{name: "an empty run", in: `{"version":"2.1.0","runs":[{}]}`},
	{name: "a run without rules and results", in: `{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"t","rules":[]}},"results":null}]}`},
	{name: "nulls of no weight", in: `{"version":"2.1.0","inlineExternalProperties":null,"runs":[{"tool":{"driver":{"rules":null,"guid":null},
		"extensions":null},"invocations":null,"externalPropertyFileReferences":{"results":null},"results":[{"ruleId":"a","rule":null,"message":null,"locations":null}]}]}`},
	{name: "unknown keys", in: `{"version":"2.1.0","Version":"1","runs":[{"results":[{"ruleId":"a","passed":1}],"more":{}}],"less":0}`},
	{name: "a success", in: sarifRunText(`"invocations":[{"executionSuccessful":true},{}],"results":[]`)},
	{name: "an external file of no weight", in: sarifRunText(`"externalPropertyFileReferences":{"artifacts":[{}]},"results":[]`)},

	{name: "version is missing", in: `{"runs":[]}`, errs: []string{`1:1: the key "version" is missing`}},
	{name: "runs is missing", in: `{"version":"2.1.0"}`, errs: []string{`1:1: the key "runs" is missing`}},
	{name: "version 2.0.0", in: `{"version":"2.0.0","runs":[]}`, errs: []string{"1:12: this version of SARIF is not read"}},
	{name: "version is a number", in: `{"version":2.1,"runs":[]}`, errs: []string{"1:12: this version of SARIF is not read"}},
	{name: "runs is null", in: `{"version":"2.1.0","runs":null}`, errs: []string{"1:27: runs must be a list"}},
	{name: "a run is a list", in: `{"version":"2.1.0","runs":[[]]}`, errs: []string{"1:28: each of runs must be an object"}},
	{name: "results twice", in: `{"version":"2.1.0","runs":[{"results":[{"ruleId":"a"}],"results":[]}]}`,
		errs: []string{`1:56: the key "results" stands twice`}, lax: true},
	{name: "results is an object", in: `{"version":"2.1.0","runs":[{"results":{}}]}`, errs: []string{"1:39: results must be a list"}},
	{name: "driver is a string", in: `{"version":"2.1.0","runs":[{"tool":{"driver":"t"}}]}`, errs: []string{"1:46: driver must be an object"}},
	{name: "a rule without id", in: `{"version":"2.1.0","runs":[{"tool":{"driver":{"rules":[{}]}},"results":[]}]}`, errs: []string{`1:56: the key "id" is missing`}},
	{name: "a rule with an id of ours", in: `{"version":"2.1.0","runs":[{"tool":{"driver":{"rules":[{"id":"closeout/a"}]}},"results":[]}]}`,
		errs: []string{"1:62: foreign closeout/ id"}},
	{name: "a rule with an unknown level", in: `{"version":"2.1.0","runs":[{"tool":{"driver":{"rules":[{"id":"a","defaultConfiguration":{"level":"off"}}]}},"results":[]}]}`,
		errs: []string{"1:98: level must be one of"}},
	{name: "rules, but no results", in: sarifRunText(`"x":1`), errs: []string{"1:28: the run holds no results list"}},
	{name: "rules, and results null", in: sarifRunText(`"results":null`), errs: []string{"1:28: the run holds no results list"}},
	{name: "a failed run", in: sarifRunText(`"invocations":[{"executionSuccessful":true},{"executionSuccessful":false}],"results":[]`),
		errs: []string{"2:68: the tool says that its run did not succeed"}},
	{name: "a run that was told of", in: sarifRunText(`"invocations":[{"executionSuccessful":true,"exitCode":1,"exitSignalName":null,"exitSignalNumber":0,"processStartFailureMessage":"",
		"toolExecutionNotifications":[{"level":"warning","message":{"text":"m"}},{}],"toolConfigurationNotifications":null}],"results":[]`)},
	{name: "an error of the run", in: sarifRunText(`"invocations":[{"executionSuccessful":true,"toolExecutionNotifications":[{"level":"note"},{"level":"error","message":{"text":"no file"}}]}],"results":[]`),
		errs: []string{"2:100: the tool reports an error of its run: no file"}},
	{name: "an error of the configuration", in: sarifRunText(`"invocations":[{"toolConfigurationNotifications":[{"level":"error"}]}],"results":[]`),
		errs: []string{"2:60: the tool reports an error of its run"}},
	{name: "a level of a notification that is none", in: sarifRunText(`"invocations":[{"toolExecutionNotifications":[{"level":"fatal"}]}],"results":[]`),
		errs: []string{"2:56: level must be one of"}},
	{name: "a tool that did not start", in: sarifRunText(`"invocations":[{"processStartFailureMessage":"no such file"}],"results":[]`),
		errs: []string{"2:46: the tool could not be started"}},
	{name: "a tool that was killed", in: sarifRunText(`"invocations":[{"exitSignalName":"SIGKILL","exitSignalNumber":9}],"results":[]`),
		errs: []string{"2:34: a signal ended the tool", "2:63: a signal ended the tool"}},
	{name: "a conversion", in: sarifRunText(`"conversion":{"tool":{"driver":{"name":"c"}},"invocation":{"executionSuccessful":true}},"results":[]`)},
	{name: "a conversion that failed", in: sarifRunText(`"conversion":{"invocation":{"executionSuccessful":false}},"results":[]`),
		errs: []string{"2:51: the tool says that its run did not succeed"}},
	{name: "invocations in another file", in: sarifRunText(`"externalPropertyFileReferences":{"invocations":[{"location":{"uri":"i"}}]},"results":[]`),
		errs: []string{"2:49: part of the run is kept outside of it"}},
	{name: "a signal that is a string", in: sarifRunText(`"invocations":[{"exitSignalNumber":"9"}],"results":[]`),
		errs: []string{"2:36: exitSignalNumber must be an integer"}},
	{name: "words of a baseline", in: sarifResultText(`{"ruleId":"a","baselineState":"new"},{"ruleId":"a","baselineState":"unchanged"},{"ruleId":"a","baselineState":"updated"},
		{"ruleId":"a","baselineState":"absent"},{"ruleId":"a","baselineState":null}`)},
	{name: "an unknown word of a baseline", in: sarifResultText(`{"ruleId":"a","baselineState":"Absent"}`), errs: []string{"2:42: baselineState must be one of"}},
	{name: "a success that is a string", in: sarifRunText(`"invocations":[{"executionSuccessful":"false"}],"results":[]`),
		errs: []string{"2:39: executionSuccessful must be true or false"}},
	{name: "a success that is null", in: sarifRunText(`"invocations":[{"executionSuccessful":null}],"results":[]`),
		errs: []string{"2:39: executionSuccessful must be true or false"}},
	{name: "results in another file", in: sarifRunText(`"externalPropertyFileReferences":{"results":[{"location":{"uri":"r.sarif-external-properties"}}]},"results":[]`),
		errs: []string{"2:45: part of the run is kept outside of it"}},
	{name: "results beside the run", in: `{"version":"2.1.0","runs":[],"inlineExternalProperties":[{"results":[]}]}`,
		errs: []string{"1:57: part of the run is kept outside of it"}},

	{name: "ways to name a rule", in: sarifResultText(`{"ruleId":"a"},{"ruleIndex":0},{"rule":{"id":"a"}},{"rule":{"index":2}},{"ruleId":"a","ruleIndex":0,"rule":{"id":"a","index":0}},
		{"ruleId":"a","ruleIndex":-1},{"ruleId":"b/c/1","ruleIndex":1},{"ruleId":"other"}`)},
	{name: "ways to name an extension's rule", in: sarifResultText(`{"ruleId":"x"},{"rule":{"index":0,"toolComponent":{"index":0}}},
		{"ruleId":"x","rule":{"toolComponent":{"guid":"g"}}},{"ruleId":"x","rule":{"toolComponent":{"name":"e"}}},{"ruleId":"a","rule":{"toolComponent":{"name":"t"}}}`)},
	{name: "every kind", in: sarifResultText(`{"ruleId":"a","kind":"fail"},{"ruleId":"a","kind":"pass"},{"ruleId":"a","kind":"open"},
		{"ruleId":"a","kind":"review"},{"ruleId":"a","kind":"informational"},{"ruleId":"a","kind":"notApplicable"}`)},
	{name: "a result without rule", in: sarifResultText(`{"message":{"text":"m"}}`), errs: []string{"2:12: the result does not say which rule"}},
	{name: "a result with rule -1", in: sarifResultText(`{"ruleIndex":-1}`), errs: []string{"2:12: the result does not say which rule"}},
	{name: "a result that is null", in: sarifResultText(`null`), errs: []string{"2:12: each of results must be an object", "2:12: the result does not say"}},
	{name: "ruleId is null", in: sarifResultText(`{"ruleId":null}`), errs: []string{"2:22: ruleId must be a string"}},
	{name: "ruleId is blank", in: sarifResultText(`{"ruleId":""}`), errs: []string{"2:22: ruleId must be a string"}},
	{name: "a foreign ruleId", in: sarifResultText(`{"ruleId":"closeout/a"}`), errs: []string{"2:22: foreign closeout/ id"}},
	{name: "a ruleId of 257 bytes", in: sarifResultText(`{"ruleId":"a/` + strings.Repeat("i", 255) + `","ruleIndex":0}`), errs: []string{"2:22: the rule's id has 257 bytes"}},
	{name: "ruleIndex out of range", in: sarifResultText(`{"ruleId":"a","ruleIndex":3}`), errs: []string{"2:38: the run lists no rule with this index"}, lax: true},
	{name: "ruleIndex is -2", in: sarifResultText(`{"ruleId":"a","ruleIndex":-2}`), errs: []string{"2:38: ruleIndex must be an integer"}},
	{name: "ruleIndex of another rule", in: sarifResultText(`{"ruleId":"a","ruleIndex":1}`), errs: []string{"2:22: ruleId and ruleIndex name two rules"}, lax: true},
	{name: "ruleIndex of a rule with the same beginning", in: sarifResultText(`{"ruleId":"ab","ruleIndex":0}`),
		errs: []string{"2:22: ruleId and ruleIndex name two rules"}, lax: true},
	{name: "ruleId and rule.id differ", in: sarifResultText(`{"ruleId":"a","rule":{"id":"d"}}`), errs: []string{"2:39: the result names two rules"}, lax: true},
	{name: "ruleIndex and rule.index differ", in: sarifResultText(`{"ruleIndex":0,"rule":{"index":1}}`), errs: []string{"2:43: the result names two rules"}, lax: true},
	{name: "an extension that is not there", in: sarifResultText(`{"ruleId":"x","rule":{"toolComponent":{"index":1}}}`),
		errs: []string{"2:50: the result names a component"}, lax: true},
	{name: "an extension's rule that is not there", in: sarifResultText(`{"rule":{"index":1,"toolComponent":{"index":0}}}`),
		errs: []string{"2:29: the run lists no rule with this index"}, lax: true},
	{name: "kind in another case", in: sarifResultText(`{"ruleId":"a","kind":"Pass"}`), errs: []string{"2:33: kind must be one of"}},
	{name: "kind is null", in: sarifResultText(`{"ruleId":"a","kind":null}`), errs: []string{"2:33: kind must be one of"}},
	{name: "level unknown", in: sarifResultText(`{"ruleId":"a","level":"info"}`), errs: []string{"2:34: level must be one of"}},
	{name: "level is null", in: sarifResultText(`{"ruleId":"a","level":null}`), errs: []string{"2:34: level must be one of"}},
	{name: "startLine zero", in: sarifResultText(`{"ruleId":"a","locations":[{"physicalLocation":{"artifactLocation":{"uri":"f"},"region":{"startLine":0}}}]}`),
		errs: []string{"2:113: startLine must be an integer"}},
	{name: "message is a string", in: sarifResultText(`{"ruleId":"a","message":"m"}`), errs: []string{"2:36: message must be an object"}},
	{name: "uri is a number", in: sarifResultText(`{"ruleId":"a","locations":[{"physicalLocation":{"artifactLocation":{"uri":1}}}]}`), errs: []string{"2:86: uri must be a string"}},
}

func TestParseSARIFCases(t *testing.T) {
	s := compileSchema(t, "rule_report")
	for _, c := range sarifCases {
		t.Run(c.name, func(t *testing.T) {
			_, errs := ParseRules([]byte(c.in), DefaultLimits())
			checkErrors(t, errs, c.errs)
			checkPlaces(t, []byte(c.in), errs)
			checkSchema(t, s, c)
		})
	}
}

// rulesOf gives the rows of a SARIF text without their places.
func rulesOf(t *testing.T, text string) []RuleRow {
	t.Helper()
	report, errs := ParseRules([]byte(text), DefaultLimits())
	checkErrors(t, errs, nil)
	if report == nil || report.Shape != ShapeSARIF {
		t.Fatalf("report %+v", report)
	}
	for i := range report.Rows {
		report.Rows[i].Pos = source.Pos{}
	}
	return report.Rows
}

func TestParseSARIFSamples(t *testing.T) {
	passed := func(id string, severity Severity) RuleRow { return RuleRow{ID: id, Severity: severity, Passed: true} }
	for name, want := range map[string][]RuleRow{
		"golangci-lint": {
			{ID: "errcheck", Severity: Block, Detail: "Error return value of `f.Close` is not checked", File: "store/disk.go", Line: 41,
				FailedIn: []string{"cmd/tool/main.go", "store/disk.go"}},
			{ID: "revive", Severity: Warn, Detail: "exported: exported function Open should have comment or be unexported", File: "store/open.go", Line: 12,
				FailedIn: []string{"store/open.go"}},
		},
		"codeql": {
			{ID: "js/sql-injection", Severity: Block, Detail: "This query string depends on a [user-provided value](1).", File: "src/db.js", Line: 30,
				FailedIn: []string{"src/db.js"}},
			{ID: "js/unused-local-variable", Severity: Info, Detail: "Unused variable rows.", File: "src/db.js", Line: 3, FailedIn: []string{"src/db.js"}},
			passed("js/missing-await", Warn),
		},
		"codeql-packs": {
			{ID: "go/path-injection", Severity: Block, Detail: "This path depends on a user-provided value.", File: "serve.go", Line: 9,
				FailedIn: []string{"", "serve.go"}},
			{ID: "go/redundant-assignment", Severity: Info, Detail: "This statement assigns an expression to itself.", FailedIn: []string{""}},
		},
		"eslint": {
			{ID: "no-unused-vars", Severity: Block, Detail: "'x' is assigned a value but never used.", File: "file:///home/dev/app/src/a.js", Line: 1,
				FailedIn: []string{"file:///home/dev/app/src/a.js"}},
			{ID: "no-undef", Severity: Block, Detail: "'y' is not defined.", File: "file:///home/dev/app/src/a.js", Line: 2,
				FailedIn: []string{"file:///home/dev/app/src/a.js"}},
		},
		"roslyn": {
			{ID: "CA1000", Severity: Block, File: "src/my box.cs", Line: 4, FailedIn: []string{"", "src/my box.cs"}},
			passed("CA2000", Warn),
			{ID: "CA3000", Severity: Info, Detail: "of no weight", FailedIn: []string{""}},
			passed("CA4000", Block),
		},
		"scanners": {
			{ID: "aws-key", Severity: Block, Detail: "AWS key", File: "b.env", Line: 2, FailedIn: []string{"a.env", "b.env"}},
			passed("aws-key", Warn),
			passed("no-agpl", Warn),
		},
		"clean": {passed("no-todo", Warn)},
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
			checkSchema(t, compileSchema(t, "rule_report"), readCase{in: string(text)})
		})
	}
}

func TestParseSARIFFailedSample(t *testing.T) {
	text, err := os.ReadFile("testdata/sarif/eslint-failed.sarif")
	if err != nil {
		t.Fatal(err)
	}
	_, errs := ParseRules(text, DefaultLimits())
	checkErrors(t, errs, []string{"10:56: the tool reports an error of its run: Parsing error", "12:34: the tool says that its run did not succeed"})
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
	if want := []RuleRow{{ID: "a", Severity: Block, Passed: true}}; !reflect.DeepEqual(rows, want) {
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

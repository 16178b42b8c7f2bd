package evidence

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify/source"
)

var ruleCases = []readCase{
	// rows
	{name: "a passed row", in: `[{"slug":"done/tests-pass","passed":true}]`},
	{name: "every key", in: `[{"id":"a","category":"c","severity":"warn","passed":false,"detail":"d","file":"f","line":1,"x-note":[1]}]`},
	{name: "nulls", in: `[{"id":"a","category":null,"passed":true,"detail":null,"file":null,"line":null}]`},
	{name: "blank detail and category", in: `[{"id":"a","category":"","passed":true,"detail":" "}]`},
	{name: "rows under rules", in: `{"rules":[{"slug":"a","passed":true}],"x-tool":"t"}`},
	{name: "no rows", in: `[]`},
	{name: "no rows under rules", in: `{"rules":[]}`},
	{name: "an id of 256 bytes", in: `[{"id":"` + strings.Repeat("i", 256) + `","passed":true}]`},
	{name: "an id that only looks like ours", in: `[{"id":"closeout","passed":true},{"id":"x/closeout/a","passed":true}]`},
	{name: "the six severities", in: `{"rules":[{"id":"a","severity":"block","passed":true},{"id":"b","severity":"error","passed":true},
		{"id":"c","severity":"warn","passed":true},{"id":"d","severity":"warning","passed":true},
		{"id":"e","severity":"info","passed":true},{"id":"f","severity":"note","passed":true}]}`},
	{name: "passed is a string", in: `[{"slug":"a","passed":"false"}]`, errs: []string{"1:23: passed must be true or false"}},
	{name: "passed is a number", in: `[{"slug":"a","passed":0}]`, errs: []string{"1:23: passed must be true or false"}},
	{name: "passed is null", in: `[{"slug":"a","passed":null}]`, errs: []string{"1:23: passed must be true or false"}},
	{name: "passed is missing", in: `[{"slug":"a"}]`, errs: []string{`1:2: the key "passed" is missing`}},
	{name: "passed in another case", in: `[{"slug":"a","Passed":true}]`,
		errs: []string{`1:2: the key "passed" is missing`, `1:14: the key "Passed" is unknown`}},
	{name: "passed twice", in: `[{"slug":"a","passed":false,"p\u0061ssed":true}]`, errs: []string{`1:29: the key "passed" stands twice`}, lax: true},
	{name: "slug and id", in: `[{"slug":"a","id":"a","passed":true}]`, errs: []string{`1:19: a row has "slug" or "id", not both`}},
	{name: "neither slug nor id", in: `[{"passed":true}]`, errs: []string{`1:2: the key "slug" is missing`}},
	{name: "a blank slug", in: `[{"slug":" ","passed":true}]`, errs: []string{"1:10: slug must be a string that is not blank"}},
	{name: "id is null", in: `[{"id":null,"passed":true}]`, errs: []string{"1:8: id must be a string"}},
	{name: "id is a number", in: `[{"id":7,"passed":true}]`, errs: []string{"1:8: id must be a string"}},
	{name: "an id of 257 bytes", in: `[{"id":"` + strings.Repeat("i", 257) + `","passed":true}]`, errs: []string{"1:8: the rule's id has 257 bytes"}},
	{name: "a foreign id of ours", in: `[{"id":"closeout/skipped-test","passed":true}]`, errs: []string{"1:8: foreign closeout/ id"}},
	{name: "severity is null", in: `[{"id":"a","severity":null,"passed":true}]`, errs: []string{"1:23: severity must be one of block, error"}},
	{name: "severity in another case", in: `[{"id":"a","severity":"Block","passed":true}]`, errs: []string{"1:23: severity must be one of"}},
	{name: "severity unknown", in: `[{"id":"a","severity":"unknown","passed":true}]`, errs: []string{"1:23: severity must be one of"}},
	{name: "line zero", in: `[{"id":"a","passed":true,"line":0}]`, errs: []string{"1:33: line must be an integer from 1"}},
	{name: "line with a fraction", in: `[{"id":"a","passed":true,"line":1.0}]`, errs: []string{"1:33: line must be an integer"}, lax: true},
	{name: "line is a string", in: `[{"id":"a","passed":true,"line":"1"}]`, errs: []string{"1:33: line must be an integer"}},
	{name: "a blank file", in: `[{"id":"a","passed":true,"file":""}]`, errs: []string{"1:33: file must be a string that is not blank"}},
	{name: "detail is a list", in: `[{"id":"a","passed":true,"detail":["x"]}]`, errs: []string{"1:35: detail must be a string"}},
	{name: "category is a number", in: `[{"id":"a","passed":true,"category":1}]`, errs: []string{"1:37: category must be a string"}},
	{name: "an unknown key", in: `[{"id":"a","passed":true,"pased":true}]`, errs: []string{`1:26: the key "pased" is unknown`}},
	{name: "an unknown key beside rules", in: `{"rules":[],"total":0}`, errs: []string{`1:13: the key "total" is unknown`}},
	{name: "a row that is a string", in: `["a"]`, errs: []string{"1:2: a row must be an object"}},
	{name: "a row that is null", in: `{"rules":[null]}`, errs: []string{"1:11: a row must be an object"}},
	{name: "rules is null", in: `{"rules":null}`, errs: []string{"1:10: rules must be a list"}},
	{name: "every error is listed", in: "[\n {\"passed\":1},\n {\"id\":\"b\",\"passed\":true},\n {\"id\":\"\",\"passed\":2}\n]",
		errs: []string{`2:2: the key "slug" is missing`, "2:12: passed must be", "4:8: id must be", "4:20: passed must be"}},

	// failure lists
	{name: "both lists empty", in: `{"block_failures":[],"warn_failures":[]}`},
	{name: "failures", in: `{"block_failures":["a"],"warn_failures":["b","c"],"x-n":1}`},
	{name: "one list only", in: `{"block_failures":[]}`, errs: []string{`1:1: the key "warn_failures" is missing`}},
	{name: "the other list only", in: `{"warn_failures":[]}`, errs: []string{`1:1: the key "block_failures" is missing`}},
	{name: "a list is null", in: `{"block_failures":null,"warn_failures":[]}`, errs: []string{"1:19: block_failures must be a list"}},
	{name: "a failure that is a row", in: `{"block_failures":[{"slug":"a"}],"warn_failures":[""]}`,
		errs: []string{"1:20: 0 must be a string that is not blank", "1:51: 0 must be a string that is not blank"}},
	{name: "a foreign id in a list", in: `{"block_failures":[],"warn_failures":["closeout/a"]}`, errs: []string{"1:39: foreign closeout/ id"}},
	{name: "an unknown key beside the lists", in: `{"block_failures":[],"warn_failures":[],"info_failures":["a"]}`,
		errs: []string{`1:41: the key "info_failures" is unknown`}},

	// two shapes at once
	{name: "rows and failures", in: `{"rules":[],"block_failures":["a"],"warn_failures":[]}`,
		errs: []string{`1:13: the key "block_failures" is unknown`, `1:36: the key "warn_failures" is unknown`}},
	{name: "rows and runs", in: `{"version":"2.1.0","runs":[],"rules":[]}`,
		errs: []string{`1:2: the key "version" is unknown`, `1:20: the key "runs" is unknown`}},
	{name: "runs and failures", in: `{"version":"2.1.0","runs":[],"block_failures":[],"warn_failures":[]}`,
		errs: []string{`1:2: the key "version" is unknown`, `1:20: the key "runs" is unknown`}},

	// no shape
	{name: "nothing", in: ``, errs: []string{"1:1: the text ends before the value does"}},
	{name: "an empty object", in: `{}`, errs: []string{"1:1: this is no rule report"}},
	{name: "null", in: `null`, errs: []string{"1:1: this is no rule report"}},
	{name: "true", in: `true`, errs: []string{"1:1: this is no rule report"}},
	{name: "a row without a list", in: `{"slug":"a","passed":true}`, errs: []string{"1:1: this is no rule report"}},
	{name: "two values", in: `[][]`, errs: []string{"1:3: something follows the value"}},
	{name: "a byte order mark", in: "\ufeff[]", errs: []string{"1:1: this is not valid JSON"}},
	{name: "invalid UTF-8", in: "[{\"id\":\"\xff\",\"passed\":true}]", errs: []string{"1:9: this is not valid JSON"}, lax: true},
	{name: "not JSON", in: `[{"id":"a",passed:true}]`, errs: []string{"1:12: this is not valid JSON"}},
	{name: "rows under other keys", // the shape of lineage L33: a demonstration, not a report
		in:   `{"bad":[{"slug":"a","passed":false}],"good":[{"slug":"a","passed":true}],"trace_bad":{},"trace_good":{}}`,
		errs: []string{"1:1: this is no rule report"}},
}

func TestParseRulesCases(t *testing.T) {
	s := compileSchema(t, "rule_report")
	for _, c := range ruleCases {
		t.Run(c.name, func(t *testing.T) {
			_, errs := ParseRules([]byte(c.in), DefaultLimits())
			checkErrors(t, errs, c.errs)
			checkPlaces(t, []byte(c.in), errs)
			checkSchema(t, s, c)
		})
	}
}

func TestParseRulesValues(t *testing.T) {
	at := func(column int) source.Pos { return source.Pos{Line: 1, Column: column} }
	long := strings.Repeat("ä", 251) // 502 bytes
	for _, c := range []struct {
		name, in string
		want     RuleReport
	}{
		{"rows", `[{"slug":"a","category":"c","severity":"warning","passed":false,"detail":"` + long + `","file":"f.go","line":7},{"id":"b","passed":true}]`,
			RuleReport{Shape: ShapeRows, Rows: []RuleRow{
				{Pos: at(2), ID: "a", Category: "c", Severity: Warn, Detail: strings.Repeat("ä", 250) + "…", File: "f.go", Line: 7, FailedIn: []string{"f.go"}},
				{Pos: at(603), ID: "b", Passed: true},
			}}},
		{"a failed row without a file", `{"rules":[{"id":"b","passed":false,"severity":"error"}]}`,
			RuleReport{Shape: ShapeRows, Rows: []RuleRow{{Pos: at(11), ID: "b", Severity: Block, FailedIn: []string{""}}}}},
		{"lists", `{"warn_failures":["w"],"block_failures":["b"]}`,
			RuleReport{Shape: ShapeLists, Rows: []RuleRow{
				{Pos: at(42), ID: "b", Severity: Block, FailedIn: []string{""}},
				{Pos: at(19), ID: "w", Severity: Warn, FailedIn: []string{""}},
			}}},
		{"no failures", `{"warn_failures":[],"block_failures":[]}`, RuleReport{Shape: ShapeLists}},
		{"no rows", `[]`, RuleReport{Shape: ShapeRows}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, errs := ParseRules([]byte(c.in), DefaultLimits())
			checkErrors(t, errs, nil)
			if !reflect.DeepEqual(*got, c.want) {
				t.Errorf("got  %+v\nwant %+v", *got, c.want)
			}
		})
	}
}

// The error for a value of no shape says what to do about it.
func TestParseRulesNoShape(t *testing.T) {
	for _, c := range []struct{ in, found, fix string }{
		{`{"bad":[],"good":[{"slug":"a","passed":true}],"c":1,"d":1,"e":1,"f":1,"g":1}`,
			`an object with the keys "bad", "good", "c", "d", "e", and 2 more`, `rows under "good" are not read`},
		{`{"slug":"a","passed":true}`, `an object with the keys "slug", "passed"`, "put the row into a list"},
		{`{"findings":[]}`, `an object with the key "findings"`, "write one of these shapes"},
		{`"[]"`, `the string "[]"`, "write one of these shapes"},
	} {
		report, errs := ParseRules([]byte(c.in), DefaultLimits())
		all := errs.All()
		if report != nil || len(all) != 1 || all[0].Found != c.found || !strings.HasPrefix(all[0].Fix, c.fix) {
			t.Errorf("%s: report %v, errors %+v", c.in, report, all)
		}
	}
}

func TestParseRulesLimits(t *testing.T) {
	text := []byte(`[{"id":"a","passed":true}]`)
	if _, errs := ParseRules(text, tightLimits(int64(len(text)), 2)); errs.Any() {
		t.Errorf("at the limits: %v", errs.All())
	}
	report, errs := ParseRules(text, tightLimits(int64(len(text))-1, 2))
	checkLimit(t, errs, report == nil, FlagRulesBytes)
	report, errs = ParseRules(text, tightLimits(100, 1))
	checkLimit(t, errs, report == nil, FlagDepth)
}

func FuzzParseRules(f *testing.F) {
	for _, c := range append(ruleCases, sarifCases...) {
		f.Add([]byte(c.in))
	}
	samples, err := filepath.Glob("testdata/sarif/*.sarif")
	if err != nil || len(samples) == 0 {
		f.Fatal("no samples", err)
	}
	for _, name := range samples {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	s := compileSchema(f, "rule_report")
	f.Fuzz(func(t *testing.T, data []byte) {
		report, errs := ParseRules(data, tightLimits(1<<16, 20))
		checkPlaces(t, data, errs)
		if errs.Any() {
			return
		}
		if err := validate(s, data); err != nil {
			t.Errorf("accepted, but the schema says: %v", err)
		}
		for _, row := range report.Rows {
			checkRow(t, row)
		}
	})
}

// checkRow holds what every row of an accepted report has.
func checkRow(t *testing.T, row RuleRow) {
	t.Helper()
	switch {
	case strings.TrimSpace(row.ID) == "" || len(row.ID) > maxReportedRuleID || strings.HasPrefix(row.ID, reservedRulePrefix):
		t.Errorf("id %q", row.ID)
	case row.Pos.IsZero():
		t.Error("no place")
	case row.Passed != (len(row.FailedIn) == 0):
		t.Errorf("passed %v, failed in %q", row.Passed, row.FailedIn)
	case len(row.Detail) > maxReportedRuleDetail+len("…"):
		t.Errorf("a detail of %d bytes", len(row.Detail))
	}
}

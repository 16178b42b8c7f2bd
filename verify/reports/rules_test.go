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

var ruleCases = []stricttest.ReadCase{
	// rows
	{Name: "a passed row", In: `[{"slug":"done/tests-pass","passed":true}]`},
	{Name: "every key", In: `[{"id":"a","category":"c","severity":"warn","passed":false,"detail":"d","file":"f","line":1,"x-note":[1]}]`},
	{Name: "nulls", In: `[{"id":"a","category":null,"passed":true,"detail":null,"file":null,"line":null}]`},
	{Name: "blank detail and category", In: `[{"id":"a","category":"","passed":true,"detail":" "}]`},
	{Name: "rows under rules", In: `{"rules":[{"slug":"a","passed":true}],"x-tool":"t"}`},
	{Name: "no rows", In: `[]`},
	{Name: "no rows under rules", In: `{"rules":[]}`},
	{Name: "an id of 256 bytes", In: `[{"id":"` + strings.Repeat("i", 256) + `","passed":true}]`},
	{Name: "an id that only looks like ours", In: `[{"id":"closeout","passed":true},{"id":"x/closeout/a","passed":true}]`},
	{Name: "the six severities", In: `{"rules":[{"id":"a","severity":"block","passed":true},{"id":"b","severity":"error","passed":true},
		{"id":"c","severity":"warn","passed":true},{"id":"d","severity":"warning","passed":true},
		{"id":"e","severity":"info","passed":true},{"id":"f","severity":"note","passed":true}]}`},
	{Name: "passed is a string", In: `[{"slug":"a","passed":"false"}]`, Errs: []string{"1:23: passed must be true or false"}},
	{Name: "passed is a number", In: `[{"slug":"a","passed":0}]`, Errs: []string{"1:23: passed must be true or false"}},
	{Name: "passed is null", In: `[{"slug":"a","passed":null}]`, Errs: []string{"1:23: passed must be true or false"}},
	{Name: "passed is missing", In: `[{"slug":"a"}]`, Errs: []string{`1:2: the key "passed" is missing`}},
	{Name: "passed in another case", In: `[{"slug":"a","Passed":true}]`,
		Errs: []string{`1:2: the key "passed" is missing`, `1:14: the key "Passed" is unknown`}},
	{Name: "passed twice", In: `[{"slug":"a","passed":false,"p\u0061ssed":true}]`, Errs: []string{`1:29: the key "passed" occurs twice`}, Lax: true},
	{Name: "slug and id", In: `[{"slug":"a","id":"a","passed":true}]`, Errs: []string{`1:19: a row has "slug" or "id", not both`}},
	{Name: "neither slug nor id", In: `[{"passed":true}]`, Errs: []string{`1:2: the key "slug" is missing`}},
	{Name: "a blank slug", In: `[{"slug":" ","passed":true}]`, Errs: []string{"1:10: slug must be a string that is not blank"}},
	{Name: "id is null", In: `[{"id":null,"passed":true}]`, Errs: []string{"1:8: id must be a string"}},
	{Name: "id is a number", In: `[{"id":7,"passed":true}]`, Errs: []string{"1:8: id must be a string"}},
	{Name: "an id of 257 bytes", In: `[{"id":"` + strings.Repeat("i", 257) + `","passed":true}]`, Errs: []string{"1:8: the id of the rule has 257 bytes"}},
	{Name: "a foreign id of ours", In: `[{"id":"closeout/test-skipped","passed":true}]`, Errs: []string{"1:8: foreign closeout/ id"}},
	{Name: "severity is null", In: `[{"id":"a","severity":null,"passed":true}]`, Errs: []string{"1:23: severity must be one of block, error"}},
	{Name: "severity in another case", In: `[{"id":"a","severity":"Block","passed":true}]`, Errs: []string{"1:23: severity must be one of"}},
	{Name: "severity unknown", In: `[{"id":"a","severity":"unknown","passed":true}]`, Errs: []string{"1:23: severity must be one of"}},
	{Name: "line zero", In: `[{"id":"a","passed":true,"line":0}]`, Errs: []string{"1:33: line must be an integer from 1"}},
	{Name: "line with a fraction", In: `[{"id":"a","passed":true,"line":1.0}]`, Errs: []string{"1:33: line must be an integer"}, Lax: true},
	{Name: "line is a string", In: `[{"id":"a","passed":true,"line":"1"}]`, Errs: []string{"1:33: line must be an integer"}},
	{Name: "a blank file", In: `[{"id":"a","passed":true,"file":""}]`, Errs: []string{"1:33: file must be a string that is not blank"}},
	{Name: "detail is a list", In: `[{"id":"a","passed":true,"detail":["x"]}]`, Errs: []string{"1:35: detail must be a string"}},
	{Name: "category is a number", In: `[{"id":"a","passed":true,"category":1}]`, Errs: []string{"1:37: category must be a string"}},
	{Name: "an unknown key", In: `[{"id":"a","passed":true,"pased":true}]`, Errs: []string{`1:26: the key "pased" is unknown`}},
	{Name: "an unknown key beside rules", In: `{"rules":[],"total":0}`, Errs: []string{`1:13: the key "total" is unknown`}},
	{Name: "a row that is a string", In: `["a"]`, Errs: []string{"1:2: a row must be an object"}},
	{Name: "a row that is null", In: `{"rules":[null]}`, Errs: []string{"1:11: a row must be an object"}},
	{Name: "rules is null", In: `{"rules":null}`, Errs: []string{"1:10: rules must be a list"}},
	{Name: "every error is listed", In: "[\n {\"passed\":1},\n {\"id\":\"b\",\"passed\":true},\n {\"id\":\"\",\"passed\":2}\n]",
		Errs: []string{`2:2: the key "slug" is missing`, "2:12: passed must be", "4:8: id must be", "4:20: passed must be"}},

	// failure lists
	{Name: "both lists empty", In: `{"block_failures":[],"warn_failures":[]}`},
	{Name: "failures", In: `{"block_failures":["a"],"warn_failures":["b","c"],"x-n":1}`},
	{Name: "one list only", In: `{"block_failures":[]}`, Errs: []string{`1:1: the key "warn_failures" is missing`}},
	{Name: "the other list only", In: `{"warn_failures":[]}`, Errs: []string{`1:1: the key "block_failures" is missing`}},
	{Name: "a list is null", In: `{"block_failures":null,"warn_failures":[]}`, Errs: []string{"1:19: block_failures must be a list"}},
	{Name: "a failure that is a row", In: `{"block_failures":[{"slug":"a"}],"warn_failures":[""]}`,
		Errs: []string{"1:20: an item of \"block_failures\" must be a string that is not blank", "1:51: an item of \"warn_failures\" must be a string that is not blank"}},
	{Name: "a foreign id in a list", In: `{"block_failures":[],"warn_failures":["closeout/a"]}`, Errs: []string{"1:39: foreign closeout/ id"}},
	{Name: "an unknown key beside the lists", In: `{"block_failures":[],"warn_failures":[],"info_failures":["a"]}`,
		Errs: []string{`1:41: the key "info_failures" is unknown`}},

	// two shapes at once
	{Name: "rows and failures", In: `{"rules":[],"block_failures":["a"],"warn_failures":[]}`,
		Errs: []string{`1:13: the key "block_failures" is unknown`, `1:36: the key "warn_failures" is unknown`}},
	{Name: "rows and runs", In: `{"version":"2.1.0","runs":[],"rules":[]}`,
		Errs: []string{`1:2: the key "version" is unknown`, `1:20: the key "runs" is unknown`}},
	{Name: "runs and failures", In: `{"version":"2.1.0","runs":[],"block_failures":[],"warn_failures":[]}`,
		Errs: []string{`1:2: the key "version" is unknown`, `1:20: the key "runs" is unknown`}},

	// no shape
	{Name: "nothing", In: ``, Errs: []string{"1:1: the file is empty"}},
	{Name: "an empty object", In: `{}`, Errs: []string{"1:1: this is not a rule report"}},
	{Name: "null", In: `null`, Errs: []string{"1:1: this is not a rule report"}},
	{Name: "true", In: `true`, Errs: []string{"1:1: this is not a rule report"}},
	{Name: "a row without a list", In: `{"slug":"a","passed":true}`, Errs: []string{"1:1: this is not a rule report"}},
	{Name: "two values", In: `[][]`, Errs: []string{"1:3: something follows the value"}},
	{Name: "a byte order mark", In: "\ufeff[]", Errs: []string{"1:1: the file begins with a byte order mark"}},
	{Name: "invalid UTF-8", In: "[{\"id\":\"\xff\",\"passed\":true}]", Errs: []string{"1:9: this is not valid UTF-8"}, Lax: true},
	{Name: "not JSON", In: `[{"id":"a",passed:true}]`, Errs: []string{"1:12: a key has no quotes"}},
	{Name: "rows under other keys", // the shape of lineage L33: a demonstration, not a report
		In:   `{"bad":[{"slug":"a","passed":false}],"good":[{"slug":"a","passed":true}],"trace_bad":{},"trace_good":{}}`,
		Errs: []string{"1:1: this is not a rule report"}},
}

func TestParseRulesCases(t *testing.T) { stricttest.Cases(t, "rule_report", ruleCases, Parse) }

func TestParseRulesValues(t *testing.T) {
	at := func(column int) input.Pos { return input.Pos{Line: 1, Column: column} }
	long := strings.Repeat("ä", 251) // 502 bytes
	for _, c := range []struct {
		name, in string
		want     Report
	}{
		{"rows", `[{"slug":"a","category":"c","severity":"warning","passed":false,"detail":"` + long + `","file":"f.go","line":7},{"id":"b","passed":true}]`,
			Report{Shape: ShapeRows, Rows: []Row{
				{Pos: at(2), ID: "a", Category: "c", Severity: input.Warn, Detail: strings.Repeat("ä", 250) + "…", File: "f.go", Line: 7, FailedIn: []string{"f.go"}},
				{Pos: at(603), ID: "b", Passed: true},
			}}},
		{"a failed row without a file", `{"rules":[{"id":"b","passed":false,"severity":"error"}]}`,
			Report{Shape: ShapeRows, Rows: []Row{{Pos: at(11), ID: "b", Severity: input.Block, FailedIn: []string{""}}}}},
		{"lists", `{"warn_failures":["w"],"block_failures":["b"]}`,
			Report{Shape: ShapeLists, Rows: []Row{
				{Pos: at(42), ID: "b", Severity: input.Block, FailedIn: []string{""}},
				{Pos: at(19), ID: "w", Severity: input.Warn, FailedIn: []string{""}},
			}}},
		{"no failures", `{"warn_failures":[],"block_failures":[]}`, Report{Shape: ShapeLists}},
		{"no rows", `[]`, Report{Shape: ShapeRows}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, errs := Parse([]byte(c.in), input.DefaultLimits())
			stricttest.CheckErrors(t, errs, nil)
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
		{`{"slug":"a","passed":true}`, `an object with the keys "slug", "passed"`, "write a list, also of one row"},
		{`{"findings":[]}`, `an object with the key "findings"`, "write one of these shapes"},
		{`"[]"`, `the string "[]"`, "write one of these shapes"},
	} {
		report, errs := Parse([]byte(c.in), input.DefaultLimits())
		all := errs.All()
		if report != nil || len(all) != 1 || all[0].Found != c.found || !strings.HasPrefix(all[0].Fix, c.fix) {
			t.Errorf("%s: report %v, errors %+v", c.in, report, all)
		}
	}
}

func TestParseRulesLimits(t *testing.T) { stricttest.Limits(t, `[{"id":"a","passed":true}]`, Parse) }

func FuzzParseRules(f *testing.F) {
	for _, c := range append(ruleCases, sarifCases...) {
		f.Add([]byte(c.In))
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
	s := stricttest.CompileSchema(f, "rule_report")
	f.Fuzz(func(t *testing.T, data []byte) {
		report, errs := Parse(data, stricttest.TightLimits(1<<16, 20))
		stricttest.CheckPlaces(t, data, errs)
		if errs.Any() {
			return
		}
		if err := stricttest.Validate(s, data); err != nil {
			t.Errorf("accepted, but the schema says: %v", err)
		}
		for _, row := range report.Rows {
			checkRow(t, row)
		}
	})
}

// checkRow checks what every row of an accepted report must have.
func checkRow(t *testing.T, row Row) {
	t.Helper()
	switch {
	case strings.TrimSpace(row.ID) == "" || len(row.ID) > maxReportedRuleID || strings.HasPrefix(row.ID, DiffPrefix):
		t.Errorf("id %q", row.ID)
	case row.Pos.IsZero():
		t.Error("no place")
	case row.Passed != (len(row.FailedIn) == 0):
		t.Errorf("passed %v, failed in %q", row.Passed, row.FailedIn)
	case len(row.Detail) > maxReportedRuleDetail+len("…"):
		t.Errorf("a detail of %d bytes", len(row.Detail))
	}
}

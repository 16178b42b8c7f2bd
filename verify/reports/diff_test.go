package reports

import (
	"reflect"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/testkit/stricttest"
	"github.com/closeout-gate/closeout/verify/input"
)

// diffWith is a document with some rows, which begin in column 51.
func diffWith(rows string) string {
	return `{"schema": "closeout.diff_rules/v1", "rules": [   ` + rows + `]}`
}

const failedRow = `{"id":"closeout/a","severity":"block","passed":false,"detail":"d","file":"f"}`

var diffCases = []stricttest.ReadCase{
	{Name: "no rows", In: diffWith(``)},
	{Name: "a rule that passed", In: diffWith(`{"id":"closeout/a","severity":"warn","passed":true}`)},
	{Name: "a rule that failed, with every key", In: diffWith(`{"id":"closeout/a","category":"review","severity":"info","passed":false,
		"detail":"d","file":"f","line":1,"side":"base","was":"w","now":"n","fix":"x","x-note":[1]}`)},
	{Name: "a failed row without a file", In: diffWith(`{"id":"closeout/a","severity":"warn","passed":false,"detail":"d"}`)},
	{Name: "rows in order", In: diffWith(failedRow + `,{"id":"closeout/a","severity":"block","passed":false,"detail":"d","file":"f","line":2},
		{"id":"closeout/a","severity":"block","passed":false,"detail":"d","file":"f","line":1,"side":"base"},{"id":"closeout/b","severity":"warn","passed":true}`)},
	{Name: "languages that no rule reads", In: `{"schema":"closeout.diff_rules/v1","rules":[],"unread_languages":[{"language":"PHP","file":"tests/ATest.php","files":2}]}`},
	{Name: "a language without files", In: `{"schema":"closeout.diff_rules/v1","rules":[],"unread_languages":[{"language":"PHP","file":"a","files":0}]}`,
		Errs: []string{"1:104: files must be an integer from 1"}},
	{Name: "a language that is a string", In: `{"schema":"closeout.diff_rules/v1","rules":[],"unread_languages":["PHP"]}`, Errs: []string{"1:67: a language must be an object"}},
	{Name: "a language without a name", In: `{"schema":"closeout.diff_rules/v1","rules":[],"unread_languages":[{"file":"a"}]}`,
		Errs: []string{`1:67: the key "files" is missing`, `1:67: the key "language" is missing`}},
	{Name: "notes", In: `{"x-a":1,"schema":"closeout.diff_rules/v1","rules":[]}`},

	{Name: "nothing", In: ``, Errs: []string{"1:1: the file is empty"}},
	{Name: "a list", In: `[]`, Errs: []string{"1:1: the whole document must be an object"}},
	{Name: "an empty object", In: `{}`, Errs: []string{`1:1: the key "rules" is missing`, `1:1: the key "schema" is missing`}},
	{Name: "another schema", In: `{"schema":"closeout.diff_rules/v2","rules":[]}`, Errs: []string{"1:11: schema must be one of closeout.diff_rules/v1"}},
	{Name: "no schema", In: `{"rules":[]}`, Errs: []string{`1:1: the key "schema" is missing`}},
	{Name: "rules is null", In: `{"schema":"closeout.diff_rules/v1","rules":null}`, Errs: []string{"1:44: rules must be a list"}},
	{Name: "rules twice", In: `{"schema":"closeout.diff_rules/v1","rules":[],"rules":[]}`, Errs: []string{`1:47: the key "rules" occurs twice`}, Lax: true},
	{Name: "an unknown key", In: `{"schema":"closeout.diff_rules/v1","rules":[],"rows":[]}`, Errs: []string{`1:47: the key "rows" is unknown`}},
	{Name: "a row that is a string", In: diffWith(`"a"`), Errs: []string{"1:51: a row must be an object"}},
	{Name: "an empty row", In: diffWith(`{}`), Errs: []string{`1:51: the key "id" is missing`, `1:51: the key "passed" is missing`, `1:51: the key "severity" is missing`}},
	{Name: "an unknown key of a row", In: diffWith(`{"id":"closeout/a","severity":"warn","passed":true,"slug":"a"}`), Errs: []string{`1:102: the key "slug" is unknown`}},
	{Name: "a foreign id", In: diffWith(`{"id":"a","severity":"warn","passed":true}`), Errs: []string{"1:57: this is not the id of a rule of the gate"}},
	{Name: "an id that is only the prefix", In: diffWith(`{"id":"closeout/","severity":"warn","passed":true}`), Errs: []string{"1:57: this is not the id of a rule of the gate"}},
	{Name: "an id of 257 bytes", In: diffWith(`{"id":"closeout/` + strings.Repeat("i", 248) + `","severity":"warn","passed":true}`), Errs: []string{"1:57: the id of the rule has 257 bytes"}},
	{Name: "a severity of a contract", In: diffWith(`{"id":"closeout/a","severity":"off","passed":true}`), Errs: []string{"1:81: severity must be one of block, warn, info"}},
	{Name: "a severity of a rule report", In: diffWith(`{"id":"closeout/a","severity":"error","passed":true}`), Errs: []string{"1:81: severity must be one of"}},
	{Name: "another category", In: diffWith(`{"id":"closeout/a","category":"x","severity":"warn","passed":true}`), Errs: []string{"1:81: category must be one of review"}},
	{Name: "passed is a string", In: diffWith(`{"id":"closeout/a","severity":"warn","passed":"no"}`), Errs: []string{"1:97: passed must be true or false"}},
	{Name: "a passed row that found something", In: diffWith(`{"id":"closeout/a","severity":"warn","passed":true,"file":"f","line":1}`),
		Errs: []string{`1:109: a row that passed found nothing, so it has no "file"`, `1:120: a row that passed found nothing, so it has no "line"`}},
	{Name: "another side", In: diffWith(`{"id":"closeout/a","severity":"warn","passed":false,"file":"f","side":"head"}`), Errs: []string{"1:121: side must be one of base"}},
	{Name: "a line without a file", In: diffWith(`{"id":"closeout/a","severity":"warn","passed":false,"line":1,"side":"base"}`),
		Errs: []string{`1:110: "line" requires the file`, `1:119: "side" requires the file`}},
	{Name: "line zero", In: diffWith(`{"id":"closeout/a","severity":"warn","passed":false,"file":"f","line":0}`), Errs: []string{"1:121: line must be an integer from 1"}},
	{Name: "blank texts", In: diffWith(`{"id":"closeout/a","severity":"warn","passed":false,"file":"","was":" ","fix":null}`),
		Errs: []string{"1:110: file must be a string that is not blank", "1:119: was must be a string that is not blank", "1:129: fix must be a string"}},
	{Name: "a text of 1001 bytes", In: diffWith(`{"id":"closeout/a","severity":"warn","passed":false,"was":"` + strings.Repeat("w", 1001) + `"}`), Errs: []string{`1:109: "was" has 1001 bytes`}},
	{Name: "rows in another order", In: diffWith(`{"id":"closeout/b","severity":"warn","passed":true},{"id":"closeout/a","severity":"warn","passed":true}`),
		Errs: []string{"1:103: the rows are not sorted"}, Lax: true},
	{Name: "lines in another order", In: diffWith(`{"id":"closeout/a","severity":"warn","passed":false,"file":"f","line":9},{"id":"closeout/a","severity":"warn","passed":false,"file":"f","line":1}`),
		Errs: []string{"1:124: the rows are not sorted"}, Lax: true},
	{Name: "a row twice", In: diffWith(failedRow + "," + failedRow), Errs: []string{"1:129: the row occurs twice"}, Lax: true},
	{Name: "passed twice", In: diffWith(`{"id":"closeout/a","severity":"warn","passed":true},{"id":"closeout/a","severity":"warn","passed":true}`),
		Errs: []string{`1:103: the rule "closeout/a" has more rows than the one that passed`}, Lax: true},
	{Name: "passed and failed", In: diffWith(`{"id":"closeout/a","severity":"block","passed":true},` + failedRow),
		Errs: []string{`1:104: the rule "closeout/a" has more rows than the one that passed`}, Lax: true},
	{Name: "two severities", In: diffWith(failedRow + `,{"id":"closeout/a","category":"review","severity":"warn","passed":false,"file":"g"}`)},
}

func TestParseDiffCases(t *testing.T) { stricttest.Cases(t, "diff_rules", diffCases, ParseDiff) }

func TestParseDiffLimits(t *testing.T) {
	text := `{"schema":"closeout.diff_rules/v1","rules":[]}`
	stricttest.Limits(t, text, ParseDiff)
	limits := input.DefaultLimits()
	limits.Rows = 1
	text = diffWith(`{"id":"closeout/a","severity":"warn","passed":true},{"id":"closeout/b","severity":"warn","passed":true}`)
	d, errs := ParseDiff([]byte(text), limits)
	stricttest.CheckLimit(t, errs, d == nil, input.FlagRows)
}

// What is written can be read, and is written the same again.
func TestMarshalDiff(t *testing.T) {
	long := strings.Repeat("ä", 600)
	d := &Diff{Schema: DiffSchema, Rules: []DiffRow{
		{ID: "closeout/b", Severity: input.Warn, Passed: true},
		{ID: "closeout/a", Severity: input.Block, File: "b<c>.go", Line: 3, Side: SideBase, Was: long, Now: " n\xff\n", Detail: "d", Fix: "f"},
		{ID: "closeout/a", Severity: input.Block, File: "a.go", Line: 3, Detail: "d"},
		{ID: "closeout/a", Severity: input.Block, File: "a.go", Line: 3, Detail: "d"},
	}}
	data, err := d.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"schema": "closeout.diff_rules/v1", "rules": [
{"id":"closeout/a","severity":"block","passed":false,"detail":"d","file":"a.go","line":3},
{"id":"closeout/a","severity":"block","passed":false,"detail":"d","file":"b<c>.go","line":3,"side":"base","was":"LONG…","now":"n�","fix":"f"},
{"id":"closeout/b","severity":"warn","passed":true}
]}
`
	if got := strings.ReplaceAll(string(data), strings.Repeat("ä", 498), "LONG"); got != want {
		t.Errorf("got %s", got)
	}
	again, errs := ParseDiff(data, input.DefaultLimits())
	stricttest.CheckErrors(t, errs, nil)
	twice, err := again.Marshal()
	if err != nil || string(twice) != string(data) || len(again.Failed()) != 2 {
		t.Errorf("%v: %s", err, twice)
	}
	empty, err := (&Diff{}).Marshal()
	if err != nil {
		t.Fatal(err)
	}
	if read, errs := ParseDiff(empty, input.DefaultLimits()); errs.Any() || !reflect.DeepEqual(read.Failed(), []DiffRow{}) && read.Failed() != nil {
		t.Errorf("%v of %s", errs.All(), empty)
	}
}

func FuzzParseDiff(f *testing.F) {
	for _, c := range diffCases {
		f.Add([]byte(c.In))
	}
	s := stricttest.CompileSchema(f, "diff_rules")
	f.Fuzz(func(t *testing.T, data []byte) {
		d, errs := ParseDiff(data, stricttest.TightLimits(1<<16, 20))
		stricttest.CheckPlaces(t, data, errs)
		if errs.Any() {
			return
		}
		if err := stricttest.Validate(s, data); err != nil {
			t.Errorf("accepted, but the schema says %v", err)
		}
		text, err := d.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		again, errs := ParseDiff(text, input.DefaultLimits())
		if errs.Any() || !reflect.DeepEqual(d.sorted(), again.sorted()) {
			t.Errorf("written as %s: %v", text, errs.All())
		}
	})
}

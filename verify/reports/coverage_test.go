package reports

import (
	"testing"

	"github.com/closeout-gate/closeout/internal/testkit/stricttest"
	"github.com/closeout-gate/closeout/verify/input"
)

var coverageCases = []stricttest.ReadCase{
	{Name: "both", In: `{"current":0.84,"previous":0.85}`},
	{Name: "no previous", In: `{"current":0.84}`},
	{Name: "previous is null", In: `{"current":0.84,"previous":null}`},
	{Name: "the ends", In: `{"current":0,"previous":1}`},
	{Name: "notes", In: `{"current":0.5,"x-tool":{"name":"t"}}`},
	{Name: "percent", In: `{"current":62}`, Errs: []string{"1:12: current must be a number from 0 to 1"}},
	{Name: "a little over one", In: `{"current":1.01}`, Errs: []string{"1:12: current must be a number from 0 to 1"}},
	{Name: "negative", In: `{"current":-0.1}`, Errs: []string{"1:12: current must be a number from 0 to 1"}},
	{Name: "a string", In: `{"current":"0.62"}`, Errs: []string{"1:12: current must be a number from 0 to 1"}},
	{Name: "a boolean", In: `{"current":true}`, Errs: []string{"1:12: current must be a number from 0 to 1"}},
	{Name: "null", In: `{"current":null}`, Errs: []string{"1:12: current must be a number from 0 to 1"}},
	{Name: "NaN", In: `{"current":NaN}`, Errs: []string{"1:12: JSON has no NaN"}},
	{Name: "no current", In: `{"previous":0.5}`, Errs: []string{`1:1: the key "current" is missing`}},
	{Name: "previous in percent", In: `{"current":0.5,"previous":50}`, Errs: []string{"1:27: previous must be a number from 0 to 1"}},
	{Name: "current twice", In: `{"current":0.5,"current":0.9}`, Errs: []string{`1:16: the key "current" occurs twice`}, Lax: true},
	{Name: "an unknown key", In: `{"current":0.5,"Previous":0.9}`, Errs: []string{`1:16: the key "Previous" is unknown`}},
	{Name: "a list", In: `[0.5]`, Errs: []string{"1:1: a coverage report must be an object"}},
	{Name: "null instead of a report", In: `null`, Errs: []string{"1:1: a coverage report must be an object"}},
	{Name: "nothing", In: ``, Errs: []string{"1:1: the file is empty"}},
	{Name: "both wrong", In: `{"current":2,"previous":"1"}`, Errs: []string{"1:12: current must", "1:25: previous must"}},
}

func TestParseCoverageCases(t *testing.T) {
	stricttest.Cases(t, "coverage_report", coverageCases, ParseCoverage)
}

func TestParseCoverageValues(t *testing.T) {
	c, errs := ParseCoverage([]byte("{\n \"previous\": 0.85,\n \"current\": 0.625}"), input.DefaultLimits())
	stricttest.CheckErrors(t, errs, nil)
	if c.Current != input.Whole/1000*625 || c.Previous == nil || *c.Previous != input.Whole/100*85 || c.Pos.Line != 3 || c.Pos.Column != 13 {
		t.Errorf("got %+v, previous %v", c, c.Previous)
	}
	c, _ = ParseCoverage([]byte(`{"current":1,"previous":null}`), input.DefaultLimits())
	if c.Current != input.Whole || c.Previous != nil {
		t.Errorf("got %+v", c)
	}
}

func TestParseCoverageLimits(t *testing.T) {
	stricttest.Limits(t, `{"current":0.5,"x-n":{}}`, ParseCoverage)
}

func FuzzParseCoverage(f *testing.F) {
	for _, c := range coverageCases {
		f.Add([]byte(c.In))
	}
	s := stricttest.CompileSchema(f, "coverage_report")
	f.Fuzz(func(t *testing.T, data []byte) {
		c, errs := ParseCoverage(data, stricttest.TightLimits(1<<16, 20))
		stricttest.CheckPlaces(t, data, errs)
		if errs.Any() {
			return
		}
		if err := stricttest.Validate(s, data); err != nil {
			t.Errorf("accepted, but the schema says: %v", err)
		}
		if c.Current < 0 || c.Current > input.Whole {
			t.Errorf("current %d", c.Current)
		}
	})
}

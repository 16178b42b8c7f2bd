package evidence

import "testing"

var coverageCases = []readCase{
	{name: "both", in: `{"current":0.84,"previous":0.85}`},
	{name: "no previous", in: `{"current":0.84}`},
	{name: "previous is null", in: `{"current":0.84,"previous":null}`},
	{name: "the ends", in: `{"current":0,"previous":1}`},
	{name: "notes", in: `{"current":0.5,"x-tool":{"name":"t"}}`},
	{name: "percent", in: `{"current":62}`, errs: []string{"1:12: current must be a number from 0 to 1"}},
	{name: "a little over one", in: `{"current":1.01}`, errs: []string{"1:12: current must be a number from 0 to 1"}},
	{name: "negative", in: `{"current":-0.1}`, errs: []string{"1:12: current must be a number from 0 to 1"}},
	{name: "a string", in: `{"current":"0.62"}`, errs: []string{"1:12: current must be a number from 0 to 1"}},
	{name: "a boolean", in: `{"current":true}`, errs: []string{"1:12: current must be a number from 0 to 1"}},
	{name: "null", in: `{"current":null}`, errs: []string{"1:12: current must be a number from 0 to 1"}},
	{name: "NaN", in: `{"current":NaN}`, errs: []string{"1:12: this is not valid JSON"}},
	{name: "no current", in: `{"previous":0.5}`, errs: []string{`1:1: the key "current" is missing`}},
	{name: "previous in percent", in: `{"current":0.5,"previous":50}`, errs: []string{"1:27: previous must be a number from 0 to 1"}},
	{name: "current twice", in: `{"current":0.5,"current":0.9}`, errs: []string{`1:16: the key "current" stands twice`}, lax: true},
	{name: "an unknown key", in: `{"current":0.5,"Previous":0.9}`, errs: []string{`1:16: the key "Previous" is unknown`}},
	{name: "a list", in: `[0.5]`, errs: []string{"1:1: a coverage report must be an object"}},
	{name: "null instead of a report", in: `null`, errs: []string{"1:1: a coverage report must be an object"}},
	{name: "nothing", in: ``, errs: []string{"1:1: the text ends before the value does"}},
	{name: "both wrong", in: `{"current":2,"previous":"1"}`, errs: []string{"1:12: current must", "1:25: previous must"}},
}

func TestParseCoverageCases(t *testing.T) {
	s := compileSchema(t, "coverage_report")
	for _, c := range coverageCases {
		t.Run(c.name, func(t *testing.T) {
			_, errs := ParseCoverage([]byte(c.in), DefaultLimits())
			checkErrors(t, errs, c.errs)
			checkPlaces(t, []byte(c.in), errs)
			checkSchema(t, s, c)
		})
	}
}

func TestParseCoverageValues(t *testing.T) {
	c, errs := ParseCoverage([]byte("{\n \"previous\": 0.85,\n \"current\": 0.625}"), DefaultLimits())
	checkErrors(t, errs, nil)
	if c.Current != Whole/1000*625 || c.Previous == nil || *c.Previous != Whole/100*85 || c.Pos.Line != 3 || c.Pos.Column != 13 {
		t.Errorf("got %+v, previous %v", c, c.Previous)
	}
	c, _ = ParseCoverage([]byte(`{"current":1,"previous":null}`), DefaultLimits())
	if c.Current != Whole || c.Previous != nil {
		t.Errorf("got %+v", c)
	}
}

func TestParseCoverageLimits(t *testing.T) {
	text := []byte(`{"current":0.5,"x-n":{}}`)
	if _, errs := ParseCoverage(text, tightLimits(int64(len(text)), 2)); errs.Any() {
		t.Errorf("at the limits: %v", errs.All())
	}
	c, errs := ParseCoverage(text, tightLimits(int64(len(text))-1, 2))
	checkLimit(t, errs, c == nil, FlagRulesBytes)
	c, errs = ParseCoverage(text, tightLimits(1000, 1))
	checkLimit(t, errs, c == nil, FlagDepth)
}

func FuzzParseCoverage(f *testing.F) {
	for _, c := range coverageCases {
		f.Add([]byte(c.in))
	}
	s := compileSchema(f, "coverage_report")
	f.Fuzz(func(t *testing.T, data []byte) {
		c, errs := ParseCoverage(data, tightLimits(1<<16, 20))
		checkPlaces(t, data, errs)
		if errs.Any() {
			return
		}
		if err := validate(s, data); err != nil {
			t.Errorf("accepted, but the schema says: %v", err)
		}
		if c.Current < 0 || c.Current > Whole {
			t.Errorf("current %d", c.Current)
		}
	})
}

package report_test

import (
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify/report"
)

func TestFirstDifference(t *testing.T) {
	long := `"` + strings.Repeat("x", 200) + `"`
	for _, c := range []struct{ a, b, want string }{
		{`{"a":1}`, `{"a":1}`, ""},
		{`{"a":1}`, `{"a":2}`, "a: 1 and 2"},
		{`{"a":{"b":[1,{"c":"x"}]}}`, `{"a":{"b":[1,{"c":"y"}]}}`, `a.b[1].c: "x" and "y"`},
		{`{"a":[1]}`, `{"a":[1,2]}`, "a[1]: nothing and 2"},
		{`{"a":[1,{}],"b":1}`, `{"a":[1],"b":1}`, "a[1]: an object and nothing"},
		{`{"a":[]}`, `{"a":[[]]}`, "a[0]: nothing and a list"},
		{`{"a":1,"c":3}`, `{"a":1,"b":2,"c":3}`, "b: nothing and 2"},
		{`{"a":1,"b":2,"c":3}`, `{"a":1,"c":3}`, "b: 2 and nothing"},
		{`{"a":1}`, `{"a":1,"b":null}`, "b: nothing and null"},
		{`{"a":{"x":1}}`, `{"a":{}}`, "a.x: 1 and nothing"},
		{`{"a":[1]}`, `{"a":"[1]"}`, `a: a list and "[1]"`},
		{`{"a":null}`, `{"a":{}}`, "a: null and an object"},
		{`{}`, `{"a":` + long + `}`, "a: nothing and " + long[:80] + "…"},
		{`{}`, ``, ": an object and nothing"},
	} {
		got := ""
		if d := report.FirstDifference([]byte(c.a), []byte(c.b)); d != nil {
			got = d.Where + ": " + d.In + " and " + d.And
		}
		if got != c.want {
			t.Errorf("%s, %s: got %q, want %q", c.a, c.b, got, c.want)
		}
	}
}

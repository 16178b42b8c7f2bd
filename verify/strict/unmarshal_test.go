package strict

import (
	"reflect"
	"testing"

	"github.com/go-json-experiment/json"
)

type document struct {
	Schema string `json:"schema"`
	Limits struct {
		X int64 `json:"x"`
	} `json:"limits"`
	Nested *struct {
		Kind string `json:"kind"`
		ID   int64  `json:"id"`
	} `json:"nested"`
	List []string `json:"list"`
}

var documents = []struct {
	text  string
	valid bool
}{
	{`{}`, true},
	{`null`, true},
	{` {"schema":"a", "limits":{"x":1},"nested":{"kind":"k","id":-5},"list":["A",null]} `, true},
	{`{"\u0073chema":"an escaped name"}`, true},
	{`{"Schema":"another case"}`, true},
	{`{"Schema":"another case","schema":"this case"}`, true},
	{`{"schema":"this case","SCHEMA":"another case"}`, true},
	{`{"\u017fchema":"long s","nested":{"\u212aind":"Kelvin sign"}}`, true},
	{`{"Schema":{"of":["another type"]}}`, true},
	{`{"unknown":{"a":[{}]},"schema":"a"}`, true},
	{`{"nested":{"ID":7}}`, true},

	{``, false},
	{`{`, false},
	{`[]`, false},
	{`{} {}`, false},
	{`{"schema":"a"}x`, false},
	{`{"schema":"a","schema":"a"}`, false},
	{`{"limits":{"x":1,"\u0078":1}}`, false},
	{`{"Unknown":1,"Unknown":2}`, false},
	{`{"Unknown":{"a":1,"a":2}}`, false},
	{"{\"schema\":\"\xff\"}", false},
	{"{\"Unknown\":\"\xff\"}", false},
	{`{"schema":"\ud800"}`, false},
	{`{"nested":{"id":"5"}}`, false},
	{`{"nested":{"id":5.0}}`, false},
	{`{"nested":{"id":9223372036854775808}}`, false},
}

func TestUnmarshal(t *testing.T) {
	for _, c := range documents {
		if valid := agreesWithJSON(t, []byte(c.text)); valid != c.valid {
			t.Errorf("%s: accepted: %t", c.text, valid)
		}
	}
}

func FuzzUnmarshal(f *testing.F) {
	for _, c := range documents {
		f.Add([]byte(c.text))
	}
	f.Fuzz(func(t *testing.T, data []byte) { agreesWithJSON(t, data) })
}

// agreesWithJSON compares with the library that matches names exactly by itself, and reports whether data was accepted.
func agreesWithJSON(t *testing.T, data []byte) bool {
	var got, want document
	err, wantErr := Unmarshal(data, &got), json.Unmarshal(data, &want)
	if (err == nil) != (wantErr == nil) || err == nil && !reflect.DeepEqual(got, want) {
		t.Errorf("%q:\ngot  %+v, %v\nwant %+v, %v", data, got, err, want, wantErr)
	}
	return err == nil
}

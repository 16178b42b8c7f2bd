package input

import (
	"bytes"
	"reflect"
	"strings"
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

func TestCheckJSON(t *testing.T) {
	for text, want := range map[string]string{
		`{"a": [1, {"b": null}]}`:   "",
		"{\n \"a\": 1,\n \"a\": 2}": "3:2: a key occurs twice in one object",
		`{"a": 1} {}`:               "1:10: ",
		"{\n  oops":                 "2:3: ",
		"":                          "1:1: ",
		"\xff":                      "1:1: ",
		`{"a": "\ud800"}`:           "1:8: ",
	} {
		e, wrong := CheckJSON([]byte(text))
		if got := e.String(); wrong != (want != "") || wrong && (!strings.HasPrefix(got, want) || e.Expected == "" || e.Fix == "") {
			t.Errorf("%q: got %s, %v, want %s", text, got, wrong, want)
		}
	}
}

func TestPlaceOf(t *testing.T) {
	const text = "{\n  \"a\" : [1,\n {\"b\":  true}], \"c~/d\":{}\n}"
	for pointer, want := range map[string]Pos{
		"": {Line: 1, Column: 1}, "/a": {Line: 2, Column: 9}, "/a/0": {Line: 2, Column: 10}, "/a/1": {Line: 3, Column: 2},
		"/a/1/b": {Line: 3, Column: 9}, "/c~0~1d": {Line: 3, Column: 24}, "/none": {Line: 1, Column: 1},
	} {
		if got := PlaceOf([]byte(text), pointer); got != want {
			t.Errorf("%s: got %+v, want %+v", pointer, got, want)
		}
	}
}

// FuzzCheckJSON wants an error with a place in the text for each text that is not JSON, and a place for each value.
func FuzzCheckJSON(f *testing.F) {
	for _, text := range []string{`{"a":[1,{"b":null}]}`, `{"a":1,"a":2}`, "{\n", "", "[] []", "\xef\xbb\xbf{}", `"\ud800"`, `{"a~/":{"":1}}`} {
		f.Add([]byte(text), "/a/0")
	}
	f.Fuzz(func(t *testing.T, text []byte, pointer string) {
		e, wrong := CheckJSON(text)
		lines := bytes.Count(text, []byte("\n")) + 1
		if wrong && (e.Pos.Line < 1 || e.Pos.Line > lines || e.Message == "" || e.Expected == "" || e.Fix == "") {
			t.Errorf("%q: %+v", text, e)
		}
		var v any
		if err := Unmarshal(text, &v); (err != nil) != wrong {
			t.Errorf("%q: Unmarshal says %v, CheckJSON %v", text, err, wrong)
		}
		if at := PlaceOf(text, pointer); at.Line < 1 || at.Line > lines || at.Column < 1 || at.Column > len(text)+1 {
			t.Errorf("%q: %s is at %+v", text, pointer, at)
		}
	})
}

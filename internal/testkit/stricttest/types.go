package stricttest

import (
	"bytes"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/closeout-gate/closeout/verify/input"
)

// OtherTypes are values of every JSON type: each replaces every value of a valid document once. Repeated keys are the
// last, in an object of a list as well.
var OtherTypes = []string{
	`null`, `true`, `false`, `0`, `-1`, `1.5`, `1e400`, `123456789012345678901234567890`, `""`, `" "`, `"a"`, `"\u0000\ud83d\ude00"`,
	`[]`, `[null]`, `[0]`, `["a"]`, `[[]]`, `[{}]`, `{}`, `{"a":0}`, `{"":{"":[]}}`, `{"a":0,"a":0}`, `[{"a":0,"\u0061":0}]`,
	`{"a":{"b":0,"b":0}}`,
}

// otherKeys are put in the place of every key: empty, with the characters that a JSON pointer escapes, escaped and long.
var otherKeys = []string{`""`, `"~/a"`, `"\u0061"`, `"x-"`, `"` + strings.Repeat("k", 300) + `"`}

// Document is a document that a parser accepts; each of its values and keys is replaced in turn.
type Document struct {
	Name, Schema string // Schema is "" where there is none
	Whole        string
	Parse        func([]byte) *input.Errors
}

// compiled is the schema of a document; nil where there is none.
func (d *Document) compiled(t testing.TB) *jsonschema.Schema {
	if d.Schema == "" {
		return nil
	}
	return CompileSchema(t, d.Schema)
}

// EveryType puts every type into every place of each document.
func EveryType(t *testing.T, documents []Document) {
	for _, d := range documents {
		t.Run(d.Name, func(t *testing.T) { checkEveryType(t, d.Whole, d.Parse, d.compiled(t)) })
	}
}

// FuzzEveryPlace puts any text into any place of a document.
func FuzzEveryPlace(f *testing.F, documents []Document) {
	schemas := make([]*jsonschema.Schema, len(documents))
	for i := range documents {
		schemas[i] = documents[i].compiled(f)
		f.Add(uint(i), uint(i), `{"a":0,"a":[]}`)
	}
	f.Fuzz(func(t *testing.T, document, at uint, text string) {
		i := document % uint(len(documents))
		places := placesOf(t, documents[i].Whole)
		p := places[at%uint(len(places))]
		if (p.at == 0 && strings.TrimSpace(text) == "") || strings.ContainsAny(text, "\r\n") {
			return // of lines, a log has more than one or none
		}
		checkAnswer(t, documents[i].Whole[:p.at]+text+documents[i].Whole[p.end:], documents[i].Parse, schemas[i])
	})
}

// ErrorsOf is a parser of which only the errors are asked for.
func ErrorsOf[T any](parse func([]byte, input.Limits) (*T, *input.Errors)) func([]byte) *input.Errors {
	return func(data []byte) *input.Errors {
		_, errs := parse(data, input.DefaultLimits())
		return errs
	}
}

// checkEveryType puts every type into every place of a document. The parser must say what is wrong, at a place in the
// text, or accept what the schema accepts too. A nil schema accepts everything.
func checkEveryType(t *testing.T, whole string, parse func([]byte) *input.Errors, s *jsonschema.Schema) {
	t.Helper()
	if errs := parse([]byte(whole)); errs.Any() {
		t.Fatalf("the whole document: %v", errs.All())
	}
	for _, v := range placesOf(t, whole) {
		with := OtherTypes
		if v.key {
			with = otherKeys
		}
		for _, other := range with {
			text := whole[:v.at] + other + whole[v.end:]
			checkAnswer(t, text, parse, s)
		}
	}
}

func checkAnswer(t *testing.T, text string, parse func([]byte) *input.Errors, s *jsonschema.Schema) {
	t.Helper()
	defer func() {
		if r := recover(); r != nil {
			t.Errorf("%s: %v", text, r)
		}
	}()
	errs := parse([]byte(text))
	CheckPlaces(t, []byte(text), errs)
	for _, e := range errs.All() {
		if e.Message == "" || e.Found == "" || e.Expected == "" || e.Fix == "" {
			t.Errorf("%s: not complete: %+v", text, e)
		}
	}
	if s == nil || errs.Any() {
		return
	}
	if err := Validate(s, []byte(text)); err != nil {
		t.Errorf("accepted, but the schema says %v: %s", err, text)
	}
}

// place is that of a value or a key in a JSON text.
type place struct {
	at, end int
	key     bool
}

// placesOf lists all values and keys of a JSON text: the text itself, its members, and what they contain.
func placesOf(t *testing.T, text string) []place {
	t.Helper()
	var list []place
	var walk func(at int, value jsontext.Value)
	walk = func(at int, value jsontext.Value) {
		list = append(list, place{at: at, end: at + len(value)})
		if k := value.Kind(); k != '{' && k != '[' {
			return
		}
		dec := jsontext.NewDecoder(bytes.NewReader(value))
		if _, err := dec.ReadToken(); err != nil {
			t.Fatal(err)
		}
		for i := 0; dec.PeekKind() != '}' && dec.PeekKind() != ']'; i++ {
			member, err := dec.ReadValue()
			if err != nil {
				t.Fatal(err)
			}
			end := at + int(dec.InputOffset())
			if value.Kind() == '{' && i%2 == 0 {
				list = append(list, place{end - len(member), end, true})
				continue
			}
			walk(end-len(member), bytes.Clone(member))
		}
	}
	start := len(text) - len(strings.TrimLeft(text, " \n"))
	walk(start, jsontext.Value(strings.TrimSpace(text)))
	return list
}

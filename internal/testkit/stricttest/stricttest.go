// Package stricttest contains what the tests of the parsers share.
package stricttest

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/closeout-gate/closeout/schema"
	"github.com/closeout-gate/closeout/verify/input"
)

// ReadCase is one text and what its parser says of it.
type ReadCase struct {
	Name string
	In   string
	Errs []string // "line:column: part of the message" of every error, in their order; none when the text is accepted
	Lax  bool     // the schema accepts the text all the same: this is what a schema cannot say
}

// CheckErrors compares the errors of a parser with those expected.
func CheckErrors(t *testing.T, errs *input.Errors, want []string) {
	t.Helper()
	var got []string
	for _, e := range errs.All() {
		got = append(got, e.String())
		if e.Found == "" || e.Expected == "" || e.Fix == "" {
			t.Errorf("%s: found %q, expected %q, fix %q: none may be empty", e, e.Found, e.Expected, e.Fix)
		}
	}
	equal := slices.EqualFunc(got, want, func(g, w string) bool {
		at, part, _ := strings.Cut(w, " ")
		return strings.HasPrefix(g, at+" ") && strings.Contains(g, part)
	})
	if !equal {
		t.Errorf("errors\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// CheckSchema compares a case with the schema.
func CheckSchema(t *testing.T, s *jsonschema.Schema, c ReadCase) {
	t.Helper()
	err := Validate(s, []byte(c.In))
	switch {
	case len(c.Errs) == 0 && err != nil:
		t.Errorf("the parser accepts this, the schema does not: %v", err)
	case len(c.Errs) > 0 && err == nil && !c.Lax:
		t.Error("the parser refuses this, the schema does not")
	case err != nil && c.Lax:
		t.Error("the case is marked as one that the schema accepts, but it does not")
	}
}

// Validate validates a JSON text with a schema.
func Validate(s *jsonschema.Schema, data []byte) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return err
	}
	if _, err := dec.Token(); err != io.EOF {
		return io.ErrUnexpectedEOF
	}
	return s.Validate(v)
}

// Compile compiles one schema.
func Compile(name string) (*jsonschema.Schema, error) {
	text, err := schema.Text(name)
	if err != nil {
		return nil, err
	}
	return jsonschema.CompileString(name+".schema.json", string(text))
}

// CompileSchema returns the schema of an input.
func CompileSchema(t testing.TB, name string) *jsonschema.Schema {
	t.Helper()
	s, err := Compile(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// CheckPlaces checks that every error is at a place in the text, or about the whole text.
func CheckPlaces(t *testing.T, data []byte, errs *input.Errors) {
	t.Helper()
	lines := bytes.Split(data, []byte("\n"))
	for _, e := range errs.All() {
		if e.Pos.IsZero() {
			continue
		}
		if e.Pos.Line < 1 || e.Pos.Line > len(lines) || e.Pos.Column < 1 || e.Pos.Column > len(lines[e.Pos.Line-1])+1 {
			t.Errorf("%s: no such place in %q", e, data)
		}
	}
}

// TightLimits lets little through, for cases about limits.
func TightLimits(bytes int64, depth int) input.Limits {
	limits := input.DefaultLimits()
	limits.RulesBytes, limits.Depth = bytes, depth
	return limits
}

// CheckLimit checks that a parser reports exactly one limit, by its flag, and gives no document.
func CheckLimit(t *testing.T, errs *input.Errors, isNil bool, flag string) {
	t.Helper()
	all := errs.All()
	if len(all) != 1 || all[0].Limit != flag || !isNil {
		t.Errorf("errors %v, document nil: %v; want one error about %s and no document", all, isNil, flag)
	}
}

// Cases parses each case, and compares the errors and the schema's answer with what the case expects.
func Cases[T any](t *testing.T, schema string, cases []ReadCase, parse func([]byte, input.Limits) (*T, *input.Errors)) {
	s := CompileSchema(t, schema)
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			_, errs := parse([]byte(c.In), input.DefaultLimits())
			CheckErrors(t, errs, c.Errs)
			CheckPlaces(t, []byte(c.In), errs)
			CheckSchema(t, s, c)
		})
	}
}

// Limits parses a text of depth 2 at the limits of size and depth, and then one byte and one level over them.
func Limits[T any](t *testing.T, text string, parse func([]byte, input.Limits) (*T, *input.Errors)) {
	t.Helper()
	size := int64(len(text))
	if _, errs := parse([]byte(text), TightLimits(size, 2)); errs.Any() {
		t.Errorf("at the limits: %v", errs.All())
	}
	value, errs := parse([]byte(text), TightLimits(size-1, 2))
	CheckLimit(t, errs, value == nil, input.FlagRulesBytes)
	value, errs = parse([]byte(text), TightLimits(size, 1))
	CheckLimit(t, errs, value == nil, input.FlagDepth)
}

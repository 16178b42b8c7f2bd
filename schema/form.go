package schema

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// form is a part of a schema: what the schema of the report uses of JSON Schema, and nothing else. Every run validates its report,
// and a library would cost each call, even of a hook, two milliseconds for five meta-schemas. Tests compare it with that library.
type form struct {
	Schema      string `json:"$schema"`
	ID          string `json:"$id"`
	Title       string `json:"title"`
	Description string `json:"description"`

	Defs       map[string]*form `json:"$defs"`
	Ref        string           `json:"$ref"` // of Defs; nothing else counts beside it
	Type       oneOrMore        `json:"type"`
	Const      string           `json:"const"`
	Enum       []*string        `json:"enum"` // nil stands for null
	Pattern    string           `json:"pattern"`
	MinLength  int              `json:"minLength"`
	Minimum    *int64           `json:"minimum"`
	Items      *form            `json:"items"`
	MinItems   int              `json:"minItems"`
	MaxItems   *int             `json:"maxItems"`
	Required   []string         `json:"required"`
	Properties map[string]*form `json:"properties"`
	Additional *additional      `json:"additionalProperties"`

	pattern func() *regexp.Regexp
	target  *form // of Ref
}

// oneOrMore is a text or a list of texts.
type oneOrMore []string

func (o *oneOrMore) UnmarshalJSON(text []byte) error {
	if text[0] == '[' {
		return json.Unmarshal(text, (*[]string)(o))
	}
	*o = []string{""}
	return json.Unmarshal(text, &(*o)[0])
}

// additional says whether an object may have other members, and which.
type additional struct{ form *form } // nil when it may have none

func (a *additional) UnmarshalJSON(text []byte) error {
	if string(text) == "false" {
		return nil
	}
	var err error
	a.form, err = decodeForm(text)
	return err
}

// decodeForm refuses keywords that it does not know: they would not be checked.
func decodeForm(text []byte) (f *form, err error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	return f, dec.Decode(&f)
}

// readForm reads a whole schema.
func readForm(text []byte) (*form, error) {
	f, err := decodeForm(text)
	if err != nil {
		return nil, err
	}
	return f, f.link(f.Defs)
}

// link finds what references stand for.
func (f *form) link(defs map[string]*form) error {
	if f.Ref != "" {
		if f.target = defs[strings.TrimPrefix(f.Ref, "#/$defs/")]; f.target == nil {
			return fmt.Errorf("there is no %s", f.Ref)
		}
	}
	if f.Pattern != "" {
		f.pattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(f.Pattern) })
	}
	parts := slices.AppendSeq(slices.Collect(maps.Values(f.Defs)), maps.Values(f.Properties))
	if f.Items != nil {
		parts = append(parts, f.Items)
	}
	if f.Additional != nil && f.Additional.form != nil {
		parts = append(parts, f.Additional.form)
	}
	for _, part := range parts {
		if err := part.link(defs); err != nil {
			return err
		}
	}
	return nil
}

// Mismatch is a place in a document that does not match a schema.
type Mismatch struct {
	Pointer string // a JSON pointer
	Message string
}

func (m *Mismatch) Error() string { return cmp.Or(m.Pointer, "the document") + ": " + m.Message }

// check finds the first mismatch of a value.
func (f *form) check(at string, value any) *Mismatch {
	if f.target != nil {
		return f.target.check(at, value)
	}
	wrong := func(format string, args ...any) *Mismatch { return &Mismatch{at, fmt.Sprintf(format, args...)} }
	text, isText := value.(string)
	is := kindOf(value)
	switch {
	case f.Type != nil && !slices.Contains(f.Type, is):
		return wrong("expected %s, but got %s", strings.Join(f.Type, " or "), is)
	case f.Const != "" && text != f.Const:
		return wrong("value must be %q", f.Const)
	case f.Enum != nil && !slices.ContainsFunc(f.Enum, func(one *string) bool { return (one == nil && value == nil) || (one != nil && isText && *one == text) }):
		return wrong("value must be one of %s", f.allowed())
	}
	switch value := value.(type) {
	case string:
		if n := utf8.RuneCountInString(value); n < f.MinLength {
			return wrong("length must be >= %d, but got %d", f.MinLength, n)
		}
		if f.pattern != nil && !f.pattern().MatchString(value) {
			return wrong("does not match pattern %q", f.Pattern)
		}
	case json.Number:
		if n, err := value.Int64(); f.Minimum != nil && (err != nil || n < *f.Minimum) {
			return wrong("must be >= %d but found %s", *f.Minimum, value)
		}
	case []any:
		return f.checkList(at, value, wrong)
	case map[string]any:
		return f.checkObject(at, value, wrong)
	}
	return nil
}

// allowed lists the values of an enum.
func (f *form) allowed() string {
	var list []string
	for _, one := range f.Enum {
		if one == nil {
			list = append(list, "null")
		} else {
			list = append(list, strconv.Quote(*one))
		}
	}
	return strings.Join(list, ", ")
}

func (f *form) checkList(at string, list []any, wrong func(string, ...any) *Mismatch) *Mismatch {
	switch {
	case len(list) < f.MinItems:
		return wrong("minimum %d items required, but found %d items", f.MinItems, len(list))
	case f.MaxItems != nil && len(list) > *f.MaxItems:
		return wrong("maximum %d items required, but found %d items", *f.MaxItems, len(list))
	case f.Items == nil:
		return nil
	}
	for i, item := range list {
		if m := f.Items.check(at+"/"+strconv.Itoa(i), item); m != nil {
			return m
		}
	}
	return nil
}

var escapePointer = strings.NewReplacer("~", "~0", "/", "~1")

func (f *form) checkObject(at string, object map[string]any, wrong func(string, ...any) *Mismatch) *Mismatch {
	for _, name := range f.Required {
		if _, there := object[name]; !there {
			return wrong("missing properties: %q", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		part := f.Properties[name]
		switch {
		case part != nil || f.Additional == nil:
		case f.Additional.form == nil:
			return wrong("additionalProperties %q not allowed", name)
		default:
			part = f.Additional.form
		}
		if part == nil {
			continue
		}
		if m := part.check(at+"/"+escapePointer.Replace(name), object[name]); m != nil {
			return m
		}
	}
	return nil
}

// kindOf is the type of a value in the words of JSON Schema. Only a number without fraction and exponent is an integer.
func kindOf(value any) string {
	switch value := value.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case json.Number:
		if strings.ContainsAny(value.String(), ".eE") {
			return "number"
		}
		return "integer"
	case []any:
		return "array"
	}
	return "object"
}

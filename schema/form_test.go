package schema_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/closeout-gate/closeout/internal/testkit/stricttest"
	"github.com/closeout-gate/closeout/schema"
)

// TestFormAgreesWithLibrary damages a document with every part that a report can have, in every place, and wants the same answer
// from the library for JSON Schema as from the checks of a run.
func TestFormAgreesWithLibrary(t *testing.T) { formAgrees(t, 8) }

// formAgrees compares the answers about every nth document.
func formAgrees(t *testing.T, nth int) {
	library := stricttest.CompileSchema(t, "verification_report")
	whole, _, err := schema.ReportValidators()
	if err != nil {
		t.Fatal(err)
	}
	made, tried, refused := 0, 0, 0
	compare := func(document any) {
		if made++; (made-1)%nth > 0 {
			return
		}
		text, err := json.Marshal(document)
		if err != nil {
			t.Fatal(err)
		}
		tried++
		own, other := whole(text), stricttest.Validate(library, text)
		if own != nil {
			refused++
		}
		if (own == nil) != (other == nil) {
			t.Errorf("a run says %v, the library %v: %s", own, other, text)
		}
	}
	document := sample(t, library)
	if compare(document); refused > 0 {
		text, _ := json.Marshal(document)
		t.Fatalf("the sample is refused: %v", whole(text))
	}
	damage(document, compare)
	if tried < 1500/nth || refused < tried/2 {
		t.Errorf("%d documents, %d refused", tried, refused)
	}
}

// damage puts other values into every place of a document, one at a time, and asks for an answer about each.
func damage(document any, ask func(any)) {
	var walk func(value any, set func(any))
	walk = func(value any, set func(any)) {
		for _, other := range []any{nil, true, -1, 1.5, "", []any{}, map[string]any{}} {
			set(other)
			ask(document)
		}
		set(value)
		switch value := value.(type) {
		case []any:
			for i := range value {
				walk(value[i], func(other any) { value[i] = other })
			}
			set(slices.Repeat(value, 1001)) // more than any list may have
			ask(document)
			set(value)
		case map[string]any:
			value["voice"] = 0
			ask(document)
			delete(value, "voice")
			for _, name := range slices.Sorted(maps.Keys(value)) {
				member := value[name]
				delete(value, name)
				ask(document)
				value[name] = member
				walk(member, func(other any) { value[name] = other })
			}
		}
	}
	walk(document, func(other any) { document = other })
}

// sample is a document with every part that a schema knows, and as few items as each list may have, at least one.
func sample(t *testing.T, s *jsonschema.Schema) any {
	for s.Ref != nil {
		s = s.Ref
	}
	texts := []string{
		"text", strings.Repeat("0", 64), "a.b", "closeout/a", strings.Repeat("aaaa-", 5) + "aaaa",
	}
	switch {
	case s.Constant != nil:
		return s.Constant[0]
	case s.Enum != nil:
		return s.Enum[0]
	case slices.Contains(s.Types, "object"):
		object := map[string]any{}
		for name, part := range s.Properties {
			object[name] = sample(t, part)
		}
		if part, ok := s.AdditionalProperties.(*jsonschema.Schema); ok {
			for _, name := range append(s.Required, "other") {
				object[name] = sample(t, part)
			}
		}
		return object
	case slices.Contains(s.Types, "array"):
		if item, ok := s.Items.(*jsonschema.Schema); ok {
			return slices.Repeat([]any{sample(t, item)}, max(s.MinItems, 1))
		}
		return []any{}
	case slices.Contains(s.Types, "string"):
		i := slices.IndexFunc(texts, func(text string) bool { return s.Pattern == nil || s.Pattern.MatchString(text) })
		if i < 0 {
			t.Fatalf("no text matches %s", s.Pattern)
		}
		return texts[i]
	case slices.Contains(s.Types, "integer"):
		return 1
	}
	return true
}

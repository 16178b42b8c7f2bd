package input_test

import (
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify/input"
)

// A tag that names no form would let any text pass, so that no reader starts with it.
func TestDecodeUnknownForm(t *testing.T) {
	forms := input.Forms{Text: map[string]input.Form{"id": {Valid: func(string) bool { return false }, Expected: "an id"}}}
	read := func(into any) (problem any) {
		defer func() { problem = recover() }()
		forms.Decode(input.Object(&input.Node{Kind: input.KindObject}, "", &input.Errors{}), into)
		return nil
	}
	if got := read(&struct {
		A []string `json:"a,omitempty" is:"id"`
		B string   `json:"b,omitempty" is:"one|two"`
		C int64    `json:"c,omitempty" is:"1"`
	}{}); got != nil {
		t.Errorf("known forms: %v", got)
	}
	got, _ := read(&struct {
		A []string `json:"a,omitempty" is:"ids"`
	}{}).(string)
	if !strings.Contains(got, "names no form: ids") {
		t.Errorf("an unknown form: got %q", got)
	}
}

package schema_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/testkit/stricttest"
	"github.com/closeout-gate/closeout/schema"
)

func TestEverySchemaCompiles(t *testing.T) {
	if len(schema.Names()) < 7 {
		t.Errorf("there are only %v", schema.Names())
	}
	for _, name := range schema.Names() {
		if _, err := stricttest.Compile(name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		text, err := schema.Text(name)
		if err != nil {
			t.Fatal(err)
		}
		var document struct {
			ID    string `json:"$id"`
			Title string `json:"title"`
		}
		if err := json.Unmarshal(text, &document); err != nil || document.ID != "https://raw.githubusercontent.com/closeout-gate/closeout/v0/schema/"+name+".schema.json" || document.Title == "" {
			t.Errorf("%s: $id %q, title %q, %v", name, document.ID, document.Title, err)
		}
	}
}

func TestUnknownSchema(t *testing.T) {
	if _, err := schema.Text("nothing"); err == nil || !strings.Contains(err.Error(), "scope_contract") {
		t.Errorf("got %v", err)
	}
}

// TestPathsAreOnlyTexts checks what report.CanonicalChecked relies on: about the path of a touched file the schema says nothing
// but that it is a text which is not empty, so files that differ only in that text need not all be validated.
func TestPathsAreOnlyTexts(t *testing.T) {
	text, err := schema.Text("verification_report")
	if err != nil {
		t.Fatal(err)
	}
	var document map[string]any
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	at := any(document)
	for _, key := range []string{"properties", "files", "items", "properties", "path"} {
		at = at.(map[string]any)[key]
	}
	if want := (map[string]any{"type": "string", "minLength": 1.0}); !reflect.DeepEqual(at, want) {
		t.Errorf("the schema says of a path %v", at)
	}
}

func TestReportValidators(t *testing.T) {
	whole, files, err := schema.ReportValidators()
	if err != nil {
		t.Fatal(err)
	}
	if whole([]byte(`{}`)) == nil {
		t.Error("an empty object is no report")
	}
	const file = `{"path": "a", "status": "added", "class": "allowed", "old_mode": "000000", "new_mode": "100644"}`
	if err := files([]byte("[" + file + "]")); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{`{}`, `[{}]`, "[" + strings.Replace(file, `"a"`, `""`, 1) + "]", "[" + strings.Replace(file, "added", "new", 1) + "]", "["} {
		if files([]byte(bad)) == nil {
			t.Errorf("%s was accepted", bad)
		}
	}
}

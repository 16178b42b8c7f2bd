package change

import (
	"bytes"
	"testing"

	"github.com/closeout-gate/closeout/internal/testkit/stricttest"
	"github.com/closeout-gate/closeout/verify/input"
)

var documents = []stricttest.Document{
	{Name: "changes", Schema: "changes", Whole: document(
		element("package.json", "modified", "100644", "100644", idA, idB, `, "keys_changed": ["jest"], "x-note": {"a": 1}`),
		element("sub/.gitattributes", "modified", "100644", "100644", idA, idB, `, "attributes": [`+
			`{"line": 3, "attribute": "text", "was": "auto", "now": "", "new": true, "files": 12, "paths": ["a"], "x-note": 1}, `+
			`{"attribute": "[attr]raw", "was": "", "now": "-text", "files": 0, "paths": []}]`),
		element("\"\\377\"", "modified", "100644", "100644", idA, idB, `, "path_base64": "/w=="`),
	), Parse: func(data []byte) *input.Errors {
		_, errs := ReadChanges(bytes.NewReader(data), input.DefaultLimits())
		return errs
	}},
}

func TestEveryTypeInEveryPlace(t *testing.T) { stricttest.EveryType(t, documents) }

func FuzzEveryPlace(f *testing.F) { stricttest.FuzzEveryPlace(f, documents) }

package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// ReportValidators returns functions that validate a verification report: whole for the report, files for any part of its
// list of touched files.
func ReportValidators() (whole, files func(text []byte) error, err error) {
	report, err := Compile("verification_report")
	if err != nil {
		return nil, nil, fmt.Errorf("compiling the schema of the report: %w", err)
	}
	return validator(report), validator(report.Properties["files"]), nil
}

func validator(s *jsonschema.Schema) func([]byte) error {
	return func(text []byte) error {
		dec := json.NewDecoder(bytes.NewReader(text))
		dec.UseNumber()
		var document any
		if err := dec.Decode(&document); err != nil {
			return err
		}
		if err := s.Validate(document); err != nil {
			return fmt.Errorf("the report does not match its schema: %w", err)
		}
		return nil
	}
}

// Mismatch tells where a document does not match a schema, and what is wrong there: the first of the deepest errors. The place
// is a JSON pointer. ok is false for an error of another kind.
func Mismatch(err error) (pointer, message string, ok bool) {
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return "", "", false
	}
	for len(invalid.Causes) > 0 {
		invalid = invalid.Causes[0]
	}
	return invalid.InstanceLocation, invalid.Message, true
}

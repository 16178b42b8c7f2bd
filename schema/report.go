package schema

import (
	"bytes"
	"encoding/json"
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

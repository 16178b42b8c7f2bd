package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// ReportValidators returns functions that validate a verification report: whole for the report, files for any part of its
// list of touched files. An error about the content is a [Mismatch].
func ReportValidators() (whole, files func(text []byte) error, err error) {
	text, err := Text("verification_report")
	if err != nil {
		return nil, nil, err
	}
	report, err := readForm(text)
	if err != nil {
		return nil, nil, fmt.Errorf("reading the schema of the report: %w", err)
	}
	return report.validate, report.Properties["files"].validate, nil
}

func (f *form) validate(text []byte) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var document any
	if err := dec.Decode(&document); err != nil {
		return err
	}
	if wrong := f.check("", document); wrong != nil {
		return fmt.Errorf("the report does not match its schema: %w", wrong)
	}
	return nil
}

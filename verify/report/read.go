package report

import (
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// ReadVerdict reads the verdict of a report, "" when it has none. ok is false when the text is not a report of
// closeout: no JSON object, or one without our [Schema]. What follows the object is not read.
func ReadVerdict(r io.Reader) (verdict string, ok bool) {
	d, schema := jsontext.NewDecoder(r), ""
	if first, err := d.ReadToken(); err != nil || first.Kind() != '{' {
		return "", false
	}
	for d.PeekKind() == '"' {
		key, err := d.ReadToken()
		if err != nil {
			return "", false
		}
		switch name := key.String(); {
		case (name == "schema" || name == "verdict") && d.PeekKind() == '"':
			value, err := d.ReadToken()
			if err != nil {
				return "", false
			}
			if name == "schema" {
				schema = value.String()
			} else {
				verdict = value.String()
			}
		case d.SkipValue() != nil:
			return "", false
		}
	}
	end, err := d.ReadToken()
	return verdict, err == nil && end.Kind() == '}' && schema == Schema
}

package report

import (
	"fmt"
	"strings"

	"github.com/closeout-gate/closeout/verify/input"
)

// NoReport says why a text is not a report.
type NoReport struct {
	Why input.Error
	// Form says that the text is JSON with the schema of a report, but has another form. Its schema tells where.
	Form bool
}

func (n *NoReport) Error() string {
	if n.Form {
		return n.Why.Found
	}
	return fmt.Sprintf("%s; found %s, expected %s → %s", n.Why.Message, n.Why.Found, n.Why.Expected, n.Why.Fix)
}

var versionSyntax = input.Lazily(`^[0-9A-Za-z.+-]{1,64}$`)

// reportSchemas is what the schemas of reports begin with.
const reportSchemas = "closeout.verification_report/"

// Read reads a report. A duplicate key is refused: other readers might take the other value. The error is a [NoReport].
func Read(data []byte) (*Report, error) {
	var r Report
	failed := input.Unmarshal(data, &r) // refuses duplicate keys too
	if failed == nil && r.Schema == Schema && versionSyntax().MatchString(r.Tool.Version) {
		return &r, nil
	}
	if e, wrong := input.CheckJSON(data); wrong {
		return nil, &NoReport{Why: e}
	}
	var head struct {
		Schema any `json:"schema"`
		Tool   struct {
			Version any `json:"version"`
		} `json:"tool"`
	}
	err := input.Unmarshal(data, &head)
	form, _ := head.Schema.(string)
	version, _ := head.Tool.Version.(string)
	switch e := (input.Error{Pos: input.PlaceOf(data, "/schema"), Found: input.Quote(form), Expected: "the schema " + Schema}); {
	case strings.HasPrefix(form, reportSchemas) && form != Schema:
		e.Message, e.Fix = "this is a report of another schema", "use the version of closeout that wrote it"
		return nil, &NoReport{Why: e}
	case err != nil || form != Schema || !versionSyntax().MatchString(version):
		e.Message, e.Fix = "this is not a report that closeout can read", "name a "+FileName+", or a directory that contains one"
		return nil, &NoReport{Why: e}
	}
	why := "it has another form"
	if failed != nil {
		why = failed.Error()
	}
	return nil, &NoReport{Why: input.Error{Message: "the report does not match its schema", Found: why}, Form: true}
}

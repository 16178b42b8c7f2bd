package present

import (
	"io"

	"github.com/closeout-gate/closeout/verify/report"
)

// writeJSON writes the canonical bytes, exactly those of the report file and without a newline at the end: their sha256 is
// the digest of the report. JSON escapes control characters; nothing else is neutralised, because any change would change
// the digest.
func writeJSON(w io.Writer, r *report.Report, _ Options) error {
	b, err := report.Canonical(r)
	if err != nil {
		return err
	}
	_, err = w.Write(b)
	return err
}

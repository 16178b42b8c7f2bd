package audit_test

import (
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/audit/audit"
)

// TestEveryCodeIsDocumented wants a section for each code, as for the gate's checks.
func TestEveryCodeIsDocumented(t *testing.T) {
	for _, p := range audit.Pages {
		page := audit.Doc(p.ID)
		if !strings.HasPrefix(page, "# "+p.ID+": "+p.Title+"\n") {
			t.Errorf("%s.md does not begin with its title", p.ID)
		}
		for _, k := range p.Codes {
			_, rest, found := strings.Cut(page, "\n## "+k.Name+"\n")
			section, _, _ := strings.Cut(rest, "\n## ")
			if !found || !strings.HasPrefix(strings.TrimSpace(section), "*"+string(k.Severity)+"*") || !strings.Contains(section, "How to fix:") {
				t.Errorf("%s: its section must begin with *%s* and contain \"How to fix:\"", k.Name, k.Severity)
			}
		}
		if sections := strings.Count(page, "\n## "); sections != len(p.Codes) {
			t.Errorf("%s.md has %d sections for %d codes", p.ID, sections, len(p.Codes))
		}
	}
}

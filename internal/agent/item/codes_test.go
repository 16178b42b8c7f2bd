package item_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/agent/item"
)

// TestPage wants each section to name a severity and to say how to fix, as the pages of the gate's checks do, and a section for
// each code of this package.
func TestPage(t *testing.T) {
	names, severities := item.Codes()
	for i, name := range names {
		_, section, _ := strings.Cut(item.Page, "\n## "+name+"\n")
		section, _, _ = strings.Cut(section, "\n## ")
		if !slices.Contains([]string{"block", "unknown", "warn", "info"}, severities[i]) || !strings.Contains(section, "How to fix:") {
			t.Errorf("%s: its section must begin with a severity, as *block*, and contain \"How to fix:\"; found %q", name, severities[i])
		}
		if slices.Index(names, name) != i {
			t.Errorf("%s has two sections", name)
		}
	}
	for _, code := range []string{item.CodeBlocked, item.CodeTries, item.CodeSameTree, item.CodeSameFindings, item.CodeOscillation, item.CodeNoBest} {
		if !slices.Contains(names, "item."+code) {
			t.Errorf("no section explains item.%s", code)
		}
	}
}

package item

import (
	_ "embed"
	"strings"
)

// Page explains the codes that are said beside an agent, in the form of the pages of the gate's checks. Each section is about
// one code, and begins with its severity.
//
//go:embed codes.md
var Page string

// Codes lists the codes of [Page] with their severities, in its order.
func Codes() (names, severities []string) {
	for _, section := range strings.Split(Page, "\n## ")[1:] {
		name, text, _ := strings.Cut(section, "\n")
		severity, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(text), "*"), "*")
		names, severities = append(names, name), append(severities, severity)
	}
	return names, severities
}

package report

// LintSchema names the form of what closeout lint found.
const LintSchema = "closeout.lint/v1"

// Lint is what closeout lint found. Its lists are never null.
type Lint struct {
	Schema          string     `json:"schema"`
	Tool            Tool       `json:"tool"`
	Findings        []Finding  `json:"findings"`
	FindingsOmitted int        `json:"findings_omitted"` // number of findings that are not listed
	Counts          LintCounts `json:"counts"`
	Rollout         bool       `json:"rollout"` // the gate only observes yet: what matters once it is enforced is not listed
}

// LintCounts are totals, before the list was cut.
type LintCounts struct {
	Block int `json:"block"`
	Warn  int `json:"warn"`
	Info  int `json:"info"`
}

// CanonicalLint returns the document in canonical form (RFC 8785), no newline at the end.
func CanonicalLint(l *Lint) ([]byte, error) {
	fill(&l.Findings)
	return canonical(l)
}

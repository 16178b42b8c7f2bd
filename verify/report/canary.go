package report

// CanarySchema names the form of the counter-checks' result.
const CanarySchema = "closeout.canary/v1"

// Canary is the result of the counter-checks: which broken copies of the inputs of one decision the gate refused. Its lists
// are never null.
type Canary struct {
	Schema       string             `json:"schema"`
	Tool         Tool               `json:"tool"`
	ReportSHA256 string             `json:"report_sha256"` // of the report whose inputs were copied
	Verdict      string             `json:"verdict"`       // of that report
	Tried        int                `json:"tried"`         // copies that were judged; each was refused or let through
	Refused      int                `json:"refused"`
	LetThrough   []CanaryLetThrough `json:"let_through"`
	NotTried     []CanaryNotTried   `json:"not_tried"`
}

// CanaryLetThrough is a broken copy that the gate accepted.
type CanaryLetThrough struct {
	Mutation  string         `json:"mutation"`
	Text      string         `json:"text"`                // what was broken, in words
	Criterion string         `json:"criterion,omitempty"` // the id of the criterion that it is about
	Expected  string         `json:"expected"`            // the code that should have refused it
	Verdict   string         `json:"verdict"`             // passed or overridden
	Because   *CanaryBecause `json:"because"`             // the line of a contract that allows it; null when none does
}

// CanaryBecause is a line of a contract. Line is 0 where the contract does not contain the key.
type CanaryBecause struct {
	Path string `json:"path"`
	Line int    `json:"line,omitempty"`
	Text string `json:"text"` // what the contract says there
}

// CanaryNotTried is a kind of copy that was not judged, or whose result says nothing.
type CanaryNotTried struct {
	Mutation string `json:"mutation"`
	Why      string `json:"why"`
}

// CanonicalCanary returns the document in canonical form (RFC 8785), no newline at the end.
func CanonicalCanary(c *Canary) ([]byte, error) {
	fill(&c.LetThrough)
	fill(&c.NotTried)
	return canonical(c)
}

package report

// The types of a statement about a report: in-toto's, and SLSA's verification summary.
const (
	StatementType = "https://in-toto.io/Statement/v1"
	SummaryType   = "https://slsa.dev/verification_summary/v1"
)

// Statement is an in-toto statement whose predicate is a verification summary (VSA).
type Statement struct {
	Type          string     `json:"_type"`
	Subject       []Resource `json:"subject"`
	PredicateType string     `json:"predicateType"`
	Predicate     Summary    `json:"predicate"`
}

// Resource names something by its digest.
type Resource struct {
	Name   string            `json:"name,omitempty"`
	URI    string            `json:"uri,omitempty"`
	Digest map[string]string `json:"digest"`
}

// Summary is SLSA's verification summary, version 1. It contains no timeVerified: the signature has the time.
type Summary struct {
	Verifier           Verifier   `json:"verifier"`
	ResourceURI        string     `json:"resourceUri"`
	Policy             Resource   `json:"policy"`
	InputAttestations  []Resource `json:"inputAttestations"`
	VerificationResult string     `json:"verificationResult"` // PASSED or FAILED
	VerifiedLevels     []string   `json:"verifiedLevels"`     // FAILED alone when it failed
}

// Verifier is what decided.
type Verifier struct {
	ID      string            `json:"id"`
	Version map[string]string `json:"version"`
}

// CanonicalStatement returns the statement in canonical form (RFC 8785), no newline at the end.
func CanonicalStatement(s *Statement) ([]byte, error) {
	fill(&s.Predicate.InputAttestations)
	fill(&s.Predicate.VerifiedLevels)
	return canonical(s)
}

// CanonicalSummary returns a predicate without its statement in canonical form (RFC 8785), no newline at the end.
func CanonicalSummary(s *Summary) ([]byte, error) {
	fill(&s.InputAttestations)
	fill(&s.VerifiedLevels)
	return canonical(s)
}

// Package contract reads scope contracts, and the commands that they name.
package contract

import (
	"github.com/closeout-gate/closeout/verify/diag"
	"github.com/closeout-gate/closeout/verify/glob"
	"github.com/closeout-gate/closeout/verify/strict"
)

// Contract is one scope contract as it is written: nothing is joined, no default of another contract is filled in. A nil
// list or pointer is a key that the contract does not hold (or holds as null, where null means "no limit").
//
// The names follow the scope contracts of the "AI engineering from scratch" lessons, phase 14.
type Contract struct {
	Keys map[string]diag.Pos // every key of the top level, with its place

	TaskID       diag.Text // zero when absent
	Goal         diag.Text
	RollbackPlan diag.Text

	AllowedFiles   []Pattern
	ForbiddenFiles []Pattern
	DocsPathsSoft  []Pattern // nil when absent or null

	Criteria []Criterion // acceptance_criteria, in order

	ApprovalNotes []diag.Text // the strings of approvals_required
	Approvals     []Approval  // the objects of approvals_required

	OffScope       diag.Severity // "" when absent
	SeverityByPath []PathSeverity

	ViolationBudget   *int64
	TimeBudgetMinutes *int64
	NetworkEgress     []diag.Text // nil when absent or null; empty when none is allowed

	Coverage *CoverageRule
	Rules    RuleBook
	Evidence EvidenceRule
	Override OverrideRule

	ProtectedFiles    []Pattern
	MayTouchProtected []diag.Text // literal paths

	BaseBranches []Pattern
	AppliesTo    []Author // nil when everyone
}

// Author is an entry of applies_to: a glob over the names of an account, or the id of one.
type Author struct {
	Pattern
	ID string // digits; "" where there is a glob
}

// Pattern is a glob of the contract.
type Pattern struct {
	diag.Text
	Glob glob.Pattern
}

// Criterion is an acceptance criterion: a command that must have run, and how it must have ended.
type Criterion struct {
	Pos         diag.Pos
	ID          string     // never empty: c1, c2, … by position when the contract gives none
	IDGiven     bool       // false when ID is by position
	Run         []string   // argv, at least one element
	Cwd         string     // relative to the repository's root, normalised; "." when absent
	ExpectFail  bool       // a negative control: it must exit non-zero
	Proves      diag.Text  // the id that a negative control belongs to; zero when absent
	MinEvidence diag.Level // "" when absent
	MaxAttempts int64      // 3 when absent
	TestReport  string     // path in the repository; "" when absent
	MinTests    int64      // 1 when absent and there is a test report, else 0
	Given       CriterionKeys
}

// CriterionKeys are the keys that a criterion writes down, of those whose default looks like a value.
type CriterionKeys struct{ Expect, MaxAttempts, MinTests bool }

// Approval asks for an approving review when a file that it names is touched.
type Approval struct {
	ID    diag.Text
	Files []Pattern
}

// PathSeverity sets the severity of off-scope files.
type PathSeverity struct {
	Files    []Pattern
	Severity diag.Severity
}

// DefaultCoverageReport is where coverage is looked for when the contract names no path.
const DefaultCoverageReport = "coverage_report.json"

// CoverageRule is the contract's coverage key.
type CoverageRule struct {
	Pos    diag.Pos
	Report string // path in the repository, coverage_report.json when absent
	// Criterion is the id of the criterion whose command writes the report; zero when absent.
	Criterion diag.Text
	Floor     *strict.Ratio // nil when absent
	MaxDrop   *strict.Ratio // nil when absent
}

// RuleBook is the contract's rules key. A nil Catalogue means that there is none.
type RuleBook struct {
	Pos diag.Pos // of the key's value; zero when the contract has none
	// Run is the command that writes the rule report, run at the repository's root; nil when absent.
	Run []string
	// Report is the path in the repository that Run writes to; "" when absent, which means
	// rule_report.json in the evidence directory.
	Report      string
	NotRequired bool // "required": false: no rule report is expected
	Catalogue   []CatalogueRule
	Ignore      []RuleIgnore
}

// CatalogueRule is a rule that every report must hold exactly once.
type CatalogueRule struct {
	ID        diag.Text
	Severity  diag.Severity
	ExpiresAt string // YYYY-MM-DD, "" when absent
}

// RuleIgnore lets a rule fail on some files for some time.
type RuleIgnore struct {
	ID     diag.Text
	Files  []Pattern
	Reason string
	Until  string // YYYY-MM-DD
}

// EvidenceRule is the contract's evidence key.
type EvidenceRule struct {
	Min diag.Level // "" when absent
	Dir string     // "" when absent; the default is .closeout/evidence
}

// OverrideRule is the contract's override key, with its defaults filled in.
type OverrideRule struct {
	Label       string
	Permission  string
	Users       []string
	Teams       []string
	Binding     string
	AllowAuthor bool
	Never       []string
}

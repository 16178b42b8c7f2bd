// Package contract reads scope contracts, and the commands that they name.
package contract

import (
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/glob"
	"github.com/closeout-gate/closeout/verify/input"
)

// Contract is one scope contract as written, without values of other contracts. A nil list or pointer is a key that the
// contract does not contain (or contains as null, where null means "no limit").
//
// The names follow the scope contracts of the "AI engineering from scratch" lessons, phase 14.
type Contract struct {
	Keys map[string]input.Pos // every key of the top level, with its position

	TaskID       input.Text // zero when absent
	Goal         input.Text
	RollbackPlan input.Text
	Example      string // x-example, if it is a text: next shows it

	AllowedFiles   []Pattern
	ForbiddenFiles []Pattern
	DocsPathsSoft  []Pattern // nil when absent or null

	Criteria []Criterion // acceptance_criteria, in order

	ApprovalNotes []input.Text // the strings of approvals_required
	Approvals     []Approval   // the objects of approvals_required

	OffScope       input.Severity // "" when absent
	SeverityByPath []PathSeverity

	ViolationBudget   *int64
	TimeBudgetMinutes *int64
	NetworkEgress     []input.Text // nil when absent or null; empty when none is allowed

	Coverage *CoverageRule
	Tests    []TestRule
	// MayChange are the test paths of which the task is to change what they expect.
	MayChange []Pattern
	Rules     RuleBook
	Evidence  EvidenceRule
	Override  OverrideRule
	Agent     AgentRule
	Tasks     TaskRule
	Threads   []input.Text // logins of reviewers whose threads on GitHub an author must not resolve
	// ThreadMarkers are how a line of such a thread begins; nil where each of them matters.
	ThreadMarkers []input.Text
	WhenNone      bool // a change that requires no criterion needs no command
	Closed        bool // no change may name the task any more

	ProtectedFiles    []Pattern
	MayTouchProtected []input.Text // literal paths

	BaseBranches []Pattern
	AppliesTo    []Author // nil for everyone
	UpdateBots   []Author // accounts whose own pull requests are not held to scope and protection; literal logins and ids
}

// SeveralBases reports whether pull requests into more than one branch are judged, each by the contract of its branch.
func (c *Contract) SeveralBases() bool {
	isGlob := func(p Pattern) bool { return strings.ContainsAny(p.Value, `*?[{\`) }
	return len(c.BaseBranches) > 1 || slices.ContainsFunc(c.BaseBranches, isGlob)
}

// Author is an entry of applies_to: a glob over the names of an account, or the id of one.
type Author struct {
	Pattern
	ID string // digits; "" where there is a glob
}

// Pattern is a glob of the contract.
type Pattern struct {
	input.Text
	Glob glob.Pattern
}

// Criterion is an acceptance criterion: a command that must run, and how it must end.
type Criterion struct {
	Pos         input.Pos
	ID          string      // never empty: c1, c2, … by position when the contract has none
	IDGiven     bool        // false when ID is by position
	Run         []string    // argv, at least one element
	Cwd         string      // relative to the root of the repository, normalised; "." when absent
	ExpectFail  bool        // a negative control: it must exit non-zero
	Proves      input.Text  // the id of the criterion that a negative control proves; zero when absent
	MinEvidence input.Level // "" when absent
	MaxAttempts int64       // 3 when absent
	TestReport  string      // path in the repository; "" when absent
	ReportFrom  string      // [FromStdout], or "" where the command writes the test report
	MinTests    int64       // 1 when absent and there is a test report, else 0
	When        []Pattern   // changes that touch none of these do not require it; nil when absent
	UnknownExit []int64     // exit codes that say that the command cannot know; nil when absent
	Given       CriterionKeys
}

// FromStdout says that the test report is what the command writes to its standard output.
const FromStdout = "stdout"

// CriterionKeys reports which keys a criterion contains, of those whose default is a normal value.
type CriterionKeys struct {
	Expect, MaxAttempts, MinTests bool
	UnknownExit                   input.Pos // of the value; zero when absent
}

// Approval requires an approving review when the change touches a file that it matches, or when a diff rule finds something.
type Approval struct {
	ID     input.Text
	Files  []Pattern
	Rules  []input.Text // ids of diff rules
	People int64        // how many people must approve; 1 when absent
}

// PathSeverity sets the severity of off-scope files.
type PathSeverity struct {
	Files    []Pattern
	Severity input.Severity
}

// DefaultCoverageReport is the path of the coverage report where the contract names none.
const DefaultCoverageReport = "coverage_report.json"

// CoverageRule is the key coverage.
type CoverageRule struct {
	Pos    input.Pos
	Report string // path in the repository, coverage_report.json when absent
	// Criterion is the id of the criterion whose command writes the report; zero when absent.
	Criterion input.Text
	Floor     *input.Ratio // nil when absent
	MaxDrop   *input.Ratio // nil when absent
}

// TestRule is an entry of tests: which paths are tests, which criteria run them, and how severe it is when the tests of the base
// say something about the code of the head. The severities are block, [Approve], warn or info.
type TestRule struct {
	Pos                                    input.Pos
	Files                                  []Pattern
	Criteria                               []input.Text // ids
	NotRun, Dropped, Changed, Incomparable input.Severity
	// NewTests is how severe it is that no test of the head fails on the code of the base; "" where it does not matter.
	NewTests input.Severity
	// Always says that the tests run on the base for each change; otherwise only for one that edits a test path.
	Always bool
}

// Names reports whether the entry names a criterion.
func (r *TestRule) Names(criterion string) bool {
	return slices.ContainsFunc(r.Criteria, func(id input.Text) bool { return id.Value == criterion })
}

// Approve is the severity of a finding that blocks until a person has approved the head. Only tests contains it.
const Approve input.Severity = "approve"

// TestSeverities are the severities in tests, the strictest first.
var TestSeverities = []input.Severity{input.Block, Approve, input.Warn, input.Info}

// RuleBook is the key rules. A nil Catalogue means that there is none.
type RuleBook struct {
	Pos input.Pos // of the value; zero when the contract has none
	// Run is the command that writes the rule report, run at the root of the repository; nil when absent.
	Run []string
	// Report is the path in the repository that Run writes to; "" when absent, which means
	// rule_report.json in the evidence directory.
	Report      string
	NotRequired bool // "required": false
	Catalogue   []CatalogueRule
	// DiffRules are the entries of the catalogue about the gate's own rules, whose severity they set. No report contains them.
	DiffRules []CatalogueRule
	Ignore    []RuleIgnore
}

// IsDiffRule reports whether an id names one of the gate's own rules.
func IsDiffRule(id string) bool { return strings.HasPrefix(id, diffPrefix) }

const diffPrefix = "closeout/"

// DiffRuleIDs are the ids of diff rules that the contract says something about, except under ignore.
func (c *Contract) DiffRuleIDs() []input.Text {
	var ids []input.Text
	for _, r := range c.Rules.DiffRules {
		ids = append(ids, r.ID)
	}
	for _, a := range c.Approvals {
		ids = append(ids, a.Rules...)
	}
	for _, never := range c.Override.Never {
		if IsDiffRule(never) {
			ids = append(ids, input.Text{Value: never, Pos: c.Keys["override"]})
		}
	}
	return ids
}

// Off is the severity of a diff rule that does not count: the least strict one. Only the catalogue contains it.
const Off input.Severity = "off"

// CatalogueRule is a rule that all reports together must contain exactly once, or once and more often by each of its reviewers.
type CatalogueRule struct {
	ID        input.Text
	Severity  input.Severity
	ExpiresAt string   // YYYY-MM-DD, "" when absent
	Reviewers []string // who must have judged it; nil when it is a rule like any other
	Agree     int64    // how many of them must object to the same lines, so that it counts; at least 1 with Reviewers
}

// RuleIgnore allows a rule to fail on some files until a day.
type RuleIgnore struct {
	ID     input.Text
	Files  []Pattern
	Reason string
	Until  string // YYYY-MM-DD; "" when absent: it counts on no day
}

// EvidenceRule is the key evidence.
type EvidenceRule struct {
	Min input.Level // "" when absent
	Dir string      // "" when absent; the default is .closeout/evidence
	// Committed says whether changes may bring evidence along; nil when absent, which means that they may not.
	Committed *bool
}

// Commits reports whether the contract lets changes bring evidence along.
func (e EvidenceRule) Commits() bool { return e.Committed != nil && *e.Committed }

// AgentRule is the key agent: what counts beside an agent, on the machine that it works on. It decides no verdict.
type AgentRule struct {
	DenyTools []Pattern // globs of names of tools that the agent may not call
	// StopBlocks is how often its end may be refused, StallAfter after how many tries without progress it is stuck, and MaxAttempts
	// how many tries it has. nil when absent.
	StopBlocks, StallAfter, MaxAttempts *int64
}

// TaskRule is the key tasks, which only the standing contract contains: how many tasks a change may carry, and whether it must.
type TaskRule struct {
	Required bool
	Max      int64 // 0 when absent, which means 1
}

// Most is how many tasks a change may carry.
func (r TaskRule) Most() int { return int(max(r.Max, 1)) }

// OverrideRule is the key override, with its defaults.
type OverrideRule struct {
	Label       string
	Permission  string
	Users       []string
	Teams       []string
	Binding     string
	AllowAuthor bool
	Self        bool     // the only maintainer overrides as author; it implies AllowAuthor
	Never       []string // codes of findings, and ids of diff rules
	People      int64    // how many people must override together; 1 when absent
}

package check

import (
	"fmt"

	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/override"
	"github.com/closeout-gate/closeout/verify/policy"
	"github.com/closeout-gate/closeout/verify/proof"
	"github.com/closeout-gate/closeout/verify/reports"
)

// Kind is a kind of input.
type Kind string

// The kinds of input.
const (
	Contract     Kind = "contract"
	TaskContract Kind = "task_contract"
	Feedback     Kind = "feedback"
	Rules        Kind = "rules"
	Changes      Kind = "changes"
	Diff         Kind = "diff"
	Facts        Kind = "facts"
	Coverage     Kind = "coverage"
	Tests        Kind = "tests"
	DiffRules    Kind = "diff_rules"
)

// State says whether the inputs of a kind can be judged.
type State int

// The states. The state of Changes is that of changes.json and pr.diff together.
const (
	Missing State = iota
	Malformed
	Usable
)

// NoMatch is the Where of the problem that a path or pattern matches no file: the input is missing, not
// malformed.
const NoMatch = "no match"

// Unmatched is the problem that a path or pattern of a kind names no file.
func Unmatched(kind Kind, pattern string) Problem {
	return Problem{Kind: kind, Error: input.Error{
		Where: NoMatch, Message: fmt.Sprintf("%q matches no file", pattern), Found: "no file", Expected: "at least one file",
		Fix: "make sure that the file is written and supplied, and that the pattern matches it",
	}, Pattern: pattern}
}

// Problem is an error in an input.
type Problem struct {
	Kind  Kind
	Path  string // of the input
	Error input.Error
	// Pattern is what the caller named, in a problem of [Unmatched].
	Pattern string
}

// Inputs is everything that the checks look at. Parts whose State is not Usable are nil or incomplete.
type Inputs struct {
	State    map[Kind]State
	Problems []Problem

	Strict      bool  // warnings block
	MaxFindings int64 // how many different findings a check may have; 0 is any number

	Facts  *facts.Facts // nil when there are none
	Policy *policy.Policy
	// Standing is the standing or operator's contract; nil when it is missing, cannot be read, or may be the change's
	// own making. It says whose pull requests are judged.
	Standing *contract.Contract
	Rule     *override.Rule // who may override; nil when the contract that says so cannot be trusted
	// Override is what became of the labels that ask for an override; nil until all other checks have run, and when the
	// collector did not ask GitHub about a pull request.
	Override *override.Decision
	Minimum  input.Level // the effective evidence minimum
	Event    string      // see Event of the settings
	// Unbound is true when the minimum is claimed only because there is no code tree to bind to.
	Unbound bool
	Named   []string // the tasks that the caller named
	// NoTasks are named and have no contract; the contracts of ClosedTasks say that no change may name them any more.
	NoTasks, ClosedTasks []policy.Claim
	Today                string // YYYY-MM-DD; "" when it is unknown
	Digests              []string

	// Group is what became of a merge group's pull requests; nil when no group is judged.
	Group *Group
	// Member is the place of a pull request in a merge group; nil when it is judged by itself.
	Member *Member

	Logs   []Log // in the order of the ledger's streams
	Ledger *proof.Ledger
	// Decisions says of each criterion of the policy what the logs prove; nil when there is no policy or no log to judge.
	Decisions []proof.Decision
	// Companions are the reports beside the logs, by kind and path.
	Companions []Companion

	// CrossLedgers are what the logs say about the trees that are composed from base and head, by tree; CrossTests the test
	// reports that were written on them, by their path in the repository; Cross what they show.
	CrossLedgers map[string]*proof.Ledger
	CrossTests   map[string]*TestFile
	Cross        []CrossRun

	Changes    []JudgedPath
	Disagree   []Disagreement // between changes.json and pr.diff
	Surplus    []Source       // second files where there may be one changes.json and one diff
	AddedTasks []string       // task contracts that the change adds, sorted
	AbsentTask string         // the added one that should judge and was not supplied; "" when there is none

	Rules     []RuleFile
	DiffRules *DiffRuleFile // nil when the collector wrote none
	Coverage  *CoverageFile
	Tests     map[string]*TestFile // by their path in the repository
}

// Group is a merge group held against its pull requests.
type Group struct {
	Missing     []int64       // pull requests that the facts list, and of which nothing is known
	Unlisted    []int64       // pull requests of which something is known, and that the facts do not list
	Unsure      bool          // it is not known what each of the pull requests brings in
	Unexplained []*JudgedPath // of the group, of paths that no pull request in it touches
}

// Member is the place of a pull request in a merge group.
type Member struct {
	Number  int64
	BaseSHA string // of the group
	// Foreign are the paths that the pull request touches now and that are different in the group, or missing.
	Foreign []string
	// Other are the paths that both change, and to which the group gives another content or mode.
	Other []string
}

// Log is a feedback log.
type Log struct {
	Path    string
	SHA256  string
	Records int64
	Counts  bool // false when digests were supplied and this log is not among them
	Trusted bool // its digest was supplied
}

// Streams are the logs that count, as the ledger contains them.
func (in *Inputs) Streams() []*proof.Stream {
	var list []*proof.Stream
	for i, l := range in.Logs {
		if l.Counts {
			list = append(list, in.Ledger.Streams[i])
		}
	}
	return list
}

// Unavailable lists the facts of a kind that the collector could not have.
func (in *Inputs) Unavailable(what facts.Wanted) []facts.Unavailable {
	if in.Facts == nil {
		return nil
	}
	var list []facts.Unavailable
	for _, u := range in.Facts.Unavailable {
		if u.What == what {
			list = append(list, u)
		}
	}
	return list
}

// Decide fills in Decisions and Companions, when everything else is there.
func (in *Inputs) Decide() {
	trust := make([]proof.Trust, len(in.Logs)) // of each stream of the ledger: logs and streams have the same order
	for i, l := range in.Logs {
		trust[i] = proof.Trust{Counts: l.Counts, Recorded: l.Trusted}
	}
	in.Companions = in.companionsOf(trust)
	in.Decisions = nil
	if in.Policy == nil || in.Ledger == nil || in.State[Feedback] != Usable {
		return
	}
	in.Decisions = make([]proof.Decision, len(in.Policy.Criteria))
	for i := range in.Decisions {
		in.Decisions[i] = in.Ledger.Decide(i, in.Policy.Minimum(&in.Policy.Criteria[i], in.Minimum), trust)
	}
	in.Cross = in.crossRuns(trust)
}

// JudgedPath is a touched path and how the contracts class it.
type JudgedPath struct {
	change.Change
	policy.Ruling
}

// Disagreement is a path that changes.json and pr.diff tell apart.
type Disagreement struct {
	Path          string
	Changes, Diff string // status, or "not there"
}

// Source is an input by its kind and path.
type Source struct {
	Kind Kind
	Path string
}

// DiffRuleFile is what the diff rules found, and the file that says so.
type DiffRuleFile struct {
	Path string
	*reports.Diff
}

// RuleFile is a rule report.
type RuleFile struct {
	Path   string
	SHA256 string
	Report *reports.Report
}

// CoverageFile is the coverage report.
type CoverageFile struct {
	Path   string
	SHA256 string
	Report *reports.Coverage
}

// TestFile is a test report that a criterion names. Report is nil when it is malformed.
type TestFile struct {
	Path   string
	SHA256 string
	Report *reports.TestReport
}

// NeedsNoLog reports whether the change requires no command, and the standing contract allows that.
func (in *Inputs) NeedsNoLog() bool {
	return in.Policy != nil && len(in.Policy.Criteria) == 0 && in.Policy.WhenNone()
}

// NeedsRules reports whether a rule report must be there. Contracts that could not be read do not say that there is none.
func (in *Inputs) NeedsRules() bool { return in.Policy == nil || !in.Policy.Rules.NotRequired }

// The codes of findings about a criterion's test report.
const (
	CodeVacuous     = "acceptance.vacuous"
	CodeTestsFailed = "acceptance.tests_failed"
)

// TestsReason is the code of the finding that a criterion's test report calls for; "" when the report is as it must be, or
// the criterion names none. In the report of a negative control failures are what is expected.
func (in *Inputs) TestsReason(c *contract.Criterion) string {
	if c.TestReport == "" {
		return ""
	}
	switch file := in.Tests[c.TestReport]; {
	case file == nil || file.Report == nil:
		return CodeVacuous
	case !c.ExpectFail && file.Report.Failures() > 0:
		return CodeTestsFailed
	case file.Report.Ran() < c.MinTests:
		return CodeVacuous
	}
	return ""
}

// Package report is the verification report: plain data with a JSON form that is a public promise.
//
// A report's file is its own canonical form (RFC 8785), so the sha256 of the file is the digest of the report. It holds
// no clock, host, user, absolute path or float; ratios are integers in basis points.
package report

// Schema names the form of the report.
const Schema = "closeout.verification_report/v1"

// FileName is what the report is called in a bundle.
const FileName = "verification_report.json"

// The verdicts.
const (
	Passed     = "passed"
	Failed     = "failed"
	Overridden = "overridden"
	Review     = "review"
)

// The outcomes of a check and of an acceptance criterion.
const (
	OutcomePassed  = "passed"
	OutcomeFailed  = "failed"
	OutcomeUnknown = "unknown"
	OutcomeSkipped = "skipped"
)

// MaxFindings is how many findings a report lists; counts and override code are computed before the cut.
const MaxFindings = 1000

// Report is verification_report.json. No list but Settings.Digests is null when it is written: an empty one is [].
type Report struct {
	Schema          string       `json:"schema"`
	TaskID          *string      `json:"task_id"` // null when no contract could be read
	Passed          bool         `json:"passed"`  // true for passed and overridden
	Verdict         string       `json:"verdict"`
	Mode            string       `json:"mode"` // enforce or observe
	Strict          bool         `json:"strict"`
	Subject         Subject      `json:"subject"`
	Settings        Settings     `json:"settings"`
	Checks          []Check      `json:"checks"`
	Findings        []Finding    `json:"findings"`
	FindingsOmitted int          `json:"findings_omitted"` // how many more there are than findings lists
	Counts          Counts       `json:"counts"`
	Acceptance      []Acceptance `json:"acceptance"`
	Approvals       []string     `json:"approvals_required"` // what the contract wants a reviewer to approve, as text
	Companions      []Companion  `json:"companions"`
	Files           []File       `json:"files"`
	OverrideCode    *string      `json:"override_code"` // null when nothing blocks
	Override        *Override    `json:"override"`
	OverrideRefused []Refusal    `json:"override_refused"`
	OverrideReason  *string      `json:"override_reason"`
	OverriddenBy    *string      `json:"overridden_by"`
	Inputs          []Input      `json:"inputs"`
	Tool            Tool         `json:"tool"`
	// PullRequests are those of a merge group, by number; nil, and not written, when none was judged.
	PullRequests []PullRequest `json:"pull_requests,omitzero"`
}

// PullRequest is a pull request of a merge group, and what became of it.
type PullRequest struct {
	Number          int64             `json:"number"`
	TaskID          *string           `json:"task_id"` // null when no contract could be read
	HeadSHA         *string           `json:"head_sha"`
	Verdict         string            `json:"verdict"` // of its own findings alone
	Counts          PullRequestCounts `json:"counts"`
	OverrideCode    *string           `json:"override_code"` // null when nothing of its own blocks
	Override        *Override         `json:"override"`
	OverrideRefused []Refusal         `json:"override_refused"`
}

// PullRequestCounts are totals of one pull request, taken before any list was cut.
type PullRequestCounts struct {
	Block   int `json:"block"`
	Unknown int `json:"unknown"`
	Warn    int `json:"warn"`
	Info    int `json:"info"`
	Files   int `json:"files"`
}

// Subject is what was judged. Everything that the facts do not say is null.
type Subject struct {
	Repository   *string `json:"repository"`
	PullRequest  *int64  `json:"pull_request"`
	BaseSHA      *string `json:"base_sha"`
	MergeBaseSHA *string `json:"merge_base_sha"`
	HeadSHA      *string `json:"head_sha"`
	CodeTree     *string `json:"code_tree"`    // the first accepted tree
	ChangesFrom  *string `json:"changes_from"` // git, api or diff
}

// Settings is everything beside the inputs that could change the decision.
type Settings struct {
	EvidenceMin string   `json:"evidence_min"` // effective minimum: claimed, bound or recorded
	Task        *string  `json:"task"`
	Today       *string  `json:"today"`
	Event       *string  `json:"event,omitempty"` // about a pull request or merge group, where GitHub was not asked
	Digests     []string `json:"digests"`         // sha256 of the logs that the workflow handed over; null when it handed over none
	Limits      Limits   `json:"limits"`
	Override    *Rule    `json:"override"` // null when no contract could be read or trusted
}

// Rule is who may override, as all contracts together say.
type Rule struct {
	Label       string   `json:"label"`
	Permission  string   `json:"permission"` // the least: write, maintain or admin
	Users       []string `json:"users"`      // logins that may with triage permission
	Teams       []string `json:"teams"`      // slugs of teams whose members may
	Binding     string   `json:"binding"`    // code or event
	AllowAuthor bool     `json:"allow_author"`
	Never       []string `json:"never"` // codes that nobody can override
}

// Limits are the bounds that held, by the names of their flags without the prefix.
type Limits map[string]int64

// Check is one check's outcome.
type Check struct {
	ID       string `json:"id"`
	Outcome  string `json:"outcome"`
	Findings int    `json:"findings"`
}

// Finding is one thing that a check reports.
type Finding struct {
	Code        string   `json:"code"`
	Severity    string   `json:"severity"` // block, unknown, warn or info
	Message     string   `json:"message"`
	Location    Location `json:"location"`
	Expected    string   `json:"expected"`
	Actual      string   `json:"actual"`
	Fix         string   `json:"fix"`
	Fingerprint string   `json:"fingerprint"` // sha256 in hexadecimal
	Times       int      `json:"times"`       // how many equal findings this one stands for, at least 1
	Overridden  bool     `json:"overridden"`
}

// PersonMay begins, in the fix of a finding, what only a person may do, on purpose. Presenters for an agent leave it out.
const PersonMay = "; a person may "

// Command begins the line of a comment that overrides findings.
const Command = "/closeout-override"

// CodeMeaning explains an override code. Presenters print it next to the code.
const CodeMeaning = "The code is valid for these findings at this head and base branch only: a push, another base branch or a new finding requires a new code."

// Location says where a finding is. Input is the kind of input that shows it ("" for none in particular); Path is the
// touched file or, for an error in an input, the input's own path; Line and Column are 0 when they mean nothing.
type Location struct {
	Input  string `json:"input,omitempty"`
	Path   string `json:"path,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	// PullRequest is the one of a merge group that the finding belongs to; 0 where none is: then the finding is the group's,
	// or no group was judged.
	PullRequest int64 `json:"pull_request,omitempty"`
}

// Counts are totals, taken before any list was cut.
type Counts struct {
	Block   int   `json:"block"`
	Unknown int   `json:"unknown"`
	Warn    int   `json:"warn"`
	Info    int   `json:"info"`
	Files   int   `json:"files"`
	Records int64 `json:"records"`
}

// Acceptance is one criterion and what the evidence says of it.
type Acceptance struct {
	ID        string     `json:"id"`
	Run       []string   `json:"run"`
	Cwd       string     `json:"cwd"`
	Expect    string     `json:"expect"` // pass or fail
	Outcome   string     `json:"outcome"`
	Level     string     `json:"level"`
	KeptFrom  *string    `json:"kept_from"` // what kept the evidence from the next level, null at the top; or an unproven control
	Attempts  int64      `json:"attempts"`  // records of the deciding level
	Tests     *int64     `json:"tests"`     // cases in the test report; null when none was asked for
	DecidedBy []Decision `json:"decided_by"`
	// PullRequest is the one of a merge group whose contract alone names the criterion; nil, and not written, otherwise.
	PullRequest *int64 `json:"pull_request,omitempty"`
}

// Decision is a record that decided a criterion.
type Decision struct {
	Path   string `json:"path"`
	Line   int    `json:"line"`
	SHA256 string `json:"sha256"` // of the line without its end
}

// Companion is a report beside the log, and how far it can be believed.
type Companion struct {
	Kind     string  `json:"kind"` // rules, coverage or tests
	Path     string  `json:"path"`
	Level    string  `json:"level"`
	KeptFrom *string `json:"kept_from"`
}

// File is one touched path. A path that is not UTF-8 is written as git quotes it, and its bytes stand in PathBase64.
type File struct {
	Path       string `json:"path"`
	PathBase64 string `json:"path_base64,omitempty"`
	Status     string `json:"status"`
	Class      string `json:"class"`
	OldMode    string `json:"old_mode"`
	NewMode    string `json:"new_mode"`
}

// Override says who let the block findings through, and why.
type Override struct {
	Actor    string   `json:"actor"`
	ActorID  string   `json:"actor_id"`
	At       string   `json:"at"`
	Label    string   `json:"label"`
	Reason   string   `json:"reason"`
	HeadSHA  string   `json:"head_sha"`
	Accepted []string `json:"accepted"` // fingerprints
}

// Refusal is a label that did not count.
type Refusal struct {
	Label     string `json:"label"`
	Actor     string `json:"actor"`
	Condition string `json:"condition"`
	Why       string `json:"why"`
}

// Input is one file that was read.
type Input struct {
	Kind   string  `json:"kind"`
	Path   string  `json:"path"`
	Ref    *string `json:"ref"` // commit that it was read from
	SHA256 string  `json:"sha256"`
	Bytes  int64   `json:"bytes"`
	Trust  string  `json:"trust"`
}

// Tool is the program that judged.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

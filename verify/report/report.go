// Package report is the verification report: plain data with a JSON form that is a public promise.
//
// The report file is in canonical form (RFC 8785), so the sha256 of the file is the digest of the report. It contains no time,
// host, user, absolute path or float; ratios are integers in basis points.
package report

// Schema names the form of the report.
const Schema = "closeout.verification_report/v1"

// FileName is the name of the report in a bundle.
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
	// OutcomeNotRequired is the outcome of a criterion that the change does not require.
	OutcomeNotRequired = "not_required"
)

// The other outcomes of a cross run.
const (
	CrossMissing      = "missing"
	CrossIncomparable = "incomparable"
	CrossNotNeeded    = "not_needed"
)

// MaxFindings is the maximum number of findings in a report; counts and override code are computed before the cut.
const MaxFindings = 1000

// Report is verification_report.json. No list but Settings.Digests is null when it is written: an empty one is [].
type Report struct {
	Schema          string       `json:"schema"`
	TaskID          *string      `json:"task_id"`         // null when no contract could be read, and where there are several tasks
	Tasks           []string     `json:"tasks,omitempty"` // where there are several
	Passed          bool         `json:"passed"`          // true for passed and overridden
	Verdict         string       `json:"verdict"`
	Mode            string       `json:"mode"` // enforce or observe
	Strict          bool         `json:"strict"`
	Subject         Subject      `json:"subject"`
	Settings        Settings     `json:"settings"`
	Checks          []Check      `json:"checks"`
	Findings        []Finding    `json:"findings"`
	FindingsOmitted int          `json:"findings_omitted"` // number of findings that are not listed
	Counts          Counts       `json:"counts"`
	Acceptance      []Acceptance `json:"acceptance"`
	Approvals       []string     `json:"approvals_required"` // texts of the contract for a reviewer
	Companions      []Companion  `json:"companions"`
	Files           []File       `json:"files"`
	OverrideCode    *string      `json:"override_code"` // null when nothing blocks
	Override        *Override    `json:"override"`
	OverrideRefused []Refusal    `json:"override_refused"`
	OverrideReason  *string      `json:"override_reason"`
	OverriddenBy    *string      `json:"overridden_by"`
	Inputs          []Input      `json:"inputs"`
	Tool            Tool         `json:"tool"`
	// PullRequests are the members of a merge group, by number; nil, and not written, without a merge group.
	PullRequests []PullRequest `json:"pull_requests,omitzero"`
	// Cross is what the tests of the base show about the code of the head; nil, and not written, where no contract says which
	// paths are tests.
	Cross []Cross `json:"cross,omitzero"`
}

// PullRequest is a pull request of a merge group.
type PullRequest struct {
	Number          int64             `json:"number"`
	TaskID          *string           `json:"task_id"`         // null when no contract could be read, and where there are several tasks
	Tasks           []string          `json:"tasks,omitempty"` // where there are several
	HeadSHA         *string           `json:"head_sha"`
	Verdict         string            `json:"verdict"` // of its own findings alone
	Counts          PullRequestCounts `json:"counts"`
	OverrideCode    *string           `json:"override_code"` // null when none of its own findings blocks
	Override        *Override         `json:"override"`
	OverrideRefused []Refusal         `json:"override_refused"`
}

// CodeNotApplicable is the code of the only finding about a pull request that applies_to leaves out.
const CodeNotApplicable = "gate.not_applicable"

// LeftOut lists the pull requests that applies_to left out: 0 for one that is judged by itself.
func (r *Report) LeftOut() []int64 {
	var list []int64
	for _, f := range r.Findings {
		if f.Code == CodeNotApplicable {
			list = append(list, f.Location.PullRequest)
		}
	}
	return list
}

// NotJudged reports whether applies_to left out everything that the report is about: its verdict is passed, and nothing was judged.
func (r *Report) NotJudged() bool {
	return r.Verdict == Passed && len(r.LeftOut()) >= max(1, len(r.PullRequests))
}

// PullRequestCounts are totals of one pull request, before any list was cut.
type PullRequestCounts struct {
	Block   int `json:"block"`
	Unknown int `json:"unknown"`
	Warn    int `json:"warn"`
	Info    int `json:"info"`
	Files   int `json:"files"`
}

// Subject is what was judged. A value that is not in the facts is null.
type Subject struct {
	Repository   *string `json:"repository"`
	PullRequest  *int64  `json:"pull_request"`
	BaseSHA      *string `json:"base_sha"`
	MergeBaseSHA *string `json:"merge_base_sha"`
	HeadSHA      *string `json:"head_sha"`
	CodeTree     *string `json:"code_tree"`    // the first accepted tree
	ChangesFrom  *string `json:"changes_from"` // git, api or diff
}

// Settings is everything besides the inputs that affects the decision.
type Settings struct {
	EvidenceMin string   `json:"evidence_min"` // effective minimum: claimed, bound or recorded
	Task        *string  `json:"task"`
	Tasks       []string `json:"tasks,omitempty"` // those that the caller named, where there are several; task is then null
	Today       *string  `json:"today"`
	Event       *string  `json:"event,omitempty"` // of a pull request or merge group, where GitHub was not asked
	Digests     []string `json:"digests"`         // sha256 of logs that the workflow supplied; null when it supplied none
	Limits      Limits   `json:"limits"`
	Override    *Rule    `json:"override"` // null when no contract could be read or trusted
}

// Rule is who may override according to all contracts.
type Rule struct {
	Label       string   `json:"label"`
	Permission  string   `json:"permission"` // the minimum: write, maintain or admin
	Users       []string `json:"users"`      // logins for which triage permission is enough
	Teams       []string `json:"teams"`      // slugs of teams whose members may override
	Binding     string   `json:"binding"`    // code or event
	AllowAuthor bool     `json:"allow_author"`
	Never       []string `json:"never"`            // codes and ids of diff rules that cannot be overridden
	People      int64    `json:"people,omitempty"` // how many people must override together, where it is more than one
}

// Limits are the limits of the run, by the names of their flags without the prefix.
type Limits map[string]int64

// Check is the outcome of one check.
type Check struct {
	ID       string `json:"id"`
	Outcome  string `json:"outcome"`
	Findings int    `json:"findings"`
}

// Finding is a finding of a check.
type Finding struct {
	Code        string   `json:"code"`
	Severity    string   `json:"severity"` // block, unknown, warn or info
	Message     string   `json:"message"`
	Location    Location `json:"location"`
	Expected    string   `json:"expected"`
	Actual      string   `json:"actual"`
	Fix         string   `json:"fix"`
	Fingerprint string   `json:"fingerprint"` // sha256 in hexadecimal
	Times       int      `json:"times"`       // number of equal findings, at least 1
	Overridden  bool     `json:"overridden"`

	Criterion string    `json:"criterion,omitempty"` // the id of the criterion that it is about
	Rule      string    `json:"rule,omitempty"`      // the id of the diff rule that found it
	Contract  *Location `json:"contract,omitempty"`  // the path, line and column in the contract that decides; nil when none does
	Output    *Output   `json:"output,omitempty"`    // of the command of the criterion; nil when it explains nothing or is unknown
}

// Output is the end of what a command printed, as its record contains it.
type Output struct {
	Stream string   `json:"stream"` // stdout or stderr
	Lines  []string `json:"lines"`  // the last ones
	Error  string   `json:"error"`  // the first line that looks like an error, else the last one; it may come before Lines
}

// PersonMay begins the part of a fix that only a person may do. The agent format leaves it out.
const PersonMay = "; a person may "

// Command begins the line of a comment that overrides findings.
const Command = "/closeout-override"

// CodeMeaning explains an override code. Presenters print it next to the code.
const CodeMeaning = "The code is valid for these findings at this head and base branch only: a push, another base branch or a new finding requires a new code."

// Location is the location of a finding. Input is the kind of input that it is about ("" for none); Path is the touched file
// or, for an error in an input, the path of the input; Line and Column are 0 when they are unknown.
type Location struct {
	Input  string `json:"input,omitempty"`
	Path   string `json:"path,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	// PullRequest is the pull request of a merge group that the finding belongs to; 0 for a finding of the group itself, and
	// without a group.
	PullRequest int64 `json:"pull_request,omitempty"`
}

// Counts are totals, before any list was cut.
type Counts struct {
	Block   int   `json:"block"`
	Unknown int   `json:"unknown"`
	Warn    int   `json:"warn"`
	Info    int   `json:"info"`
	Files   int   `json:"files"`
	Records int64 `json:"records"`
}

// Acceptance is one criterion and its evidence.
type Acceptance struct {
	ID        string     `json:"id"`
	Run       []string   `json:"run"`
	Cwd       string     `json:"cwd"`
	Expect    string     `json:"expect"` // pass or fail
	Outcome   string     `json:"outcome"`
	Level     string     `json:"level"`
	KeptFrom  *string    `json:"kept_from"` // why the evidence has no higher level, null at the top; or an unproven control
	Attempts  int64      `json:"attempts"`  // records of the deciding level
	Tests     *int64     `json:"tests"`     // cases in the test report; null when none is required
	DecidedBy []Decision `json:"decided_by"`
	// TestsFailed is how many of Tests failed; nil, and not written, when none did.
	TestsFailed *int64 `json:"tests_failed,omitempty"`
	// When are the patterns of a criterion that is not required, because no touched path matches one.
	When []string `json:"when,omitempty"`
	// PullRequest is the only one of a merge group whose contract names the criterion; nil, and not written, otherwise.
	PullRequest *int64 `json:"pull_request,omitempty"`
}

// Decision is a record that decided a criterion.
type Decision struct {
	Path   string `json:"path"`
	Line   int    `json:"line"`
	SHA256 string `json:"sha256"` // of the line without its end
}

// Cross is what the tests of the base show about the code of the head, for one criterion.
type Cross struct {
	Criterion string     `json:"criterion"` // its id
	Tree      string     `json:"tree"`      // old_tests: the code of the head with the tests of the base; new_tests: the other way round
	Outcome   string     `json:"outcome"`   // passed, failed, missing, incomparable or not_needed
	Level     string     `json:"level"`
	Cases     CrossCases `json:"cases"`
	Shown     string     `json:"shown"` // the same in words
}

// CrossCases counts test cases that passed on the base, or for new_tests at the head, by what they did on the tree.
type CrossCases struct {
	Base   int64 `json:"base"` // all of them
	Passed int64 `json:"passed"`
	Failed int64 `json:"failed"`
	NotRun int64 `json:"not_run"`
}

// Companion is a report besides the log, and its evidence level.
type Companion struct {
	Kind     string  `json:"kind"` // rules, coverage or tests
	Path     string  `json:"path"`
	Level    string  `json:"level"`
	KeptFrom *string `json:"kept_from"`
}

// File is one touched path. A path that is not UTF-8 is written as git quotes it, and PathBase64 contains its bytes.
type File struct {
	Path       string `json:"path"`
	PathBase64 string `json:"path_base64,omitempty"`
	Status     string `json:"status"`
	Class      string `json:"class"`
	OldMode    string `json:"old_mode"`
	NewMode    string `json:"new_mode"`
}

// Override says who overrode the blocking findings, and why.
type Override struct {
	Actor    string   `json:"actor"`
	ActorID  string   `json:"actor_id"`
	At       string   `json:"at"`
	Label    string   `json:"label"`
	Reason   string   `json:"reason"`
	HeadSHA  string   `json:"head_sha"`
	Accepted []string `json:"accepted"` // fingerprints
	// Others are the people who override together with the actor, where the contract requires several.
	Others []Voice `json:"others,omitempty"`
}

// Voice is what one of several people wrote who override together.
type Voice struct {
	Actor   string `json:"actor"`
	ActorID string `json:"actor_id"`
	At      string `json:"at"`
	Reason  string `json:"reason"`
}

// Who names everyone who overrides.
func (o *Override) Who() string {
	who := o.Actor
	for _, v := range o.Others {
		who += ", " + v.Actor
	}
	return who
}

// Why is the reason; of several people, each one's.
func (o *Override) Why() string {
	if len(o.Others) == 0 {
		return o.Reason
	}
	why := o.Actor + ": " + o.Reason
	for _, v := range o.Others {
		why += "; " + v.Actor + ": " + v.Reason
	}
	return why
}

// Refusal is a refused label.
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

// SameFile reports whether two inputs are one file, perhaps with another content.
func (in Input) SameFile(other Input) bool { return in.Kind == other.Kind && in.Path == other.Path }

// Tool is the program that judged.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

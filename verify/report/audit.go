package report

// AuditSchema names the form of what closeout audit found.
const AuditSchema = "closeout.audit/v1"

// Audit is what closeout audit found about the commits of a branch. It contains no time of the audit, no host and no absolute path.
// Its lists are never null.
type Audit struct {
	Schema          string          `json:"schema"`
	Tool            Tool            `json:"tool"`
	Subject         AuditSubject    `json:"subject"`
	Counts          AuditCounts     `json:"counts"`
	Findings        []AuditFinding  `json:"findings"` // by severity, code, then from the newest commit to the oldest
	FindingsOmitted int             `json:"findings_omitted"`
	Decisions       []AuditDecision `json:"decisions"` // the newest first
	Series          []AuditPeriod   `json:"series"`    // the oldest first, without holes
	Statistics      AuditStatistics `json:"statistics"`
	Changes         []AuditChange   `json:"changes"` // of contract and workflow, the oldest first
	// Commits are the first-parent commits since the adoption, the newest first; CSV lists them, JSON does not.
	Commits []AuditCommit `json:"-"`
}

// AuditSubject is what was audited.
type AuditSubject struct {
	Branch     string  `json:"branch"`
	From       *string `json:"from"` // the oldest audited commit; null when there is none
	To         string  `json:"to"`   // the newest one
	Adopted    *string `json:"adopted"`
	Commits    int     `json:"commits"`     // since the adoption, within the range
	BeforeGate int     `json:"before_gate"` // commits before the adoption, within the range
	Merges     int     `json:"merges"`      // what reached the branch by pull requests, as the entries say; each may be several commits
	Decisions  int     `json:"decisions"`   // merges that were judged
	NotJudged  int     `json:"not_judged"`  // merges that applies_to left out
	AsOf       string  `json:"as_of"`       // the day of the audit, YYYY-MM-DD
	Archive    *string `json:"archive"`     // the commit of the archive; null when there is no archive
	Entries    int64   `json:"entries"`     // in the archive
	Kept       *string `json:"kept"`        // the commit of the archive that the auditor kept; null for none
	Replayed   int     `json:"replayed"`    // how many reports were computed again
}

// AuditCounts count findings, before the list was cut.
type AuditCounts struct {
	Block   int `json:"block"`
	Unknown int `json:"unknown"`
	Warn    int `json:"warn"`
	Info    int `json:"info"`
}

// AuditFinding is a finding of an audit. Commit is "" and Seq nil where it is not about one.
type AuditFinding struct {
	Code         string   `json:"code"`
	Severity     string   `json:"severity"`
	Message      string   `json:"message"`
	Commit       string   `json:"commit,omitempty"`
	Date         string   `json:"date,omitempty"` // of the commit, YYYY-MM-DD, UTC
	PullRequests []string `json:"pull_requests,omitempty"`
	Seq          *int64   `json:"seq,omitempty"`  // of the entry in the archive
	Path         string   `json:"path,omitempty"` // in the repository or in the archive
	Expected     string   `json:"expected"`
	Actual       string   `json:"actual"`
	Fix          string   `json:"fix"`
	Fingerprint  string   `json:"fingerprint"`
}

// NotJudged is the verdict of a merge that applies_to left out, whose report says passed.
const NotJudged = "not_judged"

// How far the report of a decision is about what was merged.
const (
	BindingExact  = "exact"  // the commit is the head, has its code tree, or merges it and nothing else
	BindingFiles  = "files"  // the commit brings the files of the decision, and no others
	BindingPartly = "partly" // as files, but the parent had changed some of them too
	BindingNone   = "none"
)

// AuditDecision is one entry about commits of the branch.
type AuditDecision struct {
	Seq          int64           `json:"seq"`
	Kind         string          `json:"kind"` // decision or gap
	Commit       string          `json:"commit"`
	Commits      int             `json:"commits"` // how many it answers for
	Date         string          `json:"date"`
	PullRequests []string        `json:"pull_requests"`
	HeadSHA      *string         `json:"head_sha"`
	Verdict      string          `json:"verdict"` // of the report, or not_judged; "" for a gap
	Mode         string          `json:"mode"`    // enforce or observe, "" for a gap
	Why          string          `json:"why"`     // of a gap
	Binding      string          `json:"binding"` // "" for a gap
	Replay       string          `json:"replay"`  // same, different, unknown (another version decides otherwise), not_tried or not_replayable
	Version      string          `json:"version"`
	Overrides    []AuditOverride `json:"overrides"`
}

// AuditOverride is an override of a decision: of the pull request, or of a member of a merge group.
type AuditOverride struct {
	PullRequest *string  `json:"pull_request"`
	Actor       string   `json:"actor"`
	ActorID     string   `json:"actor_id"`
	Reason      string   `json:"reason"`
	Codes       []string `json:"codes"` // of the accepted findings, sorted, each once
	HeadSHA     string   `json:"head_sha"`
}

// AuditPeriod counts what reached the branch in a week or a month.
type AuditPeriod struct {
	From       string      `json:"from"` // its first day, YYYY-MM-DD
	Passed     int         `json:"passed"`
	Overridden int         `json:"overridden"`
	Failed     int         `json:"failed"`
	Review     int         `json:"review"`
	NotJudged  int         `json:"not_judged"`
	Gaps       int         `json:"gaps"`
	Missing    int         `json:"missing"`
	Levels     AuditLevels `json:"levels"`
}

// AuditLevels count criteria by the level of their evidence.
type AuditLevels struct {
	Absent   int `json:"absent"`
	Claimed  int `json:"claimed"`
	Bound    int `json:"bound"`
	Recorded int `json:"recorded"`
}

// AuditStatistics add up all decisions. Lists are sorted by number, the largest first, then by name.
type AuditStatistics struct {
	Verdicts      map[string]int `json:"verdicts"`       // passed, overridden, failed, review, not_judged, gap, missing
	OverrideShare int            `json:"override_share"` // overridden decisions of all, in basis points
	Codes         []AuditNumber  `json:"overridden_codes"`
	People        []AuditPerson  `json:"people"`
	Reasons       []AuditNumber  `json:"repeated_reasons"` // given three times or more, case and spaces aside
	Levels        AuditLevels    `json:"levels"`
	RecordsMedian int64          `json:"records_median"`
	RecordsP90    int64          `json:"records_p90"`
	FilesMedian   int64          `json:"files_median"`
	FilesP90      int64          `json:"files_p90"`
	Flaky         []AuditNumber  `json:"flaky_criteria"`
}

// AuditNumber is a name and how often it occurs.
type AuditNumber struct {
	Name  string `json:"name"`
	Times int    `json:"times"`
}

// AuditPerson is a person who overrode.
type AuditPerson struct {
	Actor     string        `json:"actor"`
	ActorID   string        `json:"actor_id"`
	Overrides int           `json:"overrides"`
	Codes     []AuditNumber `json:"codes"`
	Authors   []AuditNumber `json:"authors"` // whose pull requests they were
}

// The kinds of an AuditChange.
const (
	ChangeContract = "contract"
	ChangeWorkflow = "workflow"
)

// AuditChange is a change of what the gate judges by.
type AuditChange struct {
	Kind     string `json:"kind"`
	Commit   string `json:"commit"`
	Date     string `json:"date"`
	Text     string `json:"text"`     // what changed, in a few words
	Loosened bool   `json:"loosened"` // of a contract
}

// AuditCommit is a line of the CSV. The page shows subject and author too.
type AuditCommit struct {
	Commit  string
	Date    string
	Subject string         // the first line of the message
	Author  string         // the name, as the commit says it
	State   string         // decision, not_judged, gap, missing, pending or unknown
	Entry   *AuditDecision // nil without one
	Finding string         // the codes of its findings, separated by spaces
}

// CanonicalAudit returns the document in canonical form (RFC 8785), no newline at the end. A nil list is written as an empty one.
func CanonicalAudit(a *Audit) ([]byte, error) {
	fill(&a.Findings)
	fill(&a.Decisions)
	fill(&a.Series)
	fill(&a.Changes)
	fill(&a.Statistics.Codes)
	fill(&a.Statistics.People)
	fill(&a.Statistics.Reasons)
	fill(&a.Statistics.Flaky)
	for i := range a.Decisions {
		fill(&a.Decisions[i].PullRequests)
		fill(&a.Decisions[i].Overrides)
	}
	return CanonicalJSON(a)
}

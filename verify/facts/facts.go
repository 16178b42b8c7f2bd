// Package facts reads facts.json: what the collector learned from git and GitHub.
package facts

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/closeout-gate/closeout/verify/input"
)

// Facts is facts.json: everything beside the other inputs that can change a decision, written down by the collector
// before anything is judged. Every field but the schema is optional; what is absent is unknown or not applicable. The
// JSON names are those that Marshal writes and Parse reads.
type Facts struct {
	Schema        string           `json:"schema" is:"schema"`
	Settings      Settings         `json:"settings,omitzero"`
	Subject       Subject          `json:"subject,omitzero"`
	Contracts     []ContractOrigin `json:"contracts,omitzero"` // nil when absent: then the operator vouches for every contract
	Event         Event            `json:"event,omitzero"`
	Digests       []string         `json:"digests,omitzero" is:"digest"` // of the logs that the workflow supplies, as SplitDigest takes them; nil when none were
	ArgumentPaths []string         `json:"argument_paths,omitzero"`      // files named by acceptance arguments that exist at the base; nil when it was not looked up
	Files         []FileOrigin     `json:"files,omitzero"`
	BaseCoverage  *BaseCoverage    `json:"base_coverage,omitzero"`    // nil when the base has no coverage report, or it was not looked for
	Cross         []CrossTrees     `json:"cross,omitzero"`            // for each accepted tree; nil when the contract names no tests, or the collector did not look
	TestPlaces    []CrossPlace     `json:"test_places,omitzero"`      // where the functions of cases stand that fail at the head; for a person
	Misplaced     []Misplaced      `json:"misplaced,omitzero"`        // where contracts are, when there is none where the gate looks
	Trial         bool             `json:"trial,omitzero" null:"yes"` // a person tries a contract that the base does not have yet
	Quotes        []Quote          `json:"quotes,omitzero"`           // of rule reports, those that the collector looked up in the head
	Unmatched     []Unmatched      `json:"unmatched,omitzero"`        // paths and patterns that the caller named and that match no file
	Trailers      []Trailer        `json:"trailers,omitzero"`         // each task that commits of the change name, once; nil when none does
	Unavailable   []Unavailable    `json:"unavailable,omitzero"`
	Membership    *Membership      `json:"membership,omitzero"` // of a pull request in a merge group; nil when it was not looked up
	GitHub        *GitHub          `json:"github,omitzero"`     // nil when GitHub was not asked
	// Jobs are the jobs of the run that judges that did not succeed; nil when they were not asked for, as where no record is missing.
	Jobs []Job `json:"jobs,omitzero"`
}

// Marshal writes facts.json as [Parse] reads it, for people to read as well.
func (f *Facts) Marshal() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(f)
	return b.Bytes(), err
}

// Membership says whether a merge group contains the current state of a pull request.
type Membership struct {
	HeadInGroup bool `json:"head_in_group"` // the group's history contains the pull request's head
	// Differs are the touched paths at which the heads of group and pull request differ, one that is not UTF-8 as
	// QuotePath writes it. It matters where the head is not in the group; nil when it was not looked up.
	Differs []string `json:"differs,omitzero" is:"path"`
}

// Settings are the settings that the collector was called with.
type Settings struct {
	Mode   string `json:"mode,omitempty" is:"enforce|observe"` // enforce or observe; "" when absent
	Strict bool   `json:"strict,omitempty" null:"yes"`
	Task   string `json:"task,omitempty" is:"task"` // "" when absent or null
	// Tasks are those that the caller named, where there are several; Task is then absent.
	Tasks []string `json:"tasks,omitzero" is:"task"`
	Today string   `json:"today,omitempty" is:"day"` // YYYY-MM-DD; "" when absent
	// Unattended says that no person reviews what is judged: an agent submits an item.
	Unattended bool `json:"unattended,omitempty" null:"yes"`
}

// NameTasks sets the tasks that the caller named.
func (s *Settings) NameTasks(ids []string) {
	if len(ids) > 1 {
		s.Tasks = ids
	} else if len(ids) == 1 {
		s.Task = ids[0]
	}
}

// Named are the tasks that the caller named; nil for none.
func (s *Settings) Named() []string {
	if s.Task != "" {
		return []string{s.Task}
	}
	return s.Tasks
}

// Trailer is a task that a commit of the change names in a trailer "Closeout-Task: ID".
type Trailer struct {
	Task   string `json:"task"`           // as it is written, so perhaps no task id
	Commit string `json:"commit" is:"id"` // the first one that names it
}

// Quote is what a row of a rule report quotes, and where it stands.
type Quote struct {
	File  string `json:"file"`                  // as the row names it
	Line  int64  `json:"line,omitempty" is:"1"` // as the row says; 0 when it says none
	Quote string `json:"quote"`
	At    int64  `json:"at,omitempty" is:"1"` // the line where it stands in the head; 0 when it stands nowhere
	In    string `json:"in,omitempty"`        // the file that it moved to, where the change deletes File; "" when it is in File
}

// Subject is what is judged.
type Subject struct {
	Repository    string   `json:"repository,omitempty" is:"repository"`
	RepositoryID  string   `json:"repository_id,omitempty" is:"digits"`
	PullRequest   int64    `json:"pull_request,omitempty" is:"1" null:"yes"` // 0 when it is none
	PullRequests  []int64  `json:"pull_requests,omitzero" is:"pull"`         // of a merge group, those that are known to be in it; nil when it was not looked up
	BaseBranch    string   `json:"base_branch,omitempty"`
	DefaultBranch string   `json:"default_branch,omitempty"`
	BaseSHA       string   `json:"base_sha,omitempty" is:"id"`
	MergeBaseSHA  string   `json:"merge_base_sha,omitempty" is:"id"`
	MergeBases    []string `json:"merge_bases,omitzero" is:"id"` // all of them, sorted, when there are several
	HeadSHA       string   `json:"head_sha,omitempty" is:"id"`
	AcceptedTrees []string `json:"accepted_trees,omitzero" is:"id"`          // code trees that a record may name; nil when unknown
	ChangesFrom   string   `json:"changes_from,omitempty" is:"git|api|diff"` // git, api or diff; "" when absent
}

// ContractOrigin says where a contract of the bundle came from.
type ContractOrigin struct {
	File   string `json:"file"`           // name in the bundle
	Path   string `json:"path,omitempty"` // path in the repository, or as the operator named it
	Commit string `json:"commit,omitempty" is:"id"`
	Trust  Trust  `json:"trust" is:"base|operator|head"`
	// HeadHolds is true when the head's tree contains the operator's file, or something on the way to it.
	HeadHolds bool `json:"head_holds,omitempty"`
	// BaseHolds is the path of a task contract of the base that has the task_id of this one, which only the head contains: in
	// another case, or in a file with another extension. "" when there is none.
	BaseHolds string `json:"base_holds,omitempty"`
}

// Trust says who vouches for an input.
type Trust string

// The trusts of a contract.
const (
	TrustBase     Trust = "base"     // read from the base branch's tip
	TrustOperator Trust = "operator" // the workflow's author vouches for it
	TrustHead     Trust = "head"     // only the change itself contains it
)

// Event is the event that the runner was started for.
type Event struct {
	Name    string `json:"name"`
	Action  string `json:"action,omitempty"`
	HeadSHA string `json:"head_sha,omitempty" is:"id"` // the head that the event's payload names
	Label   string `json:"label,omitempty"`            // of a labeled or unlabeled event
	// BaseBranch is the branch that the event's payload names; "" when it names none.
	BaseBranch string `json:"base_branch,omitempty"`
	Sender     string `json:"sender,omitempty"` // login of who caused the event
	SenderID   string `json:"sender_id,omitempty" is:"digits"`
	Attempt    int64  `json:"attempt,omitempty" is:"1"` // of the run: 1, and more when it was run again; 0 when it is unknown
}

// FileOrigin maps a file of the bundle to the path that the report names.
type FileOrigin struct {
	File string `json:"file"`
	Path string `json:"path"`
}

// Misplaced is a contract at a place where the gate does not look. It only helps to explain what is missing.
type Misplaced struct {
	At   string `json:"at" is:"misplaced"` // a value of [MisplacedAt]
	Path string `json:"path"`
}

// MisplacedAt are the places of a [Misplaced] contract: the path that the caller named, where the base has nothing, and files
// of the base, of the head or of the work tree.
var MisplacedAt = []string{"named", "base", "head", "work_tree"}

// Unmatched is a path or pattern that the caller named and that matches no file.
type Unmatched struct {
	Kind    string `json:"kind" is:"feedback|rules"` // feedback or rules
	Pattern string `json:"pattern"`
}

// BaseCoverage is what the coverage report of the base said.
type BaseCoverage struct {
	Path    string      `json:"path"` // in the repository
	Commit  string      `json:"commit,omitempty" is:"id"`
	Current input.Ratio `json:"current"`
}

// CrossTrees are the code trees that the tests of the base are run on, for one accepted tree. Incomparable says why OldTests cannot
// be composed: one of both is there.
type CrossTrees struct {
	Head         string `json:"head" is:"id"`                          // the accepted tree
	Base         string `json:"base,omitempty" is:"id" null:"no"`      // code and tests of the merge base; "" when there is not just one
	OldTests     string `json:"old_tests,omitempty" is:"id" null:"no"` // the head's tree with every test path as the merge base has it
	NewTests     string `json:"new_tests,omitempty" is:"id" null:"no"` // the base's tree with every test path as the head has it; "" when no contract asks for it, or it cannot be composed
	TestPaths    int64  `json:"test_paths" is:"0"`                     // how many test paths the change touches
	Incomparable string `json:"incomparable,omitempty" null:"no"`      // for a person
	// Places are where the functions of cases stand in the merge base that passed there, and do not pass with the new code or are
	// gone; nil when the collector did not look. One that is not listed stands in no test path.
	Places []CrossPlace `json:"places,omitzero"`
}

// CrossPlace is where the function of a test case stands.
type CrossPlace struct {
	Suite string `json:"suite,omitempty" null:"no"` // its class, suite or package, as the report calls it
	Name  string `json:"name"`
	File  string `json:"file"`
	Line  int64  `json:"line" is:"1"`
}

// Job is a job of the run that judges which did not succeed, as GitHub told when records were missing. It explains what is
// missing, and decides nothing.
type Job struct {
	Name       string `json:"name"`
	Attempt    int64  `json:"attempt" is:"1"`       // of the run in which the job ran last
	Conclusion string `json:"conclusion,omitempty"` // failure, cancelled, skipped, …, as GitHub says; "" before it ends
	Step       string `json:"step,omitempty"`       // the first step that failed or was cancelled; "" when none did
	Began      bool   `json:"began,omitempty"`      // a runner took the job
}

// Unavailable is a fact that the collector wanted and that is unavailable. It never means "no".
type Unavailable struct {
	What  Wanted `json:"what" is:"wanted"`
	Error string `json:"error"`                                // what went wrong, for a person
	Fix   string `json:"fix,omitempty"`                        // how to make it available; "" when that is not known
	Limit string `json:"limit,omitempty" is:"limit" null:"no"` // the flag that raises the limit that was hit; "" when none was
	About string `json:"about,omitempty"`                      // whom or what it concerns, such as a login; "" when that is clear
}

// Err is why the fact is unavailable, and what to do.
func (u Unavailable) Err() error { return fmt.Errorf("%s → %s", u.Error, u.Fix) }

// Wanted names a kind of fact.
type Wanted string

// The kinds of facts that may be unavailable. The first five decide every run; the others matter to the checks that ask
// for them.
const (
	WantedChanges      Wanted = "changes"       // which files were touched
	WantedContracts    Wanted = "contracts"     // the contracts of the base branch
	WantedSubject      Wanted = "subject"       // which commits are judged
	WantedCodeTree     Wanted = "code_tree"     // what a record must be bound to
	WantedDiffRules    Wanted = "diff_rules"    // what the diff rules find
	WantedCross        Wanted = "cross"         // what the tests of the base are run on
	WantedTasks        Wanted = "tasks"         // which tasks the commits of the change name
	WantedPullRequest  Wanted = "pull_request"  // the live pull request
	WantedPullRequests Wanted = "pull_requests" // those of a merge group
	WantedCommits      Wanted = "commits"
	WantedLabelEvents  Wanted = "label_events"
	WantedComments     Wanted = "comments"
	WantedReviews      Wanted = "reviews"
	WantedPeople       Wanted = "people"
	WantedTeams        Wanted = "teams"
	WantedThreads      Wanted = "threads"   // who resolved the threads of reviewers
	WantedSameHead     Wanted = "same_head" // other pull requests with the same head
	WantedJobs         Wanted = "jobs"      // the other jobs of the run that judges
)

// AllWanted lists every kind.
var AllWanted = []Wanted{
	WantedChanges, WantedContracts, WantedSubject, WantedCodeTree, WantedDiffRules, WantedCross, WantedTasks, WantedPullRequest, WantedPullRequests,
	WantedCommits, WantedLabelEvents, WantedComments, WantedReviews, WantedPeople, WantedTeams, WantedThreads, WantedSameHead,
	WantedJobs,
}

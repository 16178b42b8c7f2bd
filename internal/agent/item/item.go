// Package item says what the state of items is: task contracts that are handed out one at a time, and locked by a verdict.
//
// It is pure. The state is a fold over events, and an event about a verdict counts only when its report proves it. Nothing
// here judges: every verdict comes from a report.
package item

import (
	"slices"

	"github.com/closeout-gate/closeout/verify/input"
)

// PlanSchema names the form of plan.json.
const PlanSchema = "closeout.items/v1"

// Plan is plan.json: the items and how they are judged, as scan pinned them. Later edits of the list, of the template or of
// the base change nothing.
type Plan struct {
	Schema     string   `json:"schema"`
	Base       string   `json:"base"`                // the commit whose contracts count
	BaseName   string   `json:"base_name,omitempty"` // the ref that named it, "" for a commit
	ListPath   string   `json:"list,omitempty"`      // as scan was called; "" when the items are the base's task contracts
	ListSHA256 string   `json:"list_sha256,omitempty"`
	Template   string   `json:"template,omitempty"`
	TemplateID string   `json:"template_sha256,omitempty"`
	Guard      string   `json:"guard"`              // GuardAll or GuardNone
	Checkout   bool     `json:"checkout,omitempty"` // commands run in a fresh work tree of the head
	Evidence   string   `json:"evidence"`           // the evidence directory of the base's contract, which code trees are without
	Zones      bool     `json:"zones,omitempty"`    // the items differ in allowed_files, so that two of them may be kept apart
	Path       []string `json:"path,omitzero"`      // PATH of scan; what is below the work tree relative to it; nil in old plans
	Columns    []string `json:"columns,omitzero"`   // of the list, named item for lines of text; nil without a list
	Items      []Item   `json:"items"`              // in the order of the list; ids are unique
}

// What a submission proves about the items that passed before.
const (
	GuardAll  = "all"
	GuardNone = "none"
)

// Item is one task contract.
type Item struct {
	ID             string   `json:"id"`
	ContractSHA256 string   `json:"contract_sha256"`
	Given          bool     `json:"given,omitempty"`       // the contract is one of the base; else scan made it
	MaxAttempts    int      `json:"max_attempts"`          // of the joined contracts
	StallAfter     int      `json:"stall_after,omitempty"` // of the joined contracts; 0 is [DefaultStallAfter]
	Values         []string `json:"values,omitzero"`       // of the columns of the list
}

// Name is the state of an item.
type Name string

// The states. All but the first are locked.
const (
	Todo     Name = "TODO"
	Pass     Name = "PASS"
	Review   Name = "REVIEW"   // a fact is unknown, or the item is blocked: a person decides
	Stuck    Name = "STUCK"    // the tries are used up, or the tries make no progress; not achieved
	Accepted Name = "ACCEPTED" // it was REVIEW or STUCK, and a person said that it may stay so: no verdict proves it
)

// names are the states in the order in which they are counted.
var names = []Name{Todo, Pass, Review, Stuck, Accepted}

// Locked reports whether no submission changes the state.
func (n Name) Locked() bool { return n != Todo }

// The kinds of events.
const (
	EventScanned  = "scanned"     // the plan was written; Reason says what it pins
	EventClaimed  = "claimed"     // a work tree took an item; Start is the commit that its changes start from
	EventReleased = "released"    // a work tree gave it back
	EventReopened = "reopened"    // a STUCK, REVIEW or ACCEPTED item gets new tries; Reason says why
	EventAccepted = "accepted"    // a STUCK or REVIEW item may stay as it is; By and Reason say who wants that and why
	EventRenewed  = "renewed"     // a PASS was proven again for Head, with a report and bundle of its own
	EventBroken   = "broken"      // a PASS does not hold for Head; Outcome is the state after it
	EventAttempt  = "attempt"     // loop starts the command; written before it
	EventEnded    = "agent_ended" // the command ended
	EventJudged   = "judged"      // a verdict, whose report and bundle are on disk
	EventStopped  = "stopped"     // loop ended early; Code says why. With a Try, that one was stopped and does not count
)

// Event is a line of events.jsonl. Fields that do not apply are absent.
type Event struct {
	N        int64  `json:"n"`  // 1, 2, 3, …
	At       string `json:"at"` // RFC 3339 in UTC: a claim ends when nothing happens for long after it
	Event    string `json:"event"`
	Item     string `json:"item,omitempty"`
	Try      int    `json:"try,omitempty"`      // from 1; of EventAttempt, EventEnded and EventJudged
	Worktree string `json:"worktree,omitempty"` // the key of the work tree
	Start    string `json:"start,omitempty"`    // a commit
	Head     string `json:"head,omitempty"`     // the commit that was judged
	Tree     string `json:"tree,omitempty"`     // its code tree
	Root     string `json:"root,omitempty"`     // of EventClaimed: its directory; "" in old logs
	Hold     bool   `json:"hold,omitempty"`     // of EventClaimed: it is never taken back by itself

	Verdict        string   `json:"verdict,omitempty"` // of the report
	Outcome        Name     `json:"outcome,omitempty"` // the state after it
	Open           []string `json:"open,omitzero"`     // sorted fingerprints of the findings that block or are unknown
	Tests          int64    `json:"tests,omitempty"`
	Bundle         string   `json:"bundle,omitempty"` // directory of the bundle, relative to the state folder
	ReportSHA256   string   `json:"report_sha256,omitempty"`
	ContractSHA256 string   `json:"contract_sha256,omitempty"`
	Broken         []string `json:"broken,omitzero"`    // items that passed before and do not hold, as far as is known: then no verdict makes PASS
	Unguarded      []string `json:"unguarded,omitzero"` // items that passed before and were not proven again

	Code       string `json:"code,omitempty"` // why it stopped or is stuck: one of the codes of progress.go and of loop
	Reason     string `json:"reason,omitempty"`
	By         string `json:"by,omitempty"` // of EventAccepted: who, as git or the system names the caller
	Exit       *int   `json:"exit,omitempty"`
	MS         int64  `json:"ms,omitempty"`
	Cost       *int64 `json:"cost_microusd,omitempty"`   // nil when it is unknown or was not asked for
	Budget     *int64 `json:"budget_microusd,omitempty"` // of EventAttempt: what all tries together may cost
	LeftBehind bool   `json:"left_running,omitempty"`    // the command left processes running, which were ended
}

// Standing is what the events say about one item.
type Standing struct {
	Item
	State    Name
	Tries    int     // that count, since the item was opened the last time
	Worktree string  // that claims it; "" for none
	Start    string  // the commit that its changes start from; "" when it was never claimed
	Claimed  int64   // the number of the event by which it was claimed the last time
	Root     string  // the directory of the work tree that claims it; "" when it is not known
	Hold     bool    // the claim is never taken back by itself
	At       string  // when it was claimed
	Pass     *Event  // the event that locked it as PASS; nil otherwise
	Renewed  *Event  // the last event that proved the PASS again for another commit; nil for none
	Last     *Event  // the last event about a verdict; nil for none
	Judged   []Event // the verdicts since it was opened the last time, in order
	Because  string  // why it is REVIEW or STUCK
	Cost     int64   // of all tries, in millionths of a US dollar
	Open     bool    // a try was started and no verdict follows
	Verdicts int     // about it, also those that do not count: no two have the same number
	passes   int     // that there were when it was claimed
}

// State is what all events say.
type State struct {
	Plan    *Plan
	Items   []*Standing // in the order of the plan
	Next    int64       // the number of the next event
	Ignored []Ignored   // events that do not count, because their report does not prove them
	Cost    int64       // spent, in millionths of a US dollar, as far as it is known
	Spent   int64       // the most that may be spent: a try without a known cost counts as all of the budget that was left
	held    int64       // the part of Spent that the last try may cost
	MS      int64       // that the commands of all tries took
	Read    int64       // how many bytes of events.jsonl these are
	Torn    bool        // a line after them has no end: its writer was killed
	passes  int
	claims  map[string]*Standing // by work tree
	byID    map[string]*Standing
}

// Ignored is an event about a verdict that nothing proves.
type Ignored struct {
	Event Event
	Why   error
}

// Find returns an item; nil when the plan has none with this id.
func (s *State) Find(id string) *Standing { return s.byID[id] }

// Claimed is the item that a work tree claims; nil for none.
func (s *State) Claimed(worktree string) *Standing { return s.claims[worktree] }

// Count counts the items in a state.
func (s *State) Count(n Name) (count int) {
	for _, it := range s.Items {
		if it.State == n {
			count++
		}
	}
	return count
}

// HoldingAt tells of each item that passed whether it is proven for a code tree: by its own verdict, or because a later item
// passed with this tree, which proves those before it again.
func (s *State) HoldingAt(tree string) func(*Standing) bool {
	last := &Event{}
	for _, it := range s.Items {
		if p := it.Pass; p != nil && p.Tree == tree && p.N > last.N {
			last = p
		}
	}
	return func(it *Standing) bool {
		p := it.Pass
		renewed := it.Renewed != nil && it.Renewed.Tree == tree
		return p != nil && (p.Tree == tree || renewed || (s.Plan.Guard == GuardAll && p.N < last.N && !slices.Contains(last.Unguarded, it.ID)))
	}
}

// Handout is what next prints about the item that it hands out: the contract in short, and the facts of the last verdict.
type Handout struct {
	Schema      string      `json:"schema"`
	Item        string      `json:"item"`
	Try         int         `json:"try"` // the next one, from 1
	Of          int         `json:"of"`
	Goal        string      `json:"goal"`
	Allowed     []string    `json:"allowed"`
	Within      []string    `json:"within"` // what the standing contract allows: a path must match both lists
	Forbidden   []string    `json:"forbidden"`
	Tests       []string    `json:"tests,omitzero"` // patterns of paths that the base's tests have
	Criteria    []Criterion `json:"criteria"`
	Passed      []string    `json:"passed"`
	Facts       []Fact      `json:"facts"`             // of the last verdict, in the order of the report; [] for none
	Nudge       string      `json:"nudge,omitempty"`   // what the last tries have in common; "" for nothing
	Example     string      `json:"example,omitempty"` // x-example of the task contract
	BlockedFile string      `json:"blocked_file"`
	Trailer     string      `json:"trailer,omitempty"` // the line of a commit message that names the item in CI; "" where CI does not know it
}

// HandoutSchema names the form of a handout.
const HandoutSchema = "closeout.next/v1"

// Criterion is a command that must pass, and how a person or an agent records it by hand.
type Criterion struct {
	ID     string   `json:"id"`
	Run    []string `json:"run"`
	Expect string   `json:"expect"` // pass or fail
	Record string   `json:"record"` // for a POSIX shell
}

// Fact is a finding that blocks or is unknown, in the words of the report, without what only a person may do.
type Fact struct {
	Code        string   `json:"code"`
	Severity    string   `json:"severity"`
	Message     string   `json:"message"`
	Path        string   `json:"path,omitempty"`
	Line        int      `json:"line,omitempty"`
	Expected    string   `json:"expected"`
	Actual      string   `json:"actual"`
	Fix         string   `json:"fix"`
	Fingerprint string   `json:"fingerprint"`
	Tail        []string `json:"tail,omitzero"` // the last lines of the command's output, redacted
}

// BlockedFile is where an agent says why an item cannot be done. Its first line is the id of the item.
const BlockedFile = ".closeout/evidence/blocked.md"

// Severe reports whether a finding of this severity keeps an item open.
func Severe(severity string) bool {
	return severity == string(input.Block) || severity == string(input.Unknown)
}

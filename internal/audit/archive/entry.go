// Package archive is the form of the archive of decisions: a branch of the repository with an entry for each commit that reached the
// audited branch, and the bundle that its decision was made from.
//
// Each commit of that branch only adds files. So the id of one of its commits, kept elsewhere, proves that the archive only grew since.
package archive

import (
	"fmt"
	"strings"

	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/report"
)

// The schemas of the files of an archive, and of what closeout archive find leaves for closeout archive add.
const (
	EntrySchema = "closeout.archive_entry/v1"
	StateSchema = "closeout.archive_state/v1"
	FoundSchema = "closeout.archive_found/v1"
)

// The kinds of an entry.
const (
	Decision  = "decision"  // the gate decided
	Gap       = "gap"       // there is no decision; Why says the reason
	Withdrawn = "withdrawn" // the bundle of an earlier entry was removed
)

// Why an entry is a gap.
const (
	NoPullRequest = "no_pull_request" // a direct push
	NoRun         = "no_run"
	NoArtifact    = "no_artifact"
	Expired       = "expired"
	Unreadable    = "unreadable"
	WrongSubject  = "wrong_subject"
	Unknown       = "unknown" // a person gave up asking
)

// What replaying the bundle gave when the entry was made.
const (
	ReplaySame      = "same"
	ReplayDifferent = "different"
	ReplayNotTried  = "not_tried" // there is no bundle, or it is not the bundle of a whole decision
)

// What is known about the workflow file of the run: whether it is that of the parent.
const (
	WorkflowUnchanged = "unchanged"
	WorkflowChanged   = "changed"
	WorkflowElsewhere = "elsewhere" // in another repository: a required workflow
)

// Entry is entry.json: one or more commits of a branch, and the decision about them. It is in canonical form (RFC 8785).
// No list is null.
type Entry struct {
	Schema       string       `json:"schema" is:"entry"`
	Seq          int64        `json:"seq" is:"0"` // its number, from 0
	Kind         string       `json:"kind" is:"decision|gap|withdrawn"`
	Branch       string       `json:"branch" is:"branch"`
	Commits      []string     `json:"commits" is:"id"`           // of the line of first parents that it answers for, the oldest first; none when withdrawn
	Parent       *string      `json:"parent" is:"id" null:"yes"` // the first parent of the oldest of Commits; null for a first commit
	PullRequests []string     `json:"pull_requests" is:"pull"`
	HeadSHA      *string      `json:"head_sha" is:"id" null:"yes"`                             // of the report
	Verdict      *string      `json:"verdict" is:"passed|failed|overridden|review" null:"yes"` // of the report, for people who browse the branch: readers trust the report
	Tool         *report.Tool `json:"tool" null:"yes"`                                         // of the report
	Run          *Run         `json:"run" null:"yes"`
	Replay       string       `json:"replay" is:"same|different|not_tried"`
	ReportSHA256 *string      `json:"report_sha256" is:"digest" null:"yes"`
	Bundle       []File       `json:"bundle"`                      // the files below bundle/, the report among them, sorted by path
	Omitted      []File       `json:"omitted"`                     // files of the bundle that are not in the archive, sorted by path
	Repairs      *int64       `json:"repairs" is:"0" null:"yes"`   // the seq of the gap that it closes, about the same commits
	Withdraws    *int64       `json:"withdraws" is:"0" null:"yes"` // the seq of the entry whose bundle was removed
	Why          *string      `json:"why" is:"reason" null:"yes"`  // of a gap, one of the reasons above; of a withdrawn entry, the reason that a person gave
}

// File is a file of a bundle. Path is relative to bundle/.
type File struct {
	Path   string `json:"path" is:"path"`
	SHA256 string `json:"sha256" is:"digest"`
	Bytes  int64  `json:"bytes" is:"0-1099511627776"`
}

// Run is the workflow run that the bundle comes from; an entry that was added without GitHub has none.
type Run struct {
	ID       string `json:"id" is:"run"`
	Attempt  int64  `json:"attempt" is:"1-2147483648"`
	Event    string `json:"event" is:"event"`
	Path     string `json:"path" is:"workflow"` // of the workflow file
	Workflow string `json:"workflow" is:"unchanged|changed|elsewhere|unknown"`
}

// State is state.json: all that a writer must know to append. Last is the last commit of each branch that an entry answers for.
type State struct {
	Schema string            `json:"schema" is:"state"`
	Origin string            `json:"origin" is:"origin"` // closeout-archive/HOST/OWNER/REPOSITORY
	Size   int64             `json:"size" is:"1"`
	Last   map[string]string `json:"last" is:"-"`
	// Root and Hashes are those of a Merkle tree, which older versions wrote. They are not written any more.
	Root   string   `json:"root,omitempty" is:"hash"`
	Hashes []string `json:"hashes,omitempty" is:"hash"`
}

// Found is found/index.json: the entries that closeout archive find made, without their numbers, in the order of the history; those
// that repair a gap may be anywhere. The bundle of Entries[i] is the directory i/bundle beside the index, with the files that
// Bundle lists. [Found.Marshal] writes it.
type Found struct {
	Schema  string  `json:"schema" is:"found"`
	Origin  string  `json:"origin" is:"origin"`       // as in State
	Branch  string  `json:"branch" is:"branch"`       // of all entries
	After   *string `json:"after" is:"id" null:"yes"` // the last commit of the branch that the archive answered for; null for none
	Size    int64   `json:"size" is:"0"`              // of the archive that was looked at; 0 for none
	Date    int64   `json:"date" is:"0-8589934592"`   // of the commit in the archive: the committer's date of the last commit of the entries, in seconds
	Entries []Entry `json:"entries" is:"-"`
}

// Ref is the branch of the archive.
const Ref = "refs/heads/closeout-archive"

// The names of an archive.
const (
	ReadmeFile     = "README.md"
	CheckpointFile = "checkpoint" // written by older versions only
	StateFile      = "state.json"
	Decisions      = "decisions"  // contains a directory for each hundred entries
	EntryFile      = "entry.json" // in the directory of an entry
	BundleDir      = "bundle"     // in the directory of an entry; there is none for an empty bundle
	IndexFile      = "index.json" // in the directory that archive find writes
)

// GroupSize is how many entries a directory of [Decisions] contains.
const GroupSize = 100

// Dir is the path of the directory of an entry, in that of the hundred entries to which it belongs. It depends on
// nothing but the entry.
func (e *Entry) Dir() string {
	parts := []string{fmt.Sprintf("%s/%04d/%06d", Decisions, e.Seq/GroupSize, e.Seq), e.Kind}
	if e.Kind == Decision && len(e.PullRequests) > 0 {
		parts[1] = "pr" + e.PullRequests[0]
	}
	if n := len(e.Commits); n > 0 {
		parts = append(parts, e.Commits[n-1][:8])
	}
	return strings.Join(parts, "-")
}

// Item is what an archive has in place of an entry: the directory Dir, and what is in it.
type Item struct {
	Dir          string        // as it is, such as decisions/0001/000123-pr512-1a2b3c4d
	Data         []byte        // of entry.json; nil when there is no such file
	Entry        *Entry        // nil when Data cannot be read
	Errs         *input.Errors // why it cannot
	Files        []Stored      // below bundle/, sorted by path
	UnknownPaths []string      // paths in Dir that no entry has: neither entry.json nor below bundle/, or no regular files
}

// Stored is a file of a bundle as the archive has it. SHA256 is "" until the content was read.
type Stored struct {
	File
	ID      string // of the blob
	Problem string // why it cannot be that of the entry, "" when it can: it is a symlink, it is executable, ...
}

// NewItem reads the entry of an item.
func NewItem(dir string, data []byte) *Item {
	it := &Item{Dir: dir, Data: data}
	if data != nil {
		it.Entry, it.Errs = ReadEntry(data)
	}
	return it
}

// Listed is the file of the entry with a path; false when it has none.
func (it *Item) Listed(path string) (File, bool) {
	if it.Entry != nil {
		for _, f := range it.Entry.Bundle {
			if f.Path == path {
				return f, true
			}
		}
	}
	return File{}, false
}

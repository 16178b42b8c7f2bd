package archive

import (
	"fmt"
	"strings"
)

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

// Dir is the path of the directory of an entry, in that of the hundred entries to which it belongs. It depends on nothing but the entry.
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

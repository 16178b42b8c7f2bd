// Package change reads what a change touches: changes.json, which compares trees, and pr.diff, which is text.
package change

import (
	"slices"

	"github.com/closeout-gate/closeout/verify/input"
)

// Status is what happened to a path between two trees.
type Status string

// The statuses. A rename is a deletion and an addition.
const (
	Added       Status = "added"
	Deleted     Status = "deleted"
	Modified    Status = "modified"
	ModeChanged Status = "mode_changed" // the content is equal
	TypeChanged Status = "type_changed" // between file, symlink and submodule
)

// Mode is a git file mode as six octal digits; NoMode on the side where the path does not exist.
type Mode string

// The modes that a change may have.
const (
	NoMode     Mode = "000000"
	Regular    Mode = "100644"
	Executable Mode = "100755"
	Symlink    Mode = "120000"
	Submodule  Mode = "160000"
)

// Special reports whether m is a symlink or a submodule.
func (m Mode) Special() bool { return m == Symlink || m == Submodule }

// What a file of the evidence directory can parse as.
const (
	EvidenceFeedback  = "feedback"
	EvidenceRules     = "rules"
	EvidenceDiffRules = "diff_rules"
	EvidenceTests     = "tests"
	EvidenceCoverage  = "coverage"
	EvidenceFacts     = "facts"
	EvidenceChanges   = "changes"
	EvidenceReport    = "report"
	EvidenceContract  = "contract"
)

// AnyKey is listed as a changed key where the content could not be read: any key may have changed.
const AnyKey = "*"

// Change is one touched path.
type Change struct {
	Path             string // raw bytes, as git stores them
	Status           Status
	OldMode, NewMode Mode
	ModeUnknown      bool     // the source prints no modes for this change; they are given as Regular
	OldID, NewID     string   // object ids in hexadecimal, abbreviated in most diffs; "" where the path or the id is missing
	KeysChanged      []string // keys of package.json, go.mod or pyproject.toml that changed; nil when they were not looked up
	KeysKnown        bool     // whether KeysChanged, or Attributes for a .gitattributes, was looked up
	Attributes       []Effect // what a change of a .gitattributes does; nil for any other file, and when it is unknown
	BaseGone         bool     // the head changes the path, and the tip of the base does not have it any more
	Evidence         string   // what a file of the evidence directory parses as; "" for nothing, and where nothing read it
	Pos              input.Pos
}

// AttributesFile is the name of files that set attributes of paths for git.
const AttributesFile = ".gitattributes"

// Effect is what a change of a .gitattributes does to an attribute of files that the change does not delete. Of the values, those
// that git gives no meaning are "unspecified".
type Effect struct {
	Line      int      `json:"line,omitempty" is:"1"`    // the first that decides in the head; 0 where there is none
	Attribute string   `json:"attribute" is:"attribute"` // one of the lists below; of a macro, MacroPrefix and its name
	Was       string   `json:"was" is:"value"`           // a value; of a macro, what it sets
	Now       string   `json:"now" is:"value"`           // as Was
	New       bool     `json:"new,omitempty"`            // the base does not contain the files
	Files     int64    `json:"files" is:"0"`
	Paths     []string `json:"paths"` // the first of them, as git quotes paths
}

// The attributes of an effect.
var (
	ConvertingAttributes = []string{"filter", "ident", "working-tree-encoding", "text", "eol"} // they decide which bytes a checkout writes
	HidingAttributes     = []string{"diff", "linguist-generated"}                              // they hide a file from a review
)

// MacroPrefix begins the attribute of an effect that is the definition of a macro.
const MacroPrefix = "[attr]"

// Hides reports whether the effect is only that a code host no longer shows what changes.
func (e *Effect) Hides() bool { return slices.Contains(HidingAttributes, e.Attribute) }

// Converts is the first effect that decides which bytes a checkout writes; nil when there is none.
func (c *Change) Converts() *Effect {
	i := slices.IndexFunc(c.Attributes, func(e Effect) bool { return !e.Hides() })
	if i < 0 {
		return nil
	}
	return &c.Attributes[i]
}

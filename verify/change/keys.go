package change

// Schema is the version of changes.json that is read and written.
const Schema = "closeout.changes/v1"

// The keys of the document.
const (
	keySchema = "schema"
	keyFiles  = "files"
)

// field is a key of an element of the list, in the order in which they are written.
type field int

const (
	fieldPath field = iota
	fieldPathBase64
	fieldStatus
	fieldOldMode
	fieldNewMode
	fieldOldID
	fieldNewID
	fieldKeysChanged
	fieldAttributes
	fieldBaseGone
	fieldEvidence
	fields // how many there are
)

var fieldKeys = [fields]string{
	fieldPath:        "path",
	fieldPathBase64:  "path_base64",
	fieldStatus:      "status",
	fieldOldMode:     "old_mode",
	fieldNewMode:     "new_mode",
	fieldOldID:       "old_id",
	fieldNewID:       "new_id",
	fieldKeysChanged: "keys_changed",
	fieldAttributes:  "attributes",
	fieldBaseGone:    "base_gone",
	fieldEvidence:    "evidence",
}

var modes = []string{string(NoMode), string(Regular), string(Executable), string(Symlink), string(Submodule)}

// fieldWords are the values of a field that has a fixed set of them.
var fieldWords = [fields][]string{
	fieldStatus:  {string(Added), string(Deleted), string(Modified), string(ModeChanged), string(TypeChanged)},
	fieldOldMode: modes,
	fieldNewMode: modes,
	fieldEvidence: {
		EvidenceFeedback, EvidenceRules, EvidenceDiffRules, EvidenceTests, EvidenceCoverage, EvidenceFacts, EvidenceChanges,
		EvidenceReport, EvidenceContract,
	},
}

package evidence

// Facts is facts.json: everything beside the other inputs that can change a decision, written down by the collector
// before anything is judged. Every field but the schema is optional; what is absent is unknown or not applicable.
type Facts struct {
	Settings       FactSettings
	Subject        Subject
	Contracts      []ContractOrigin // nil when absent: then the operator vouches for every contract
	Event          Event
	Digests        []string // sha256 of the logs that the workflow hands over, lower-case hexadecimal; nil when none were
	ArgumentPaths  []string // files named by acceptance arguments that exist at the base
	ArgumentsKnown bool     // whether argument_paths was there
	Files          []FileOrigin
	GitHub         bool // whether GitHub was asked
}

// FactSettings are the settings that the collector was called with.
type FactSettings struct {
	Mode   string // enforce or observe; "" when absent
	Strict bool
	Task   string // "" when absent or null
	Today  string // YYYY-MM-DD; "" when absent
}

// Subject is what is judged.
type Subject struct {
	Repository, RepositoryID  string
	PullRequest               int64 // 0 when it is none
	BaseBranch, DefaultBranch string
	BaseSHA, MergeBaseSHA     string
	HeadSHA                   string
	AcceptedTrees             []string // code trees that a record may name; nil when unknown
	ChangesFrom               string   // git, api or diff; "" when absent
}

// ContractOrigin says where a contract of the bundle came from.
type ContractOrigin struct {
	File   string // name in the bundle
	Path   string // path in the repository, or as the operator named it
	Commit string
	Trust  Trust
}

// Trust says who vouches for an input.
type Trust string

// The trusts of a contract.
const (
	TrustBase     Trust = "base"     // read from the base branch's tip
	TrustOperator Trust = "operator" // the workflow's author vouches for it
	TrustHead     Trust = "head"     // only the change itself holds it
)

// Event is the event that the runner was started for.
type Event struct {
	Name, Action string
}

// FileOrigin maps a file of the bundle to the path that the report names.
type FileOrigin struct {
	File, Path string
}

package feedback

import (
	"github.com/closeout-gate/closeout/verify/diag"
)

// Record is one line of a feedback log: one command that ran. It holds no output text, only where that stands in Line. The
// record itself and Line are valid only until the reader goes on to the next line; strings, slices and numbers of it may be
// kept.
type Record struct {
	Pos    diag.Pos // where the line's value starts
	Line   []byte   // the line's bytes without its end (LF, CRLF)
	Argv   []string // nil when the command is a string that does not split: then it matches no criterion
	Shell  string   // the command, when it is a string that does not split
	Cwd    string   // normalised; "" when it is absolute or leaves the repository: then it matches nothing
	Exit   *int64   // nil when the command has no exit code
	Seq    *int64   // nil when absent; saturates
	ID     string   // command_id; "" when absent or null
	Parent string   // parent_command_id; "" when absent or null
	TaskID string   // "" when absent or null
	// Tampered is what the recorder found that it had not written, and where; "" when absent or null. Such a record is no
	// run of a command.
	Tampered string

	TreeBefore, TreeAfter string // git object ids in lower-case hexadecimal; "" when absent or null
	// ChangedPaths are the first paths that changed while the command ran; where the trees are equal, those in which the
	// work tree differed from its commit. The reader keeps at most [MaxChangedPaths].
	ChangedPaths []string
	DurationMS   int64 // 0 when absent or null; saturates
	Hosts        []string
	HostsGiven   bool       // whether network_hosts was there, as a list
	Produced     []Produced // reports that the command wrote
	Cut          bool       // truncations says that some of the output is not there

	outputs [4]span // the values of stdout, stderr, stdout_tail and stderr_tail in Line; zero when absent or null
}

// AppendOutput appends what the command printed, as far as the record holds it: stdout, stderr, stdout_tail and
// stderr_tail, each with a line end behind it. It is called for the few records that decide something: the texts make up
// nearly all of a log, and to decode them all would cost more than to read it.
func (r *Record) AppendOutput(to []byte) []byte {
	for _, o := range r.outputs {
		if o.end > 0 {
			to = append(unescape(to, r.Line[o.at:o.end]), '\n')
		}
	}
	return to
}

// MaxChangedPaths is how many changed_paths of a record are kept: they are shown, and decide nothing.
const MaxChangedPaths = 20

// maxChangedPath is how much of each is kept, in bytes.
const maxChangedPath = 1024

// Produced names a file that a command wrote.
type Produced struct {
	Path   string
	SHA256 string // lower-case hexadecimal
}

package feedback

import (
	"github.com/closeout-gate/closeout/verify/input"
)

// Record is one line of a feedback log: one command that ran. It contains no output, only its position in Line. The record
// itself and Line are valid only until the next line is read; strings, slices and numbers of it may be kept.
type Record struct {
	Pos    input.Pos // of the value of the line
	Line   []byte    // the line without its end (LF, CRLF)
	Argv   []string  // nil when the command is a string that does not split: then it matches no criterion
	Shell  string    // the command, when it is a string that does not split
	Cwd    string    // normalised; "" when it is absolute or outside of the repository: then it matches nothing
	Exit   *int64    // nil when the command has no exit code
	Seq    *int64    // nil when absent; saturates
	ID     string    // command_id; "" when absent or null
	Parent string    // parent_command_id; "" when absent or null
	TaskID string    // "" when absent or null
	// Tampered describes a change of the log that the recorder detected; "" when absent or null. Such a record is not a run
	// of a command.
	Tampered string

	TreeBefore, TreeAfter string // git object ids in lower-case hexadecimal; "" when absent or null
	// ChangedPaths are the first paths that changed while the command ran; if the trees are equal, those in which the work
	// tree differs from its commit. The reader keeps at most [MaxChangedPaths].
	ChangedPaths []string
	// OtherBytes says which files did not have the bytes that the trees stand for, and why; "" when absent or null.
	OtherBytes string
	DurationMS int64 // 0 when absent or null; saturates
	Hosts      []string
	HostsGiven bool       // network_hosts is a list
	Produced   []Produced // reports that the command wrote
	Root       string     // of the work tree on the machine that recorded, to which absolute paths in reports are relative; "" when absent or null
	NotStarted bool       // the recorder could not start the command: nothing ran
	Cut        bool       // truncations says that some of the output is missing

	outputs [5]span // the values of stdout, stderr, stdout_tail, stderr_tail and error in Line; zero when absent or null
}

// AppendOutput appends the output of the command in the record: stdout, stderr, stdout_tail and stderr_tail, each followed by
// a line end. Call it only for records that decide something: decoding the output of all would cost more than reading them.
func (r *Record) AppendOutput(to []byte) []byte {
	for _, o := range r.outputs[:4] {
		if o.end > 0 {
			to = append(unescape(to, r.Line[o.at:o.end]), '\n')
		}
	}
	return to
}

// Printed is what the command printed on a stream, as far as it is in the record: 0 for stdout, 1 for stderr.
func (r *Record) Printed(stream int) (text []byte) {
	for _, o := range []span{r.outputs[stream], r.outputs[2+stream]} {
		if o.end > 0 && o.end > o.at {
			text = append(unescape(text, r.Line[o.at:o.end]), '\n')
		}
	}
	return text
}

// MaxChangedPaths is how many changed_paths of a record are kept: they are only shown.
const MaxChangedPaths = 20

// maxChangedPath is the maximum length of each, in bytes.
const maxChangedPath = 1024

// Produced names a file that a command wrote.
type Produced struct {
	Path   string
	SHA256 string // lower-case hexadecimal
}

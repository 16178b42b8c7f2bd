package record

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/closeout-gate/closeout/verify/input"
)

// entry is a record in the form of schema/feedback_record.schema.json.
type entry struct {
	Seq       int64    `json:"seq"`
	ID        string   `json:"command_id"`
	Task      string   `json:"task_id,omitempty"`
	Criterion string   `json:"criterion,omitempty"`
	Command   []string `json:"command"`
	Cwd       string   `json:"cwd"`
	Exit      *int     `json:"exit_code"`
	Error     string   `json:"error,omitempty"`
	// NotStarted is true when nothing ran: a misspelled name, or a file that is not executable.
	NotStarted bool   `json:"not_started,omitempty"`
	Tampered   string `json:"tampered,omitempty"`

	StartedAt  string `json:"started_at"` // RFC 3339
	DurationMS int64  `json:"duration_ms"`

	Head       string `json:"head_sha,omitempty"`
	TreeBefore string `json:"tree_before,omitempty"`
	TreeAfter  string `json:"tree_after,omitempty"`
	// Changed are the first paths that changed while the command ran; if none did, those in which the work tree differed from
	// Head.
	Changed []string `json:"changed_paths,omitempty"`

	// OtherBytes are the first files whose bytes are not those that the trees stand for, and why.
	OtherBytes string `json:"other_bytes,omitempty"`

	start *snapshot // before the command

	Runner     string `json:"runner,omitempty"`
	RunID      string `json:"run_id,omitempty"`
	RunAttempt int64  `json:"run_attempt,omitempty"`

	Produced    []produced `json:"produced,omitempty"`
	Root        string     `json:"root,omitempty"` // beside Produced: linters write absolute paths
	StdoutSum   string     `json:"stdout_sha256"`  // of the whole, unredacted stream
	StderrSum   string     `json:"stderr_sha256"`
	StdoutTail  string     `json:"stdout_tail"`
	StderrTail  string     `json:"stderr_tail"`
	Truncations counts     `json:"truncations"` // bytes of the redacted stream before the tail
	Redactions  counts     `json:"redactions"`  // secrets replaced in the whole stream
}

type produced struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

type counts struct {
	Stdout int64 `json:"stdout"`
	Stderr int64 `json:"stderr"`
}

// line is the entry as a line of a log.
func (e *entry) line() ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(e); err != nil {
		return nil, fmt.Errorf("encoding the record: %w", err)
	}
	if most := input.DefaultLimits().RecordBytes; int64(b.Len()) > most {
		return nil, fmt.Errorf("it would have %d bytes, and the gate reads %d: shorten the command or --tail-bytes", b.Len(), most)
	}
	return b.Bytes(), nil
}

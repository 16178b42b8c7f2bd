package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/closeout-gate/closeout/verify/strict"
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
	Tampered  string   `json:"tampered,omitempty"`

	StartedAt  string `json:"started_at"` // RFC 3339
	DurationMS int64  `json:"duration_ms"`

	Head       string `json:"head_sha,omitempty"`
	TreeBefore string `json:"tree_before,omitempty"`
	TreeAfter  string `json:"tree_after,omitempty"`
	// Changed are the first paths that changed while the command ran; if none did, those in which the work tree differed from
	// Head.
	Changed []string `json:"changed_paths,omitempty"`

	start map[string]string // the differences from HEAD before the command

	Runner     string `json:"runner,omitempty"`
	RunID      string `json:"run_id,omitempty"`
	RunAttempt int64  `json:"run_attempt,omitempty"`

	Produced    []produced `json:"produced,omitempty"`
	StdoutSum   string     `json:"stdout_sha256"` // of the whole, unredacted stream
	StderrSum   string     `json:"stderr_sha256"`
	StdoutTail  string     `json:"stdout_tail"`
	StderrTail  string     `json:"stderr_tail"`
	Truncations counts     `json:"truncations"` // bytes of the redacted stream before the tail
	Redactions  counts     `json:"redactions"`  // secrets replaced in the whole stream
}

// tamperEntry is a record of tampering with a file that only the recorder may write, not of a command.
func tamperEntry(what string) *entry {
	none := sha256.Sum256(nil)
	digest := hex.EncodeToString(none[:])
	return &entry{
		ID: randomHex(6), Command: []string{"closeout", "record"}, Cwd: ".", Tampered: what,
		StartedAt: time.Now().UTC().Format(time.RFC3339), StdoutSum: digest, StderrSum: digest,
	}
}

type produced struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

type counts struct {
	Stdout int64 `json:"stdout"`
	Stderr int64 `json:"stderr"`
}

// environment reads the workflow run from the environment. An attempt that is not a number is left out.
func (e *entry) environment(env []string) {
	e.Runner = strings.ToValidUTF8(lookEnv(env, "RUNNER_NAME"), "\ufffd")
	e.RunID = strings.ToValidUTF8(lookEnv(env, "GITHUB_RUN_ID"), "\ufffd")
	if n, err := strconv.ParseInt(lookEnv(env, "GITHUB_RUN_ATTEMPT"), 10, 64); err == nil && n > 0 {
		e.RunAttempt = n
	}
}

// took adds how a command ended.
func (e *entry) took(end outcome) {
	e.Exit = end.exit
	e.StartedAt = end.started.UTC().Format(time.RFC3339)
	e.DurationMS = max(end.took.Milliseconds(), 0)
}

func (e *entry) streams(out, errs *stream) {
	e.StdoutTail, e.StdoutSum, e.Truncations.Stdout, e.Redactions.Stdout = out.end()
	e.StderrTail, e.StderrSum, e.Truncations.Stderr, e.Redactions.Stderr = errs.end()
}

// problem adds what went wrong with the command and with its recording.
func (e *entry) problem(command string, recording error) {
	text := ""
	if recording != nil {
		text = recording.Error()
	}
	e.Error = strings.ToValidUTF8(oneLine(command, text), "\ufffd")
}

// line is the entry as a line of a log.
func (e *entry) line() ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(e); err != nil {
		return nil, fmt.Errorf("encoding the record: %w", err)
	}
	if most := strict.DefaultLimits().RecordBytes; int64(b.Len()) > most {
		return nil, fmt.Errorf("it would have %d bytes, and the gate reads %d: shorten the command or --tail-bytes", b.Len(), most)
	}
	return b.Bytes(), nil
}

package record

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/closeout-gate/closeout/internal/record/redact"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/reports"
)

// silence disables workflow commands, which GitHub's runner would otherwise execute when a command prints them, and returns
// a function that enables them again. The token is random.
func (r *Recorder) silence() (end func()) {
	if r.Commands == nil {
		return func() {}
	}
	token := randomHex(16)
	fmt.Fprintf(r.Commands, "::stop-commands::%s\n", token)
	return func() { fmt.Fprintf(r.Commands, "\n::%s::\n", token) } // the last line of the command may have no end
}

// outputStream receives one output stream of a command: it passes the bytes on unchanged, hashes all of them, and keeps
// a redacted tail. Secrets are replaced before the tail is cut: otherwise a private key without its first line would
// not be recognised.
type outputStream struct {
	to     io.Writer
	failed bool // the destination is closed
	sum    hash.Hash
	redact redact.Redactor
	tail   redact.Tail

	kept *keptReport // nil when the stream is not a report
}

// keptReport is the unredacted text of a report, packed: go test -json shrinks to a twentieth, and nothing that the command
// started can edit what is in memory.
type keptReport struct {
	packed bytes.Buffer
	z      *flate.Writer
	size   int64
}

func newKeptReport() *keptReport {
	k := &keptReport{}
	k.z, _ = flate.NewWriter(&k.packed, flate.BestSpeed) // the level is a valid one
	return k
}

func (k *keptReport) add(p []byte) {
	if k.size += int64(len(p)); k.size <= mostReport {
		k.z.Write(p) // into memory
	}
}

func newOutputStream(to io.Writer, most int) *outputStream {
	s := &outputStream{to: to, sum: sha256.New(), tail: redact.Tail{Most: most}}
	s.redact.To = &s.tail
	return s
}

// Write never fails: when the reader of our own output has exited, as in a pipe to head, the command is still recorded.
func (s *outputStream) Write(p []byte) (int, error) {
	if !s.failed {
		_, err := s.to.Write(p)
		s.failed = err != nil
	}
	s.sum.Write(p) // a hash never fails
	s.redact.Add(p)
	if s.kept != nil {
		s.kept.add(p)
	}
	return len(p), nil
}

// end closes the stream and returns the values for a record.
func (s *outputStream) end() (text, digest string, cut, redactions int64) {
	s.redact.End()
	text, cut = s.tail.Text()
	return text, hex.EncodeToString(s.sum.Sum(nil)), cut, s.redact.Count
}

// mostReport is the longest report that the gate reads.
var mostReport = reports.MostTestBytes(input.DefaultLimits())

// writeReport writes the whole stream to a report, after the command has ended: it cannot edit what it printed. One that the
// command wrote there itself is an error, because which of the two is the report is not known.
func (s *outputStream) writeReport(root *os.Root, p string) error {
	if s.kept.size > mostReport {
		return fmt.Errorf("it has more than %d bytes, and the gate reads no larger report: let the command print less", mostReport)
	}
	switch _, err := lstatPlain(root, p); {
	case err == nil:
		return errors.New(`the command wrote this file itself: remove "from" from the test_report of the contract, or let the command write to another file`)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if err := root.MkdirAll(filepath.FromSlash(path.Dir(p)), 0o755); err != nil {
		return err
	}
	f, err := root.OpenFile(filepath.FromSlash(p), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	err = s.kept.z.Close()
	_, copied := io.Copy(f, flate.NewReader(&s.kept.packed))
	return errors.Join(err, copied, f.Close())
}

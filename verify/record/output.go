package record

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
)

// silence switches workflow commands off for what follows, where GitHub's runner would carry out those that a command
// prints, and returns what switches them on again. Nobody can foresee the token.
func (r *Recorder) silence() (end func()) {
	if r.Commands == nil {
		return func() {}
	}
	token := randomHex(16)
	fmt.Fprintf(r.Commands, "::stop-commands::%s\n", token)
	return func() { fmt.Fprintf(r.Commands, "\n::%s::\n", token) } // the command's last line may have no end
}

// stream takes one output stream of a command: it passes the bytes on as they are, hashes all of them, and keeps a
// redacted tail. The tail is cut after secrets were replaced: the other way round, a private key whose first line fell
// into the cut would not be known for one.
type stream struct {
	to     io.Writer
	failed bool // nobody reads what is passed on
	sum    hash.Hash
	redact redactor
	tail   tail
}

func newStream(to io.Writer, most int) *stream {
	s := &stream{to: to, sum: sha256.New(), tail: tail{most: most}}
	s.redact.to = &s.tail
	return s
}

// Write never fails: when the reader of our own output has gone away, as in a pipe to head, the command is recorded all
// the same.
func (s *stream) Write(p []byte) (int, error) {
	if !s.failed {
		_, err := s.to.Write(p)
		s.failed = err != nil
	}
	s.sum.Write(p) // a hash takes everything
	s.redact.add(p)
	return len(p), nil
}

// end closes the stream and returns what a record says of it.
func (s *stream) end() (text, digest string, cut, redactions int64) {
	s.redact.end()
	text, cut = s.tail.text()
	return text, hex.EncodeToString(s.sum.Sum(nil)), cut, s.redact.count
}

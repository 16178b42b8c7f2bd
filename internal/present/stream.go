package present

import (
	"io"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/closeout-gate/closeout/verify/input"
)

// Stream is the kind of text that a format writes, which decides how it reaches a terminal or a log.
type Stream int

// The kinds of text. The zero value is text that passes a [Writer].
const (
	Plain    Stream = iota // text for people
	JSON                   // JSON, which may change only to another spelling of the same value: see [NewJSONWriter]
	Commands               // workflow commands, which neutralise what they quote
	HTML                   // HTML, which is written as it is: its presenter neutralises for a log too
)

// Writer makes everything that is written to it safe to print, like [Neutral], except that newlines and tabs stay. A
// character or a command may be split over several calls. It is safe for concurrent use.
type Writer struct {
	mu     sync.Mutex
	to     io.Writer
	rest   []byte // the first bytes of an incomplete character
	inLine bool   // the line contains something other than white space
	hashes int    // '#' in a row before this place
}

// NewWriter returns a writer that neutralises what it passes on to another writer.
func NewWriter(to io.Writer) *Writer { return &Writer{to: to} }

// Unwrap returns the writer that this one passes text on to.
func (w *Writer) Unwrap() io.Writer { return w.to }

// Write reports all of p as written unless there is an error.
func (w *Writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := string(append(w.rest, p...))
	w.rest = nil
	var b strings.Builder
	for i := 0; i < len(text); {
		if text[i] >= utf8.RuneSelf && !utf8.FullRuneInString(text[i:]) {
			w.rest = []byte(text[i:])
			break
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		w.put(&b, r, text[i:i+size])
		i += size
	}
	if b.Len() > 0 {
		if _, err := io.WriteString(w.to, b.String()); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// Flush writes the bytes of an incomplete character.
func (w *Writer) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.rest) == 0 {
		return nil
	}
	var b strings.Builder
	for i := range w.rest {
		w.put(&b, utf8.RuneError, string(w.rest[i:i+1]))
	}
	w.rest = nil
	_, err := io.WriteString(w.to, b.String())
	return err
}

// put writes one character. It writes a backslash before a colon at the start of a line, also after white space, and before
// the bracket of "##[".
func (w *Writer) put(b *strings.Builder, r rune, raw string) {
	switch {
	case r == '\n':
		w.inLine = false
	case r == ':' && !w.inLine, r == '[' && w.hashes >= 2:
		b.WriteByte('\\')
		w.inLine = true
	case r != ' ' && r != '\t':
		w.inLine = true
	}
	if w.hashes++; r != '#' {
		w.hashes = 0
	}
	if r == '\n' || r == '\t' {
		b.WriteRune(r)
		return
	}
	input.WriteVisible(b, r, raw)
}

// NewJSONWriter returns a writer that spells "##[", which a workflow runner would read as a command, as "##\u005b". In JSON
// this can only occur in a string, where it means the same.
func NewJSONWriter(to io.Writer) io.Writer { return &jsonWriter{to: to} }

type jsonWriter struct {
	to     io.Writer
	hashes int
}

// Write reports all of p as written unless there is an error.
func (w *jsonWriter) Write(p []byte) (int, error) {
	out := make([]byte, 0, len(p))
	for _, c := range p {
		if c == '[' && w.hashes >= 2 {
			out = append(out, `\u005b`...)
		} else {
			out = append(out, c)
		}
		if w.hashes++; c != '#' {
			w.hashes = 0
		}
	}
	if _, err := w.to.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}

package output

import (
	"io"
	"strings"
	"sync"
	"unicode/utf8"
)

// Stream says what a format writes, and with it how its text reaches a terminal or a log.
type Stream int

// The kinds of text. The zero value is what a format gets that says nothing: text that passes a [Writer].
const (
	Plain    Stream = iota // text for people
	JSON                   // JSON, of which a byte may change only to another spelling of the same value: see [NewJSONWriter]
	Commands               // workflow commands, which neutralise what they quote themselves
)

// Writer makes everything that is written to it safe to print, as [Neutral] does for one text, but newlines and tabs stay.
// A character or a command may be split over several calls. It may be used by several goroutines.
type Writer struct {
	mu     sync.Mutex
	to     io.Writer
	rest   []byte // the begin of a character
	inLine bool   // the line has something other than white space
	hashes int    // '#' in a row before this place
}

// NewWriter returns a writer that neutralises what it passes on.
func NewWriter(to io.Writer) *Writer { return &Writer{to: to} }

// Unwrap returns what the writer passes on to.
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

// Flush writes what is left of a character that never came to its end.
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

// put writes one character. A line that begins with a colon, after white space too, gets a backslash before it, and so
// does the bracket of "##[".
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
	writeVisible(b, r, raw)
}

// NewJSONWriter returns a writer that spells "##[", which a workflow runner would take for a command, as "##\u005b". In
// JSON that can only stand in a string, where it means the same.
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

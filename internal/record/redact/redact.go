// Package redact keeps the end of an output for a record, without secrets.
package redact

import (
	"bytes"

	"github.com/closeout-gate/closeout/internal/rules/secrets"
)

// Mask replaces a secret in a tail.
const Mask = secrets.Mask

// lookahead is how many bytes decide whether a secret begins at a position. No byte beyond them is read, so that the result
// does not depend on how the stream is split into pieces.
const lookahead = 160

// longestKey is the maximum length of a private key in PEM form: a key of 16,384 bits needs a fifth of it. Without it, a BEGIN
// line without an END line would hide the rest of the output.
const longestKey = 64 << 10

// Redactor replaces secrets on their way to a tail. It recognises a secret by its beginning and keeps only lookahead bytes and
// one piece of the stream.
type Redactor struct {
	To    *Tail
	Count int64  // secrets replaced
	rest  []byte // not decided yet
	value value  // what is being replaced; its kind is plain when nothing is
}

// form is how a secret looks, which decides where it ends.
type form int

const (
	plain  form = iota // no secret
	token              // characters of one set
	word               // up to a space: a password may contain anything else
	quoted             // up to the closing quote
	line               // up to a quote or the end of the line
	pem                // up to the END line
)

// value is a secret that is being replaced.
type value struct {
	kind    form
	set     *secrets.Set // of a token
	certain int          // bytes at its start that always belong to it
	quote   byte         // of a quoted value
	escapes int          // number of backslashes before the quote: 0, or more for nested quotes
	slashes int          // number of backslashes that were just read
	length  int          // bytes read
}

// Add reads the next piece.
func (r *Redactor) Add(p []byte) {
	r.rest = append(r.rest, p...)
	r.work(false)
}

// End ends the stream.
func (r *Redactor) End() { r.work(true) }

// work decides every position that lookahead bytes follow, or all of them at the end.
func (r *Redactor) work(end bool) {
	last := len(r.rest)
	if !end {
		last -= lookahead
	}
	at := 0
	for at < last {
		at += r.step(r.rest[at:], last-at)
	}
	r.rest = append(r.rest[:0], r.rest[at:]...)
}

// step decides the position at the start of b, or several of the next most ones, and returns how many bytes it consumed:
// the beginning of a secret may be longer than most.
func (r *Redactor) step(b []byte, most int) int {
	if r.value.kind != plain {
		return r.inside(b)
	}
	if n := filter().Skip(b, most); n > 0 {
		r.To.Add(b[:n])
		return n
	}
	kept, found := begin(b[:min(len(b), lookahead)])
	if found.kind == plain {
		r.To.Add(b[:1])
		return 1
	}
	r.Count++
	r.value = found
	r.To.Add(b[:kept])
	r.To.Add([]byte(Mask))
	return kept
}

// inside skips one byte of a secret, or finds its end and consumes nothing.
func (r *Redactor) inside(b []byte) int {
	v := &r.value
	if v.kind == pem {
		n := v.pemStep(b[:min(len(b), lookahead)])
		if n > 1 || v.length >= longestKey {
			r.value = value{}
		}
		return n
	}
	if secrets.BeginsKey(b[:min(len(b), lookahead)]) {
		*v = value{kind: pem} // a private key as a value continues over lines
		return 1
	}
	if v.length++; v.length <= v.certain {
		return 1
	}
	if v.ends(b[0]) {
		r.value = value{}
		return 0
	}
	return 1
}

// pemStep returns the length of the END line that b begins with, else 1.
func (v *value) pemStep(b []byte) int {
	v.length++
	if label, ok := bytes.CutPrefix(b, []byte("-----END ")); ok {
		if n := secrets.KeyLabel(label); n > 0 {
			return len(b) - len(label) + n
		}
	}
	return 1
}

// ends reports whether c no longer belongs to the secret.
func (v *value) ends(c byte) bool {
	switch v.kind {
	case token:
		return !v.set[c]
	case word:
		return c <= ' '
	case line:
		return c == '\n' || c == '\r' || c == '"' || c == '\''
	}
	if c == '\\' {
		v.slashes++
		return false
	}
	// In a text that was quoted n times, its closing quote has 2^n-1 backslashes, and a quote inside of it has more: twice as
	// many and one for each level.
	closing := c == v.quote && v.slashes&(2*v.escapes+1) == v.escapes
	v.slashes = 0
	return closing || c == '\n'
}

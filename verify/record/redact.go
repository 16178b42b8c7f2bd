package record

import "bytes"

// mask stands in a tail where a secret stood.
const mask = "[redacted]"

// lookahead is how many bytes decide whether a secret begins at a place. Nothing further is ever looked at, so that the
// result does not depend on how the stream was cut into pieces.
const lookahead = 160

// longestKey bounds a private key in PEM form: a key of 16,384 bits needs a fifth of it. A BEGIN line without an END
// would hide the rest of the output otherwise.
const longestKey = 64 << 10

// redactor replaces secrets on their way to a tail. It knows a secret by how it begins and keeps no more of the stream
// than lookahead bytes and one piece.
type redactor struct {
	to    *tail
	count int64 // secrets replaced
	held  []byte
	value value // what is being replaced; its kind is plain when nothing is
}

// kind says what a secret is made of, and so where it ends.
type kind int

const (
	plain  kind = iota // no secret
	token              // characters of one set
	word               // up to a space: a password may hold anything else
	quoted             // up to the closing quote
	line               // up to a quote or the end of the line
	pem                // up to the END line
)

// value is a secret that is being replaced.
type value struct {
	kind    kind
	set     *charset // of a token
	certain int      // bytes at its start that belong to it whatever they are
	quote   byte     // of a quoted value
	escapes int      // how many backslashes stand before the quote: 0, or more for text inside of text
	slashes int      // how many backslashes were just read
	length  int      // bytes read
}

// add takes the next piece.
func (r *redactor) add(p []byte) {
	r.held = append(r.held, p...)
	r.work(false)
}

// end takes it that nothing more comes.
func (r *redactor) end() { r.work(true) }

// work decides every place that has lookahead bytes behind it, or all of them at the end.
func (r *redactor) work(end bool) {
	last := len(r.held)
	if !end {
		last -= lookahead
	}
	at := 0
	for at < last {
		at += r.step(r.held[at:], last-at)
	}
	r.held = append(r.held[:0], r.held[at:]...)
}

// step decides the place at the start of b, or several of the next most ones, and returns how many bytes it took: those
// of what makes a secret a secret may be more than most.
func (r *redactor) step(b []byte, most int) int {
	if r.value.kind != plain {
		return r.inside(b)
	}
	n := 0
	for n < most && !mayBegin(b[n:]) {
		n++
	}
	if n > 0 {
		r.to.add(b[:n])
		return n
	}
	kept, found := begin(b[:min(len(b), lookahead)])
	if found.kind == plain {
		r.to.add(b[:1])
		return 1
	}
	r.count++
	r.value = found
	r.to.add(b[:kept])
	r.to.add([]byte(mask))
	return kept
}

// inside steps over one byte of a secret, or finds its end and takes nothing.
func (r *redactor) inside(b []byte) int {
	v := &r.value
	if v.kind == pem {
		n := v.pemStep(b[:min(len(b), lookahead)])
		if n > 1 || v.length >= longestKey {
			r.value = value{}
		}
		return n
	}
	if beginsKey(b[:min(len(b), lookahead)]) {
		*v = value{kind: pem} // a key that is somebody's password reaches over lines
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
		if n := keyLabel(label); n > 0 {
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
	// Inside a text that was quoted n times over, its own end has 2^n-1 backslashes, and a quote in it has more: twice
	// as many and one for each level.
	closing := c == v.quote && v.slashes&(2*v.escapes+1) == v.escapes
	v.slashes = 0
	return closing || c == '\n'
}

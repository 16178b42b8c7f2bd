package report

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Difference is the first place at which two documents differ, and what each has there: JSON, shortened; "nothing" where the
// document has no such value.
type Difference struct {
	Where   string // such as findings[3].code
	In, And string
}

// FirstDifference finds the first difference between two documents in canonical form; nil when they are equal.
func FirstDifference(a, b []byte) *Difference {
	left, right := &cursor{d: jsontext.NewDecoder(bytes.NewReader(a)), data: a}, &cursor{d: jsontext.NewDecoder(bytes.NewReader(b)), data: b}
	for {
		okLeft, okRight := left.next(), right.next()
		switch {
		case !okLeft && !okRight:
			return nil
		case left.raw == right.raw:
			continue
		}
		return differ(left, right)
	}
}

// cursor is a place in a document.
type cursor struct {
	d       *jsontext.Decoder
	data    []byte
	raw     string // of the token that was read last; "" after the end
	kind    jsontext.Kind
	isName  bool
	pointer jsontext.Pointer // of the token; of a bracket that ends a list or object, that of the list or object
}

func (c *cursor) next() bool {
	before := c.d.InputOffset()
	t, err := c.d.ReadToken()
	if err != nil {
		c.raw, c.kind = "", 0
		return false
	}
	container, read := c.d.StackIndex(c.d.StackDepth())
	c.kind, c.isName, c.pointer = t.Kind(), container == '{' && read%2 == 1, c.d.StackPointer()
	c.raw = string(bytes.TrimLeft(c.data[before:c.d.InputOffset()], ",:"))
	return true
}

// ends reports whether the token ends a list or an object.
func (c *cursor) ends() bool { return c.kind == ']' || c.kind == '}' || c.kind == 0 }

// differ describes two tokens that differ. Names are sorted, so that of two names the document with the later one lacks the
// other. A document whose list or object ends lacks what the other one has next.
func differ(a, b *cursor) *Difference {
	names := a.isName && b.isName
	lacksA, lacksB := a.ends() || (names && b.raw < a.raw), b.ends() || (names && a.raw < b.raw)
	at := a
	if lacksA {
		at = b
	}
	d := &Difference{Where: readable(at.pointer), In: "nothing", And: "nothing"}
	if !lacksA {
		d.In = a.value()
	}
	if !lacksB {
		d.And = b.value()
	}
	return d
}

// maxShown is how many bytes of a value are shown.
const maxShown = 80

// value is the value of the token, or of the name.
func (c *cursor) value() string {
	if c.isName {
		c.next()
	}
	switch {
	case c.kind == '{':
		return "an object"
	case c.kind == '[':
		return "a list"
	case len(c.raw) > maxShown:
		return strings.ToValidUTF8(c.raw[:maxShown], "") + "…"
	}
	return c.raw
}

// readable writes a pointer as a program would: findings[3].code.
func readable(p jsontext.Pointer) string {
	var b strings.Builder
	for token := range p.Tokens() {
		switch {
		case strings.Trim(token, "0123456789") == "":
			fmt.Fprintf(&b, "[%s]", token)
		case b.Len() > 0:
			b.WriteString("." + token)
		default:
			b.WriteString(token)
		}
	}
	return b.String()
}

package evidence

import (
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/closeout-gate/closeout/verify/source"
)

// kind is the JSON type of a node.
type kind byte

const (
	kindNull kind = iota
	kindBool
	kindNumber
	kindString
	kindList
	kindObject
)

// node is one value of a small document, with its place. JSON and YAML both become nodes, so that a format's rules are
// written once.
type node struct {
	pos     source.Pos
	kind    kind
	bool    bool
	text    string // of a string; of a number, as it is written
	items   []*node
	members []member
}

// member is one key of an object. A repeated key has been reported; the first one stays.
type member struct {
	key   string
	pos   source.Pos
	value *node
}

func (n *node) member(key string) *node {
	for _, m := range n.members {
		if m.key == key {
			return m.value
		}
	}
	return nil
}

// parseJSON reads a whole JSON document. It returns nil when the text is no JSON; duplicate keys are reported and
// stepped over.
func parseJSON(data []byte, limits Limits, errs *source.Errors) *node {
	p := newJSONParser(data, limits, errs)
	n := p.value()
	if n == nil {
		return nil
	}
	if at := p.skipSpace(); at < len(data) {
		errs.Add(source.Error{
			Pos: p.pos(at), Message: "something follows the value", Found: excerpt(data[at:]), Expected: "the end of the file",
			Fix: "remove what follows, a file holds one value",
		})
		return nil
	}
	return n
}

// jsonParser builds nodes from the tokens of one document.
type jsonParser struct {
	data  []byte
	dec   *jsontext.Decoder
	index lineIndex
	depth int
	left  int64 // how many more values there may be
	most  int64 // how many there may be at all
	errs  *source.Errors
}

func newJSONParser(data []byte, limits Limits, errs *source.Errors) *jsonParser {
	// Duplicate names are let through here because the decoder would stop at the first; object reports them all.
	dec := jsontext.NewDecoder(bytes.NewReader(data), jsontext.AllowDuplicateNames(true))
	return &jsonParser{
		data: data, dec: dec, index: lineIndex{data: data, line: 1}, depth: limits.Depth, left: limits.Values, most: limits.Values, errs: errs,
	}
}

// pos turns an offset into a place. Offsets are asked for in ascending order.
func (p *jsonParser) pos(offset int) source.Pos { return p.index.pos(offset) }

// skipSpace returns the offset of the next byte that is not JSON white space.
func (p *jsonParser) skipSpace() int {
	at := int(p.dec.InputOffset())
	for at < len(p.data) && bytes.IndexByte([]byte(" \t\r\n"), p.data[at]) >= 0 {
		at++
	}
	return at
}

// next returns the offset at which the next token starts: white space, and the comma or colon before it, passed over.
func (p *jsonParser) next() int {
	at := int(p.dec.InputOffset())
	for at < len(p.data) && bytes.IndexByte([]byte(" \t\r\n,:"), p.data[at]) >= 0 {
		at++
	}
	return at
}

func (p *jsonParser) value() *node {
	at := p.pos(p.next())
	tok, err := p.dec.ReadToken()
	if err != nil {
		p.fail(err)
		return nil
	}
	if p.left--; p.left < 0 {
		p.errs.Add(overLimit(at, "the number of values", p.most, FlagValues))
		return nil
	}
	switch n := (&node{pos: at}); tok.Kind() {
	case 'n':
		return n
	case 't', 'f':
		n.kind, n.bool = kindBool, tok.Bool()
		return n
	case '"':
		n.kind, n.text = kindString, tok.String()
		return n
	case '0':
		n.kind, n.text = kindNumber, tok.String()
		return n
	case '[':
		return p.list(n)
	default:
		return p.object(n)
	}
}

// tooDeep reports a value that nests deeper than the limit.
func (p *jsonParser) tooDeep(at source.Pos) bool {
	if p.dec.StackDepth() <= p.depth {
		return false
	}
	p.errs.Add(overLimit(at, "the nesting of values", int64(p.depth), FlagDepth))
	return true
}

func (p *jsonParser) list(n *node) *node {
	n.kind = kindList
	if p.tooDeep(n.pos) {
		return nil
	}
	for p.dec.PeekKind() != ']' {
		item := p.value()
		if item == nil {
			return nil
		}
		n.items = append(n.items, item)
	}
	return p.closed(n)
}

func (p *jsonParser) object(n *node) *node {
	n.kind = kindObject
	if p.tooDeep(n.pos) {
		return nil
	}
	var seen map[string]source.Pos // made when there are many keys: most objects have few
	for p.dec.PeekKind() != '}' {
		key := p.value()
		if key == nil {
			return nil
		}
		value := p.value()
		if value == nil {
			return nil
		}
		if len(n.members) == fewKeys {
			seen = n.places()
		}
		if first, twice := n.placeOf(key.text, seen); twice {
			p.errs.Add(duplicateKey(key, first))
			continue
		}
		if seen != nil {
			seen[key.text] = key.pos
		}
		n.members = append(n.members, member{key.text, key.pos, value})
	}
	return p.closed(n)
}

// fewKeys is up to how many keys an object is searched one by one.
const fewKeys = 16

// places are those of an object's keys.
func (n *node) places() map[string]source.Pos {
	places := make(map[string]source.Pos, 2*fewKeys)
	for _, m := range n.members {
		places[m.key] = m.pos
	}
	return places
}

// placeOf is where an object has a key. places are those of all keys; nil when there are few.
func (n *node) placeOf(key string, places map[string]source.Pos) (source.Pos, bool) {
	if places != nil {
		at, there := places[key]
		return at, there
	}
	for i := range n.members {
		if n.members[i].key == key {
			return n.members[i].pos, true
		}
	}
	return source.Pos{}, false
}

func (p *jsonParser) closed(n *node) *node {
	if _, err := p.dec.ReadToken(); err != nil {
		p.fail(err)
		return nil
	}
	return n
}

func (p *jsonParser) fail(err error) {
	at := len(p.data)
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		at = min(int(syntax.ByteOffset), len(p.data))
	}
	p.errs.Add(notJSON(p.index.restart().pos(at), p.data[at:], err))
}

// notJSON is the error for a text that is no JSON from rest on.
func notJSON(at source.Pos, rest []byte, err error) source.Error {
	e := source.Error{
		Pos: at, Message: "this is not valid JSON", Found: excerpt(rest), Expected: "JSON (RFC 8259) in UTF-8",
		Fix: "write the file with a JSON library, or check it with one",
	}
	var syntax *jsontext.SyntacticError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		e.Message, e.Found = "the text ends before the value does", "the end"
	case errors.As(err, &syntax):
		e.Message = "this is not valid JSON: " + syntax.Err.Error()
	}
	return e
}

func duplicateKey(key *node, first source.Pos) source.Error {
	return source.Error{
		Pos: key.pos, Where: key.text, Message: "the key " + quote(key.text) + " stands twice in one object",
		Found: "a second " + quote(key.text), Expected: "each key once (the first is in line " + itoa(first.Line) + ")",
		Fix: "keep one of them: readers disagree on which one counts",
	}
}

// lineIndex turns ascending offsets into places without going over the text again.
type lineIndex struct {
	data  []byte
	at    int // counted up to here
	line  int // line at that offset
	start int // offset at which that line starts
}

func (x *lineIndex) restart() *lineIndex { return &lineIndex{data: x.data, line: 1} }

func (x *lineIndex) pos(offset int) source.Pos {
	for x.at < offset {
		next := bytes.IndexByte(x.data[x.at:offset], '\n')
		if next < 0 {
			x.at = offset // a long line is counted once, not again for each of its values
			break
		}
		x.at += next + 1
		x.line, x.start = x.line+1, x.at
	}
	return source.Pos{Line: x.line, Column: offset - x.start + 1}
}

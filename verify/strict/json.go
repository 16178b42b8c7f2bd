package strict

import (
	"bytes"
	"errors"
	"io"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/closeout-gate/closeout/verify/diag"
)

// Kind is the JSON type of a node.
type Kind byte

const (
	KindNull Kind = iota
	KindBool
	KindNumber
	KindString
	KindList
	KindObject
)

// Node is one value of a small document, with its place. JSON and YAML both become nodes, so that a format's rules are
// written once.
type Node struct {
	Pos     diag.Pos
	Kind    Kind
	Bool    bool
	Text    string // of a string; of a number, as it is written
	Items   []*Node
	Members []Member
}

// Member is one key of an object. A repeated key has been reported; the first one stays.
type Member struct {
	Key   string
	Pos   diag.Pos
	Value *Node
}

func (n *Node) Member(key string) *Node {
	for _, m := range n.Members {
		if m.Key == key {
			return m.Value
		}
	}
	return nil
}

// ParseJSON reads a whole JSON document. It returns nil when the text is no JSON; duplicate keys are reported and
// stepped over.
func ParseJSON(data []byte, limits Limits, errs *diag.Errors) *Node {
	p := NewJSONParser(data, limits, errs)
	n := p.Value()
	if n == nil {
		return nil
	}
	if at := p.skipSpace(); at < len(data) {
		errs.Add(diag.Error{
			Pos: p.pos(at), Message: "something follows the value", Found: diag.Excerpt(data[at:]), Expected: "the end of the file",
			Fix: "remove what follows, a file holds one value",
		})
		return nil
	}
	return n
}

// jsonParser builds nodes from the tokens of one document.
type JSONParser struct {
	Data  []byte
	Dec   *jsontext.Decoder
	Index LineIndex
	Depth int
	Left  int64 // how many more values there may be
	Most  int64 // how many there may be at all
	Errs  *diag.Errors
}

func NewJSONParser(data []byte, limits Limits, errs *diag.Errors) *JSONParser {
	// Duplicate names are let through here because the decoder would stop at the first; object reports them all.
	dec := jsontext.NewDecoder(bytes.NewReader(data), jsontext.AllowDuplicateNames(true))
	return &JSONParser{
		Data: data, Dec: dec, Index: LineIndex{Data: data, Line: 1}, Depth: limits.Depth, Left: limits.Values, Most: limits.Values, Errs: errs,
	}
}

// pos turns an offset into a place. Offsets are asked for in ascending order.
func (p *JSONParser) pos(offset int) diag.Pos { return p.Index.Pos(offset) }

// skipSpace returns the offset of the next byte that is not JSON white space.
func (p *JSONParser) skipSpace() int {
	at := int(p.Dec.InputOffset())
	for at < len(p.Data) && bytes.IndexByte([]byte(" \t\r\n"), p.Data[at]) >= 0 {
		at++
	}
	return at
}

// next returns the offset at which the next token starts: white space, and the comma or colon before it, passed over.
func (p *JSONParser) next() int {
	at := int(p.Dec.InputOffset())
	for at < len(p.Data) && bytes.IndexByte([]byte(" \t\r\n,:"), p.Data[at]) >= 0 {
		at++
	}
	return at
}

func (p *JSONParser) Value() *Node {
	at := p.pos(p.next())
	tok, err := p.Dec.ReadToken()
	if err != nil {
		p.fail(err)
		return nil
	}
	if p.Left--; p.Left < 0 {
		p.Errs.Add(OverLimitAt(at, "the number of values", p.Most, FlagValues))
		return nil
	}
	switch n := (&Node{Pos: at}); tok.Kind() {
	case 'n':
		return n
	case 't', 'f':
		n.Kind, n.Bool = KindBool, tok.Bool()
		return n
	case '"':
		n.Kind, n.Text = KindString, tok.String()
		return n
	case '0':
		n.Kind, n.Text = KindNumber, tok.String()
		return n
	case '[':
		return p.list(n)
	default:
		return p.object(n)
	}
}

// tooDeep reports a value that nests deeper than the limit.
func (p *JSONParser) tooDeep(at diag.Pos) bool {
	if p.Dec.StackDepth() <= p.Depth {
		return false
	}
	p.Errs.Add(OverLimitAt(at, "the nesting of values", int64(p.Depth), FlagDepth))
	return true
}

func (p *JSONParser) list(n *Node) *Node {
	n.Kind = KindList
	if p.tooDeep(n.Pos) {
		return nil
	}
	for p.Dec.PeekKind() != ']' {
		item := p.Value()
		if item == nil {
			return nil
		}
		n.Items = append(n.Items, item)
	}
	return p.closed(n)
}

func (p *JSONParser) object(n *Node) *Node {
	n.Kind = KindObject
	if p.tooDeep(n.Pos) {
		return nil
	}
	var seen map[string]diag.Pos // made when there are many keys: most objects have few
	for p.Dec.PeekKind() != '}' {
		key := p.Value()
		if key == nil {
			return nil
		}
		value := p.Value()
		if value == nil {
			return nil
		}
		if len(n.Members) == fewKeys {
			seen = n.places()
		}
		if first, twice := n.placeOf(key.Text, seen); twice {
			p.Errs.Add(DuplicateKey(key, first))
			continue
		}
		if seen != nil {
			seen[key.Text] = key.Pos
		}
		n.Members = append(n.Members, Member{key.Text, key.Pos, value})
	}
	return p.closed(n)
}

// fewKeys is up to how many keys an object is searched one by one.
const fewKeys = 16

// places are those of an object's keys.
func (n *Node) places() map[string]diag.Pos {
	places := make(map[string]diag.Pos, 2*fewKeys)
	for _, m := range n.Members {
		places[m.Key] = m.Pos
	}
	return places
}

// placeOf is where an object has a key. places are those of all keys; nil when there are few.
func (n *Node) placeOf(key string, places map[string]diag.Pos) (diag.Pos, bool) {
	if places != nil {
		at, there := places[key]
		return at, there
	}
	for i := range n.Members {
		if n.Members[i].Key == key {
			return n.Members[i].Pos, true
		}
	}
	return diag.Pos{}, false
}

func (p *JSONParser) closed(n *Node) *Node {
	if _, err := p.Dec.ReadToken(); err != nil {
		p.fail(err)
		return nil
	}
	return n
}

func (p *JSONParser) fail(err error) {
	at := len(p.Data)
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		at = min(int(syntax.ByteOffset), len(p.Data))
	}
	p.Errs.Add(NotJSON(p.Index.restart().Pos(at), p.Data[at:], err))
}

// NotJSON is the error for a text that is no JSON from rest on.
func NotJSON(at diag.Pos, rest []byte, err error) diag.Error {
	e := diag.Error{
		Pos: at, Message: "this is not valid JSON", Found: diag.Excerpt(rest), Expected: "JSON (RFC 8259) in UTF-8",
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

func DuplicateKey(key *Node, first diag.Pos) diag.Error {
	return diag.Error{
		Pos: key.Pos, Where: key.Text, Message: "the key " + diag.Quote(key.Text) + " stands twice in one object",
		Found: "a second " + diag.Quote(key.Text), Expected: "each key once (the first is in line " + strconv.Itoa(first.Line) + ")",
		Fix: "keep one of them: readers disagree on which one counts",
	}
}

// LineIndex turns ascending offsets into places without going over the text again.
type LineIndex struct {
	Data  []byte
	at    int // counted up to here
	Line  int // line at that offset
	start int // offset at which that line starts
}

func (x *LineIndex) restart() *LineIndex { return &LineIndex{Data: x.Data, Line: 1} }

func (x *LineIndex) Pos(offset int) diag.Pos {
	for x.at < offset {
		next := bytes.IndexByte(x.Data[x.at:offset], '\n')
		if next < 0 {
			x.at = offset // a long line is counted once, not again for each of its values
			break
		}
		x.at += next + 1
		x.Line, x.start = x.Line+1, x.at
	}
	return diag.Pos{Line: x.Line, Column: offset - x.start + 1}
}

package input

import (
	"bytes"
	"cmp"
	"strconv"
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
	Pos     Pos
	Kind    Kind
	Bool    bool
	Block   bool   // an object in the block style of YAML: its keys have no quotes
	Text    string // of a string; of a number, as it is written
	Items   []*Node
	Members []Member
}

// Member is one key of an object. A repeated key has been reported; the first one stays.
type Member struct {
	Key   string
	Pos   Pos
	Value *Node
}

func (n *Node) Member(key string) *Node {
	if n == nil {
		return nil
	}
	for _, m := range n.Members {
		if m.Key == key {
			return m.Value
		}
	}
	return nil
}

// At follows keys; a node without value where there is no such member.
func (n *Node) At(keys ...string) *Node {
	for _, key := range keys {
		n = n.Member(key)
	}
	return cmp.Or(n, &Node{})
}

// ParseJSON reads a whole JSON document. It returns nil when the text is not JSON; a key that occurs again is reported
// and its value is ignored.
func ParseJSON(data []byte, limits Limits, errs *Errors) *Node {
	size := int64(len(data))
	s := NewStream(bytes.NewReader(data), Bounds{Bytes: size, ValueBytes: size, Values: limits.Values, Depth: limits.Depth}, errs)
	if n := (&Node{}); s.Read(n) && s.End() {
		return n
	}
	return nil
}

// Read reads a value into n. A text that is one of known takes no memory.
func (s *Stream) Read(n *Node, known ...string) bool {
	t, ok := s.next(known)
	if !ok || !s.counted(t.pos) {
		return false
	}
	*n = Node{Pos: t.pos}
	switch t.kind {
	case 'n':
	case 't', 'f':
		n.Kind, n.Bool = KindBool, t.kind == 't'
	case '"':
		n.Kind, n.Text = KindString, t.text
	case '0':
		n.Kind, n.Text = KindNumber, t.text
	case '[':
		n.Kind = KindList
		return !s.tooDeep(n.Pos) && s.list(n)
	default:
		n.Kind = KindObject
		return !s.tooDeep(n.Pos) && s.object(n)
	}
	return true
}

func (s *Stream) list(n *Node) bool {
	for s.More() {
		item := &Node{}
		if !s.Read(item) {
			return false
		}
		n.Items = append(n.Items, item)
	}
	return s.Close()
}

func (s *Stream) object(n *Node) bool {
	var seen map[string]Pos // made when there are many keys: most objects have few
	for s.More() {
		value := &Node{}
		key, ok := s.Key()
		if !ok || !s.Read(value) {
			return false
		}
		if len(n.Members) == fewKeys {
			seen = n.places()
		}
		if first, again := n.placeOf(key.Value, seen); again {
			s.errs.Add(DuplicateKey(key, first))
			continue
		}
		if seen != nil {
			seen[key.Value] = key.Pos
		}
		n.Members = append(n.Members, Member{key.Value, key.Pos, value})
	}
	return s.Close()
}

// fewKeys is up to how many keys an object is searched one by one.
const fewKeys = 16

// places are where the keys of an object are.
func (n *Node) places() map[string]Pos {
	places := make(map[string]Pos, 2*fewKeys)
	for _, m := range n.Members {
		places[m.Key] = m.Pos
	}
	return places
}

// placeOf is where an object has a key. places has all keys; nil when there are few.
func (n *Node) placeOf(key string, places map[string]Pos) (Pos, bool) {
	if places != nil {
		at, there := places[key]
		return at, there
	}
	for i := range n.Members {
		if n.Members[i].Key == key {
			return n.Members[i].Pos, true
		}
	}
	return Pos{}, false
}

// DuplicateKey is the error for a key that an object already has.
func DuplicateKey(key Text, first Pos) Error {
	return Error{
		Pos: key.Pos, Where: key.Value, Message: "the key " + Quote(key.Value) + " occurs twice in one object",
		Found: "a second " + Quote(key.Value), Expected: "each key once (the first is in line " + strconv.Itoa(first.Line) + ")",
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

func (x *LineIndex) Pos(offset int) Pos {
	for x.at < offset {
		next := bytes.IndexByte(x.Data[x.at:offset], '\n')
		if next < 0 {
			x.at = offset // a long line is counted once, not again for each of its values
			break
		}
		x.at += next + 1
		x.Line, x.start = x.Line+1, x.at
	}
	return Pos{Line: x.Line, Column: offset - x.start + 1}
}

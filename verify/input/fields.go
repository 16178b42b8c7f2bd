package input

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// The methods here read the kinds of value that only contracts contain.

// Add reports what is wrong with the value n at the pointer where.
func (f *Fields) Add(n *Node, where, message, expected, fix string) {
	f.Errs.Add(Error{
		Pos: n.Pos, Where: where, Message: message, Found: n.Describe(), Expected: expected, Fix: fix,
	})
}

// NeedOneOf is OneOf that reports an absent key.
func (f *Fields) NeedOneOf(key string, allowed ...string) string {
	n := f.Need(key, "one of "+strings.Join(allowed, ", "))
	if n == nil {
		return ""
	}
	return f.wordOf(n, key, allowed)
}

// wordOf returns a string out of a fixed set; "" and an error for any other value.
func (f *Fields) wordOf(n *Node, key string, allowed []string) string {
	if n.Kind != KindString || !slices.Contains(allowed, n.Text) {
		f.WrongFix(n, key, "one of "+strings.Join(allowed, ", "), WordFix(n, allowed))
		return ""
	}
	return n.Text
}

// Share reads the value of key as a share from 0 to 1.
func (f *Fields) Share(n *Node, key string) (Ratio, bool) {
	r, ok := ParseRatio(n)
	if !ok {
		e := WrongType(n, f.Pointer(key), "a number from 0 to 1")
		e.Fix = "write the share itself: 62 % is 0.62"
		f.Errs.Add(e)
	}
	return r, ok
}

// MaxSafeInteger is the largest integer that every JSON reader represents exactly.
const MaxSafeInteger = 1<<53 - 1

// Fields reads the members of one object. Each method marks its key as known and reports what is wrong with the value;
// End reports the keys that no method was called with. A null is a value like any other, and so the wrong one for most
// keys; OrNull is for the keys that may be null.
type Fields struct {
	Node  *Node
	Where string // JSON pointer of the object
	Errs  *Errors
	Known []string
	Taken func(key string) bool // whether the object has a key; nil to look into Node
}

// Object returns the fields of n, or nil and an error when n is something else. where is the JSON pointer of n.
func Object(n *Node, where string, errs *Errors) *Fields {
	if n.Kind != KindObject {
		errs.Add(WrongType(n, where, "an object"))
		return nil
	}
	return &Fields{Node: n, Where: where, Errs: errs}
}

// EscapePointer writes a key as a part of a JSON pointer (RFC 6901).
var EscapePointer = strings.NewReplacer("~", "~0", "/", "~1")

// Pointer is the JSON pointer of a member.
func (f *Fields) Pointer(key string) string { return f.Where + "/" + EscapePointer.Replace(key) }

// Get returns the value of key, which may be null; nil when it is absent.
func (f *Fields) Get(key string) *Node {
	f.Known = append(f.Known, key)
	return f.Node.Member(key)
}

// OrNull returns the value of key; nil when it is absent or null.
func (f *Fields) OrNull(key string) *Node {
	n := f.Get(key)
	if n == nil || n.Kind == KindNull {
		return nil
	}
	return n
}

// Need is Get that reports an absent key.
func (f *Fields) Need(key, expected string) *Node {
	n := f.Get(key)
	if n == nil {
		fix := f.addFix(key)
		if strings.HasPrefix(expected, `"`) && strings.Count(expected, `"`) == 2 && strings.HasSuffix(expected, `"`) { // the only value
			fix = "add " + f.Line(key, expected)
		}
		f.Errs.Add(Error{
			Pos: f.Node.Pos, Where: f.Pointer(key), Message: "the key " + Quote(key) + " is missing", Found: "no such key",
			Expected: expected, Fix: fix,
		})
	}
	return n
}

// Wrong reports a value that is not what key needs.
func (f *Fields) Wrong(n *Node, key, expected string) {
	f.WrongFix(n, key, expected, "")
}

// WrongFix is Wrong with what to write; "" when that is not known.
func (f *Fields) WrongFix(n *Node, key, expected, fix string) {
	e := WrongType(n, f.Pointer(key), expected)
	e.Fix = cmp.Or(fix, e.Fix)
	f.Errs.Add(e)
}

// Text returns a string with a visible character. An absent key gives the zero value.
func (f *Fields) Text(key string) Text {
	return f.TextOf(f.Get(key), key)
}

// NeedText is Text that reports an absent key, and null.
func (f *Fields) NeedText(key string) Text {
	return f.TextOf(f.Need(key, "a text"), key)
}

func (f *Fields) TextOf(n *Node, key string) Text {
	if n == nil {
		return Text{}
	}
	if n.Kind != KindString || strings.TrimSpace(n.Text) == "" {
		f.WrongFix(n, key, "a string that is not blank", f.textFix(key, n))
		return Text{}
	}
	return Text{Value: n.Text, Pos: n.Pos}
}

// OneOf returns a string out of a fixed set; an absent key gives "".
func (f *Fields) OneOf(key string, allowed ...string) string {
	n := f.Get(key)
	if n == nil {
		return ""
	}
	return f.wordOf(n, key, allowed)
}

// Flag returns a boolean; an absent key gives false.
func (f *Fields) Flag(key string) bool {
	n := f.Get(key)
	if n == nil {
		return false
	}
	if n.Kind != KindBool {
		f.WrongFix(n, key, "true or false", WordFix(n, []string{"true", "false"}))
	}
	return n.Bool
}

// Integer returns a whole number between low and high; nil when the key is absent or wrong.
func (f *Fields) Integer(key string, low, high int64) *int64 {
	return f.IntegerOf(f.Get(key), key, low, high)
}

func (f *Fields) IntegerOf(n *Node, key string, low, high int64) *int64 {
	if n == nil {
		return nil
	}
	i, ok := IntegerOf(n)
	if !ok || i < low || i > high {
		f.WrongFix(n, key, integerRange(low, high), integerFix(n, low, high))
		return nil
	}
	return &i
}

func integerRange(low, high int64) string {
	if high == math.MaxInt64 {
		return fmt.Sprintf("an integer of at least %d, written without fraction or exponent", low)
	}
	return fmt.Sprintf("an integer from %d to %d, written without fraction or exponent", low, high)
}

var IntegerSyntax = Lazily(`^(0|-?[1-9][0-9]*)$`)

// IntegerOf reads a number that is written as an integer: -0, 1.0 and 1e0 are none.
func IntegerOf(n *Node) (int64, bool) {
	if n.Kind != KindNumber || !IntegerSyntax().MatchString(n.Text) {
		return 0, false
	}
	i, err := strconv.ParseInt(n.Text, 10, 64)
	return i, err == nil
}

// List returns the items of a list; nil when the key is absent or wrong.
func (f *Fields) List(key string) []*Node {
	return f.ListOf(f.Get(key), key)
}

func (f *Fields) ListOf(n *Node, key string) []*Node {
	if n == nil {
		return nil
	}
	if n.Kind != KindList {
		f.WrongFix(n, key, "a list", f.listFix(key, n))
		return nil
	}
	return n.Items
}

// Texts returns a list of strings that are not blank; never nil when the value is a list.
func (f *Fields) Texts(key string) []Text {
	return f.TextsOf(f.Get(key), key)
}

func (f *Fields) TextsOf(n *Node, key string) []Text {
	if n == nil {
		return nil
	}
	list := []Text{}
	for i, item := range f.ListOf(n, key) {
		if item.Kind != KindString || strings.TrimSpace(item.Text) == "" {
			e := WrongElement(item, f.Pointer(key)+"/"+strconv.Itoa(i), "an item of "+Quote(key), "a string that is not blank")
			e.Fix = cmp.Or(TextFix(item), f.itemFix(key, item), e.Fix)
			f.Errs.Add(e)
			continue
		}
		list = append(list, Text{Value: item.Text, Pos: item.Pos})
	}
	return list
}

// TextOrTexts returns the strings of a field that takes one string or a list of them.
func (f *Fields) TextOrTexts(key string) []Text {
	n := f.Get(key)
	if n != nil && n.Kind == KindString {
		return []Text{f.TextOf(n, key)}
	}
	return f.TextsOf(n, key)
}

// IsNote reports whether a key is a note of the author: it may be in any object, and nothing reads it.
func IsNote(key string) bool { return strings.HasPrefix(key, "x-") }

// End reports every key that is not known, but those that begin with x-.
func (f *Fields) End() {
	for _, m := range f.Node.Members {
		if slices.Contains(f.Known, m.Key) || IsNote(m.Key) {
			continue
		}
		if f.Errs.Full() {
			f.Errs.Add(Error{}) // it is only counted, so its words are never shown
			continue
		}
		f.Errs.Add(f.Unknown(m))
	}
}

func (f *Fields) Unknown(m Member) Error {
	fix := "remove it, or write " + QuoteJSON("x-"+m.Key) + " if it is a note of your own"
	if near := f.meant(m.Key); near != "" {
		fix = "did you mean " + Quote(near) + "?"
	} else if owner, spaces := f.outdented(m); spaces > 0 {
		fix = "put " + Plural(int64(spaces), "space") + " before it if it belongs to " + Quote(owner) + "; else " + fix
	}
	slices.Sort(f.Known)
	f.Known = slices.Compact(f.Known)
	return Error{
		Pos: m.Pos, Where: f.Pointer(m.Key), Message: "the key " + Quote(m.Key) + " is unknown", Found: Quote(m.Key),
		Expected: "one of " + strings.Join(f.Known, ", "), Fix: fix,
	}
}

// outdented is the key in whose block an unknown key may belong, and how many spaces are missing before it: in YAML a line with too
// little indentation ends the block. 0 where no block comes before it.
func (f *Fields) outdented(m Member) (owner string, spaces int) {
	if f.Node == nil || !f.Node.Block { // a line of a log has no node
		return "", 0
	}
	for _, before := range f.Node.Members {
		if before.Pos == m.Pos {
			break
		}
		if !slices.Contains(f.Known, before.Key) {
			continue
		}
		owner, spaces = before.Key, 0
		value := before.Value
		if value.Kind == KindList && len(value.Items) > 0 {
			value = value.Items[len(value.Items)-1]
		}
		switch {
		case value.Kind == KindNull:
			spaces = 2
		case value.Kind == KindObject && value.Block && len(value.Members) > 0:
			spaces = value.Members[0].Pos.Column - m.Pos.Column
		}
	}
	return owner, spaces
}

// WrongType is the error for a value that is not what its place needs.
func WrongType(n *Node, where, expected string) Error {
	name := where[strings.LastIndexByte(where, '/')+1:]
	if name == "" {
		name = "the whole document"
	}
	return Error{
		Pos: n.Pos, Where: where, Message: name + " must be " + expected,
		Found: n.Describe(), Expected: expected, Fix: "write " + expected,
	}
}

// Describe names a value for an error: its type, and the value when that is short.
func (n *Node) Describe() string {
	switch n.Kind {
	case KindNull:
		return "null"
	case KindBool:
		return strconv.FormatBool(n.Bool)
	case KindNumber:
		return "the number " + Clip(n.Text)
	case KindString:
		return "the string " + Quote(n.Text)
	case KindList:
		return fmt.Sprintf("a list of %d", len(n.Items))
	default:
		return fmt.Sprintf("an object of %d", len(n.Members))
	}
}

// AnyText returns a string, which may be blank; "" when the key is absent or null.
func (f *Fields) AnyText(key string) string {
	n := f.OrNull(key)
	if n == nil {
		return ""
	}
	if n.Kind != KindString {
		f.Wrong(n, key, "a string")
		return ""
	}
	return n.Text
}

// WrongElement is WrongType for a value that is better named than by the last part of where.
func WrongElement(n *Node, where, what, expected string) Error {
	e := WrongType(n, where, expected)
	e.Message = what + " must be " + expected
	return e
}

// LooseChild returns the object under key; an empty one when it is absent, null, or, with an error, something else.
func (f *Fields) LooseChild(key string) *Fields {
	return f.ObjectOrEmpty(f.OrNull(key), key, key)
}

// LooseObjects returns the objects of the list under key; none when it is absent or null. An item that is something else
// is an error and gives an empty object, so that indices stay right.
func (f *Fields) LooseObjects(key string) []*Fields {
	var list []*Fields
	for i, item := range f.ListOf(f.OrNull(key), key) {
		list = append(list, f.ObjectOrEmpty(item, key+"/"+strconv.Itoa(i), "each of "+key))
	}
	return list
}

// ObjectOrEmpty returns the fields of n. What is none is an error under the name what, and has no fields; nil is no error.
func (f *Fields) ObjectOrEmpty(n *Node, key, what string) *Fields {
	where := f.Where + "/" + key // the keys asked for need no escape
	if n == nil {
		n = &Node{Pos: f.Node.Pos, Kind: KindObject}
	}
	if n.Kind != KindObject {
		f.Errs.Add(WrongElement(n, where, what, "an object"))
		n = &Node{Pos: n.Pos, Kind: KindObject}
	}
	return &Fields{Node: n, Where: where, Errs: f.Errs}
}

package evidence

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/closeout-gate/closeout/verify/source"
)

// fields reads the members of one object. Each method marks its key as known and reports what is wrong with the value;
// end reports the keys that nobody asked for. A null is a value like any other, and so the wrong one for most keys;
// orNull is for the keys that may hold it.
type fields struct {
	node  *node
	where string // JSON pointer of the object
	errs  *source.Errors
	known []string
}

// object returns the fields of n, or nil and an error when n is something else. where is the JSON pointer of n.
func object(n *node, where string, errs *source.Errors) *fields {
	if n.kind != kindObject {
		errs.Add(wrongType(n, where, "an object"))
		return nil
	}
	return &fields{node: n, where: where, errs: errs}
}

// escapePointer writes a key as a part of a JSON pointer (RFC 6901).
var escapePointer = strings.NewReplacer("~", "~0", "/", "~1")

// pointer is the JSON pointer of a member.
func (f *fields) pointer(key string) string { return f.where + "/" + escapePointer.Replace(key) }

// get returns the value of key, which may be null; nil when it is absent.
func (f *fields) get(key string) *node {
	f.known = append(f.known, key)
	return f.node.member(key)
}

// orNull returns the value of key; nil when it is absent or null.
func (f *fields) orNull(key string) *node {
	n := f.get(key)
	if n == nil || n.kind == kindNull {
		return nil
	}
	return n
}

// need is get that reports an absent key.
func (f *fields) need(key, expected string) *node {
	n := f.get(key)
	if n == nil {
		f.errs.Add(source.Error{
			Pos: f.node.pos, Where: f.pointer(key), Message: "the key " + quote(key) + " is missing", Found: "no such key",
			Expected: expected, Fix: "add " + quote(key),
		})
	}
	return n
}

// wrong reports a value that is not what key needs.
func (f *fields) wrong(n *node, key, expected string) {
	f.errs.Add(wrongType(n, f.pointer(key), expected))
}

// text returns a string with a visible character. An absent key gives the zero value.
func (f *fields) text(key string) Text {
	return f.textOf(f.get(key), key)
}

// needText is text that reports an absent key, and null.
func (f *fields) needText(key string) Text {
	return f.textOf(f.need(key, "a text"), key)
}

func (f *fields) textOf(n *node, key string) Text {
	if n == nil {
		return Text{}
	}
	if n.kind != kindString || strings.TrimSpace(n.text) == "" {
		f.wrong(n, key, "a string that is not blank")
		return Text{}
	}
	return Text{n.text, n.pos}
}

// oneOf returns a string out of a fixed set; an absent key gives "".
func (f *fields) oneOf(key string, allowed ...string) string {
	n := f.get(key)
	if n == nil {
		return ""
	}
	if n.kind != kindString || !slices.Contains(allowed, n.text) {
		f.wrong(n, key, "one of "+strings.Join(allowed, ", "))
		return ""
	}
	return n.text
}

// flag returns a boolean; an absent key gives false.
func (f *fields) flag(key string) bool {
	n := f.get(key)
	if n == nil {
		return false
	}
	if n.kind != kindBool {
		f.wrong(n, key, "true or false")
	}
	return n.bool
}

// integer returns a whole number between low and high; nil when the key is absent or wrong.
func (f *fields) integer(key string, low, high int64) *int64 {
	return f.integerOf(f.get(key), key, low, high)
}

func (f *fields) integerOf(n *node, key string, low, high int64) *int64 {
	if n == nil {
		return nil
	}
	i, ok := integerOf(n)
	if !ok || i < low || i > high {
		f.wrong(n, key, integerRange(low, high))
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

var integerSyntax = lazily(`^(0|-?[1-9][0-9]*)$`)

// integerOf reads a number that is written as an integer: -0, 1.0 and 1e0 are none.
func integerOf(n *node) (int64, bool) {
	if n.kind != kindNumber || !integerSyntax().MatchString(n.text) {
		return 0, false
	}
	i, err := strconv.ParseInt(n.text, 10, 64)
	return i, err == nil
}

// list returns the items of a list; nil when the key is absent or wrong.
func (f *fields) list(key string) []*node {
	return f.listOf(f.get(key), key)
}

func (f *fields) listOf(n *node, key string) []*node {
	if n == nil {
		return nil
	}
	if n.kind != kindList {
		f.wrong(n, key, "a list")
		return nil
	}
	return n.items
}

// texts returns a list of strings that are not blank; never nil when the key holds a list.
func (f *fields) texts(key string) []Text {
	return f.textsOf(f.get(key), key)
}

func (f *fields) textsOf(n *node, key string) []Text {
	if n == nil {
		return nil
	}
	list := []Text{}
	for i, item := range f.listOf(n, key) {
		if item.kind != kindString || strings.TrimSpace(item.text) == "" {
			f.errs.Add(wrongType(item, f.pointer(key)+"/"+strconv.Itoa(i), "a string that is not blank"))
			continue
		}
		list = append(list, Text{item.text, item.pos})
	}
	return list
}

// textOrTexts returns the strings of a field that takes one string or a list of them.
func (f *fields) textOrTexts(key string) []Text {
	n := f.get(key)
	if n != nil && n.kind == kindString {
		return []Text{f.textOf(n, key)}
	}
	return f.textsOf(n, key)
}

// end reports every key that is not known, but those that begin with x-.
func (f *fields) end() {
	for _, m := range f.node.members {
		if slices.Contains(f.known, m.key) || strings.HasPrefix(m.key, "x-") {
			continue
		}
		if f.errs.Full() {
			f.errs.Add(source.Error{}) // it is only counted, so nobody will read its words
			continue
		}
		f.errs.Add(f.unknown(m))
	}
}

func (f *fields) unknown(m member) source.Error {
	fix := "remove it, or begin it with x- if it is a note of your own"
	if near := nearest(m.key, f.known); near != "" {
		fix = "did you mean " + quote(near) + "?"
	}
	slices.Sort(f.known)
	f.known = slices.Compact(f.known)
	return source.Error{
		Pos: m.pos, Where: f.pointer(m.key), Message: "the key " + quote(m.key) + " is unknown", Found: quote(m.key),
		Expected: "one of " + strings.Join(f.known, ", "), Fix: fix,
	}
}

// nearest returns the word that differs from key least, if it differs by little; else "".
func nearest(key string, words []string) string {
	best, distance := "", 1+len(key)/3
	for _, w := range words {
		if d := editDistance(strings.ToLower(key), w); d <= distance {
			best, distance = w, d-1
		}
	}
	return best
}

// editDistance is Levenshtein's, over bytes. Long keys are not compared.
func editDistance(a, b string) int {
	if len(a) > 64 {
		return len(a)
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := corner
			if a[i] != b[j] {
				cost++
			}
			corner = row[j+1]
			row[j+1] = min(cost, row[j]+1, corner+1)
		}
	}
	return row[len(b)]
}

// wrongType is the error for a value that is not what its place needs.
func wrongType(n *node, where, expected string) source.Error {
	return source.Error{
		Pos: n.pos, Where: where, Message: where[strings.LastIndexByte(where, '/')+1:] + " must be " + expected,
		Found: n.describe(), Expected: expected, Fix: "correct the value",
	}
}

// describe names a value for an error: its type, and what it holds when that is short.
func (n *node) describe() string {
	switch n.kind {
	case kindNull:
		return "null"
	case kindBool:
		return strconv.FormatBool(n.bool)
	case kindNumber:
		return "the number " + clip(n.text)
	case kindString:
		return "the string " + quote(n.text)
	case kindList:
		return fmt.Sprintf("a list of %d", len(n.items))
	default:
		return fmt.Sprintf("an object of %d", len(n.members))
	}
}

// maxQuoted is how much of an input a message repeats.
const maxQuoted = 80

// clip cuts a text for a message, at a character's end.
func clip(s string) string {
	if len(s) <= maxQuoted {
		return s
	}
	cut := maxQuoted
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}

// quote writes a text of an input as a Go string, cut for a message.
func quote(s string) string { return strconv.Quote(clip(s)) }

// excerpt quotes what stands at some place, to the end of the line.
func excerpt(rest []byte) string {
	if len(rest) == 0 {
		return "the end"
	}
	line, _, _ := strings.Cut(string(rest[:min(len(rest), 4*maxQuoted)]), "\n")
	return quote(strings.TrimSuffix(line, "\r"))
}

func itoa(i int) string { return strconv.Itoa(i) }

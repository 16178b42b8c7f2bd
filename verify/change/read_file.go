package change

import (
	"cmp"
	"encoding/base64"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/closeout-gate/closeout/verify/input"
)

// entry is what one element of the list contains.
type entry struct {
	pos    input.Pos
	keys   [fields]input.Pos // zero where the key is absent
	values [fields]input.Node
	others map[string]input.Pos // notes and unknown keys; nil when there are none
	wrong  bool                 // whether a field is missing, wrong or unknown
}

// readElement reads one element of the list.
func (c *changesReader) readElement() bool {
	c.Begin()
	c.keys, c.others, c.wrong = [fields]input.Pos{}, nil, false
	object := c.Kind() == '{'
	if object {
		var ok bool
		c.pos, ok = c.Open()
		for ok && c.More() {
			ok = c.readField()
		}
		if !ok || !c.Close() {
			return false
		}
	} else if !c.Read(&c.node) {
		return false
	} else {
		c.pos = c.node.Pos
	}
	if !c.Fits() {
		return false
	}
	if c.count == c.limits.Files {
		c.errs.Add(input.OverLimitAt(c.pos, "the number of changed files", int64(c.limits.Files), input.FlagFiles))
		return false
	}
	if !object {
		c.errs.Add(input.WrongType(&c.node, c.where(), "an object"))
	} else if change := c.change(); change.Path != "" && c.fits(change.Path) {
		c.order(change.Path)
		c.changes = append(c.changes, change)
	}
	c.count++
	return true
}

// readField reads one member of an element.
func (c *changesReader) readField() bool {
	key, ok := c.Key(fieldKeys[:]...)
	if !ok {
		return false
	}
	i := slices.Index(fieldKeys[:], key.Value)
	if i >= 0 && c.keys[i].IsZero() {
		c.keys[i] = key.Pos
		return c.Read(&c.values[i], fieldWords[i]...)
	}
	first, again := c.others[key.Value]
	if i >= 0 {
		first, again = c.keys[i], true
	}
	if again {
		c.errs.Add(input.DuplicateKey(key, first))
	} else {
		c.other(key)
	}
	return c.Read(&c.node)
}

// other remembers a key that is not one of the fields, and reports one that is not a note.
func (c *changesReader) other(key input.Text) {
	if c.others == nil {
		c.others = map[string]input.Pos{}
	}
	c.others[key.Value] = key.Pos
	if input.IsNote(key.Value) {
		return
	}
	f := c.wrongFields()
	f.Node.Members = []input.Member{{Key: key.Value, Pos: key.Pos}}
	f.End()
}

// where is the JSON pointer of the element.
func (c *changesReader) where() string { return "/files/" + strconv.Itoa(c.count) }

// wrongFields returns what words the errors of an element, and notes that there is one.
func (c *changesReader) wrongFields() *input.Fields {
	c.wrong = true
	return &input.Fields{Node: &input.Node{Pos: c.pos}, Where: c.where(), Errs: c.errs, Known: slices.Clone(fieldKeys[:])}
}

// get returns the value of a field; nil when it is absent.
func (c *changesReader) get(i field) *input.Node {
	if c.keys[i].IsZero() {
		return nil
	}
	return &c.values[i]
}

// refuse reports a field that is missing or wrong.
func (c *changesReader) refuse(i field, expected string) {
	if n := c.get(i); n != nil {
		c.wrongFields().Wrong(n, fieldKeys[i], expected)
	} else {
		c.wrongFields().Need(fieldKeys[i], expected)
	}
}

// change returns what the element says. The path is "" when it could not be read.
func (c *changesReader) change() Change {
	change := Change{
		Pos:     c.pos,
		Path:    c.path(),
		Status:  Status(c.word(fieldStatus)),
		OldMode: Mode(c.word(fieldOldMode)),
		NewMode: Mode(c.word(fieldNewMode)),
		OldID:   c.id(fieldOldID),
		NewID:   c.id(fieldNewID),
	}
	if n := c.get(fieldKeysChanged); n != nil {
		change.KeysChanged, change.KeysKnown = c.keysChanged(n), true
	}
	if n := c.get(fieldAttributes); n != nil {
		change.Attributes, change.KeysKnown = c.attributes(n, change.Path), true
	}
	if n := c.get(fieldBaseGone); n != nil { // the change must leave such a path where it is
		change.BaseGone = n.Bool
		if n.Kind != input.KindBool {
			c.refuse(fieldBaseGone, "true or false")
		} else if n.Bool && (change.Status == Added || change.Status == Deleted) {
			c.refuse(fieldBaseGone, "no base_gone beside added and deleted")
		}
	}
	if c.get(fieldEvidence) != nil { // only a regular file that the change leaves there can be evidence
		if change.NewMode != Regular {
			c.refuse(fieldEvidence, "no evidence beside a new_mode other than 100644")
		}
		change.Evidence = c.word(fieldEvidence)
	}
	if c.wrong {
		return change
	}
	if expected := disagreement(&change); expected != "" {
		c.errs.Add(input.Error{
			Pos: c.get(fieldStatus).Pos, Where: c.where() + "/" + fieldKeys[fieldStatus], Message: "the status does not agree with modes and ids",
			Found: string(change.Status) + " with " + string(change.OldMode) + " " + cmp.Or(change.OldID, "null") +
				" and " + string(change.NewMode) + " " + cmp.Or(change.NewID, "null"),
			Expected: expected, Fix: "correct the status, or the modes and ids",
		})
	}
	return change
}

// word returns a field that has a fixed set of values.
func (c *changesReader) word(i field) string {
	if n := c.get(i); n != nil && n.Kind == input.KindString && slices.Contains(fieldWords[i], n.Text) {
		return n.Text
	}
	c.refuse(i, "one of "+strings.Join(fieldWords[i], ", "))
	return ""
}

// path returns the bytes of the path, from path_base64, else from path.
func (c *changesReader) path() string {
	n, encoded := c.get(fieldPath), c.get(fieldPathBase64)
	if n == nil || n.Kind != input.KindString || n.Text == "" || strings.Contains(n.Text, "\x00") {
		c.refuse(fieldPath, "a string that is not empty and contains no NUL")
		return ""
	}
	if encoded == nil {
		return n.Text
	}
	raw, ok := decodePath(encoded)
	if !ok {
		c.refuse(fieldPathBase64, "standard base64 of a path that is not valid UTF-8 (leave it out for a path that is)")
		return ""
	}
	if n.Text != input.QuotePath(raw) {
		c.refuse(fieldPath, "the bytes of path_base64 as git quotes them, "+input.Quote(input.QuotePath(raw)))
	}
	return raw
}

// decodePath reads path_base64. Go's decoder ignores newlines, so the text is encoded again and compared.
func decodePath(n *input.Node) (string, bool) {
	if n.Kind != input.KindString {
		return "", false
	}
	raw, err := base64.StdEncoding.DecodeString(n.Text)
	if err != nil || base64.StdEncoding.EncodeToString(raw) != n.Text {
		return "", false
	}
	return string(raw), !utf8.Valid(raw) && !slices.Contains(raw, 0)
}

// id returns an object id, "" for null.
func (c *changesReader) id(i field) string {
	n := c.get(i)
	if n != nil && (n.Kind == input.KindNull || (n.Kind == input.KindString && input.IsLowerHex(n.Text, 40, 64))) {
		return n.Text
	}
	c.refuse(i, "an object id of 40 or 64 lower-case hexadecimal digits, or null where the path does not exist")
	return ""
}

// keysChanged returns the keys that changed. A key may be any text.
func (c *changesReader) keysChanged(n *input.Node) []string {
	if n.Kind != input.KindList {
		c.refuse(fieldKeysChanged, "a list")
		return nil
	}
	keys := make([]string, len(n.Items))
	for i, item := range n.Items {
		if item.Kind != input.KindString {
			f := c.wrongFields()
			f.Errs.Add(input.WrongType(item, f.Pointer(fieldKeys[fieldKeysChanged])+"/"+strconv.Itoa(i), "a string"))
		}
		keys[i] = item.Text
	}
	return keys
}

// attributes returns what a change of a .gitattributes does.
func (c *changesReader) attributes(n *input.Node, name string) []Effect {
	switch {
	case n.Kind != input.KindList:
		c.refuse(fieldAttributes, "a list")
	case c.get(fieldKeysChanged) != nil, path.Base(name) != AttributesFile:
		c.refuse(fieldAttributes, "no attributes but for a "+AttributesFile+", and there no keys_changed")
	}
	effects := []Effect{}
	for i, item := range n.Items {
		where := c.where() + "/" + fieldKeys[fieldAttributes] + "/" + strconv.Itoa(i)
		if f := input.Object(item, where, c.errs); f != nil {
			var e Effect
			effectForms.Decode(f, &e)
			effects = append(effects, e)
		}
	}
	return effects
}

// effectForms are what the tags of an effect name.
var effectForms = input.Forms{Text: map[string]input.Form{
	"attribute": {Valid: isAttribute, Expected: "one of " + strings.Join(attributes, ", ") + ", or " + MacroPrefix + " and the name of a macro"},
	"value":     {Valid: func(string) bool { return true }, Expected: "a string"},
}}

var attributes = slices.Concat(ConvertingAttributes, HidingAttributes)

func isAttribute(name string) bool {
	macro, found := strings.CutPrefix(name, MacroPrefix)
	return (found && macro != "") || slices.Contains(attributes, name)
}

// disagreement says what a change of its status must look like; "" when it does.
func disagreement(c *Change) string {
	oldSide, newSide := c.OldMode != NoMode && c.OldID != "", c.NewMode != NoMode && c.NewID != ""
	noOld, noNew := c.OldMode == NoMode && c.OldID == "", c.NewMode == NoMode && c.NewID == ""
	sameType := fileType(c.OldMode) == fileType(c.NewMode)
	both := oldSide && newSide && len(c.OldID) == len(c.NewID)
	switch {
	case c.Status == Added && !(noOld && newSide):
		return "added: old_mode 000000 and old_id null, a mode and an id on the new side"
	case c.Status == Deleted && !(oldSide && noNew):
		return "deleted: new_mode 000000 and new_id null, a mode and an id on the old side"
	case c.Status == Modified && !(both && sameType && c.OldID != c.NewID):
		return "modified: two different ids of one length, two modes of one type"
	case c.Status == ModeChanged && !(both && sameType && c.OldID == c.NewID && c.OldMode != c.NewMode):
		return "mode_changed: equal ids, two different modes of one type"
	case c.Status == TypeChanged && !(both && !sameType):
		return "type_changed: two ids of one length, modes of two types (file, symlink, submodule)"
	}
	return ""
}

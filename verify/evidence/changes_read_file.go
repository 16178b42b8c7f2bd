package evidence

import (
	"encoding/base64"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/closeout-gate/closeout/verify/source"
)

var (
	changeStatuses = []string{string(Added), string(Deleted), string(Modified), string(ModeChanged), string(TypeChanged)}
	changeModes    = []string{string(NoMode), string(Regular), string(Executable), string(Symlink), string(Submodule)}
)

// readChange reads one element of changes.json. The path is "" when it could not be read.
func readChange(n *node, where string, errs *source.Errors) Change {
	own := &source.Errors{}
	c := Change{Pos: n.pos}
	if f := object(n, where, own); f != nil {
		f.known = make([]string, 0, 9) // the number of keys below
		c.Path = f.changedPath()
		c.Status = Status(f.changeWord("status", changeStatuses))
		c.OldMode = Mode(f.changeWord("old_mode", changeModes))
		c.NewMode = Mode(f.changeWord("new_mode", changeModes))
		c.OldID = f.changeID("old_id")
		c.NewID = f.changeID("new_id")
		c.KeysChanged, c.KeysKnown = f.keysChanged()
		c.BaseGone = f.baseGone(c.Status)
		f.end()
		if !own.Any() {
			f.agree(c)
		}
	}
	if own.Any() {
		for _, e := range own.All() {
			errs.Add(e)
		}
	}
	return c
}

// changeWord returns a string out of a fixed set and reports an absent key.
func (f *fields) changeWord(key string, allowed []string) string {
	if f.node.member(key) == nil {
		f.need(key, "one of "+strings.Join(allowed, ", "))
		return ""
	}
	return f.oneOf(key, allowed...)
}

// changedPath returns the bytes of the path: those of path_base64, else path itself.
func (f *fields) changedPath() string {
	n, encoded := f.need("path", "a path"), f.get("path_base64")
	if n == nil {
		return ""
	}
	if n.kind != kindString || n.text == "" || strings.Contains(n.text, "\x00") {
		f.wrong(n, "path", "a string that is not empty and holds no NUL")
		return ""
	}
	if encoded == nil {
		return n.text
	}
	raw, ok := decodePath(encoded)
	if !ok {
		f.wrong(encoded, "path_base64", "standard base64 of a path that is not valid UTF-8 (leave it out for a path that is)")
		return ""
	}
	if n.text != QuotePath(raw) {
		f.wrong(n, "path", "the bytes of path_base64 as git quotes them, "+quote(QuotePath(raw)))
	}
	return raw
}

// decodePath reads path_base64. Go's decoder steps over newlines, so the text is made again and compared.
func decodePath(n *node) (string, bool) {
	if n.kind != kindString {
		return "", false
	}
	raw, err := base64.StdEncoding.DecodeString(n.text)
	if err != nil || base64.StdEncoding.EncodeToString(raw) != n.text {
		return "", false
	}
	return string(raw), !utf8.Valid(raw) && !slices.Contains(raw, 0)
}

// changeID returns an object id, "" for null.
func (f *fields) changeID(key string) string {
	const expected = "an object id of 40 or 64 lower-case hexadecimal digits, or null where the path does not exist"
	n := f.need(key, expected)
	if n == nil || n.kind == kindNull {
		return ""
	}
	if n.kind != kindString || len(n.text) != 40 && len(n.text) != 64 || !objectID([]byte(n.text)) {
		f.wrong(n, key, expected)
		return ""
	}
	return n.text
}

// baseGone returns whether the tip of the base has the path no more, which only a path can be that the change leaves there.
func (f *fields) baseGone(status Status) bool {
	n := f.get("base_gone")
	if n == nil {
		return false
	}
	if gone := f.flag("base_gone"); !gone || status != Added && status != Deleted {
		return gone
	}
	f.wrong(n, "base_gone", "no base_gone beside added and deleted")
	return false
}

// keysChanged returns the keys that somebody found changed, and whether somebody looked. A key may be any text.
func (f *fields) keysChanged() ([]string, bool) {
	n := f.get("keys_changed")
	if n == nil {
		return nil, false
	}
	keys := []string{}
	for i, item := range f.listOf(n, "keys_changed") {
		if item.kind != kindString {
			f.errs.Add(wrongType(item, f.pointer("keys_changed")+"/"+itoa(i), "a string"))
			continue
		}
		keys = append(keys, item.text)
	}
	return keys, true
}

// agree reports a change whose status, modes and ids contradict each other.
func (f *fields) agree(c Change) {
	expected := disagreement(c)
	if expected == "" {
		return
	}
	f.errs.Add(source.Error{
		Pos: f.node.member("status").pos, Where: f.pointer("status"), Message: "the status does not agree with modes and ids",
		Found:    string(c.Status) + " with " + string(c.OldMode) + " " + idWord(c.OldID) + " and " + string(c.NewMode) + " " + idWord(c.NewID),
		Expected: expected, Fix: "correct the status, or the modes and ids",
	})
}

func idWord(id string) string {
	if id == "" {
		return "null"
	}
	return id
}

// disagreement says what a change of its status must look like; "" when it does.
func disagreement(c Change) string {
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

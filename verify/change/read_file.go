package change

import (
	"encoding/base64"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/closeout-gate/closeout/verify/diag"
	"github.com/closeout-gate/closeout/verify/strict"
)

var (
	changeStatuses = []string{string(Added), string(Deleted), string(Modified), string(ModeChanged), string(TypeChanged)}
	changeModes    = []string{string(NoMode), string(Regular), string(Executable), string(Symlink), string(Submodule)}
)

// readChange reads one element of changes.json. The path is "" when it could not be read.
func readChange(n *strict.Node, where string, errs *diag.Errors) Change {
	own := &diag.Errors{}
	c := Change{Pos: n.Pos}
	if f := strict.Object(n, where, own); f != nil {
		f.Known = make([]string, 0, 9) // the number of keys below
		c.Path = changedPath(f)
		c.Status = Status(changeWord(f, "status", changeStatuses))
		c.OldMode = Mode(changeWord(f, "old_mode", changeModes))
		c.NewMode = Mode(changeWord(f, "new_mode", changeModes))
		c.OldID = changeID(f, "old_id")
		c.NewID = changeID(f, "new_id")
		c.KeysChanged, c.KeysKnown = keysChanged(f)
		c.BaseGone = baseGone(f, c.Status)
		f.End()
		if !own.Any() {
			agree(f, c)
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
func changeWord(f *strict.Fields, key string, allowed []string) string {
	if f.Node.Member(key) == nil {
		f.Need(key, "one of "+strings.Join(allowed, ", "))
		return ""
	}
	return f.OneOf(key, allowed...)
}

// changedPath returns the bytes of the path: those of path_base64, else path itself.
func changedPath(f *strict.Fields) string {
	n, encoded := f.Need("path", "a path"), f.Get("path_base64")
	if n == nil {
		return ""
	}
	if n.Kind != strict.KindString || n.Text == "" || strings.Contains(n.Text, "\x00") {
		f.Wrong(n, "path", "a string that is not empty and holds no NUL")
		return ""
	}
	if encoded == nil {
		return n.Text
	}
	raw, ok := decodePath(encoded)
	if !ok {
		f.Wrong(encoded, "path_base64", "standard base64 of a path that is not valid UTF-8 (leave it out for a path that is)")
		return ""
	}
	if n.Text != diag.QuotePath(raw) {
		f.Wrong(n, "path", "the bytes of path_base64 as git quotes them, "+diag.Quote(diag.QuotePath(raw)))
	}
	return raw
}

// decodePath reads path_base64. Go's decoder steps over newlines, so the text is made again and compared.
func decodePath(n *strict.Node) (string, bool) {
	if n.Kind != strict.KindString {
		return "", false
	}
	raw, err := base64.StdEncoding.DecodeString(n.Text)
	if err != nil || base64.StdEncoding.EncodeToString(raw) != n.Text {
		return "", false
	}
	return string(raw), !utf8.Valid(raw) && !slices.Contains(raw, 0)
}

// changeID returns an object id, "" for null.
func changeID(f *strict.Fields, key string) string {
	const expected = "an object id of 40 or 64 lower-case hexadecimal digits, or null where the path does not exist"
	n := f.Need(key, expected)
	if n == nil || n.Kind == strict.KindNull {
		return ""
	}
	if n.Kind != strict.KindString || len(n.Text) != 40 && len(n.Text) != 64 || !objectID([]byte(n.Text)) {
		f.Wrong(n, key, expected)
		return ""
	}
	return n.Text
}

// baseGone returns whether the tip of the base has the path no more, which only a path can be that the change leaves there.
func baseGone(f *strict.Fields, status Status) bool {
	n := f.Get("base_gone")
	if n == nil {
		return false
	}
	if gone := f.Flag("base_gone"); !gone || status != Added && status != Deleted {
		return gone
	}
	f.Wrong(n, "base_gone", "no base_gone beside added and deleted")
	return false
}

// keysChanged returns the keys that somebody found changed, and whether somebody looked. A key may be any text.
func keysChanged(f *strict.Fields) ([]string, bool) {
	n := f.Get("keys_changed")
	if n == nil {
		return nil, false
	}
	keys := []string{}
	for i, item := range f.ListOf(n, "keys_changed") {
		if item.Kind != strict.KindString {
			f.Errs.Add(strict.WrongType(item, f.Pointer("keys_changed")+"/"+strconv.Itoa(i), "a string"))
			continue
		}
		keys = append(keys, item.Text)
	}
	return keys, true
}

// agree reports a change whose status, modes and ids contradict each other.
func agree(f *strict.Fields, c Change) {
	expected := disagreement(c)
	if expected == "" {
		return
	}
	f.Errs.Add(diag.Error{
		Pos: f.Node.Member("status").Pos, Where: f.Pointer("status"), Message: "the status does not agree with modes and ids",
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

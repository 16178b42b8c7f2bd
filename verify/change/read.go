package change

import (
	"io"
	"strings"

	"github.com/closeout-gate/closeout/verify/input"
)

// ReadChanges reads changes.json: {"schema": "closeout.changes/v1", "files": […]}, an element a touched path, sorted by
// the bytes of the paths. Elements are decoded one by one, so 200,000 of them cost little more than the result. An
// empty list is valid; whether no change at all is acceptable is for a check to say.
//
// `path` is the path itself. When its bytes are not UTF-8, `path_base64` contains them and `path` is what
// [input.QuotePath] makes of them; a path that is UTF-8 has no path_base64, so that each path has one spelling. A path is
// not judged here, but it is not empty and contains no NUL byte. Ids are whole object ids, null (and here "") on the side
// where the path does not exist. Pos is where the element begins.
//
// The changes are nil when there is any error. Errors have a Limit when DiffBytes, Files, PathBytes, Depth or Values was
// exceeded, or when one element is longer than [input.Limits.ChangeBytes]; then, when r fails, and at a syntax error,
// reading stops early.
func ReadChanges(r io.Reader, limits input.Limits) ([]Change, *input.Errors) {
	errs := &input.Errors{}
	c := &changesReader{limits: limits, errs: errs, seen: map[string]input.Pos{}}
	c.Stream = input.NewStream(r, input.Bounds{
		Bytes: limits.DiffBytes, ValueBytes: limits.ChangeBytes(), Depth: limits.Depth,
		Values: limits.Values + valuesOfChange*int64(limits.Files),
	}, errs)
	c.document()
	if errs.Any() {
		return nil, errs
	}
	return c.changes, errs
}

// valuesOfChange is how many values the file can have for each path, beside those that any file can have: 13 as [Marshal]
// writes nearly all elements, and some for changed keys and notes.
const valuesOfChange = 33

// changesReader collects the changes of one changes.json.
type changesReader struct {
	*input.Stream
	limits  input.Limits
	errs    *input.Errors
	changes []Change
	seen    map[string]input.Pos // keys of the document
	count   int                  // elements of files before this one, also those with errors
	last    string               // the path before
	paths   int64                // bytes of all paths
	node    input.Node           // a value that is read and not kept
	entry                        // the one that is read: the next one uses its memory again
}

func (c *changesReader) document() {
	c.Begin()
	if c.Kind() != '{' {
		if c.Read(&c.node) && c.Fits() {
			input.Object(&c.node, "", c.errs)
		}
		return
	}
	start, ok := c.Open()
	for ok && c.More() {
		ok = c.member()
	}
	if !ok || !c.Close() {
		return
	}
	for _, key := range []string{keySchema, keyFiles} {
		if _, found := c.seen[key]; !found {
			(&input.Fields{Node: &input.Node{Pos: start}, Errs: c.errs}).Need(key, "an object with schema and files, as closeout schema changes describes it")
		}
	}
	c.End()
}

// member reads one key of the document and its value.
func (c *changesReader) member() bool {
	c.Begin()
	key, ok := c.Key()
	if !ok {
		return false
	}
	first, again := c.seen[key.Value]
	if again {
		c.errs.Add(input.DuplicateKey(key, first))
	}
	if len(c.seen) >= maxKeys || len(key.Value) > maxKeyBytes {
		c.errs.Add(input.Error{
			Pos: key.Pos, Message: "the object has too many keys, or one that is too long", Found: input.Quote(key.Value),
			Expected: "schema and files", Fix: "remove the other keys",
		})
		return false
	}
	c.seen[key.Value] = key.Pos
	c.Begin()
	if key.Value == keyFiles && !again && c.Kind() == '[' {
		return c.list()
	}
	ok = c.Read(&c.node) && c.Fits()
	if ok && !again {
		c.topLevel(key)
	}
	return ok
}

// The keys of the document are remembered: two of the format, and notes. These limits bound what that can cost.
const (
	maxKeys     = 1000
	maxKeyBytes = 1000
)

// topLevel reads a key of the document other than the list of files.
func (c *changesReader) topLevel(key input.Text) {
	members := []input.Member{{Key: key.Value, Pos: key.Pos, Value: &c.node}}
	f := &input.Fields{Node: &input.Node{Kind: input.KindObject, Members: members}, Errs: c.errs}
	f.OneOf(keySchema, Schema)
	if files := f.Get(keyFiles); files != nil {
		f.Wrong(files, keyFiles, "a list")
	}
	f.End()
}

// list reads the files.
func (c *changesReader) list() bool {
	_, ok := c.Open()
	for ok && c.More() {
		ok = c.readElement()
	}
	return ok && c.Close()
}

// fits counts the bytes of a path; false when there are too many.
func (c *changesReader) fits(path string) bool {
	before := c.paths
	if c.paths += int64(len(path)); c.paths <= c.limits.PathBytes {
		return true
	}
	if before <= c.limits.PathBytes { // reported once
		c.errs.Add(input.TooManyPathBytes(c.pos, c.limits))
	}
	c.changes = nil
	return false
}

// order compares a path with the one before it.
func (c *changesReader) order(path string) {
	at := c.get(fieldPath).Pos
	switch compared := strings.Compare(path, c.last); {
	case c.last == "":
	case compared == 0:
		c.errs.Add(input.Error{
			Pos: at, Where: c.where() + "/path", Message: "the path " + input.Quote(input.QuotePath(path)) + " occurs twice in the list",
			Found: "a second " + input.Quote(input.QuotePath(path)), Expected: "each path once", Fix: "keep one of them",
		})
	case compared < 0:
		c.errs.Add(input.Error{
			Pos: at, Where: c.where() + "/path", Message: "the paths are not sorted by their bytes",
			Found: input.Quote(input.QuotePath(path)) + " after " + input.Quote(input.QuotePath(c.last)), Expected: "ascending paths", Fix: "sort the list",
		})
	}
	c.last = path
}

package change

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/closeout-gate/closeout/verify/diag"
	"github.com/closeout-gate/closeout/verify/strict"
)

// Schema is the version of changes.json that is read.
const Schema = "closeout.changes/v1"

// ReadChanges reads changes.json: {"schema": "closeout.changes/v1", "files": […]}, an element a touched path, sorted by
// the bytes of the paths. Elements are decoded one by one, so 200,000 of them cost little more than the result. An
// empty list is valid; whether no change at all is acceptable is for a check to say.
//
// `path` is the path itself. When its bytes are no UTF-8, `path_base64` holds them and `path` is what [QuotePath] makes
// of them; a path that is UTF-8 has no path_base64, so that each path has one spelling. A path is not judged here, but
// it is not empty and holds no NUL byte. Ids are whole object ids, null (and here "") on the side where the path does
// not exist. Pos is where the element begins.
//
// The changes are nil when there is any error. Errors hold Limit when DiffBytes, Files or Depth was hit, or when one
// element is longer than DiffLineBytes; then, when r fails, and at a syntax error, reading stops early.
func ReadChanges(r io.Reader, limits strict.Limits) ([]Change, *diag.Errors) {
	src := &placedReader{src: r, limits: limits, line: 1}
	c := &changesReader{
		src: src, dec: jsontext.NewDecoder(src, jsontext.AllowDuplicateNames(true)), limits: limits, errs: &diag.Errors{},
		inner: jsontext.NewDecoder(&bytes.Reader{}), seen: map[string]diag.Pos{},
	}
	c.left = c.values()
	c.document()
	if c.errs.Any() {
		return nil, c.errs
	}
	return c.changes, c.errs
}

// placedReader notes where lines begin in what passes through it, and ends the text where a limit does.
type placedReader struct {
	src      io.Reader
	limits   strict.Limits
	read     int64   // bytes read
	mark     int64   // where the value began that must not become longer than a line may be
	newlines []int64 // offsets of the newlines from mark on
	line     int     // the line of mark
	start    int64   // the offset at which that line starts
	err      error   // what the source said; sticky, io.EOF excepted
	flag     string  // the flag of the limit that was hit
}

var errLimit = errors.New("a limit was hit")

func (p *placedReader) Read(b []byte) (int, error) {
	if p.over() {
		return 0, errLimit
	}
	if p.err != nil {
		return 0, p.err
	}
	n, err := p.src.Read(b[:min(len(b), placedAhead)])
	for at := 0; at < n; at++ {
		next := bytes.IndexByte(b[at:n], '\n')
		if next < 0 {
			break
		}
		at += next
		p.newlines = append(p.newlines, p.read+int64(at))
	}
	p.read += int64(n)
	if err != nil && err != io.EOF {
		p.err = err
	}
	return n, err
}

// over reports whether what was read is more than the limits allow, and notes which. The decoder reads a little ahead,
// so a value may be longer by that much until it is whole and can be measured.
func (p *placedReader) over() bool {
	switch {
	case p.read > p.limits.DiffBytes:
		p.flag = strict.FlagDiffBytes
	case p.read-p.mark > p.limits.ChangeBytes()+placedAhead:
		p.flag = strict.FlagDiffLineBytes
	}
	return p.flag != ""
}

// placedAhead bounds how far the source is read in one step.
const placedAhead = 64 << 10

// place turns an offset from mark on into a place.
func (p *placedReader) place(offset int64) diag.Pos {
	line, start := p.line, p.start
	for _, at := range p.newlines {
		if at >= offset {
			break
		}
		line, start = line+1, at+1
	}
	return diag.Pos{Line: line, Column: int(offset-start) + 1}
}

// move sets mark, and forgets the newlines before it.
func (p *placedReader) move(mark int64) {
	p.mark = mark
	passed := 0
	for passed < len(p.newlines) && p.newlines[passed] < mark {
		p.line, p.start = p.line+1, p.newlines[passed]+1
		passed++
	}
	p.newlines = p.newlines[passed:]
}

// changesReader collects the changes of one changes.json.
type changesReader struct {
	src     *placedReader
	dec     *jsontext.Decoder
	inner   *jsontext.Decoder // for the values, one after the other
	limits  strict.Limits
	errs    *diag.Errors
	changes []Change
	seen    map[string]diag.Pos // top-level keys
	count   int                 // elements of files, also those with errors
	last    string              // the path before
	left    int64               // how many more values there may be
	paths   int64               // bytes of all paths
}

// values is how many values the file may hold, beside the files that are written as the collector writes them: as many as
// any other file, and a few for each file.
func (c *changesReader) values() int64 { return c.limits.Values + valuesOfChange*int64(c.limits.Files) }

const valuesOfChange = 20

// next returns the offset of the value or key that comes next.
func (c *changesReader) next() int64 {
	c.dec.PeekKind() // reads on until a value begins
	rest := c.dec.UnreadBuffer()
	return c.dec.InputOffset() + int64(len(rest)-len(bytes.TrimLeft(rest, " \t\r\n,:")))
}

// begin notes where the next value begins: it may be as long as a line.
func (c *changesReader) begin() diag.Pos {
	c.src.move(c.dec.InputOffset())
	return c.src.place(c.next())
}

func (c *changesReader) document() {
	if c.begin(); c.dec.PeekKind() != '{' {
		if n := c.value(); n != nil {
			strict.Object(n, "", c.errs)
		}
		return
	}
	start := c.src.place(c.next())
	if !c.token() {
		return
	}
	for c.dec.PeekKind() != '}' {
		if !c.member() {
			return
		}
	}
	if c.token() {
		c.end(start)
	}
}

// end reports what is missing, and what follows the object.
func (c *changesReader) end(start diag.Pos) {
	for _, key := range []string{"schema", "files"} {
		if _, found := c.seen[key]; !found {
			(&strict.Fields{Node: &strict.Node{Pos: start}, Errs: c.errs}).Need(key, "an object with schema and files")
		}
	}
	at := c.begin()
	_, err := c.dec.ReadToken()
	if c.src.over(); c.src.flag != "" || c.src.err != nil {
		c.fail(io.ErrUnexpectedEOF)
		return
	}
	if err == io.EOF {
		return
	}
	c.errs.Add(diag.Error{
		Pos: at, Message: "something follows the value", Found: diag.Excerpt(c.rest()), Expected: "the end of the file",
		Fix: "remove what follows, a file holds one value",
	})
}

// rest is what the decoder has read of the next value.
func (c *changesReader) rest() []byte {
	return bytes.TrimLeft(c.dec.UnreadBuffer(), " \t\r\n,:")
}

// token passes over a bracket.
func (c *changesReader) token() bool {
	_, err := c.dec.ReadToken()
	return err == nil || c.fail(err)
}

// fail reports that the text is no JSON, cannot be read, or is too long. It returns false.
func (c *changesReader) fail(err error) bool {
	offset := c.dec.InputOffset()
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		offset = max(offset, syntax.ByteOffset)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		offset = c.src.read
	}
	rest := c.dec.UnreadBuffer()
	rest = rest[min(int(offset-c.dec.InputOffset()), len(rest)):]
	at := c.src.place(offset)
	switch {
	case c.src.flag == strict.FlagDiffBytes:
		c.errs.Add(strict.OverLimitAt(at, "the size of the file in bytes", c.limits.DiffBytes, strict.FlagDiffBytes))
	case c.src.flag == strict.FlagDiffLineBytes:
		c.errs.Add(strict.OverLimitAt(at, "the length of a value in bytes", c.limits.ChangeBytes(), strict.FlagDiffLineBytes))
	case c.src.err != nil:
		c.errs.Add(unreadable(at, c.src.err))
	case syntax != nil && syntax.Err.Error() == "exceeded max depth":
		c.errs.Add(c.tooDeep(at))
	default:
		c.errs.Add(strict.NotJSON(at, rest, err))
	}
	return false
}

func (c *changesReader) tooDeep(at diag.Pos) diag.Error {
	return strict.OverLimitAt(at, "the nesting of values", int64(c.limits.Depth), strict.FlagDepth)
}

// member reads one key of the document and its value.
func (c *changesReader) member() bool {
	at := c.begin()
	tok, err := c.dec.ReadToken()
	if err != nil {
		return c.fail(err)
	}
	key := &strict.Node{Pos: at, Kind: strict.KindString, Text: tok.String()}
	first, twice := c.seen[key.Text]
	if twice {
		c.errs.Add(strict.DuplicateKey(key, first))
	}
	if len(c.seen) >= maxKeys || len(key.Text) > maxKeyBytes {
		c.errs.Add(diag.Error{
			Pos: at, Message: "the object has too many keys, or one that is too long", Found: diag.Quote(key.Text),
			Expected: "schema and files", Fix: "remove the other keys",
		})
		return false
	}
	c.seen[key.Text] = at
	c.begin()
	if key.Text == "files" && !twice && c.dec.PeekKind() == '[' {
		return c.list()
	}
	value := c.value()
	if value == nil {
		return false
	}
	if !twice {
		c.topLevel(key, value)
	}
	return true
}

// The keys of the document are remembered: two of ours and notes. These bound what that can cost.
const (
	maxKeys     = 1000
	maxKeyBytes = 1000
)

// topLevel judges a key of the document other than the list of files.
func (c *changesReader) topLevel(key, value *strict.Node) {
	f := &strict.Fields{Node: &strict.Node{Kind: strict.KindObject, Members: []strict.Member{{Key: key.Text, Pos: key.Pos, Value: value}}}, Errs: c.errs}
	f.OneOf("schema", Schema)
	if files := f.Get("files"); files != nil {
		f.Wrong(files, "files", "a list")
	}
	f.End()
}

// value reads one value whole, with its places in the file; nil when it is no JSON or nests too deeply.
func (c *changesReader) value() *strict.Node {
	if raw, at := c.raw(); raw != nil {
		return c.parse(raw, at)
	}
	return nil
}

// raw reads the text of one value, which stays until the next one is read; nil when it is no JSON, or too long.
func (c *changesReader) raw() (jsontext.Value, diag.Pos) {
	at := c.begin()
	raw, err := c.dec.ReadValue()
	if err != nil {
		c.fail(err)
		return nil, at
	}
	if int64(len(raw)) > c.limits.ChangeBytes() {
		c.src.flag = strict.FlagDiffLineBytes
		c.fail(errLimit)
		return nil, at
	}
	return raw, at
}

// parse takes the text of a value apart; nil when it nests too deeply.
func (c *changesReader) parse(raw []byte, at diag.Pos) *strict.Node {
	depth := c.dec.StackDepth()
	inner := &diag.Errors{}
	c.inner.Reset(bytes.NewReader(raw), jsontext.AllowDuplicateNames(true))
	p := &strict.JSONParser{Data: raw, Dec: c.inner, Index: strict.LineIndex{Data: raw, Line: 1}, Depth: c.limits.Depth - depth, Left: c.left, Most: c.values(), Errs: inner}
	n := p.Value()
	c.left = p.Left
	move(n, at)
	if inner.Any() {
		c.adopt(inner, at)
	}
	return n
}

// adopt takes over the errors of a value that begins at a place of the file.
func (c *changesReader) adopt(inner *diag.Errors, at diag.Pos) {
	for _, e := range inner.All() {
		e.Pos = within(at, e.Pos)
		if e.Limit == strict.FlagDepth {
			e = c.tooDeep(e.Pos)
		}
		c.errs.Add(e)
	}
}

// move adds the place of a value in the file to the places in the value.
func move(n *strict.Node, at diag.Pos) {
	if n == nil {
		return
	}
	n.Pos = within(at, n.Pos)
	for _, item := range n.Items {
		move(item, at)
	}
	for i := range n.Members {
		n.Members[i].Pos = within(at, n.Members[i].Pos)
		move(n.Members[i].Value, at)
	}
}

// within turns a place in a value that begins at a place of the file into a place of the file. Nowhere stays nowhere.
func within(at, inner diag.Pos) diag.Pos {
	if inner.IsZero() {
		return inner
	}
	if inner.Line == 1 {
		return diag.Pos{Line: at.Line, Column: at.Column + inner.Column - 1}
	}
	return diag.Pos{Line: at.Line + inner.Line - 1, Column: inner.Column}
}

// list reads the files.
func (c *changesReader) list() bool {
	if c.limits.Depth < 2 {
		c.errs.Add(c.tooDeep(c.begin()))
		return false
	}
	if !c.token() {
		return false
	}
	for c.dec.PeekKind() != ']' {
		raw, at := c.raw()
		if raw == nil || !c.element(raw, at) {
			return false
		}
		c.count++
	}
	return c.token()
}

// element reads one element of the list.
func (c *changesReader) element(raw []byte, at diag.Pos) bool {
	if c.plain(raw, at) {
		return true
	}
	n := c.parse(raw, at)
	if n == nil {
		return false
	}
	if c.count == c.limits.Files {
		c.errs.Add(strict.OverLimitAt(n.Pos, "the number of changed files", int64(c.limits.Files), strict.FlagFiles))
		return false
	}
	c.file(n)
	return true
}

// file reads the fields of an element.
func (c *changesReader) file(n *strict.Node) {
	where := "/files/" + strconv.Itoa(c.count)
	change := readChange(n, where, c.errs)
	if change.Path != "" && c.fits(change.Path, n.Pos) {
		c.order(n.Member("path").Pos, where+"/path", change.Path)
		c.changes = append(c.changes, change)
	}
}

// fits counts the bytes of a path; false when there are too many.
func (c *changesReader) fits(path string, at diag.Pos) bool {
	before := c.paths
	if c.paths += int64(len(path)); c.paths <= c.limits.PathBytes {
		return true
	}
	if before <= c.limits.PathBytes { // said once
		c.errs.Add(strict.TooManyPathBytes(at, c.limits))
	}
	c.changes = nil
	return false
}

// order holds a path against the one before it.
func (c *changesReader) order(at diag.Pos, where, path string) {
	switch compared := strings.Compare(path, c.last); {
	case c.last == "":
	case compared == 0:
		c.errs.Add(diag.Error{
			Pos: at, Where: where, Message: "the path " + diag.Quote(diag.QuotePath(path)) + " stands twice in the list",
			Found: "a second " + diag.Quote(diag.QuotePath(path)), Expected: "each path once", Fix: "keep one of them",
		})
	case compared < 0:
		c.errs.Add(diag.Error{
			Pos: at, Where: where, Message: "the paths are not sorted by their bytes",
			Found: diag.Quote(diag.QuotePath(path)) + " after " + diag.Quote(diag.QuotePath(c.last)), Expected: "ascending paths", Fix: "sort the list",
		})
	}
	c.last = path
}

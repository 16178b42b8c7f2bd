package input

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Stream reads one JSON document token by token, so that a long list costs no more than one of its elements. It adds
// what is wrong to a list of errors. After a method returned false or nil, the text ends there.
type Stream struct {
	errs   *Errors
	src    *source
	dec    *jsontext.Decoder
	bounds Bounds
	left   int64 // how many more values there may be
	begin  int64 // the offset that Begin noted
	// The place that was asked for last: its offset, its line, and the offset at which that line starts.
	at, start int64
	line      int
	open      []bracket
	last      int           // the line of the token that was read last; 0 when there is none
	kind      jsontext.Kind // of the token that is read
}

// Bounds limits what a document can cost.
type Bounds struct {
	Bytes      int64 // of the document
	ValueBytes int64 // of what one method reads
	Values     int64 // objects, lists, keys, texts, numbers and literals
	Depth      int
}

// maxDepth is how deep the decoder reads.
const maxDepth = 10_000

// NewStream reads from r.
func NewStream(r io.Reader, bounds Bounds, errs *Errors) *Stream {
	bounds.Depth = min(bounds.Depth, maxDepth)
	src := &source{r: r, bounds: bounds}
	// Duplicate names are let through here because the decoder would stop at the first one.
	dec := jsontext.NewDecoder(src, jsontext.AllowDuplicateNames(true))
	return &Stream{errs: errs, src: src, dec: dec, bounds: bounds, left: bounds.Values, line: 1}
}

// source reads the text until a limit is exceeded.
type source struct {
	r      io.Reader
	bounds Bounds
	read   int64  // bytes read
	mark   int64  // the offset from which ValueBytes counts
	err    error  // what r returned, io.EOF excepted
	flag   string // the flag of the limit that was hit
}

var errLimit = errors.New("a limit was hit")

// readAhead bounds how far the source is read in one step. A value can be longer than its limit by that much before it is
// complete and can be measured.
const readAhead = 64 << 10

func (s *source) Read(b []byte) (int, error) {
	if s.over() {
		return 0, errLimit
	}
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.r.Read(b[:min(len(b), readAhead)])
	s.read += int64(n)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}

// over reports whether more was read than the limits allow, and notes which limit it was.
func (s *source) over() bool {
	switch {
	case s.flag != "":
	case s.read > s.bounds.Bytes:
		s.flag = FlagDiffBytes
	case s.read-s.mark > s.bounds.ValueBytes+readAhead:
		s.flag = FlagDiffLineBytes
	}
	return s.flag != ""
}

// Begin starts to count the bytes of a value, of which there must not be more than ValueBytes.
func (s *Stream) Begin() {
	s.src.mark = s.dec.InputOffset()
	s.place()
	s.begin = s.at
}

// Fits reports whether what was read since Begin is not too long.
func (s *Stream) Fits() bool {
	if s.dec.InputOffset()-s.begin <= s.bounds.ValueBytes {
		return true
	}
	s.src.flag = FlagDiffLineBytes
	return s.fail(errLimit)
}

// Kind returns the kind of the token that comes next; 0 when there is none.
func (s *Stream) Kind() jsontext.Kind { return s.dec.PeekKind() }

// More reports whether the object or list has another member. It is true for a broken text, so that reading goes on and
// reports the error.
func (s *Stream) More() bool {
	kind := s.dec.PeekKind()
	return kind != '}' && kind != ']'
}

// Open passes over the bracket that begins an object or a list.
func (s *Stream) Open() (Pos, bool) {
	t, ok := s.next(nil)
	return t.pos, ok && !s.tooDeep(t.pos)
}

// Close passes over the bracket that ends an object or a list.
func (s *Stream) Close() bool {
	_, ok := s.next(nil)
	return ok
}

// Key reads the key of a member. One of those that are known takes no memory.
func (s *Stream) Key(known ...string) (Text, bool) {
	t, ok := s.next(known)
	return Text{Value: t.text, Pos: t.pos}, ok && s.counted(t.pos)
}

// End reports what follows the document.
func (s *Stream) End() bool {
	s.Begin()
	rest := s.dec.UnreadBuffer()
	blank := len(rest) - len(bytes.TrimLeft(rest, " \t\r\n"))
	if !s.src.over() && s.src.err == nil && blank < len(rest) {
		at := s.pos(s.dec.InputOffset() + int64(blank))
		s.errs.Add(Error{
			Pos: at, Message: "something follows the value", Found: Excerpt(s.rest(blank)), Expected: "the end of the file",
			Fix: "remove what follows: a file contains one value",
		})
		return false
	}
	_, err := s.dec.ReadToken()
	return (err == io.EOF && s.src.flag == "") || s.fail(err)
}

// jsonToken is one token of the text.
type jsonToken struct {
	kind jsontext.Kind
	text string // of a string; of a number, as it is written
	pos  Pos
}

func (s *Stream) next(known []string) (t jsonToken, ok bool) {
	t.pos = s.place()
	var raw []byte
	var err error
	if s.kind, t.kind = s.dec.PeekKind(), s.dec.PeekKind(); t.kind == '"' || t.kind == '0' {
		raw, err = s.dec.ReadValue()
	} else {
		_, err = s.dec.ReadToken()
	}
	if err != nil {
		return t, s.fail(err)
	}
	s.last = s.line
	switch t.kind { // what is open is for the error of a token that follows
	case '{', '[':
		s.open = append(s.open, bracket{t.kind, s.line})
	case '}', ']':
		s.open = s.open[:len(s.open)-1]
	}
	if t.kind == '"' {
		raw = unquote(raw)
	}
	for _, text := range known {
		if text == string(raw) {
			t.text = text
			return t, true
		}
	}
	t.text = string(raw)
	return t, true
}

// unquote returns what a string of JSON means. The decoder has checked it.
func unquote(raw []byte) []byte {
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1]
	}
	text, _ := jsontext.AppendUnquote(nil, raw)
	return text
}

// place returns where the next token begins. When none can follow, the read that comes next reports it.
func (s *Stream) place() Pos {
	if s.dec.PeekKind() == jsontext.KindInvalid {
		return Pos{}
	}
	blank := 0
	for _, c := range s.dec.UnreadBuffer() {
		if c != ' ' && c != ',' && c != ':' && c != '\n' && c != '\r' && c != '\t' {
			break
		}
		blank++
	}
	return s.pos(s.dec.InputOffset() + int64(blank))
}

// pos turns the offset of a byte that was not passed yet into a place. Offsets come in ascending order, and no token that
// was passed contains a newline.
func (s *Stream) pos(offset int64) Pos {
	passed := s.dec.InputOffset()
	from := max(s.at, passed)
	for at, c := range s.dec.UnreadBuffer()[from-passed : offset-passed] {
		if c == '\n' {
			s.line, s.start = s.line+1, from+int64(at)+1
		}
	}
	s.at = offset
	return Pos{Line: s.line, Column: int(offset-s.start) + 1}
}

// rest returns what follows from the given byte of what was not passed yet: as much as an error can show.
func (s *Stream) rest(from int) []byte {
	var more [1 << 10]byte
	n, _ := io.ReadFull(s.src, more[:]) // what cannot be read is not shown
	return append(bytes.Clone(s.dec.UnreadBuffer()[from:]), more[:n]...)
}

// fail reports that the text is not JSON, cannot be read, or is too long. It returns false.
func (s *Stream) fail(err error) bool {
	passed, from := s.dec.InputOffset(), 0 // where the error is, from what was passed on
	var syntax *jsontext.SyntacticError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		from = len(s.dec.UnreadBuffer())
	case errors.As(err, &syntax):
		from = int(syntax.ByteOffset - passed)
		if strings.Contains("tfn0", string(s.kind)) || strings.Contains(syntax.Err.Error(), `'\n' in string`) {
			from = 0 // a word is shown as a whole, and so is a text that is not closed
		}
	}
	from = max(from, int(s.at-passed), 0)
	at := s.pos(passed + int64(from))
	switch {
	case s.src.flag == FlagDiffBytes:
		s.errs.Add(OverLimitAt(at, "the size of the file in bytes", s.bounds.Bytes, s.src.flag))
	case s.src.flag == FlagDiffLineBytes:
		s.errs.Add(OverLimitAt(at, "the length of a value in bytes", s.bounds.ValueBytes, s.src.flag))
	case s.src.err != nil:
		e := Unreadable("the input", s.src.err)
		e.Pos = at
		s.errs.Add(e)
	default:
		s.errs.Add(notJSON(s.stops(at, from, s.rest(from)), err))
	}
	return false
}

// stops describes the place where the text stops to be JSON.
func (s *Stream) stops(at Pos, from int, rest []byte) *jsonPlace {
	container, read := s.dec.StackIndex(s.dec.StackDepth())
	return &jsonPlace{at: at, rest: rest, open: s.open, last: s.last, key: container == '{' && read%2 == 0, glued: from == 0}
}

// tooDeep reports a value that nests deeper than the limit.
func (s *Stream) tooDeep(at Pos) bool {
	if s.dec.StackDepth() <= s.bounds.Depth {
		return false
	}
	s.errs.Add(OverLimitAt(at, "the nesting of values", int64(s.bounds.Depth), FlagDepth))
	return true
}

// counted counts a value; false when there are too many.
func (s *Stream) counted(at Pos) bool {
	if s.left--; s.left >= 0 {
		return true
	}
	s.errs.Add(OverLimitAt(at, "the number of values", s.bounds.Values, FlagValues))
	return false
}

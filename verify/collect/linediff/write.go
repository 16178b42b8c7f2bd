package linediff

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/closeout-gate/closeout/verify/diag"
)

// Absent is the size of a version that is not there or is no regular file.
const Absent = -1

// File is a changed file and what is known of its lines.
type File struct {
	Path     string // its bytes, from the root of the repository; not empty, without NUL
	OldBytes int64  // size of the old version, or Absent
	NewBytes int64
	Result
}

// Writer writes lines.json, file by file, so that no more than one file's lines need be in memory:
//
//	{"schema":"closeout.lines/v1","files":[
//	{"path":"a.go","state":"text","old_bytes":9,"new_bytes":14,"added":[{"line":2,"text":"x := 1"}],"removed":[]}
//	]}
//
// Strings are written as RFC 8785 says. A path or a text that is no UTF-8 is written for people (the path as git quotes
// it, the text with U+FFFD in place of each wrong byte), and its bytes are in path_base64 or text_base64. Only a file of
// the state "text" has added and removed: a reader who asks for the lines of another one finds none of the keys, not
// empty lists.
type Writer struct {
	to    io.Writer
	out   []byte // not yet written
	last  string // the path of the last file
	files int
	err   error // the first one; sticky
}

// NewWriter returns a Writer that writes to w in large pieces.
func NewWriter(w io.Writer) *Writer {
	return &Writer{to: w, out: []byte(`{"schema":"closeout.lines/v1","files":[`)}
}

// Add writes a file. Files are given in the order of the bytes of their paths, each once. The error is that of the
// underlying writer, or says what is wrong with the file; after an error nothing more is written.
func (w *Writer) Add(f File) error {
	if w.err == nil {
		w.err = w.refuse(f)
	}
	if w.err != nil {
		return w.err
	}
	if w.files > 0 {
		w.out = append(w.out, ',')
	}
	w.files++
	w.last = f.Path
	w.file(f)
	w.flush(1 << 16)
	return w.err
}

// Close ends the document. It does not close the underlying writer.
func (w *Writer) Close() error {
	w.out = append(w.out, "\n]}\n"...)
	w.flush(0)
	return w.err
}

// refuse says what is wrong with a file: what cannot be written as the schema says must not be written at all.
func (w *Writer) refuse(f File) error {
	name := diag.QuotePath(f.Path)
	switch {
	case f.Path == "" || strings.Contains(f.Path, "\x00"):
		return fmt.Errorf("lines of a file with the path %q: a path is not empty and holds no NUL", f.Path)
	case w.files > 0 && f.Path <= w.last:
		return fmt.Errorf("lines of %s after those of %s: files are sorted by the bytes of their paths, each once", name, diag.QuotePath(w.last))
	case f.State != Text && f.State != Binary && f.State != TooLarge && f.State != NotAFile && f.State != Unknown:
		return fmt.Errorf("lines of %s: there is no state %q", name, f.State)
	case (f.State == TooLarge || f.State == Unknown) != (f.Reason != ""):
		return fmt.Errorf("lines of %s: state %q with the reason %q: a file that is too large or unknown has a reason, and no other one", name, f.State, f.Reason)
	case f.OldBytes < Absent || f.NewBytes < Absent:
		return fmt.Errorf("lines of %s: sizes %d and %d: a size is not negative, or Absent", name, f.OldBytes, f.NewBytes)
	case f.State != Text && len(f.Added)+len(f.Removed) > 0:
		return fmt.Errorf("lines of %s: state %q with lines: only a text has them", name, f.State)
	}
	return nil
}

func (w *Writer) file(f File) {
	w.out = append(w.out, "\n{\"path\":"...)
	if utf8.ValidString(f.Path) {
		w.quote(f.Path)
	} else {
		w.quote(diag.QuotePath(f.Path))
		w.base64(`,"path_base64":"`, []byte(f.Path))
	}
	w.out = append(w.out, `,"state":`...)
	w.quote(string(f.State))
	if f.Reason != "" {
		w.out = append(w.out, `,"reason":`...)
		w.quote(f.Reason)
	}
	w.size(`,"old_bytes":`, f.OldBytes)
	w.size(`,"new_bytes":`, f.NewBytes)
	if f.State == Text {
		w.lines(`,"added":[`, f.Added)
		w.lines(`,"removed":[`, f.Removed)
	}
	w.out = append(w.out, '}')
}

func (w *Writer) lines(key string, lines []Line) {
	w.out = append(w.out, key...)
	for i, l := range lines {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		w.out = append(w.out, `{"line":`...)
		w.out = strconv.AppendInt(w.out, int64(l.Number), 10)
		w.out = append(w.out, `,"text":`...)
		var err error
		if w.out, err = jsontext.AppendQuote(w.out, l.Text); err != nil { // it is no UTF-8
			w.base64(`,"text_base64":"`, l.Text)
		}
		if l.NoNewline {
			w.out = append(w.out, `,"no_newline":true`...)
		}
		w.out = append(w.out, '}')
		w.flush(1 << 16)
	}
	w.out = append(w.out, ']')
}

// quote writes a text that is UTF-8.
func (w *Writer) quote(text string) {
	out, err := jsontext.AppendQuote(w.out, text)
	w.out, w.err = out, errors.Join(w.err, err)
}

func (w *Writer) base64(key string, raw []byte) {
	w.out = append(w.out, key...)
	w.out = base64.StdEncoding.AppendEncode(w.out, raw)
	w.out = append(w.out, '"')
}

func (w *Writer) size(key string, bytes int64) {
	w.out = append(w.out, key...)
	if bytes == Absent {
		w.out = append(w.out, "null"...)
		return
	}
	w.out = strconv.AppendInt(w.out, bytes, 10)
}

// flush writes what is there if it is more than so many bytes.
func (w *Writer) flush(least int) {
	if w.err != nil || len(w.out) <= least {
		return
	}
	_, w.err = w.to.Write(w.out)
	w.out = w.out[:0]
}

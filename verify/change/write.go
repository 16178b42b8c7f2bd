package change

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/closeout-gate/closeout/verify/input"
)

// Marshal writes changes.json as [ReadChanges] reads it: a line for each path, in the order of the list, which must be
// that of the bytes of the paths.
func Marshal(changes []Change) ([]byte, error) {
	const line = 256 // about what a path takes
	w := &writer{b: make([]byte, 0, 64+len(changes)*line)}
	w.raw(`{"` + keySchema + `": "` + Schema + `", "` + keyFiles + `": [`)
	for i := range changes {
		if i > 0 {
			w.raw(",")
		}
		w.raw("\n")
		w.change(&changes[i])
	}
	w.raw("\n]}\n")
	return w.b, w.err
}

// writer appends JSON; it keeps the errors.
type writer struct {
	b   []byte
	err error
}

func (w *writer) raw(text string) { w.b = append(w.b, text...) }

func (w *writer) text(value string) {
	b, err := jsontext.AppendQuote(w.b, value)
	w.b, w.err = b, errors.Join(w.err, err)
}

// field writes the key of a field, which is never the first one.
func (w *writer) field(i field) { w.raw(`,"` + fieldKeys[i] + `":`) }

func (w *writer) change(c *Change) {
	w.raw(`{"` + fieldKeys[fieldPath] + `":`)
	if utf8.ValidString(c.Path) {
		w.text(c.Path)
	} else {
		w.text(input.QuotePath(c.Path))
		w.field(fieldPathBase64)
		w.text(base64.StdEncoding.EncodeToString([]byte(c.Path)))
	}
	w.field(fieldStatus)
	w.text(string(c.Status))
	w.field(fieldOldMode)
	w.text(string(c.OldMode))
	w.field(fieldNewMode)
	w.text(string(c.NewMode))
	w.field(fieldOldID)
	w.id(c.OldID)
	w.field(fieldNewID)
	w.id(c.NewID)
	switch {
	case c.Attributes != nil:
		w.field(fieldAttributes)
		w.effects(c.Attributes)
	case c.KeysKnown:
		w.field(fieldKeysChanged)
		w.list(c.KeysChanged)
	}
	if c.BaseGone {
		w.field(fieldBaseGone)
		w.raw("true")
	}
	if c.Evidence != "" {
		w.field(fieldEvidence)
		w.text(c.Evidence)
	}
	w.raw("}")
}

func (w *writer) id(id string) {
	if id == "" {
		w.raw("null")
		return
	}
	w.text(id)
}

func (w *writer) list(values []string) {
	w.raw("[")
	for i, v := range values {
		if i > 0 {
			w.raw(",")
		}
		w.text(v)
	}
	w.raw("]")
}

func (w *writer) effects(effects []Effect) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	w.err = errors.Join(w.err, e.Encode(effects))
	w.raw(strings.TrimSpace(b.String()))
}

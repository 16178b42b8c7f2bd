package collect

import (
	"encoding/base64"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/diag"
)

// MarshalChanges writes changes.json as change.ReadChanges reads it: a line a touched path, in the order of the list,
// which must be that of the bytes of the paths.
func MarshalChanges(changes []change.Change) ([]byte, error) {
	b := append(make([]byte, 0, 64+len(changes)*changeSize), `{"schema": "`+change.Schema+`", "files": [`...)
	for i := range changes {
		if i > 0 {
			b = append(b, ',')
		}
		var err error
		if b, err = appendChange(append(b, '\n'), &changes[i]); err != nil {
			return nil, err
		}
	}
	return append(b, "\n]}\n"...), nil
}

// changeSize is about what a line takes.
const changeSize = 256

func appendChange(b []byte, c *change.Change) ([]byte, error) {
	w := changeWriter{b: b}
	if path := c.Path; utf8.ValidString(path) {
		w.text(`{"path":`, path)
	} else {
		w.text(`{"path":`, diag.QuotePath(path))
		w.text(`,"path_base64":`, base64.StdEncoding.EncodeToString([]byte(path)))
	}
	w.text(`,"status":`, string(c.Status))
	w.text(`,"old_mode":`, string(c.OldMode))
	w.text(`,"new_mode":`, string(c.NewMode))
	w.id(`,"old_id":`, c.OldID)
	w.id(`,"new_id":`, c.NewID)
	if c.KeysKnown {
		w.list(`,"keys_changed":`, c.KeysChanged)
	}
	if c.BaseGone {
		w.b = append(w.b, `,"base_gone":true`...)
	}
	return append(w.b, '}'), w.err
}

// changeWriter appends members; it keeps the first error.
type changeWriter struct {
	b   []byte
	err error
}

func (w *changeWriter) text(key, value string) {
	b, err := jsontext.AppendQuote(append(w.b, key...), value)
	if err != nil && w.err == nil {
		w.err = err
	}
	w.b = b
}

func (w *changeWriter) id(key, value string) {
	if value == "" {
		w.b = append(append(w.b, key...), "null"...)
		return
	}
	w.text(key, value)
}

func (w *changeWriter) list(key string, values []string) {
	w.b = append(append(w.b, key...), '[')
	for i, v := range values {
		separator := ""
		if i > 0 {
			separator = ","
		}
		w.text(separator, v)
	}
	w.b = append(w.b, ']')
}

// union joins comparisons of one head with several merge bases. Of a path that more than one of them touches, the entry
// stays that says most: what one base lacks is an addition beside it, and a change beside another.
func union(lists [][]change.Change) []change.Change {
	if len(lists) == 1 {
		return lists[0]
	}
	at := map[string]int{}
	var all []change.Change
	for _, list := range lists {
		for _, c := range list {
			i, known := at[c.Path]
			switch {
			case !known:
				at[c.Path] = len(all)
				all = append(all, c)
			case weight(c.Status) > weight(all[i].Status):
				all[i] = c
			}
		}
	}
	slices.SortStableFunc(all, func(a, b change.Change) int { return strings.Compare(a.Path, b.Path) })
	return all
}

// weight orders the statuses that a path can have beside one head by how much they say.
func weight(s change.Status) int {
	return slices.Index([]change.Status{
		change.Added, change.Deleted, change.ModeChanged, change.Modified, change.TypeChanged,
	}, s)
}

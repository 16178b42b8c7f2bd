package collect

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/closeout-gate/closeout/verify/evidence"
)

// changeItem is an element of changes.json, as evidence.ReadChanges reads it.
type changeItem struct {
	Path        string   `json:"path"`
	PathBase64  string   `json:"path_base64,omitempty"`
	Status      string   `json:"status"`
	OldMode     string   `json:"old_mode"`
	NewMode     string   `json:"new_mode"`
	OldID       *string  `json:"old_id"`
	NewID       *string  `json:"new_id"`
	KeysChanged []string `json:"keys_changed,omitzero"`
}

// MarshalChanges writes changes.json: a line a touched path, in the order of the list, which must be that of the bytes of
// the paths.
func MarshalChanges(changes []evidence.Change) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(`{"schema": "` + evidence.ChangesSchema + `", "files": [`)
	lines := json.NewEncoder(&b)
	lines.SetEscapeHTML(false)
	for i := range changes {
		if i > 0 {
			b.Truncate(b.Len() - 1) // the encoder ends each value with a newline
			b.WriteByte(',')
		}
		b.WriteByte('\n')
		if err := lines.Encode(itemOf(&changes[i])); err != nil {
			return nil, err
		}
	}
	b.WriteString("]}\n")
	return b.Bytes(), nil
}

func itemOf(c *evidence.Change) changeItem {
	item := changeItem{
		Path: c.Path, Status: string(c.Status), OldMode: string(c.OldMode), NewMode: string(c.NewMode),
		OldID: orNull(c.OldID), NewID: orNull(c.NewID),
	}
	if !utf8.ValidString(c.Path) {
		item.Path, item.PathBase64 = evidence.QuotePath(c.Path), base64.StdEncoding.EncodeToString([]byte(c.Path))
	}
	if c.KeysKnown {
		item.KeysChanged = append([]string{}, c.KeysChanged...)
	}
	return item
}

func orNull(id string) *string {
	if id == "" {
		return nil
	}
	return &id
}

// union joins comparisons of one head with several merge bases. Of a path that more than one of them touches, the entry
// stays that says most: what one base lacks is an addition beside it, and a change beside another.
func union(lists [][]evidence.Change) []evidence.Change {
	if len(lists) == 1 {
		return lists[0]
	}
	at := map[string]int{}
	var all []evidence.Change
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
	slices.SortFunc(all, func(a, b evidence.Change) int { return strings.Compare(a.Path, b.Path) })
	return all
}

// weight orders the statuses that a path can have beside one head by how much they say.
func weight(s evidence.Status) int {
	return slices.Index([]evidence.Status{
		evidence.Added, evidence.Deleted, evidence.ModeChanged, evidence.Modified, evidence.TypeChanged,
	}, s)
}
